"""Limits on all processes of a box together: a control group of its own (Linux, cgroup v2), where that is delegated."""

from __future__ import annotations

import contextlib
import os
import secrets
from functools import cache
from pathlib import Path

from .limits import BotLimits

MOUNT = Path("/sys/fs/cgroup")
SLACK_MB = 128
"""What the keeper and the program that builds the walls may use beside the bot."""
SLACK_PROCESSES = 8
JOIN = 'echo $$ > "$0/cgroup.procs" && exec "$@"'
"""A shell's program: enter a control group, then become the command that follows."""


@cache
def delegated(mount: Path = MOUNT) -> Path | None:
    """The control group in which we may make others with limits: our own or the one above it."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        ours = next((mount / line[3:].lstrip("/") for line in lines if line.startswith("0::")), None)
        for group in () if ours is None else (ours, ours.parent):
            given = (group / "cgroup.subtree_control").read_text().split()
            may = os.access(group, os.W_OK) and os.access(group / "cgroup.procs", os.W_OK)
            if may and {"memory", "pids"} <= set(given):
                return group
    except OSError:  # another system, or a file system without control groups
        return None
    return None


class BotCgroup:
    """The control group of one box. Without delegation there is none, and it does nothing."""

    def __init__(self, limits: BotLimits, parent: Path | None) -> None:
        self._path = None if parent is None else parent / f"liars-dice-{secrets.token_hex(8)}"
        if self._path is None:
            return
        try:
            self._path.mkdir()
            self._set("memory.max", str((limits.memory_mb + SLACK_MB) * 2**20))
            self._set("pids.max", str(limits.processes + SLACK_PROCESSES))
            for name, value in (("memory.swap.max", "0"), ("cpu.max", "100000 100000")):  # one processor
                with contextlib.suppress(OSError):
                    self._set(name, value)
        except OSError:
            self.close()
            self._path = None

    def _set(self, name: str, value: str) -> None:
        assert self._path is not None
        (self._path / name).write_text(value)

    def joined(self, command: list[str]) -> list[str]:
        """The command, run in this group."""
        return command if self._path is None else ["/bin/sh", "-c", JOIN, str(self._path), *command]

    def close(self) -> None:
        """Remove the group, when its processes have ended."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.rmdir()
