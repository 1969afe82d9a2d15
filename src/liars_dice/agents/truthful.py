"""The fixed opponent that reinforcement learning trains against."""

from __future__ import annotations

from ..core import Action, BidAction, CallLiarAction, GameView
from .base import Agent
from .view_helpers import held, legal_bids


class TruthfulAgent(Agent):
    """Calls impossible bids, and otherwise makes the lowest bid that is possible.

    With N unseen dice, a bid is possible if COUNT(known dice, face) + N >= quantity. If the current bid is impossible,
    it calls. Otherwise it makes the lowest legal bid that is possible, or the lowest legal bid if none is possible. If
    no bid is legal, it calls.
    """

    name = "truthful"
    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        """A call, or the lowest possible bid."""
        unseen = view.unseen_dice
        current = view.current_bid
        if current is not None and held(view, current.face) + unseen < current.quantity:
            return CallLiarAction(f"{current} is impossible")
        bids = legal_bids(view)
        if not bids:
            return CallLiarAction("there is no higher bid")
        possible = [bid for bid in bids if held(view, bid.face) + unseen >= bid.quantity]
        return BidAction((possible or bids)[0])
