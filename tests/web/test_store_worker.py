"""The store of a studio: long records and many rooms at once do not keep each other waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from liars_dice.agents import make_agent
from liars_dice.core import GameEngine, preset
from liars_dice.persistence import InMemoryRecorder, RecordedEvent, VersionConflictError, record_game
from liars_dice.web.store_worker import PIECE, StoreWorker


class Counted(InMemoryRecorder):
    """Notes which games and how many documents each transaction holds."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed: list[list[str]] = []
        self.saved: list[int] = []
        self._batch: list[str] = []

    def record(self, event: RecordedEvent) -> None:
        self._batch.append(event.game_id)
        super().record(event)

    def flush(self) -> None:
        super().flush()
        if self._batch:
            self.flushed.append(self._batch)
        self._batch = []

    def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
        self.saved.append(len(documents))
        super().save_documents(kind, documents)


@pytest.fixture
def store() -> Iterator[Counted]:
    with Counted() as counted:
        yield counted


def long_record(game_id: str) -> list[RecordedEvent]:
    """A game of more events than are stored at once."""
    with InMemoryRecorder() as memory:
        for seed in range(1000):
            engine = GameEngine(preset("perudo", players=6), [make_agent("random") for _ in range(6)], seed=seed)
            name = f"{game_id}-{seed}"
            record_game(engine, memory, game_id=name)
            engine.play()
            memory.flush()
            if len(events := memory.events(name)) > 3 * PIECE:
                return [msgspec.structs.replace(event, game_id=game_id) for event in events]
    raise AssertionError("no game is long enough")


def test_moves_are_stored_between_the_pieces_of_a_long_record(store: Counted) -> None:
    long = long_record("long")
    move = [msgspec.structs.replace(long[0], game_id="short")]

    async def run() -> None:
        worker = StoreWorker(store)
        writing = asyncio.create_task(worker.write(long))
        await asyncio.sleep(0)
        await worker.write(move)
        assert not writing.done()
        await writing
        worker.close()

    asyncio.run(run())
    assert store.events("long") == long
    assert store.events("short") == move
    assert max(map(len, store.flushed)) <= PIECE + 1
    assert len(store.flushed) >= 4


def test_documents_of_many_rooms_share_a_transaction(store: Counted) -> None:
    async def run() -> None:
        worker = StoreWorker(store)
        await asyncio.gather(*(worker.save("room", f"r{n}", f'{{"n": {n}}}') for n in range(50)))
        worker.close()

    asyncio.run(run())
    assert store.documents("room") == {f"r{n}": f'{{"n": {n}}}' for n in range(50)}
    assert sum(store.saved) == 50
    assert len(store.saved) <= 2


def test_a_conflict_concerns_its_own_game(store: Counted) -> None:
    one, other = long_record("one")[:3], [msgspec.structs.replace(e, game_id="other") for e in long_record("x")[:3]]

    async def run() -> tuple[BaseException | None, BaseException | None]:
        worker = StoreWorker(store)
        await worker.write(one)
        outcomes = await asyncio.gather(worker.write(one), worker.write(other), return_exceptions=True)
        worker.close()
        return outcomes

    refused, fine = asyncio.run(run())
    assert isinstance(refused, VersionConflictError)
    assert fine is None
    assert store.events("other") == other


def test_an_interrupted_long_record_leaves_no_room(tmp_path: Path) -> None:
    """Of the beginning of a long game, pieces may remain when the server ends; nothing names them."""
    long = long_record("long")

    async def run() -> None:
        worker = StoreWorker(tmp_path / "games.sqlite")
        writing = asyncio.create_task(worker.write(long))
        await worker.save("room", "r1", "{}")
        writing.cancel()
        await asyncio.wait([writing])
        stored = await worker.read(lambda store: store.events("long"))
        assert stored == long[: len(stored)]
        worker.close()

    asyncio.run(run())
