"""A real PostgreSQL server for the tests that need one, and a store of their own for those that record."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from pg_server import PostgresServer, why_not


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test writes into the store of whoever runs it."""
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path_factory.mktemp("store") / "games.sqlite"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for the whole run of a worker."""
    if reason := why_not():
        pytest.skip(reason)
    server = PostgresServer("fsync=off")
    yield server
    server.stop()


_numbers = itertools.count()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """An empty database, gone after the test."""
    import psycopg

    name = f"test_{next(_numbers)}"
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}".encode())
    yield postgres_server.url(name)
    with psycopg.connect(postgres_server.url(), autocommit=True) as db:
        db.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
