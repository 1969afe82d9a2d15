"""`liars-dice solve`: compute perfect play for one round, with a certified error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core import DICE_PER_SEAT
from .options import RenamedOption, json_option, round_config, round_dice_option, round_options, workers_option
from .output import command_line, dice_count, open_console, percent, print_json
from .progress import show_bracket
from .runtime import tells_that_it_stops, versions

if TYPE_CHECKING:
    from ..core import GameConfig
    from ..exact.solver import MatchSolution, Solution

DICE = click.IntRange(DICE_PER_SEAT[0], DICE_PER_SEAT[-1])


@click.command(
    "solve",
    epilog="Example: liars-dice solve --dice 2 2 --target 1e-3 --out 2v2.npz; to continue later: "
    "liars-dice solve --dice 2 2 --resume 2v2.npz --target 1e-4; "
    "a match: liars-dice solve --dice 2 1 --rules perudo --match",
)
@click.argument("sides", type=DICE, nargs=-1, metavar="")
@round_dice_option(required=False, default="as the rules say, if --rules names some for two players")
@round_options
@click.option("--target", type=float, default=1e-4, show_default=True, metavar="E", help="Stop at this exploitability.")
@click.option(
    "--match",
    "whole_match",
    is_flag=True,
    help="Solve the whole match, in which lost rounds cost dice: --rules must say so, as perudo does.",
)
@click.option("--iterations", type=int, metavar="N", help="Stop after N iterations, even if the target is not reached.")
@click.option(
    "--device",
    type=click.Choice(["cpu", "gpu"]),
    default="cpu",
    show_default=True,
    help="Where to compute; gpu needs the extra liars-dice[gpu].",
)
@workers_option
@click.option("--memory", type=float, metavar="GB", help="Memory limit in GB. [default: 60% of free memory]")
@click.option(
    "--out",
    "save",
    cls=RenamedOption,
    formerly=("--save",),
    metavar="FILE",
    help="File for the solution; it also serves as a checkpoint.",
)
@click.option(
    "--resume", metavar="FILE", help="Resume from the solution in FILE; the better one is written there, or to --out."
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also write both strategies as a table: how often each action is taken with each hand after each bidding. "
    "FILE ends in .csv or .parquet.",
)
@json_option
def solve_command(
    sides: tuple[int, ...], dice: tuple[int, int] | None, whole_match: bool, as_json: bool, **given: Any
) -> None:
    """Compute perfect play for one round: the opener has N0 dice, the other player N1.

    The value is what the round is worth to the opener: +1 for a certain win, -1 for a certain loss. It lies
    within the bracket, whose ends are what best responses to the strategies found earn. The exploitability is half its
    width. Ctrl-C stops and shows the best result so far.

    With --match, the value, the bracket and the exploitability are chances to win the match, from 0 to 1.
    """
    from ..exact.solver import STRATEGY_COLUMNS, solve, strategy_rows
    from ..persistence import check_table_file, write_table

    sizes = _dice_of_both(sides, dice, given["rules"])
    config = round_config(sizes, given["rules"], given["faces"], given["wild"], given["ordering"])
    if whole_match:
        _solve_match(config, given, as_json=as_json)
        return
    table: Path | None = given["table"]
    if table is not None:
        check_table_file("table", table)
    given["save"] = given["save"] or given["resume"]
    save, resume = (None if given[name] is None else Path(given[name]) for name in ("save", "resume"))
    with show_bracket(quiet=as_json) as progress, tells_that_it_stops():
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
    if table is not None:
        write_table("table", table, STRATEGY_COLUMNS, strategy_rows(solution.tree, solution.pool))
    if as_json:
        print_json(_as_json(solution, given))
    else:
        _show(solution, given)
    if solution.stopped == "interrupted":
        raise SystemExit(130)


def _dice_of_both(sides: tuple[int, ...], dice: tuple[int, int] | None, rules: str | None) -> tuple[int, ...]:
    """The dice of the two players: from --dice, or, as before that option existed, from two arguments; else those of
    the rules, if they are for two players.
    """
    from ..core import load_rules

    if dice is None and len(sides) == 2:
        return sides
    if dice is None and not sides and rules is not None and (config := load_rules(rules)).num_players == 2:
        return config.dice
    if dice is None or sides:
        raise click.UsageError("Give the number of dice of both players, the opener's first: --dice N0 N1.")
    return dice


def _solve_match(config: GameConfig, given: dict[str, Any], *, as_json: bool) -> None:
    """Solve the whole match and print the result."""
    from ..core import BadValueError
    from ..exact.solver import solve_match

    for option in ("iterations", "save", "resume", "table"):
        if given[option] is not None:
            name = "out" if option == "save" else option
            raise BadValueError(name, given[option], "nothing: --match solves many rounds, one after the other")
    with show_bracket(quiet=as_json) as progress, tells_that_it_stops():
        solution = solve_match(
            config,
            target=given["target"],
            memory=given["memory"],
            device=given["device"],
            workers=given["workers"],
            progress=progress,
        )
    if as_json:
        print_json(_match_as_json(solution, given))
    else:
        _show_match(solution, given["target"])
    if solution.stopped == "interrupted":
        raise SystemExit(130)


def _match_as_json(solution: MatchSolution, given: dict[str, Any]) -> dict[str, object]:
    return {
        **_bracket_as_json(solution, solution.config, given),
        "states": [
            {"dice": list(dice), "lower": state.lower, "upper": state.upper} for dice, state in solution.states.items()
        ],
        "iterations": solution.iterations,
        "elapsed_s": solution.elapsed_s,
        "compile_s": solution.compile_s,
        "run": versions(),
    }


def _bracket_as_json(
    solution: Solution | MatchSolution, config: GameConfig, given: dict[str, Any]
) -> dict[str, object]:
    """The keys that rounds and matches share."""
    return {
        "dice": list(config.dice),
        "faces": config.faces,
        "wild": config.wild,
        "ordering": config.bid_ordering,
        "exact_call": config.exact_call,
        "value": solution.value,
        "lower": solution.lower,
        "upper": solution.upper,
        "exploitability": solution.exploitability,
        "target": given["target"],
        "stopped": solution.stopped,
    }


def _show_match(solution: MatchSolution, target: float) -> None:
    from rich.table import Table

    from ..core import rules_in_short

    own, other = solution.config.dice
    click.echo(f"A match, {own} against {dice_count(other)}: {rules_in_short(solution.config)}")
    between = f"{percent(solution.lower)} to {percent(solution.upper)}"
    click.echo(f"The player who opens wins {between}, certified (exploitability {solution.exploitability:.1e})")
    table = Table("the opener's dice", "the other's", "the opener wins", "exploitability", box=None, pad_edge=False)
    for (mine, theirs), state in solution.states.items():
        table.add_row(str(mine), str(theirs), percent(state.value), f"{state.exploitability:.1e}")
    open_console().print(table)
    if solution.stopped == "interrupted":
        click.echo(f"Stopped early: the brackets are certified, but the target {target:g} was not reached.", err=True)


def _as_json(solution: Solution, given: dict[str, Any]) -> dict[str, object]:
    """The result as JSON; other programs rely on these keys."""
    import os

    tree = solution.tree
    return {
        **_bracket_as_json(solution, tree.config, given),
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
            "table": None if given["table"] is None else str(given["table"]),
            **versions(),
        },
    }


def _match(solution: Solution) -> tuple[float, float] | None:
    """Bounds on the opener's chance to win a whole match from here; None where the package's solutions do not tell."""
    from ..exact.solver import Tablebase, match_bracket

    config = solution.tree.config
    own, other = config.dice
    if solution.tree.reduced and config.faces == 6 and (own, other) in Tablebase.shipped().entries:
        return match_bracket(own, other)
    return None


def _show(solution: Solution, given: dict[str, Any]) -> None:
    """Print the result for people."""
    from rich.table import Column, Table

    tree, target = solution.tree, given["target"]
    own, other = tree.config.dice
    config = tree.config
    wild = {"none": "no wild face", "ones": "ones wild", "top": "highest face wild"}[config.wild]
    calls = ", exact calls" if tree.exact else ""
    click.echo(
        f"One round, {own} against {dice_count(other)} with {config.faces} faces, {wild}{calls}, "
        f"bids by {config.bid_ordering}"
    )
    table = Table("", Column("", justify="right"), "", box=None, show_header=False)
    table.add_row("value", f"{solution.value:+.8f}", "to the opener: +1 is a certain win, -1 a certain loss")
    table.add_row("bracket", f"{solution.lower:+.8f}", f"to {solution.upper:+.8f}, certified")
    table.add_row("exploitability", f"{solution.exploitability:.2e}", f"target {target:g}")
    table.add_row("the opener wins", percent((1 + solution.value) / 2), "of the rounds, if both play perfectly")
    if match := _match(solution):
        table.add_row("and a match", percent(sum(match) / 2), "in which the loser of a round opens the next")
    table.add_row("iterations", f"{solution.iterations:,}", f"in {solution.elapsed_s:.2f} s")
    table.add_row("nodes", f"{solution.nodes:,}", f"of {1 << tree.rungs:,} possible biddings")
    open_console().print(table)
    notes = {
        "interrupted": "Stopped early",
        "iterations": f"Stopped after {solution.iterations:,} iterations",
        "memory": "Reached the memory limit (raise it with --memory GB)",
    }
    if solution.stopped in notes:
        click.echo(f"{notes[solution.stopped]}: the bracket is certified, but the target was not reached.", err=True)
    changed = {name: given[name] for name in ("rules", "faces", "wild", "ordering") if given[name] is not None}
    options = [word for name, value in changed.items() for word in (f"--{name}", str(value))]
    dice = (str(own), str(other))
    if given["table"] is not None:
        click.echo(f"table: {given['table']}")
    if given["save"] is not None:
        bot = f"solved:{given['save']}"
        click.echo(f"It plays as {bot}, for example: {command_line('exploit', bot, '--dice', *dice, *options)}")
        finer = target if solution.stopped in notes else target / 10
        again = command_line("solve", "--dice", *dice, *options, "--resume", given["save"], "--target", f"{finer:g}")
        click.echo(f"saved: {given['save']}. To continue: {again}")
    else:
        exploit = command_line("exploit", "optimal", "--dice", *dice, *options)
        click.echo(f"To see how far a bot is from this: {exploit}")
