"""`liars-dice matchup`: measure one agent against another, exactly if possible."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .options import (
    agent_name,
    json_option,
    llm_options,
    rules_for,
    rules_options,
    say_rules,
    seed_for,
    seed_option,
    time_limit_option,
    traceback_option,
    warn_of_guessable_seed,
    workers_option,
)
from .output import fault_lines, lifetime_lines, method_line, model_lines, open_console, percent, print_json
from .progress import show_progress, warm_up
from .runtime import bot_output_to_stderr, model_facts

if TYPE_CHECKING:
    from ..core import GameConfig
    from ..tournament import Matchup


@click.command("matchup", epilog="Example: liars-dice matchup threshold-best maniac --rules heads-up")
@click.argument("a", type=agent_name)
@click.argument("b", type=agent_name)
@rules_options("heads-up", "Number of players: always 2, whatever the rules say.")
@click.option("--exact", is_flag=True, help="Require the exact method; fail if it cannot be used.")
@click.option(
    "--games",
    type=click.IntRange(2),
    metavar="N",
    help="Play N games, half in each seat, instead of computing the result.",
)
@seed_option
@traceback_option
@time_limit_option
@workers_option
@llm_options
@json_option
def matchup_command(
    a: str,
    b: str,
    rules: str,
    players: int | None,
    dice: int | None,
    exact: bool,
    games: int | None,
    seed: int | None,
    tracebacks: bool,
    time_limit: float | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Measure how bot A does against bot B, in both seats.

    By default the most exact method that is fast enough is used: exact if both bots are memoryless, else games by the
    compiled simulator, else games by the referee.
    """
    if exact and games is not None:
        raise click.UsageError("--exact and --games cannot be combined: the exact method plays no games.")
    from ..tournament import matchup

    config = rules_for(rules, players, dice, named=2)
    compile_s = warm_up((a, b), quiet=as_json)
    warn_of_guessable_seed(config, seed, (a, b), isolate=False)
    seed = seed_for(config, seed)
    start = time.perf_counter()
    with show_progress("games", quiet=as_json) as progress, bot_output_to_stderr():
        found = matchup(
            a,
            b,
            config,
            exact=exact,
            games=games,
            seed=seed,
            workers=workers,
            time_limit_seconds=time_limit,
            progress=progress,
        )
    elapsed_s = time.perf_counter() - start
    if as_json:
        times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
        print_json(_as_json(found, rules, config, seed) | times | ({"run": facts} if (facts := model_facts()) else {}))
    else:
        how = method_line(found.method, found.games, found.why, seed, elapsed_s)
        faults = fault_lines(found.faults, found.fault_examples, tracebacks=tracebacks, time_limit=time_limit)
        _show(found, rules, config, how, faults)
    if not found.complete:
        if not as_json:
            click.echo("Stopped before the end: the result is of the games played so far.", err=True)
        raise SystemExit(130)


def _as_json(found: Matchup, rules: str, config: GameConfig, seed: int) -> dict[str, object]:
    """The result as JSON; other programs rely on these keys."""
    import msgspec

    return {
        "a": found.a,
        "b": found.b,
        "rules": rules,
        "dice": list(config.dice),
        "method": found.method,
        "why": found.why,
        "win_rate": found.win_rate,
        "win_rate_first": found.win_rate_first,
        "win_rate_second": found.win_rate_second,
        "games": found.games,
        "ci95": found.ci95,
        "round": None
        if found.round_first is None or found.round_second is None
        else {
            "win_rate": (found.round_first + found.round_second) / 2,
            "win_rate_first": found.round_first,
            "win_rate_second": found.round_second,
        },
        "expected_rounds": found.expected_rounds,
        "final_dice": [{"a": d.a, "b": d.b, "probability": d.probability} for d in found.final_dice] or None,
        "faults": found.faults,
        "fault_examples": [msgspec.structs.asdict(example) for example in found.fault_examples],
        "complete": found.complete,
        "ordered": list(found.ordered),
        "anew": list(found.anew),
        "seed": None if found.method == "exact" else seed,
    }


def _show(found: Matchup, rules: str, config: GameConfig, how: str, faults: Sequence[str]) -> None:
    """Print the result for people."""
    from rich.table import Column, Table

    console = open_console()
    console.print(
        f"{found.a} against {found.b}; rules {say_rules(rules, config)}, dice {config.dice[0]} and {config.dice[1]}",
        markup=False,
    )
    console.print(how, markup=False)
    table = Table("", *(Column(name, justify="right") for name in ("wins", "bidding first", "second")), box=None)
    table.add_row("the match", percent(found.win_rate), percent(found.win_rate_first), percent(found.win_rate_second))
    if found.round_first is not None and found.round_second is not None:
        mean = (found.round_first + found.round_second) / 2
        table.add_row("one round", percent(mean), percent(found.round_first), percent(found.round_second))
    console.print(table)
    if found.ci95 is not None:
        console.print(f"95% interval for the match: {percent(found.ci95[0])} to {percent(found.ci95[1])}", markup=False)
    if config.mode != "single_round":
        console.print(f"rounds expected in a match: {found.expected_rounds:.2f}", markup=False)
    if config.mode == "elimination":
        for end in sorted(found.final_dice, key=lambda end: (end.a, -end.b), reverse=True):
            who, left = (found.a, end.a) if end.a else (found.b, end.b)
            bar = "█" * round(50 * end.probability)
            console.print(f"  {who} wins with {left} left  {percent(end.probability):>8}  {bar}", markup=False)
    for line in lifetime_lines(found.ordered, found.anew):
        console.print(line, markup=False)
    for line in (*model_lines(), *faults):
        console.print(line, markup=False, soft_wrap=True)
