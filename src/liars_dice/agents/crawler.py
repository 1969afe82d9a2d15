"""An agent that always makes the lowest raise."""

from __future__ import annotations

from ..core import Action, BidAction, CallLiarAction, GameView, chance_true
from .base import Agent
from .view_helpers import legal_bids


class CrawlerAgent(Agent):
    """Raises as little as possible, whatever it holds, and calls when the bid is unlikely."""

    name = "crawler"
    memoryless = True
    calls_below = 0.3
    """It calls a bid that is less likely than this."""

    def choose_action(self, view: GameView) -> Action:
        """The lowest legal bid, or a call."""
        current = view.current_bid
        bids = legal_bids(view)
        if current is not None and (not bids or chance_true(view, current) < self.calls_below):
            return CallLiarAction(f"{current} holds {chance_true(view, current):.0%} of the time")
        return BidAction(bids[0])
