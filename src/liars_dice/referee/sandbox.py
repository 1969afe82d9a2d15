"""The sandbox around a bot's process: limits, no privileges, and no child that outlives it. Unix only.

A box is two processes. The *bot* runs under limits. The *keeper* adopts every process that the bot leaves behind (on
Linux it is a subreaper), and kills them all when its control pipe closes: the referee closed it, or is dead.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import secrets
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from . import namespaces, seccomp
from .limits import BotLimits

NOBODY = 65534
FIRST_STRANGER = 1_000_000
STRANGERS = 1_000_000_000
"""Started by root, each bot runs under its own user id from here up, so that bots cannot touch each other."""
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_PDEATHSIG = 1


def restrictions(limits: BotLimits, *, builds_walls: bool = False) -> dict[str, int]:
    """What a box is restricted to, for `keep` and `restrict` inside it. Worked out outside, where all is visible.

    With `builds_walls` the box makes namespaces of its own: no one else built walls around it.
    """
    processes = limits.processes
    if os.geteuid() != 0:  # the limit counts all processes of this user
        processes += _processes_of(os.geteuid())
    return {
        "user": FIRST_STRANGER + secrets.randbelow(STRANGERS),
        "memory_mb": limits.memory_mb,
        "cpu_seconds": limits.cpu_seconds,
        "processes": processes,
        "open_files": limits.open_files,
        "file_mb": limits.file_mb,
        "builds_walls": int(builds_walls),
    }


def keep(control: int, bot: Callable[[], None], user: int | None) -> NoReturn:
    """Run `bot` in a child. When it ends or `control` closes, kill everything it started, and exit with its exit code.

    `user` is the user that the bot becomes, if this process may change users.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        os.close(control)
        os.setpgid(0, 0)  # everything that the bot starts is in this group
        _end_with_the_keeper()
        try:
            bot()
        finally:
            os._exit(0)
    for standard in (0, 1, 2):
        os.close(standard)
    death = _death_of(child)
    code = None
    while code is None and control not in select.select([control, death], [], [], 1.0)[0]:
        code = _reap(child)
    _kill_all(child, user)
    os._exit(0 if code is None else code if code >= 0 else 128 - code)


def _end_with_the_keeper() -> None:
    """Let the system kill this process, the bot, when the keeper is killed (on Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _death_of(child: int) -> int:
    """A file that can be read when the child has ended. Where the system has no such thing, when it may have."""
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(child)
    wake, on_death = os.pipe()
    for end in (wake, on_death):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(on_death, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return wake


def _reap(child: int) -> int | None:
    """Collect children that have ended: the exit code of `child` if it was among them, 0 if no other child is left."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code or 0
        if pid == 0:
            return code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)


def _kill_all(bot: int, user: int | None) -> None:
    """Kill every descendant until the system says that there is none left."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        if os.geteuid() == 0 and user is not None:
            _kill_user(user)
        for pid in (bot, *descendants(os.getpid())):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if _reap(-1) is not None:
            return
        time.sleep(0.001)


def _kill_user(user: int) -> None:
    """Kill every process of a user in one call, which no fork can outrun."""
    killer = os.fork()
    if killer == 0:
        with contextlib.suppress(OSError):
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(killer, 0)


def descendants(root: int) -> list[int]:
    """All processes below `root`, nearest first, according to /proc; one that has ended may still have children."""
    children: dict[int, list[int]] = {}
    for entry in _processes():
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = children.get(root, [])[:]
    for pid in found:  # it grows meanwhile
        found += children.get(pid, [])
    return found


def restrict(
    *, user: int, memory_mb: int, cpu_seconds: int, processes: int, open_files: int, file_mb: int, builds_walls: int
) -> None:
    """Put this process under limits, and drop root's privileges."""
    if builds_walls:
        namespaces.show_own_processes()
    if os.geteuid() == 0:
        os.setgroups([])
        try:
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
        except OSError:  # a container with fewer user ids
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
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
    _end_with_the_keeper()  # again: a change of user has undone it
    if sys.platform == "linux":
        if builds_walls:
            namespaces.drop_capabilities()
        seccomp.forbid_calls()


def _processes_of(user: int) -> int:
    count = 0
    for entry in _processes():
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == user:
                count += len(list((entry / "task").iterdir()))
    return count


def _processes() -> list[Path]:
    """All processes, on systems that list them in /proc as Linux does."""
    proc = Path("/proc")
    return [entry for entry in proc.iterdir() if entry.name.isdigit()] if proc.is_dir() else []
