"""The blocks that are still to be played, handed out to workers in chunks, and again after a worker has died."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence

import msgspec

from ..agents import is_stranger
from .blocks import Block, WorkerSetup
from .worker_process import WorkerDiedError

CHUNK_SECONDS = 1.0
"""Workers get games for about this long at a time; less towards the end, so that they finish together."""
TRIES = 3
"""A block whose worker dies is played again, with other people's bots apart; the third death is an error."""


class ChunkQueue:
    """Blocks to be played. It is true as long as there are any."""

    def __init__(self, setup: WorkerSetup, blocks: Sequence[Block], *, apart: bool = False) -> None:
        """With `apart`, other people's bots play in processes of their own from the beginning."""
        self._setup = setup
        ordered = [block for block in blocks if block.ordered]
        self._singles = deque(block for block in blocks if not block.ordered)
        self._ready: deque[list[Block]] = deque([ordered] if ordered else [])
        """Chunks that must stay as they are."""
        self._games_left = sum(block.games for block in self._singles)
        self._deaths: Counter[int] = Counter()
        self._strangers = {n for n, name in enumerate(setup.agents) if is_stranger(name)}
        self._apart: set[int] = self._strangers if apart else set()
        """Agents that play in processes of their own, for instance because they may have killed a worker."""
        self._games, self._seconds = 0, 0.0

    def __bool__(self) -> bool:
        return bool(self._ready or self._singles)

    def take(self, workers: int) -> list[Block]:
        """The next chunk for one of this many workers: a single block while it is not known how long games take."""
        return [self._placed(block) for block in self._next(workers)]

    def _placed(self, block: Block) -> Block:
        """The block, marked if other people's bots have to play it in processes of their own."""
        return msgspec.structs.replace(block, apart=True) if self._apart.intersection(block.table) else block

    def _next(self, workers: int) -> list[Block]:
        if self._ready:
            return self._ready.popleft()
        chunk: list[Block] = []
        games, wanted = 0, 1.0
        if self._seconds:
            share = self._games_left / (2 * workers)
            wanted = min(CHUNK_SECONDS * self._games / self._seconds, share)
        while self._singles and (not chunk or games < wanted):
            chunk.append(self._singles.popleft())
            games += chunk[-1].games
        self._games_left -= games
        return chunk

    def learn(self, chunk: Sequence[Block], seconds: float) -> None:
        """Note how long the games of a chunk took. Starting bots does not count: larger chunks do it less often."""
        self._games += sum(block.games for block in chunk)
        self._seconds += seconds

    def put_back(self, chunk: list[Block]) -> None:
        """Have a chunk played again that was lost through no fault of its bots."""
        self._ready.append(chunk)

    def worker_died(self, chunk: list[Block]) -> None:
        """Have a chunk played again whose worker died: block by block, until it is clear which one is to blame.

        That one is played with other people's bots in processes of their own, so that the bot to blame pays for it
        alone, and so is everything else that these bots play.
        """
        first = chunk[0]
        if len(chunk) > 1 and not first.ordered:
            self._ready.extend([block] for block in chunk)
            return
        self._deaths[first.number] += 1
        if self._deaths[first.number] >= TRIES:
            names = ", ".join(self._setup.agents[agent] for agent in first.table)
            raise WorkerDiedError(f"{TRIES} workers died while playing {names}, although each bot has its own process")
        self._apart |= self._strangers.intersection(first.table)
        self._ready.append(chunk)
