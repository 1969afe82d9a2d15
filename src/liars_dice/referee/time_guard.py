"""Running a bot's code inside this process: errors become faults, and so does taking too long."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from ..core import describe
from .limits import BotFault, BotLimits

if TYPE_CHECKING:
    from ..exact.tables import Guard

Result = TypeVar("Result")


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


def tables_guard(limits: BotLimits) -> Guard:
    """How a stranger's agent is asked for its table: no decision takes longer than the limits allow."""
    return partial(guarded, limits.decision)
