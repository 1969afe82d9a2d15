"""The store as rooms use it: in threads of its own, with what many rooms write at once stored by one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..core import LiarsDiceError
from ..persistence import GameRecorder, RecordedEvent, StoreError, VersionConflictError, open_store
from .store_lock import Claim

Result = TypeVar("Result")


class _Desk:
    """One thread with a store of its own."""

    def __init__(self, db: str | Path | GameRecorder | None, name: str) -> None:
        self._db = db
        self._thread = ThreadPoolExecutor(1, name)
        self._store: GameRecorder | None = None

    async def call(self, work: Callable[[GameRecorder], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._do, work)

    def _do(self, work: Callable[[GameRecorder], Result]) -> Result:
        if self._store is None:
            self._store = self._db if isinstance(self._db, GameRecorder) else open_store(self._db)
        return work(self._store)

    def close(self) -> None:
        self._thread.submit(self._close).result()
        self._thread.shutdown()

    def _close(self) -> None:
        if self._store is not None and self._store is not self._db:
            self._store.close()
        self._store = None


class Books:
    """Writes and reads the store without making anybody wait who need not. A store that is named is ours alone until
    the end; one that is given is shared with whoever gave it, and stays open.
    """

    def __init__(self, db: str | Path | GameRecorder | None) -> None:
        self._claim = None if isinstance(db, GameRecorder) else Claim(db)
        self._writer = _Desk(db, "store-writer")
        shared = isinstance(db, GameRecorder)
        self._reader = self._writer if shared else _Desk(db, "store-reader")
        self._browser = self._writer if shared else _Desk(db, "store-browser")
        self._waiting: list[tuple[list[RecordedEvent], asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def read(self, work: Callable[[GameRecorder], Result]) -> Result:
        """What `work` finds in the store, soon: for rooms, where somebody waits to play."""
        return await self._reader.call(work)

    async def browse(self, work: Callable[[GameRecorder], Result]) -> Result:
        """What `work` finds in the store, when those who asked before have been answered: for lists and old games."""
        return await self._browser.call(work)

    async def save(self, kind: str, name: str, document: str) -> None:
        """Keep a document; it is stored when this returns."""
        await self._writer.call(lambda store: store.save_documents(kind, {name: document}))

    async def write(self, events: list[RecordedEvent]) -> None:
        """Store these events of one game, all or none; they are stored when this returns."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((events, done))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())
        await done

    async def _write(self) -> None:
        """Write until nothing waits. What comes in the meantime goes into the next transaction together."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                games = [events for events, _ in batch]
                outcomes: list[Exception | None]
                try:
                    outcomes = await self._writer.call(partial(_append, games=games))
                except Exception as error:
                    outcomes = [error] * len(batch)
                for (_, done), trouble in zip(batch, outcomes, strict=True):
                    if done.done():  # whoever waited has given up
                        continue
                    if trouble is None:
                        done.set_result(None)
                    else:
                        done.set_exception(trouble)
        finally:
            self._writing = None

    def close(self) -> None:
        """Let go of the store."""
        for desk in {self._writer, self._reader, self._browser}:
            desk.close()
        if self._claim is not None:
            self._claim.release()


def _append(store: GameRecorder, games: Sequence[list[RecordedEvent]]) -> list[Exception | None]:
    """Store the events of several games; for each, what went wrong. One game's conflict is no other's."""
    try:
        for events in games:
            for event in events:
                store.record(event)
        store.flush()
    except VersionConflictError as error:
        store.discard()
        if len(games) == 1:
            return [error]
        return [_append(store, [events])[0] for events in games]
    except (StoreError, LiarsDiceError) as error:
        store.discard()
        return [error] * len(games)
    return [None] * len(games)
