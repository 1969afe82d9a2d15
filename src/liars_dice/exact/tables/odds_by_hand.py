"""The numbers that decisions are made from, for all hands and rungs of a situation at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...core import Bid, binomial_prob_at_least, binomial_prob_exactly, match_chance
from ...numeric import Floats, Ints, Truths
from .hands import hand_set
from .situation import ANY_RAISE, Situation, ladder_arrays

Kind = TypeVar("Kind", np.bool_, np.float64)
NONE = -1
"""No such rung."""


class DecisionOdds:
    """Arrays over (hand, rung). A rung's column in a policy table is one further: column 0 stands for no bid yet.

    The odds are those of `core.odds`, float for float, so that comparisons give the same result as in the bots.
    """

    def __init__(self, situation: Situation) -> None:
        rules = situation.rules
        self.situation = situation
        self.hands = hand_set(situation.own, rules.config.faces)
        self.size = len(rules.ladder)
        self.liar, self.exact = self.size, self.size + 1
        self.may_call_exact = rules.config.exact_call
        self.quantity, self.face = ladder_arrays(rules)
        self.held: Ints = self.hands.matches(rules.wild_face)
        """How many of the hand's dice count for a bid on each face (column 0 belongs to no face)."""
        self.opens: Truths = np.zeros(self.size, dtype=bool)
        self.opens[sorted(rules.opening_rungs)] = situation.limit == ANY_RAISE
        self.raises: Truths = np.full(self.size, situation.limit == ANY_RAISE) | (self.face == situation.limit)
        self.arises: Truths = np.array([situation.arises(rung) for rung in range(-1, self.size)])
        """Which columns of a policy table can come up in a game."""
        self.chance_true = self._odds(binomial_prob_at_least)
        self.chance_exact = self._odds(binomial_prob_exactly)

    def _odds(self, of: object) -> Floats:
        """A function of (unseen dice, dice still missing, chance of each), for every hand and bid."""
        rules, other = self.situation.rules, self.situation.other
        missing = self.quantity - self.held[:, self.face]
        lowest = min(0, int(missing.min()))
        chances = {face: match_chance(face, rules) for face in set(self.face.tolist())}
        kinds = sorted(set(chances.values()))
        values = np.array(
            [[of(other, k, p) for k in range(lowest, int(missing.max()) + 1)] for p in kinds]  # type: ignore[operator]
        )
        kind = np.array([kinds.index(chances[face]) for face in self.face.tolist()])
        odds: Floats = values[kind, missing - lowest]
        return odds

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of a policy table."""
        return len(self.hands), self.size + 1

    def rung(self, quantity: int, face: int) -> int:
        """The rung of a bid; `NONE` if it is not on the ladder."""
        return self.situation.rules.rungs.get(Bid(quantity, face), NONE)

    def of_current(self, per_bid: NDArray[Kind], opening: float) -> NDArray[Kind]:
        """Values per rung, moved to the column of the state in which that rung is the current bid."""
        first = np.full((len(self.hands), 1), opening, dtype=per_bid.dtype)
        return np.concatenate([first, per_bid], axis=1)

    def lowest(self, wanted: Truths | bool = True) -> Ints:
        """The lowest legal bid that is wanted, in every state."""
        found = np.full(self.shape, NONE)
        rungs = np.arange(self.size)
        legal = np.where(np.broadcast_to(wanted, (len(self.hands), self.size)) & self.raises, rungs, self.size)
        from_here_up = np.minimum.accumulate(legal[:, ::-1], axis=1)[:, ::-1]
        found[:, 1:-1] = from_here_up[:, 1:]
        found[:, 0] = np.where(np.broadcast_to(wanted, legal.shape) & self.opens, rungs, self.size).min(axis=1)
        found[found == self.size] = NONE
        return found

    def highest(self, wanted: Truths) -> Ints:
        """The highest legal bid that is wanted, in every state."""
        rungs = np.arange(self.size)
        top = np.where(wanted & self.raises, rungs, NONE).max(axis=1)[:, None]
        found = np.where(top > np.arange(-1, self.size), top, NONE)
        found[:, 0] = np.where(wanted & self.opens, rungs, NONE).max(axis=1)
        return found

    def likeliest(self) -> Ints:
        """The legal bid that is most probably true, of several the highest, in every state."""
        found = np.full(self.shape, NONE)
        found[:, 1:-1] = self._suffix_best(self.raises)[:, 1:]
        found[:, 0] = self._suffix_best(self.opens)[:, 0]
        return found

    def _suffix_best(self, legal: Truths) -> Ints:
        """For every rung the likeliest legal one from there up."""
        downwards = np.where(legal, self.chance_true, -1.0)[:, ::-1]
        record = np.maximum.accumulate(downwards, axis=1)
        sets_it = np.empty(record.shape, dtype=bool)
        sets_it[:, 0] = downwards[:, 0] >= 0
        sets_it[:, 1:] = record[:, 1:] > record[:, :-1]
        steps = np.where(sets_it, np.arange(self.size), NONE)
        best = np.maximum.accumulate(steps, axis=1)[:, ::-1]
        return np.where(best == NONE, NONE, self.size - 1 - best)

    def chance_of(self, rung: Ints) -> Floats:
        """How likely these bids are to be true; below zero where there is no bid."""
        padded = np.concatenate([self.chance_true, np.full((len(self.hands), 1), -1.0)], axis=1)
        return np.take_along_axis(padded, rung, axis=1)


@lru_cache(maxsize=64)
def decision_odds(situation: Situation) -> DecisionOdds:
    """The odds of a situation; agents compiled one after the other share them."""
    return DecisionOdds(situation)
