"""Bots that are found without being registered: classes in a folder of files, and entry points of packages."""

from __future__ import annotations

import difflib
import inspect
import linecache
import re
import sys
import traceback
from contextvars import ContextVar
from hashlib import blake2b
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

import msgspec

from ..core import LiarsDiceError, describe, did_you_mean
from .base import Agent
from .errors import AgentNameError
from .hints import hint_for

ENTRY_POINTS = "liars_dice.agents"
"""The entry-point group in which a package lists its agents."""


NO_BOT = (
    "it has no bot: expected a class that inherits from liars_dice.agents.Agent and is made without arguments (a file "
    "that only helps others is skipped if its name begins with _)"
)
"""What is wrong with a file in a folder of bots that defines none."""
OLD_METHODS = ("decide", "get_action")
"""What `choose_action` was called in earlier designs."""


class BotFileError(LiarsDiceError):
    """A bot file that cannot be loaded: which file, which line, and why."""

    code = "bot_file"

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        super().__init__(path, line, reason)
        self.path = path
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}, line {self.line}"
        return f"{where}: {self.reason}"


_BEING_LOADED: ContextVar[frozenset[str]] = ContextVar("being_loaded", default=frozenset())
"""The modules whose files are running now, in this thread."""


class Discovered(msgspec.Struct, frozen=True):
    """What discovery found: classes by name, where each is, and what could not be loaded."""

    agents: dict[str, type[Agent]]
    places: dict[str, str]
    """For each name, a name that `make_agent` understands in any process: `file.py:Class` or `module:Class`."""
    problems: tuple[BotFileError, ...]


def load_bot_file(path: str | Path, source: bytes | None = None) -> dict[str, type[Agent]]:
    """The agent classes that a file defines, by class name. `BotFileError` if it cannot be loaded.

    `source` is the content of the file, if it has been read already.
    """
    path = Path(path)
    if source is None:
        source = read_bot_file(path)
    check_not_being_loaded(path)
    name = _module_name(path)
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module  # so that its classes can be pickled
    lines = source.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[str(path)] = (len(source), None, lines, str(path))  # tracebacks show the code that runs
    token = _BEING_LOADED.set(_BEING_LOADED.get() | {name})
    try:
        exec(compile(source, str(path), "exec"), vars(module))
    except BotFileError:
        del sys.modules[name]
        raise
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        hint = hint_for(error)
        reason = f"{describe(error)}{hint and '; '}{hint}"
        raise BotFileError(str(path), _line_in(path, error), reason) from error
    finally:
        _BEING_LOADED.reset(token)
    bots: dict[str, type[Agent]] = {}
    undecided: list[type[Agent]] = []
    for member_name, member in vars(module).items():
        if not (inspect.isclass(member) and issubclass(member, Agent) and member.__module__ == name):
            continue
        if not inspect.isabstract(member):
            bots[member_name] = member
        else:
            undecided.append(member)
    for bot in undecided:
        if (not bots and why_undecided(bot)) or _old_method(bot):
            del sys.modules[name]
            raise BotFileError(str(path), None, why_undecided(bot))
    return bots


def _old_method(bot: type[Agent]) -> str | None:
    return next((method for method in OLD_METHODS if hasattr(bot, method)), None)


def why_undecided(bot: type[Agent]) -> str:
    """Why a class lacks a method that bots need, such as `choose_action`; empty if it has no methods of its own."""
    if old := _old_method(bot):
        return f"{bot.__name__} has {old}, an earlier design's name for choose_action: rename it"
    own = [name for name, member in vars(bot).items() if callable(member) and not name.startswith("__")]
    for missing in sorted(bot.__abstractmethods__):
        if near := difflib.get_close_matches(missing, own, n=1):
            return f"{bot.__name__} has no method {missing}, but {near[0]}: did you mean {missing}?"
    return f"{bot.__name__} has no method choose_action(self, view), only {', '.join(own)}" if own else ""


def check_not_being_loaded(path: str | Path) -> None:
    """Raise `BotFileError` if this file is running just now: it would be loaded again and again."""
    if _module_name(Path(path)) in _BEING_LOADED.get():
        reason = (
            "it starts games of its own bots when it is loaded; give their classes instead of their names, or start"
        )
        raise BotFileError(str(path), None, f'{reason} the games below `if __name__ == "__main__":`')


def _module_name(path: Path) -> str:
    return f"liars_dice_bot_{path.stem}_{blake2b(str(path.absolute()).encode(), digest_size=6).hexdigest()}"


def read_bot_file(path: Path) -> bytes:
    """The content of a bot file."""
    try:
        return path.read_bytes()
    except OSError as error:
        near = did_you_mean(path.name, (file.name for file in path.parent.glob("*.py")))
        expected = f"a bot file that can be read ({error.strerror}{near and '; '}{near})"
        raise AgentNameError(str(path), "unreadable_file", expected) from error


def bot_files(folder: str | Path = "agents") -> list[Path]:
    """The files of a folder that may define bots."""
    return [path for path in sorted(Path(folder).glob("*.py")) if not path.name.startswith("_")]


def find_bot(name: str) -> str | None:
    """Where a bot of this name is, by the text of the files in `agents/` alone, without running any of them.

    It is a name that `make_agent` understands in any process: `file.py:Class`, or `module:Class` for an entry point.
    """
    for path in bot_files():
        if name in _classes_in(path):
            return f"{path.absolute()}:{name}"
    return next((entry.value for entry in entry_points(group=ENTRY_POINTS) if entry.name == name), None)


def bots_by_name() -> list[str]:
    """Every name that `find_bot` finds something for."""
    named = [name for path in bot_files() for name in _classes_in(path)]
    return [*named, *(entry.name for entry in entry_points(group=ENTRY_POINTS))]


_CLASS = re.compile(rb"^class[ \t]+([A-Za-z_]\w*)[ \t]*\(", re.MULTILINE)


def _classes_in(path: Path) -> list[str]:
    """The names of the classes that a file defines and derives from others, according to its text."""
    try:
        return [found.decode() for found in _CLASS.findall(path.read_bytes())]
    except OSError:
        return []


def discover(folder: str | Path = "agents") -> Discovered:
    """All agents in a folder's files and in entry points that can be made without arguments.

    A file with an error is reported, and the others still load. Classes that stand for people are left out. This runs
    the files in this process, so it is only for bots that you trust.
    """
    agents: dict[str, type[Agent]] = {}
    places: dict[str, str] = {}
    problems: list[BotFileError] = []
    for path in bot_files(folder):
        try:
            found = load_bot_file(path)
        except BotFileError as problem:
            problems.append(problem)
            continue
        if not any(map(is_discoverable, found.values())):
            problems.append(BotFileError(str(path), None, NO_BOT))
        for name, bot in found.items():
            if name in agents:
                problems.append(
                    BotFileError(str(path), None, f"{name} is already in {places[name].rpartition(':')[0]}")
                )
            elif is_discoverable(bot):
                agents[name], places[name] = bot, f"{path.absolute()}:{name}"
    for entry in entry_points(group=ENTRY_POINTS):
        try:
            loaded: object = entry.load()
        except Exception as error:
            problems.append(BotFileError(f"entry point {entry.name}", None, f"{type(error).__name__}: {error}"))
            continue
        if inspect.isclass(loaded) and issubclass(loaded, Agent) and is_discoverable(loaded):
            agents[entry.name], places[entry.name] = loaded, entry.value
    return Discovered(agents, places, tuple(problems))


def is_discoverable(bot: type[Agent]) -> bool:
    """Whether this is a bot, not a person, and can be made without arguments."""
    if getattr(bot, "player_type", "") == "Human":
        return False
    needed = [p for p in inspect.signature(bot).parameters.values() if p.default is p.empty]
    return all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in needed)


def _line_in(path: Path, error: BaseException) -> int | None:
    """The last line of this file in the error's traceback."""
    if isinstance(error, SyntaxError):
        return error.lineno
    frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename) == path]
    return frames[-1] if frames else None
