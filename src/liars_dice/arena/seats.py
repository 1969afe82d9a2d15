"""How the referee reaches a bot: directly in this process, or through a wall (`isolation`)."""

from __future__ import annotations

import signal
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from ..core import Action, Event, GameConfig, GameResult, GameView, Player, RoundResolution
from ..core.engine import agent_id
from ..core.player import hook_of
from ..persistence.session import player_type
from .limits import BotFault, Limits, describe

Result = TypeVar("Result")


class Seat(ABC):
    """One bot at the table. Whatever the bot does wrong comes out as `BotFault`."""

    name: str
    player_type: str

    @abstractmethod
    def start(self, config: GameConfig, player_id: int, names: tuple[str, ...], seed: int) -> None:
        """The game begins."""

    @abstractmethod
    def choose_action(self, view: GameView) -> Action:
        """What the bot does now."""

    @abstractmethod
    def event(self, event: Event) -> None:
        """Something happened that this bot may know of."""

    @abstractmethod
    def round_end(self, resolution: RoundResolution) -> None:
        """A round is over."""

    @abstractmethod
    def game_end(self, result: GameResult) -> None:
        """The game is over."""

    def take_faults(self) -> list[BotFault]:
        """What has gone wrong since the last look, beside what was raised."""
        return []

    def close(self) -> None:
        """Let the bot go."""


class InProcessSeat(Seat):
    """A trusted bot in this process, under soft limits.

    On the main thread of a Unix system a slow decision is interrupted, elsewhere it is noticed when it ends. What kills
    the process kills the referee.
    """

    def __init__(self, agent: Player, limits: Limits) -> None:
        self.agent = agent
        self.limits = limits
        self.name = agent_id(agent)
        self.player_type = player_type(agent)
        self._is_person = self.player_type == "Human"

    def start(self, config: GameConfig, player_id: int, names: tuple[str, ...], seed: int) -> None:
        """Seed the bot and tell it."""
        self._call("seed", self.limits.load, seed)
        self._call("on_game_start", self.limits.load, config.without_seed, player_id)

    def choose_action(self, view: GameView) -> Action:
        """Ask the bot. People may take their time."""
        if self._is_person:
            return self.agent.choose_action(view)
        return guarded(self.limits.decision, self.agent.choose_action, view)

    def event(self, event: Event) -> None:
        """Tell the bot, if it listens."""
        self._call("on_event", self.limits.decision, event)

    def round_end(self, resolution: RoundResolution) -> None:
        """Tell the bot, if it listens."""
        self._call("on_round_end", self.limits.decision, resolution)

    def game_end(self, result: GameResult) -> None:
        """Let the bot learn."""
        self._call("on_game_end", self.limits.game_end, result)

    def _call(self, name: str, seconds: float, *arguments: object) -> None:
        hook: Callable[..., object] | None = hook_of(self.agent, name)
        if hook is not None:
            guarded(seconds, hook, *arguments)


class _Late(BaseException):
    """Raised inside a bot whose time is over; no `except Exception` of the bot stops it."""


def guarded(seconds: float, call: Callable[..., Result], *arguments: object) -> Result:
    """Run a bot's code: errors become faults, and so does running longer than this."""
    start = time.perf_counter()
    try:
        result = _interrupted_after(seconds, call, *arguments)
    except _Late:
        raise BotFault("too_slow", f"took longer than {seconds:g} s") from None
    except MemoryError as error:
        raise BotFault("out_of_memory", describe(error)) from error
    except KeyboardInterrupt:
        raise  # somebody at the keyboard wants to stop
    except BaseException as error:
        raise BotFault("exception", describe(error)) from error
    if time.perf_counter() - start > seconds:
        raise BotFault("too_slow", f"took longer than {seconds:g} s")
    return result


def _interrupted_after(seconds: float, call: Callable[..., Result], *arguments: object) -> Result:
    """Call, and raise `_Late` inside if it takes longer, where the system can do that.

    The alarm may ring at any moment, also when the call has just returned: it raises only while `armed`, again
    and again in case the bot swallows it.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return call(*arguments)
    armed = [True]

    def ring(number: int, frame: FrameType | None) -> None:
        if armed:
            raise _Late

    previous = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
        try:
            return call(*arguments)
        finally:
            armed.clear()
    finally:
        armed.clear()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
