"""An agent that bids little more than it holds."""

from __future__ import annotations

from ..core import Action, BidAction, CallExactAction, CallLiarAction, GameView, chance_exact, chance_true
from .base import Agent
from .view_helpers import held, legal_bids, likeliest, may_call_exact


class ConservativeAgent(Agent):
    """Makes low bids on faces it holds, at most one die more than it holds, and calls early."""

    name = "conservative"
    memoryless = True
    doubts_below = 0.6
    """When it has no safe bid, it calls a bid that is less likely than this."""

    def choose_action(self, view: GameView) -> Action:
        """The lowest safe bid; else a call if the bid is doubtful; else the likeliest raise."""
        bids = legal_bids(view)
        safe = [bid for bid in bids if 0 < held(view, bid.face) >= bid.quantity - 1]
        if safe:
            return BidAction(safe[0], f"holds {held(view, safe[0].face)} of {safe[0].face}")
        current = view.current_bid
        if current is None:
            return BidAction(likeliest(view, bids), "the rules ask for more than it holds")
        if may_call_exact(view) and chance_exact(view, current) > 0.5:
            return CallExactAction(f"{current} is exact {chance_exact(view, current):.0%} of the time")
        if not bids or chance_true(view, current) < self.doubts_below:
            return CallLiarAction(f"{current} holds {chance_true(view, current):.0%} of the time")
        return BidAction(likeliest(view, bids), "nothing safe to say, and the bid is likely")
