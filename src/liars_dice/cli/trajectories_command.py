"""`liars-dice trajectories`: games among experts as training data."""

from __future__ import annotations

import os
import time
import warnings
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import (
    fixed_seed_option,
    json_option,
    rules_for,
    rules_options,
    was_given,
    workers_option,
)
from .output import print_json
from .progress import show_progress

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..bridges.trajectories import TrajectoryPlan
    from ..core import Progress
    from ..persistence import Row


@click.command("trajectories", epilog="Example: liars-dice trajectories --player nash --games 1000 --out nash.jsonl")
@click.option(
    "--player",
    type=click.Choice(["nash", "champion"]),
    required=True,
    metavar="NAME",
    help="The expert in all seats: nash or champion.",
)
@click.option("--games", type=click.IntRange(1), default=1000, show_default=True, metavar="N", help="Number of games.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    metavar="FILE",
    help="Where to write them: a .jsonl, .parquet or .csv file.",
)
@click.option(
    "--shape",
    type=click.Choice(["records", "chat"]),
    default="records",
    show_default=True,
    help="What a line is: what the player saw, did and gained, or a chat that ends with its move.",
)
@rules_options("heads-up", shown="heads-up with three dice each for nash, perudo for champion")
@fixed_seed_option(1)
@workers_option
@json_option
@click.pass_context
def trajectories_command(
    context: click.Context, /, out: Path, workers: int | None, seed: int, as_json: bool, **given: Any
) -> None:
    """Write the decisions of an expert that plays against itself, one per line, for training a model.

    By default, nash plays heads-up with three dice each, where every round is solved and every value exact, and
    champion plays perudo. The same seed gives the same file on any number of cores.
    """
    from ..bridges.trajectories import TrajectoryPlan
    from ..core import BadValueError
    from ..persistence import check_output_file, check_table_file

    if out.suffix not in (".jsonl", ".parquet", ".csv"):
        raise BadValueError("out", str(out), "a file whose name ends in .jsonl, .parquet or .csv")
    if out.suffix == ".jsonl":
        check_output_file("out", out, begins=b"{")
    else:
        check_table_file("out", out)
    rules, dice = given["rules"], given["dice"]
    if not was_given(context, "rules"):
        rules = "perudo" if given["player"] == "champion" else rules
        dice = dice or (3 if given["player"] == "nash" else None)
    config = rules_for(rules, given["players"], dice).without_seed
    plan = TrajectoryPlan(given["player"], config, given["games"], seed, given["shape"])
    start = time.perf_counter()
    with show_progress("games", quiet=as_json) as progress:
        decisions, unvalued = _write(plan, out, workers or os.cpu_count() or 1, progress)
    elapsed_s = time.perf_counter() - start
    if as_json:
        told = {"player": plan.player, "rules": rules, "games": plan.games, "decisions": decisions, "out": str(out)}
        print_json({**told, "without_value": unvalued, "shape": plan.shape, "seed": seed, "elapsed_s": elapsed_s})
    else:
        click.echo(
            f"{decisions:,} decisions of {plan.games:,} {'game' if plan.games == 1 else 'games'} written to {out} "
            f"({elapsed_s:.1f} s, {decisions / elapsed_s:,.0f} per second)"
        )
    if unvalued:
        warnings.warn(
            f"{unvalued:,} of {decisions:,} decisions have no value: by these rules {plan.player} does not always know "
            "what a move is worth, and may not be an expert",
            stacklevel=1,
        )


def _write(plan: TrajectoryPlan, out: Path, workers: int, progress: Progress | None) -> tuple[int, int]:
    """Write the whole file or nothing; return how many decisions there are, and how many of them have no value."""
    from ..bridges.trajectories import chat_line, trajectory_chunks
    from ..persistence import json_lines, write_table, writing_whole

    count = unvalued = 0
    value = list(plan.columns).index("value")

    def rows(chunks: Iterable[list[Row]]) -> Iterator[Row]:
        nonlocal count, unvalued
        for chunk in chunks:
            count += len(chunk)
            unvalued += sum(row[value] is None for row in chunk)
            yield from chunk

    with closing(trajectory_chunks(plan, workers, progress)) as chunks:
        if out.suffix != ".jsonl":
            write_table("out", out, plan.columns, rows(chunks))
            return count, unvalued
        with writing_whole("out", out) as partial, partial.open("wb") as file:
            found = rows(chunks)
            for line in json_lines(plan.columns, found) if plan.shape == "records" else map(chat_line, found):
                file.write(line + b"\n")
    return count, unvalued
