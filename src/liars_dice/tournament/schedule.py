"""Who sits at which table: balanced seating plans for leagues, and random tables for simulations.

In a league every agent plays equally often, meets every other equally often, and sits in every seat equally often.
"""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import comb, factorial, gcd

from ..core import BadValueError

MAX_SWAPS = 100_000
"""At most this many swaps of two agents are tried to balance who meets whom; at most 1000 per seat in small leagues."""


def balanced_table_count(n_agents: int, seats: int) -> int:
    """The fewest tables at which every agent can take every seat, and meet every other agent, equally often.

    With n agents and k seats, every agent takes every seat equally often, say m times, only at mn tables. Each agent
    then plays mk games and has mk(k-1) meetings; they are spread evenly over the n-1 others only if n-1 divides that.
    If there are fewer agents than seats, every table seats all agents as many times as they fit, and k is the number of
    seats that remain.

    >>> balanced_table_count(4, 2)  # six pairs, in both orders
    12
    """
    _check(n_agents, seats)
    places = seats % n_agents if seats >= n_agents else seats
    return n_agents * (n_agents - 1) // gcd(n_agents - 1, places * (places - 1))


def league_tables(n_agents: int, seats: int, tables: int, seed: int) -> list[tuple[int, ...]]:
    """Seat agents at tables: each table is a tuple of agent numbers in seat order. The same seed gives the same league.

    Agents' numbers of games differ by at most one, and so do the numbers of times one agent takes each seat. Every pair
    meets about equally often. No agent has two seats at a table unless there are fewer agents than seats.
    """
    _check(n_agents, seats)
    if tables < 0:
        raise BadValueError("tables", tables, "a number of at least 0")
    rng = random.Random(seed)
    rounds, places = divmod(seats, n_agents)
    groups, met = _choose_groups(n_agents, places, tables, rng)
    _balance_meetings(groups, met, rng)
    everyone = [*range(n_agents)] * rounds
    return _assign_seats([everyone + group for group in groups], n_agents, seats, rng)


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


def _choose_groups(n: int, places: int, tables: int, rng: random.Random) -> tuple[list[list[int]], list[list[int]]]:
    """Choose a group of distinct agents for each table; also return how often each pair meets.

    The next agent is one that has played least, and among those, one that has met the others at the table least.
    """
    met = [[0] * n for _ in range(n)]
    groups: list[list[int]] = []
    waiting: set[int] = set()
    for _ in range(tables):
        group: list[int] = []
        met_group = [0] * n
        while len(group) < places:
            waiting = waiting or set(range(n))
            free = sorted(waiting.difference(group))
            least = min(met_group[agent] for agent in free)
            chosen = rng.choice([agent for agent in free if met_group[agent] == least])
            waiting.remove(chosen)
            for other in group:
                met[chosen][other] += 1
                met[other][chosen] += 1
            group.append(chosen)
            met_group = [a + b for a, b in zip(met_group, met[chosen], strict=True)]
        groups.append(group)
    return groups, met


def _balance_meetings(groups: list[list[int]], met: list[list[int]], rng: random.Random) -> None:
    """Swap agents between tables wherever that does not raise the sum of the squares of `met`.

    Swaps that leave the sum unchanged are made too: they lead out of local minima.
    """
    pairs = [count for agent, row in enumerate(met) for count in row[:agent]]
    each, over = divmod(sum(pairs), len(pairs))
    excess = sum(count * count for count in pairs) - (over * (each + 1) ** 2 + (len(pairs) - over) * each**2)
    for _ in range(min(MAX_SWAPS, 1_000 * sum(map(len, groups)))):
        if not excess:
            return
        one, two = rng.choice(groups), rng.choice(groups)
        i, j = rng.randrange(len(one)), rng.randrange(len(two))
        a, b = one[i], two[j]
        if a in two or b in one:
            continue
        with_a = [other for other in one if other != a and other not in two]
        with_b = [other for other in two if other != b and other not in one]
        met_a, met_b = met[a], met[b]
        change = 2 * sum(met_b[other] - met_a[other] + 1 for other in with_a)
        change += 2 * sum(met_a[other] - met_b[other] + 1 for other in with_b)
        if change > 0:
            continue
        excess += change
        one[i], two[j] = b, a
        for leaves, enters, others in ((a, b, with_a), (b, a, with_b)):
            for other in others:
                met[leaves][other] -= 1
                met[other][leaves] -= 1
                met[enters][other] += 1
                met[other][enters] += 1


def _assign_seats(groups: list[list[int]], n: int, seats: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Assign seats so that an agent's games 1 to k, k+1 to 2k and so on are each in k different seats.

    Each such run of games is a node, each table is a node, and each agent at a table is an edge between the two. No
    node has more than k edges, so k colours are enough (Kőnig); the colours are the seats. Where table and run have no
    free seat in common, two seats are swapped along a chain of tables.
    """
    table_at: list[list[int | None]] = []  # table_at[run][seat]
    run_at: list[list[int | None]] = []  # run_at[table][seat]
    agents: list[int] = []  # the agent of each run
    played = [0] * n
    current = [0] * n
    for table, group in enumerate(groups):
        run_at.append([None] * seats)
        for agent in group:
            if played[agent] % seats == 0:
                current[agent] = len(agents)
                agents.append(agent)
                table_at.append([None] * seats)
            played[agent] += 1
            run = current[agent]
            here = [seat for seat in range(seats) if run_at[table][seat] is None]
            there = [seat for seat in range(seats) if table_at[run][seat] is None]
            both = [seat for seat in here if seat in there]
            seat = rng.choice(both or here)
            spare = seat if both else rng.choice(there)
            _place_run(run, table, seat, spare, table_at, run_at)
    return [tuple(agents[run] for run in row if run is not None) for row in run_at]


def _place_run(
    run: int | None, table: int, seat: int, spare: int, table_at: list[list[int | None]], run_at: list[list[int | None]]
) -> None:
    """Give `run` the free `seat` at `table`.

    If the run already has that seat at another table, it moves to its `spare` seat there, and the run that held the
    spare seat moves on in the same way.
    """
    run_at[table][seat] = run
    while run is not None:
        clash, table_at[run][seat] = table_at[run][seat], table
        if clash is None:
            return
        table_at[run][spare] = clash
        run_at[clash][spare], run_at[clash][seat] = run, run_at[clash][spare]
        run, table = run_at[clash][seat], clash
        if run is not None:
            table_at[run][spare] = None


def _check(n_agents: int, seats: int) -> None:
    if n_agents < 2:
        raise BadValueError("n_agents", n_agents, "at least 2")
    if not 2 <= seats <= 15:
        raise BadValueError("seats", seats, "2 to 15")
