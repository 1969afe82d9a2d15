"""Equilibria of small rounds as linear programs: a second opinion on `solve`, by another way.

Each seat's strategy is a *realization plan*: with each hand, how likely its own choices lead it to each of its bids,
calls and claims. The payoff is linear in both plans, so best plans solve one linear program in sequence form (Koller,
Megiddo and von Stengel, 1996). The game is written down from the rules: hands, bids, and who wins a call. The answer is
exact up to the tolerance of the simplex method.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np

from liars_dice.core.rules import count_matches
from liars_dice.exact.solver.cfr_traversal import Pool, Rows
from liars_dice.exact.solver.public_tree import PublicTree
from liars_dice.numeric.arrays import Floats, Ints, Truths

TOLERANCE = 1e-10
"""The smallest that the simplex method takes."""


class LinearSolution(NamedTuple):
    """The value of a round to the opener, and best strategies for both seats."""

    value: float
    pool: Pool
    """The strategies, as `cpu.best_responses` reads them."""


class _Nodes(NamedTuple):
    """Every bidding of the tree, the root first."""

    bit: Ints
    """The bit of the last bid; at the root, the number of rungs."""
    actor: Ints
    """Whose turn it is."""
    parent: Ints
    first: Ints
    """Where a node's raises begin, one a bit; 0 if there are none."""
    legal: Truths
    """Whether the rules allow the bidding."""


class _Entries:
    """A sparse matrix while it is being written."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []

    def add(self, row: int, column: int, value: float) -> None:
        self.rows.append(row)
        self.columns.append(column)
        self.values.append(value)

    def matrix(self, shape: tuple[int, int]) -> Any:
        from scipy.sparse import coo_matrix

        return coo_matrix((self.values, (self.rows, self.columns)), shape=shape).tocsr()


class _Plan:
    """The sequences of one seat, and what makes numbers for them a plan: what goes on from a place is what came there.

    Sequence 0 is having done nothing yet. The others are places in a pool's table: a row for the node and a column for
    the bid, call or claim with a hand.
    """

    def __init__(self, tree: PublicTree, nodes: _Nodes, seat: int) -> None:
        other = 1 - seat
        self.number: dict[tuple[int, int], int] = {}
        self.places: list[tuple[int, int]] = []
        flows = _Entries()
        flows.add(0, 0, 1.0)
        self.conditions = 1
        claims = _claims(tree, seat)
        for node in np.flatnonzero(nodes.legal & (nodes.actor == seat)).tolist():
            raises = _raises(nodes, node)
            for hand in range(tree.hands[seat]):
                came = 0 if nodes.parent[node] <= 0 else self.number[int(nodes.parent[node]), hand]
                flows.add(self.conditions, came, -1.0)
                columns = [] if node == 0 else [(node, tree.hands[other] + hand)]
                columns += [(node, sum(tree.hands) + k) for k, claimed in enumerate(claims) if claimed == hand]
                columns += [_exact_call(tree, node, hand)] if tree.exact and node else []
                for place in columns + [(raised, hand) for raised in raises]:
                    self.places.append(place)
                    self.number[place] = len(self.places)
                    flows.add(self.conditions, len(self.places), 1.0)
                self.conditions += 1
        self.sequences = len(self.places) + 1
        self.flows = flows.matrix((self.conditions, self.sequences))
        self.start = np.zeros(self.conditions)
        self.start[0] = 1.0

    def write(self, plan: Floats, table: Rows) -> None:
        """Put a plan into a pool's table."""
        for place, chance in zip(self.places, plan[1:].tolist(), strict=True):
            table[place] = max(chance, 0.0)


def solve_linear(tree: PublicTree) -> LinearSolution:
    """Solve a small round by linear programming."""
    from scipy.optimize import linprog
    from scipy.sparse import bmat, csr_matrix

    nodes = _nodes(tree)
    opener, answerer = (_Plan(tree, nodes, seat) for seat in (0, 1))
    payoff = _payoff(tree, nodes, opener, answerer)
    # the opener maximises what its plan x is sure of; q holds what the answerer's best choices leave at each place:
    # maximise start @ q so that answerer.flows.T q <= payoff.T x and opener.flows x = opener.start, x >= 0
    found = linprog(
        np.concatenate([np.zeros(opener.sequences), -answerer.start]),
        A_ub=bmat([[-payoff.T, answerer.flows.T]], format="csr"),
        b_ub=np.zeros(answerer.sequences),
        A_eq=bmat([[opener.flows, csr_matrix((opener.conditions, answerer.conditions))]], format="csr"),
        b_eq=opener.start,
        bounds=np.array([(0.0, np.inf)] * opener.sequences + [(-np.inf, np.inf)] * answerer.conditions),
        method="highs",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    assert found.status == 0, found.message
    shape = (len(nodes.bit), tree.width)
    pool = Pool(np.zeros(shape), np.zeros(shape), nodes.first)
    opener.write(found.x[: opener.sequences], pool.average)
    answerer.write(-found.ineqlin.marginals, pool.average)
    return LinearSolution(-float(found.fun), pool)


def _nodes(tree: PublicTree) -> _Nodes:
    """All biddings of the tree, shorter ones first."""
    rules = tree.rules
    bit, actor, parent, first, legal = [tree.rungs], [0], [-1], [], [True]
    for node in range(1 << tree.rungs):
        first.append(len(bit) if bit[node] else 0)
        for raised in range(bit[node]):
            opens = tree.rungs - 1 - raised in rules.opening_rungs
            bit.append(raised)
            actor.append(1 - actor[node])
            parent.append(node)
            legal.append(legal[node] and (node > 0 or opens))
    return _Nodes(np.array(bit), np.array(actor), np.array(parent), np.array(first), np.array(legal))


def _raises(nodes: _Nodes, node: int) -> list[int]:
    """The nodes to which the player may raise."""
    begin = int(nodes.first[node])
    return [begin + c for c in range(int(nodes.bit[node])) if nodes.legal[begin + c]] if begin else []


def _claims(tree: PublicTree, seat: int) -> list[int]:
    """The hands of one face only, if they may be claimed."""
    hands = tree.hand_sets[seat]
    return [hands.index[(face,) * hands.dice] for face in range(1, tree.claims + 1)]


def _exact_call(tree: PublicTree, node: int, hand: int) -> tuple[int, int]:
    """The place of an exact call with a hand."""
    return node, sum(tree.hands) + tree.claims + hand


def _payoff(tree: PublicTree, nodes: _Nodes, opener: _Plan, answerer: _Plan) -> Any:
    """What every way to end the round is worth to the opener, by the sequences of both that lead there."""
    entries = _Entries()
    plans = (opener, answerer)
    hands = [tree.hand_sets[seat].hands for seat in (0, 1)]
    weights = [tree.weights[seat].tolist() for seat in (0, 1)]
    claims = [_claims(tree, seat) for seat in (0, 1)]
    pairs = list(product(range(tree.hands[0]), range(tree.hands[1])))
    counted = {
        bid: [count_matches((hands[0][a], hands[1][b]), bid.face, tree.rules.wild_face) for a, b in pairs]
        for bid in tree.bids
    }
    pay = tree.payoffs

    def end(seat: int, sequence: int, theirs: int, pair: tuple[int, int], worth: float) -> None:
        """The seat ends the round by a call or claim, which is worth this to it."""
        row, column = (sequence, theirs) if seat == 0 else (theirs, sequence)
        chance = weights[0][pair[0]] * weights[1][pair[1]]
        entries.add(row, column, chance * worth if seat == 0 else -chance * worth)

    for node in np.flatnonzero(nodes.legal).tolist():
        actor = int(nodes.actor[node])
        own, other = plans[actor], plans[1 - actor]
        for i, pair in enumerate(pairs):
            mine, theirs = pair[actor], pair[1 - actor]
            made = other.number[node, theirs] if node else 0
            if node:
                bid = tree.bids[tree.rungs - 1 - int(nodes.bit[node])]
                false, hit = counted[bid][i] < bid.quantity, counted[bid][i] == bid.quantity
                worth = (pay.liar_right if false else pay.liar_wrong)[actor]
                end(actor, own.number[node, tree.hands[1 - actor] + mine], made, pair, worth)
                if tree.exact:
                    worth = (pay.exact_right if hit else pay.exact_wrong)[actor]
                    end(actor, own.number[_exact_call(tree, node, mine)], made, pair, worth)
            for k, claimed in enumerate(claims[actor]):
                if mine == claimed:
                    all_alike = theirs == claims[1 - actor][k]
                    end(actor, own.number[node, sum(tree.hands) + k], made, pair, 1.0 if all_alike else -1.0)
    return entries.matrix((opener.sequences, answerer.sequences))
