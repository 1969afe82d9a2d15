"""Running a bot's code in this process: errors become faults, and so does taking too long."""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TypeVar

from ..agents import Guard
from ..core import describe
from .fault_text import error_fault
from .limits import MOST_PATIENCE, BotFault, BotLimits

Result = TypeVar("Result")

_HAS_TIMER = hasattr(signal, "setitimer")
"""Whether this system can interrupt a call; Windows cannot."""


def _busy_seconds() -> float | None:
    """For how long this thread has run, or has waited for a processor, on systems that tell."""
    try:
        ran, waited, _ = Path("/proc/thread-self/schedstat").read_text().split()
    except (OSError, ValueError):
        return None
    return (int(ran) + int(waited)) / 1e9


class _Late(BaseException):
    """Raised inside a bot that has run out of time. It is no `Exception`, so that bots do not catch it by accident."""


def guarded(seconds: float, call: Callable[..., Result], *arguments: object) -> Result:
    """Run a bot's code; `BotFault` if it fails or runs longer than this."""
    start = time.monotonic()
    interrupts = _can_interrupt()
    try:
        result = _interrupted_after(seconds, call, *arguments) if interrupts else call(*arguments)
    except _Late:
        raise BotFault("too_slow", f"took longer than {seconds:g} s") from None
    except MemoryError as error:
        raise BotFault("out_of_memory", describe(error)) from error
    except KeyboardInterrupt:
        raise  # a person wants to stop the program
    except BaseException as error:
        raise error_fault(error, call) from error
    if _Alarm.has_rung if interrupts else time.monotonic() - start > seconds:
        raise BotFault("too_slow", f"took longer than {seconds:g} s")
    return result


class _Alarm:
    """The one alarm clock of this process. It may ring at any moment, even when a call has just returned, so it raises
    only while armed. It keeps ringing, in case a bot swallows the exception.

    Setting it takes longer than most calls. So it is left as it is when it rings before the next call is due; when it
    rings too early, it is set again.
    """

    armed = False
    installed = False
    rings_at = 0.0
    """When it rings next (`time.monotonic`); in the past if it is not set."""
    due: float | None = None
    """When the call that is running now should be over (`time.monotonic`)."""
    cpu_due = 0.0
    """The processor time of this thread at which the call has used up its time."""
    looked: tuple[float, float] | None = None
    """When the alarm last found that the call may go on, and the time that the thread was busy until then."""
    latest = 0.0
    """When it must be over, however busy the machine is (`time.monotonic`)."""
    has_rung = False

    @classmethod
    def set(cls, seconds: float) -> None:
        """Let it ring after this time, and then every tenth of a second."""
        cls.rings_at = time.monotonic() + seconds
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)

    @classmethod
    def stop(cls) -> None:
        """Let it ring no more."""
        cls.rings_at = 0.0
        signal.setitimer(signal.ITIMER_REAL, 0)

    @classmethod
    def ring(cls, number: int, frame: FrameType | None) -> None:
        if not cls.armed or cls.due is None:
            cls.stop()
            return
        early = cls.due - time.monotonic()
        if early > 0:
            cls.set(early)
        elif not _collecting(frame) and (cls.has_rung or not cls.is_kept_waiting()):
            cls.has_rung = True
            raise _Late

    @classmethod
    def is_kept_waiting(cls) -> bool:
        """Whether the call has had less than its time of the processor, and works or waits for it, not for a clock."""
        now, busy = time.monotonic(), _busy_seconds()
        if busy is None or time.thread_time() >= cls.cpu_due or cls.due is None or now > cls.latest:
            return False
        before, cls.looked = cls.looked, (now, busy)
        return before is None or busy - before[1] > (now - before[0]) / 2


def _collecting(frame: FrameType | None) -> bool:
    """Whether a callback of the garbage collector runs: an exception there is printed, and never reaches the bot."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None and frame.f_code not in callbacks:
        frame = frame.f_back
    return frame is not None


@contextmanager
def alarms() -> Iterator[None]:
    """Install the alarm clock once for many calls: doing it for each would take longer than most calls."""
    if _Alarm.installed or not _can_interrupt():
        yield
        return
    previous = signal.signal(signal.SIGALRM, _Alarm.ring)
    _Alarm.installed = True
    try:
        yield
    finally:
        _Alarm.installed = False
        _Alarm.stop()
        signal.signal(signal.SIGALRM, previous)


def _can_interrupt() -> bool:
    return _HAS_TIMER and threading.get_ident() == threading.main_thread().ident


def _interrupted_after(seconds: float, call: Callable[..., Result], *arguments: object) -> Result:
    """Call, and raise `_Late` inside the call if it takes longer."""
    if not _Alarm.installed:
        with alarms():
            return _interrupted_after(seconds, call, *arguments)
    try:
        now = time.monotonic()
        _Alarm.due, _Alarm.latest = now + seconds, now + MOST_PATIENCE * seconds
        _Alarm.cpu_due = time.thread_time() + seconds
        _Alarm.looked, _Alarm.has_rung = None, False
        _Alarm.armed = True
        if not now < _Alarm.rings_at <= _Alarm.due:
            _Alarm.set(seconds)
        try:
            return call(*arguments)
        finally:
            _Alarm.armed = False
    finally:
        _Alarm.armed = False
        _Alarm.due = None


def seconds_overdue() -> float:
    """For how long a bot has been running after its time was up: it ignores the alarm. For a watchdog's thread."""
    due, looked = _Alarm.due, _Alarm.looked
    last = due if due is None or looked is None else max(due, looked[0])
    return 0.0 if last is None else max(0.0, time.monotonic() - last)


def tables_guard(limits: BotLimits) -> Guard:
    """A guard for agents that are asked outside games: no call takes longer than a decision may."""
    return partial(guarded, limits.decision)
