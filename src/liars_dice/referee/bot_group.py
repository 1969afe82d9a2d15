"""All processes that a bot has started: stopped while others think, and their use of the processor."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from . import sandbox


class BotGroup:
    """The processes below one that we started: those of the group that the keeper gave the bot.

    It is looked for when it is first needed. On systems without /proc it is never found, and nothing is stopped.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._leader: int | None = None
        self._is_stopped = False
        self._used_before = 0.0

    def stop(self) -> None:
        """Stop everything."""
        leader = self._found()
        if leader is not None and not self._is_stopped:
            self._is_stopped = _signal(leader, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let everything go on, and begin to count its processor time."""
        if self._leader is None:
            return
        with contextlib.suppress(OSError):
            self._used_before = time.clock_gettime(_clock_of(self._leader))
        if self._is_stopped:
            self._is_stopped = False
            _signal(self._leader, signal.SIGCONT)

    def kill(self) -> None:
        """Kill the bot; in a box with its own processes, all of them, because the first of them is killed.

        What else the bot started is left to its keeper.
        """
        for pid in (*sandbox.descendants(self._root)[:1], self._leader):
            if pid is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    def is_kept_waiting(self, seconds: float) -> bool:
        """Whether the bot has had less than this many seconds of the processor since it went on, and wants more."""
        leader = self._found()
        if leader is None:
            return False
        members = [leader, *sandbox.descendants(leader)]
        used = -self._used_before
        for pid in members:
            with contextlib.suppress(OSError):
                used += time.clock_gettime(_clock_of(pid))
        return used < seconds and any(map(_wants_processor, members))

    def _found(self) -> int | None:
        if self._leader is None:
            self._leader = next((pid for pid in sandbox.descendants(self._root) if _leads_a_group(pid)), None)
        return self._leader


def _signal(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _clock_of(pid: int) -> int:
    """The clock that shows the processor time of a process, as the C library's clock_getcpuclockid gives it."""
    return ~pid << 3 | 2


def _leads_a_group(pid: int) -> bool:
    try:
        return os.getpgid(pid) == pid
    except ProcessLookupError:
        return False


def _wants_processor(pid: int) -> bool:
    """Whether a thread of a process runs, or waits for a processor or a disk."""
    for thread in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            if thread.read_text().rpartition(")")[2].split()[0] in "RD":
                return True
    return False
