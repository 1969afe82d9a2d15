"""`liars-dice tournament`: everybody against everybody."""

from __future__ import annotations

import time

import click

from .options import json_option, print_json, rules_options, seed_option
from .working import method_line, percent, rules_for_two, show_progress, warm_up


@click.command("tournament", epilog="Example: liars-dice tournament --field threshold-grid --rules heads-up --exact")
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option("--field", "field_name", metavar="NAME", help="A named field: all, personalities or threshold-grid.")
@rules_options("heads-up")
@click.option("--exact", is_flag=True, help="Insist on the exact method.")
@click.option("--games", type=click.IntRange(2), metavar="N", help="Play so many games in each pairing.")
@seed_option
@click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="How many cores to use. [default: all]")
@json_option
def tournament_command(
    agents: tuple[str, ...],
    field_name: str | None,
    rules: str,
    players: int | None,
    dice: int | None,
    exact: bool,
    games: int | None,
    seed: int | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Play a round robin: each agent against each other, in both seats, ranked by mean win rate.

    AGENT is any name a bot has; --field adds a named field. The fastest honest method is taken, as in `matchup`.
    """
    if exact and games is not None:
        raise click.UsageError("--exact plays no games: leave out one of --exact and --games.")
    compile_s = warm_up()

    from ..arena.fields import field
    from ..arena.tournament import round_robin
    from ..core.dice import fresh_seed

    names = list(dict.fromkeys((*agents, *(field(field_name) if field_name else ()))))
    config = rules_for_two(rules, players, dice)
    seed = config.seed if seed is None else seed
    seed = fresh_seed() if seed is None else seed
    start = time.perf_counter()
    with show_progress("pairings", quiet=as_json) as progress:
        found = round_robin(names, config, exact=exact, games=games, seed=seed, workers=workers, progress=progress)
    elapsed_s = time.perf_counter() - start
    if as_json:
        print_json(
            {
                "method": found.method,
                "why": found.why,
                "rules": rules,
                "agents": list(found.agents),
                "ranking": [
                    {
                        "agent": standing.agent,
                        "win_rate": standing.win_rate,
                        "beats": standing.beats,
                        "ties": standing.ties,
                        "ci95": standing.ci95,
                    }
                    for standing in found.ranking
                ],
                "matrix": [list(row) for row in found.matrix],
                "games": found.games,
                "faults": found.faults,
                "seed": None if found.method == "exact" else seed,
                "elapsed_s": elapsed_s,
                "compile_s": compile_s,
            }
        )
        return
    from rich.console import Console
    from rich.table import Column, Table

    console = Console(highlight=False)
    console.print(f"{len(names)} agents, each against each; rules {rules}", markup=False)
    console.print(method_line(found.method, found.games, found.why, seed, elapsed_s), markup=False)
    numbers = ("wins", "95 % interval", "beats", "ties")
    table = Table(Column("", justify="right"), "agent", *(Column(n, justify="right") for n in numbers), box=None)
    for rank, standing in enumerate(found.ranking, 1):
        interval = "none: exact" if standing.ci95 is None else " to ".join(map(percent, standing.ci95))
        counts = (str(standing.beats), str(standing.ties))
        table.add_row(str(rank), standing.agent, percent(standing.win_rate), interval, *counts)
    console.print(table)
