"""Who sits at which table: random tables for leagues and for simulations."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import comb, factorial

from ..core import BadValueError


def league_tables(n_agents: int, seats: int, tables: int, seed: int) -> list[tuple[int, ...]]:
    """Draw a league's tables, each a tuple of agent numbers in seat order. The same seed gives the same league.

    The agents are shuffled and dealt out to the tables, again and again, so each plays at as many tables as any other,
    give or take one. Every table by itself is a random group in a random order, and tables hardly depend on each other:
    that is what the statistics of a league rely on. No agent has two seats at a table unless there are fewer agents
    than seats: then every table seats all of them as many times as they fit, and the remaining seats are dealt out.
    """
    _check(n_agents, seats)
    if tables < 0:
        raise BadValueError("tables", tables, "a number of at least 0")
    rng = random.Random(seed)
    rounds, places = divmod(seats, n_agents)
    everyone = list(range(n_agents))
    waiting: list[int] = []
    drawn = []
    for _ in range(tables):
        group: list[int] = []
        while len(group) < places:
            waiting = waiting or rng.sample(everyone, n_agents)
            next_one = next(agent for agent in waiting if agent not in group)
            waiting.remove(next_one)
            group.append(next_one)
        table = everyone * rounds + group
        rng.shuffle(table)
        drawn.append(tuple(table))
    return drawn


def random_tables(n_agents: int, seats: int, tables: int, seed: int) -> list[tuple[int, ...]]:
    """Draw random tables, each a tuple of agent numbers in seat order. They differ while there are others to draw.

    Every combination of agents sits down once before any sits down again, and then in a different order. Once all
    orders have been drawn, they come again, as evenly as possible. No agent has two seats at a table unless there are
    fewer agents than seats: then copies of them fill the table, as evenly as possible.
    """
    rng = random.Random(seed)
    copies, places = divmod(seats, n_agents)
    combinations_left: list[tuple[int, ...]] = []
    n_combinations = comb(n_agents, places)
    n_orders = factorial(seats) // (factorial(copies + 1) ** places * factorial(copies) ** (n_agents - places))
    times_drawn: Counter[tuple[int, ...]] = Counter()
    drawn: list[tuple[int, ...]] = []
    for number in range(tables):
        turn, place = divmod(number, n_combinations)
        if place == 0:
            used: set[tuple[int, ...]] = set()
        if 2 * place < n_combinations:  # most are unused: draw until one of them comes
            group = rng.sample(range(n_agents), places)
            while tuple(sorted(group)) in used:
                group = rng.sample(range(n_agents), places)
            used.add(tuple(sorted(group)))
        else:  # few are unused: list them
            if not combinations_left:
                every = combinations(range(n_agents), places)
                combinations_left = [combination for combination in every if combination not in used]
                rng.shuffle(combinations_left)
            group = list(combinations_left.pop())
        table = [*range(n_agents)] * copies + group
        rng.shuffle(table)
        while times_drawn[tuple(table)] > turn // n_orders:
            rng.shuffle(table)
        times_drawn[tuple(table)] += 1
        drawn.append(tuple(table))
    return drawn


def _check(n_agents: int, seats: int) -> None:
    if n_agents < 2:
        raise BadValueError("n_agents", n_agents, "at least 2")
    if not 2 <= seats <= 15:
        raise BadValueError("seats", seats, "2 to 15")
