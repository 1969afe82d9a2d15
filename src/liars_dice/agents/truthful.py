"""The fixed policy that reinforcement learning trains against."""

from __future__ import annotations

from ..core import Action, BidAction, CallLiarAction, GameView
from .base import Agent
from .view_helpers import held, legal_bids


class TruthfulAgent(Agent):
    """Says only what could be true: it calls what is impossible, and else makes the lowest bid that is possible.

    With N dice that it cannot see, a bid is possible if COUNT(own dice, face) + N >= quantity. If the current bid is
    not, it calls; else it makes the lowest legal bid that is; if there is none, the lowest legal bid; and if there is
    none of those either, it calls.
    """

    name = "truthful"
    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        """Follow the policy."""
        unseen = view.other_dice
        current = view.current_bid
        if current is not None and held(view, current.face) + unseen < current.quantity:
            return CallLiarAction(f"{current} is impossible")
        bids = legal_bids(view)
        if not bids:
            return CallLiarAction("there is no higher bid")
        possible = [bid for bid in bids if held(view, bid.face) + unseen >= bid.quantity]
        return BidAction((possible or bids)[0])
