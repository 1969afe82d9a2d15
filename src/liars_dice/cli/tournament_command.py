"""`liars-dice tournament`: rank agents in a round robin or a league."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NoReturn

import click

from .options import (
    agent_name,
    backend_options,
    db_option,
    isolate_option,
    json_option,
    llm_options,
    rules_for,
    rules_options,
    seed_for,
    seed_option,
    time_limit_option,
    traceback_option,
    warn_of_guessable_seed,
    was_given,
)
from .output import (
    command_line,
    endpoint_words,
    fault_lines,
    lifetime_lines,
    method_line,
    model_lines,
    open_console,
    percent,
    print_json,
    print_table,
)
from .progress import show_progress, warm_up
from .runtime import bot_output_to_stderr, model_facts, open_store_or_warn, run_facts

if TYPE_CHECKING:
    from ..tournament import TournamentResult, TournamentSettings


@click.command("tournament", epilog="Example: liars-dice tournament --field threshold-grid --rules heads-up --exact")
@click.argument("agents", type=agent_name, nargs=-1, metavar="[BOT]...")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="NAME",
    help="Add a group of bots: all, personalities or threshold-grid. May be repeated.",
)
@click.option(
    "--folder", "folders", multiple=True, metavar="DIR", help="Add the bots in this folder, in boxes. May be repeated."
)
@rules_options("heads-up")
@click.option("--exact", is_flag=True, help="Require the exact method; fail if it cannot be used.")
@click.option(
    "--games",
    type=click.IntRange(1),
    metavar="N",
    help="Games per pairing, or per table of a league, instead of computing results. "
    "[default at a table: one deal, in every seating]",
)
@click.option(
    "--tables",
    type=click.IntRange(1, 100_000),
    metavar="N",
    help="Number of tables of a league, each with bots and seats drawn at random. "
    "[default: 3,000 deals per bot if all games are compiled, 20 if a language model plays, else 1,500]",
)
@click.option(
    "--until-significant",
    is_flag=True,
    help="Play each pairing until the difference is significant, or --games are played.",
)
@click.option(
    "--seating",
    type=click.Choice(["both", "listed"]),
    default="both",
    show_default=True,
    help="Who opens the games of a round robin: each of the two as often, or always the one that is listed first.",
)
@seed_option
@backend_options
@traceback_option
@time_limit_option
@isolate_option
@llm_options
@click.option("--report", metavar="DIR", help="Write a report with charts into this folder.")
@click.option(
    "--chart-format",
    "formats",
    type=click.Choice(["pdf", "svg"]),
    multiple=True,
    help="Write the charts of --report in this format, too. May be repeated. [default: only PNG]",
)
@click.option(
    "--record",
    type=click.Choice(["all", "some", "faults", "none"]),
    default="faults",
    show_default=True,
    help="Which played games to record in the store: all, those with a fault, those and the first ten deals (some), "
    "or none.",
)
@click.option(
    "--resume", metavar="TOURNAMENT", help="Resume an interrupted tournament: its id, the beginning of it, or last."
)
@db_option
@json_option
@click.pass_context
def tournament_command(
    context: click.Context, /, report: str | None, tracebacks: bool, db: str | None, as_json: bool, **given: Any
) -> None:
    """Rank bots: a round robin for two players, a league for more (--players 6).

    BOT is a name that `liars-dice agents` lists, a file (mybot.py), module:Class, cmd:PROGRAM, or llm:MODEL. Pairings
    are computed exactly where possible, else played by the compiled simulator, else by the referee. After Ctrl-C,
    continue with --resume.
    """
    if given["exact"] and (given["games"] is not None or given["until_significant"]):
        raise click.UsageError(
            "--exact cannot be combined with --games or --until-significant: the exact method plays no games."
        )
    from pathlib import Path

    from ..agents import AgentStoppedError
    from ..persistence import InMemoryRecorder
    from ..pictures import check_writable, write_report
    from ..tournament import Ledger, find_tournament, make_backend, run_tournament

    if report is not None:
        check_writable(Path(report))
    elif given["formats"]:
        raise click.UsageError("--chart-format needs --report DIR.")
    backend = make_backend(given["backend"], given["workers"])
    with open_store_or_warn(db, must_exist=given["resume"] is not None) as store:
        known = None if given["resume"] is None else find_tournament(store, given["resume"])
        settings = _settings(context, given, None if known is None else known.settings)
        typed = endpoint_words()
        if known is None:
            settings = _with_address(settings)
        ledger = Ledger(store, settings, None if known is None else known.id)
        if known is not None and known.result is None:
            _ask_where_it_began(settings)
        in_memory = isinstance(store, InMemoryRecorder)
        again = command_line("tournament", "--resume", ledger.id, *typed, db=db)
        compile_s = warm_up(settings.agents, quiet=as_json)
        start = time.perf_counter()
        with show_progress("games", quiet=as_json) as progress, bot_output_to_stderr():
            try:
                result = run_tournament(settings, backend=backend, ledger=ledger, progress=progress)
            except AgentStoppedError as error:  # before any game was over
                if in_memory:
                    raise
                raise AgentStoppedError(f"{error}. To continue: {again}") from error
        elapsed_s = time.perf_counter() - start
    run = run_facts(backend) | {"tournament": ledger.id} | model_facts()
    times = {"elapsed_s": elapsed_s, "compile_s": compile_s}
    page = None if report is None else write_report(result, Path(report), run | times, given["formats"])
    known_something = any(cell is not None for row in result.cells for cell in row)
    if as_json:
        print_json(result_as_json(result) | times | {"run": run | {"report": None if page is None else str(page)}})
    elif known_something:
        show_result(result, elapsed_s, db, stored=not in_memory, tracebacks=tracebacks)
        if page is not None:
            click.echo(f"heatmap: {page.with_name('heatmap.png')}; full report: {page}")
    if not result.complete:
        end_early(None if in_memory else again)


def end_early(again: str | None) -> NoReturn:
    """End the command after Ctrl-C. `again` is the command that continues; None if nothing was stored."""
    click.echo("Stopped before the end.", err=True)
    if again is not None:
        click.echo(f"The games played so far are saved. To continue: {again}", err=True)
    raise SystemExit(130)


def _settings(context: click.Context, given: dict[str, Any], known: TournamentSettings | None) -> TournamentSettings:
    """The settings from the command line; when resuming, those the tournament was started with, plus any changes."""
    import msgspec

    from ..tournament import FIELDS, TournamentSettings, agents_in_field, agents_in_folder, check_settings

    by_field = {field: agents_in_field(field) for field in given["fields"]}
    by_folder = {folder: agents_in_folder(folder) for folder in given["folders"]}
    from_fields = dict.fromkeys(name for found in (*by_field.values(), *by_folder.values()) for name in found)
    names = (*given["agents"], *(name for name in from_fields if name not in given["agents"]))
    boxed = [*by_folder.values(), *(found for field, found in by_field.items() if field not in FIELDS)]
    from_folders = tuple(dict.fromkeys(name for found in boxed for name in found))
    config = rules_for(given["rules"], given["players"], given["dice"])
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
        boxed=from_folders,
        record=given["record"],
        **({} if given["time_limit"] is None else {"time_limit_seconds": given["time_limit"]}),
        seating=given["seating"],
    )
    if known is None:
        warn_of_guessable_seed(config, given["seed"], names, isolate=given["isolate"] or bool(from_folders))
        check_settings(wanted, config)
        return wanted
    changes: dict[str, Any] = {
        name: getattr(wanted, name)
        for name in ("exact", "games", "tables", "until_significant", "isolate", "record", "seating", "seed")
        if was_given(context, name)
    }
    if names:
        changes["agents"], changes["boxed"] = names, from_folders
    if given["time_limit"] is not None:
        changes["time_limit_seconds"] = given["time_limit"]
    if any(was_given(context, name) for name in ("rules", "players", "dice")):
        changes |= {"rules": wanted.rules, "config": wanted.config, "kind": wanted.kind}
    return msgspec.structs.replace(known, **changes)


def _with_address(settings: TournamentSettings) -> TournamentSettings:
    """The settings of a new tournament with the address of its models, if it has any."""
    import msgspec

    from ..agents import asks_network
    from ..bridges.model_use import current_use

    has_models = any(map(asks_network, settings.agents))
    return msgspec.structs.replace(settings, base_url=current_use().base_url) if has_models else settings


def _ask_where_it_began(settings: TournamentSettings) -> None:
    """Ask the models of a resumed tournament at the address where it began, unless --base-url is typed."""
    from ..agents import asks_network
    from ..bridges.model_use import current_use

    use = current_use()
    if use.given_url is not None or not any(map(asks_network, settings.agents)):
        return
    began = "because this tournament does not say where it began"
    if settings.base_url:
        use.ask_at(settings.base_url)
        began = "where this tournament began"
    click.echo(f"Note: models are asked at {use.base_url}, {began}.", err=True)


def result_as_json(result: TournamentResult) -> dict[str, object]:
    """The result as JSON; other programs rely on these keys."""
    import msgspec

    plain = msgspec.to_builtins(result, str_keys=True)
    return {
        "method": result.method,
        "why": result.why,
        "kind": result.settings.kind,
        "rules": result.settings.rules,
        "seating": result.settings.seating,
        "agents": list(result.agents),
        "ranking": plain["ranking"],
        "rating_scale": result.rating_scale,
        "matrix": result.matrix,
        "cells": plain["cells"],
        "games": result.games,
        "seed": None if result.method == "exact" or not result.complete else result.settings.seed,
        "ordered": list(result.ordered),
        "anew": list(result.anew),
        "complete": result.complete,
        "planned": result.planned,
        "uneven": result.uneven,
        "resolution": result.resolution,
    }


def show_result(
    result: TournamentResult, elapsed_s: float, db: str | None, *, stored: bool = True, tracebacks: bool = False
) -> None:
    """Print the leaderboard, and which games were recorded: none unless there is a store (`stored`)."""
    from rich.table import Column

    from ..core import GameConfig

    settings = result.settings
    console = open_console()
    seats = GameConfig.from_dict(settings.config).num_players
    kind = "round robin" if settings.kind == "round-robin" else f"league at tables of {seats}"
    seating = "; the agent listed first opens" if settings.seating == "listed" else ""
    console.print(f"{len(result.agents)} agents, {kind}; rules {settings.rules}{seating}", markup=False)
    seed = settings.seed if result.complete else None  # games are still to be played from it
    console.print(method_line(result.method, result.games, result.why, seed, elapsed_s), markup=False)
    if not result.complete:
        console.print(_how_far(result), markup=False)
    even = "ties" if result.method == "exact" else "undecided"
    met = ("met",) if any(standing.met is not None for standing in result.ranking) else ()
    headings = ("", "agent", *met, "wins", "95% interval", "beats", even, result.rating_scale)
    columns = [Column(h, justify="left" if h == "agent" else "right") for h in headings]
    rows = []
    for standing in result.ranking:
        low, high = standing.rank_interval
        sure = "exact" if standing.ci95 is None else " to ".join(map(percent, standing.ci95))
        played = standing.games != 0
        cells = (
            f"{standing.rank}" if low == high else f"{standing.rank} ({low}-{high})",
            standing.agent,
            *((f"{standing.met} of {len(result.agents) - 1}",) if met else ()),
            percent(standing.win_rate) if played else "",
            sure if played else "no games yet",
            str(standing.beats),
            str(standing.ties),
            f"{standing.rating:.1f}" if played else "",
        )
        rows.append(cells)
    print_table(console, columns, rows, even, "beats", result.rating_scale, "95% interval", folds="agent")
    for line in _how_sure(result):
        console.print(line, markup=False)
    faults = sum(sum(standing.faults.values()) for standing in result.ranking)
    examples = [example for standing in result.ranking for example in standing.fault_examples]
    limit = None if result.settings.time_limit_seconds == 1 else result.settings.time_limit_seconds
    for line in fault_lines(faults, examples, tracebacks=tracebacks, time_limit=limit):
        console.print(line, markup=False, soft_wrap=True)
    for line in lifetime_lines(result.ordered, result.anew):
        console.print(line, markup=False)
    for line in model_lines():
        console.print(line, markup=False)
    if result.games:
        console.print(_recorded(result, command_line("games", db=db), stored=stored), markup=False)


def _how_far(result: TournamentResult) -> str:
    """How far a stopped tournament came, and what that means for its ranking."""
    settings = result.settings
    most = "at most " if settings.until_significant else ""
    line = f"stopped after {result.games or 0:,} of {most}{result.planned:,} games: "
    if result.uneven:
        unmet = "not all agents have met yet"
        missing = unmet if settings.kind == "round-robin" else "the tables played so far are not a fair sample"
        line += f"{missing}, so win rates do not compare yet, and "
    return f"{line}the order may still change"


def _how_sure(result: TournamentResult) -> list[str]:
    """What the ranks in brackets mean, and how small a difference the games can show."""
    lines = []
    if result.settings.until_significant:
        lines.append("the intervals are wider than usual, because pairings were stopped early")
    if any(standing.rank_interval[0] < standing.rank_interval[1] for standing in result.ranking):
        whatever = ", whatever comes of the games that are left" if result.uneven else ""
        lines.append(f"in brackets: the ranks that are possible, with 95% confidence for all agents at once{whatever}")
    if result.resolution is not None:
        points = f"{100 * result.resolution:.2g} points"
        lines.append(f"win rates that are {points} apart or more differ significantly (5% level, one comparison)")
    return lines


def _recorded(result: TournamentResult, to_list: str, *, stored: bool) -> str:
    """Which of the games that were played can be looked at."""
    record = result.settings.record
    if not stored:
        return "no game was recorded: the store could not be opened"
    later = "; those of agents that learn are recorded once all are played"
    later = later if result.ordered and not result.complete else ""
    if record == "all":
        return f"the games are recorded{later}; to list them: {to_list}"
    if record == "some":
        return f"the games of the first deals are recorded{later}; to list them: {to_list}"
    if record == "faults" and any(standing.faults for standing in result.ranking):
        return f"games with a fault are recorded{later}; to list them: {to_list}; --record all records every game"
    why = "no game was recorded, because there was no fault" if record == "faults" else "no game was recorded"
    return f"{why}; use --record all to replay and review the games"
