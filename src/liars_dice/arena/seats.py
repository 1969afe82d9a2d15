"""How the referee reaches a bot: directly in this process, or through a wall (`isolation`)."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TypeVar

from ..core import (
    Action,
    BidAction,
    CallLiarAction,
    Event,
    GameConfig,
    GameResult,
    GameView,
    IllegalMoveError,
    Player,
    RoundResolution,
    verify,
)
from ..core.engine import agent_id
from ..core.errors import describe
from ..core.player import hook_of
from ..persistence.session import player_type
from .limits import BotFault, Limits
from .protocol import is_action

Result = TypeVar("Result")


class Seat(ABC):
    """One bot at the table. Whatever the bot does wrong comes out as `BotFault`."""

    name: str
    player_type: str
    agent_id: str | None = None
    """What the record says of who sits here, if not the name: a word that makes the same player again."""
    listens = True
    """Whether the bot may want to hear of events."""

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


def decide(seat: Seat, view: GameView) -> Action:
    """What the bot does, if it is an action and legal; else `BotFault`."""
    action: object = seat.choose_action(view)
    if not is_action(action):
        raise BotFault("wrong_type", f"returned an object of type {type(action).__name__}")
    try:
        verify(view.public, view.player_id, action)
    except IllegalMoveError as error:
        raise BotFault("illegal", str(error)) from error
    return action


def fallback(view: GameView) -> Action:
    """What is done for a bot that failed: liar if there is a bid, else the lowest legal bid."""
    if view.current_bid is not None:
        return CallLiarAction()
    return next(action for action in view.legal_actions if isinstance(action, BidAction))


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
        self._hooks = {name: hook_of(agent, name) for name in _HOOKS}
        self.listens = self._hooks["on_event"] is not None

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
        hook = self._hooks[name]
        if hook is not None:
            guarded(seconds, hook, *arguments)


_HOOKS = ("seed", "on_game_start", "on_event", "on_round_end", "on_game_end")


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
        raise BotFault("exception", describe(error) + _place(call, error)) from error
    if time.perf_counter() - start > seconds:
        raise BotFault("too_slow", f"took longer than {seconds:g} s")
    return result


def _place(call: Callable[..., object], error: BaseException) -> str:
    """Where in the bot's own file it failed: the innermost line of that file, in brackets; nothing if not there."""
    bot = type(getattr(call, "__self__", None))
    file = getattr(sys.modules.get(str(bot.__module__)), "__file__", None)
    if type(file) is not str:  # a bot may write there what it likes
        return ""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f" ({Path(file).name}, line {lines[-1]})" if lines else ""


class _Alarm:
    """One alarm clock for all bots of this process. It may ring at any moment, also when a call has just returned:
    it raises only while armed, and again and again in case a bot swallows it.
    """

    armed = False
    installed = False

    @classmethod
    def ring(cls, number: int, frame: FrameType | None) -> None:
        if cls.armed and not _collecting(frame):
            raise _Late


def _collecting(frame: FrameType | None) -> bool:
    """Whether a callback of the garbage collector runs: what is raised there goes to the screen and not to the bot."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None and frame.f_code not in callbacks:
        frame = frame.f_back
    return frame is not None


@contextmanager
def alarms() -> Iterator[None]:
    """Keep the alarm clock at hand: setting it up for every single call would take longer than most calls."""
    if _Alarm.installed or not _can_interrupt():
        yield
        return
    previous = signal.signal(signal.SIGALRM, _Alarm.ring)
    _Alarm.installed = True
    try:
        yield
    finally:
        _Alarm.installed = False
        signal.signal(signal.SIGALRM, previous)


def _can_interrupt() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _interrupted_after(seconds: float, call: Callable[..., Result], *arguments: object) -> Result:
    """Call, and raise `_Late` inside if it takes longer, where the system can do that."""
    if not _can_interrupt():
        return call(*arguments)
    if not _Alarm.installed:
        with alarms():
            return _interrupted_after(seconds, call, *arguments)
    try:
        _Alarm.armed = True
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
        try:
            return call(*arguments)
        finally:
            _Alarm.armed = False
    finally:
        _Alarm.armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
