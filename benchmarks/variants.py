"""Ways to update regrets, compared on small rounds: CFR+, discounted (DCFR), both (DCFR+), predictive (PCFR+).

All use plain numpy over every node of the public tree, both players in turn, and a player without regrets calls: only
the update and the weights of the average differ. Each line has the exploitability after 30 to 1,000 iterations,
certified by the package's best responses, and what the iterations cost here. The last line is the package's own solver,
DCFR+ with t^3: it differs only by rounding, which settles ties between regrets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from liars_dice.core import GameConfig
from liars_dice.exact.solver.cfr_traversal import Pool
from liars_dice.exact.solver.cpu_solver import best_responses
from liars_dice.exact.solver.equilibrium import solve
from liars_dice.exact.solver.public_tree import PublicTree
from liars_dice.numeric.arrays import Floats, Ints

ROUNDS = ((1, 1), (2, 1), (1, 2))
CHECKPOINTS = (30, 100, 300, 1000)


class Table(NamedTuple):
    """A number for everything one seat can do with each hand."""

    call: Floats
    """[node, hand]: at the nodes where the seat acts."""
    claim: Floats
    """[node, face]: the claim that all dice show the face."""
    bid: Floats
    """[node, hand]: of the bid that leads to the node."""


class Variant(NamedTuple):
    """A way to update."""

    add: Callable[[Floats, Floats, int], Floats]
    """New regrets from the old, what was missed in this iteration, and its number from 1."""
    basis: Callable[[Floats, Floats], Floats]
    """What the next mix is proportional to, where it is positive: from the regrets and what was missed just now."""
    power: int
    """Iteration t has weight t to this power in the average."""


def plus(regret: Floats, missed: Floats, t: int) -> Floats:
    """Never below zero (Tammelin 2014)."""
    return np.maximum(regret + missed, 0)


def discounted(regret: Floats, missed: Floats, t: int) -> Floats:
    """DCFR with alpha 1.5 and beta 0 (Brown and Sandholm 2019)."""
    return (regret + missed) * np.where(regret + missed > 0, t**1.5 / (t**1.5 + 1), 0.5)


def both(regret: Floats, missed: Floats, t: int) -> Floats:
    """Never below zero, and discounted."""
    kept: float = t**1.5 / (t**1.5 + 1)
    return plus(regret, missed, t) * kept


def as_they_are(regret: Floats, missed: Floats) -> Floats:
    """The mix follows the regrets."""
    return regret


def predicted(regret: Floats, missed: Floats) -> Floats:
    """The next iteration is expected to be like this one (Farina, Kroer and Sandholm 2021)."""
    return regret + missed


VARIANTS = {
    **{f"CFR+, t^{power}": Variant(plus, as_they_are, power) for power in (1, 2, 3, 4)},
    **{f"DCFR, t^{power}": Variant(discounted, as_they_are, power) for power in (2, 3)},
    **{f"DCFR+, t^{power}": Variant(both, as_they_are, power) for power in (2, 3, 4)},
    **{f"PCFR+, t^{power}": Variant(plus, predicted, power) for power in (2, 3)},
}
OURS = "DCFR+, t^3"
"""What the package's solver does."""


class Nodes(NamedTuple):
    """The nodes with one bit: those where seat 0 acts and those where seat 1 does, and where their raises lead."""

    of: tuple[Ints, Ints]
    raises: tuple[Ints, Ints]
    """[node, lower bit]."""


class Improver:
    """Both seats' strategies over the whole public tree."""

    def __init__(self, tree: PublicTree, variant: Variant) -> None:
        self.tree, self.variant = tree, variant
        self.number = 1 << tree.rungs
        self.claims = [view.own_claims for view in tree.views]
        view = tree.views[0]
        holds = view.own_matches[view.face][:, :, None] + view.their_matches[view.face][:, None, :]
        won = np.where(holds >= view.quantity[:, None, None], 1.0, -1.0)
        won = np.concatenate([won, np.zeros_like(won[:1])])  # before the first bid there is nothing to call
        self.if_called = (won, won.transpose(0, 2, 1))
        """For each seat, [bit, own hand, their hand]: what its own bid is worth if it is called."""
        self.nodes = [self._nodes(bit) for bit in range(tree.rungs + 1)]
        self.regret, self.missed, self.average = ([self._zeros(s) for s in (0, 1)] for _ in range(3))
        self.mix = [self._normal(s, self.regret[s]) for s in (0, 1)]
        self.reach = [self._reached(s) for s in (0, 1)]

    def _nodes(self, bit: int) -> Nodes:
        rungs = self.tree.rungs
        every = np.array([0]) if bit == rungs else (2 * np.arange(1 << (rungs - 1 - bit)) + 1) << bit
        bids = np.array([int(node).bit_count() for node in every])
        first, second = every[bids % 2 == 0], every[bids % 2 == 1]
        lower = 1 << np.arange(bit)
        return Nodes((first, second), (first[:, None] | lower, second[:, None] | lower))

    def _zeros(self, seat: int) -> Table:
        hands = (self.number, self.tree.hands[seat])
        return Table(np.zeros(hands), np.zeros((self.number, self.tree.claims)), np.zeros(hands))

    def _normal(self, seat: int, basis: Table) -> Table:
        """The mix proportional to what is positive; where nothing is, the player calls, or opens anyhow."""
        call, claim, bid = (np.maximum(part, 0) for part in basis)
        claims = self.claims[seat]
        for bit, nodes in enumerate(self.nodes):
            here, raises = nodes.of[seat], nodes.raises[seat]
            total = call[here] + bid[raises].sum(axis=1)
            total[:, claims] += claim[here]
            nothing = total <= 0
            total[nothing] = 1
            call[here] = np.where(nothing, bit < self.tree.rungs, call[here] / total)
            claim[here] /= total[:, claims]
            opened = (nothing & (bit == self.tree.rungs))[:, None] / max(bit, 1)
            bid[raises] = bid[raises] / total[:, None] + opened
        return Table(call, claim, bid)

    def _reached(self, seat: int) -> Floats:
        """[node, hand]: how likely the seat's own mix leads there."""
        reach = np.ones((self.number, self.tree.hands[seat]))
        for nodes in reversed(self.nodes):
            for actor in (0, 1):
                before = reach[nodes.of[actor]][:, None]
                raises = nodes.raises[actor]
                reach[raises] = before * self.mix[seat].bid[raises] if actor == seat else before
        return reach

    def iterate(self, t: int) -> None:
        """Improve each seat in turn; the mix it meets goes into the average."""
        for seat in (0, 1):
            self._add_to_average(1 - seat, float(t) ** self.variant.power)
            self._look(seat)
            now, missed = self.regret[seat], self.missed[seat]
            self.regret[seat] = Table(*(self.variant.add(r, m, t) for r, m in zip(now, missed, strict=True)))
            basis = Table(*(self.variant.basis(r, m) for r, m in zip(self.regret[seat], missed, strict=True)))
            self.mix[seat] = self._normal(seat, basis)
            self.reach[seat] = self._reached(seat)

    def _add_to_average(self, seat: int, weight: float) -> None:
        average, mix, reach = self.average[seat], self.mix[seat], weight * self.reach[seat]
        average.call[:] += reach * mix.call
        average.claim[:] += reach[:, self.claims[seat]] * mix.claim
        average.bid[:] += reach

    def _look(self, seat: int) -> None:
        """Find what the seat missed everywhere, from the highest rung down."""
        tree, mix, theirs, missed = self.tree, self.mix[seat], self.mix[1 - seat], self.missed[seat]
        claims, their_claims = self.claims[seat], self.claims[1 - seat]
        reach = self.reach[1 - seat] * tree.weights[1 - seat]
        value = np.zeros((self.number, tree.hands[seat]))
        for bit, nodes in enumerate(self.nodes):
            if_called = self.if_called[seat][bit].T
            here, raises = nodes.of[seat], nodes.raises[seat]
            there = reach[here]
            called = -there @ if_called
            claimed = 2 * there[:, their_claims] - there.sum(axis=1, keepdims=True)
            raised = value[raises]
            worth = mix.call[here] * called + (mix.bid[raises] * raised).sum(axis=1)
            worth[:, claims] += mix.claim[here] * claimed
            missed.call[here] = called - worth if bit < tree.rungs else 0
            missed.claim[here] = claimed - worth[:, claims]
            missed.bid[raises] = raised - worth[:, None]
            value[here] = worth
            here, raises = nodes.of[1 - seat], nodes.raises[1 - seat]
            there = reach[here]
            claim = there[:, their_claims] * theirs.claim[here]
            worth = (there * theirs.call[here]) @ if_called + value[raises].sum(axis=1)
            worth += claim.sum(axis=1, keepdims=True)
            worth[:, claims] -= 2 * claim
            value[here] = worth

    def exploitability(self) -> float:
        """Of the average strategies, by the package's best responses."""
        tree = self.tree
        order, first = [0], np.zeros(self.number, dtype=np.int64)
        for slot in range(self.number):
            node = order[slot]
            bit = (node & -node).bit_length() - 1 if node else tree.rungs
            first[slot] = len(order) if bit else 0
            order += [node | 1 << lower for lower in range(bit)]
        rows = np.zeros((self.number, tree.width))
        for slot, node in enumerate(order):
            actor = node.bit_count() % 2
            bidder, mine = self.average[1 - actor], self.average[actor]
            rows[slot] = np.concatenate([bidder.bid[node], mine.call[node], mine.claim[node]])
        return sum(best_responses(tree, Pool(np.zeros_like(rows), rows, first))) / 2


def told(name: str, exploitabilities: list[float]) -> str:
    """The beginning of a line."""
    return f"  {name:11} {'  '.join(f'{number:.1e}' for number in exploitabilities)}"


def main() -> None:
    """Every variant on every round, an iteration each in turn, so that whatever else runs here slows all alike."""
    for dice in ROUNDS:
        tree = PublicTree(GameConfig(dice=dice))
        print(f"{dice[0]} v {dice[1]}: exploitability after {', '.join(map(str, CHECKPOINTS))} iterations", flush=True)
        improvers = {name: Improver(tree, variant) for name, variant in VARIANTS.items()}
        found: dict[str, list[float]] = {name: [] for name in VARIANTS}
        spent = dict.fromkeys(VARIANTS, 0.0)
        for t in range(1, CHECKPOINTS[-1] + 1):
            for name, improver in improvers.items():
                start = time.perf_counter()
                improver.iterate(t)
                spent[name] += time.perf_counter() - start
                if t in CHECKPOINTS:
                    found[name].append(improver.exploitability())
        for name in VARIANTS:
            print(f"{told(name, found[name])}  {spent[name] / spent[OURS]:.2f} of the time of {OURS}")
        solved = [solve(tree.config, target=1e-12, iterations=n).exploitability for n in CHECKPOINTS]
        print(told("the package", solved), flush=True)


if __name__ == "__main__":
    main()
