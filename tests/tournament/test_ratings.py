"""Ratings find out who is better, whatever order the games come in."""

from __future__ import annotations

import random

import numpy as np
import pytest

from liars_dice.core import BadValueError
from liars_dice.tournament.ratings import Rating, elo_ratings, openskill_ratings
from liars_dice.tournament.schedule import league_tables

Games = list[tuple[tuple[str, ...], int]]


def play(strengths: dict[str, float], seats: int, tables: int) -> Games:
    """Games in which agents win in proportion to their strengths."""
    rng = random.Random(7)
    names = list(strengths)
    seated = [tuple(names[agent] for agent in table) for table in league_tables(len(names), seats, tables, 7)]
    return [(table, rng.choices(range(seats), [strengths[name] for name in table])[0]) for table in seated]


def elo_rates(ratings: list[float]) -> list[list[float]]:
    return [[1 / (1 + 10 ** ((b - a) / 400)) for b in ratings] for a in ratings]


def test_rating() -> None:
    rating = Rating(mu=30.0, sigma=2.0)
    assert (rating.low, rating.high) == pytest.approx((26.08, 33.92))


@pytest.mark.parametrize("seats", [2, 4, 6, 8])
def test_the_better_the_higher(seats: int) -> None:
    """At tables with copies too."""
    ratings = openskill_ratings(play({"weak": 1, "fair": 2, "good": 4, "best": 8}, seats, 400))
    assert ratings["weak"].high < ratings["best"].low
    assert sorted(ratings, key=lambda name: ratings[name].mu) == ["weak", "fair", "good", "best"]


def test_the_order_of_games_does_not_matter() -> None:
    games = play({"a": 1, "b": 1, "c": 2, "d": 3}, 3, 60)
    ratings = openskill_ratings(games)
    assert openskill_ratings(reversed(games)) == ratings
    assert openskill_ratings(random.Random(1).sample(games, len(games))) == ratings
    assert openskill_ratings([(list(names), winner) for names, winner in games]) == ratings


def test_other_shuffles_change_little() -> None:
    """Other names sort otherwise, so that the same games are rated in other orders."""
    games = play({"a": 1, "b": 1.5, "c": 2, "d": 3}, 3, 300)
    renamed = {"a": "z", "b": "c", "c": "a", "d": "b"}
    ratings = openskill_ratings(games)
    others = openskill_ratings([(tuple(renamed[name] for name in names), winner) for names, winner in games])
    for old, new in renamed.items():
        assert abs(ratings[old].mu - others[new].mu) < 0.4 * ratings[old].sigma


def test_more_games_make_it_surer() -> None:
    few, many = (openskill_ratings(play({"a": 1, "b": 2, "c": 3}, 3, tables)) for tables in (30, 600))
    assert all(many[name].sigma < few[name].sigma / 2 for name in few)


def test_more_seats_are_no_advantage() -> None:
    """Three copies of one agent win three games of four, and are no better for it."""
    ratings = openskill_ratings([(("many", "many", "many", "one"), winner) for winner in (0, 1, 2, 3) * 100])
    assert abs(ratings["many"].mu - ratings["one"].mu) < ratings["one"].sigma
    better = openskill_ratings([(("many", "many", "many", "one"), winner) for winner in (0, 1, 3, 3) * 100])
    assert better["one"].low > better["many"].high


def test_a_table_of_one_name_says_nothing() -> None:
    alone = openskill_ratings([(("a", "a"), 1)])
    assert alone == {"a": Rating(25.0, 25 / 3)}
    assert openskill_ratings([]) == {}


def test_a_winner_who_was_not_there() -> None:
    for winner in (-1, 2):
        with pytest.raises(BadValueError, match="winner"):
            openskill_ratings([(("a", "b"), winner)])


def test_known_strengths_are_recovered() -> None:
    strengths = [1250.0, 1400.0, 1500.0, 1620.0, 1730.0]
    ratings = elo_ratings("abcde", elo_rates(strengths))
    assert list(ratings) == list("abcde")
    assert list(ratings.values()) == pytest.approx(strengths, abs=0.2)


def test_agents_that_never_met_are_compared_through_others() -> None:
    strengths = [1300.0, 1450.0, 1750.0]
    rates: list[list[float | None]] = [list(row) for row in elo_rates(strengths)]
    rates[0][2] = rates[2][0] = None
    assert list(elo_ratings("abc", rates).values()) == pytest.approx(strengths, abs=0.3)


def test_two_agents_in_closed_form() -> None:
    """Nine wins for each loss are 400 log10(9) points."""
    ratings = elo_ratings(["a", "b"], [[0.5, 0.9], [0.1, 0.5]])
    assert ratings["a"] - ratings["b"] == pytest.approx(400 * np.log10(9), abs=0.2)
    assert ratings["a"] + ratings["b"] == pytest.approx(3000)


def test_circles_are_equal() -> None:
    circle = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
    assert list(elo_ratings("abc", circle).values()) == pytest.approx([1500.0] * 3)


def test_expected_wins_are_actual_wins() -> None:
    """What maximum likelihood means here, also where no strengths fit exactly."""
    rng = np.random.default_rng(5)
    upper = np.triu(rng.random((9, 9)), 1)
    rates = upper + np.tril(1 - upper.T, -1) + np.eye(9) / 2
    fitted = elo_rates(list(elo_ratings("abcdefghi", rates.tolist()).values()))
    assert np.sum(fitted, axis=1) == pytest.approx(rates.sum(axis=1), abs=1e-3)


@pytest.mark.parametrize("n", [2, 3, 30])
def test_always_and_never_stay_finite(n: int) -> None:
    ratings = list(
        elo_ratings([str(i) for i in range(n)], [[float(i < j) for j in range(n)] for i in range(n)]).values()
    )
    assert np.isfinite(ratings).all()
    assert ratings == sorted(ratings, reverse=True)
    assert np.mean(ratings) == pytest.approx(1500)
    if n == 2:
        assert ratings[0] - ratings[1] == pytest.approx(400 * np.log10(2e4 - 1))


def test_matrices_that_make_no_sense() -> None:
    for rates in ([[0.5, 0.7], [0.7, 0.5]], [[0.5, 1.2], [-0.2, 0.5]], [[0.5, float("nan")], [0.5, 0.5]], [[0.5]]):
        with pytest.raises(BadValueError, match="win_rates"):
            elo_ratings("ab", rates)
    with pytest.raises(BadValueError, match="names"):
        elo_ratings("aa", [[0.5, 0.5], [0.5, 0.5]])
