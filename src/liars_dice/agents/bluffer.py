"""An agent that mixes honest raises with bluffs."""

from __future__ import annotations

from ..core import BidAction, CallLiarAction, GameView, chance_true
from .base import Policy, PolicyAgent
from .view_helpers import held, legal_bids, likeliest


class BlufferAgent(PolicyAgent):
    """Mostly makes its likeliest raise, but one time in four bluffs on another face, one that it hardly holds."""

    name = "bluffer"
    memoryless = True
    bluffs = 0.25
    """How often it bluffs."""
    calls_below = 0.25
    """It calls a bid that is less likely than this."""

    def policy(self, view: GameView) -> Policy:
        """The likeliest raise, the nearest bluff, or a call."""
        current = view.current_bid
        bids = legal_bids(view)
        if current is not None and (not bids or chance_true(view, current) < self.calls_below):
            return {CallLiarAction(): 1.0}
        best = likeliest(view, bids)
        others = [bid for bid in bids if bid.face != best.face]
        if not others:
            return {BidAction(best): 1.0}
        bluff = min(others, key=lambda bid: (bid.quantity, held(view, bid.face), bid.face))
        return {BidAction(best): 1 - self.bluffs, BidAction(bluff): self.bluffs}
