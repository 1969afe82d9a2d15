"""Named fields of agents for tournaments."""

from __future__ import annotations

from ..agents import AGENTS, PERSONALITIES
from ..core.errors import ConfigError, one_of

FIELDS = {
    "all": "every built-in agent",
    "personalities": "the five threshold personalities",
    "threshold-grid": "all 81 pairs of thresholds 0.10, 0.15 ... 0.50",
}
"""What each name stands for."""


def field(name: str) -> list[str]:
    """The names of a field's agents.

    >>> field("personalities")
    ['maniac', 'aggressive', 'passive', 'calling-station', 'optimal']
    """
    if name == "all":
        return list(AGENTS)
    if name == "personalities":
        return list(PERSONALITIES)
    if name == "threshold-grid":
        steps = [percent / 100 for percent in range(10, 55, 5)]
        return [f"threshold:{call:g},{raise_:g}" for call in steps for raise_ in steps]
    raise ConfigError("field", name, one_of(name, FIELDS))
