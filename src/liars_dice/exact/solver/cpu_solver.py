"""The CPU solver: a pool of nodes that grows with the part of the tree in use, traversed by several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count, pairwise
from os import cpu_count
from typing import Any

import numpy as np

from ...core import GameConfig
from ...numeric import Floats, Ints
from .cfr_traversal import COLLECT, CONSUME, ROOT, WHOLE, Pool, Rows, Tasks, traverse, traverse_tasks
from .public_tree import PublicTree

FEW_RUNGS = 18
"""Up to this many rungs one thread traverses the tree: dividing it up would take longer."""
SHARED_RUNGS = 6
"""Biddings that go above this many of the lowest rungs are divided among the threads."""
CHUNK = 1 << 14
"""How many nodes are moved at a time."""


class CpuSolver:
    """Regrets and average strategies of both seats, and one iteration of discounted CFR+ at a time."""

    def __init__(
        self, tree: PublicTree, *, least: float, slots: int, kind: type = np.float32, workers: int | None = None
    ) -> None:
        self.tree = tree
        self.least = least
        self.kind = np.dtype(kind)
        self.iterations = 0
        self.workers = 1 if tree.rungs <= FEW_RUNGS else workers or cpu_count() or 1
        self._weights: list[Rows] = [w.astype(kind) for w in tree.weights]
        most = self.workers << tree.rungs  # each thread could take all nodes
        self._claim(min(slots, most), 1 + tree.rungs)
        self.pool.first[ROOT] = 1  # a round is opened, from the beginning

    def _claim(self, slots: int, known: int) -> None:
        """Make room for this many nodes, the first `known` of them in use. Memory is allocated when it is touched."""
        slots = max(slots, known + self.workers * (self.tree.rungs + 1))
        shape = (slots, self.tree.width)
        self.pool = Pool(np.zeros(shape, self.kind), np.zeros(shape, self.kind), np.zeros(slots, dtype=np.int64))
        self._share_out(known)

    def _share_out(self, known: int) -> None:
        """Give each thread its part of the room behind the first `known` nodes."""
        bounds = np.linspace(known, len(self.pool.first), self.workers + 1).astype(np.int64)
        self._starts = bounds[:-1]
        self._regions = [np.array([start, end, 0]) for start, end in pairwise(bounds)]
        self._known = known

    @property
    def nodes(self) -> int:
        """How many nodes have room in the pool."""
        return self._known + sum(int(r[0] - start) for r, start in zip(self._regions, self._starts, strict=True))

    @property
    def full(self) -> bool:
        """Whether a node could not be expanded because the pool has no room left."""
        return any(region[2] for region in self._regions)

    def iterate(self) -> None:
        """One iteration: the opener improves against the other player, then the other against the improved opener.

        Averages weigh iteration t by t cubed.
        """
        self.iterations += 1
        for seat in (0, 1):
            self._improve(seat, float(self.iterations) ** 3)
        if self.full and len(self.pool.first) - self.nodes > 2 * self.workers * self.tree.rungs:
            side_by_side(CpuSolver._gather, [self])  # one thread has used up its part, but others have room

    def bracket(self) -> tuple[float, float]:
        """What the opener's average strategy guarantees, and what the other player's concedes, in double precision."""
        if self.workers == 1:  # without threads: Python drops a Ctrl-C that comes while it clears them away
            return -self.best_response(1), self.best_response(0)
        with ThreadPoolExecutor(2) as threads:
            first, second = threads.map(self.best_response, (0, 1))
        return -second, first

    def best_response(self, seat: int) -> float:
        """What a seat's best response to the other player's average strategy earns."""
        return best_responses(self.tree, self.pool, (seat,))[0]

    def _improve(self, seat: int, weight: float) -> None:
        tree, pool, region = self.tree, self.pool, self._regions[0]
        cut = tree.rungs - SHARED_RUNGS
        out = np.empty(tree.hands[seat], dtype=self.kind)
        most = 1 if self.workers == 1 else (1 << SHARED_RUNGS) * tree.rungs
        tasks = room_for_tasks(tree, seat, self.kind, most)

        def go(phase: int) -> None:
            traverse(
                tree.views[seat], pool, pool.regret, seat, ROOT, tree.rungs, 0, self._weights[1 - seat],
                True, weight, self.least, phase, cut, tasks, region, out,
            )  # fmt: skip

        if self.workers == 1:
            go(WHOLE)
            return
        go(COLLECT)
        number = int(tasks.number[0])
        step = max(1, number // 64)
        turn = count(0, step)

        def work(own: Ints) -> None:
            while (start := next(turn)) < number:
                stop = min(start + step, number)
                traverse_tasks(
                    tree.views[seat], pool, seat, True, weight, self.least, WHOLE, cut, tasks, start, stop, own
                )

        side_by_side(work, self._regions)
        go(CONSUME)

    def compact(self) -> Pool:
        """The nodes in use, without gaps. They are not copied: the next iteration changes them."""
        side_by_side(CpuSolver._gather, [self])  # in a thread, so that Ctrl-C cannot interrupt it halfway
        regret, average, first = self.pool
        return Pool(regret[: self._known], average[: self._known], first[: self._known])

    def _gather(self) -> None:
        """Move all nodes to the front, in place, and divide the room behind them again."""
        starts, ends = self._starts, [int(region[0]) for region in self._regions]
        free, moved = self._known, []
        for start, end in zip(starts.tolist(), ends, strict=True):
            moved.append(start - free)
            for part in self.pool if start > free else ():
                for begin in range(start, end, CHUNK):
                    chunk = part[begin : min(begin + CHUNK, end)]
                    part[begin - start + free :][: len(chunk)] = chunk
                part[max(start, free + end - start) : end] = 0
            free += end - start
        first = self.pool.first[:free]
        first -= np.array([*moved, 0])[np.searchsorted(starts, first, side="right") - 1]
        self._share_out(free)

    def restore(self, pool: Pool, iterations: int) -> None:
        """Continue from what `compact` returned."""
        known = len(pool.first)
        self._claim(len(self.pool.first), known)
        for mine, saved in zip(self.pool, pool, strict=True):
            mine[:known] = saved
        self.iterations = iterations


def warm_up(kind: type) -> None:
    """Compile the traversal for one type of number, with and without tasks, by solving a tiny round."""
    tree = PublicTree(GameConfig(dice=(1, 1), faces=2))
    solver = CpuSolver(tree, least=0.0, slots=1 << 8, kind=kind, workers=1)
    solver.iterate()
    solver.bracket()
    nothing = np.zeros(3, dtype=np.int64)
    tasks = room_for_tasks(tree, 0, solver.kind)
    traverse_tasks(tree.views[0], solver.pool, 0, True, 1.0, 0.0, WHOLE, 0, tasks, 0, 0, nothing)


def side_by_side(work: Callable[[Any], None], items: Sequence[Any]) -> None:
    """Do the work for every item in a thread of its own. Ctrl-C waits until all threads have finished."""
    with ThreadPoolExecutor(len(items)) as threads:
        futures = [threads.submit(work, item) for item in items]
        wait(futures)
        for future in futures:
            future.result()


def room_for_tasks(tree: PublicTree, seat: int, kind: Any, most: int = 1) -> Tasks:
    """Room for this many parts of the tree."""
    slot, bit, bids = (np.zeros(most, dtype=np.int64) for _ in range(3))
    reach, value = (np.zeros((most, tree.hands[s]), dtype=kind) for s in (1 - seat, seat))
    return Tasks(slot, bit, bids, reach, value, np.zeros(1, dtype=np.int64))


def best_responses(tree: PublicTree, pool: Pool, seats: Sequence[int] = (0, 1)) -> list[float]:
    """What each seat's best response earns against the other player's average strategy."""
    values = []
    for seat in seats:
        earned = best_values_from(tree, pool, pool.average, seat, (ROOT, tree.rungs, 0), tree.weights[1 - seat])
        values.append(float(earned @ tree.weights[seat]))
    return values


def best_values_from(
    tree: PublicTree, pool: Pool, table: Rows, seat: int, node: tuple[int, int, int], reach: Floats
) -> Floats:
    """What the best play of one seat is worth with each of its hands, from a node (slot, bit, bids made) on, against
    the strategy that `table` holds for the other player, whose hands have these weights there.
    """
    out = np.empty(tree.hands[seat])
    nothing = np.zeros(3, dtype=np.int64)
    tasks = room_for_tasks(tree, seat, np.float64)
    slot, bit, bids = node
    traverse(
        tree.views[seat], pool, table, seat, slot, bit, bids, reach,
        False, 0.0, 0.0, WHOLE, 0, tasks, nothing, out,
    )  # fmt: skip
    return out
