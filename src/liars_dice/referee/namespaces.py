"""Walls of our own, where bubblewrap is not installed but the kernel allows namespaces (Linux).

They are fewer than those of bubblewrap: the bot has no network, no processes but its own, and no /tmp and shared memory
but its own; it still sees files that its user may read.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_NEW_MOUNT, _NEW_UTS, _NEW_IPC = 0x20000, 0x4000000, 0x8000000
_NEW_USER, _NEW_PID, _NEW_NET = 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 2, 4, 0x4000, 0x40000
_PR_CAPBSET_DROP = 24
_CAPABILITIES = 41
_CAPABILITY_VERSION = 0x20080522
PRIVATE = ("/tmp", "/dev/shm")
"""Folders that a box has for itself."""
_PROBE = (
    "import os, runpy, sys; module = runpy.run_path(sys.argv[1]); module['enter']([]); child = os.fork()\n"
    "if child == 0: module['show_own_processes'](); module['drop_capabilities']()\n"
    "else: sys.exit(os.waitpid(child, 0)[1])"
)


@cache
def are_allowed() -> bool:
    """Whether the kernel lets us build them: tried once, in a process of its own."""
    if sys.platform != "linux":
        return False
    probe = [sys.executable, "-I", "-c", _PROBE, __file__]
    try:
        return subprocess.run(probe, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def enter(needed: Sequence[str]) -> None:
    """Leave the namespaces of others, except for processes: the next child is the first of its own.

    A private folder in which something is that the bot needs stays as it is.
    """
    user, group = os.geteuid(), os.getegid()
    flags = _NEW_MOUNT | _NEW_UTS | _NEW_IPC | _NEW_PID | _NEW_NET
    _call("unshare", flags if user == 0 else flags | _NEW_USER)
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    for folder in PRIVATE:
        if Path(folder).is_dir() and not any(Path(place).is_relative_to(folder) for place in needed):
            _call("mount", b"tmpfs", folder.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV, b"size=64m,mode=1777")


def show_own_processes() -> None:
    """In the first process of a namespace: let /proc show no others."""
    _call("mount", b"proc", b"/proc", b"proc", _MS_NOSUID | _MS_NODEV, None)


def drop_capabilities() -> None:
    """Give up what a user namespace gave us."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(_CAPABILITIES):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header, nothing = struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24)
    _call("capset", header, nothing)


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
