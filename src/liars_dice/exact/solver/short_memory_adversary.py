"""What a perfect adversary, who forgets nothing and knows the strategy, earns against a short-memory strategy.

The adversary's best answer is found by a search over all biddings, with bounds wherever it stops:

- *at most* is what an adversary would earn that sees the strategy's hand from there on;
- *at least* is what it earns by calling now, or by any bid now and playing on by the other player's short-memory
  strategy, so it is what a player can really do.

Both are sums over the strategy's hands of tables that one sweep over the places fills. A bidding is followed only where
the two are further apart than a *gap*, and where a bid could be better than what is known to be possible.

What follows the strategy's answers to the adversary's first bids can be searched at the same time: these searches know
nothing of each other, so the number of threads does not change what is found.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numeric import Floats, Int, Ints, Truths, compiled, in_threads, inlined
from ..errors import OutOfReachError
from .short_memory import Places, Reals, ShortStrategy
from .short_memory_packing import PARTS

Parts = NDArray[np.uint8]
GAPS = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
"""The search is repeated with ever smaller gaps, up to a number of biddings..."""
GROWTH = 5
"""...each of which takes about so many times as many biddings as the one before."""
MOST_GIGABYTES = 2.0
"""The most memory that is used, unless more is asked for."""


class Measured(NamedTuple):
    """What an adversary earns in a round, at least and at most: +1 for a win, -1 for a loss."""

    least: float
    most: float
    biddings: int
    """How many were looked at."""

    def plus(self, other: Measured) -> Measured:
        """The sum of both."""
        return Measured(self.least + other.least, self.most + other.most, self.biddings + other.biddings)


class _Round(NamedTuple):
    """A round as compiled code reads it, with the strategy's hands before the adversary's."""

    quantity: Ints
    face: Ints
    width: Ints
    after: Ints
    kind: Ints
    call: int
    exact: bool
    matches: Ints
    """[hand, face] of the strategy."""
    its_matches: Ints
    """[hand, face] of the adversary."""
    its_weights: Floats


class _Tables(NamedTuple):
    """What the adversary earns when the strategy is to move: [column, memory, the strategy's hand, its hand]."""

    least: Reals
    """If it plays on by a short-memory strategy."""
    most: Reals
    """If it sees the strategy's hand."""


class Adversary:
    """The adversary of one strategy, with some of the hands that it can have."""

    def __init__(self, places: Places, policy: Parts, other: Parts, *, opens: bool, hands: slice = slice(None)) -> None:
        """`policy` is the strategy, `other` how the adversary may play on, both in whole parts: [column, memory, hand,
        move]. `opens` is whether the strategy opens.
        """
        me, it = (0, 1) if opens else (1, 0)
        self.places, self.opens = places, opens
        self.weights = places.weights[me]
        self.round = _Round(
            places.quantity, places.face, places.width, places.after, places.kind, places.call, places.exact_calls,
            places.matches[me], places.matches[it][hands], places.weights[it][hands],
        )  # fmt: skip
        self.policy = np.ascontiguousarray(policy.transpose(0, 1, 3, 2))
        self.used: Truths = np.asarray(self.policy.any(axis=-1))
        _, first = np.unique(places.kind, return_index=True)
        instead = np.ascontiguousarray(other[:, first, hands].transpose(0, 1, 3, 2))
        self.tables = _fill_tables(self.round, self.policy, self.used, instead, len(self.round.its_weights))
        self._known: dict[int, Reals] = {}
        """What is known to be earned after each opening, with each hand."""

    def measure(self, gap: float, workers: int = 1) -> Measured:
        """Bounds on what it earns. Measured again with a smaller gap, it leaves out what was found to be no better."""
        turns = [self._first_turn(column, belief) for column, belief in self._first_beliefs().items()]
        answers = [answer for turn in turns for answer in self._answers(turn, gap)]
        stop = np.zeros(1, dtype=np.int64)
        found = in_threads(workers, lambda answer: self._follow(answer, gap, stop), answers, stop)
        for answer, (bounds, _) in zip(answers, found, strict=True):
            np.add(answer.raised, bounds, out=answer.raised)
        total = np.zeros((2, len(self.round.its_weights)))
        for turn in turns:
            turn.settle()
            self._known[turn.column] = turn.bounds[0]
            total += turn.bounds
        least, most = total @ self.round.its_weights
        return Measured(float(least), float(most), len(turns) + sum(biddings for _, biddings in found))

    def _first_beliefs(self) -> dict[int, Floats]:
        """Where the adversary has its first turn: the column, and with which hands the strategy comes there."""
        if not self.opens:
            return {0: self.weights}
        chances = self.policy[0, 0, : int(self.places.width[0])] / np.float32(PARTS)
        return {move + 1: self.weights * row for move, row in enumerate(chances) if row.any()}

    def _first_turn(self, column: int, belief: Floats) -> _FirstTurn:
        """What the adversary's first actions earn, as far as that is known before any search."""
        work = self._work(1)
        work.belief[0] = belief
        _look(0, column, self.places.start, self.round, self.tables, work)
        bounds = work.bounds[0]
        if column in self._known:
            bounds[0] = np.maximum(bounds[0], self._known[column])
        return _FirstTurn(column, work.belief[0], bounds, work.bids[0], {})

    def _answers(self, turn: _FirstTurn, gap: float) -> Iterator[_Answer]:
        """The strategy's raises over all first bids that may be better than what is known to be possible."""
        start, after = self.places.start, self.places.after
        better = np.maximum(turn.bids[:, 1] - turn.bounds[0], 0) @ self.round.its_weights
        for bid in range(turn.column + 1, self.places.rungs + 1):
            if better[bid] > gap:
                then = int(after[start, bid - turn.column - 1]) if turn.column else start
                raised = turn.raised[bid] = np.zeros_like(turn.bounds)
                _add_calls(self.round, turn.belief, self.policy, bid, then, raised)
                for move in range(int(self.places.width[bid])):
                    belief = turn.belief * (self.policy[bid, then, move] / np.float32(PARTS))
                    if belief.any():
                        yield _Answer(bid + move + 1, int(after[then, move]), belief, raised)

    def _follow(self, answer: _Answer, gap: float, stop: Ints) -> tuple[Reals, int]:
        """Search on from one of the strategy's raises: the bounds, and how many biddings were looked at."""
        work = self._work(self.places.rungs // 2 + 2)
        if not stop[0]:
            work.belief[0] = answer.belief
            _search(0, answer.column, answer.memory, gap, self.round, self.policy, self.used, self.tables, work)
        return work.bounds[0], int(work.biddings[0])

    def _work(self, levels: int) -> _Work:
        """Room for so many of the adversary's turns."""
        hands, own = len(self.weights), len(self.round.its_weights)
        return _Work(
            np.zeros((levels, hands), dtype=np.float32),
            np.zeros((levels, 2, own), dtype=np.float32),
            np.zeros((levels, 2, own), dtype=np.float32),
            np.zeros((levels, self.places.rungs + 1, 2, own), dtype=np.float32),
            np.zeros(self.round.matches.max() + 2, dtype=np.float32),
            np.zeros(1, dtype=np.int64),
        )


class _FirstTurn(NamedTuple):
    """The adversary's first turn, after the strategy's opening in a column or, with column 0, before any bid."""

    column: int
    belief: Reals
    """How likely the strategy holds each hand and has opened like this."""
    bounds: Reals
    """[least or most, the adversary's hand]: what it earns."""
    bids: Reals
    """[column, least or most, hand]: what every bid earns, before any search."""
    raised: dict[int, Reals]
    """The same for the bids that are searched, as found."""

    def settle(self) -> None:
        """Put together what was found for every bid."""
        for bid in range(self.column + 1, len(self.bids)):
            least, most = self.raised.get(bid, self.bids[bid])
            np.maximum(self.bounds[0], least, out=self.bounds[0])
            np.maximum(self.bounds[1], most, out=self.bounds[1])
        np.maximum(self.bounds[1], self.bounds[0], out=self.bounds[1])


class _Answer(NamedTuple):
    """A raise of the strategy over the adversary's first bid."""

    column: int
    memory: int
    belief: Reals
    raised: Reals
    """Where to add what follows."""


class _Work(NamedTuple):
    """Work space, by the number of the adversary's turns so far."""

    belief: Reals
    """[level, hand]: how likely the strategy holds a hand and has made its bids."""
    bounds: Reals
    """[level, least or most, the adversary's hand]: the answer."""
    raised: Reals
    """The same for one bid of the adversary."""
    bids: Reals
    """[level, column, least or most, hand]: the same for every bid."""
    tally: Reals
    """Room to count matching dice."""
    biddings: Ints


@compiled
def _fill_tables(round_: _Round, policy: Parts, used: Truths, instead: Parts, own: int) -> _Tables:
    """From the highest rung down. What the adversary does next depends only on the part of a memory that lasts, its
    kind: `instead` is how it may play on, [column, kind, move, hand].
    """
    columns, memories, _, hands = policy.shape
    kinds = round_.kind.max() + 1
    least = np.zeros((columns, memories, hands, own), dtype=np.float32)
    most = np.zeros((columns, memories, hands, own), dtype=np.float32)
    its_least = np.zeros((columns, kinds, hands, own), dtype=np.float32)
    its_most = np.zeros((columns, kinds, hands, own), dtype=np.float32)
    part = np.float32(1 / PARTS)
    called = np.zeros((2, hands, own), dtype=np.float32)
    for column in range(columns - 1, 0, -1):
        quantity, face = round_.quantity[column - 1], round_.face[column - 1]
        for h in range(hands):
            for o in range(own):
                count = round_.matches[h, face] + round_.its_matches[o, face]
                called[0, h, o] = 1 if count < quantity else -1
                called[1, h, o] = 1 if count == quantity else -1
        calls = 1 + round_.exact
        for memory in range(memories):
            low, high = least[column, memory], most[column, memory]
            for k in range(calls):
                for h in range(hands):
                    chance = part * policy[column, memory, round_.call + k, h]
                    if chance > 0:
                        for o in range(own):
                            low[h, o] -= chance * called[k, h, o]
                            high[h, o] -= chance * called[k, h, o]
            for move in range(round_.width[column]):
                if used[column, memory, move]:
                    kind = round_.kind[round_.after[memory, move]]
                    for h in range(hands):
                        chance = part * policy[column, memory, move, h]
                        if chance > 0:
                            for o in range(own):
                                low[h, o] += chance * its_least[column + move + 1, kind, h, o]
                                high[h, o] += chance * its_most[column + move + 1, kind, h, o]
        for memory in range(memories):
            kind = round_.kind[memory]
            if memory > 0 and (round_.kind[:memory] == kind).any():
                continue
            low, high = its_least[column, kind], its_most[column, kind]
            high[:] = called[0]
            for k in range(calls):
                for h in range(hands):
                    for o in range(own):
                        low[h, o] += part * instead[column, kind, round_.call + k, o] * called[k, h, o]
                        high[h, o] = max(high[h, o], called[k, h, o])
            for bid in range(column + 1, columns):
                then = round_.after[memory, bid - column - 1]
                for h in range(hands):
                    for o in range(own):
                        high[h, o] = max(high[h, o], most[bid, then, h, o])
                if bid - column <= round_.width[column]:
                    chances = instead[column, kind, bid - column - 1]
                    if chances.any():
                        for h in range(hands):
                            for o in range(own):
                                low[h, o] += part * chances[o] * least[bid, then, h, o]
    return _Tables(least, most)


@compiled
def _search(
    level: int,
    column: int,
    memory: int,
    gap: float,
    round_: _Round,
    policy: Parts,
    used: Truths,
    tables: _Tables,
    work: _Work,
) -> int:
    """Put into work.bounds[level] the least and the most that the adversary earns with each of its hands, times how
    likely the strategy comes here, when it has to answer; work.belief[level] says with which hands the strategy does.
    """
    work.biddings[0] += 1
    columns, own = policy.shape[0], len(round_.its_weights)
    belief, bounds, raised, bids = work.belief[level], work.bounds[level], work.raised[level], work.bids[level]
    _look(level, column, memory, round_, tables, work)
    while True:
        best, promise = 0, 0.0
        for bid in range(column + 1, columns):
            better = 0.0
            for o in range(own):
                better += round_.its_weights[o] * max(bids[bid, 1, o] - bounds[0, o], np.float32(0))
            if better > promise:
                best, promise = bid, better
        if promise <= gap:
            break
        then = round_.after[memory, best - column - 1] if column > 0 else memory
        _if_it_calls(round_, belief, policy, best, then, raised)
        for move in range(round_.width[best]):
            if used[best, then, move] and _believe(belief, policy[best, then, move], work.belief[level + 1]):
                at = best + move + 1
                _search(level + 1, at, round_.after[then, move], gap, round_, policy, used, tables, work)
                for o in range(own):
                    raised[0, o] += work.bounds[level + 1, 0, o]
                    raised[1, o] += work.bounds[level + 1, 1, o]
        for o in range(own):
            bounds[0, o] = max(bounds[0, o], raised[0, o])
            bids[best, 1, o] = -2  # it is known now
            bounds[1, o] = max(bounds[1, o], raised[1, o])
    for bid in range(column + 1, columns):
        for o in range(own):
            bounds[1, o] = max(bounds[1, o], bids[bid, 1, o])
    for o in range(own):
        bounds[1, o] = max(bounds[1, o], bounds[0, o])
    return 0


@compiled
def _look(level: int, column: int, memory: int, round_: _Round, tables: _Tables, work: _Work) -> None:
    """Put into work.bounds[level] what the better call earns, and the least that any bid does; into work.bids[level]
    what every bid earns, by the tables.
    """
    belief, bounds, bids = work.belief[level], work.bounds[level], work.bids[level]
    bounds[:] = -2
    if column > 0:
        _call(round_, belief, column, work.tally, bounds)
    for bid in range(column + 1, tables.least.shape[0]):
        then = round_.after[memory, bid - column - 1] if column > 0 else memory
        _sum_up(belief, tables.least[bid, then], bids[bid, 0])
        _sum_up(belief, tables.most[bid, then], bids[bid, 1])
        for o in range(bounds.shape[1]):
            bounds[0, o] = max(bounds[0, o], bids[bid, 0, o])


@compiled
def _add_calls(round_: _Round, belief: Reals, policy: Parts, column: int, memory: int, raised: Reals) -> None:
    """`_if_it_calls` for Python: code that is only compiled into its callers is not kept on disk."""
    _if_it_calls(round_, belief, policy, column, memory, raised)


@inlined
def _if_it_calls(round_: _Round, belief: Reals, policy: Parts, column: Int, memory: Int, raised: Reals) -> None:
    """What a bid of the adversary earns where the strategy calls it."""
    quantity, face = round_.quantity[column - 1], round_.face[column - 1]
    raised[:] = 0
    for k in range(1 + round_.exact):
        chances = policy[column, memory, round_.call + k]
        for h in range(len(belief)):
            weight = chances[h] * belief[h] / np.float32(PARTS)
            if weight > 0:
                missing = quantity - round_.matches[h, face]
                for o in range(raised.shape[1]):
                    count = round_.its_matches[o, face]
                    right = count < missing if k == 0 else count == missing
                    raised[0, o] += -weight if right else weight
    raised[1] = raised[0]


@inlined
def _believe(belief: Reals, chances: Parts, then: Reals) -> bool:
    """The next belief, that the strategy makes a move; returns whether any hand does."""
    possible = False
    for h in range(len(belief)):
        then[h] = chances[h] * belief[h] / np.float32(PARTS)
        possible = possible or then[h] > 0
    return possible


@inlined
def _call(round_: _Round, belief: Reals, column: Int, count: Reals, bounds: Reals) -> None:
    """What the better call earns."""
    quantity, face = round_.quantity[column - 1], round_.face[column - 1]
    count[:] = 0
    weight = np.float32(0)
    for h in range(len(belief)):
        count[round_.matches[h, face]] += belief[h]
        weight += belief[h]
    for o in range(bounds.shape[1]):
        missing = quantity - round_.its_matches[o, face]
        true, exact = np.float32(0), np.float32(0)
        for n in range(max(missing, 0), len(count)):
            true += count[n]
        if 0 <= missing < len(count):
            exact = count[missing]
        worth = weight - 2 * true
        if round_.exact:
            worth = max(worth, 2 * exact - weight)
        bounds[0, o] = worth
        bounds[1, o] = worth


@inlined
def _sum_up(belief: Reals, table: Reals, out: Reals) -> None:
    """The sum of a table's rows, weighed by a belief."""
    out[:] = 0
    for h in range(len(belief)):
        weight = belief[h]
        if weight > 0:
            for o in range(len(out)):
                out[o] += weight * table[h, o]


# -- rounds ------------------------------------------------------------------------------------------------------------


def response_bounds(
    opener: ShortStrategy,
    other: ShortStrategy,
    *,
    gap: float | None = None,
    biddings: int = 5_000_000,
    memory: float = MOST_GIGABYTES,
    workers: int = 1,
) -> tuple[Measured, Measured]:
    """What a perfect adversary earns against the opener, and against the other player: with this gap, or the smallest
    for which about so many biddings suffice, but at least with the first of `GAPS`. `memory` is in gigabytes: the
    adversary's hands are looked at in turn, as many at a time as fit. `workers` is the number of threads.
    """
    places = opener.places
    parts = opener.parts(), other.parts()
    found = []
    for opens in (True, False):
        hands = len(places.weights[1 if opens else 0])
        needed = hands * _gigabytes_for_a_hand(places, opens=opens)
        turns = max(1, ceil(needed / memory))
        if turns > hands:
            raise OutOfReachError(
                f"dice {opener.config.dice}: an adversary would need about {needed / hands:.2g} GB for one of its "
                f"hands, {memory:g} at most are used"
            )
        cuts = np.linspace(0, hands, turns + 1).astype(int).tolist()
        total, chosen = Measured(0.0, 0.0, 0), gap
        for low, high in pairwise(cuts):
            adversary = Adversary(places, parts[not opens], parts[opens], opens=opens, hands=slice(low, high))
            if chosen is None:
                chosen, measured = _within(adversary, biddings / (2 * turns), workers)
            else:
                measured = adversary.measure(chosen, workers)
            total = total.plus(measured)
        found.append(total)
    return found[0], found[1]


def _gigabytes_for_a_hand(places: Places, *, opens: bool) -> float:
    """How much memory the tables take for one of the adversary's hands."""
    kinds = int(places.kind.max()) + 1
    return (places.rungs + 1) * 8 * (places.memory.used + kinds) * len(places.weights[0 if opens else 1]) / 1e9


def _within(adversary: Adversary, biddings: float, workers: int) -> tuple[float, Measured]:
    """The smallest gap for which so many biddings suffice, and what is found with it."""
    for gap in GAPS:
        found = adversary.measure(gap, workers)
        if GROWTH * found.biddings > biddings:
            break
    return gap, found


def mean_of(found: tuple[Measured, Measured]) -> Measured:
    """The exploitability: the mean of both seats."""
    both = found[0].plus(found[1])
    return Measured(both.least / 2, both.most / 2, both.biddings)
