"""Ratings: OpenSkill from games at tables of any size, Elo from the win rates of pairings."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from math import log
from statistics import fmean

import msgspec
import numpy as np

from ..core import BadValueError
from ..numeric import Floats

PASSES = 4
"""A rating is the mean over this many orderings of the same games."""

PRIOR = 1e-4
"""The share of the games between any two agents that counts as drawn, whatever the results. Without it, the rating of
an agent that never lost would be infinite. With only two agents, ratings differ by at most 1720."""


PRIOR_GAMES = 2.0
"""How many drawn games against an average player count for every player of a leaderboard."""


class Rating(msgspec.Struct, frozen=True):
    """An agent's strength (`mu`, 25 before the first game) and its uncertainty (`sigma`)."""

    mu: float
    sigma: float

    @property
    def low(self) -> float:
        """The lower end of the 95% interval, which takes games as independent."""
        return self.mu - 1.96 * self.sigma

    @property
    def high(self) -> float:
        """The upper end of the 95% interval, which takes games as independent."""
        return self.mu + 1.96 * self.sigma


def openskill_ratings(games: Iterable[tuple[Sequence[str], int]], passes: int = PASSES) -> dict[str, Rating]:
    """Rate agents by OpenSkill's Plackett-Luce model. Each game is the names at the table and the winner's seat.

    The winner ranks first and all others tie. That pulls the losers of a table together: at large tables, ratings are
    in the right order but closer together than the agents' strengths.

    Agents do not change, so their uncertainty does not grow between games (tau is 0). The model updates game by game
    and depends on their order, so the games are sorted, rated in several shuffles (`passes`) from a fixed seed, and
    averaged. The order in which the games are given therefore does not matter.

    Where a name has several seats, each copy is rated and the agent moves by their mean change. A table with only one
    name is ignored.
    """
    in_order = sorted((tuple(names), winner) for names, winner in games)
    for names, winner in in_order:
        if not 0 <= winner < len(names):
            raise BadValueError("winner", winner, f"a seat from 0 to {len(names) - 1}")
    agents = sorted({name for names, _ in in_order for name in names})
    rng = random.Random(0)
    rated = [_rate_once(agents, rng.sample(in_order, len(in_order))) for _ in range(passes)]
    return {
        agent: Rating(fmean(one[agent][0] for one in rated), fmean(one[agent][1] for one in rated)) for agent in agents
    }


def elo_ratings(names: Sequence[str], win_rates: Sequence[Sequence[float | None]]) -> dict[str, float]:
    """Fit Elo ratings with mean 1500: i beats j with probability 1 / (1 + 10^((r_j - r_i) / 400)).

    `win_rates[i][j]` is how often i beats j; None if they never met. All pairs that met have the same weight; the
    diagonal is ignored. This is the maximum-likelihood fit of the Bradley-Terry model, with a small prior towards ½
    (see `PRIOR`).
    """
    n = len(names)
    if [len(row) for row in win_rates] != [n] * n:
        raise BadValueError("win_rates", [len(row) for row in win_rates], f"{n} rows of {n}, one for each name")
    met = np.array([[rate is not None for rate in row] for row in win_rates])
    rates = np.array([[0.5 if rate is None else rate for rate in row] for row in win_rates], dtype=float)
    if n != len(set(names)):
        raise BadValueError("names", list(names), "different names")
    np.fill_diagonal(rates, 0.5)
    if not (np.all((rates >= 0) & (rates <= 1)) and np.allclose(rates + rates.T, 1, atol=1e-6)):
        raise BadValueError("win_rates", win_rates, "rates from 0 to 1, where [i][j] and [j][i] add up to 1")
    games = (1 - PRIOR) * met + PRIOR
    wins = (1 - PRIOR) * met * rates + PRIOR / 2
    strengths = np.zeros(n)
    step = np.ones(n)
    while np.abs(step).max(initial=0) > 1e-9:
        beats = (1 + np.tanh((strengths[:, None] - strengths[None, :]) / 2)) / 2
        gradient = (wins - games * beats).sum(axis=1)
        curvature = games * beats * (1 - beats)
        # the Laplacian of the curvatures; adding 1 everywhere fixes the mean, which the games do not determine
        hessian = np.diag(curvature.sum(axis=1)) - curvature + 1
        step = np.linalg.solve(hessian, gradient)
        # a Newton step is sure to increase the likelihood while no difference changes by more than 1
        step /= max(1.0, np.ptp(step))
        strengths += step
    return {name: float(1500 + 400 / log(10) * x) for name, x in zip(names, strengths - strengths.mean(), strict=True)}


def lasting_elo(win_rates: Floats, games: Floats, variances: Floats) -> tuple[list[float], list[float]]:
    """Elo ratings of players that have met more or less often, and half the width of each one's 95% interval.

    `win_rates[i, j]` is how often i beats j, in `games[i, j]` games; 0 if they never met. `variances[i, j]` is the
    variance of that rate: 0 if it is exact, or if they never met. Every player has also drawn `PRIOR_GAMES` games
    against an imaginary player rated 1500, the middle of the scale: without them, the rating of a newcomer that has not
    lost would be infinite. This is the most likely fit of the Bradley-Terry model. Intervals come from the variances
    (the delta method), and are for the distance to the mean of all players, each weighted by how much its games say:
    games determine no more than distances.
    """
    if not len(games):
        return [], []
    strengths = np.zeros(len(games))
    step = prior = np.ones(len(games))
    hessian = curvature = np.eye(len(games))
    while np.abs(step).max(initial=0) > 1e-9:
        beats = (1 + np.tanh((strengths[:, None] - strengths[None, :]) / 2)) / 2
        against_prior = (1 + np.tanh(strengths / 2)) / 2
        gradient = (games * (win_rates - beats)).sum(axis=1) + PRIOR_GAMES * (0.5 - against_prior)
        curvature = games * beats * (1 - beats)
        prior = PRIOR_GAMES * against_prior * (1 - against_prior)
        hessian = np.diag(curvature.sum(axis=1) + prior) - curvature
        step = np.linalg.solve(hessian, gradient)
        step /= max(1.0, float(np.ptp(step)), float(np.abs(step).max(initial=0)))
        strengths += step
    points = 400 / log(10)
    said = curvature.sum(axis=1)
    distances = (np.eye(len(games)) - said / said.sum()) @ np.linalg.inv(hessian)
    of_sums = _of_sums(games**2 * variances) + np.diag(prior)
    errors = np.sqrt(np.maximum(np.diag(distances @ of_sums @ distances.T), 0.0))
    return (1500 + points * strengths).tolist(), (1.96 * points * errors).tolist()


def _rate_once(agents: list[str], games: list[tuple[tuple[str, ...], int]]) -> dict[str, tuple[float, float]]:
    """Each agent's mu and sigma after these games, in this order."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(tau=0.0)
    ratings = {agent: model.rating() for agent in agents}
    for names, winner in games:
        if len(set(names)) == 1:
            continue
        ranks = [1.0 if seat == winner else 2.0 for seat in range(len(names))]
        after = model.rate([[ratings[name]] for name in names], ranks=ranks)
        for name in set(names):
            copies = [new for (new,), other in zip(after, names, strict=True) if other == name]
            ratings[name] = model.rating(fmean(new.mu for new in copies), fmean(new.sigma for new in copies))
    return {agent: (rating.mu, rating.sigma) for agent, rating in ratings.items()}


def elo_half_widths(elo: Sequence[float], variances: Floats) -> list[float]:
    """Half the width of each rating's 95% interval, given the variance of each pairing's win rate (0 if it is exact).

    The ratings are where the model's win rates add up to those found. Small errors of the win rates therefore move the
    ratings by the inverse of the curvature there, times the errors (the delta method).
    """
    strength = np.array(elo) * log(10) / 400
    chances = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    curvature = chances * (1 - chances)
    np.fill_diagonal(curvature, 0.0)
    inverse = np.linalg.inv(np.diag(curvature.sum(axis=1)) - curvature + 1)  # adding 1 fixes the mean
    errors = np.sqrt(np.maximum(np.diag(inverse @ _of_sums(variances) @ inverse), 0.0))
    return [float(1.96 * 400 / log(10) * error) for error in errors]


def _of_sums(variances: Floats) -> Floats:
    """The covariance of the agents' sums of wins: an error of a pairing raises one sum and lowers the other."""
    return np.diag(variances.sum(axis=1)) - variances
