"""Named fields of agents for tournaments."""

from __future__ import annotations

from pathlib import Path

from ..agents import AGENTS, PERSONALITIES, discover
from ..core.errors import ConfigError, one_of

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
        return [*AGENTS, *discover().places]
    if name == "personalities":
        return list(PERSONALITIES)
    if name == "threshold-grid":
        steps = [percent / 100 for percent in range(10, 55, 5)]
        return [f"threshold:{call:g},{raise_:g}" for call in steps for raise_ in steps]
    if Path(name).is_dir():
        places = list(discover(name).places.values())
        if not places:
            raise ConfigError("field", name, "a folder with bots in it")
        return places
    raise ConfigError("field", name, one_of(name, (*FIELDS, "a folder of bots")))
