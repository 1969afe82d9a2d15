"""What an engine asks of a player: one decision, and hooks that are called if the player has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from .actions import Action
from .state import PublicState, RoundResolution
from .view import GameView


class Player(Protocol):
    """Anything that can decide. Optional hooks: `seed(int)`, `on_game_start(config, player_id)`, `on_event(event)`,
    `on_round_end(resolution)` and `on_game_end(result)`.
    """

    def choose_action(self, view: GameView, /) -> Action:
        """What to do now."""


class GameResult(msgspec.Struct, frozen=True):
    """How a game ended: who won, and every round with its revealed dice."""

    winner: int
    names: tuple[str, ...]
    resolutions: tuple[RoundResolution, ...]

    @property
    def winner_name(self) -> str:
        """The winner's name."""
        return self.names[self.winner]


def result_of(public: PublicState) -> GameResult:
    """The result of a game that is over."""
    if public.winner is None:
        raise ValueError("the game is not over yet")
    return GameResult(public.winner, public.names, public.resolutions)


Hook = TypeVar("Hook", bound=Callable[..., None])


def unused(hook: Hook) -> Hook:
    """Mark a base class's empty hook, so that players who do not override it are not called for nothing."""
    hook.__dict__["unused"] = True
    return hook


def hook_of(player: object, name: str) -> Callable[..., Any] | None:
    """The player's own hook of this name, if it has one."""
    hook = getattr(player, name, None)
    return hook if callable(hook) and not getattr(hook, "unused", False) else None
