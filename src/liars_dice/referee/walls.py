"""The walls around a box, built by bubblewrap; and what boxes lack where it cannot build them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from . import namespaces, seccomp
from .bot_cgroup import delegated

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""The programs and libraries of the system, which every box can read."""
BOX_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where programs are looked for in a box."""
SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime")
"""What programs need from /etc; nothing else of it is in a box."""
STORES = ("*.db", "*.db-*", "*.sqlite*", "*.jsonl")
"""Files in a bot's folder that it does not see."""
TMP_BYTES = 64 * 2**20
"""The size of a box's own /tmp."""


@cache
def bubblewrap() -> str | None:
    """The program that builds boxes, if it is installed and works here."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return None
    try:
        tried = subprocess.run(
            [program, *_namespaces(), *_system(), "--", "/usr/bin/env", "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if tried.returncode == 0 else None


def box(what: Sequence[str], path: Sequence[str]) -> list[str]:
    """The words before a command that build the walls around it; none where they cannot be built.

    Inside are the system's programs, Python and the package, and the bot's own folder, which can only be read; an empty
    /tmp that is gone afterwards; the box's own processes; and no network.
    """
    program = bubblewrap()
    if program is None:
        return []
    here = Path.cwd()
    words = [program, *_namespaces(), *_system()]
    for place in sorted(_python(path)):
        words += _shown(place)
    for place in dict.fromkeys(_own_files(what)):
        words += _shown(place)
        for store in _stores_in(place):
            words += ["--ro-bind-try", os.devnull, str(store)]
    return [*words, *_folders(here), "--chdir", str(here), "--"]


def _python(path: Sequence[str]) -> set[Path]:
    """Where Python, the package and everything installed are; of the module search path, nothing else."""
    roots = {Path(place) for place in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
    roots.add(Path(sys.executable).resolve().parent)
    package = Path(__file__).parents[2]
    installed = {place for place in map(Path, path) if place.name in ("site-packages", "dist-packages")}
    return {place for place in (*roots, *installed, package) if _is_narrow(place)}


def _shown(place: Path) -> list[str]:
    return [*_folders(place.parent), "--ro-bind-try", str(place), str(place)]


def _folders(place: Path) -> list[str]:
    """Make a folder, and those above it, for everyone to enter."""
    folders = [place, *place.parents][-2::-1]
    return [word for folder in folders for word in ("--dir", str(folder))]


def builds_walls() -> bool:
    """Whether boxes build walls themselves, because bubblewrap cannot."""
    return bubblewrap() is None and namespaces.are_allowed()


def missing_walls() -> list[str]:
    """What boxes lack on this system, in words; empty if they lack nothing."""
    if sys.platform == "win32":
        return ["no walls: bots cannot be isolated on Windows"]
    lacking = []
    if bubblewrap() is None:
        why = "bubblewrap (bwrap) is not installed, or not allowed here" if sys.platform == "linux" else "not Linux"
        own = builds_walls()
        lacking.append(f"no {'file system' if own else 'processes, file system or network'} of their own ({why})")
    if not seccomp.is_known_here():
        lacking.append("no filter of system calls")
    if delegated() is None:
        lacking.append("no limits on all processes of a bot together (no cgroup is delegated)")
    if bubblewrap() is None and os.geteuid() != 0:
        lacking.append("no user of their own: bots can do what you can")
    return lacking


def _namespaces() -> list[str]:
    words = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--die-with-parent", "--clearenv", "--cap-drop", "ALL"]
    if os.geteuid() != 0:
        return [*words, "--unshare-user"]
    # the keeper needs these to read the bot's file and to become another user; the bot has none
    kept = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_DAC_READ_SEARCH")
    return [*words, *(word for capability in kept for word in ("--cap-add", capability))]


def _system() -> list[str]:
    places = [*SYSTEM, *(f"/etc/{name}" for name in SETTINGS)]
    words = [word for place in places for word in ("--ro-bind-try", place, place)]
    tmp = ["--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"]
    return ["--dir", "/etc", *words, "--proc", "/proc", "--dev", "/dev", "--chmod", "1777", "/dev/shm", *tmp]


def _own_files(what: Sequence[str]) -> Iterator[Path]:
    """Where the files of a bot are: the folder of its file, or only the file if that folder has everything in it."""
    kind, spec, *rest = what
    if kind == "command":
        program = shutil.which(spec)
        words = [*([] if program is None else [program]), *rest]
    else:
        words = [spec, spec.partition(":")[0], spec.partition(":")[2].partition(",")[0]]
        module = spec.partition(":")[0].partition(".")[0]
        words += [f"{module}.py", module] if module.isidentifier() else []
    for word in filter(None, words):
        with suppress(OSError):  # a text that is too long to be a name
            for file in {Path(word).absolute(), Path(word).resolve()}:
                if file.is_dir() and kind != "command":
                    yield file
                elif file.is_file():
                    yield file.parent if _is_narrow(file.parent) else file


def _is_narrow(folder: Path) -> bool:
    """Whether a folder is not one that everything else is in."""
    home = Path.home()
    return folder not in (home, *home.parents, Path(tempfile.gettempdir()), Path("/")) and folder.exists()


def _stores_in(folder: Path) -> list[Path]:
    return [path for pattern in STORES for path in folder.glob(pattern)] if folder.is_dir() else []
