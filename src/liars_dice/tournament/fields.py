"""Named fields of agents for tournaments."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

from ..agents import AGENTS, PERSONALITIES, discover
from ..core import BadValueError, one_of

FIELDS = {
    "all": "every built-in agent, and those of your folder agents/",
    "personalities": "the five threshold personalities",
    "threshold-grid": "all 81 pairs of thresholds 0.10, 0.15 ... 0.50",
}
"""What each name stands for. A folder is a field, too: the bots in its files."""


def field(name: str) -> list[str]:
    """The names of a field's agents.

    >>> field("personalities")
    ['maniac', 'aggressive', 'passive', 'calling-station', 'optimal']
    """
    if name == "all":
        return everybody()
    if name == "personalities":
        return list(PERSONALITIES)
    if name == "threshold-grid":
        steps = [percent / 100 for percent in range(10, 55, 5)]
        return [f"threshold:{call:g},{raise_:g}" for call in steps for raise_ in steps]
    if Path(name).is_dir():
        places = discovered(name).values()
        if not places:
            raise BadValueError("field", name, "a folder with bots in it")
        return [_from_here(place) for place in places]
    raise BadValueError("field", name, one_of(name, (*FIELDS, "a folder of bots")))


def everybody() -> list[str]:
    """Every agent that is built in, and those that discovery finds."""
    return [*(info.field_name for info in AGENTS.values()), *discovered()]


def discovered(folder: str = "agents") -> dict[str, str]:
    """The places of the bots that discovery finds, by name; of those that do not load, a warning each."""
    found = discover(folder)
    for problem in found.problems:
        warnings.warn(f"not loaded: {problem}", stacklevel=2)
    return found.places


def _from_here(place: str) -> str:
    """A place `/long/path/file.py:Class` from the working directory, if that is shorter."""
    path, _, bot = place.rpartition(":")
    if not Path(path).is_absolute():
        return place
    try:
        return min(f"{os.path.relpath(path)}:{bot}", place, key=len)
    except ValueError:  # on another drive
        return place
