"""The queue of blocks: how much a worker gets at a time, and what happens to the work of workers that die."""

from __future__ import annotations

import heapq

import msgspec
import pytest

from liars_dice.core import preset
from liars_dice.tournament.blocks import Block, WorkerSetup, refereed_block_deals
from liars_dice.tournament.chunks import CHUNK_SECONDS, TRIES, ChunkQueue
from liars_dice.tournament.worker_process import WorkerDiedError

SETUP = WorkerSetup(agents=("detective", "mine.py"), config=preset("heads-up", dice=1))


def blocks(count: int, *, ordered: bool = False) -> list[Block]:
    return [
        Block(number=n, table=(0, 1), seed=1, first=n, deals=5, rotations=2, compiled=False, ordered=ordered)
        for n in range(count)
    ]


def apart(block: Block) -> Block:
    return msgspec.structs.replace(block, apart=True)


def test_every_block_is_handed_out_once_and_the_last_chunks_are_small() -> None:
    every = blocks(1000)
    queue = ChunkQueue(SETUP, every)
    chunks = []
    while queue:
        chunk = queue.take(4)
        queue.learn(chunk, seconds=0.01 * CHUNK_SECONDS * len(chunk))
        chunks.append(chunk)
    assert [block for chunk in chunks for block in chunk] == every
    assert len(chunks[0]) == 1  # it is not known yet how long it takes
    assert len(chunks[1]) == 100  # a second
    assert [len(chunk) for chunk in chunks[-4:]] == [1] * 4


@pytest.mark.parametrize(("workers", "deals"), [(2, 30), (3, 100), (8, 200), (20, 100), (20, 600), (20, 9_000)])
def test_workers_finish_together_however_few_the_games(workers: int, deals: int) -> None:
    """Every worker that is free takes the next chunk, and every deal takes a while."""
    size = refereed_block_deals(deals, most=20)
    every = [msgspec.structs.replace(one, deals=size) for one in blocks(deals // size)]
    queue = ChunkQueue(SETUP, every)
    free_at = [0.0] * workers
    while queue:
        chunk = queue.take(workers)
        seconds = CHUNK_SECONDS * sum(block.deals for block in chunk)
        queue.learn(chunk, seconds)
        heapq.heapreplace(free_at, free_at[0] + seconds)
    assert sum(free_at) >= 0.9 * workers * max(free_at)


def test_slow_blocks_come_one_by_one() -> None:
    queue = ChunkQueue(SETUP, blocks(50))
    queue.learn(queue.take(2), seconds=3 * CHUNK_SECONDS)
    assert len(queue.take(2)) == 1


def test_blocks_in_order_stay_together() -> None:
    ordered = blocks(30, ordered=True)
    queue = ChunkQueue(SETUP, ordered)
    assert queue.take(8) == ordered
    assert not queue
    queue.worker_died(ordered)
    assert queue.take(8) == [apart(block) for block in ordered]


def test_after_a_death_blocks_are_played_one_by_one_until_one_is_to_blame() -> None:
    queue = ChunkQueue(SETUP, blocks(40))
    queue.learn(queue.take(1), seconds=0.1 * CHUNK_SECONDS)
    chunk = queue.take(1)
    assert len(chunk) > 2
    queue.worker_died(chunk)
    assert [queue.take(1) for _ in chunk] == [[block] for block in chunk]
    for _ in range(TRIES - 1):
        queue.worker_died(chunk[:1])
        assert queue.take(1) == [apart(chunk[0])]
    with pytest.raises(WorkerDiedError, match=r"3 workers died while playing detective, mine\.py"):
        queue.worker_died(chunk[:1])


def test_whatever_else_a_bot_plays_that_may_have_killed_a_worker_is_played_apart() -> None:
    setup = WorkerSetup(agents=("detective", "mine.py", "random"), config=preset("heads-up", dice=1))
    harmless = msgspec.structs.replace(blocks(1)[0], number=9, table=(0, 2))
    queue = ChunkQueue(setup, [*blocks(2), harmless])
    queue.worker_died(queue.take(1))
    assert [queue.take(1)[0].apart for _ in range(3)] == [True, True, False]


def test_blocks_that_were_lost_with_their_machine_are_not_to_blame() -> None:
    queue = ChunkQueue(SETUP, blocks(1))
    chunk = queue.take(1)
    for _ in range(2 * TRIES):
        queue.put_back(chunk)
        assert queue.take(1) == chunk
    assert not queue
