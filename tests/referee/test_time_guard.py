"""The alarm clock that interrupts bots in this process: it is seldom set, and still rings when a call is due."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from liars_dice.referee.limits import BotFault
from liars_dice.referee.time_guard import alarms, guarded, seconds_overdue
from patience import PATIENCE

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system cannot interrupt a call")


def endless() -> None:
    while True:
        pass


@pytest.fixture
def times_set(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """How often the system's timer was set, and for how long."""
    seen: list[float] = []
    real = signal.setitimer

    def setitimer(which: int, seconds: float, interval: float = 0.0) -> object:
        seen.append(seconds)
        return real(which, seconds, interval)

    monkeypatch.setattr(signal, "setitimer", setitimer)
    yield seen
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0), "the clock was left running"


def test_quick_calls_share_one_alarm(times_set: list[float]) -> None:
    with alarms():
        for number in range(1000):
            assert guarded(PATIENCE, lambda n: n + 1, number) == number + 1
        assert times_set == [PATIENCE]


def test_an_alarm_set_for_an_earlier_call_does_not_stop_a_later_one(times_set: list[float]) -> None:
    with alarms():
        guarded(0.05, int)
        guarded(PATIENCE, time.sleep, 0.1)  # the first call's alarm rings now, and is set again
        assert len(times_set) >= 2


def test_every_call_is_stopped_when_it_is_due(times_set: list[float]) -> None:
    with alarms():
        guarded(PATIENCE, int)
        for _ in range(2):
            start = time.thread_time()
            with pytest.raises(BotFault, match="took longer than"):
                guarded(0.05, endless)
            assert time.thread_time() - start < PATIENCE
            guarded(PATIENCE, int)


def test_who_ignores_the_alarm_is_overdue_from_then_on() -> None:
    """It is not taken for a bot that waits for a processor: the clock would ring for twenty times its time."""
    ignored = 0

    def ignores() -> None:
        nonlocal ignored
        while True:
            try:
                while seconds_overdue() < 0.5:
                    time.sleep(0.01)
                return
            except BaseException:
                ignored += 1

    with pytest.raises(BotFault, match="took longer than"):
        guarded(0.2, ignores)
    assert ignored < 10
