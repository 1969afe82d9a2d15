"""Who sits where in a league: everyone plays equally often, against everyone, in every seat."""

from __future__ import annotations

import random
from math import gcd

from ..core import BadValueError

SWAPS = 100_000
"""How many exchanges of two agents are tried at most to even out who meets whom; in small leagues, 1000 a place."""


def natural_tables(n_agents: int, seats: int) -> int:
    """The fewest tables at which everyone can sit in every seat equally often and meet everyone equally often.

    With n agents and k seats, everyone is in every seat equally often, say m times, only at mn tables. Each agent then
    plays mk games and meets mk(k-1) others, equally often each of the n-1 only if n-1 divides that. If there are fewer
    agents than seats, all of them sit down as often as there is room for all, and k is the number of seats left.

    >>> natural_tables(4, 2)  # six pairs, in both orders
    12
    """
    _check(n_agents, seats)
    places = seats % n_agents if seats >= n_agents else seats
    return n_agents * (n_agents - 1) // gcd(n_agents - 1, places * (places - 1))


def league(n_agents: int, seats: int, tables: int, seed: int) -> list[tuple[int, ...]]:
    """So many tables of so many seats, each a tuple of agent numbers in seat order; the same seed, the same league.

    How often two agents play differs by at most one, and so does how often an agent sits in one seat and another.
    Every pair meets about equally often. Nobody sits twice at a table, unless there are fewer agents than seats: then
    copies do.
    """
    _check(n_agents, seats)
    if tables < 0:
        raise BadValueError("tables", tables, "no negative number")
    rng = random.Random(seed)
    rounds, places = divmod(seats, n_agents)
    groups, met = _gather(n_agents, places, tables, rng)
    _even_out(groups, met, rng)
    everyone = [*range(n_agents)] * rounds
    return _seat([everyone + group for group in groups], n_agents, seats, rng)


def _gather(n: int, places: int, tables: int, rng: random.Random) -> tuple[list[list[int]], list[list[int]]]:
    """Groups of different agents, and how often each two have met.

    Whoever has played least comes next; among them whoever has met the others at the table least.
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


def _even_out(groups: list[list[int]], met: list[list[int]], rng: random.Random) -> None:
    """Exchange agents between tables wherever that does not raise the sum of the squares of `met`.

    Exchanges that leave it as it is are made too: they lead out of places where nothing better is near.
    """
    pairs = [count for agent, row in enumerate(met) for count in row[:agent]]
    each, over = divmod(sum(pairs), len(pairs))
    excess = sum(count * count for count in pairs) - (over * (each + 1) ** 2 + (len(pairs) - over) * each**2)
    for _ in range(min(SWAPS, 1_000 * sum(map(len, groups)))):
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


def _seat(groups: list[list[int]], n: int, seats: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Seats for the agents of each group, so that an agent's games 1 to k, k+1 to 2k and so on are each in k
    different seats.

    Take each such run of games as a node, each table as another, and each place as an edge between the two. No node
    has more than k edges, so k colours are enough (Kőnig), and the colours are the seats. Where table and run have no
    seat free in common, a chain of tables exchanges two seats.
    """
    table_at: list[list[int | None]] = []  # table_at[run][seat]
    run_at: list[list[int | None]] = []  # run_at[table][seat]
    agents: list[int] = []  # whose run it is
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
            _place(run, table, seat, spare, table_at, run_at)
    return [tuple(agents[run] for run in row if run is not None) for row in run_at]


def _place(
    run: int | None, table: int, seat: int, spare: int, table_at: list[list[int | None]], run_at: list[list[int | None]]
) -> None:
    """Give `run` the free `seat` at `table`; where it had that seat at another, it takes its `spare` one there, and
    whoever sat in that moves on in the same way.
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
