"""What every bot inherits: one decision to write, and hooks to override if they help."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import accumulate
from typing import ClassVar

from ..core import Action, Event, GameConfig, GameResult, GameView, RoundResolution, unused

Policy = Mapping[Action, float]
"""How probable each action is; what is left out is never done."""


class Agent(ABC):
    """A player that decides by itself. Write `choose_action`; everything else is optional.

    >>> from liars_dice import CallLiarAction
    >>> class Sceptic(Agent):
    ...     def choose_action(self, view):
    ...         return CallLiarAction() if view.current_bid else view.legal_actions[0]
    """

    name: str = ""
    """What the agent is called at the table; its class's name if this is empty."""
    memoryless: ClassVar[bool] = False
    """Whether decisions follow from the own dice, how many dice the others have together, the current bid and what is
    legal now, and from nothing else. Such an agent can be compiled into a table and measured exactly."""
    players: ClassVar[tuple[int, int]] = (2, 15)
    """The fewest and the most players it can play with."""
    _seed: int | None = None
    _rng: random.Random | None = None

    @abstractmethod
    def choose_action(self, view: GameView) -> Action:
        """What to do now, given what this player can see."""

    def policy(self, view: GameView) -> Policy | None:
        """The distribution `choose_action` draws from, for agents that can state it; None if this one cannot."""
        return None

    def check_rules(self, config: GameConfig) -> None:
        """Raise `ConfigError` if this agent cannot play by these rules. Most can play by any."""

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


class PolicyAgent(Agent):
    """An agent that is its distribution over actions: write `policy`, and decisions are drawn from it."""

    @abstractmethod
    def policy(self, view: GameView) -> Policy:
        """How probable each action is."""

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        policy = self.policy(view)
        bounds = list(accumulate(policy.values()))
        drawn = self.rng.random() * bounds[-1]
        return next(action for action, bound in zip(policy, bounds, strict=True) if drawn < bound)
