"""A bid, and the three ways to order bids (rule 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec

from .errors import IllegalMoveError

if TYPE_CHECKING:
    from .config import GameConfig

BidOrdering = Literal["quantity_then_face", "liars_dice_standard", "perudo"]


class Bid(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """The claim that at least `quantity` dice on the table show `face`."""

    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"

    def __repr__(self) -> str:
        return f"Bid({self.quantity!r}, {self.face!r})"

    def is_higher_than(self, other: Bid, config: GameConfig, *, palifico: bool = False) -> bool:
        """Whether this bid beats `other` in the ordering of `config` (in a palifico round: rule 7.3)."""
        for bid in (self, other):
            if type(bid) is not Bid or type(bid.quantity) is not int or type(bid.face) is not int:
                raise IllegalMoveError("a bid is made of two whole numbers, a quantity and a face", action=bid)
        key = sort_key("quantity_then_face" if palifico else config.bid_ordering)
        return key(self) > key(other)

    def validate(self, config: GameConfig, *, palifico: bool = False) -> None:
        """Raise `IllegalMoveError` unless this bid is on the ladder of the first round of `config`."""
        ladder = config.ladder(palifico=palifico)
        if self not in ladder:
            raise IllegalMoveError(f"{self} is not a bid of this game: {ladder.describe()}", action=self)


SortKey = Callable[[Bid], tuple[int, ...]]


def _quantity_then_face(bid: Bid) -> tuple[int, ...]:
    return bid.quantity, bid.face


def _liars_dice_standard(bid: Bid) -> tuple[int, ...]:
    return bid.face, bid.quantity


def _perudo(bid: Bid) -> tuple[int, ...]:
    """Q ones rank just above 2Q of any other face: to ones, halve and round up; from ones, double and add one."""
    return (2 * bid.quantity, 1, 0) if bid.face == 1 else (bid.quantity, 0, bid.face)


_SORT_KEYS: dict[BidOrdering, SortKey] = {
    "quantity_then_face": _quantity_then_face,
    "liars_dice_standard": _liars_dice_standard,
    "perudo": _perudo,
}


def sort_key(ordering: BidOrdering) -> SortKey:
    """The key that sorts bids of this ordering from lowest to highest."""
    return _SORT_KEYS[ordering]
