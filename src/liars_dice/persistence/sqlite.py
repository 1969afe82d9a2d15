"""A store in one SQLite file: the default."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .claims import CLAIMS, LockFile, check_claims
from .envelope import SCHEMA, RecordedEvent
from .errors import CorruptEventError, StoreError, UnknownSchemaError
from .sql_recorder import BLOCKS, DOCUMENTS, GAME_COLUMNS, TABLES, GameRow, SQLRecorder

APPLICATION_ID = 0x4C644963
"""Written into the file's header, to tell our files from those of other programs."""


_lenient = partial(str, encoding="utf-8", errors="replace")
"""How text is read: a damaged letter does not make its row unreadable."""


class SQLiteRecorder(SQLRecorder):
    """A SQLite file with a write-ahead log, for any number of readers and writers in any number of processes.

    What `flush` has acknowledged survives a crash of the program; with `durable` also a power failure, but every flush
    then waits for the disk. `wait` is how many seconds to wait for another writer.
    """

    def __init__(self, path: str | Path, *, durable: bool = False, wait: float = 30.0) -> None:
        super().__init__()
        self.path = Path(path)
        self._claims: dict[str, int] = {}
        self._locks: list[LockFile] = []
        with self._trouble():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = self._connect(wait)
            self._db.text_factory = _lenient
        try:
            with self._trouble():
                try:
                    self._prepare(durable=durable, wait=wait)
                except sqlite3.OperationalError as error:
                    self._open_unchanging(error)
        except BaseException:
            self._db.close()
            raise

    def _connect(self, wait: float) -> sqlite3.Connection:
        """Open the file. A new one is for its owner alone, because it holds seeds and hidden dice; SQLite gives the
        files beside it the same mode.
        """
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return sqlite3.connect(self.path, timeout=wait, isolation_level=None)

    def _open_unchanging(self, error: sqlite3.OperationalError) -> None:
        """Open a file that can only be read, in a folder that can only be read: SQLite wants to put files beside it."""
        if _code(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or not self.path.is_file():
            raise error
        log = self.path.with_name(f"{self.path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(f"{self.path}: read-only, with a log of late changes; copy both to a folder of your own")
        self._db.close()
        self._db = sqlite3.connect(f"{self.path.resolve().as_uri()}?immutable=1", uri=True, isolation_level=None)
        self._db.text_factory = _lenient
        if not self._is_ready():
            raise error

    def _prepare(self, *, durable: bool, wait: float) -> None:
        """Check that the file is ours, and create the tables if it is new. Several processes may do this at once."""
        if not self._is_ready():
            deadline = time.monotonic() + wait
            _while_busy(deadline, self._create)
            _while_busy(deadline, lambda: self._db.execute("PRAGMA journal_mode = WAL"))
        self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")

    def _is_ready(self) -> bool:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        if application == APPLICATION_ID and version > SCHEMA:
            raise UnknownSchemaError(
                f"{self.path}: schema {version} is unknown: this version reads schemas up to {SCHEMA}"
            )
        return bool(application == APPLICATION_ID and version == SCHEMA)

    def _create(self) -> None:
        with self._transaction():
            if self._is_ready():
                return
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables:
                raise UnknownSchemaError(f"{self.path}: this database belongs to another program")
            for statement in TABLES.format(blob="BLOB").split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {SCHEMA}")

    def _release(self) -> None:
        self._db.close()
        for lock in self._locks:
            lock.release()

    @contextlib.contextmanager
    def _trouble(self) -> Iterator[None]:
        """Turn errors of the database and the file system into `StoreError`s that say what to do."""
        try:
            yield
        except sqlite3.Error as error:
            code = _code(error)
            kind = {
                sqlite3.SQLITE_BUSY: "locked by another program",
                sqlite3.SQLITE_FULL: "the disk is full",
                sqlite3.SQLITE_READONLY: "the file is read-only",
                sqlite3.SQLITE_CANTOPEN: "cannot be opened",
                sqlite3.SQLITE_NOTADB: "not a database",
                sqlite3.SQLITE_CORRUPT: "the database is damaged",
                sqlite3.SQLITE_IOERR: "the disk failed",
            }.get(code, "the database failed")
            raise StoreError(f"{self.path}: {kind} ({_one_line(error)})") from error
        except UnicodeDecodeError as error:  # SQLite's own message quotes damaged bytes
            raise StoreError(f"{self.path}: the database is damaged") from error
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be opened ({error.strerror})") from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction in which nothing is written if a claim was lost."""
        with self._trouble(), self._transaction():
            if self._claims:
                check_claims(self._claims, dict(self._db.execute("SELECT name, number FROM claims")), self.path)
            yield

    def claim(self, name: str) -> None:
        """Become the only one to write under a name."""
        if name in self._claims:
            return
        lock = LockFile(self.path, name)
        try:
            with self._writing():
                self._db.execute(CLAIMS)
                self._db.execute("INSERT INTO claims VALUES (?, 0) ON CONFLICT (name) DO NOTHING", (name,))
                self._db.execute("UPDATE claims SET number = number + 1 WHERE name = ?", (name,))
                (number,) = self._db.execute("SELECT number FROM claims WHERE name = ?", (name,)).fetchone()
        except BaseException:
            lock.release()
            raise
        self._locks.append(lock)
        self._claims[name] = number

    def check_claims(self) -> None:
        """Raise `ClaimLostError` if a claim has been lost."""
        with self._writing():
            pass

    def _version(self, game_id: str) -> int:
        with self._trouble():
            row = self._db.execute("SELECT events FROM games WHERE game_id = ?", (game_id,)).fetchone()
        if row is not None and not isinstance(row[0], int):
            raise CorruptEventError(f"game {game_id}: its entry is damaged ({row[0]!r} events)")
        return 0 if row is None else row[0]

    def _append(self, batch: list[RecordedEvent]) -> None:
        ids = list(dict.fromkeys(event.game_id for event in batch))
        if not self.path.exists():
            raise StoreError(f"{self.path}: the file has been removed")
        with self._writing():
            changes = self._changes(batch, self._stored(ids))
            self._db.executemany("DELETE FROM blocks WHERE game_id = ?", [(game_id,) for game_id in changes.joined])
            self._db.executemany(f"INSERT INTO games VALUES ({_marks(8)})", changes.new_games)
            self._db.executemany(f"REPLACE INTO games VALUES ({_marks(8)})", changes.grown_games)
            self._db.executemany(f"INSERT INTO blocks VALUES ({_marks(3)})", changes.new_blocks)

    def _stored(self, ids: Sequence[str]) -> dict[str, GameRow]:
        rows: dict[str, GameRow] = {}
        columns = ", ".join(GAME_COLUMNS)
        for start in range(0, len(ids), 1000):
            some = ids[start : start + 1000]
            found = self._db.execute(f"SELECT {columns} FROM games WHERE game_id IN ({_marks(len(some))})", some)
            rows.update((row[0], row) for row in found)
        return rows

    def _blocks(self, game_id: str, start: int, stop: int) -> Sequence[tuple[int, bytes, int]]:
        with self._trouble():
            return self._db.execute(BLOCKS.format("?"), (game_id, stop, game_id, start)).fetchall()

    def _store_snapshot(self, game_id: str, version: int, data: bytes) -> None:
        with self._writing():
            self._db.execute("REPLACE INTO snapshots VALUES (?, ?, ?)", (game_id, version, data))

    def _find_snapshot(self, game_id: str, version: int) -> tuple[int, bytes] | None:
        query = "SELECT version, data FROM snapshots WHERE game_id = ? AND version <= ? ORDER BY version DESC LIMIT 1"
        with self._trouble():
            row: tuple[int, bytes] | None = self._db.execute(query, (game_id, version)).fetchone()
        return row

    def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
        """Store texts."""
        rows = [(kind, name, text) for name, text in documents.items()]
        with self._writing():
            self._db.execute(DOCUMENTS)
            self._db.executemany("REPLACE INTO documents VALUES (?, ?, ?)", rows)

    def _document_rows(self, kind: str, beginning: str) -> list[tuple[str, str]]:
        query = "SELECT name, document FROM documents WHERE kind = ? AND substr(name, 1, ?) = ?"
        with self._trouble():
            if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'documents'").fetchone():
                return []
            return list(self._rows(query, "documents", (kind, len(beginning), beginning)))

    def _game_rows(self, where: str, times: tuple[str, ...]) -> Iterator[GameRow]:
        query = f"SELECT {', '.join(GAME_COLUMNS)} FROM games {where}ORDER BY created_utc DESC, game_id DESC"
        with self._trouble():
            yield from self._rows(query.format("?"), "games", times)

    def _rows(self, query: str, table: str, parameters: Sequence[object] = ()) -> Iterator[Any]:
        """The rows of a query. If a page of the file is damaged, also what can be reached around it, in any order."""
        seen: set[Any] = set()
        try:
            for row in self._db.execute(query, parameters):
                seen.add(row[0])
                yield row
        except sqlite3.DatabaseError as error:
            if _code(error) not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise
            self.warn_once(
                f"{self.path}: the database is damaged ({_one_line(error)}); what cannot be reached is left out"
            )
            unordered = query.partition(" ORDER BY ")[0].replace(f"FROM {table}", f"FROM {table} NOT INDEXED")
            for order in ("ASC", "DESC"):  # up to the damage from either side
                with contextlib.suppress(sqlite3.DatabaseError, UnicodeDecodeError):
                    for row in self._db.execute(f"{unordered} ORDER BY rowid {order}", parameters):
                        if row[0] not in seen:
                            seen.add(row[0])
                            yield row


def _code(error: sqlite3.Error) -> int:
    """SQLite's own number for the kind of error."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _one_line(error: Exception) -> str:
    """What an error says, without line breaks: SQLite quotes the statements in a damaged file."""
    return " ".join(str(error).split())[:200]


def _while_busy(deadline: float, action: Callable[[], object]) -> None:
    """Retry while another process holds the lock: SQLite does not wait in every statement."""
    while True:
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy or time.monotonic() > deadline:
                raise
        time.sleep(0.005)


def _marks(n: int) -> str:
    return ", ".join("?" * n)
