"""Confidence intervals, significance tests, and what stays valid however often you look at a pairing.

With *duplicate dice*, the same dice are played twice with the seats swapped. The two games of such a pair are not
independent, so pairs are counted instead: an agent lost both games, won one, or won both. At larger tables, games with
the same agents in the same order are alike, so the table is the unit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import erfc, exp, inf, lgamma, log, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

import msgspec

from ..core import BadValueError

if TYPE_CHECKING:
    from ..numeric import Floats

CERTAIN = 1e-12
"""Rates without sampling error that are closer than this are equal: they differ by rounding only."""


class PairCounts(msgspec.Struct, frozen=True):
    """How many pairs of games an agent lost, split and won. Counts can be added up."""

    lost_both: int = 0
    split: int = 0
    won_both: int = 0

    def __post_init__(self) -> None:
        if min(self.lost_both, self.split, self.won_both) < 0:
            raise BadValueError("counts", msgspec.structs.astuple(self), "numbers of at least 0")

    @property
    def pairs(self) -> int:
        """How many pairs were played."""
        return self.lost_both + self.split + self.won_both

    @property
    def win_rate(self) -> float:
        """The share of all games won; ½ before the first game."""
        return (self.won_both + self.split / 2) / self.pairs if self.pairs else 0.5

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(self.lost_both + other.lost_both, self.split + other.split, self.won_both + other.won_both)


def wilson_ci(wins: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's confidence interval for a win rate, from independent games; (0, 1) before the first game."""
    from scipy.stats import binomtest

    _check_wins(wins, total)
    _check_confidence(confidence)
    if not total:
        return 0.0, 1.0
    low, high = binomtest(wins, total).proportion_ci(confidence, method="wilson")
    return float(low), float(high)


def clustered_ci(wins: Sequence[float], games: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """A confidence interval for a win rate, from the wins and games at each of several tables.

    Games at one table are alike, so with two tables or more the table is the unit: the spread between tables gives
    the number of independent games that would be as informative, and Wilson's interval is computed from that number,
    with Student's t for the number of tables. The win rate it covers is the one over all tables that might have been
    drawn. With one table it is Wilson's interval, for the win rate at that table; so it is where tables do not differ
    at all, as if their games were independent.
    """
    import numpy as np

    _check_confidence(confidence)
    won, played = np.array(wins, dtype=float), np.array(games, dtype=float)
    if won.shape != played.shape or not np.all((won >= 0) & (won <= played)):
        raise BadValueError("wins", list(wins), "for each table, a number from 0 to that of its games")
    total, tables = float(played.sum()), int((played > 0).sum())
    if not total:
        return 0.0, 1.0
    rate = float(won.sum()) / total
    return clustered_interval(rate, total, float(((won - rate * played) ** 2).sum()), tables, confidence)


def clustered_interval(
    rate: float, total: float, squares: float, tables: int, confidence: float = 0.95
) -> tuple[float, float]:
    """`clustered_ci` from sums over the tables: the rate, the games, and the squares of won - rate · played."""
    from scipy.stats import t

    between = tables / (tables - 1) * squares / total**2 if tables > 1 else 0.0
    effective = rate * (1 - rate) / between if between > CERTAIN**2 else total
    z = float(t.ppf((1 + confidence) / 2, tables - 1)) if tables > 1 else NormalDist().inv_cdf((1 + confidence) / 2)
    z2 = z * z / effective
    middle = (rate + z2 / 2) / (1 + z2)
    reach = sqrt(z2 * (rate * (1 - rate) + z2 / 4)) / (1 + z2)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def z_test_proportions(wins1: int, total1: int, wins2: int, total2: int) -> tuple[float, float]:
    """Test whether two win rates differ: z with the pooled variance, and the two-sided p-value.

    Returns (0, 1) where the test says nothing: one side has no games, or all games of both sides ended the same way.
    """
    _check_wins(wins1, total1)
    _check_wins(wins2, total2)
    wins, total = wins1 + wins2, total1 + total2
    if not total1 or not total2 or wins in (0, total):
        return 0.0, 1.0
    pooled = wins / total
    z = (wins1 / total1 - wins2 / total2) / sqrt(pooled * (1 - pooled) * (1 / total1 + 1 / total2))
    return z, erfc(abs(z) / sqrt(2))


def binomial_test(k: int, n: int, p: float = 0.5) -> float:
    """The exact two-sided p-value of k successes in n trials with success probability p."""
    from scipy.stats import binomtest

    _check_wins(k, n)
    if not 0 <= p <= 1:
        raise BadValueError("p", p, "a probability from 0 to 1")
    return float(binomtest(k, n, p).pvalue) if n else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given.

    If you reject wherever the adjusted value is at most alpha, the chance of even one false rejection is at most alpha.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise BadValueError("p_values", list(p_values), "probabilities from 0 to 1")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def paired_ci(counts: PairCounts, confidence: float = 0.95) -> tuple[float, float]:
    """A confidence interval for the win rate, from pairs: Tango's score interval (Statistics in Medicine 17, 1998).

    With δ = P(won both) - P(lost both), the win rate is (1 + δ) / 2. The interval is every δ that the score test of
    the pairs does not reject. Like Wilson's, it is also reliable for few pairs and for rates near 0 and 1.
    """
    _check_confidence(confidence)
    n, won, lost = counts.pairs, counts.won_both, counts.lost_both
    if not n:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)

    def accepted(delta: float) -> bool:
        q = _lost_both_given(counts, delta)
        return (won - lost - n * delta) ** 2 <= z * z * n * (2 * q + delta * (1 - delta))

    return _interval_of(counts, accepted)


def anytime_ci(counts: PairCounts, confidence: float = 0.95) -> tuple[float, float]:
    """A confidence interval for the win rate, from pairs, that stays valid however often you look (`e_value`).

    With probability `confidence`, the true win rate lies in all intervals that you ever look at. It is every win rate
    against which the evidence is less than 1 / (1 - confidence), where the evidence is a likelihood ratio: "pairs are
    lost, split and won with unknown probabilities", a mixture with Jeffreys' prior Dirichlet(½, ½, ½), to the largest
    likelihood of this win rate. Relative to the true probabilities, the mixture is a martingale that starts at 1, and
    the largest likelihood is at least the true one (Ville's inequality).
    """
    _check_confidence(confidence)
    if not counts.pairs:
        return 0.0, 1.0
    numbers = (counts.lost_both, counts.split, counts.won_both)
    mixture = sum(lgamma(number + 0.5) - lgamma(0.5) for number in numbers) + lgamma(1.5) - lgamma(counts.pairs + 1.5)
    least = mixture + log(1 - confidence)

    def accepted(delta: float) -> bool:
        q = _lost_both_given(counts, delta)
        chances = (q, 1 - 2 * q - delta, q + delta)
        if any(number and chance <= 0 for number, chance in zip(numbers, chances, strict=True)):
            return False
        likelihood = sum(number * log(chance) for number, chance in zip(numbers, chances, strict=True) if number)
        return likelihood > least

    return _interval_of(counts, accepted)


def _lost_both_given(counts: PairCounts, delta: float) -> float:
    """The maximum-likelihood P(lost both), given P(won both) - P(lost both) = delta."""
    n, won, lost = counts.pairs, counts.won_both, counts.lost_both
    # the larger root of 2n q² + b q - c = 0
    b = (2 * n - won + lost) * delta - won - lost
    c = lost * delta * (1 - delta)
    return (sqrt(max(b * b + 8 * n * c, 0.0)) - b) / (4 * n)


def _interval_of(counts: PairCounts, accepted: Callable[[float], bool]) -> tuple[float, float]:
    """The accepted win rates, given which differences P(won both) - P(lost both) are."""
    estimate = (counts.won_both - counts.lost_both) / counts.pairs
    return (1 + _edge(accepted, estimate, -1.0)) / 2, (1 + _edge(accepted, estimate, 1.0)) / 2


def paired_p_value(counts: PairCounts) -> float:
    """Test whether the win rate is ½: the exact two-sided sign test on the pairs that were not split.

    Valid for one look at a number of pairs fixed in advance. To look repeatedly, use `sequential_p`.
    """
    return binomial_test(counts.won_both, counts.won_both + counts.lost_both)


def e_value(counts: PairCounts) -> float:
    """The evidence against a win rate of ½; it stays valid however often you look.

    With w pairs won and l lost (split pairs carry no information), this is the likelihood ratio of "each pair is won
    with an unknown, uniformly distributed probability" to "with probability ½": ∫ p^w (1-p)^l dp / 2^-(w+l). If the
    rate is ½, it is a martingale that starts at 1, so it ever reaches 1/alpha with probability at most alpha (Ville's
    inequality).

    >>> round(e_value(PairCounts(lost_both=0, split=7, won_both=3)), 9)  # 2³ / 4
    2.0
    """
    log_e = _log_e(counts)
    return exp(log_e) if log_e < 709 else inf


def sequential_p(counts: PairCounts) -> float:
    """A p-value for "the win rate is ½" that stays valid however often you look: 1 / `e_value`, at most 1."""
    return exp(-max(0.0, _log_e(counts)))


def t_p_values(differences: Floats, errors: Floats, degrees: Floats) -> Floats:
    """The two-sided p-values of "the difference is 0", by Student's t; infinitely many degrees are the normal.

    Where there is no error, the difference is certain.
    """
    import numpy as np
    from scipy.stats import t

    certain = errors <= 0
    tails = t.sf(np.abs(differences) / np.where(certain, 1.0, errors), degrees)
    return np.where(certain, np.where(np.abs(differences) > CERTAIN, 0.0, 1.0), np.minimum(1.0, 2 * tails))


def rank_intervals(better: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """Each agent's best and worst possible rank, where `better[i][j]` means that i is significantly better than j.

    >>> rank_intervals([[False, False, True], [False, False, True], [False, False, False]])
    [(1, 2), (1, 2), (3, 3)]
    """
    n = len(better)
    if any(len(row) != n for row in better):
        raise BadValueError("better", [len(row) for row in better], f"{n} rows of {n}")
    return [(1 + sum(bool(row[i]) for row in better), n - sum(map(bool, better[i]))) for i in range(n)]


def _log_e(counts: PairCounts) -> float:
    won, lost = counts.won_both, counts.lost_both
    return (won + lost) * log(2) + lgamma(won + 1) + lgamma(lost + 1) - lgamma(won + lost + 2)


def _edge(accepted: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last accepted point on the way from `inside` to `outside`, by bisection."""
    if accepted(outside):
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        if accepted(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _check_wins(wins: int, total: int) -> None:
    if not 0 <= wins <= total:
        raise BadValueError("wins", wins, f"0 to {total}, the number of games")


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise BadValueError("confidence", confidence, "a number between 0 and 1")
