"""How strong bots are beside the champion: the fit finds what games were made with, and the games are real ones."""

from __future__ import annotations

import numpy as np
import pytest

from measure_relative_strength import EVERYBODY, NINE, Plan, Rounds, fit, play


def test_the_fit_finds_the_strengths_that_decided_the_games() -> None:
    rng = np.random.default_rng(1)
    bots = ("champion", "weak", "strong")
    truth = np.array([[1, 1], [0.4, 0.2], [1.5, 1.2]])
    rounds = 20_000
    logits = np.log(rng.dirichlet(np.ones(3), rounds))
    more_left = rng.integers(2, size=rounds)
    logits[more_left == 0, 2] = -np.inf  # the third is out
    seated = rng.integers(3, size=(rounds, 3))
    chances = np.exp(logits) * truth[seated, more_left[:, None]]
    chances /= chances.sum(1, keepdims=True)
    winner = (rng.random(rounds)[:, None] > np.cumsum(chances, 1)).sum(1)
    found = fit(Rounds(logits, seated, more_left, winner, np.ones(rounds)), bots)
    assert found == pytest.approx(truth, rel=0.12)
    assert found[0].tolist() == [1, 1]


def test_games_are_whole_games_between_the_bots_named() -> None:
    games = play(Plan(NINE, "perudo", 3, 4, seed=1))
    assert len(games) == 4
    assert games == play(Plan(NINE, "perudo", 3, 4, seed=1))
    for game in games:
        assert len(set(game.bots)) == 3
        assert set(game.bots) <= set(EVERYBODY)
        assert game.moments[0].dice_counts == (5, 5, 5)
        last = game.moments[-1]
        assert last.dice_counts[game.winner] > 0
        assert sum(n > 0 for n in last.dice_counts) == 2
