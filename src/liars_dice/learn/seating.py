"""The rules and the opponents of environments and trainings, given in the same words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..agents import make_agent
from ..core import BadValueError, Dice, GameConfig, Player, is_whole, load_rules

Opponents = str | Player | Sequence[str | Player]
"""An agent or its name, or one for each other seat, in the order of seats."""


def env_rules(rules: str | GameConfig, *, players: int | None = None, dice: Dice = None) -> GameConfig:
    """The rules of an environment: a preset or a file, for `players` with `dice` each, or a `GameConfig` as it is."""
    if isinstance(rules, str):
        return load_rules(rules, players=players, dice=dice)
    if not isinstance(rules, GameConfig):
        raise BadValueError("rules", rules, "a preset, a .toml or .json file, or a GameConfig")
    if players is not None or dice is not None:
        raise BadValueError("rules", rules, "a preset or a file if players or dice are given: a GameConfig has its own")
    return rules.without_seed


def plain_number(value: int | np.integer[Any]) -> int:
    """A whole number of numpy as Python's own; anything else as it is, for a check that says what is wrong."""
    return int(value) if isinstance(value, np.integer) else value


def worker_count(workers: int | None) -> int | None:
    """The number of threads that was asked for, checked; None for as many as there are processors."""
    if workers is not None and not is_whole(plain_number(workers), range(1, 10_000)):
        raise BadValueError("workers", workers, "a whole number of threads from 1 up")
    return workers


def round_rules_of(rules: str | GameConfig | None, *, dice: Dice = None) -> GameConfig:
    """The rules of a learner's round: as in `env_rules`, and for None those of `classic` with two dice each."""
    if rules is None:
        return env_rules("classic", dice=2 if dice is None else dice)
    return env_rules(rules, dice=dice)


def make_opponents(opponents: Opponents, seats: int) -> tuple[Player, ...]:
    """One agent for each of the other seats."""
    if isinstance(opponents, str):
        opponents = [opponents] * seats
    elif not isinstance(opponents, Sequence):
        opponents = [opponents]
    if len(opponents) != seats:
        raise BadValueError(
            "opponents", opponents, f"{seats}, one for each other seat, or the name of an agent for all"
        )
    agents = tuple(make_agent(one) if isinstance(one, str) else one for one in opponents)
    if len(set(map(id, agents))) < seats:
        raise BadValueError("opponents", opponents, "a different object for each seat")
    for agent in agents:
        if not callable(getattr(agent, "choose_action", None)):
            raise BadValueError("opponents", agent, "agents, which have a method choose_action(view)")
    return agents
