"""A person at the table."""

from __future__ import annotations

from collections.abc import Callable

from ..core import BadValueError, GameView, Move
from .base import Agent

Interface = Callable[[GameView], Move]
"""Shows a view to a person and returns the move they make."""


class HumanAgent(Agent):
    """Asks a person through the attached interface, for example a terminal or a web page."""

    player_type = "Human"

    def __init__(self, interface: Interface | None = None, name: str = "human") -> None:
        self.interface = interface
        self.name = name

    def choose_action(self, view: GameView) -> Move:
        """The person's move."""
        if self.interface is None:
            raise BadValueError("agent", self.name, "an interface to ask a person through; `liars-dice play` has one")
        return self.interface(view)
