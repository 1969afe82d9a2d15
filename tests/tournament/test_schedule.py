"""A league is fair: every agent plays equally often, and groups and seats are drawn at random."""

from __future__ import annotations

from collections import Counter
from math import comb, factorial, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liars_dice.core import BadValueError
from liars_dice.tournament.schedule import league_tables, random_tables

Tables = list[tuple[int, ...]]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


def appearances(tables: Tables, n: int) -> list[int]:
    counts = Counter(agent for table in tables for agent in table)
    return [counts[agent] for agent in range(n)]


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 20), st.integers(2, 15), st.integers(1, 40), st.integers(0, 99))
def test_fair(n: int, seats: int, tables: int, seed: int) -> None:
    played = league_tables(n, seats, tables, seed)
    assert len(played) == tables
    for table in played:
        assert len(table) == seats
        copies = Counter(table)
        assert set(copies) <= set(range(n))
        assert max(copies.values()) - (min(copies.values()) if len(copies) == n else 0) <= 1, "copies only where needed"
    assert spread(appearances(played, n)) <= 1
    if n >= seats:
        assert all(len(set(table)) == seats for table in played)


@pytest.mark.parametrize(("n", "seats"), [(4, 3), (5, 3), (6, 6), (7, 4), (11, 6)])
def test_groups_and_orders_are_random(n: int, seats: int) -> None:
    """Each agent takes each seat, meets each other and sits behind each other as often as chance has it."""
    tables = 6000
    played = league_tables(n, seats, tables, 1)
    in_seat = Counter((agent, seat) for table in played for seat, agent in enumerate(table))
    behind = Counter((table[seat - 1], table[seat]) for table in played for seat in range(seats))
    for counts, kinds, total in ((in_seat, n * seats, tables * seats), (behind, n * (n - 1), tables * seats)):
        assert len(counts) == kinds
        assert max(counts.values()) - min(counts.values()) < 10 * (total / kinds) ** 0.5


def test_large_leagues_are_quick() -> None:
    played = league_tables(100, 6, 20_000, 0)
    assert spread(appearances(played, 100)) == 0


def test_seed() -> None:
    assert league_tables(9, 4, 20, 5) == league_tables(9, 4, 20, 5)
    assert league_tables(9, 4, 20, 5) != league_tables(9, 4, 20, 6)
    assert league_tables(9, 4, 0, 5) == []


def test_leagues_that_cannot_be() -> None:
    for n, seats, field in ((1, 2, "n_agents"), (5, 1, "seats"), (5, 16, "seats")):
        with pytest.raises(BadValueError, match=field):
            league_tables(n, seats, 10, 0)
    with pytest.raises(BadValueError, match="tables"):
        league_tables(5, 2, -1, 0)


# -- random tables -----------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(2, 7), st.integers(1, 150), st.integers(0, 99))
def test_random_tables_differ_while_there_are_others(n: int, seats: int, tables: int, seed: int) -> None:
    drawn = random_tables(n, seats, tables, seed)
    assert drawn == random_tables(n, seats, tables, seed)
    assert len(drawn) == tables
    whole, rest = divmod(seats, n)
    for table in drawn:
        copies = Counter(table)
        assert sum(copies.values()) == seats
        assert all(whole <= copies[agent] <= whole + 1 for agent in range(n))
    seated = Counter(tuple(sorted(table)) for table in drawn)
    every_combination = comb(n, rest)
    assert len(seated) == min(tables, every_combination)
    assert max(seated.values()) - min(seated.values()) <= 1 or len(seated) < every_combination
    assert max(seated.values()) <= -(-tables // every_combination)
    for combination, times in seated.items():
        orders = [table for table in drawn if tuple(sorted(table)) == combination]
        every_order = factorial(seats) // prod(map(factorial, Counter(combination).values()))
        assert len(set(orders)) == min(times, every_order)
        assert spread([*Counter(orders).values()]) <= 1


def test_random_tables_are_drawn_evenly() -> None:
    """Each agent in each seat about equally often."""
    drawn = [table for seed in range(2000) for table in random_tables(5, 3, 2, seed)]
    counts = Counter((agent, seat) for table in drawn for seat, agent in enumerate(table))
    assert len(counts) == 15
    assert all(700 < count < 900 for count in counts.values())  # 800 expected


def test_many_random_tables_are_drawn_quickly() -> None:
    drawn = random_tables(17, 6, 12_376, 1)  # every combination of 17 agents
    assert len({tuple(sorted(table)) for table in drawn}) == 12_376
