"""How fast the compiled simulator is, compared with OpenSpiel's C++ bots and our own Python engine in the same run.

Figures are games per second on one core and on all, medians of several runs. Compiling and making tables are timed
separately.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.core import GameConfig, play_game, preset
from liars_dice.simulator.compiled_games import Simulator, Tally

REPEATS = 7
SIX = ("random", "conservative", "probabilistic", "optimal", "aggressive", "passive")


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def simulated(names: tuple[str, ...], config: GameConfig, games: int, workers: int) -> tuple[float, Tally]:
    """Games per second, and their results."""
    simulator = Simulator([make_agent(name) for name in names], config, workers=workers)
    simulator.warm_up()
    tally = simulator.play(games, seed=1)
    return statistics.median(games / timed(lambda: simulator.play(games, seed=1)) for _ in range(REPEATS)), tally


def through_the_engine(names: tuple[str, ...], config: GameConfig, games: int) -> float:
    """Games per second through the Python engine, on one core."""
    agents = [make_agent(name) for name in names]
    rates = []
    for run in range(3):
        seeds = range(run * games, (run + 1) * games)
        rates.append(games / timed(lambda seeds=seeds: [play_game(agents, config, seed=seed) for seed in seeds]))  # type: ignore[misc]
    return statistics.median(rates)


def openspiel_bots(rounds: int) -> float | None:
    """Rounds per second of OpenSpiel's uniform random bots in C++, one die each; None without OpenSpiel."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("liars_dice")
    bots = [pyspiel.make_uniform_random_bot(player, 1) for player in (0, 1)]

    def play() -> None:
        for seed in range(rounds):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)

    return statistics.median(rounds / timed(play) for _ in range(3))


def report(
    what: str, names: tuple[str, ...], config: GameConfig, games: int, engine_games: int, least: int, aim: int | None
) -> float:
    """Print one comparison; returns games per second on one core."""
    one, tally = simulated(names, config, games, 1)
    cores = os.cpu_count() or 1
    every, _ = simulated(names, config, games, cores)
    actions = tally.actions / games
    figure(what, one, "games/s a core", least=least, aim=aim)
    print(f"  {every:,.0f} games/s on {cores} cores")
    rounds = tally.rounds / games
    print(f"  {actions:.1f} actions and {rounds:.1f} rounds a game: {every * actions / 1e6:,.0f} million actions/s")
    slow = through_the_engine(names, config, engine_games)
    print(f"  the Python engine, one core: {slow:,.0f} games/s; ratio {one / slow:,.0f}")
    return one


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, medians of {REPEATS} runs")
    heads_up = preset("heads-up")
    two = [make_agent("optimal"), make_agent("maniac")]
    print(f"compiling, or loading what was compiled before: {timed(Simulator(two, heads_up).warm_up):.2f} s")
    print(f"tables of two threshold bots, heads-up: {timed(lambda: Simulator(two, heads_up)):.3f} s")
    six = [make_agent(name) for name in SIX]
    print(f"tables of the six bots, perudo: {timed(lambda: Simulator(six, preset('perudo'))):.2f} s")
    report("heads-up, optimal against maniac", ("optimal", "maniac"), heads_up, 1_000_000, 1000, 2_000_000, 3_000_000)
    report(f"perudo, {', '.join(SIX)}", SIX, preset("perudo"), 100_000, 100, 20_000, 100_000)
    openspiel = preset("openspiel")
    rounds = report("openspiel, random rounds, one die", ("random",) * 2, openspiel, 4_000_000, 5000, 10_000_000, None)
    theirs = openspiel_bots(100_000)
    if theirs is None:
        print("  OpenSpiel is not installed: no ratio")
    else:
        print(f"  OpenSpiel's random bots in C++: {theirs:,.0f} rounds/s; ratio {rounds / theirs:,.0f}")


if __name__ == "__main__":
    main()
