"""Fit what `ParametricPlayer` believes of a player before the first round (`opponents/player_prior.json`).

A population of made-up players plays games by several rules. A Gaussian over their weights is fitted by expectation
maximisation: each player's weights are found given the Gaussian (Laplace's method), then the Gaussian given the
players. The held-out players of the benchmarks are of the same kinds, with other seeds.

    python tools/fit_player_prior.py            # about three minutes on one core
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from liars_dice.agents import Agent, ThresholdAgent, make_agent
from liars_dice.core import GameEngine, preset
from liars_dice.numeric import Floats
from liars_dice.opponents import Decision, Gaussian, finished_rounds
from liars_dice.opponents.choice_features import FEATURES
from liars_dice.opponents.parametric_player import Choices, most_probable
from made_up_players import RULE_BOTS, MixtureOfStyles, NoisyOdds

TARGET = Path(__file__).parent.parent / "src" / "liars_dice" / "opponents" / "player_prior.json"
PRIOR_SCALE = 3.0
"""The standard deviation of every weight before anything is fitted."""
SHRINK = 0.03
"""The share of the first guess that stays in the covariance: the population is small."""


def players(rng: random.Random, number: int) -> Iterator[Agent]:
    """The population."""
    for name in RULE_BOTS:
        for slip in (0.0, 0.1):
            yield MixtureOfStyles([make_agent(name)], [1.0], slip)
    for _ in range(number):
        thresholds = ThresholdAgent(round(rng.uniform(0, 0.7), 3), round(rng.uniform(0, 0.7), 3))
        yield MixtureOfStyles([thresholds], [1.0], rng.choice((0.0, 0.05, 0.15)))
        share = rng.uniform(0.2, 0.8)
        two = [make_agent(name) for name in rng.sample(RULE_BOTS, 2)]
        yield MixtureOfStyles(two, [share, 1 - share], 0.02)
        yield NoisyOdds(rng)


def decisions_of(player: Agent, seed: int, per_rules: int) -> list[Decision]:
    """What the player decides in games by several rules against bots of all kinds."""
    rng = random.Random(seed)
    single = {"mode": "single_round"}
    games = [
        preset("heads-up"),
        preset("perudo", players=2),
        preset("perudo", players=3),
        preset("perudo", players=6),
        preset("classic").replace(dice=(2, 2), **single),
        preset("classic").replace(dice=(3, 3), **single),
    ]
    found: list[Decision] = []
    for config in games:
        here: list[Decision] = []
        while len(here) < per_rules:
            seats = config.num_players
            seat = rng.randrange(seats)
            table = [make_agent(rng.choice(RULE_BOTS)) for _ in range(seats)]
            table[seat] = player
            result = GameEngine(config, table, seed=rng.randrange(2**40)).play()
            for played in finished_rounds(config, result.resolutions):
                here += played.decisions(seat)
        found += rng.sample(here, per_rules)
    return found


def fit(population: list[Choices], steps: int) -> tuple[Floats, Floats]:
    """The mean and the covariance of the weights of a population, by expectation maximisation."""
    size = len(FEATURES)
    start = np.eye(size) * PRIOR_SCALE**2
    mean: Floats = np.zeros(size)
    covariance: Floats = start.copy()
    for step in range(steps):
        precision = np.linalg.inv(covariance).astype(np.float64)
        found = [most_probable(choices, mean, precision) for choices in population]
        weights = np.array([one for one, _ in found])
        mean = weights.mean(axis=0)
        away = weights - mean
        spread = np.mean([np.linalg.inv(after) for _, after in found], axis=0)
        fitted = away.T @ away / len(found) + spread
        covariance = ((1 - SHRINK) * fitted + SHRINK * start).astype(np.float64)
        print(f"step {step + 1}: mean variance {np.diag(fitted).mean():.2f}", flush=True)
    return mean, covariance


def main() -> None:
    """Fit the prior and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=35, help="made-up players of each of three kinds")
    parser.add_argument("--decisions", type=int, default=60, help="decisions of each player by each of six rules")
    parser.add_argument("--steps", type=int, default=8, help="steps of expectation maximisation")
    parser.add_argument("--out", type=Path, default=TARGET)
    given = parser.parse_args()
    population = []
    for number, player in enumerate(players(random.Random(20), given.players)):
        player.seed(number)
        choices = Choices.of(decisions_of(player, 5000 + number, given.decisions))
        choices.rows = choices.rows.astype(np.float32)
        population.append(choices)
    print(f"{len(population)} players", flush=True)
    mean, covariance = fit(population, given.steps)
    rounded = [[float(f"{value:.5g}") for value in row] for row in covariance.tolist()]
    prior = Gaussian(FEATURES, tuple(round(one, 5) for one in mean.tolist()), tuple(map(tuple, rounded)))
    given.out.write_bytes(msgspec.json.encode(prior) + b"\n")


if __name__ == "__main__":
    main()
