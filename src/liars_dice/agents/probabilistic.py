"""An agent that takes the best odds on the table."""

from __future__ import annotations

from ..core import Action, BidAction, CallExactAction, CallLiarAction, GameView, chance_exact, chance_true
from .base import Agent


class ProbabilisticAgent(Agent):
    """Takes the legal action that is most likely to be right, given its own dice.

    A bid is right if it holds, a liar call if the current bid does not, an exact call if it is exactly right. Of
    equally good bids it makes the highest.
    """

    name = "probabilistic"
    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        """The action with the best odds."""
        odds, best = max(
            ((self._odds(view, action), rank) for rank, action in enumerate(view.legal_actions)), key=lambda pair: pair
        )
        action = view.legal_actions[best]
        reason = f"right {odds:.0%} of the time"
        if isinstance(action, BidAction):
            return BidAction(action.bid, reason)
        return CallExactAction(reason) if isinstance(action, CallExactAction) else CallLiarAction(reason)

    @staticmethod
    def _odds(view: GameView, action: Action) -> float:
        if isinstance(action, BidAction):
            return chance_true(view, action.bid)
        current = view.current_bid
        assert current is not None
        return chance_exact(view, current) if isinstance(action, CallExactAction) else 1 - chance_true(view, current)
