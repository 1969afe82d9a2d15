"""The best answer, in one round between two players, to what is believed of the opponent.

The belief about how the opponent plays is a table: for each rung that it may have to answer, how often it takes each
action with each hand. The formulas are those of `exact.response`: with b the chances of the opponent's hands together
with the bids it has made, for all of the own hands at once,

    V(b, r) = max(chance that r is false, max over c > r of U(b, c))
    U(b, c) = chance that the opponent calls c and c is true + sum over its raises a of V(b restricted to a, a)

The search follows all biddings; a branch that comes up less often than `LEAST_MASS` is ended by a call.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core import Bid, RoundRules
from ..exact.tables import hand_set, ladder_arrays
from ..numeric import Floats, Int, Ints, Truths, compiled, inlined

LEAST_MASS = 0.002
"""A bidding that is less likely than this is not searched further."""
SLIP = 0.02
"""How often the opponent is taken to do something at random, when its bids are read: no bid is impossible."""
RARE = 0.01
"""Actions that are believed to be rarer than this are not searched."""
MOST_BIDS = {6: 4, 8: 2}
"""Up to this many dice in play: how many own bids in a row the search follows; then it calls. With more dice, one."""


class RoundAnswer:
    """The best answer to a table of beliefs, from a round's first bid to its last.

    `table[rung + 1, action, hand]` says how often the opponent takes each action (the rungs, then liar, then exact)
    with each of its hands when it has to answer a rung (-1: when it opens). An opponent who plays each round in one of
    several ways has all its hands once for every way, and `shares` says how often it plays in each.
    """

    def __init__(
        self,
        rules: RoundRules,
        own: int,
        table: Floats,
        *,
        shares: Sequence[float] = (1.0,),
        least_mass: float = LEAST_MASS,
        rare: float = RARE,
    ) -> None:
        self.rules = rules
        self.own = hand_set(own, rules.config.faces)
        self.theirs = hand_set(rules.total_dice - own, rules.config.faces)
        self.size = len(rules.bids)
        self.table = table
        self._weights: Floats = np.concatenate([share * self.theirs.weights for share in shares])
        self._searched = _without_rare(table, rare)
        self._least, self._rare = least_mass, rare
        self._most_bids = next((bids for dice, bids in MOST_BIDS.items() if rules.total_dice <= dice), 1)
        self._quantity, self._face = ladder_arrays(rules)
        self._own_matches, their_matches = (
            np.ascontiguousarray(hands.matches(rules.wild_face).T) for hands in (self.own, self.theirs)
        )
        self._their_matches = np.tile(their_matches, len(shares))
        self._opens = np.zeros(self.size, dtype=bool)
        self._opens[sorted(rules.opening_rungs)] = True
        self._known: dict[tuple[int, ...], Floats] = {}
        self._worth: dict[bool, float] = {}

    def belief(self, rungs: Sequence[int], first: int) -> Floats:
        """How likely each of the opponent's hands is after these bids, of which it made number `first` and every
        second one from there on. The chances add up to one.
        """
        chances: Floats = self._weights.copy()
        for made in range(first, len(rungs), 2):
            before = rungs[made - 1] if made else -1
            options = self.size - before - 1 + (before >= 0)
            chances *= (1 - SLIP) * self.table[before + 1, rungs[made]] + SLIP / options
            chances /= chances.sum()
        return chances

    def values(self, bids: Sequence[Bid]) -> Floats:
        """[action, own hand]: the chance to win the round with each action after these bids; -1 if it is illegal."""
        rungs = tuple(self.rules.rungs[bid] for bid in bids)
        if rungs not in self._known:
            self._known[rungs] = self._search(self.belief(rungs, first=1 - len(rungs) % 2), rungs[-1] if rungs else -1)
        return self._known[rungs]

    def _search(self, belief: Floats, rung: int) -> Floats:
        found = np.full((self.size + 2, len(self.own)), -1.0)
        _search_answers(
            rung, belief, self._searched, self._quantity, self._face, self._own_matches, self._their_matches,
            self._opens, self.rules.config.exact_call, self._least, self._most_bids, found,
        )  # fmt: skip
        return found

    def choices(self, bids: Sequence[Bid]) -> Ints:
        """[own hand]: the best action after these bids; of equals a call, then the lowest bid."""
        values = self.values(bids)
        calls, raises = values[self.size :], values[: self.size]
        best_call, best_raise = calls.max(0), raises.max(0)
        return np.asarray(np.where(best_call >= best_raise, self.size + calls.argmax(0), raises.argmax(0)))

    def holds(self, bid: Bid, theirs: tuple[int, ...], *, exactly: bool = False) -> Floats:
        """[own hand]: whether the bid holds (1 or 0), or holds exactly, if the opponent has these dice."""
        face = bid.face
        count = self._own_matches[face] + self._their_matches[face, self.theirs.index[theirs]]
        return np.asarray(count == bid.quantity if exactly else count >= bid.quantity, dtype=np.float64)

    def value(self, *, opens: bool) -> float:
        """What the answer is believed to earn in a round, +1 for a win and -1 for a loss, if it opens or is second."""
        if opens not in self._worth:
            self._worth[opens] = float(2 * (self.own.weights @ self._chances(opens)) - 1)
        return self._worth[opens]

    def _chances(self, opens: bool) -> Floats:
        """[own hand]: the chance to win the round. After openings that are rare it counts as even."""
        if opens:
            return np.asarray(self.values(()).max(0))
        total: Floats = np.zeros(len(self.own))
        for rung in sorted(self.rules.opening_rungs):
            belief = self._weights * self._searched[0, rung]
            if belief.sum() > self._rare:
                total += self._search(belief, rung).max(0)
            else:
                total += belief.sum() / 2
        return total


def _without_rare(table: Floats, rare: float) -> Floats:
    """The table without rare actions, scaled up to one again."""
    kept = np.where(table < rare, 0.0, table)
    total = kept.sum(1, keepdims=True)
    return np.asarray(np.divide(kept, total, out=kept, where=total > 0))


@compiled
def _search_answers(
    rung: int,
    belief: Floats,
    policy: Floats,
    quantity: Ints,
    face: Ints,
    own_matches: Ints,
    their_matches: Ints,
    opens: Truths,
    may_call_exact: bool,
    least: float,
    most_bids: int,
    found: Floats,
) -> None:
    """Write to `found` the chance to win with each action and own hand when `rung` is to be answered (-1: to open).

    Depth first over all biddings: level k holds the k-th own decision from here.
    """
    rungs, theirs, own = len(quantity), len(belief), own_matches.shape[1]
    depth = most_bids + 2
    beliefs = np.zeros((depth, theirs))
    best = np.zeros((depth, own))
    after = np.zeros((depth, own))
    current = np.zeros(depth, dtype=np.int64)
    raised = np.zeros(depth, dtype=np.int64)
    reply = np.zeros(depth, dtype=np.int64)
    most = max(own_matches.max(), their_matches.max()) + 1
    mass = np.zeros(most + 1)
    by_count = np.zeros(most + 1)
    beliefs[0] = belief
    current[0] = rung
    level = 0
    fresh = True
    while level >= 0:
        if fresh:
            fresh = False
            r = current[level]
            total = 0.0
            for h in range(theirs):
                total += beliefs[level, h]
            _value_liar(r, beliefs[level], quantity, face, own_matches, their_matches, mass, by_count, best[level])
            if level == 0 and r >= 0:
                found[rungs] = best[0]
            if may_call_exact and r >= 0:
                _value_exact(r, beliefs[level], quantity, face, own_matches, their_matches, mass, after[level])
                if level == 0:
                    found[rungs + 1] = after[0]
                for o in range(own):
                    best[level, o] = max(best[level, o], after[level, o])
            raised[level] = r if level == 0 or (total >= least and level < most_bids) else rungs
            reply[level] = rungs
        reply[level] += 1
        if reply[level] >= rungs:  # the next raise
            if current[level] < raised[level] < rungs:
                if level == 0:
                    found[raised[0]] = after[0]
                for o in range(own):
                    best[level, o] = max(best[level, o], after[level, o])
            raised[level] += 1
            while raised[level] < rungs and current[level] < 0 and not opens[raised[level]]:
                raised[level] += 1
            if raised[level] >= rungs:
                level -= 1
                if level >= 0:
                    for o in range(own):
                        after[level, o] += best[level + 1, o]
                continue
            c = raised[level]
            left = _value_called(
                c, beliefs[level], policy, quantity, face, own_matches, their_matches, may_call_exact, mass, by_count,
                after[level],
            )  # fmt: skip
            reply[level] = c
            if level > 0:  # a raise that cannot be better than what is known with any hand is not searched
                useless = True
                for o in range(own):
                    if after[level, o] + left > best[level, o]:
                        useless = False
                        break
                if useless:
                    reply[level] = rungs
            continue
        a, c = reply[level], raised[level]
        part = 0.0
        for h in range(theirs):
            x = beliefs[level, h] * policy[c + 1, a, h]
            beliefs[level + 1, h] = x
            part += x
        if part > 0.0:
            current[level + 1] = a
            level += 1
            fresh = True


@inlined
def _value_liar(
    r: Int,
    belief: Floats,
    quantity: Ints,
    face: Ints,
    own_matches: Ints,
    their_matches: Ints,
    mass: Floats,
    by_count: Floats,
    worth: Floats,
) -> None:
    """What calling the bid on rung r is worth with each own hand; nothing, if there is no bid yet."""
    if r < 0:
        worth[:] = 0.0
        return
    _mass_by_count(belief, their_matches[face[r]], mass)
    _chance_false(quantity[r], mass, by_count)
    for o in range(len(worth)):
        worth[o] = by_count[own_matches[face[r], o]]


@inlined
def _value_exact(
    r: Int,
    belief: Floats,
    quantity: Ints,
    face: Ints,
    own_matches: Ints,
    their_matches: Ints,
    mass: Floats,
    worth: Floats,
) -> None:
    """What calling the bid on rung r exact is worth with each own hand."""
    _mass_by_count(belief, their_matches[face[r]], mass)
    for o in range(len(worth)):
        missing = quantity[r] - own_matches[face[r], o]
        worth[o] = mass[missing] if 0 <= missing < len(mass) else 0.0


@inlined
def _mass_by_count(belief: Floats, matches: Ints, mass: Floats) -> None:
    """How likely each number of matching dice is."""
    mass[:] = 0.0
    for h in range(len(belief)):
        mass[matches[h]] += belief[h]


@inlined
def _chance_false(q: Int, mass: Floats, by_count: Floats) -> None:
    """By how many of the own dice match: the chance that fewer than q match in all."""
    for k in range(len(by_count)):
        below = 0.0
        for m in range(min(max(q - k, 0), len(mass))):
            below += mass[m]
        by_count[k] = below


@inlined
def _value_called(
    c: Int,
    belief: Floats,
    policy: Floats,
    quantity: Ints,
    face: Ints,
    own_matches: Ints,
    their_matches: Ints,
    may_call_exact: bool,
    mass: Floats,
    by_count: Floats,
    worth: Floats,
) -> float:
    """Start U with what the opponent's calls of rung c are worth; returns how often it does not call."""
    rungs = len(quantity)
    total = called = exactly = 0.0
    mass[:] = 0.0
    for h in range(len(belief)):
        x = belief[h] * policy[c + 1, rungs, h]
        mass[their_matches[face[c], h]] += x
        called += x
        total += belief[h]
    _chance_false(quantity[c], mass, by_count)
    for o in range(len(worth)):
        worth[o] = called - by_count[own_matches[face[c], o]]
    if may_call_exact:
        mass[:] = 0.0
        for h in range(len(belief)):
            x = belief[h] * policy[c + 1, rungs + 1, h]
            mass[their_matches[face[c], h]] += x
            exactly += x
        for o in range(len(worth)):
            missing = quantity[c] - own_matches[face[c], o]
            worth[o] += exactly - (mass[missing] if 0 <= missing < len(mass) else 0.0)
    return total - called - exactly
