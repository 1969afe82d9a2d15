"""The walls around a bot's process: limits, no privileges, and an end from which no child escapes. Unix only.

A box is two processes. The *keeper* adopts whatever the bot leaves behind (on Linux it is a subreaper), and when its
control pipe closes, because the referee says so or is dead, it kills all of it. The *bot* runs under limits.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

NOBODY = 65534
FIRST_STRANGER = 1_000_000
"""Started by root, each bot becomes a user of its own, so that bots cannot touch each other either."""
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_PDEATHSIG = 1


def keep(control: int, bot: Callable[[], None]) -> NoReturn:
    """Run `bot` in a child, and end with everything it started when it ends or `control` closes."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        os.close(control)
        try:
            bot()
        finally:
            os._exit(0)
    for standard in (0, 1, 2):
        os.close(standard)
    wake, on_death = os.pipe()
    for end in (wake, on_death):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(on_death, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    alive = True
    while alive and control not in select.select([control, wake], [], [], 1.0)[0]:
        with contextlib.suppress(BlockingIOError):
            os.read(wake, 512)
        alive = not _reap(child)
    _kill_all(child)
    os._exit(0)


def _reap(child: int) -> bool:
    """Collect the dead; whether `child` was among them, or nobody is left."""
    ended = False
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if pid == 0:
            return ended
        ended |= pid == child


def _kill_all(bot: int) -> None:
    """Kill every descendant until the system itself says that there is none."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if os.geteuid() == 0:
            _kill_user(FIRST_STRANGER + bot)
        for pid in (bot, *descendants(os.getpid())):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if _reap(-1):
            return
        time.sleep(0.001)


def _kill_user(user: int) -> None:
    """Kill everything of a user in one call, which no fork can outrun."""
    killer = os.fork()
    if killer == 0:
        with contextlib.suppress(OSError):
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(killer, 0)


def descendants(root: int) -> list[int]:
    """All processes below `root`, as /proc knows them; a dead one may have living threads, and children."""
    children: dict[int, list[int]] = {}
    for entry in _processes():
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def restrict(*, memory_mb: int, cpu_seconds: int, processes: int, open_files: int, file_mb: int) -> None:
    """Put this process under limits, and take root's privileges from it."""
    if os.geteuid() == 0:
        os.setgroups([])
        stranger = FIRST_STRANGER + os.getpid()
        try:
            os.setresgid(stranger, stranger, stranger)
            os.setresuid(stranger, stranger, stranger)
        except OSError:  # a container that does not know so many users
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    else:  # the limit counts everything this user runs
        processes += _processes_of(os.geteuid())
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, file_mb * 2**20),
        (resource.RLIMIT_NOFILE, open_files),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_AS, memory_mb * 2**20),
    ):
        _, hard = resource.getrlimit(kind)
        capped = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (capped, capped))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # nobody outlives the keeper


def _processes_of(user: int) -> int:
    count = 0
    for entry in _processes():
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == user:
                count += len(list((entry / "task").iterdir()))
    return count


def _processes() -> list[Path]:
    """All processes, where the system tells of them as Linux does."""
    proc = Path("/proc")
    return [entry for entry in proc.iterdir() if entry.name.isdigit()] if proc.is_dir() else []
