"""Which players the exact methods can ask: Python agents, but not programs."""

from __future__ import annotations

from collections.abc import Sequence

from ..agents import Agent
from .errors import OutOfReachError


def askable(names: Sequence[str], agents: Sequence[Agent | None]) -> list[Agent]:
    """The agents called by these names; `OutOfReachError` if one of them is None, which stands for a program."""
    for name, agent in zip(names, agents, strict=True):
        if agent is None:
            raise OutOfReachError(f"{name} is a program, so there is no table of what it does; the engine can play it")
    return [agent for agent in agents if agent is not None]
