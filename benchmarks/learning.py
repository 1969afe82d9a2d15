"""How close learning comes to the exact optimum, and how fast it is.

- the exact W and the exact optimum W*: both algorithms, both linear bases, one to three dice, three seeds, a million
  games each; for policy gradient also the W of the softmax policy, for Q-learning the TD error;
- the same for the network that sees the whole bidding, at its own number of games;
- the time of one million Q-learning games with two dice on one core;
- the speed of the batched environment, compared with OpenSpiel's Python API on its own game in the same run.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time

import numpy as np

from figures import figure
from liars_dice.core import preset
from liars_dice.learn import BatchedEnv, Trainer, Training, TrainingReport, new_model

GAMES = 1_000_000
SEEDS = (1, 2, 3)
TARGETS = {1: 0.5, 2: 1.0}
"""By number of dice, how many percentage points the crossed basis may stay below the optimum."""


NETWORK_GAMES = {1: 100_000, 2: 1_000_000, 3: 1_000_000}
"""By number of dice, how many games the network is trained for."""
NETWORK_TARGETS = {1: 0.1, 2: 0.5, 3: 1.0}
"""By number of dice, how many percentage points its softmax policy may stay below the optimum."""


def trained(
    algorithm: str, basis: str, dice: int, seed: int, games: int = GAMES
) -> tuple[TrainingReport, float, float]:
    """The report, W* and the training time in seconds, evaluations included."""
    config = preset("classic", dice=dice).to_dict()
    training = Training(algorithm=algorithm, basis=basis, config=config, games=games, seed=seed)  # type: ignore[arg-type]
    trainer = Trainer(new_model(training))
    trainer.warm_up()
    start = time.perf_counter()
    report = trainer.run()
    assert report.optimum is not None
    return report, report.optimum, time.perf_counter() - start


def curves() -> None:
    """Print the final W in percent."""
    print(f"W in percent after {GAMES:,} games against truthful, seeds {SEEDS}, and seconds each:")
    for dice in (1, 2, 3):
        for algorithm in ("q", "pg"):
            for basis in ("plain", "crossed"):
                runs = [trained(algorithm, basis, dice, seed) for seed in SEEDS]
                rates = "  ".join(f"{100 * report.win_rate:.2f}" for report, _, _ in runs)
                optimum, seconds = runs[0][1], statistics.median(run[2] for run in runs)
                short = 100 * (optimum - min(report.win_rate for report, _, _ in runs))
                what = f"  {dice} dice, {algorithm:2}, {basis:7}"
                print(f"{what}: {rates}   W* {100 * optimum:.2f}, worst {short:.2f} below it   {seconds:.2f} s")
                print(f"    {softmax(runs) if algorithm == 'pg' else errors(runs)}")
                if basis == "crossed" and dice in TARGETS:
                    worst = f"{dice} dice, {algorithm}, crossed basis: W* minus the worst of three seeds"
                    figure(worst, abs(short), "points", most=TARGETS[dice])


Runs = list[tuple[TrainingReport, float, float]]


def softmax(runs: Runs) -> str:
    """The W of each softmax policy."""
    policies = [report.policy for report, _, _ in runs if report.policy is not None]
    rates = "  ".join(f"{100 * policy.win_rate:.2f}" for policy in policies)
    return f"the softmax policy: {rates}" + ("" if all(policy.is_exact for policy in policies) else "   sampled")


def errors(runs: Runs) -> str:
    """The TD error of each training in its first and last piece, and the expected one."""
    curves = [report.model.curve for report, _, _ in runs]
    return "   ".join(
        f"{name}: " + "  ".join(f"{getattr(c[1], field):.3f} to {getattr(c[-1], field):.3f}" for c in curves)
        for name, field in (("mean |delta|", "td_error"), ("mean |E delta|", "bellman_error"))
    )


def networks() -> None:
    """Print the W of the greedy policy and of the softmax policy of the network."""
    print(
        f"W in percent of the network that sees the whole bidding, against truthful, seeds {SEEDS}, and seconds each:"
    )
    for dice, games in NETWORK_GAMES.items():
        runs = [trained("pg", "network", dice, seed, games) for seed in SEEDS]
        rates = "  ".join(f"{100 * report.win_rate:.2f}" for report, _, _ in runs)
        optimum, seconds = runs[0][1], statistics.median(run[2] for run in runs)
        what = f"  {dice} dice, {games:,} games"
        print(f"{what}: {rates}   {softmax(runs)}   W* {100 * optimum:.2f}   {seconds:.1f} s")
        worst = 100 * (optimum - min(report.policy.win_rate for report, _, _ in runs if report.policy is not None))
        title = f"{dice} dice, pg, network: W* minus the worst softmax policy of three seeds"
        figure(title, abs(worst), "points", most=NETWORK_TARGETS[dice])


def million_games() -> None:
    """The time of a million Q-learning games with two dice on one core."""
    seconds = min(trained("q", "crossed", 2, seed)[2] for seed in SEEDS)
    figure("one million Q-learning games, two dice, one core", seconds, "s", most=60)


def openspiel_actions() -> float | None:
    """Actions per second of random play through OpenSpiel's Python API; None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("liars_dice", {"numdice": 2})
    pick = random.Random(1).random
    rates = []
    for _ in range(3):
        moves, start = 0, time.perf_counter()
        while time.perf_counter() - start < 0.5:
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(pick() * len(actions))])
                moves += 1
        rates.append(moves / (time.perf_counter() - start))
    return statistics.median(rates)


def batched() -> None:
    """Steps per second; a step is a legal action, chosen by a rule on arrays, and the opponent's answer."""
    env = BatchedEnv(500_000, seed=1)
    rates = []
    for _ in range(7):
        steps, busy = 0, 0.0
        for _ in range(10):
            actions = np.minimum(env.rungs + 3, env.round.rungs)
            start = time.perf_counter()
            env.step(actions)
            busy += time.perf_counter() - start
            steps += env.n
        rates.append(steps / busy)
    rate = statistics.median(rates)
    what = f"batched environment, {os.cpu_count()} cores, most steps with two actions"
    figure(what, rate / 1e6, "million steps/s", least=10)
    theirs = openspiel_actions()
    if theirs is None:
        print("  OpenSpiel is not installed, so there is no ratio")
    else:
        print(f"  OpenSpiel's Python API: {theirs / 1e6:.2f} million actions/s; ratio {rate / theirs:,.0f}")


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    curves()
    networks()
    million_games()
    batched()


if __name__ == "__main__":
    main()
