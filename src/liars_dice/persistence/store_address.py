"""Open a store by its address, and find the default one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .errors import StoreError
from .jsonlines import JSONLinesRecorder
from .postgres import PostgresRecorder
from .recorder import GameRecorder
from .sqlite import SQLiteRecorder


def open_store(db: str | Path | None = None, *, durable: bool = False, must_exist: bool = False) -> GameRecorder:
    """The store at `db`: a `postgresql://` address, a `.jsonl` file or a SQLite file; by default `default_store()`."""
    where = default_store() if db is None else db
    if isinstance(where, str) and where.startswith(("postgresql://", "postgres://")):
        return PostgresRecorder(where)
    if isinstance(where, str) and "://" in where:
        raise StoreError(f"{where.partition('://')[0]}://: expected a SQLite or .jsonl file, or postgresql://...")
    if must_exist and db is not None and not Path(where).exists():
        raise StoreError(f"{where}: there is no store at this path")
    if Path(where).suffix == ".jsonl":
        return JSONLinesRecorder(where, durable=durable)
    return SQLiteRecorder(where, durable=durable)


def default_store() -> str:
    """The address of the default store: `LIARS_DICE_DB`, or a file in the user's data directory."""
    if named := os.environ.get("LIARS_DICE_DB"):
        return named
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return str(base / "liars-dice" / "games.sqlite")
