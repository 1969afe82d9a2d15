"""What a bot hears of a game, and in which order.

Everything that hosts a bot (the referee, a room of the studio, a socket, a probe) passes what happens to a `Hearing`,
step by step, and does what comes out of it: calls the hook that `hook_calls` names, or sends a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import msgspec

from ..core import (
    MOVES,
    Event,
    GameConfig,
    GameCreated,
    GameResult,
    GameView,
    RoundEnded,
    RoundResolution,
    result_of,
    visible_to,
)


class GameStart(msgspec.Struct, frozen=True):
    """A game begins: its rules, the bot's own seat, and the seed of the bot's own randomness."""

    config: GameConfig
    player_id: int
    seed: int | None = None
    """None leaves the bot's randomness as it is."""
    names: tuple[str, ...] = ()


class Question(msgspec.Struct, frozen=True):
    """It is the bot's turn to decide."""

    view: GameView


Heard = GameStart | Event | Question | RoundResolution | GameResult
"""Anything that a bot hears."""

_HOOKS = {RoundResolution: "on_round_end", GameResult: "on_game_end"}
_NOT_EVENTS = (GameStart, Question, *_HOOKS)


def is_event(heard: Heard) -> TypeGuard[Event]:
    """Whether this is one of the game's events, which bots hear in `on_event`."""
    return not isinstance(heard, _NOT_EVENTS)


def hook_calls(heard: Heard) -> tuple[tuple[str, tuple[object, ...]], ...]:
    """The methods of a bot that hear this, in order, each with its arguments."""
    if type(heard) is GameStart:
        started = ("on_game_start", (heard.config, heard.player_id))
        return (started,) if heard.seed is None else (("seed", (heard.seed,)), started)
    if type(heard) is Question:
        return (("choose_action", (heard.view,)),)
    return ((_HOOKS.get(type(heard), "on_event"), (heard,)),)


class Hearing:
    """What one seat hears of one game.

    The order is always the same: the start of the game; each event that the seat may see; the seat's question before
    the events of its decision (its own faults, then its move); the end of a round after all events of the call that
    ended it, `GameEnded` included; the end of the game last.
    """

    def __init__(self, seat: int, seed: int | None = None) -> None:
        """`seed` is for the bot's own randomness."""
        self.seat = seat
        self.seed = seed
        self.moves = 0
        """How many moves the seat has heard, its own and the others'."""
        self.asked = False
        """Whether the seat has been asked for its next move; a host that asks sets it."""
        self._started = False
        self._view: GameView | None = None

    def start(self, view: GameView) -> GameStart:
        """The start of the game, for a host that announces it before the first event."""
        self._started = True
        return GameStart(view.config, self.seat, self.seed, view.public.names)

    def step(self, events: Sequence[Event], view: GameView) -> list[Heard]:
        """What the seat hears of one step: a deal, faults, or a move with its faults and all that follows from it.

        `view` is what the seat sees after the step. A move that the seat was not asked for was decided elsewhere: the
        question comes with it, and its answer is known.
        """
        heard: list[Heard] = []
        seat, ended = self.seat, False
        for event in events:
            if isinstance(event, MOVES):
                self.moves += 1
                if event.player_id == seat:
                    if not self.asked and self._view is not None:
                        heard.insert(0, Question(self._view))
                    self.asked = False
            elif type(event) is RoundEnded:
                ended = True
            elif type(event) is GameCreated and not self._started:
                heard.append(self.start(view))
            seen = visible_to(event, seat)
            if seen is not None:
                heard.append(seen)
        if ended:
            heard.append(view.public.resolutions[-1])
        self._view = view
        return heard


def due_now(view: GameView) -> Question | GameResult | None:
    """What a seat is asked or told when it has heard everything so far: its question, the result, or nothing."""
    if view.public.winner is not None:
        return result_of(view.public)
    return Question(view) if view.is_my_turn else None
