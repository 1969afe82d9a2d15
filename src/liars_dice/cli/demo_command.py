"""`liars-dice demo`: an exact round robin, a league with some games recorded, and a report with charts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from .options import db_option, fixed_seed_option, json_option
from .output import command_line, print_json
from .progress import show_progress, warm_up
from .runtime import open_store_or_warn, run_facts
from .tournament_command import end_early, result_as_json, show_result

if TYPE_CHECKING:
    from ..tournament import TournamentSettings

LEAGUE_TABLES = 3250
"""1,500 for each of 13 agents: enough for those that are three points apart in the long run to come out in the same
order with nine seeds in ten (`benchmarks/intervals.py --format order`)."""


def demo_tournaments(seed: int, tables: int = LEAGUE_TABLES) -> dict[str, TournamentSettings]:
    """The two tournaments of the demo."""
    from ..agents import AGENTS
    from ..core import PRESETS
    from ..tournament import TournamentSettings

    memoryless = tuple(info.field_name for info in AGENTS.values() if info.memoryless)
    return {
        "round-robin": TournamentSettings(
            kind="round-robin",
            agents=memoryless,
            rules="heads-up",
            config=PRESETS["heads-up"].to_dict(),
            seed=seed,
        ),
        "league": TournamentSettings(
            kind="league",
            agents=(*memoryless, "champion"),
            rules="perudo",
            config=PRESETS["perudo"].to_dict(),
            seed=seed,
            tables=tables,
            record="some",
        ),
    }


@click.command("demo", epilog="Example: liars-dice demo --report my-report")
@fixed_seed_option(1)
@click.option(
    "--report", metavar="DIR", default="demo-report", show_default=True, help="Folder for the report and its charts."
)
@click.option(
    "--tables",
    type=click.IntRange(min=1),
    metavar="N",
    default=LEAGUE_TABLES,
    show_default=True,
    help="Number of tables of the league. With fewer it is shorter, and bots of like strength may change places.",
)
@db_option
@json_option
def demo_command(seed: int, report: str, tables: int, db: str | None, as_json: bool) -> None:
    """Run a tournament of the built-in bots.

    First an exact round robin of all memoryless bots, then a league of them and the champion at tables of six, which
    takes about a minute on two cores. The league's first games are recorded in the store, so that you can replay and
    review them.
    """
    from pathlib import Path

    from ..core import MissingExtraError
    from ..persistence import InMemoryRecorder
    from ..pictures import check_writable, write_report
    from ..tournament import Ledger, Processes, run_tournament

    with_report = True
    try:
        check_writable(Path(report))
    except MissingExtraError as missing:
        with_report = False
        click.echo(f"No report will be written: {missing}", err=True)
    backend = Processes()
    compile_s = warm_up(quiet=as_json)
    told: dict[str, object] = {}
    with open_store_or_warn(db) as store:
        for name, settings in demo_tournaments(seed, tables).items():
            start = time.perf_counter()
            ledger = Ledger(store, settings)
            with show_progress("games", quiet=as_json) as progress:
                result = run_tournament(settings, backend=backend, ledger=ledger, progress=progress)
            elapsed_s = time.perf_counter() - start
            times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
            told[name] = result_as_json(result)
            stored = not isinstance(store, InMemoryRecorder)
            if not as_json and (result.complete or result.games):
                show_result(result, elapsed_s, db, stored=stored)
            if with_report:
                page = write_report(result, Path(report) / name, run_facts(backend) | times)
                if not as_json:
                    click.echo(f"heatmap: {page.with_name('heatmap.png')}; full report: {page}\n")
            if not result.complete:
                break
    if as_json:
        facts = run_facts(backend) | {"report": report if with_report else None}
        print_json(told | {"compile_s": compile_s, "run": facts})
    if not result.complete:
        end_early(command_line("tournament", "--resume", ledger.id, db=db) if stored else None)
    if as_json:
        return
    click.echo("What next?")
    for purpose, command in (
        ("see how exploitable a bot is", command_line("exploit", "optimal", "--dice", "2", "2")),
        ("replay the league's last game", command_line("replay", "last", "--step", db=db)),
        ("play against the bots", command_line("play")),
    ):
        click.echo(f"  {purpose:32} {command}")
