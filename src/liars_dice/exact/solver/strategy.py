"""A strategy for one seat as a list of everything it does besides calling, which is small enough to ship.

A strategy says what its seat does wherever its own play can lead, whatever the other player bids. Where the list says
nothing, it calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...core import Action, Bid, BidAction, CallExactAction, CallLiarAction
from ...numeric import Floats, Ints
from .cfr_traversal import ROOT, Pool
from .cpu_solver import best_responses
from .public_tree import PublicTree

Nodes = NDArray[np.uint64]
MOST_NUMBERS = 1 << 23
"""How many chances of actions are looked at together."""
CALL: Action = CallLiarAction()
EXACT: Action = CallExactAction()


class Strategy(msgspec.Struct, frozen=True):
    """What one seat does. Line i of the list: at node `node[i]` with hand `hand[i]` it raises to rung `rung[i]` with
    probability `chance[i]`; the number of rungs stands for its claim, one more for an exact call. Sorted by node and
    hand, no line twice. A node is a number with a one for every bit that was bid (see `public_tree`).
    """

    tree: PublicTree
    seat: int
    node: Nodes
    hand: Ints
    rung: Ints
    chance: Floats

    def __len__(self) -> int:
        return len(self.node)

    def __repr__(self) -> str:
        own, other = self.tree.config.dice
        return f"<Strategy of seat {self.seat}, {own} against {other} dice, {len(self):,} lines>"

    def mix(self, history: Sequence[Bid], hand: tuple[int, ...]) -> dict[Action, float]:
        """The probability of each action with this hand (sorted) after these bids."""
        if self.tree.reduced and any(bid not in self.tree.kept for bid in history):
            return {CALL: 1.0}
        node = np.uint64(self.tree.node(history))
        index = self.tree.hand_sets[self.seat].index[hand]
        start, stop = np.searchsorted(self.node, [node, node + np.uint64(1)])
        lines = start + np.flatnonzero(self.hand[start:stop] == index)
        mix: dict[Action, float] = {
            self.action(int(self.rung[line]), hand): float(self.chance[line]) for line in lines.tolist()
        }
        rest = 1 - sum(mix.values())
        if history and rest > 0:
            mix[CALL] = rest
        return mix

    def action(self, rung: int, hand: tuple[int, ...]) -> Action:
        """The bid on a rung; one above the last is the claim that every die shows what this hand does, two above it an
        exact call.
        """
        if rung < self.tree.rungs:
            return self.tree.rules.moves[rung]
        if rung > self.tree.rungs:
            return EXACT
        return BidAction(Bid(self.tree.config.total_dice, hand[0]))


def average_strategy(tree: PublicTree, pool: Pool, seat: int, least: float) -> Strategy:
    """A seat's average strategy, without what it does less often than `least`: the product of how likely the hand is,
    how the seat must have chosen before, and the choice itself. What is left is scaled up to one.
    """
    opening = np.flatnonzero(tree.views[seat].opens)
    if seat == 0:
        places = _Places(np.array([ROOT]), np.array([tree.rungs]), np.array([0]), np.ones((1, tree.hands[0])))
    else:
        slots = int(pool.first[ROOT]) + opening
        places = _Places(slots, opening, 1 << opening, np.ones((len(opening), tree.hands[1])))
    lines: list[tuple[Nodes, Ints, Ints, Floats]] = []
    while len(places.slot):
        reached = []
        for bit in np.unique(places.bit).tolist():
            here = np.flatnonzero(places.bit == bit)
            for some in np.array_split(here, 1 + len(here) * (bit + 3) * tree.hands[seat] // MOST_NUMBERS):
                found, then = _decide(tree, pool, seat, least, bit, places.some(some))
                lines.append(found)
                reached.append(then)
        places = _Places(*map(np.concatenate, zip(*reached, strict=True)))
    node, hand, rung, chance = (np.concatenate(column) for column in zip(*lines, strict=True))
    order = np.lexsort((rung, hand, node))
    return Strategy(tree, seat, node[order], hand[order], rung[order], chance[order])


class _Places(NamedTuple):
    """Nodes at which a seat acts, and how it must have chosen with each hand to come there."""

    slot: Ints
    bit: Ints
    node: Ints
    reach: Floats

    def some(self, which: Ints) -> _Places:
        """Only these."""
        return _Places(self.slot[which], self.bit[which], self.node[which], self.reach[which])


def _decide(
    tree: PublicTree, pool: Pool, seat: int, least: float, bit: int, here: _Places
) -> tuple[tuple[Nodes, Ints, Ints, Floats], _Places]:
    """The lines of what a seat does at nodes with the same last bid, and where that leads."""
    own, other = tree.hands[seat], tree.hands[1 - seat]
    first_exact = own + other + tree.claims
    at_root = bit == tree.rungs
    first = pool.first[here.slot]
    raises = first[:, None] + np.arange(bit)
    done = np.zeros((len(first), bit + 3, own))
    done[first > 0, :bit] = pool.average[raises[first > 0], :own]
    done[:, bit, tree.views[seat].own_claims] = pool.average[here.slot, own + other : first_exact]
    if not at_root:
        done[:, bit + 2] = pool.average[here.slot, other : other + own]
        if tree.exact:
            done[:, bit + 1] = pool.average[here.slot, first_exact : first_exact + own]
    _scale_to_one(done)
    kept = np.where(done * (here.reach * tree.weights[seat])[:, None] >= least, done, 0)
    if at_root:  # an opener cannot call instead
        best, hands = done[0].argmax(axis=0), np.arange(own)
        kept[0, best, hands] = done[0, best, hands]
    _scale_to_one(kept)
    place, action, hand = np.nonzero(kept[:, :-1])
    rung = np.where(action < bit, tree.rungs - 1 - action, tree.rungs + action - bit)
    lines = here.node[place].astype(np.uint64), hand, rung, kept[place, action, hand]

    reach = here.reach[:, None] * kept[:, :bit]
    often = (reach * tree.weights[seat]).max(axis=2) >= least if bit else np.zeros((len(first), 0), dtype=bool)
    place, raised = np.nonzero(often & (first > 0)[:, None])
    answered = pool.first[raises[place, raised]]
    place, raised, answered = (column[answered > 0] for column in (place, raised, answered))
    pair = np.repeat(np.arange(len(place)), raised)
    bits = np.arange(len(pair)) - np.repeat(np.cumsum(raised) - raised, raised)
    slots = answered[pair] + bits
    known = (pool.first[slots] > 0) | pool.average[slots, own + other :].any(axis=1)
    pair, bits, slots = pair[known], bits[known], slots[known]
    nodes = here.node[place[pair]] | 1 << raised[pair] | 1 << bits
    return lines, _Places(slots, bits, nodes, reach[place[pair], raised[pair]])


def _scale_to_one(chances: Floats) -> None:
    """Divide, in place, what is done with each hand at each place by its sum, unless that is zero."""
    total = chances.sum(axis=1, keepdims=True)
    np.divide(chances, total, out=chances, where=total > 0)


def pool_of(strategies: tuple[Strategy, Strategy], most_bytes: float = inf) -> Pool:
    """Both strategies as a pool of averages, for the traversal; in single precision if it would take more memory."""
    tree = strategies[0].tree
    expanded = _expanded([strategy.node for strategy in strategies])
    raises = _last_bit(expanded)
    raises[0] = tree.rungs
    firsts_of = 1 + np.cumsum(raises) - raises
    end = int(firsts_of[-1] + raises[-1])

    def slots(nodes: Nodes) -> Ints:
        """The slots of nodes: among the raises of the node before them."""
        before = np.searchsorted(expanded, nodes & (nodes - np.uint64(1)))
        return np.where(nodes == 0, ROOT, firsts_of[before] + _last_bit(nodes))

    double = end * tree.width * np.dtype(np.float64).itemsize <= most_bytes
    average = np.zeros((end, tree.width), np.float64 if double else np.float32)
    for strategy in strategies:
        own, other = tree.hands[strategy.seat], tree.hands[1 - strategy.seat]
        claim_of = np.zeros(own, dtype=np.int64)
        claim_of[tree.views[strategy.seat].own_claims] = np.arange(tree.claims)
        at = slots(strategy.node)
        claims, exacts = strategy.rung == tree.rungs, strategy.rung > tree.rungs
        raised = strategy.rung < tree.rungs
        firsts = firsts_of[np.searchsorted(expanded, strategy.node)]
        bits = tree.rungs - 1 - strategy.rung
        average[(firsts + bits)[raised], strategy.hand[raised]] = strategy.chance[raised]
        average[at[claims], own + other + claim_of[strategy.hand[claims]]] = strategy.chance[claims]
        average[at[exacts], own + other + tree.claims + strategy.hand[exacts]] = strategy.chance[exacts]
        place, line_of = np.unique(at * own + strategy.hand, return_inverse=True)
        acted = np.bincount(line_of, strategy.chance)
        rows, hands = place // own, place % own
        calls = (acted > 0) & (rows != ROOT)
        average[rows[calls], other + hands[calls]] += np.maximum(1 - acted[calls], 0)
    starts = np.zeros(end, dtype=np.int64)
    starts[slots(expanded)] = np.where(raises > 0, firsts_of, 0)
    return Pool(np.zeros((0, tree.width), average.dtype), average, starts)


def _last_bit(nodes: Nodes) -> Ints:
    """The bit of each node's last bid, which is how many raises are left."""
    lowest = nodes & (~nodes + np.uint64(1))
    return np.log2(np.maximum(lowest, np.uint64(1)).astype(np.float64)).astype(np.int64)


def _expanded(nodes: Sequence[Nodes]) -> Nodes:
    """These nodes and all on the way to them, in order, the first node of all in front."""
    level = np.unique(np.concatenate(nodes))
    found = [np.zeros(1, dtype=np.uint64), level]
    while level.any():
        level = np.unique(level & (level - np.uint64(1)))
        level = level[level > 0]
        found.append(level)
    return np.unique(np.concatenate(found))


def certify(strategies: tuple[Strategy, Strategy]) -> tuple[float, float]:
    """What the opener's strategy guarantees, and what the other player's concedes."""
    first, second = best_responses(strategies[0].tree, pool_of(strategies))
    return -second, first
