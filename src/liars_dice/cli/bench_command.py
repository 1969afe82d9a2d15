"""`liars-dice bench`: measure how fast this machine is."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable

import click

from .options import json_option
from .output import print_json
from .progress import show_progress, warm_up


@click.command("bench", epilog="Example: liars-dice bench --json")
@json_option
def bench_command(as_json: bool) -> None:
    """Measure how fast this machine plays, simulates and solves. Takes a few seconds.

    To compare with other programs, run `make bench` in a clone of the repository; it writes docs/benchmarks.md.
    """
    measurements = _measurements()
    found: list[tuple[str, float, str]] = []
    warm_up(quiet=as_json)
    with show_progress("measuring", quiet=as_json) as progress:
        for done, (what, unit, measure) in enumerate(measurements):
            if progress is not None:
                progress(done, len(measurements), what)
            found.append((what, measure(), unit))
    if as_json:
        figures = [{"what": what, "value": value, "unit": unit} for what, value, unit in found]
        print_json({"figures": figures, "python": platform.python_version(), "cores": os.cpu_count()})
        return
    width = max(len(what) for what, _, _ in found)
    for what, value, unit in found:
        click.echo(
            f"{what:<{width}}  {value:>12,.0f} {unit}" if value >= 100 else f"{what:<{width}}  {value:>12.3f} {unit}"
        )


def _measurements() -> list[tuple[str, str, Callable[[], float]]]:
    """Each measurement: what it is, its unit, and the function that takes it."""
    from ..agents import make_agent
    from ..core import GameConfig, play_game, preset
    from ..exact.solver import solve
    from ..simulator import Simulator
    from ..tournament import agents_in_field, round_robin

    heads_up = preset("heads-up")
    two = [make_agent("optimal"), make_agent("maniac")]

    def timed(work: Callable[[], object]) -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    def engine() -> float:
        games = 300
        return games / timed(lambda: [play_game(two, heads_up, seed=seed) for seed in range(games)])

    def compiled() -> float:
        games = 1_000_000
        simulator = Simulator(two, heads_up)
        simulator.play(1000, seed=1)
        return games / timed(lambda: simulator.play(games, seed=1))

    def exact() -> float:
        return timed(lambda: round_robin(agents_in_field("threshold-grid"), heads_up, exact=True))

    def solved() -> float:
        config = GameConfig(dice=(2, 1))
        solve(config, iterations=2)
        return timed(lambda: solve(config, target=1e-4))

    return [
        ("games of optimal against maniac through the engine, one core", "games/s", engine),
        ("the same games, compiled, all cores", "games/s", compiled),
        ("an exact tournament of 81 bots", "s", exact),
        ("two dice against one, solved to 1e-4", "s", solved),
    ]
