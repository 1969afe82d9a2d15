"""Full disks, locks, damage and many openers: one clear error each, and what was there stays."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liars_dice.core import LiarsDiceError
from liars_dice.persistence import (
    CorruptEventError,
    JSONLinesRecorder,
    RecordedEvent,
    SQLiteRecorder,
    StoreError,
    UnknownSchemaError,
    final_state,
    open_store,
    state_at,
)
from liars_dice.persistence.conformance import sample_game
from storekit import GAME, failed, fill


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "games.sqlite"
    with SQLiteRecorder(path) as store:
        fill(store, GAME[:10])
    return path


def stored_in(path: Path) -> list[RecordedEvent]:
    with SQLiteRecorder(path) as store:
        return store.events("one")


class FailingConnection(sqlite3.Connection):
    """A connection whose n-th statement fails."""

    fail_at = 0
    calls = 0

    def _count(self) -> None:
        FailingConnection.calls += 1
        if FailingConnection.calls == FailingConnection.fail_at:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR
            raise error

    def execute(self, *arguments: Any) -> Any:
        if arguments[0] != "ROLLBACK":
            self._count()
        return super().execute(*arguments)

    def executemany(self, *arguments: Any) -> Any:
        self._count()
        return super().executemany(*arguments)


class FailingSQLite(SQLiteRecorder):
    def _connect(self, wait: float) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=wait, isolation_level=None, factory=FailingConnection)


def test_every_failing_statement_leaves_all_or_nothing(database: Path) -> None:
    """Also when the batch ends the game and its blocks are joined."""
    failures = 0
    for rest in (GAME[10:20], GAME[10:]):
        for fail_at in range(1, 40):
            FailingConnection.fail_at = 0
            path = database.with_name(f"{len(rest)}-{fail_at}.sqlite")
            path.write_bytes(database.read_bytes())
            store = FailingSQLite(path)
            FailingConnection.calls, FailingConnection.fail_at = 0, fail_at
            if failed(store, rest, "the disk failed (disk I/O error)"):
                failures += 1
                assert stored_in(path) == GAME[:10]
                store.discard()
                fill(store, rest)
            store.close()
            assert stored_in(path) == [*GAME[:10], *rest]
            if FailingConnection.calls < fail_at:
                break
    assert failures >= 10


def test_a_full_disk(database: Path) -> None:
    """A real SQLITE_FULL: the file may not grow."""
    store = SQLiteRecorder(database)
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count = {pages}")
    many = [event for number in range(20) for event in sample_game(f"big-{number}", "perudo", number)]
    with pytest.raises(StoreError, match=r"games\.sqlite: the disk is full"):
        fill(store, many)
    assert store._db.in_transaction is False
    store.discard()
    committed = store.games()
    assert store.events("one") == GAME[:10]
    store._db.execute("PRAGMA max_page_count = 1000000")
    fill(store, GAME[10:])
    store.close()
    assert stored_in(database) == GAME
    with SQLiteRecorder(database) as again:
        assert len(again.games()) == len(committed)


def test_a_locked_database(database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = SQLiteRecorder(database, wait=0.05)
    with pytest.raises(StoreError, match="locked by another program"):
        fill(store, GAME[10:])
    assert store._db.in_transaction is False
    other.execute("ROLLBACK")
    store.flush()
    store.close()
    other.close()
    assert stored_in(database) == GAME


def test_a_database_that_may_only_be_read(database: Path) -> None:
    class ReadOnly(SQLiteRecorder):
        def _connect(self, wait: float) -> sqlite3.Connection:
            return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, isolation_level=None)

    store = ReadOnly(database)
    assert store.events("one") == GAME[:10]
    with pytest.raises(StoreError, match="the file is read-only"):
        fill(store, GAME[10:])
    store.discard()
    store.close()
    assert stored_in(database) == GAME[:10]


def test_files_that_are_not_ours(tmp_path: Path, database: Path) -> None:
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to look at" * 50)
    with pytest.raises(StoreError, match="not a database"):
        SQLiteRecorder(tmp_path / "text.sqlite")
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE things (x)")
    other.close()
    with pytest.raises(UnknownSchemaError, match="this database belongs to another program"):
        SQLiteRecorder(tmp_path / "other.sqlite")
    newer = sqlite3.connect(database)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(UnknownSchemaError, match="schema 99 is unknown"):
        SQLiteRecorder(database)
    with pytest.raises(StoreError, match="cannot be opened"):
        SQLiteRecorder(tmp_path)
    with pytest.raises(StoreError, match="cannot be opened"):
        SQLiteRecorder(tmp_path / "text.sqlite" / "below")


@pytest.mark.parametrize("damage", ["blob", "schema", "gap"])
def test_damaged_records_are_named(database: Path, damage: str) -> None:
    with SQLiteRecorder(database) as store:
        fill(store, GAME[10:20])
        if damage == "blob":
            store._db.execute("UPDATE blocks SET data = substr(data, 5)")
            message = "game one: the record is damaged"
        elif damage == "schema":
            from liars_dice.persistence import codec

            block = codec._block_decoder.decode(zlib.decompress(store._blocks("one", 0, 99)[0][1]))
            block.schema = 99
            data = zlib.compress(codec._block_encoder.encode(block))
            store._db.execute("UPDATE blocks SET data = ? WHERE first_version = 0", (data,))
            message = "game one: schema 99 is unknown"
        else:
            store._db.execute("DELETE FROM blocks WHERE first_version = 0")
            message = "game one: events 0 to 9 are missing"
        with pytest.raises(StoreError, match=message):
            store.events("one")


def test_a_damaged_snapshot_is_as_good_as_none(database: Path) -> None:
    with SQLiteRecorder(database) as store:
        for data in (b"nonsense", zlib.compress(b"nonsense"), zlib.compress(msgspec.msgpack.encode((99, None)))):
            store._store_snapshot("one", 5, data)
            assert store.load_snapshot("one", 7) is None
            assert state_at(store, "one", 7) == final_state(GAME[:7])


def test_lost_blocks_are_noticed(database: Path) -> None:
    with SQLiteRecorder(database) as store:
        fill(store, GAME[10:20])
        store._db.execute("DELETE FROM blocks WHERE first_version = 10")
        with pytest.raises(CorruptEventError, match="events 10 to 19 are missing"):
            store.events("one")
        assert store.events("one", 0, 10) == GAME[:10]
        store._db.execute("DELETE FROM blocks")
        with pytest.raises(CorruptEventError, match="events 0 to 19 are missing"):
            store.events("one")


@pytest.mark.parametrize("kind", ["jsonl", "sqlite"])
def test_a_removed_file_is_noticed(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"games.{kind}"
    store = open_store(path)
    fill(store, GAME[:10])
    path.unlink()
    with pytest.raises(StoreError, match="the file has been removed"):
        fill(store, GAME[10:20])
    store.discard()
    store.close()


def test_a_failing_close_still_closes(database: Path) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = open_files()
    for _ in range(20):
        store = SQLiteRecorder(database)
        store.record(sample_game("x")[0])
        FailingConnection.fail_at = 0
        store._db.execute("PRAGMA query_only = 1")
        with pytest.raises(StoreError):
            store.close()
        with pytest.raises(StoreError, match="this store has been closed"):
            store.events("one")
        store.close()
    assert open_files() == before


def test_many_may_make_a_store_at_once(tmp_path: Path) -> None:
    """Eight processes open the same new file at the same moment."""
    script = (
        "import sys; from liars_dice.persistence import SQLiteRecorder; sys.stdin.read(1); SQLiteRecorder(sys.argv[1])"
    )
    for attempt in range(3):
        command = [sys.executable, "-c", script, str(tmp_path / f"{attempt}.sqlite")]
        openers = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
        for opener in openers:
            assert opener.stdin is not None
            opener.stdin.write(b"x")
            opener.stdin.flush()
        for opener in openers:
            _, errors = opener.communicate()
            assert opener.returncode == 0, errors.decode()


def test_what_the_modes_mean(tmp_path: Path) -> None:
    for durable, level in ((False, 1), (True, 2)):
        with SQLiteRecorder(tmp_path / f"{durable}.sqlite", durable=durable) as store:
            assert store._db.execute("PRAGMA synchronous").fetchone() == (level,)
            assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_bad_values_are_refused_alone(tmp_path: Path) -> None:
    """What cannot be stored is refused when it is recorded, and the rest of the batch is stored."""
    with SQLiteRecorder(tmp_path / "games.sqlite") as store:
        for event in GAME[:5]:
            store.record(event)
        naive = msgspec.structs.replace(GAME[5], timestamp_utc=GAME[5].timestamp_utc.replace(tzinfo=None))
        with pytest.raises(StoreError, match="has no time zone"):
            store.record(naive)
        for game_id in ("", "a\0b", "x" * 201):
            with pytest.raises(StoreError, match="1 to 200 printable characters"):
                store.record(msgspec.structs.replace(GAME[0], game_id=game_id))
        store.flush()
        assert store.events("one") == GAME[:5]


def test_fifty_openings_leave_no_file_open(tmp_path: Path) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    if not Path("/proc/self/fd").exists():
        pytest.skip("there is no /proc here to count open files")
    before = open_files()
    for _ in range(50):
        for path in ("a.sqlite", "a.jsonl"):
            store = SQLiteRecorder(tmp_path / path) if path.endswith("e") else JSONLinesRecorder(tmp_path / path)
            assert store.games() == []
            store.close()
        with pytest.raises(LiarsDiceError):
            JSONLinesRecorder(tmp_path / "a.sqlite")
    assert open_files() == before
