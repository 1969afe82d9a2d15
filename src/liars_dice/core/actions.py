"""The three things a player can do (rule 2), and how they are written: `3x4`, `liar`, `exact`."""

from __future__ import annotations

import re

import msgspec

from .bid import Bid
from .errors import IllegalMoveError, NotationError

_BID = re.compile(r"\s*([0-9]{1,6})\s*[xX×]\s*([0-9]{1,6})\s*")


class BidAction(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="bid"):
    """Raise to `bid`."""

    bid: Bid
    reasoning: str = ""
    """Why, in a few words, for people who watch or read the record. It never affects the game."""

    def __str__(self) -> str:
        return str(self.bid)

    def __repr__(self) -> str:
        return f"BidAction({self.bid!r}, {self.reasoning!r})" if self.reasoning else f"BidAction({self.bid!r})"


class CallLiarAction(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="liar", repr_omit_defaults=True):
    """Claim that the current bid is false (challenge, dudo)."""

    reasoning: str = ""

    def __str__(self) -> str:
        return "liar"


class CallExactAction(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="exact", repr_omit_defaults=True):
    """Claim that the current bid is exactly right (calza)."""

    reasoning: str = ""

    def __str__(self) -> str:
        return "exact"


Action = BidAction | CallLiarAction | CallExactAction

Move = Action | Bid | str
"""What is accepted wherever a move is made: an action, a bid, or the text `3x4`, `liar` or `exact`."""

ACTION_TYPES = frozenset({BidAction, CallLiarAction, CallExactAction})


def parse_bid(text: str) -> Bid:
    """The bid written `3x4`. Whether it is legal is up to the rules."""
    match = _BID.fullmatch(_text(text, "a bid like 3x4 (quantity x face)"))
    if match is None:
        raise NotationError(text, "a bid like 3x4 (quantity x face)")
    return Bid(int(match[1]), int(match[2]))


def parse_action(text: str) -> Action:
    """The action written `3x4`, `liar` or `exact`; `str(action)` writes it."""
    word = _text(text, "a bid like 3x4, liar or exact").strip().lower()
    if word == "liar":
        return CallLiarAction()
    if word == "exact":
        return CallExactAction()
    if _BID.fullmatch(word) is None:
        raise NotationError(text, "a bid like 3x4, liar or exact")
    return BidAction(parse_bid(word))


def as_action(move: object) -> Action:
    """The action that `move` stands for: an action itself, a bid, or text.

    Text that cannot be read raises `NotationError`; anything else that is not a move raises `IllegalMoveError`.

    >>> as_action("2x4"), as_action(Bid(2, 4)), as_action("liar")
    (BidAction(Bid(2, 4)), BidAction(Bid(2, 4)), CallLiarAction())
    """
    if type(move) in ACTION_TYPES:
        return move  # type: ignore[return-value]
    if type(move) is str:
        return parse_action(move)
    if type(move) is Bid:
        return BidAction(move)
    raise IllegalMoveError(not_an_action(move), action=move)


def proposed_bid(move: object) -> Bid | None:
    """The bid that this move would make; None for calls and for what is not a sound bid."""
    bid = move.bid if type(move) is BidAction else move
    if type(bid) is Bid and type(bid.quantity) is int and type(bid.face) is int:
        return bid
    return None


def not_an_action(move: object) -> str:
    """What to say about an object that is not a move. Nothing of the object itself is called."""
    return f"an object of type {type(move).__name__} is not an action: expected a bid like '3x4', 'liar' or 'exact'"


def _text(text: object, expected: str) -> str:
    if not isinstance(text, str):
        raise NotationError(repr(text), expected)
    return text
