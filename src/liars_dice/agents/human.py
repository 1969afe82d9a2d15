"""A person at the table."""

from __future__ import annotations

from collections.abc import Callable

from ..core import Action, ConfigError, GameView
from .base import Agent

Interface = Callable[[GameView], Action]


class HumanAgent(Agent):
    """Asks a person through whatever interface is attached: a terminal, a web page, a test."""

    player_type = "Human"

    def __init__(self, interface: Interface | None = None, name: str = "human") -> None:
        self.interface = interface
        self.name = name

    def choose_action(self, view: GameView) -> Action:
        """What the person says."""
        if self.interface is None:
            raise ConfigError("agent", self.name, "an interface to ask a person through; liars-dice play has one")
        return self.interface(view)
