"""Named groups of agents that can enter a tournament together (`--field NAME`)."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from ..agents import AGENTS, PERSONALITIES
from ..core import BadValueError, one_of
from ..referee import find_bots

FIELDS = {
    "all": "every built-in agent, and your own in the folder agents/",
    "personalities": "the five threshold personalities",
    "threshold-grid": "all 81 pairs of the thresholds 0.10, 0.15, ..., 0.50",
}
"""What each field contains. A folder is also a field: the bots in its files."""


def agents_in_field(name: str) -> list[str]:
    """The names of the agents in a field. A bot's file runs only in its box.

    >>> agents_in_field("personalities")
    ['maniac', 'aggressive', 'passive', 'calling-station', 'optimal']
    """
    if name == "all":
        return all_agents()
    if name == "personalities":
        return list(PERSONALITIES)
    if name == "threshold-grid":
        steps = [percent / 100 for percent in range(10, 55, 5)]
        return [f"threshold:{call:g},{raise_:g}" for call in steps for raise_ in steps]
    if Path(name).is_dir():
        return agents_in_folder(name)
    raise BadValueError("field", name, one_of(name, (*FIELDS, "a folder of bots")))


def agents_in_folder(folder: str) -> list[str]:
    """The names of the agents in the files of a folder. They run only in their boxes."""
    if not Path(folder).is_dir():
        raise BadValueError("folder", folder, "an existing folder")
    places = discovered_agents(folder).values()
    if not places:
        raise BadValueError("folder", folder, "a folder that contains bots")
    return [_from_here(place) for place in places]


def all_agents() -> list[str]:
    """Every built-in agent, but for weaker levels of one, and every agent that discovery finds."""
    return [
        *(info.field_name for info in AGENTS.values() if info.in_fields and not info.level_of),
        *discovered_agents(),
    ]


def discovered_agents(folder: str = "agents") -> dict[str, str]:
    """Where discovery finds each bot, by name. Warns about each bot that does not load."""
    found = find_bots(folder)
    for problem in found.problems:
        warnings.warn(f"not loaded: {problem}", stacklevel=2)
    return found.places


def _from_here(place: str) -> str:
    """`/long/path/file.py:Class` relative to the working directory, if that is shorter."""
    path, _, bot = place.rpartition(":")
    if not Path(path).is_absolute():
        return place
    try:
        return min(f"{os.path.relpath(path)}:{bot}", place, key=len)
    except ValueError:  # on another drive
        return place
