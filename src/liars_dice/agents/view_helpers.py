"""Questions about a view that several bots ask."""

from __future__ import annotations

from ..core import Bid, BidAction, CallExactAction, GameView, chance_true, count_matches


def held(view: GameView, face: int) -> int:
    """How many of the dice that the player sees count for a bid on `face`."""
    return count_matches((view.known_dice,), face, view.wild_face)


def legal_bids(view: GameView) -> list[Bid]:
    """The bids that may be made now, from the lowest up."""
    return [action.bid for action in view.legal_actions if isinstance(action, BidAction)]


def may_call_exact(view: GameView) -> bool:
    """Whether an exact call is legal now."""
    return any(isinstance(action, CallExactAction) for action in view.legal_actions[-1:])


def likeliest(view: GameView, bids: list[Bid]) -> Bid:
    """The bid that is most likely true; among equals the highest, which is the hardest to raise."""
    return max(reversed(bids), key=lambda bid: chance_true(view, bid))
