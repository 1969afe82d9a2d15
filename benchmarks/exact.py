"""How long exact answers take (a tournament of 81 agents, agents that mix, best responses), and what sampling costs."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from figures import figure
from liars_dice.agents import AGENTS, make_agent
from liars_dice.core import preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.exact.response.adversary import best_response
from liars_dice.simulator.compiled_games import Simulator
from liars_dice.tournament.fields import agents_in_field
from liars_dice.tournament.result import TournamentResult
from liars_dice.tournament.runner import round_robin

Result = TypeVar("Result")
HEADS_UP = preset("heads-up")


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """How many seconds the work took, and its result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def warm_up() -> None:
    """Compile everything that is measured below."""
    few = [make_agent(name) for name in ("crawler", "truthful", "random")]
    tiny = preset("classic", dice=1, faces=2)
    Matchups(few, tiny)
    Simulator(few[:2], tiny).warm_up()
    best_response(few[2], tiny)


def the_grid() -> None:
    """The 81 threshold agents, exactly and by as many games as in the published tournament."""
    names = agents_in_field("threshold-grid")
    seconds, exact = timed(lambda: round_robin(names, HEADS_UP, exact=True))
    best = exact.ranking[0]
    figure("81 agents, each against each, exactly, tables included", seconds, "s", most=5, aim=2)
    print(f"  first is {best.agent}: {100 * best.win_rate:.4f}%, beats {best.beats}, ties {best.ties}")
    unbeaten = [s.agent for s in exact.ranking if s.beats + s.ties == 80]
    rank = [s.agent for s in exact.ranking].index(unbeaten[0]) + 1
    print(f"  no agent beats: {', '.join(unbeaten)} (from rank {rank} on)")
    sampling, sampled = timed(lambda: round_robin(names, HEADS_UP, games=10_000, seed=1))
    errors = np.abs(_matrix(sampled) - _matrix(exact))
    print(f"the same by 32.4 million compiled games: {sampling:.1f} s, {sampling / seconds:.0f} times as long")
    print(f"  a cell is off by {100 * np.nanmean(errors):.2f} points on average, {100 * np.nanmax(errors):.2f} at most")


def _matrix(tournament: TournamentResult) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[np.nan if rate is None else rate for rate in row] for row in tournament.matrix])


def mixing() -> None:
    """Agents that mix, which need a different sum."""
    for pair in (("bluffer", "optimal"), ("random", "optimal"), ("random", "random")):
        seconds, _ = timed(lambda pair=pair: Matchups([make_agent(name) for name in pair], HEADS_UP))  # type: ignore[misc]
        print(f"{pair[0]} against {pair[1]}, heads-up, both seats: {seconds:.2f} s")


def exploitability() -> None:
    """What a perfect adversary earns in one round against every memoryless bot."""
    print("exploitability in one round, mean of both seats, +1 for every round won (0 is unbeatable), and seconds:")
    print(f"  {'agent':16}" + "".join(f"{n} against {n}".rjust(20) for n in (1, 2, 3, 5)))
    for name in (info.name for info in AGENTS.values() if info.memoryless):
        cells = []
        for dice in (1, 2, 3, 5):
            agent, config = make_agent(name), preset("classic", dice=dice)
            start = time.perf_counter()
            try:
                first, second = best_response(agent, config)
                cells.append(f"{(first + second) / 2:.6f} {time.perf_counter() - start:6.2f} s")
            except OutOfReachError:
                cells.append("out of reach")
        print(f"  {name:16}" + "".join(cell.rjust(20) for cell in cells))


def main() -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    print(f"compiling, or loading what was compiled before: {timed(warm_up)[0]:.2f} s")
    the_grid()
    mixing()
    exploitability()


if __name__ == "__main__":
    main()
