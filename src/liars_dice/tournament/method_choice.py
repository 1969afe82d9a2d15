"""Choose how a pairing is measured: computed exactly, played by the compiled simulator, or played by the referee."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from ..agents import Agent
from ..core import GameConfig
from ..exact import OutOfReachError
from ..exact.matchups import matchup_seconds
from ..exact.tables import VECTORISED
from ..referee import BotLimits, begins_anew, learns_between_games, tables_guard
from ..simulator import check_simulable

Method = Literal["exact", "compiled", "engine"]
EXACT_SECONDS = 60.0
"""The exact method is chosen by default if it is expected to take at most this many seconds."""
DEFAULT_GAMES = {"compiled": 1_000_000, "engine": 1_000}
"""How many games a match-up plays by default."""


class Lifetimes(NamedTuple):
    """What bots that may learn keep from game to game, each by its place in the list of agents."""

    learns: tuple[bool, ...]
    """Whether one instance plays all of its games, in order, and may learn from them."""
    anew: tuple[bool, ...]
    """Whether it may want to learn, but begins anew in every game, because it is in a box or a program."""


def lifetimes(
    names: Sequence[str], agents: Sequence[Agent | None], *, isolate: bool = False, boxed: Collection[str] = ()
) -> Lifetimes:
    """How long these agents live. One rule for match-ups, tournaments and simulations."""
    wishes = [agent is None or learns_between_games(agent) for agent in agents]
    short = [begins_anew(name, isolate=isolate, boxed=name in boxed) for name in names]
    both = list(zip(wishes, short, strict=True))
    return Lifetimes(tuple(wish and not one for wish, one in both), tuple(wish and one for wish, one in both))


def is_memoryless(agent: Agent | None) -> bool:
    """Whether an agent can be compiled into a policy table."""
    return agent is not None and bool(getattr(agent, "memoryless", False))


def fit_for_simulator(agents: Sequence[Agent | None], config: GameConfig, *, trusted: bool = True) -> list[bool]:
    """For each agent, whether the compiled simulator can play it.

    With `trusted=False` only built-in agents qualify: an agent that claims to be memoryless has turned out not to be.
    """
    fit = [
        is_memoryless(agent) and not learns_between_games(agent) and (trusted or type(agent) in VECTORISED)
        for agent in agents
    ]
    try:
        check_simulable([agent for agent in agents if agent is not None and is_memoryless(agent)], config)
    except OutOfReachError:
        return [False] * len(agents)
    return fit


def why_refereed(names: Sequence[str], agents: Sequence[Agent | None], config: GameConfig) -> str:
    """Why the compiled simulator cannot play all of these agents; empty if it can."""
    for name, agent in zip(names, agents, strict=True):
        if agent is None:
            return f"{name} is an external program, so the referee plays it"
        if not is_memoryless(agent):
            return f"{name} does not declare `memoryless`, so the referee plays it"
        if learns_between_games(agent):
            return f"{name} learns from its games, so the referee plays them in order"
    try:
        check_simulable([agent for agent in agents if agent is not None], config)
    except OutOfReachError as error:
        return str(error)
    return ""


def exact_is_quick(agents: Sequence[Agent], config: GameConfig, limits: BotLimits) -> bool:
    """Whether the exact method is fast enough to be the default. Raises `OutOfReachError` if it cannot be used."""
    return matchup_seconds(agents, config, tables_guard(limits)) <= EXACT_SECONDS
