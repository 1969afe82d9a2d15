"""The weakest sensible opponent."""

from __future__ import annotations

from ..core import Action, GameView
from .base import Agent, Policy


class RandomAgent(Agent):
    """Chooses uniformly among the legal actions."""

    name = "random"
    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        """Any legal action."""
        actions = view.legal_actions
        return actions[int(self.rng.random() * len(actions))]

    def policy(self, view: GameView) -> Policy:
        """The same probability for every legal action."""
        actions = view.legal_actions
        return dict.fromkeys(actions, 1 / len(actions))
