"""`liars-dice bench-llm`: measure a language model, or any bot, against exact answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .options import agent_name, json_option, llm_options
from .output import model_lines, open_console, percent, print_json, print_table
from .progress import show_progress
from .runtime import bot_output_to_stderr, model_facts, versions

if TYPE_CHECKING:
    from rich.console import Console

    from ..bridges.model_bench import BenchResult


@click.command("bench-llm", epilog="Example: liars-dice bench-llm llm:gpt-5-mini --positions 20 --games 0")
@click.argument("player", type=agent_name)
@click.option(
    "--positions",
    "per_group",
    type=click.IntRange(1),
    metavar="N",
    help="Ask at N positions of each of the three groups. [default: all, 420 together]",
)
@click.option(
    "--games",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    metavar="N",
    help="Games against each of the six reference players, half in each seat.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep each answer in this file. A run that stopped continues with it.",
)
@llm_options
@json_option
def bench_llm_command(player: str, per_group: int | None, games: int, out: Path | None, as_json: bool) -> None:
    """Measure PLAYER, a language model (llm:MODEL) or any bot, against exact answers.

    It is asked at a frozen set of positions, for each of which the value of every move is known, and plays games
    against a frozen pool of reference players, with the same dice for everyone. A decision without a legal move loses
    the whole chance to win that PLAYER has there, and is never a best answer. Results can be compared as long as the
    versions of positions, reference players and scoring, which --json shows, are the same.
    """
    from ..agents import AgentStoppedError
    from ..bridges.model_bench import Bench

    bench = Bench(player, per_group=per_group, games=games)
    why = ""
    start = time.perf_counter()
    with bench.kept_in(out), show_progress("answers", quiet=as_json) as progress, bot_output_to_stderr():
        try:
            bench.run(progress)
        except (KeyboardInterrupt, AgentStoppedError) as error:
            if not bench.answers:
                raise
            why = str(error) or "interrupted"
    result = bench.result()
    if as_json:
        run = {"elapsed_s": time.perf_counter() - start, **versions(), **model_facts()}
        print_json(result.as_json() | {"complete": not why, "run": run})
    else:
        _show(open_console(), result)
    if why:
        again = (
            f"run the same command again to continue with {out}" if out else "with --out FILE, it could be continued"
        )
        click.echo(f"Stopped before the end: {why}; {again}.", err=True)
        raise SystemExit(130)


def _show(console: Console, result: BenchResult) -> None:
    """Print the page of results."""
    from rich.table import Column

    console.print(f"{result.player}: positions with known values", markup=False)
    headings = ("positions", "number", "loss per decision (95%)", "best answers", "illegal", "corrected")
    rows = []
    named = {"no-wilds": "two players, no wilds", "perudo": "two players, Perudo", "multi-player": "3 to 6 players *"}
    scores = [(named[group], score) for group, score in result.groups.items()]
    if result.exact is not None:
        scores.insert(0, ("exact values", result.exact))
    for name, score in scores:
        loss = percent(score.loss)
        if score.ci95 is not None:
            loss += f" ({' to '.join(map(percent, score.ci95))})"
        cells = (percent(score.best), percent(score.illegal), percent(score.corrected))
        rows.append((name, str(score.positions), loss, *cells))
    columns = [Column(h, justify="left" if h == "positions" else "right") for h in headings]
    print_table(console, columns, rows, "corrected", "illegal", folds="positions")
    console.print("loss: the chance to win that is given away; * values estimated by the champion", markup=False)
    if result.belief is not None:
        belief = result.belief
        console.print(
            f"\nBelief that a bid is true ({belief.answers} stated): error {percent(belief.error)} (root mean square), "
            f"bias {belief.bias:+.1%}",
            markup=False,
        )
        for one in belief.bins:
            console.print(
                f"  stated {percent(one.stated):>7}, true {percent(one.true):>7}  ({one.answers})", markup=False
            )
    if result.games:
        console.print("\nGames against the reference players, each deal in both seats", markup=False)
        columns = [Column(h, justify="left" if h in ("opponent", "rules") else "right") for h in (*GAME_HEADINGS,)]
        rows = [
            (
                *(one.opponent, f"{one.rules}, {one.dice} dice", str(one.games), percent(one.win_rate)),
                *(" to ".join(map(percent, one.ci95)), str(one.faults)),
            )
            for one in result.games
        ]
        print_table(console, columns, rows, "faults", folds="rules")
    for line in model_lines():
        console.print(line, markup=False, soft_wrap=True)


GAME_HEADINGS = ("opponent", "rules", "games", "wins", "95% interval", "faults")
