"""The store as rooms use it: in its own threads, with the events of many rooms written in one transaction."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..core import LiarsDiceError
from ..persistence import (
    UNREADABLE,
    ClaimLostError,
    ClaimTakenError,
    GameRecorder,
    RecordedEvent,
    StoreError,
    VersionConflictError,
    open_store,
)
from .load import Unhurried

Result = TypeVar("Result")

PIECE = 100
"""Longer records are stored in pieces of this many events, so that moves in other rooms are stored in between."""
STUDIO = "studio"
"""What a server claims of its store."""
TAKEN = "another studio is already serving this store; stop it, or choose another store with --db"
LOST = "another studio has taken over this store, so this one stores nothing any more; stop it"


class _StoreThread:
    """One thread with its own connection to the store."""

    def __init__(self, db: str | Path | GameRecorder | None, name: str) -> None:
        self._db = db
        self._thread = ThreadPoolExecutor(1, name)
        self._store: GameRecorder | None = None

    def call_now(self, work: Callable[[GameRecorder], Result]) -> Result:
        """Do it and wait: before the event loop runs."""
        return self._thread.submit(self._do, work).result()

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


class StoreWorker:
    """Reads and writes the store without blocking the event loop.

    A store given by name is claimed for this server until `close`: rooms live in the memory of one server, and two
    servers on one store would deal the same hidden dice twice. A server that loses its claim stops writing.
    A recorder object is shared with the caller and stays open.
    """

    def __init__(self, db: str | Path | GameRecorder | None) -> None:
        shared = isinstance(db, GameRecorder)
        self._writer = _StoreThread(db, "store-writer")
        if not shared:
            try:
                self._writer.call_now(lambda store: store.claim(STUDIO))
            except StoreError as error:
                self._writer.close()
                raise StoreError(TAKEN) if isinstance(error, ClaimTakenError) else error from None
        self._reader = self._writer if shared else _StoreThread(db, "store-reader")
        self._browser = self._writer if shared else _StoreThread(db, "store-browser")
        self._unhurried = Unhurried()
        self._long_record = asyncio.Lock()
        self._lost = False
        self._waiting: list[tuple[list[RecordedEvent], asyncio.Future[None]]] = []
        self._documents: list[tuple[str, str, str, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def read(self, work: Callable[[GameRecorder], Result]) -> Result:
        """Run `work` on the store with priority: for rooms, where players are waiting."""
        return await self._reader.call(work)

    async def browse(self, work: Callable[[GameRecorder], Result]) -> Result:
        """Run `work` on the store after earlier calls of this kind: for lists and recorded games."""
        result, _ = await self._browser.call(lambda store: self._unhurried(partial(work, store)))
        return result

    async def keep_claim(self) -> None:
        """Make sure that the store is still ours, after a restart of the database too; warn once if it is not."""
        try:
            await self._writer.call(lambda store: store.check_claims())
        except ClaimLostError:
            if not self._lost:
                self._lost = True
                warnings.warn(LOST, stacklevel=2)
        except StoreError:  # it cannot be reached now
            return

    async def save(self, kind: str, name: str, document: str) -> None:
        """Save a document; it is stored when this returns."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._documents.append((kind, name, document, done))
        self._start_writing()
        await done

    async def write(self, events: list[RecordedEvent]) -> None:
        """Store these events of one game; they are stored when this returns.

        All or none, unless they are many: of the beginning of a long game that was continued, a part may remain if the
        server ends meanwhile. No room knows it by then.
        """
        if len(events) <= PIECE:
            await self._queue(events)
            return
        async with self._long_record:
            for start in range(0, len(events), PIECE):
                await self._queue(events[start : start + PIECE])

    async def _queue(self, events: list[RecordedEvent]) -> None:
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((events, done))
        self._start_writing()
        await done

    def _start_writing(self) -> None:
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        """Write until nothing is waiting. What arrives meanwhile shares the next transactions: one for the events of
        all rooms, then one for their documents.
        """
        try:
            while self._waiting or self._documents:
                batch, self._waiting = self._waiting, []
                saved, self._documents = self._documents, []
                if batch:
                    games = [events for events, _ in batch]
                    outcomes = await self._written(partial(_append, games=games), len(batch))
                    _settle([done for _, done in batch], outcomes)
                if saved:
                    documents = [(kind, name, text) for kind, name, text, _ in saved]
                    outcomes = await self._written(partial(_save, documents=documents), len(saved))
                    _settle([done for *_, done in saved], outcomes)
        finally:
            self._writing = None

    async def _written(
        self, work: Callable[[GameRecorder], list[Exception | None]], number: int
    ) -> list[Exception | None]:
        """For each of so many things to write, the error if there was one."""
        try:
            return await self._writer.call(work)
        except Exception as failure:
            return [failure] * number

    def close(self) -> None:
        """Close the store, so that another server can claim it."""
        for thread in {self._writer, self._reader, self._browser}:
            thread.close()


def _settle(waiting: Sequence[asyncio.Future[None]], outcomes: Sequence[Exception | None]) -> None:
    """Tell those who wait how it went."""
    for done, error in zip(waiting, outcomes, strict=True):
        if done.done():  # the caller was cancelled
            continue
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


def _save(store: GameRecorder, documents: Sequence[tuple[str, str, str]]) -> list[Exception | None]:
    """Save documents, those of a kind in one transaction; per document, the error if there was one."""
    errors: dict[str, Exception | None] = {}
    for kind in {kind for kind, *_ in documents}:
        try:
            store.save_documents(kind, {name: text for one, name, text in documents if one == kind})
            errors[kind] = None
        except (StoreError, LiarsDiceError) as error:
            errors[kind] = error
    return [errors[kind] for kind, *_ in documents]


def _append(store: GameRecorder, games: Sequence[list[RecordedEvent]]) -> list[Exception | None]:
    """Store the events of several games; per game, the error if there was one. A conflict fails only its own game."""
    try:
        for events in games:
            for event in events:
                store.record(event)
        store.flush()
    except (VersionConflictError, *UNREADABLE) as error:
        store.discard()
        if len(games) == 1:
            return [error]
        return [_append(store, [events])[0] for events in games]
    except (StoreError, LiarsDiceError) as error:
        store.discard()
        return [error] * len(games)
    return [None] * len(games)
