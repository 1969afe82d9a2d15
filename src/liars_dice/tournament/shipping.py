"""Bots on machines that do not have their files: `Shipment.of` reads them here, `Shipment.unpacked` writes them there.

Shipped are the files of bots that are given as a file, found in a folder, trained (`q:FILE`, `champion:FILE`), cloned
(`clone:FILE`) or solved (`solved:FILE`); of a `module:Class` in the working directory, its module or package; of a
`cmd:PROGRAM`, the words that are files, unless they are absolute. What is installed is not shipped, nor is the store of
a `reader:STORE`, which may be large and changes all the time.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import msgspec

from ..agents import AGENTS, KINDS, AgentNameError, listed_name, moved_agents, place_of
from ..core import LiarsDiceError

TRAINED = ("q", "pg", "champion", "clone", "solved")
"""What is before the colon in the names of trained, cloned and solved agents; their file is behind it."""
GREEDY = ",greedy"
"""What may stand behind that file."""
STORE_READER = "reader:"
"""What is before the store in the name of an agent that reads one."""


class Shipment(msgspec.Struct, frozen=True):
    """The files that agents need, as they are on the machine that has them."""

    names: tuple[str, ...]
    folder: str
    """The working directory there."""
    files: dict[str, bytes]
    """By absolute path."""
    stores: dict[str, str]
    """The absolute path of the store that an agent reads, for each that does. Every machine must have it there."""

    @classmethod
    def of(cls, names: Iterable[str]) -> Shipment:
        """Pack what these agents need."""
        names = tuple(names)
        paths = {os.path.normpath(Path.cwd() / path) for name in names for path in _files_of(name)}
        files = {path: Path(path).read_bytes() for path in sorted(paths)}
        stores = {name: os.path.normpath(Path.cwd() / path) for name in names if (path := _store_of(name))}
        return cls(names, str(Path.cwd()), files, stores)

    @contextmanager
    def unpacked(self, folder: Path) -> Iterator[bool]:
        """Inside the `with` block, in this process, the names of the agents lead to them, and the working directory is
        the one of the machine that shipped them, or stands for it. The value is whether this machine has all files.

        If this machine has all files in the same places, they are used there: a bot finds what it keeps next to its
        file. Else they are written below `folder`, arranged as they were, and `folder` is deleted at the end.
        `AgentNameError` if this machine lacks a store that an agent reads.
        """
        for name, path in self.stores.items():
            if not Path(path).exists():
                expected = f"a store that every machine of the cluster has at {path}, for stores are not sent there"
                instead = "use --backend processes, or a store at postgresql://"
                raise AgentNameError(name, "bad_parameters", f"{expected}; {instead}")
        before = Path.cwd()
        here = all(_has(Path(path), content) for path, content in self.files.items())
        try:
            if not here:
                self._write(folder)
            working = Path(self.folder) if here else _below(folder, self.folder)
            if working.is_dir():
                os.chdir(working)
            with moved_agents(self._stores_found() | ({} if here else dict(self._moved(folder)))):
                yield here
        finally:
            os.chdir(before)
            shutil.rmtree(folder, ignore_errors=True)

    def _write(self, folder: Path) -> None:
        folder.mkdir()
        folder.chmod(0o755)  # a sandboxed bot runs as another user
        _below(folder, self.folder).mkdir(parents=True)
        for path, content in self.files.items():
            copy = _below(folder, path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            copy.chmod(0o755)  # it may be a program

    def _stores_found(self) -> dict[str, str]:
        """Agents that read a store, and names of them that do not depend on the working directory."""
        return {name: f"{STORE_READER}{path}" for name, path in self.stores.items()}

    def _moved(self, folder: Path) -> Iterator[tuple[str, str]]:
        """Agents whose names are absolute paths, and where they are."""
        for name in self.names:
            kind, _, rest = name.partition(":")
            path = rest.removesuffix(GREEDY) if kind in TRAINED else kind
            if Path(path).is_absolute():
                yield name, name.replace(path, str(_below(folder, path)), 1)


def version_of(name: str) -> str:
    """A short hash of an agent's files: the same as long as no one edits them. Empty if it has none of its own, as the
    built-in agents. What an agent writes itself does not count, such as a store or a log: see `_made_of`.
    """
    try:
        contents = [path.read_bytes() for path in sorted(_made_of(name))]
    except (LiarsDiceError, OSError, ValueError):
        return ""
    return _hash(b"\0".join(contents)) if contents else ""


def file_versions(name: str) -> dict[str, str]:
    """The same for each of an agent's files by itself."""
    try:
        return {str(path): _hash(path.read_bytes()) for path in _made_of(name)}
    except (LiarsDiceError, OSError, ValueError):
        return {}


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=4).hexdigest()


def _made_of(name: str) -> list[Path]:
    """The files that an agent is made of: of a `cmd:PROGRAM`, the program and its script, which is the first file that
    is not the value of an option (`--log FILE`). It may write to the others.
    """
    files, (kind, _, command) = _files_of(name), name.partition(":")
    if kind != "cmd":
        return files
    words = shlex.split(command)
    given = (Path(word) for before, word in pairwise(words) if not before.startswith("--"))
    script = next((path for path in given if path in files), None)
    return [path for path in files if path in (Path(words[0]), script)]


def _has(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _below(folder: Path, path: str) -> Path:
    """Where an absolute path is if this folder stands for the root."""
    return folder / Path(os.path.normpath(path)).relative_to(Path(path).anchor)


def _store_of(name: str) -> str | None:
    """The file that a `reader:STORE` reads; None for other agents, and for a database that has an address."""
    path = name.removeprefix(STORE_READER)
    return None if path == name or "://" in path else path


def _files_of(name: str) -> list[Path]:
    """The files that an agent is in."""
    kind, _, rest = name.partition(":")
    if name in AGENTS:
        return []
    if kind in TRAINED:
        return [Path(rest.removesuffix(GREEDY))]
    if Path(kind).suffix == ".py":
        return [Path(kind)]
    if kind == "cmd":
        program, *words = shlex.split(rest)
        paths = [Path(word) for word in words] + ([Path(program)] if os.sep in program else [])
        return [path for path in paths if not path.is_absolute() and path.is_file()]
    if kind in KINDS:
        return []
    if rest:
        package = Path(kind.partition(".")[0])
        return [path for path in (package.with_suffix(".py"), *package.rglob("*.py")) if path.is_file()]
    return [] if listed_name(name) != name else _files_of(place_of(name))
