"""What the engine needs of a player (one decision, optional hooks), and the result of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from .actions import Move
from .errors import BadValueError
from .state import PublicState, RoundResolution
from .view import GameView


class Player(Protocol):
    """Anything that can choose a move.

    Optional hooks: `seed(int)`, `on_game_start(config, player_id)`, `on_event(event)`, `on_round_end(resolution)` and
    `on_game_end(result)`.
    """

    def choose_action(self, view: GameView, /) -> Move:
        """The move to make now: an action, a bid, or text such as `3x4`, `liar` or `exact`."""


class GameResult(msgspec.Struct, frozen=True):
    """How a game ended: who won, and every round with its revealed dice."""

    winner: int
    names: tuple[str, ...]
    resolutions: tuple[RoundResolution, ...]

    @property
    def winner_name(self) -> str:
        """The winner's name."""
        return self.names[self.winner]

    def __repr__(self) -> str:
        rounds = len(self.resolutions)
        return f"<GameResult: {self.winner_name} won after {rounds} round{'' if rounds == 1 else 's'}>"


def result_of(public: PublicState) -> GameResult:
    """The result of a game that is over."""
    if public.winner is None:
        raise BadValueError("state", public.status, "a game that is over")
    return GameResult(public.winner, public.names, public.resolutions)


Hook = TypeVar("Hook", bound=Callable[..., None])


def unused(hook: Hook) -> Hook:
    """Mark an empty hook of a base class, so that it is not called for players that do not override it."""
    hook.__dict__["unused"] = True
    return hook


def hook_of(player: object, name: str) -> Callable[..., Any] | None:
    """The player's own hook of this name, if it has one."""
    hook = getattr(player, name, None)
    return hook if callable(hook) and not getattr(hook, "unused", False) else None
