"""`liars-dice solve`: the equilibrium of one round, with a proof of how close it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core import DICE_PER_SEAT
from .options import command_line, json_option, print_json, round_options, workers_option
from .running import percent, show_bracket, software, terminated_like_interrupted

if TYPE_CHECKING:
    from ..exact.solver import Solution

RULES = {"faces": 6, "wild": "none", "ordering": "quantity_then_face"}
"""The rules unless told otherwise."""
DICE = click.IntRange(DICE_PER_SEAT[0], DICE_PER_SEAT[-1])


@click.command(
    "solve",
    epilog="Example: liars-dice solve 2 2 --target 1e-3 --save 2v2.npz, and to go on later: "
    "liars-dice solve 2 2 --resume 2v2.npz --target 1e-4",
)
@click.argument("n0", type=DICE)
@click.argument("n1", type=DICE)
@round_options
@click.option(
    "--target", type=float, default=1e-4, show_default=True, metavar="E", help="The exploitability to come down to."
)
@click.option("--iterations", type=int, metavar="T", help="Stop after so many, target or not.")
@click.option("--device", type=click.Choice(["cpu", "gpu"]), default="cpu", show_default=True)
@workers_option
@click.option("--memory", type=float, metavar="GB", help="Use no more. [default: 60 % of what there is]")
@click.option("--save", metavar="FILE", help="Keep what was reached, to go on with later.")
@click.option("--resume", metavar="FILE", help="Go on from a saved file.")
@json_option
def solve_command(n0: int, n1: int, as_json: bool, **given: Any) -> None:
    """Compute perfect play of one round: the opener has N0 dice, the other player N1.

    The value is what the round is worth to the opener, +1 for a round won and -1 for a round lost. The bracket is
    certified: its ends are what best responses to the strategies found earn. The exploitability is half its width.
    Ctrl-C keeps the best so far.
    """
    from ..core import GameConfig
    from ..exact.solver import solve

    rules = {name: given[name] for name in RULES}
    config = GameConfig(dice=(n0, n1), faces=rules["faces"], wild=rules["wild"], bid_ordering=rules["ordering"])
    save, resume = (None if given[name] is None else Path(given[name]) for name in ("save", "resume"))
    with show_bracket(quiet=as_json) as progress, terminated_like_interrupted():
        solution = solve(
            config,
            target=given["target"],
            iterations=given["iterations"],
            device=given["device"],
            workers=given["workers"],
            memory=given["memory"],
            save=save,
            resume=resume,
            progress=progress,
        )
    if as_json:
        print_json(_as_json(solution, rules, given))
    else:
        _show(solution, rules, given)
    if solution.stopped == "interrupted":
        raise SystemExit(130)


def _as_json(solution: Solution, rules: dict[str, Any], given: dict[str, Any]) -> dict[str, object]:
    """The result with the keys that other programs rely on."""
    import os

    tree = solution.tree
    return {
        "dice": list(tree.config.dice),
        **rules,
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "exploitability": solution.exploitability,
        "target": given["target"],
        "stopped": solution.stopped,
        "iterations": solution.iterations,
        "nodes": solution.nodes,
        "information_sets": tree.information_sets,
        "match": _match(solution),
        "elapsed_s": solution.elapsed_s,
        "compile_s": solution.compile_s,
        "run": {
            "workers": given["workers"] or os.cpu_count(),
            "device": solution.device,
            "save": given["save"],
            "resume": given["resume"],
            **software(),
        },
    }


def _match(solution: Solution) -> tuple[float, float] | None:
    """Between what the opener's chance to win a whole match from here lies, where the package's rounds tell."""
    from ..exact.solver import Tablebase, match_bracket

    config = solution.tree.config
    own, other = config.dice
    if solution.tree.reduced and config.faces == 6 and (own, other) in Tablebase.shipped().entries:
        return match_bracket(own, other)
    return None


def _show(solution: Solution, rules: dict[str, Any], given: dict[str, Any]) -> None:
    """The result for people."""
    from rich.console import Console
    from rich.table import Column, Table

    tree, target = solution.tree, given["target"]
    own, other = tree.config.dice
    wild = "nothing" if rules["wild"] == "none" else rules["wild"]
    click.echo(
        f"One round, {own} against {other} dice with {rules['faces']} faces, {wild} wild, bids by {rules['ordering']}"
    )
    table = Table("", Column("", justify="right"), "", box=None, show_header=False)
    table.add_row("value", f"{solution.value:+.8f}", "to the opener: +1 wins, -1 loses")
    table.add_row("bracket", f"{solution.lower:+.8f}", f"to {solution.upper:+.8f}, certified")
    table.add_row("exploitability", f"{solution.exploitability:.2e}", f"target {target:g}")
    table.add_row("the opener wins", percent((1 + solution.value) / 2), "of the rounds, if both play perfectly")
    if match := _match(solution):
        table.add_row("and the match", percent(sum(match) / 2), "when the loser of a round opens the next")
    table.add_row("iterations", f"{solution.iterations:,}", f"in {solution.elapsed_s:.2f} s")
    table.add_row("nodes", f"{solution.nodes:,}", f"of {1 << tree.rungs:,} biddings")
    Console(highlight=False).print(table)
    notes = {
        "interrupted": "Stopped early",
        "iterations": f"Stopped after {solution.iterations:,} iterations",
        "memory": "Memory ran out (--memory GB allows more)",
    }
    if solution.stopped in notes:
        click.echo(f"{notes[solution.stopped]}: the bracket holds, the target was not reached.", err=True)
    changed = {name: rules[name] for name, usual in RULES.items() if rules[name] != usual}
    options = [word for name, value in changed.items() for word in (f"--{name}", str(value))]
    dice = (str(own), str(other))
    if given["save"] is not None:
        finer = target if solution.stopped in notes else target / 10
        again = command_line("solve", *dice, *options, "--resume", given["save"], "--target", f"{finer:g}")
        click.echo(f"saved: {given['save']}. To go on: {again}")
    else:
        exploit = command_line("exploit", "optimal", "--dice", *dice, *options)
        click.echo(f"How far is a bot from this? {exploit}")
