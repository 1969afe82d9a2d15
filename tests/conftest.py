"""What all tests share: a private store, a real PostgreSQL server, and properties that do not depend on the load."""

from __future__ import annotations

import gc
import itertools
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from pg_server import PostgresServer, why_not

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # so a shell starts what runs in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # the programs that tests interrupt would ignore it, too

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the workers use all cores: threads of PyTorch only wait for them


gc.disable()  # until all tests are collected: looking through the growing heap takes as long as collecting them


def pytest_collection_finish() -> None:
    """Nothing that was collected is ever garbage."""
    gc.enable()
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: many tests wait for browsers, servers and other processes."""
    return (os.cpu_count() or 1) + 1


settings.register_profile("any_load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any_load")


@pytest.fixture(autouse=True)
def own_store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests out of the store of the person who runs them."""
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
