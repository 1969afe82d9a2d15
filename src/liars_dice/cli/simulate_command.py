"""`liars-dice simulate`: play many games at random tables and count the wins."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from .options import (
    RenamedOption,
    agent_name,
    backend_options,
    dice_option,
    json_option,
    players_option,
    rules_for,
    rules_option,
    say_rules,
    seed_option,
    time_limit_option,
    traceback_option,
    warn_of_guessable_seed,
)
from .output import fault_lines, lifetime_lines, open_console, percent, print_json, print_table
from .progress import show_progress, warm_up
from .runtime import bot_output_to_stderr, run_facts

if TYPE_CHECKING:
    from ..tournament import Simulation


@click.command("simulate", epilog="Example: liars-dice simulate --players 6 --tables 10 --games 100")
@click.argument("agents", type=agent_name, nargs=-1, metavar="[BOT]...")
@players_option()
@click.option(
    "--tables", type=click.IntRange(1, 1_000_000), default=10, show_default=True, metavar="N", help="Number of tables."
)
@click.option(
    "--games",
    "replications",
    cls=RenamedOption,
    formerly=("--replications",),
    type=click.IntRange(1, 10_000_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Games per table.",
)
@rules_option("perudo")
@dice_option
@seed_option
@traceback_option
@time_limit_option
@backend_options
@json_option
def simulate_command(
    agents: tuple[str, ...],
    players: int | None,
    tables: int,
    replications: int,
    rules: str,
    dice: int | None,
    seed: int | None,
    tracebacks: bool,
    time_limit: float | None,
    backend: str,
    workers: int | None,
    as_json: bool,
) -> None:
    """Draw random tables, play many games at each, and count the wins.

    BOT limits which bots can be drawn. By default these are all built-in bots and your own in the folder agents/.
    Tables differ while there are different ones to draw. If there are fewer bots than seats, numbered copies fill the
    table, and a bot's score includes its copies. A win rate is per seat; its interval takes the tables, not the
    games, as independent.
    """
    import msgspec

    from ..tournament import Simulation, make_backend

    chosen = make_backend(backend, workers)
    config = rules_for(rules, players, dice)
    warn_of_guessable_seed(config, seed, agents, isolate=False)
    seed = config.seed if seed is None else seed
    simulation = Simulation(
        config.num_players,
        tables,
        replications,
        agents=agents or None,
        config=config.without_seed,
        seed=seed,
        backend=chosen,
        time_limit_seconds=time_limit,
    )
    compile_s = warm_up(simulation.agents, quiet=as_json)
    start = time.perf_counter()
    with show_progress("games", quiet=as_json) as progress, bot_output_to_stderr():
        scores = simulation.start(verbose=False, progress=progress)
    elapsed_s = time.perf_counter() - start
    games = simulation.games
    complete = games == tables * replications
    if as_json:
        print_json(
            {
                "tables": [{"agents": list(s.agents), "wins": list(s.wins)} for s in simulation.scores],
                "global_scores": scores,
                "ranking": [msgspec.structs.asdict(score) for score in simulation.ranking],
                "games": games,
                "method": simulation.method,
                "faults": simulation.faults,
                "ordered": list(simulation.ordered),
                "anew": list(simulation.anew),
                "fault_examples": [msgspec.structs.asdict(example) for example in simulation.fault_examples],
                "complete": complete,
                "rules": rules,
                "seed": simulation.seed,
                "elapsed_s": elapsed_s,
                "compile_s": compile_s,
                "run": run_facts(chosen),
            }
        )
        raise SystemExit(0 if complete else 130)
    _print_result(simulation, rules, elapsed_s)
    for line in lifetime_lines(simulation.ordered, simulation.anew):
        click.echo(line)
    told = fault_lines(simulation.faults, simulation.fault_examples, tracebacks=tracebacks, time_limit=time_limit)
    for line in told:
        click.echo(line)
    if not complete:
        click.echo("Stopped before the end: the result is of the games played so far.", err=True)
        raise SystemExit(130)


def _print_result(simulation: Simulation, rules: str, elapsed_s: float) -> None:
    """The first tables with their scores, and every agent's win rate."""
    from rich.table import Column

    console = open_console()
    said = say_rules(rules, simulation.config)
    for number, score in enumerate(simulation.scores[:10], 1):
        listed = ", ".join(f"{name} {wins}" for name, wins in zip(score.agents, score.wins, strict=True))
        console.print(f"table {number}: {listed}", markup=False, soft_wrap=True)
    if len(simulation.scores) > 10:
        console.print(f"... and {len(simulation.scores) - 10} more tables (shown by --json)", markup=False)
    how = "at compiled speed" if simulation.method == "compiled" else "through the referee where it is needed"
    console.print(
        f"\n{simulation.games:,} games {how}, seed {simulation.seed} ({elapsed_s:.2f} s); rules {said}", markup=False
    )
    headings = ("tables", "games", "wins", "win rate", "95% interval")
    columns = [Column("agent"), *(Column(name, justify="right") for name in headings)]
    rows = [
        (
            one.agent,
            f"{one.tables:,}",
            f"{one.games:,}",
            f"{one.wins:,}",
            percent(one.win_rate),
            " to ".join(map(percent, one.ci95)),
        )
        for one in simulation.ranking
    ]
    print_table(console, columns, rows, "wins", "tables", "games", "95% interval", folds="agent")
    if simulation.n_tables > 1 and any(one.tables == 1 for one in simulation.ranking):
        console.print("for an agent that sat at one table, the interval is for that table alone", markup=False)
