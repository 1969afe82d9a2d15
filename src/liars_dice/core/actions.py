"""The three things a player can do (rule 2). Each may carry a short reasoning, which never affects the game."""

from __future__ import annotations

import msgspec

from .bid import Bid


class BidAction(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="bid"):
    """Raise to `bid`."""

    bid: Bid
    reasoning: str = ""

    def __str__(self) -> str:
        return str(self.bid)


class CallLiarAction(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="liar"):
    """Claim that the current bid is false (challenge, dudo)."""

    reasoning: str = ""

    def __str__(self) -> str:
        return "liar"


class CallExactAction(msgspec.Struct, frozen=True, gc=False, tag_field="kind", tag="exact"):
    """Claim that the current bid is exactly right (calza)."""

    reasoning: str = ""

    def __str__(self) -> str:
        return "exact"


Action = BidAction | CallLiarAction | CallExactAction
