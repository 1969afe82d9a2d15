"""A strategy for one seat as a list of everything it does besides calling, which is small enough to ship.

A strategy says what its seat does wherever its own play can lead, whatever the other player bids. Where the list says
nothing, it calls.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from ...core import Action, Bid, BidAction, CallExactAction, CallLiarAction
from ...numeric import Floats, Ints
from .cfr_traversal import ROOT, Pool
from .cpu_solver import best_responses
from .public_tree import PublicTree

Nodes = NDArray[np.uint64]
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
    own, other = tree.hands[seat], tree.hands[1 - seat]
    claims = tree.views[seat].own_claims
    first_exact = own + other + tree.claims
    lines: list[tuple[Ints, ...]] = []
    chances: list[Floats] = []

    def decide(slot: int, bit: int, node: int, reach: Floats) -> None:
        """List what the seat does at one of its nodes, and continue wherever that leads."""
        first = int(pool.first[slot])
        raises = np.zeros((bit, own)) if first == 0 else pool.average[first : first + bit, :own].astype(np.float64)
        call = np.zeros(own) if node == 0 else pool.average[slot, other : other + own].astype(np.float64)
        claim, exact = np.zeros(own), np.zeros(own)
        claim[claims] = pool.average[slot, own + other : first_exact]
        if tree.exact and node:
            exact[:] = pool.average[slot, first_exact : first_exact + own]
        done = np.vstack([raises, claim, exact, call])
        total = done.sum(axis=0)
        done = np.divide(done, total, out=np.zeros_like(done), where=total > 0)
        often = done * reach * tree.weights[seat]
        kept = np.where(often >= least, done, 0)
        if node == 0:  # an opener cannot call instead
            best = done.argmax(axis=0)
            kept[best, np.arange(own)] = done[best, np.arange(own)]
        total = kept.sum(axis=0)
        kept = np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)
        action, hand = np.nonzero(kept[:-1])
        rung = np.where(action < bit, tree.rungs - 1 - action, tree.rungs + action - bit)
        lines.append((np.full(len(hand), node, dtype=np.uint64), hand, rung))
        chances.append(kept[action, hand])
        for b in np.flatnonzero(kept[:bit].any(axis=1)).tolist():
            after, then = int(pool.first[first + b]), reach * kept[b]
            if after and (then * tree.weights[seat]).max() >= least:
                answers = pool.first[after : after + b] + pool.average[after : after + b, own + other :].sum(axis=1)
                for c in np.flatnonzero(answers).tolist():
                    decide(after + c, c, node | 1 << b | 1 << c, then)

    everything = np.ones(own)
    if seat == 0:
        decide(ROOT, tree.rungs, 0, everything)
    else:
        for bit in np.flatnonzero(tree.views[seat].opens).tolist():
            decide(int(pool.first[ROOT]) + bit, bit, 1 << bit, everything)
    node, hand, rung = (np.concatenate(column) for column in zip(*lines, strict=True))
    order = np.lexsort((rung, hand, node))
    return Strategy(tree, seat, node[order], hand[order], rung[order], np.concatenate(chances)[order])


def pool_of(strategies: tuple[Strategy, Strategy]) -> Pool:
    """Both strategies as a pool of averages, for the traversal."""
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

    average = np.zeros((end, tree.width))
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
    return Pool(np.zeros((0, tree.width)), average, starts)


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
