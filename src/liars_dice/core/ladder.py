"""The bids of a rule set in order: a bid is legal if its rung is above the current rung (rule 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property, lru_cache
from types import MappingProxyType

import msgspec

from .actions import BidAction
from .bid import Bid, BidOrdering, sort_key
from .errors import IllegalMoveError


class Ladder(msgspec.Struct, frozen=True, dict=True):
    """Every bid that may be made with these limits, lowest rung first.

    >>> ladder = Ladder("perudo", faces=6, max_quantity=10)
    >>> ladder[ladder.rung(Bid(6, 6)) + 1], ladder[ladder.rung(Bid(3, 1)) + 1]
    (Bid(3, 1), Bid(7, 2))
    """

    ordering: BidOrdering
    """How bids are ordered."""
    faces: int
    """How many faces a die has."""
    max_quantity: int
    """The highest quantity that may be bid."""
    barred_face: int | None = None
    """A face that may not be bid, if any."""

    @cached_property
    def bids(self) -> tuple[Bid, ...]:
        """All bids, lowest first."""
        quantities = range(1, self.max_quantity + 1)
        faces = [face for face in range(1, self.faces + 1) if face != self.barred_face]
        return tuple(sorted((_bid_of(q, f) for q in quantities for f in faces), key=sort_key(self.ordering)))

    @cached_property
    def rungs(self) -> Mapping[Bid, int]:
        """The rung of each bid."""
        return MappingProxyType({bid: rung for rung, bid in enumerate(self.bids)})

    @cached_property
    def bid_actions(self) -> tuple[BidAction, ...]:
        """The action that makes each bid."""
        return tuple(map(_action_of, self.bids))

    def rung(self, bid: Bid) -> int:
        """The rung of `bid`; `IllegalMoveError` if it is not on this ladder."""
        if bid not in self:
            raise IllegalMoveError(f"{bid} is not on the ladder: {self.describe()}", action=bid)
        return self.rungs[bid]

    def describe(self) -> str:
        """What may be bid, in words."""
        barred = "" if self.barred_face is None else f" except {self.barred_face}"
        return f"quantities are 1 to {self.max_quantity}, faces 1 to {self.faces}{barred}"

    def __len__(self) -> int:
        return len(self.bids)

    def __getitem__(self, rung: int) -> Bid:
        return self.bids[rung]

    def __iter__(self) -> Iterator[Bid]:
        return iter(self.bids)

    def __contains__(self, bid: object) -> bool:
        try:
            return bid in self.rungs
        except TypeError:  # not hashable, so not a bid
            return False


@cache
def _bid_of(quantity: int, face: int) -> Bid:
    """The shared bid with these numbers, so that ladders do not each hold their own."""
    return Bid(quantity, face)


@cache
def _action_of(bid: Bid) -> BidAction:
    return BidAction(bid)


@lru_cache(maxsize=128)
def shared_ladder(ordering: BidOrdering, faces: int, max_quantity: int, barred_face: int | None) -> Ladder:
    """The shared ladder with these limits, so that its tables are built once."""
    return Ladder(ordering, faces, max_quantity, barred_face)
