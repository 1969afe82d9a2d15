"""From names on a command line to bots at a table."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from ..agents import AGENTS, make_agent
from ..agents.registry import place_of
from ..core import ConfigError
from .limits import Limits
from .seats import InProcessSeat, Seat


def make_seat(name: str, limits: Limits | None = None, *, isolate: bool = False) -> Seat:
    """A seat for the agent called `name`; `cmd:PROGRAM ARGUMENTS` is a program in any language, always in a box."""
    limits = Limits() if limits is None else limits
    if not isolate and not name.startswith("cmd:"):
        return InProcessSeat(make_agent(name), limits)
    from .isolation import IsolatedSeat

    if not name.startswith("cmd:"):
        known = name in AGENTS or ":" in name or name.endswith(".py")
        return IsolatedSeat(name if known else place_of(name), limits, name=name)
    try:
        command = shlex.split(name.removeprefix("cmd:"))
    except ValueError as error:
        raise ConfigError("agent", name, f"a command line ({error})") from error
    if not command:
        raise ConfigError("agent", name, "a program to run, as in cmd:node mybot.js")
    return IsolatedSeat(name, limits, command=command)


def are_strangers(names: Iterable[str]) -> bool:
    """Whether any of these bots is not one of ours."""
    return any(name not in AGENTS and not name.startswith("threshold:") for name in names)
