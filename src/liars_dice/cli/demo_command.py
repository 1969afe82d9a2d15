"""`liars-dice demo`: the main job in small. An exact round robin, a league with recorded games, pictures."""

from __future__ import annotations

import time

import click

from .options import command_line, db_option, fixed_seed_option, json_option, print_json
from .running import open_or_warn, run_facts, show_progress, warm_up
from .tournament_command import result_as_json, show_result


@click.command("demo", epilog="Example: liars-dice demo --report my-report")
@fixed_seed_option(1)
@click.option("--report", metavar="DIR", default="demo-report", show_default=True, help="Where the pictures go.")
@db_option
@json_option
def demo_command(seed: int, report: str, db: str | None, as_json: bool) -> None:
    """See the built-in bots compete: every memoryless one against every other, exactly, and a league at tables of six.

    The games of the league are recorded in the store.
    """
    from pathlib import Path

    from ..agents import AGENTS
    from ..core import PRESETS
    from ..pictures import check_writable, write_report
    from ..tournament import Ledger, Processes, Settings, run_tournament

    check_writable(Path(report))
    backend = Processes()
    compile_s = warm_up(quiet=as_json)
    tournaments = {
        "round-robin": Settings(
            kind="round-robin",
            agents=tuple(info.field_name for info in AGENTS.values() if info.memoryless),
            rules="heads-up",
            config=PRESETS["heads-up"].to_dict(),
            seed=seed,
        ),
        "league": Settings(
            kind="league",
            agents=tuple(
                info.field_name for info in AGENTS.values() if info.name != "nash"
            ),  # it plays as probabilistic
            rules="perudo",
            config=PRESETS["perudo"].to_dict(),
            seed=seed,
            record="all",
        ),
    }
    told: dict[str, object] = {}
    pages = {}
    with open_or_warn(db) as store:
        for name, settings in tournaments.items():
            start = time.perf_counter()
            with show_progress("games", quiet=as_json) as progress:
                result = run_tournament(settings, backend=backend, ledger=Ledger(store, settings), progress=progress)
            elapsed_s = time.perf_counter() - start
            times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
            pages[name] = write_report(result, Path(report) / name, run_facts(backend) | times)
            told[name] = result_as_json(result)
            if not as_json:
                show_result(result, elapsed_s, db)
                click.echo(f"heatmap: {pages[name].with_name('heatmap.png')}; the whole story: {pages[name]}\n")
            if not result.complete:
                raise KeyboardInterrupt
    if as_json:
        print_json(told | {"compile_s": compile_s, "run": run_facts(backend) | {"report": report}})
        return
    click.echo("What next?")
    for purpose, command in (
        ("how good a bot really is", command_line("exploit", "optimal", "--dice", "2", "2")),
        ("see the last game of the league", command_line("replay", "last", "--step", db=db)),
        ("play against them yourself", command_line("play")),
    ):
        click.echo(f"  {purpose:32} {command}")
