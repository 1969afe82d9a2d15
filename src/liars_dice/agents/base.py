"""What every bot inherits: one decision to write, and hooks to override if they help."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod

from ..core import Action, Event, GameConfig, GameResult, GameView, RoundResolution
from ..core.player import unused


class Agent(ABC):
    """A player that decides by itself. Write `choose_action`; everything else is optional.

    >>> from liars_dice import CallLiarAction
    >>> class Sceptic(Agent):
    ...     def choose_action(self, view):
    ...         return CallLiarAction() if view.current_bid else view.legal_actions[0]
    """

    name: str = ""
    """What the agent is called at the table; its class's name if this is empty."""
    _seed: int | None = None
    _rng: random.Random | None = None

    @abstractmethod
    def choose_action(self, view: GameView) -> Action:
        """What to do now, given what this player can see."""

    def seed(self, seed: int) -> None:
        """Start the agent's own randomness anew. Seeded games call this, so that they can be played again."""
        self._seed, self._rng = seed, None

    @property
    def rng(self) -> random.Random:
        """The agent's own randomness: use it for every random choice and a seeded game can be repeated."""
        if self._rng is None:
            self._rng = random.Random(self._seed)
        return self._rng

    @unused
    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """A game begins, and this is your seat."""

    @unused
    def on_event(self, event: Event) -> None:
        """Something happened that you may know of."""

    @unused
    def on_round_end(self, resolution: RoundResolution) -> None:
        """A round is over; here is what everybody held."""

    @unused
    def on_game_end(self, result: GameResult) -> None:
        """The game is over; here is who won, and every round. The place to learn."""
