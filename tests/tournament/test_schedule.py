"""A league is fair: in how often agents play, where they sit, and whom they meet."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import comb, factorial, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liars_dice.core import BadValueError
from liars_dice.tournament.schedule import balanced_table_count, league_tables, random_tables

Tables = list[tuple[int, ...]]


def spread(counts: list[int]) -> int:
    return max(counts) - min(counts)


def appearances(tables: Tables, n: int) -> list[int]:
    counts = Counter(agent for table in tables for agent in table)
    return [counts[agent] for agent in range(n)]


def in_seats(tables: Tables, n: int) -> list[list[int]]:
    """How often each agent sits in each seat."""
    counts = Counter((agent, seat) for table in tables for seat, agent in enumerate(table))
    return [[counts[agent, seat] for seat in range(len(tables[0]))] for agent in range(n)]


def meetings(tables: Tables, n: int) -> list[int]:
    """How often each two agents meet."""
    counts = Counter(tuple(sorted(pair)) for table in tables for pair in combinations(table, 2))
    return [counts[pair] for pair in combinations(range(n), 2)]


def at_random(n: int, seats: int, tables: int) -> Tables:
    rng = random.Random(1)
    return [tuple(rng.sample(range(n), seats)) for _ in range(tables)]


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
    assert max(map(spread, in_seats(played, n))) <= 1
    if n >= seats:
        assert all(len(set(table)) == seats for table in played)
        met, by_chance = meetings(played, n), meetings(at_random(n, seats, tables), n)
        assert spread(met) <= 5
        assert sum(count**2 for count in met) <= sum(count**2 for count in by_chance)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 12), st.integers(2, 15), st.integers(0, 99))
def test_natural_leagues_are_even(n: int, seats: int, seed: int) -> None:
    played = league_tables(n, seats, balanced_table_count(n, seats), seed)
    assert spread(appearances(played, n)) == 0
    assert max(map(spread, in_seats(played, n))) == 0
    assert spread(meetings(played, n)) <= 2


@pytest.mark.parametrize(
    ("n", "seats", "tables"),
    [(2, 2, 2), (4, 2, 12), (10, 2, 90), (7, 3, 7), (9, 3, 36), (13, 4, 13), (6, 6, 6), (3, 6, 3)],
)
def test_perfect_designs_are_found(n: int, seats: int, tables: int) -> None:
    """Round robins, the projective planes of order 2 and 3, and tables at which everyone sits."""
    assert balanced_table_count(n, seats) == tables
    assert spread(meetings(league_tables(n, seats, tables, 0), n)) == 0


def test_large_leagues_are_quick_and_much_fairer_than_chance() -> None:
    played = league_tables(100, 6, 2000, 0)
    assert spread(appearances(played, 100)) == 0
    assert max(map(spread, in_seats(played, 100))) == 0
    assert spread(meetings(played, 100)) <= 5
    assert spread(meetings(at_random(100, 6, 2000), 100)) > 12


def test_seed() -> None:
    assert league_tables(9, 4, 20, 5) == league_tables(9, 4, 20, 5)
    assert league_tables(9, 4, 20, 5) != league_tables(9, 4, 20, 6)
    assert league_tables(9, 4, 0, 5) == []


def test_leagues_that_cannot_be() -> None:
    for n, seats, field in ((1, 2, "n_agents"), (5, 1, "seats"), (5, 16, "seats")):
        with pytest.raises(BadValueError, match=field):
            league_tables(n, seats, 10, 0)
        with pytest.raises(BadValueError, match=field):
            balanced_table_count(n, seats)
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
    counts = in_seats([table for seed in range(2000) for table in random_tables(5, 3, 2, seed)], 5)
    assert all(700 < count < 900 for row in counts for count in row)  # 800 expected


def test_many_random_tables_are_drawn_quickly() -> None:
    drawn = random_tables(17, 6, 12_376, 1)  # every combination of 17 agents
    assert len({tuple(sorted(table)) for table in drawn}) == 12_376
