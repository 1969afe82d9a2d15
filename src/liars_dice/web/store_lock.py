"""A lock that lets only one studio serve a store.

Rooms live in the memory of one server; two servers on one store would deal the same hidden dice twice. The lock belongs
to the operating system or the database, so it ends with the process that holds it, even if that process is killed.
"""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..persistence import StoreError, default_store

if TYPE_CHECKING:
    import psycopg

_KEY = 5498
"""The key of our advisory lock in PostgreSQL."""
_TAKEN = "another studio is already serving this store; stop it, or choose another store with --db"


class StoreLock:
    """Locks the store for this process until `release` is called."""

    def __init__(self, db: str | Path | None) -> None:
        where = str(default_store() if db is None else db)
        self.release: Callable[[], object]
        """Let another server use the store."""
        if where.startswith(("postgresql://", "postgres://")):
            self.release = weakref.finalize(self, _lock_database(where).close)
        else:
            self.release = weakref.finalize(self, os.close, _lock_file(Path(where).resolve()))


def _lock_file(store: Path) -> int:
    """Lock a file beside the store: a lock on the store itself would get in the way of SQLite's own."""
    beside = store.with_name(f"{store.name}.studio")
    try:
        beside.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(beside, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"{beside}: cannot be opened ({error.strerror})") from error
    try:
        _lock(file)
    except OSError as error:
        os.close(file)
        raise StoreError(f"{store}: {_TAKEN}") from error
    return file


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_database(url: str) -> psycopg.Connection[Any]:
    import psycopg

    database: psycopg.Connection[Any] | None = None
    try:
        database = psycopg.connect(url, autocommit=True)
        row = database.execute("SELECT pg_try_advisory_lock(%s)", (_KEY,)).fetchone()
    except psycopg.Error as error:
        if database is not None:
            with contextlib.suppress(psycopg.Error):
                database.close()
        raise StoreError(f"PostgreSQL: {' '.join(str(error).split())}") from error
    if row is None or not row[0]:
        database.close()
        raise StoreError(f"PostgreSQL: {_TAKEN}")
    return database
