"""How to find out who is better: exactly if that is possible, else by compiled games, else by the engine's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from ..agents import Agent, make_agent
from ..core import ConfigError, GameConfig, LiarsDiceError
from ..core.player import hook_of
from ..exact import VECTORISED, Guard, OutOfReachError, check_simulable, seconds_needed
from .limits import BotFault, Limits
from .seats import guarded
from .tables import check_fits, check_program

Method = Literal["exact", "compiled", "engine"]
Progress = Callable[[int, int], None]
"""Told how much of the work is done, and how much there is."""

PATIENCE = 60.0
"""The exact method is taken by itself if it needs no more seconds than this."""
GAMES = {"compiled": 1_000_000, "engine": 1_000}
"""How many games are played if nobody says."""


def load_agents(names: Sequence[str], limits: Limits, config: GameConfig | None = None) -> list[Agent | None]:
    """The agents called so, in this process; None for a program in another language, which no table can hold.

    `ConfigError` for a name that nobody has, and for an agent that does not play by these rules or with so many.
    """
    agents = []
    for name in names:
        agent = None
        if name.startswith("cmd:"):
            check_program(name)
        else:
            agent = _loaded(name, limits)
        if config is not None:
            check_fits(name, agent, config)
        agents.append(agent)
    return agents


def _loaded(name: str, limits: Limits) -> Agent:
    try:
        return guarded(limits.load, make_agent, name)
    except BotFault as fault:
        if isinstance(fault.__cause__, LiarsDiceError):
            raise fault.__cause__ from None
        raise ConfigError("agent", name, f"a bot that loads ({fault})") from fault


def tables_guard(limits: Limits) -> Guard:
    """How a stranger's agent is asked for its table: no decision takes longer than the limits allow."""
    return partial(guarded, limits.decision)


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


def all_known(names: Sequence[str], agents: Sequence[Agent | None]) -> list[Agent]:
    """The agents, if none of them is a program."""
    for name, agent in zip(names, agents, strict=True):
        if agent is None:
            raise OutOfReachError(f"{name} is a program, so there is no table of what it does; the engine can play it")
    return [agent for agent in agents if agent is not None]


def is_quick(agents: Sequence[Agent], config: GameConfig, limits: Limits) -> bool:
    """Whether the exact method answers soon; `OutOfReachError` if it does not at all."""
    return seconds_needed(agents, config, tables_guard(limits)) <= PATIENCE
