"""`liars-dice tournament`: who is best, and how sure that is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from .options import (
    command_line,
    db_option,
    isolate_option,
    json_option,
    print_json,
    rules_options,
    seed_for,
    seed_option,
    was_said,
)
from .running import (
    backend_options,
    bots_print_to_stderr,
    method_line,
    open_or_warn,
    percent,
    run_facts,
    show_progress,
    terminated_like_interrupted,
    warm_up,
)

if TYPE_CHECKING:
    from ..tournament import TournamentResult, TournamentSettings


@click.command("tournament", epilog="Example: liars-dice tournament --field threshold-grid --rules heads-up --exact")
@click.argument("agents", nargs=-1, metavar="[AGENT]...")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME", help="all, personalities, threshold-grid, or a folder."
)
@rules_options("heads-up")
@click.option("--exact", is_flag=True, help="Insist on the exact method.")
@click.option("--games", type=click.IntRange(1), metavar="N", help="Games a pairing, or a table of a league.")
@click.option("--tables", type=click.IntRange(1, 100_000), metavar="N", help="Tables of a league.")
@click.option("--until-significant", is_flag=True, help="Play each pairing until it is decided (--games at most).")
@seed_option
@backend_options
@isolate_option
@click.option("--report", metavar="DIR", help="Write a page with pictures there.")
@click.option(
    "--record",
    type=click.Choice(["all", "faults", "none"]),
    default="faults",
    show_default=True,
    help="Which games go into the store.",
)
@click.option("--resume", metavar="ID", help="Go on with a tournament that was stopped (an id, or last).")
@db_option
@json_option
@click.pass_context
def tournament_command(
    context: click.Context, /, report: str | None, db: str | None, as_json: bool, **given: Any
) -> None:
    """Find out who is best: a round robin for two players, a league for more (--players 6).

    AGENT is any name a bot has; --field adds a named field or a folder of bots. Results are exact where possible, else
    games at compiled speed, else refereed. Ctrl-C loses nothing: --resume goes on.
    """
    if given["exact"] and (given["games"] is not None or given["until_significant"]):
        raise click.UsageError("--exact plays no games: leave out one of --exact and --games or --until-significant.")
    from pathlib import Path

    from ..persistence import InMemoryRecorder
    from ..pictures import check_writable, write_report
    from ..referee import are_strangers
    from ..tournament import Ledger, find_tournament, make_backend, run_tournament

    if report is not None:
        check_writable(Path(report))
    backend = make_backend(given["backend"], given["workers"])
    with open_or_warn(db, must_exist=given["resume"] is not None) as store:
        known = None if given["resume"] is None else find_tournament(store, given["resume"])
        settings = _settings(context, given, None if known is None else known.settings)
        ledger = Ledger(store, settings, None if known is None else known.id)
        compile_s = warm_up(strangers=are_strangers(settings.agents), quiet=as_json)
        start = time.perf_counter()
        with show_progress("games", quiet=as_json) as progress, bots_print_to_stderr(), terminated_like_interrupted():
            result = run_tournament(settings, backend=backend, ledger=ledger, progress=progress)
        elapsed_s = time.perf_counter() - start
    run = run_facts(backend) | {"tournament": ledger.id}
    times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
    page = None if report is None else write_report(result, Path(report), run | times)
    known_something = any(cell is not None for row in result.cells for cell in row)
    if as_json:
        print_json(result_as_json(result) | times | {"run": run | {"report": None if page is None else str(page)}})
    elif known_something:
        show_result(result, elapsed_s, db)
        if page is not None:
            click.echo(f"heatmap: {page.with_name('heatmap.png')}; the whole story: {page}")
    if not result.complete:
        click.echo("Stopped before the end.", err=True)
        if not isinstance(store, InMemoryRecorder):
            again = command_line("tournament", "--resume", ledger.id, db=db)
            click.echo(f"Nothing is lost. To go on: {again}", err=True)
        raise SystemExit(130)


def _settings(context: click.Context, given: dict[str, Any], known: TournamentSettings | None) -> TournamentSettings:
    """What was asked for; where a tournament goes on, what it was begun with unless something else is said."""
    import msgspec

    from ..core import load_rules
    from ..tournament import TournamentSettings, agents_in_field, check_settings

    from_fields = dict.fromkeys(name for one in given["fields"] for name in agents_in_field(one))
    names = (*given["agents"], *(name for name in from_fields if name not in given["agents"]))
    config = load_rules(given["rules"], players=given["players"], dice=given["dice"])
    wanted = TournamentSettings(
        kind="round-robin" if config.num_players == 2 else "league",
        agents=names,
        rules=given["rules"],
        config=config.without_seed.to_dict(),
        seed=seed_for(config, given["seed"]),
        exact=given["exact"],
        games=given["games"],
        tables=given["tables"],
        until_significant=given["until_significant"],
        isolate=given["isolate"],
        record=given["record"],
    )
    if known is None:
        check_settings(wanted, config)
        return wanted
    changes: dict[str, Any] = {
        name: getattr(wanted, name)
        for name in ("exact", "games", "tables", "until_significant", "isolate", "record", "seed")
        if was_said(context, name)
    }
    if names:
        changes["agents"] = names
    if any(was_said(context, name) for name in ("rules", "players", "dice")):
        changes |= {"rules": wanted.rules, "config": wanted.config, "kind": wanted.kind}
    return msgspec.structs.replace(known, **changes)


def result_as_json(result: TournamentResult) -> dict[str, object]:
    """The result with the keys that other programs rely on."""
    import msgspec

    plain = msgspec.to_builtins(result, str_keys=True)
    return {
        "method": result.method,
        "why": result.why,
        "kind": result.settings.kind,
        "rules": result.settings.rules,
        "agents": list(result.agents),
        "ranking": plain["ranking"],
        "matrix": result.matrix,
        "cells": plain["cells"],
        "games": result.games,
        "seed": None if result.method == "exact" else result.settings.seed,
        "ordered": list(result.ordered),
        "complete": result.complete,
    }


def show_result(result: TournamentResult, elapsed_s: float, db: str | None) -> None:
    """The leaderboard."""
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    settings = result.settings
    console = Console(highlight=False)
    kind = "each against each" if settings.kind == "round-robin" else "a league"
    console.print(f"{len(result.agents)} agents, {kind}; rules {settings.rules}", markup=False)
    console.print(method_line(result.method, result.games, result.why, settings.seed, elapsed_s), markup=False)
    headings = ("wins", "95 % interval", "beats", "ties", "rating")
    agent = Column("agent", overflow="fold")  # names of files are long, and differ at their ends
    table = Table(Column("", justify="right"), agent, *(Column(h, justify="right") for h in headings), box=None)
    for standing in result.ranking:
        low, high = standing.rank_interval
        table.add_row(
            f"{standing.rank}" if low == high else f"{standing.rank} ({low}-{high})",
            Text(standing.agent),
            percent(standing.win_rate),
            "exact" if standing.ci95 is None else " to ".join(map(percent, standing.ci95)),
            str(standing.beats),
            str(standing.ties),
            f"{standing.rating:.1f}",
        )
    console.print(table)
    faulty = {standing.agent: sum(standing.faults.values()) for standing in result.ranking if standing.faults}
    if faulty:
        listed = ", ".join(f"{agent} {number}" for agent, number in faulty.items())
        console.print(f"faults: {listed}; {command_line('check-bot')} says what is wrong", markup=False)
    if result.ordered:
        learners = ", ".join(result.ordered)
        console.print(f"learning from game to game, so played in order by one worker: {learners}", markup=False)
    if settings.record == "all" and result.games:
        console.print(f"the games are recorded: {command_line('games', db=db)}", markup=False)
    elif result.games:
        console.print("the games are not kept; --record all keeps them, to be replayed and reviewed", markup=False)
