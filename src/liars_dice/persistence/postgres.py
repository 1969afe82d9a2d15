"""A store in PostgreSQL, which several machines can share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core import check_extra
from .claims import CLAIMS, check_claims
from .envelope import SCHEMA, RecordedEvent
from .errors import ClaimTakenError, StoreError, UnknownSchemaError, VersionConflictError
from .sql_recorder import BLOCKS, DOCUMENTS, GAME_COLUMNS, TABLES, BlockRow, GameRow, SQLRecorder

if TYPE_CHECKING:
    import psycopg

_LARGEST = 2**31 - 1
_GROW = "UPDATE games SET player_types = %s, events = %s, rounds = %s, winner = %s WHERE game_id = %s"
_KEEP = "INSERT INTO snapshots VALUES (%s, %s, %s) ON CONFLICT (game_id, version) DO UPDATE SET data = excluded.data"
_FILE = "INSERT INTO documents VALUES (%s, %s, %s) ON CONFLICT (kind, name) DO UPDATE SET document = excluded.document"
_CLAIM = """
INSERT INTO claims VALUES (%s, 1) ON CONFLICT (name) DO UPDATE SET number = claims.number + 1 RETURNING number
"""
_STUDIO = 5498
"""The key of the studio's advisory lock; other names have keys of their own."""


def _try_lock(db: psycopg.Connection[Any], name: str) -> bool:
    """Lock a name for this connection, if no other one has."""
    if name == "studio":
        row = db.execute("SELECT pg_try_advisory_lock(%s)", (_STUDIO,)).fetchone()
    else:
        query = "SELECT pg_try_advisory_lock(%s, hashtext(current_schema() || ' ' || %s))"
        row = db.execute(query, (_STUDIO, name)).fetchone()
    return row is not None and bool(row[0])


class PostgresRecorder(SQLRecorder):
    """A PostgreSQL database, named by a `postgresql://` address; each batch is one transaction, written by COPY."""

    def __init__(self, url: str, *, durable: bool = True) -> None:
        check_extra("a PostgreSQL store", "psycopg", "postgres")
        import psycopg

        super().__init__()
        self._errors = psycopg.Error
        self._unique = psycopg.errors.UniqueViolation
        self.url = url
        self.durable = durable
        self._db: psycopg.Connection[Any] | None = None
        self._claims: dict[str, int] = {}
        try:
            with self._connection() as db:
                self._prepare(db)
        except BaseException:
            self._disconnect()
            raise

    def _prepare(self, db: psycopg.Connection[Any]) -> None:
        if self._schema(db) is None:
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(5496)")  # only one process creates the tables
                if self._schema(db) is None:
                    db.execute(TABLES.format(blob="BYTEA").encode())
                    db.execute("CREATE TABLE liars_dice_schema AS SELECT %s AS version", (SCHEMA,))
        version = self._schema(db)
        if version != SCHEMA:
            raise UnknownSchemaError(f"schema {version} is unknown: this version reads schemas up to {SCHEMA}")

    @staticmethod
    def _schema(db: psycopg.Connection[Any]) -> int | None:
        where = "tablename = 'liars_dice_schema' AND schemaname = ANY(current_schemas(false))"
        if db.execute(f"SELECT 1 FROM pg_tables WHERE {where}".encode()).fetchone() is None:
            return None
        row = db.execute("SELECT version FROM liars_dice_schema").fetchone()
        return None if row is None else int(row[0])

    def _release(self) -> None:
        if self._claims and self._db is not None:
            with contextlib.suppress(self._errors):  # a connection that is broken has no locks any more
                self._db.execute("SELECT pg_advisory_unlock_all()")  # the server may notice the end of it later
        self._disconnect()

    def _disconnect(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None

    @contextlib.contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        """The connection, reopened if it was lost; its errors become `StoreError`."""
        import psycopg

        try:
            if self._db is None:
                self._db = psycopg.connect(self.url, autocommit=True)
                if not self.durable:
                    self._db.execute("SET synchronous_commit = off")
                self._lock_again(self._db)
            yield self._db
        except self._errors as error:
            if self._db is not None and self._db.broken:
                self._disconnect()
            reason = " ".join(str(error).split()) or type(error).__name__
            raise StoreError(f"PostgreSQL: {reason}") from error

    def _lock_again(self, db: psycopg.Connection[Any]) -> None:
        """Lock what was claimed. Locks end with a connection, so a new one needs them again."""
        taken = [name for name in self._claims if not _try_lock(db, name)]
        try:
            self._check(db)
            if taken:  # by our old connection, which the server has not given up yet, or by one about to claim it
                raise StoreError(f"PostgreSQL: another connection holds {', '.join(taken)}; try again")
        except StoreError:
            self._disconnect()
            raise

    def _check(self, db: psycopg.Connection[Any]) -> None:
        """Compare the numbers of our claims; no one can change them until the transaction is over."""
        if self._claims:
            rows = db.execute("SELECT name, number FROM claims WHERE name = ANY(%s) FOR SHARE", (list(self._claims),))
            check_claims(self._claims, dict(rows.fetchall()), "PostgreSQL")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[psycopg.Connection[Any]]:
        """A transaction in which nothing is written if a claim was lost."""
        with self._connection() as db, db.transaction():
            self._check(db)
            yield db

    def claim(self, name: str) -> None:
        """Become the only one to write under a name."""
        if name in self._claims:
            return
        with self._connection() as db:
            if not _try_lock(db, name):
                raise ClaimTakenError(f"PostgreSQL: another program is using it ({name})")
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(5499)")
                db.execute(CLAIMS.encode())
                row = db.execute(_CLAIM, (name,)).fetchone()
            assert row is not None
            self._claims[name] = row[0]

    def check_claims(self) -> None:
        """Raise `ClaimLostError` if a claim has been lost; a connection that broke is opened again."""
        with self._writing():
            pass

    def _version(self, game_id: str) -> int:
        with self._connection() as db:
            row = db.execute("SELECT events FROM games WHERE game_id = %s", (game_id,)).fetchone()
        return 0 if row is None else int(row[0])

    def _append(self, batch: list[RecordedEvent]) -> None:
        ids = list(dict.fromkeys(event.game_id for event in batch))
        columns = ", ".join(GAME_COLUMNS)
        with self._connection() as db:
            try:
                with db.transaction():
                    self._check(db)
                    found = db.execute(
                        f"SELECT {columns} FROM games WHERE game_id = ANY(%s) FOR UPDATE".encode(), (ids,)
                    )
                    changes = self._changes(batch, {row[0]: row for row in found})
                    if changes.joined:
                        db.execute("DELETE FROM blocks WHERE game_id = ANY(%s)", (changes.joined,))
                    self._copy(db, "games", changes.new_games)
                    if changes.grown_games:
                        db.cursor().executemany(_GROW, [(*row[4:], row[0]) for row in changes.grown_games])
                    self._copy(db, "blocks", changes.new_blocks)
            except self._unique as error:
                new = {event.game_id: event for event in reversed(batch) if event.version == 0}
                taken = next((g for g in new if self._version(g)), batch[0].game_id)
                raise VersionConflictError(taken, self._version(taken), 0) from error

    @staticmethod
    def _copy(db: psycopg.Connection[Any], table: str, rows: Sequence[GameRow | BlockRow]) -> None:
        if rows:
            with db.cursor().copy(f"COPY {table} FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)

    def _blocks(self, game_id: str, start: int, stop: int) -> Sequence[tuple[int, bytes, int]]:
        bounds = (game_id, min(stop, _LARGEST), game_id, start)
        with self._connection() as db:
            return db.execute(BLOCKS.format("%s").encode(), bounds, binary=True).fetchall()

    def _store_snapshot(self, game_id: str, version: int, data: bytes) -> None:
        with self._writing() as db:
            db.execute(_KEEP, (game_id, version, data))

    def _find_snapshot(self, game_id: str, version: int) -> tuple[int, bytes] | None:
        query = "SELECT version, data FROM snapshots WHERE game_id = %s AND version <= %s ORDER BY version DESC LIMIT 1"
        with self._connection() as db:
            return db.execute(query, (game_id, version)).fetchone()

    def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
        """Store texts."""
        rows = [(kind, name, text) for name, text in documents.items()]
        with self._writing() as db:
            if not self._has_documents(db):
                db.execute("SELECT pg_advisory_xact_lock(5497)")
                db.execute(DOCUMENTS.encode())
            db.cursor().executemany(_FILE, rows)

    @staticmethod
    def _has_documents(db: psycopg.Connection[Any]) -> bool:
        where = "tablename = 'documents' AND schemaname = ANY(current_schemas(false))"
        return db.execute(f"SELECT 1 FROM pg_tables WHERE {where}".encode()).fetchone() is not None

    def _document_rows(self, kind: str, beginning: str) -> list[tuple[str, str]]:
        query = "SELECT name, document FROM documents WHERE kind = %s AND starts_with(name, %s)"
        with self._connection() as db:
            if not self._has_documents(db):
                return []
            return db.execute(query, (kind, beginning)).fetchall()

    def _game_rows(self, where: str, times: tuple[str, ...]) -> Iterator[GameRow]:
        query = f"SELECT {', '.join(GAME_COLUMNS)} FROM games {where}ORDER BY created_utc DESC, game_id DESC"
        with self._connection() as db:
            yield from db.execute(query.format("%s").encode(), times)
