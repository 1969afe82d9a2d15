"""Lost connections, lost answers and foreign tables: one clear error each, and what was there stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from liars_dice.persistence import (
    PostgresRecorder,
    RecordedEvent,
    StoreError,
    UnknownSchemaError,
    VersionConflictError,
    open_store,
)
from storekit import GAME, fill


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[PostgresRecorder]:
    store = PostgresRecorder(postgres_url)
    fill(store, GAME[:10])
    yield store
    store.discard()
    store.close()


def test_a_dropped_connection(postgres: PostgresRecorder, postgres_url: str) -> None:
    """The server ends our connection: one clear error, nothing half done, and the next try connects again."""
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    with pytest.raises(StoreError, match="PostgreSQL: ") as caught:
        fill(postgres, GAME[10:20])
    assert "\n" not in str(caught.value)
    postgres.flush()
    assert postgres.events("one") == GAME[:20]


class FailingDatabase:
    """A connection that the server cuts before its n-th call."""

    def __init__(self, real: Any, fail_at: int, url: str) -> None:
        self.real = real
        self.url = url
        self.fail_at = fail_at
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        if name in ("execute", "cursor", "transaction"):
            self.calls += 1
            if self.calls == self.fail_at:
                with psycopg.connect(self.url, autocommit=True) as other:
                    other.execute("SELECT pg_terminate_backend(%s, 5000)", (self.real.info.backend_pid,))
        return getattr(self.real, name)


def test_every_cut_call_leaves_all_or_nothing(postgres_url: str) -> None:
    failures = 0
    for rest in (GAME[10:20], GAME[10:]):
        for fail_at in range(1, 20):
            with PostgresRecorder(postgres_url) as store:
                assert store._db is not None
                store._db.execute("TRUNCATE games, blocks")
                fill(store, GAME[:10])
                failing = FailingDatabase(store._db, fail_at, postgres_url)
                store._db = failing  # type: ignore[assignment]
                try:
                    fill(store, rest)
                    failing.fail_at = 0
                except StoreError:
                    failures += 1
                    with PostgresRecorder(postgres_url) as other:
                        assert other.events("one") == GAME[:10]
                    store.flush()
                assert store.events("one") == [*GAME[:10], *rest]
            if failing.fail_at == 0:
                break
    assert failures >= 6


def test_no_server_and_another_schema(postgres: PostgresRecorder, postgres_url: str) -> None:
    with pytest.raises(StoreError, match="PostgreSQL: ") as caught:
        PostgresRecorder("postgresql://nobody@/nothing?host=/nowhere")
    assert "\n" not in str(caught.value)
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute("UPDATE liars_dice_schema SET version = 99")
    with pytest.raises(UnknownSchemaError, match="schema 99 is unknown"):
        PostgresRecorder(postgres_url)


def test_version_conflicts_pickle() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(VersionConflictError("g", 3, 5)))
    assert str(error) == "game g: expected an event with version 3, got version 5"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_commit_whose_answer_was_lost(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The batch was stored, but not acknowledged: the next attempt finds it. A real conflict stays one."""
    address = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "games.sqlite"
    with open_store(address) as store, open_store(address) as other:
        fill(store, GAME[:10])
        real = store._append

        def lose_the_answer(batch: list[RecordedEvent]) -> None:
            real(batch)
            raise StoreError("the connection was lost")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "_append", lose_the_answer)
            with pytest.raises(StoreError, match="the connection was lost"):
                fill(store, GAME[10:20])
        store.flush()
        fill(store, GAME[20:])
        assert store.events("one") == other.events("one") == GAME
        with pytest.raises(VersionConflictError):
            fill(other, GAME[:5])
        other.discard()


def test_a_database_of_another_program_is_left_alone(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute("CREATE TABLE games (id INTEGER)")
    with pytest.raises(StoreError, match="already exists"):
        PostgresRecorder(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as db:
        tables = db.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert tables == (1,)
