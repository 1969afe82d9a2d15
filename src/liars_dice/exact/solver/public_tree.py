"""The tree of all biddings of a two-player round, and how it is laid out for loops.

What both players see is the set of rungs bid so far. A node of the tree is such a set; whose turn it is follows from
how many bids there were. At a node whose last bid is rung b a player can call, or raise to any rung above b. Rung b is
known by its *bit*, rungs - 1 - b: the number of rungs above it, which is how many raises are left. At every node a row
of numbers belongs to the hands of the player who acts there. Hands are sorted: 6, 21, 56, 126 of them for 1 to 4 dice.

Without wilds, in the order of quantities, the tree is made smaller without loss (docs/solver.md has the proof): with n
dice in play the rungs of quantity n are left out, and a hand of nothing but one face has one more action instead, the
*claim* that all dice show it, which ends the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import NamedTuple

import msgspec
import numpy as np

from ...core import Bid, GameConfig, RoundRules, prob_holds, round_rules
from ...numeric import Floats, Ints, Truths
from ..errors import OutOfReachError
from ..tables import check_own_dice_only, count_rungs, hand_set, number_of_hands

MOST_RUNGS = 60
"""A set of rungs is a number of 64 bits, and no tree with this many rungs is ever traversed in full."""


ROUNDING = 1e-9
"""By how much a payoff may be beyond 1: chances to win a match are sums."""


class Bracket(msgspec.Struct, frozen=True):
    """Proved bounds on the value of a round to the opener."""

    lower: float
    upper: float

    @property
    def value(self) -> float:
        """The middle: what the round is worth to the opener."""
        return (self.lower + self.upper) / 2

    @property
    def exploitability(self) -> float:
        """What a perfect adversary would earn against these strategies above the value, the mean of both seats."""
        return (self.upper - self.lower) / 2

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: value from {self.lower:.6f} to {self.upper:.6f}>"


class Payoffs(msgspec.Struct, frozen=True):
    """What a call is worth to the seat that makes it: from 1, the round or match is won, to -1, it is lost.

    The other seat gets the opposite. Each field has a number for the opener's calls and one for the other player's.
    """

    liar_right: tuple[float, float] = (1.0, 1.0)
    liar_wrong: tuple[float, float] = (-1.0, -1.0)
    exact_right: tuple[float, float] = (1.0, 1.0)
    exact_wrong: tuple[float, float] = (-1.0, -1.0)

    def __post_init__(self) -> None:
        """Raise `OutOfReachError` for anything else: no bracket would hold."""
        for name in self.__struct_fields__:
            worth: tuple[float, ...] = getattr(self, name)
            if len(worth) != 2 or not all(abs(value) <= 1 + ROUNDING for value in worth):
                raise OutOfReachError(f"payoffs: {name} is {worth}; expected two numbers from -1, lost, to 1, won")

    def to(self, seat: int) -> Floats:
        """[whose call, kind, whether it is right], all to one seat: its own calls first, liar before exact."""
        own, other = seat, 1 - seat
        kinds = ((self.liar_wrong, self.liar_right), (self.exact_wrong, self.exact_right))
        return np.array(
            [[[sign * worth[caller] for worth in kind] for kind in kinds] for caller, sign in ((own, 1), (other, -1))]
        )


ONE_ROUND = Payoffs()
"""The payoffs of a single round: it is won or lost."""


class SeatView(NamedTuple):
    """The tree as compiled code reads it on behalf of one seat."""

    quantity: Ints
    """By bit: how many dice the bid names."""
    face: Ints
    """By bit: the face it names."""
    opens: Truths
    """By bit: whether the bid may open a round."""
    live: Truths
    """By bit: whether the strategies may raise the bid. Where they may not, it is only called."""
    own_matches: Ints
    """[face, hand]: how many dice of each hand of the seat count for a bid on the face; row 0 counts all dice."""
    their_matches: Ints
    own_claims: Ints
    """The hands that show a single face, by face; none if the tree is not reduced."""
    their_claims: Ints
    worth: Floats
    """[whose call, kind, whether it is right]: what calls are worth to the seat (`Payoffs.to`)."""
    exact: bool
    """Whether there are exact calls."""


class PublicTree:
    """The public tree of one round: the opener has `config.dice[0]` dice, the other player `config.dice[1]`.

    >>> from liars_dice.core import preset
    >>> tree = PublicTree(preset("classic", dice=1))
    >>> tree.reduced, tree.rungs, tree.hands
    (True, 6, (6, 6))
    """

    def __init__(
        self,
        config: GameConfig,
        *,
        reduce: bool = True,
        payoffs: Payoffs = ONE_ROUND,
        cut: float = 0.0,
    ) -> None:
        _check(config)
        if not 0 <= cut < inf:
            raise OutOfReachError(f"cut {cut:g}: expected a share of all rolls, such as 0.05, or 0 for no cut")
        self.config = config.without_seed
        self.payoffs = payoffs
        self.rules: RoundRules = round_rules(self.config, config.total_dice, False)
        bids = self.rules.bids
        self.reduced = reduce and can_reduce(config) and payoffs == ONE_ROUND
        self.bids: tuple[Bid, ...] = bids[: -config.faces] if self.reduced else bids
        """The bids of the tree, lowest rung first."""
        self.rungs = len(self.bids)
        self.hand_sets = tuple(hand_set(n, config.faces) for n in config.dice)
        self.hands = (len(self.hand_sets[0]), len(self.hand_sets[1]))
        self.weights = tuple(hands.weights for hands in self.hand_sets)
        self.claims = config.faces if self.reduced else 0
        """How many hands of each seat can make a claim."""
        self.exact = config.exact_call
        self.width = sum(self.hands) + self.claims + (max(self.hands) if self.exact else 0)
        """How many numbers a node holds: the bidder's row, the actor's for calling, its claims, and its exact calls."""
        self.cut = cut
        self.live = frozenset(bid for bid in self.bids if self._chance(bid) >= cut)
        """The bids that the strategies may raise: those that are true in at least `cut` of all rolls. The others are
        only called."""

    def __repr__(self) -> str:
        own, other = self.config.dice
        return f"<PublicTree: {own} against {other} dice, {self.rungs} rungs>"

    def _chance(self, bid: Bid) -> float:
        return prob_holds(bid, (), self.rules)

    def with_lower_cut(self) -> PublicTree | None:
        """The same tree, in which the likeliest of the bids that are only called may be raised; None if all may be."""
        ended = [self._chance(bid) for bid in self.bids if bid not in self.live]
        return self.with_payoffs(self.payoffs, max(ended)) if ended else None

    def with_payoffs(self, payoffs: Payoffs, cut: float | None = None) -> PublicTree:
        """The same tree with other payoffs."""
        return PublicTree(self.config, reduce=self.reduced, payoffs=payoffs, cut=self.cut if cut is None else cut)

    @property
    def most_slots(self) -> int:
        """How many nodes strategies can lead to: sets of bids that may be raised, and one more bid."""
        below, slots = 0, 1 + self.rungs
        for rung, bid in enumerate(self.bids):
            if bid in self.live:
                slots += (self.rungs - 1 - rung) << below
                below += 1
        return slots

    @cached_property
    def views(self) -> tuple[SeatView, SeatView]:
        """What compiled code reads, for each seat."""
        falling = self.bids[::-1]
        faces = range(1, self.claims + 1)
        matches = [np.ascontiguousarray(hands.matches(self.rules.wild_face).T) for hands in self.hand_sets]
        for hands, counted in zip(self.hand_sets, matches, strict=True):
            counted[0] = hands.dice  # row 0 belongs to no face: it holds the number of dice
        claims = [np.array([h.index[(face,) * h.dice] for face in faces], dtype=np.int64) for h in self.hand_sets]
        quantity, face = (np.array([getattr(bid, name) for bid in falling]) for name in ("quantity", "face"))
        opens = np.array([self.rules.rungs[bid] in self.rules.opening_rungs for bid in falling])
        live = np.array([bid in self.live for bid in falling])
        return (
            SeatView(
                quantity, face, opens, live, matches[0], matches[1], claims[0], claims[1],
                self.payoffs.to(0), self.exact,
            ),
            SeatView(
                quantity, face, opens, live, matches[1], matches[0], claims[1], claims[0],
                self.payoffs.to(1), self.exact,
            ),
        )  # fmt: skip

    @cached_property
    def kept(self) -> frozenset[Bid]:
        """The bids of the tree."""
        return frozenset(self.bids)

    def node(self, history: Sequence[Bid]) -> int:
        """The node after these bids, all of which must be in the tree: a number with a one for every bit."""
        return sum(1 << (self.rungs - 1 - self.rules.rungs[bid]) for bid in history)

    @property
    def information_sets(self) -> int:
        """The number of information sets of the whole game."""
        return sum(self.hands) << (len(self.rules.bids) - 1)


def can_reduce(config: GameConfig) -> bool:
    """Whether the rungs of the highest quantity can be left out; docs/solver.md says why."""
    total = config.total_dice
    rules = round_rules(config.without_seed, total, False)
    plain = config.wild == "none" and config.bid_ordering == "quantity_then_face" and not config.exact_call
    return plain and config.max_quantity in ("total", total) and len(rules.opening_rungs) == len(rules.bids)


def _check(config: GameConfig) -> None:
    """Raise `OutOfReachError` unless rounds by these rules can be solved."""
    if config.num_players != 2:
        raise OutOfReachError(f"{config.num_players} players: rounds are solved for two")
    check_own_dice_only(config)
    if config.max_turns is not None:
        raise OutOfReachError(f"max_turns is {config.max_turns}: rounds are solved without a limit on turns")
    number = count_rungs(config, config.total_dice)
    if number > MOST_RUNGS:
        raise OutOfReachError(f"dice {config.dice} with {config.faces} faces make {number} rungs; {MOST_RUNGS} at most")
    for dice in config.dice:
        hands = number_of_hands(dice, config.faces)
        if hands > 10_000:
            raise OutOfReachError(
                f"{dice} dice with {config.faces} faces make {hands:,} hands; at most 10,000 can be solved"
            )
