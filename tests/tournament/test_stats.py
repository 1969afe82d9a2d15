"""Statistics against other people's numbers, and their promises against simulation."""

from __future__ import annotations

from functools import cache
from math import comb, inf, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liars_dice.core import BadValueError
from liars_dice.tournament.statistics import (
    PairCounts,
    anytime_ci,
    binomial_test,
    clustered_ci,
    e_value,
    holm,
    paired_ci,
    paired_p_value,
    rank_intervals,
    sequential_p,
    wilson_ci,
    z_test_proportions,
)


def test_known_values() -> None:
    """From scipy 1.17 and statsmodels 0.15."""
    assert wilson_ci(7, 20) == pytest.approx((0.1811918241, 0.5671457233))
    assert wilson_ci(0, 10) == pytest.approx((0.0, 0.2775327999))
    assert wilson_ci(10, 10, 0.9) == pytest.approx((1 / (1 + 1.6448536**2 / 10), 1.0))
    assert z_test_proportions(45, 100, 60, 100) == pytest.approx((-2.1239769762, 0.0336720689))
    assert binomial_test(3, 15, 0.1) == pytest.approx(0.1840610691)
    assert binomial_test(9, 10) == pytest.approx(22 / 1024)


def test_nothing_is_known_before_the_first_game() -> None:
    assert wilson_ci(0, 0) == paired_ci(PairCounts()) == (0.0, 1.0)
    assert binomial_test(0, 0) == paired_p_value(PairCounts(split=9)) == 1.0
    assert z_test_proportions(0, 0, 3, 5) == z_test_proportions(5, 5, 7, 7) == z_test_proportions(0, 5, 0, 7) == (0, 1)
    assert e_value(PairCounts()) == sequential_p(PairCounts()) == 1.0
    assert PairCounts().win_rate == 0.5


def test_impossible_numbers() -> None:
    for wins, total in ((3, 2), (-1, 2), (0, -1)):
        with pytest.raises(BadValueError, match="wins"):
            wilson_ci(wins, total)
        with pytest.raises(BadValueError, match="wins"):
            z_test_proportions(0, 1, wins, total)
        with pytest.raises(BadValueError, match="wins"):
            binomial_test(wins, total)
    with pytest.raises(BadValueError, match=r"p = 1\.5"):
        binomial_test(1, 2, 1.5)
    for confidence in (0.0, 1.0, 95.0):
        with pytest.raises(BadValueError, match="confidence"):
            paired_ci(PairCounts(1, 1, 1), confidence)
        with pytest.raises(BadValueError, match="confidence"):
            wilson_ci(1, 2, confidence)
    with pytest.raises(BadValueError, match="counts"):
        PairCounts(split=-1)
    with pytest.raises(BadValueError, match="p_values"):
        holm([0.1, 1.1])
    with pytest.raises(BadValueError, match="better"):
        rank_intervals([[False, True]])


def test_one_table_has_the_interval_of_its_games() -> None:
    assert clustered_ci([7], [20]) == clustered_ci([7, 0], [20, 0]) == wilson_ci(7, 20)
    assert clustered_ci([], []) == clustered_ci([0, 0], [0, 0]) == (0.0, 1.0)


def test_tables_that_agree_are_worth_their_games_and_tables_that_differ_are_not() -> None:
    alike, apart = clustered_ci([50] * 20, [100] * 20), clustered_ci([0, 100] * 10, [100] * 20)
    games, tables = wilson_ci(1000, 2000), wilson_ci(10, 20)
    assert alike == pytest.approx(games, abs=0.002)  # Student's t for 20 tables is a little wider
    assert apart == pytest.approx(tables, abs=0.02)
    low, high = clustered_ci([0] * 5, [100] * 5)
    assert low == 0
    assert high > wilson_ci(0, 500)[1]


@pytest.mark.parametrize(("tables", "spread"), [(4, 2.0), (10, 2.0), (10, 0.5), (10, 50.0), (40, 1.0)])
def test_the_interval_of_tables_covers_the_long_run_rate(tables: int, spread: float) -> None:
    """Tables whose rates vary around one sixth, from hardly to wildly, with 100 games each."""
    rng = np.random.default_rng(1)
    rates = rng.beta(spread, 5 * spread, size=(1500, tables))
    covered = [
        low <= 1 / 6 <= high
        for low, high in (clustered_ci(wins, [100] * tables) for wins in rng.binomial(100, rates).tolist())
    ]
    assert np.mean(covered) > 0.92


def test_an_interval_for_any_time_is_wider_and_contains_the_ordinary_one() -> None:
    for counts in (PairCounts(10, 20, 30), PairCounts(0, 5, 0), PairCounts(0, 0, 12), PairCounts(500, 9000, 700)):
        (low, high), ordinary = anytime_ci(counts), paired_ci(counts)
        assert low <= ordinary[0] <= counts.win_rate <= ordinary[1] <= high
        assert anytime_ci(counts, 0.99)[0] <= low
        mirrored = anytime_ci(PairCounts(counts.won_both, counts.split, counts.lost_both))
        assert mirrored == pytest.approx((1 - high, 1 - low))
    assert anytime_ci(PairCounts()) == (0.0, 1.0)
    assert anytime_ci(PairCounts(300, 400, 300))[1] < 0.56


def test_looking_again_and_again_does_not_break_the_interval_for_any_time() -> None:
    """Stopped at the worst moment, the ordinary interval misses the true rate far too often; this one does not."""
    rng = np.random.default_rng(2)
    chances = (0.25, 0.45, 0.3)
    missed = ordinary_missed = 0
    for _ in range(200):
        looks = np.cumsum(rng.multinomial(20, chances, size=40), axis=0).tolist()
        intervals = [(anytime_ci(PairCounts(*look)), paired_ci(PairCounts(*look))) for look in looks]
        missed += any(not low <= 0.525 <= high for (low, high), _ in intervals)
        ordinary_missed += any(not low <= 0.525 <= high for _, (low, high) in intervals)
    assert missed <= 10
    assert ordinary_missed > 30


def test_holm_known_values() -> None:
    """As statsmodels' multipletests(method="holm") has it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    n = len(p_values)
    assert isclose(min(adjusted), min(1.0, n * min(p_values)))
    for p, a in zip(p_values, adjusted, strict=True):
        assert p <= a <= min(1.0, n * p) or isclose(a, min(1.0, n * p))
    by_p = sorted(zip(p_values, adjusted, strict=True))
    assert [a for _, a in by_p] == sorted(adjusted)
    assert holm(p_values[::-1]) == adjusted[::-1]
    for alpha in (0.01, 0.05, 0.5):
        assert sum(a <= alpha for a in adjusted) == steps_down(p_values, alpha)


def steps_down(p_values: list[float], alpha: float) -> int:
    """Holm's procedure as he wrote it: reject the smallest while it is small enough for those that are left."""
    for rank, p in enumerate(sorted(p_values)):
        if min(1.0, (len(p_values) - rank) * p) > alpha:
            return rank
    return len(p_values)


def test_pair_counts() -> None:
    counts = PairCounts(1, 2, 3) + PairCounts(10, 20, 30)
    assert counts == PairCounts(lost_both=11, split=22, won_both=33)
    assert counts.pairs == 66
    assert counts.win_rate == 44 / 66


def test_paired_interval_known_values() -> None:
    """Differences of paired proportions: Fagerland, Lydersen and Laake (2014), and R's PropCIs::scoreci.mp."""
    low, high = paired_ci(PairCounts(lost_both=7, split=13, won_both=1))
    assert (2 * low - 1, 2 * high - 1) == pytest.approx((-0.517, -0.026), abs=5e-4)
    low, high = paired_ci(PairCounts(lost_both=25, split=565, won_both=28), 0.90)
    assert (2 * low - 1, 2 * high - 1) == pytest.approx((-0.0148, 0.0247), abs=5e-5)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_paired_interval(lost: int, split: int, won: int) -> None:
    counts = PairCounts(lost, split, won)
    low, high = paired_ci(counts)
    assert 0 <= low <= counts.win_rate <= high <= 1
    assert low < high
    assert paired_ci(PairCounts(won, split, lost)) == pytest.approx((1 - high, 1 - low))
    narrow_low, narrow_high = paired_ci(counts, 0.8)
    assert low <= narrow_low <= narrow_high <= high
    if counts.pairs:
        assert paired_ci(PairCounts(lost, 0, won)) == pytest.approx(wilson_ci(won, lost + won)), "no splits: Wilson"


def test_splits_make_the_interval_narrow() -> None:
    """Pairs that mostly split have less variance than twice as many independent games."""
    low, high = paired_ci(PairCounts(10, 80, 10))
    independent_low, independent_high = wilson_ci(100, 200)
    assert high - low < 0.7 * (independent_high - independent_low)


@pytest.mark.parametrize("rate", [0.03, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("n", [10, 40, 200])
def test_coverage_of_wilson(rate: float, n: int) -> None:
    interval = cache(wilson_ci)
    wins = np.random.default_rng(1).binomial(n, rate, 2000)
    covered = [interval(int(k), n)[0] <= rate <= interval(int(k), n)[1] for k in wins]
    assert 0.91 < np.mean(covered) < 0.995


@pytest.mark.parametrize("n", [10, 40, 200])
@pytest.mark.parametrize(
    ("rate", "splits"), [(0.5, 0.1), (0.5, 0.5), (0.5, 0.9), (0.05, 0.08), (0.8, 0.3), (0.97, 0.03)]
)
def test_coverage_of_pairs(rate: float, splits: float, n: int) -> None:
    @cache
    def covers(lost: int, split: int, won: int) -> bool:
        low, high = paired_ci(PairCounts(lost, split, won))
        return low <= rate <= high

    won = rate - splits / 2
    draws = np.random.default_rng(2).multinomial(n, [1 - won - splits, splits, won], 2000).tolist()
    assert np.mean([covers(*counts) for counts in draws]) > 0.92


def test_sign_test() -> None:
    assert paired_p_value(PairCounts(lost_both=1, split=50, won_both=9)) == pytest.approx(22 / 1024)
    assert paired_p_value(PairCounts(5, 0, 5)) == 1.0


@given(st.integers(0, 30), st.integers(0, 30))
def test_e_value_in_closed_form(lost: int, won: int) -> None:
    n = lost + won
    e = 2**n / ((n + 1) * comb(n, won))
    assert isclose(e_value(PairCounts(lost, 3, won)), e)
    assert isclose(sequential_p(PairCounts(lost, 3, won)), min(1.0, 1 / e))
    # a martingale: the mean over the next pair, won or lost with chance ½, is today's value
    assert isclose((e_value(PairCounts(lost + 1, 3, won)) + e_value(PairCounts(lost, 3, won + 1))) / 2, e)


def test_e_value_of_long_matches() -> None:
    assert e_value(PairCounts(0, 0, 5000)) == inf
    assert sequential_p(PairCounts(0, 0, 5000)) == 0.0
    assert sequential_p(PairCounts(5000, 0, 5000)) == 1.0


def rejected(win_rate: float, splits: float, pairs: int, alpha: float, matches: int = 2000) -> float:
    """The part of matches in which `sequential_p` is ever at most alpha, looked at after every pair."""
    significant = np.array(
        [[sequential_p(PairCounts(lost, 0, won)) <= alpha for won in range(pairs + 1)] for lost in range(pairs + 1)]
    )
    won = win_rate - splits / 2
    drawn = np.random.default_rng(3).random((matches, pairs))
    wins = np.cumsum(drawn < won, axis=1)
    losses = np.cumsum(drawn > won + splits, axis=1)
    return float(significant[losses, wins].any(axis=1).mean())


@pytest.mark.parametrize("splits", [0.0, 0.6])
def test_looking_after_every_pair_is_allowed(splits: float) -> None:
    alpha = 0.05
    ever = rejected(0.5, splits, 500, alpha)
    assert ever <= alpha + 3 * (alpha * (1 - alpha) / 2000) ** 0.5
    assert ever > 0.005, "a test that never rejects proves nothing"


def test_looking_often_finds_what_is_there() -> None:
    assert rejected(0.6, 0.5, 500, 0.05) > 0.95


def test_looking_after_every_pair_breaks_the_sign_test() -> None:
    """Why there is a sequential test at all."""
    rng = np.random.default_rng(4)
    wins = np.cumsum(rng.random((300, 200)) < 0.5, axis=1)
    p_value = cache(lambda won, n: paired_p_value(PairCounts(n - won, 0, won)))
    ever = [any(p_value(int(won), n) <= 0.05 for n, won in enumerate(row, start=1)) for row in wins]
    assert np.mean(ever) > 0.15


def test_rank_intervals() -> None:
    nobody = [[False] * 3 for _ in range(3)]
    assert rank_intervals(nobody) == [(1, 3)] * 3
    chain = [[i < j for j in range(4)] for i in range(4)]
    assert rank_intervals(chain) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert rank_intervals([]) == []
