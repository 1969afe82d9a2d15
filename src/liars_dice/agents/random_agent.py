"""The agent that anything should beat."""

from __future__ import annotations

from ..core import Action, GameView
from .base import Agent


class RandomAgent(Agent):
    """Chooses uniformly among the legal actions."""

    name = "random"

    def choose_action(self, view: GameView) -> Action:
        """Any legal action."""
        actions = view.legal_actions
        return actions[int(self.rng.random() * len(actions))]
