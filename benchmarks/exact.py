"""How long exact answers take, what sampling costs, and the published figures of a tournament beside exact ones."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from scipy.stats import binom

from figures import figure
from liars_dice.agents import AGENTS, PERSONALITIES, make_agent
from liars_dice.core import preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.exact.response.adversary import best_response
from liars_dice.simulator.compiled_games import Simulator
from liars_dice.tournament.fields import agents_in_field
from liars_dice.tournament.result import TIE, TournamentResult
from liars_dice.tournament.runner import round_robin

Result = TypeVar("Result")
HEADS_UP = preset("heads-up")
CHAMPION = "threshold:0.35,0.15"
PUBLISHED = Path(__file__).parents[1] / "tests" / "data" / "published_tournament.json"


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


def the_published_tournament(games: int = 10_000) -> None:
    """The published figures beside ours: in both seats, and with the agent that is listed first always in seat 0."""
    names = agents_in_field("threshold-grid")  # by call threshold, then by raise threshold
    published = json.loads(PUBLISHED.read_text())
    both = round_robin(names, HEADS_UP, exact=True)
    listed = round_robin(names, HEADS_UP, exact=True, seating="listed")
    print("the published tournament, beside exact results in both seats and with the first listed in seat 0:")
    for what, result in (("both seats", both), ("first listed", listed)):
        print(f"  first, {what}: {', '.join(s.agent for s in result.ranking if s.rank == 1)}")
    means = [{s.agent: s.win_rate for s in result.ranking}[CHAMPION] for result in (both, listed)]
    rates = [_rates_of(CHAMPION, result) for result in (both, listed)]
    print(f"  {'':36}{'published':>11}{'both seats':>12}{'first listed':>14}")
    _beside("average against the other 80, %", published["best"]["average_win_rate"] * 100, [100 * m for m in means])
    beaten = [sum(rate > 0.5 + TIE for rate in row.values()) for row in rates]
    _beside("beats, of 80", published["best"]["beats"], beaten)
    sampled = [sum(float(binom.sf(games // 2, games, rate)) for rate in row.values()) for row in rates]
    _beside(f"the same, expected in {games:,} games", published["best"]["beats"], sampled)
    for name, rate in published["optimal_against"].items():
        rival = "threshold:{:g},{:g}".format(*PERSONALITIES[name])
        _beside(f"against {name}, %", 100 * rate, [100 * row[rival] for row in rates])
    off = 100 * abs(means[1] - published["best"]["average_win_rate"])
    figure("published average of the champion, first listed in seat 0, off by", off, "points", most=0.05)


def _rates_of(agent: str, result: TournamentResult) -> dict[str, float]:
    row = result.matrix[result.agents.index(agent)]
    return {name: rate for name, rate in zip(result.agents, row, strict=True) if rate is not None}


def _beside(what: str, published: float, ours: Sequence[float]) -> None:
    print(f"  {what:36}{published:>11.1f}{ours[0]:>12.2f}{ours[1]:>14.2f}")


def _matrix(tournament: TournamentResult) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([[np.nan if rate is None else rate for rate in row] for row in tournament.matrix])


def mixing() -> None:
    """Agents that mix, which need a different sum."""
    for pair in (("bluffer", "optimal"), ("random", "optimal"), ("random", "random")):
        seconds, _ = timed(lambda pair=pair: Matchups([make_agent(name) for name in pair], HEADS_UP))  # type: ignore[misc]
        print(f"{pair[0]} against {pair[1]}, heads-up, both seats: {seconds:.2f} s")


def exploitability() -> None:
    """What a perfect adversary earns in one round against every memoryless bot, and against one that is not."""
    print("exploitability in one round, mean of both seats, +1 for every round won (0 is unbeatable), and seconds:")
    print(f"  {'agent':16}" + "".join(f"{n} against {n}".rjust(20) for n in (1, 2, 3, 5)))
    for name in (*(info.name for info in AGENTS.values() if info.memoryless), "detective"):
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
    the_published_tournament()
    mixing()
    exploitability()


if __name__ == "__main__":
    main()
