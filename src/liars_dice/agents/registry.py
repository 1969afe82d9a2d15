"""Agents by name, as they are written on a command line."""

from __future__ import annotations

from collections.abc import Callable

from ..core.errors import ConfigError, one_of
from .base import Agent
from .random_agent import RandomAgent
from .threshold import PERSONALITIES, ThresholdAgent, create_personality_agent


def _personality(name: str) -> Callable[[], Agent]:
    return lambda: create_personality_agent(name)


AGENTS: dict[str, Callable[[], Agent]] = {
    "random": RandomAgent,
    **{name: _personality(name) for name in PERSONALITIES},
}
"""What makes each agent that needs no parameters."""


def make_agent(name: str) -> Agent:
    """The agent called `name`: one of `AGENTS`, or `threshold:CALL,RAISE`.

    >>> make_agent("threshold:0.35,0.15").name
    'threshold:0.35,0.15'
    """
    kind, _, parameters = name.partition(":")
    if kind == "threshold":
        try:
            call, raise_ = (float(number) for number in parameters.split(","))
        except ValueError:
            raise ConfigError("agent", name, "two probabilities, as in threshold:0.35,0.15") from None
        return ThresholdAgent(call, raise_)
    if name not in AGENTS:
        raise ConfigError("agent", name, one_of(name, (*AGENTS, "threshold:CALL,RAISE")))
    return AGENTS[name]()
