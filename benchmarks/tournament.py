"""What a tournament costs on top of its games, and how much duplicate dice reduce the variance.

- overhead: a whole round robin (plan, blocks, ledger in a store, statistics, ratings) compared with the simulator or
  the referee alone, for the same number of games;
- duplicate dice: the variance of a win rate if both seatings get the same dice, compared with independent dice;
- six random bots through the Python engine.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.core import GameConfig, play_game, preset
from liars_dice.persistence import open_store
from liars_dice.referee.named_seats import make_seat
from liars_dice.referee.referee import Referee
from liars_dice.simulator.compiled_games import Simulator
from liars_dice.tournament.backends import InProcess
from liars_dice.tournament.blocks import Block, Worker, WorkerSetup
from liars_dice.tournament.fields import agents_in_field
from liars_dice.tournament.ledger import Ledger
from liars_dice.tournament.result import TournamentSettings
from liars_dice.tournament.runner import run_tournament

HEADS_UP = preset("heads-up")


def timed(work: Callable[[], object]) -> float:
    """Seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def tournament(names: list[str], games: int, workers: int) -> None:
    """Run a round robin with its ledger in a new SQLite store."""
    settings = TournamentSettings(
        kind="round-robin",
        agents=tuple(names),
        rules="heads-up",
        config=HEADS_UP.to_dict(),
        seed=1,
        games=games,
        record="none",
    )
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "games.sqlite") as store:
        run_tournament(settings, backend=InProcess(workers), ledger=Ledger(store, settings))


def overhead() -> None:
    """A tournament and the bare games, in turns."""
    names = agents_in_field("personalities")
    pairs = list(combinations(range(len(names)), 2))
    simulator = Simulator([make_agent(name) for name in names], HEADS_UP, workers=1)
    simulator.warm_up()
    games = 2_000_000

    def bare() -> None:
        for i, j in pairs:
            for seats in ((i, j), (j, i)):
                simulator.play(games // 2, seed=1, seats=seats)

    ratios = [timed(lambda: tournament(names, games, 1)) / timed(bare) for _ in range(3)]
    what = f"time of a tournament compared with the simulator alone, 10 pairings of {games:,} games"
    figure(what, statistics.median(ratios), "times", most=1.05)
    few = ["detective", "optimal"]
    seats = [make_seat(name) for name in few]

    def refereed() -> None:
        for number in range(1000):
            Referee(seats, HEADS_UP, seed=number).play()
            Referee(seats[::-1], HEADS_UP, seed=number).play()

    slow = [timed(lambda: tournament(few, 2000, 1)) / timed(refereed) for _ in range(3)]
    what = "time of a tournament compared with the referee alone, a pairing of 2,000 games"
    figure(what, statistics.median(slow), "times", most=1.05)


def duplicate_dice() -> None:
    """The variance of an estimated win rate, per game."""
    for names in (("optimal", "threshold:0.35,0.2"), ("optimal", "maniac"), ("optimal", "conservative")):
        agents = WorkerSetup(agents=names, config=HEADS_UP)
        deals = 200_000
        result, _ = Worker(agents, threads=os.cpu_count() or 1).play(
            Block(number=0, table=(0, 1), seed=1, first=0, deals=deals, rotations=2, compiled=True)
        )
        scores = np.repeat([0, 0.5, 1], result.pairs)
        rate = scores.mean()
        alone = rate * (1 - rate) / 2
        ratio = scores.var() / alone
        print(f"{names[0]} against {names[1]}: {ratio:.2f} of the variance with independent dice")


def six_random_bots() -> None:
    """Six-player perudo through the Python engine, one core."""
    config: GameConfig = preset("perudo")
    agents = [make_agent("random") for _ in config.dice]
    times = [timed(lambda: [play_game(agents, config, seed=s) for s in range(300)]) for _ in range(3)]
    bare = 300 / statistics.median(times)
    six = WorkerSetup(agents=("random",), config=config)
    block = Block(number=0, table=(0,) * 6, seed=1, first=0, deals=50, rotations=6, compiled=False)
    refereed = statistics.median(300 / timed(lambda: Worker(six).play(block)) for _ in range(3))
    figure("six random bots, perudo, through the engine", bare, "games/s per core", least=400, aim=1000)
    figure("the same in a tournament, with the referee", refereed, "games/s per core", least=400, aim=1000)


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    overhead()
    duplicate_dice()
    six_random_bots()


if __name__ == "__main__":
    main()
