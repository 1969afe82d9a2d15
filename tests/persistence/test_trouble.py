"""Damage, foreign files, full disks, locks and lost connections: one clear error each, and what was there stays."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from liars_dice.core import LiarsDiceError
from liars_dice.persistence import (
    CorruptEventError,
    GameRecorder,
    JSONLinesRecorder,
    PostgresRecorder,
    RecordedEvent,
    SQLiteRecorder,
    StoreError,
    UnknownSchemaError,
    VersionConflictError,
    final_state,
    jsonlines,
    open_store,
    read_lines,
    state_at,
)
from liars_dice.persistence.conformance import sample_game

GAME = sample_game("one")


def fill(store: GameRecorder, events: list[RecordedEvent]) -> None:
    for event in events:
        store.record(event)
    store.flush()


def failed(store: GameRecorder, events: list[RecordedEvent], message: str) -> bool:
    """Whether storing failed; if it did, with this message."""
    try:
        fill(store, events)
    except StoreError as error:
        if message not in str(error):
            raise
        return True
    return False


# -- JSON lines ------------------------------------------------------------------------------------------------------


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    with JSONLinesRecorder(path) as store:
        fill(store, GAME[:10])
    return path


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_truncated_last_line_is_the_only_loss(lines: Path, cut: int) -> None:
    """With a warning that names the line; and writing goes on behind it."""
    lines.write_bytes(lines.read_bytes()[: -cut - 1])
    with pytest.warns(UserWarning, match=r"games.jsonl, line 10: cut short, and lost"):
        assert list(read_lines(lines)) == GAME[:9]
    with pytest.warns(UserWarning, match="line 10: cut short"):
        store = JSONLinesRecorder(lines)
    with store:
        assert store.events("one") == GAME[:9]
        fill(store, GAME[9:])
    with JSONLinesRecorder(lines) as store:
        assert store.events("one") == GAME


def test_a_last_line_without_its_newline_is_whole(lines: Path) -> None:
    lines.write_bytes(lines.read_bytes()[:-1])
    assert list(read_lines(lines)) == GAME[:10]
    with JSONLinesRecorder(lines) as store:
        fill(store, GAME[10:])
    assert list(read_lines(lines)) == GAME


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda line: line[:50], CorruptEventError, "line 3: not JSON"),
        (lambda line: b"[1, 2]", CorruptEventError, "line 3: not an event of Liar's Dice"),
        (lambda line: b'{"schema": 99, "event_type": "x"}', UnknownSchemaError, "line 3: schema 99 is unknown here"),
        (lambda line: line.replace(b'"dice":[', b'"dice":["x",'), CorruptEventError, "line 3: not an event"),
        (lambda line: line.replace(b'"DiceRolled","pay', b'"BidPlaced","pay'), CorruptEventError, "does not fit"),
        (lambda line: line.replace(b'"version":2', b'"version":7'), CorruptEventError, "line 3: .* must have version"),
        (lambda line: b"\xff\xfe\x00", CorruptEventError, "line 3: not JSON"),
    ],
)  # fmt: skip
def test_damaged_lines_are_named(
    lines: Path, change: Callable[[bytes], bytes], error: type[StoreError], message: str
) -> None:
    content = lines.read_bytes().split(b"\n")
    content[2] = change(content[2])
    lines.write_bytes(b"\n".join(content))
    before = lines.read_bytes()
    with pytest.raises(error, match=message):
        JSONLinesRecorder(lines)
    assert lines.read_bytes() == before


def test_foreign_and_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("hello\nworld\n")
    with pytest.raises(CorruptEventError, match="line 1: not JSON"):
        JSONLinesRecorder(tmp_path / "other.jsonl")
    with pytest.raises(StoreError, match="cannot be opened"):
        JSONLinesRecorder(tmp_path)
    with pytest.raises(StoreError, match="cannot be read"):
        list(read_lines(tmp_path / "missing.jsonl"))


class FailingOS:
    """The operating system's calls, the n-th of which fails; a failing write may have written half."""

    def __init__(self, fail_at: int, code: int) -> None:
        self.calls = 0
        self.fail_at = fail_at
        self.code = code

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in ("write", "fsync", "pread", "fstat"):
            return real

        def call(*arguments: Any) -> Any:
            self.calls += 1
            if self.calls == self.fail_at:
                if name == "write":
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                raise OSError(self.code, os.strerror(self.code))
            return real(*arguments)

        return call


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_every_failing_call_leaves_all_or_nothing_in_json_lines(
    lines: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = 0
    for fail_at in range(1, 30):
        path = lines.with_name(f"{fail_at}.jsonl")
        path.write_bytes(lines.read_bytes())
        with JSONLinesRecorder(path, durable=True) as store:
            failing = FailingOS(fail_at, code)
            with monkeypatch.context() as patch:
                patch.setattr(jsonlines, "os", failing)
                failures += failed(store, GAME[10:20], os.strerror(code))
            with JSONLinesRecorder(path) as other:
                stored = other.events("one")
            assert stored in (GAME[:10], GAME[:20])
            store.discard()
        if failing.calls < fail_at:
            break
    assert failures >= 4


def test_a_file_that_really_cannot_grow(lines: Path) -> None:
    """A real limit of the system: the write that crosses it is cut short, and taken back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with JSONLinesRecorder(lines) as store:
        size = lines.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1500, hard))
        try:
            with pytest.raises(StoreError, match=r"File too large.*; nothing was stored"):
                fill(store, GAME[10:40])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert lines.stat().st_size == size
        store.flush()
    assert list(read_lines(lines)) == GAME[:40]


# -- SQLite ----------------------------------------------------------------------------------------------------------


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
    with pytest.raises(StoreError, match="it may only be read"):
        fill(store, GAME[10:])
    store.discard()
    store.close()
    assert stored_in(database) == GAME[:10]


def test_files_that_are_not_ours(tmp_path: Path, database: Path) -> None:
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to look at" * 50)
    with pytest.raises(StoreError, match="it is not a database"):
        SQLiteRecorder(tmp_path / "text.sqlite")
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE things (x)")
    other.close()
    with pytest.raises(UnknownSchemaError, match="a database of another program"):
        SQLiteRecorder(tmp_path / "other.sqlite")
    newer = sqlite3.connect(database)
    newer.execute("PRAGMA user_version = 99")
    newer.close()
    with pytest.raises(UnknownSchemaError, match="schema 99 is unknown here"):
        SQLiteRecorder(database)
    with pytest.raises(StoreError, match="cannot be opened"):
        SQLiteRecorder(tmp_path)
    with pytest.raises(StoreError, match="it cannot be opened"):
        SQLiteRecorder(tmp_path / "text.sqlite" / "below")


@pytest.mark.parametrize("damage", ["blob", "schema", "gap"])
def test_damaged_records_are_named(database: Path, damage: str) -> None:
    with SQLiteRecorder(database) as store:
        fill(store, GAME[10:20])
        if damage == "blob":
            store._db.execute("UPDATE blocks SET data = substr(data, 5)")
            message = "game one: a damaged record"
        elif damage == "schema":
            from liars_dice.persistence import codec

            block = codec._block_decoder.decode(zlib.decompress(store._blocks("one", 0, 99)[0][1]))
            block.schema = 99
            data = zlib.compress(codec._block_encoder.encode(block))
            store._db.execute("UPDATE blocks SET data = ? WHERE first_version = 0", (data,))
            message = "game one: schema 99 is unknown here"
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


# -- PostgreSQL ------------------------------------------------------------------------------------------------------


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
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
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
    with pytest.raises(UnknownSchemaError, match="schema 99 is unknown here"):
        PostgresRecorder(postgres_url)


def test_version_conflicts_pickle() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(VersionConflictError("g", 3, 5)))
    assert str(error) == "game g: the next event must have version 3, this one has 5"


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_commit_whose_answer_was_lost(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """The batch is there, but nobody said so: the next try finds it. A real conflict stays one."""
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


def test_odd_lines_have_clear_errors(tmp_path: Path) -> None:
    created = (Path(__file__).parent.parent / "data" / "stores" / "schema-1.jsonl").read_bytes().split(b"\n")[0]
    for line in (
        b'{"event_type":"x","schema":[1]}',
        b'{"event_type":"GameCreatedEvent","game_id":"g","payload":[1]}',
        b'{"event_type":"GameCreatedEvent","game_id":"g","payload":{"config":[1]}}',
        b"[" * 200_000,
        created.replace(b'"GameCreated"', b'"GameEnded"').replace(b'"version":0', b'"version":0'),
    ):
        path = tmp_path / "odd.jsonl"
        path.write_bytes(created + b"\n" + line + b"\n")
        for _ in range(2):
            with pytest.raises(StoreError, match=r"odd\.jsonl, line 2: "):
                JSONLinesRecorder(path)
