"""The best response to a known memoryless policy from any belief about its hand, for one hand of the adversary.

`adversary` sums over all hands of the adversary, from the first bid on. Here both are given: the adversary's dice, and
how likely each hand of the policy is by now. The formulas for U and V are those of `adversary`. Which sets of hands a
deterministic policy's bids can leave does not depend on how likely the hands are, so these sets are found once for each
table (`BeliefGraph`), and every question goes through them from the top rung down.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numeric import Floats, Int, Ints, compiled, inlined
from ..errors import OutOfReachError
from ..tables import UNKNOWN, PolicyTable

Cells = NDArray[np.int32]
MOST_SETS = 50_000
"""The most sets of hands that are told apart."""


class Graph(NamedTuple):
    """Sets of hands and where raises lead. Set 0 has every hand in it."""

    members: Ints
    """The hands of all sets, one set after the other."""
    start: Ints
    """Where each set begins, and where the last one ends."""
    of: Ints
    """The set of each pair of a set and a raise that it answers, from the lowest rung up."""
    rung: Ints
    """The rung of each pair's raise."""
    edge: Ints
    """Where each pair's answers begin, and where the last one's end."""
    child: Ints
    """For each answer: the set of hands that give it."""
    answer: Ints
    """For each answer: the rung those hands raise to."""


class BeliefGraph:
    """The sets of hands of a deterministic table, or of several tables for one situation if it is not known which of
    them the player uses: then each pair of a table and a hand counts as a hand. A table that mixes is taken to do what
    it does most often. With probability `slip` the player does anything legal instead, whatever its hand; the adversary
    is taken to notice, so with slips the values are a little too high.

    >>> from liars_dice.agents import make_agent
    >>> from liars_dice.core import preset
    >>> table = PolicyTable.of(make_agent("optimal"), preset("classic", dice=1), own=1, other=1)
    >>> graph = BeliefGraph(table)
    >>> [round(float(chance), 3) for chance in graph.raises((6,), table.hands.weights)[:3]]
    [1.0, 1.0, 1.0]
    """

    def __init__(self, table: PolicyTable, *more: PolicyTable, slip: float = 0.0) -> None:
        self.tables = (table, *more)
        self.slip = slip
        self.rules = table.situation.rules
        self.size = table.size
        self.cells: Cells = np.concatenate([likeliest(one.complete()) for one in self.tables])
        keys = np.random.default_rng(0).integers(1, 2**63, len(self.cells)).astype(np.int64)
        members, start, of, rung, edge, child, answer, full = _find_sets(self.cells, keys, MOST_SETS)
        if full:
            raise OutOfReachError(f"more than {MOST_SETS:,} sets of hands to be told apart")
        self.graph = Graph(members, start, of, rung, edge, child, answer)

    def raises(self, hand: tuple[int, ...], belief: Floats) -> Floats:
        """The chance to win after raising to each rung, with this hand and the best play from there on; `belief` says
        how likely each hand of the (first, second, ...) table is.
        """
        true, right = (np.tile(shown, len(self.tables)) for shown in showdowns_with(self.tables[0], hand))
        out = np.zeros(self.size)
        weights = belief / belief.sum()
        _evaluate(self.graph, self.cells, weights, true, right, self.rules.config.exact_call, self.slip, out)
        return out


def showdowns_with(table: PolicyTable, hand: tuple[int, ...]) -> tuple[Floats, Floats]:
    """[rung, their hand]: whether the bid is true if we hold this hand (1 or 0), and whether it is exactly right."""
    rules = table.situation.rules
    quantity = np.array([bid.quantity for bid in rules.bids])
    face = np.array([bid.face for bid in rules.bids])
    own = np.array([0, *(sum(die in (f, rules.wild_face) for die in hand) for f in range(1, rules.config.faces + 1))])
    count = table.hands.matches(rules.wild_face).T[face] + own[face][:, None]
    return (count >= quantity[:, None]).astype(np.float64), (count == quantity[:, None]).astype(np.float64)


def likeliest(table: PolicyTable) -> Cells:
    """A table's cells, each distribution replaced by its likeliest action (the lowest of equals)."""
    cells = table.cells.copy()
    for cell in np.unique(cells[(cells < 0) & (cells != UNKNOWN)]).tolist():
        mix = table.mixes[cell]
        cells[cells == cell] = max(sorted(mix), key=lambda action: mix[action])
    return cells


@compiled
def _find_sets(cells: Cells, keys: Ints, most: int) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints, bool]:
    """Find all sets: at each rung from the lowest up, every set that may have to answer it is split by its answers.

    The hands that give an answer only have to answer rungs above it, so one pass meets every pair of set and rung.
    Sets are told apart by the sum of their hands' random keys, in a hash table of set numbers (-1: a free slot).
    """
    hands, size = cells.shape[0], cells.shape[1] - 1
    slots = 1
    while slots < 2 * most + 2:
        slots *= 2
    table = np.full(slots, -1, np.int64)
    key_of, low, start = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64), np.zeros(most + 2, np.int64)
    members = np.zeros(4096 + hands, np.int64)
    of, rung, edge = np.zeros(4096, np.int64), np.zeros(4096, np.int64), np.zeros(4097, np.int64)
    child, answer = np.zeros(4096, np.int64), np.zeros(4096, np.int64)
    members[:hands] = np.arange(hands)
    start[1] = hands
    key_of[0] = keys.sum()
    sets, pairs, edges, full = 1, 0, 0, False
    table[key_of[0] & (slots - 1)] = 0
    count, total = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for c in range(size):
        for s in range(sets):
            if low[s] > c:
                continue
            if pairs + 1 >= len(of):
                of, rung, edge = _doubled(of), _doubled(rung), _doubled(edge)
            of[pairs], rung[pairs], edge[pairs] = s, c, edges
            pairs += 1
            _count_raises(cells, keys, members, start[s], start[s + 1], c, count, total)
            for a in range(c + 1, size):
                if count[a] == 0:
                    continue
                slot = _slot_of(table, key_of, total[a])
                found = table[slot]
                if found < 0:
                    if sets == most:
                        full = True
                        break
                    found = sets
                    table[slot] = found
                    key_of[found], low[found] = total[a], size
                    while start[sets] + count[a] > len(members):
                        members = _doubled(members)
                    sets += 1
                    start[sets] = _copy_raising(cells, members, start[s], start[s + 1], c, a, start[sets - 1])
                low[found] = min(low[found], a + 1)
                if edges >= len(child):
                    child, answer = _doubled(child), _doubled(answer)
                child[edges], answer[edges] = found, a
                edges += 1
            if full:
                break
        if full:
            break
    edge[pairs] = edges
    return (
        members[: start[sets]],
        start[: sets + 1],
        of[:pairs],
        rung[:pairs],
        edge[: pairs + 1],
        child[:edges],
        answer[:edges],
        full,
    )


@inlined
def _doubled(numbers: Ints) -> Ints:
    """The same numbers with as much room again behind them."""
    return np.concatenate((numbers, np.zeros_like(numbers)))


@inlined
def _count_raises(
    cells: Cells, keys: Ints, members: Ints, first: Int, last: Int, rung: Int, count: Ints, total: Ints
) -> None:
    """For each raise of this rung, how many hands of a set make it, and the sum of their keys."""
    size = count.size
    count[:] = 0
    total[:] = 0
    for i in range(first, last):
        a = cells[members[i], rung + 1]
        if rung < a < size:
            count[a] += 1
            total[a] += keys[members[i]]


@inlined
def _slot_of(table: Ints, key_of: Ints, key: Int) -> Int:
    """The slot of the set with this key in the hash table, or the free slot where it belongs."""
    last = table.size - 1
    slot = key & last
    while table[slot] >= 0 and key_of[table[slot]] != key:
        slot = (slot + 1) & last
    return slot


@inlined
def _copy_raising(cells: Cells, members: Ints, first: Int, last: Int, rung: Int, answer: Int, end: Int) -> Int:
    """Write the hands of a set that give this answer behind the last set; returns where they end."""
    for i in range(first, last):
        if cells[members[i], rung + 1] == answer:
            members[end] = members[i]
            end += 1
    return end


@compiled
def _evaluate(
    graph: Graph,
    cells: Cells,
    weights: Floats,
    true: Floats,
    right: Floats,
    may_call_exact: bool,
    slip: float,
    out: Floats,
) -> None:
    """U for the set of all hands at every rung, from the top rung down."""
    size = true.shape[0]
    sets = len(graph.start) - 1
    best = np.full((sets, size + 1), -1.0)  # the best U of a set over all rungs from here up
    slips_above = np.zeros(sets)  # what the best answers to slips on all rungs above earn, added up
    for pair in range(len(graph.of) - 1, -1, -1):
        s, c = graph.of[pair], graph.rung[pair]
        called, slipped, false, exact = 0.0, slips_above[s], 0.0, 0.0
        for i in range(graph.start[s], graph.start[s + 1]):
            h = graph.members[i]
            if cells[h, c + 1] == size:
                called += weights[h] * true[c, h]
            elif cells[h, c + 1] == size + 1:
                called += weights[h] * (1.0 - right[c, h])
            slipped += weights[h] * (true[c, h] + (1.0 - right[c, h] if may_call_exact else 0.0))
            false += weights[h] * (1.0 - true[c, h])
            exact += weights[h] * right[c, h]
        won = called
        for e in range(graph.edge[pair], graph.edge[pair + 1]):
            after, a = graph.child[e], graph.answer[e]
            its_false, its_exact = 0.0, 0.0
            for i in range(graph.start[after], graph.start[after + 1]):
                h = graph.members[i]
                its_false += weights[h] * (1.0 - true[a, h])
                its_exact += weights[h] * right[a, h]
            value = max(its_false, best[after, a + 1])
            won += max(value, its_exact) if may_call_exact else value
        if slip > 0.0:
            legal = size - c - 1 + (2 if may_call_exact else 1)
            won = (1.0 - slip) * won + slip * slipped / legal
        value = max(false, best[s, c + 1])
        slips_above[s] += max(value, exact) if may_call_exact else value
        best[s, c] = max(best[s, c + 1], won)
        if s == 0:
            out[c] = won
