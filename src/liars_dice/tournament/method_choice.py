"""How to find out who is better: exactly if that is possible, else by compiled games, else by the engine's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..agents import Agent
from ..core import GameConfig, hook_of
from ..exact import OutOfReachError
from ..exact.matchups import matchup_seconds
from ..exact.tables import VECTORISED
from ..referee import BotLimits, tables_guard
from ..simulator import check_simulable

Method = Literal["exact", "compiled", "engine"]
PATIENCE = 60.0
"""The exact method is taken by itself if it needs no more seconds than this."""
GAMES = {"compiled": 1_000_000, "engine": 1_000}
"""How many games are played if nobody says."""


def learns(agent: Agent | None) -> bool:
    """Whether an agent keeps something of its games: then the order in which they are played matters."""
    return agent is not None and hook_of(agent, "on_game_end") is not None


def is_tabled(agent: Agent | None) -> bool:
    """Whether what an agent does can be written into a table."""
    return agent is not None and bool(getattr(agent, "memoryless", False))


def simulable(agents: Sequence[Agent | None], config: GameConfig, *, trusted: bool = True) -> list[bool]:
    """Which agents of a field the compiled simulator plays; if `trusted` is not, built-in ones alone."""
    fit = [is_tabled(agent) and not learns(agent) and (trusted or type(agent) in VECTORISED) for agent in agents]
    try:
        check_simulable([agent for agent in agents if agent is not None and is_tabled(agent)], config)
    except OutOfReachError:
        return [False] * len(agents)
    return fit


def refereed_because(names: Sequence[str], agents: Sequence[Agent | None], config: GameConfig) -> str:
    """Why the compiled simulator does not play all of these agents; nothing if it does."""
    for name, agent in zip(names, agents, strict=True):
        if agent is None:
            return f"{name} is a program, so the referee plays it"
        if not is_tabled(agent):
            return f"{name} is not memoryless, so the referee plays it"
        if learns(agent):
            return f"{name} learns from its games, so the referee plays them in order"
    try:
        check_simulable([agent for agent in agents if agent is not None], config)
    except OutOfReachError as error:
        return str(error)
    return ""


def is_quick(agents: Sequence[Agent], config: GameConfig, limits: BotLimits) -> bool:
    """Whether the exact method answers soon; `OutOfReachError` if it does not at all."""
    return matchup_seconds(agents, config, tables_guard(limits)) <= PATIENCE
