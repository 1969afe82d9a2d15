"""An agent that jumps high and looks for exact calls."""

from __future__ import annotations

from ..core import Action, BidAction, CallExactAction, CallLiarAction, GameView, chance_exact, chance_true
from .base import Agent
from .view_helpers import legal_bids, likeliest, may_call_exact


class SniperAgent(Agent):
    """Jumps to the highest bid that is more likely true than not, and calls exact whenever that looks good."""

    name = "sniper"
    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        """Exact if that looks best; else the highest bid with even odds; else the better of call and raise."""
        current = view.current_bid
        bids = legal_bids(view)
        good = [bid for bid in bids if chance_true(view, bid) >= 0.5]
        if current is None:
            return BidAction(good[-1] if good else likeliest(view, bids))
        doubt = 1 - chance_true(view, current)
        if may_call_exact(view) and chance_exact(view, current) >= max(doubt, 0.35):
            return CallExactAction(f"exact {chance_exact(view, current):.0%} of the time")
        if good:
            return BidAction(good[-1], f"holds {chance_true(view, good[-1]):.0%} of the time")
        if not bids or doubt >= chance_true(view, likeliest(view, bids)):
            return CallLiarAction(f"false {doubt:.0%} of the time")
        return BidAction(likeliest(view, bids))
