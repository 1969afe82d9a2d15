"""Bots in a folder and in entry points, described without running their code in this process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import entry_points
from pathlib import Path

import msgspec

from ..agents import ENTRY_POINTS, NO_BOT, Agent, BotFileError, bot_files, discover
from ..core import LiarsDiceError
from .bot_connection import BotConnection
from .bot_description import BotDescription, describe_agent, description_from, error_from
from .limits import BotFault, BotLimits
from .remote_agent import load_remote_agent

AT_ONCE = 4
"""How many files are looked at at the same time."""


class FoundBots(msgspec.Struct, frozen=True):
    """What was found: what each bot says about itself, where each is, and what could not be loaded."""

    bots: dict[str, BotDescription]
    places: dict[str, str]
    """For each name, a name that `make_agent` understands in any process: `file.py:Class` or `module:Class`."""
    problems: tuple[BotFileError, ...]


def find_bots(folder: str | Path = "agents", limits: BotLimits | None = None) -> FoundBots:
    """All bots in a folder's files and in entry points that can be made without arguments.

    Each file is loaded in a box of its own. A file that does not load there is reported.
    """
    limits = BotLimits() if limits is None else limits
    if sys.platform == "win32":
        return _found_here(folder)
    files, entries = bot_files(folder), list(entry_points(group=ENTRY_POINTS))

    def in_file(path: Path) -> list[BotDescription] | BotFileError:
        return _described(lambda: _bots_in(path, limits), str(path))

    def behind(entry: str) -> list[BotDescription] | BotFileError:
        def load() -> list[BotDescription]:
            agent = load_remote_agent(entry, entry, limits, walls=True)
            agent.close()
            return [agent.description]

        return _described(load, f"entry point {entry}")

    with ThreadPoolExecutor(AT_ONCE) as threads:
        by_file = threads.map(in_file, files)
        by_entry = threads.map(behind, [entry.value for entry in entries])
    bots: dict[str, BotDescription] = {}
    places: dict[str, str] = {}
    problems: list[BotFileError] = []
    for path, found in zip(files, by_file, strict=True):
        if found == []:
            problems.append(BotFileError(str(path), None, NO_BOT))
        for bot in found if isinstance(found, list) else ():
            name = bot.class_name
            if name in bots:
                where = places[name].rpartition(":")[0]
                problems.append(BotFileError(str(path), None, f"{name} is already in {where}"))
            else:
                bots[name], places[name] = bot, f"{path.absolute()}:{name}"
        if isinstance(found, BotFileError):
            problems.append(found)
    for entry, found in zip(entries, by_entry, strict=True):
        if isinstance(found, BotFileError):
            problems.append(found)
        else:
            bots[entry.name], places[entry.name] = found[0], entry.value
    return FoundBots(bots, places, tuple(problems))


def _described(load: Callable[[], list[BotDescription]], where: str) -> list[BotDescription] | BotFileError:
    """What `load` finds, or why it finds nothing."""
    try:
        return load()
    except (LiarsDiceError, BotFault) as error:
        return error if isinstance(error, BotFileError) else BotFileError(where, None, str(error))


def _bots_in(path: Path, limits: BotLimits) -> list[BotDescription]:
    """The bots that a file defines."""
    connection = BotConnection(["describe", str(path)], limits, walls=True)
    try:
        told = connection.read(time.monotonic() + limits.load)
        match told:
            case {"type": "bots", "bots": list(bots)}:
                return [description_from(bot) for bot in bots]
            case {"type": "fault"}:
                raise error_from(told, str(path))
        raise connection.broken(told)
    finally:
        connection.close()


def _found_here(folder: str | Path) -> FoundBots:
    """What discovery finds in this process, on systems that cannot do better."""
    found = discover(folder)
    made: dict[str, Agent] = {name: bot() for name, bot in found.agents.items()}
    bots = {name: description_from(describe_agent(agent)) for name, agent in made.items()}
    return FoundBots(bots, found.places, found.problems)
