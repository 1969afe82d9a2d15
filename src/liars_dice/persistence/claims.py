"""Claims: the right of one program to write under a name, such as `studio` or a tournament's.

A claim has two parts. A lock, which belongs to the operating system or the database and ends with the process that
holds it, tells the second program that it is second. A number in the store, which grows with every claim of the name,
is compared in the transaction of each write: a program whose lock was lost without its knowledge (a database that was
restarted, a lock file that was removed) can store nothing once another has claimed the name.
"""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from .errors import ClaimLostError, ClaimTakenError, StoreError

CLAIMS = "CREATE TABLE IF NOT EXISTS claims (name TEXT PRIMARY KEY, number INTEGER NOT NULL)"
"""Created with the first claim: stores of earlier versions do not have this table."""


def check_claims(ours: Mapping[str, int], stored: Mapping[str, int], where: object) -> None:
    """Raise `ClaimLostError` unless the store still has the numbers of our claims."""
    for name, number in ours.items():
        if stored.get(name) != number:
            raise ClaimLostError(f"{where}: another program has taken over ({name}); nothing was stored")


class LockFile:
    """A locked file beside a store. A lock on the store itself would get in the way of SQLite's own."""

    def __init__(self, store: Path, name: str) -> None:
        safe = quote(name, safe="")
        store = store.resolve()
        self.path = store.with_name(f"{store.name}.{safe if len(safe) <= 100 else sha256(safe.encode()).hexdigest()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = self._open_locked()
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be opened ({error.strerror})") from error
        if file is None:
            raise ClaimTakenError(f"{store}: another program is using it ({name})")
        self.release = weakref.finalize(self, _release, file, self.path)
        """Unlock the file and remove it."""

    def _open_locked(self) -> int | None:
        """The locked file; None if another process holds the lock."""
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(file)
            except OSError:
                os.close(file)
                return None
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file), self.path.stat()):
                    return file
            os.close(file)  # its last holder removed it while we were waiting for nothing


def _lock(file: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _release(file: int, path: Path) -> None:
    with contextlib.suppress(OSError):
        if os.path.samestat(os.fstat(file), path.stat()):
            path.unlink()  # Windows refuses; then it stays, unlocked
    os.close(file)
