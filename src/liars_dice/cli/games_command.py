"""`liars-dice games`: list recorded games, or show win rates."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from ..core import PLAYERS
from .game_filters import filtered_games, game_filters, recorded_filters, rules_filter
from .game_lookup import MOST_REVIEWED
from .options import db_option, json_option
from .output import command_line, fit_table, open_console, print_fitting, print_json
from .progress import show_progress

if TYPE_CHECKING:
    from rich.console import Console

    from ..coach import JudgedGame
    from ..persistence import GameRecorder, GameSummary


SMALL_TABLE = 3
"""All players of tables up to this size are named, in any terminal."""


@click.group(
    "games", invoke_without_command=True, epilog="Example: liars-dice games --player maniac --since 2026-01-31"
)
@game_filters
@click.option(
    "--worst", is_flag=True, help="Review the games of the --loser or --player, and list those played worst first."
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="List at most this many games, newest first.",
)
@db_option
@json_option
@click.pass_context
def games_command(
    context: click.Context,
    /,
    worst: bool,
    limit: int,
    abandoned: bool,
    db: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """List recorded games. `liars-dice games stats` shows win rates.

    The table fits your terminal: if it is narrow, only some of many players are named, and columns are left out. Ids
    are always whole. A pipe or a file gets everything.
    """
    context.obj = {"db": db, "rules": given["rules"]}
    if context.invoked_subcommand is not None:
        return
    from ..persistence import open_store

    filters = recorded_filters(given)
    agent, winner, loser = (filters[name] for name in ("agent", "winner", "loser"))
    if worst and loser is None and agent is None:
        raise click.UsageError("--worst needs a player: --loser NAME, or --player NAME to include games that it won.")
    most = MOST_REVIEWED if worst else limit
    judged: list[JudgedGame] = []
    with open_store(db, must_exist=True) as store:
        found = filtered_games(store, filters, most, abandoned=abandoned)
        if worst:
            judged = _judge(store, found, agent, loser, quiet=as_json)[:limit]
        guess = "" if found or as_json else _guess(store, agent, winner, loser)
    if as_json:
        games = [_as_json(one.game) | _verdict(one) for one in judged] if worst else [_as_json(game) for game in found]
        print_json({"games": games})
    elif not (judged if worst else found):
        keep = f"{command_line('watch')} records one; {command_line('tournament', '--record', 'all')} records many."
        click.echo(f"No matching games{guess}. {keep}")
    elif worst:
        _show_judged(open_console(), judged, db)
    else:
        _show(open_console(), found)


def _guess(store: GameRecorder, *names: str | None) -> str:
    """For the first of these names that no recorded player has: which player may have been meant."""
    from ..core import did_you_mean

    given = [name for name in names if name is not None]
    known = {one for game in store.games() for one in (*game.names, *game.player_types) if one} if given else set()
    guesses = (did_you_mean(name, known) for name in given if name not in known)
    return next((f" ({guess})" for guess in guesses if guess), "")


def _as_json(game: GameSummary) -> dict[str, object]:
    return {
        "game_id": game.game_id,
        "created_utc": game.created_utc.isoformat(),
        "rules": game.rules,
        "agents": list(game.names),
        "player_types": list(game.player_types),
        "rounds": game.rounds,
        "events": game.events,
        "winner": game.winner_name,
    }


def _verdict(judged: JudgedGame) -> dict[str, object]:
    worst = judged.worst
    return {
        "seat": judged.seat,
        "accuracy": judged.accuracy,
        "worst": {"turn": worst.turn, "action": str(worst.action), "best": str(worst.best), "loss": worst.loss},
    }


def _judge(
    store: GameRecorder, found: list[GameSummary], agent: str | None, loser: str | None, *, quiet: bool
) -> list[JudgedGame]:
    """The games with the player's accuracy, worst first."""
    from ..coach import worst_games

    def seats(game: GameSummary) -> tuple[int, ...]:
        return game.seats_of(agent or "") if loser is None else game.seats_lost_by(loser)

    with show_progress("reviewing games", quiet=quiet) as progress:
        return worst_games(store, found, seats, progress=progress)


def _show_judged(console: Console, judged: list[JudgedGame], db: str | None) -> None:
    """Print how well a player played, worst game first."""
    from rich.table import Column

    player = judged[0].game.names[judged[0].seat]
    numbers = {name: Column(name, justify="right") for name in ("accuracy", "turn", "lost")}
    columns = [
        numbers.get(name, Column(name)) for name in ("game", "accuracy", "turn", "did", "best", "lost", "winner")
    ]
    rows = [
        (
            one.game.game_id,
            f"{one.accuracy:.1f}%",
            str(one.worst.turn),
            str(one.worst.action),
            str(one.worst.best),
            f"{100 * one.worst.loss:.0f}%",
            one.game.winner_name or "(unfinished)",
        )
        for one in judged
    ]
    fitting = fit_table(console, columns, rows, "winner")
    if fitting is None:
        for one in judged:
            console.print(one.game.game_id, markup=False)
            console.print(f"  accuracy {one.accuracy:.1f}%\n  {_worst_words(one)}", markup=False)
    else:
        print_fitting(console, *fitting)
    worst = judged[0]
    console.print(f"\nThe game that {player} played worst:", markup=False, soft_wrap=True)
    game, turn = worst.game.game_id, str(worst.worst.turn)
    for purpose, words in (
        ("replay it", ["replay", game]),
        ("review it", ["review", game]),
        ("play on from there", ["play", "--from", game, "--at", turn]),
    ):
        console.print(f"  {purpose:<18} {command_line(*words, db=db)}", markup=False, soft_wrap=True)


def _worst_words(judged: JudgedGame) -> str:
    worst = judged.worst
    return f"turn {worst.turn}: {worst.action}, not {worst.best}: {100 * worst.loss:.0f}% lost"


def _show(console: Console, found: list[GameSummary]) -> None:
    """Print the games, newest first: in a table, or each in several lines if the terminal is too narrow for one."""
    from rich.table import Column

    columns = [Column(name) for name in ("game (UTC time)", "rules", "players")]
    columns += [Column("rounds", justify="right"), Column("winner")]

    def rows(names: int) -> list[tuple[str, ...]]:
        return [
            (one.game_id, one.rules, _some(one.names, names), str(one.rounds), one.winner_name or "(unfinished)")
            for one in found
        ]

    shorter = [rows(names) for names in (3, 2, 1)]
    fitting = fit_table(console, columns, rows(PLAYERS[-1]), "rounds", "rules", shorter=shorter)
    if fitting is None:
        for game in found:
            console.print(game.game_id, markup=False)
            who = f"{', '.join(game.names)}: {'unfinished' if game.winner_name is None else f'{game.winner_name} won'}"
            how = f"{game.rules}, {game.rounds} round{'s' * (game.rounds != 1)}"
            for line in (who, how):
                lines = wrap(line, console.width, initial_indent="  ", subsequent_indent="  ")
                console.print("\n".join(lines), markup=False)
        console.print(f"\nTo replay one: {command_line('replay', 'GAME')}", markup=False)
        return
    print_fitting(console, *fitting)
    how = f"\nTo replay one: {command_line('replay', 'GAME')} (the beginning of the id is enough, or `last`)"
    console.print(how, markup=False, soft_wrap=not console.is_terminal)


def _some(names: Sequence[str], most: int) -> str:
    """The players of a game; of a big table only the first, and how many there are besides."""
    shown = names if len(names) <= max(most, SMALL_TABLE) else names[:most]
    return ", ".join(shown) + (f", +{len(names) - len(shown)}" if len(shown) < len(names) else "")


@games_command.command("stats", epilog="Example: liars-dice games stats --rules heads-up --json")
@rules_filter
@db_option
@json_option
@click.pass_obj
def stats(before: dict[str, str | None], rules: str | None, db: str | None, as_json: bool) -> None:
    """Show win rates by player, by rules, and by who opened. All people are counted together as Human."""
    from rich.table import Column, Table

    from ..persistence import WinRate, by_opener, by_rules, open_store, win_rates, without_abandoned

    with open_store(db or before["db"], must_exist=True) as store:
        found = without_abandoned(store, store.games(rules=rules or before["rules"]))
    tables: dict[str, list[WinRate]] = {
        "by_player": win_rates(found),
        "by_rules": win_rates(found, by_rules),
        "by_opener": win_rates(found, by_opener),
    }
    if as_json:
        listed: dict[str, object] = {
            name: [
                {"player": r.player_type, "among": r.among, "games": r.games, "wins": r.wins, "win_rate": r.win_rate}
                for r in rates
            ]
            for name, rates in tables.items()
        }
        print_json({"games": len(found), **listed})
        return
    console = open_console()
    console.print(f"{len(found)} games, {sum(game.winner is not None for game in found)} of them finished")
    for name, rates in tables.items():
        player = Column("player", overflow="fold")  # a name is never cut off
        whole = (Column(heading, no_wrap=True) for heading in ("among", "games", "wins", "win rate"))
        table = Table(player, *whole, box=None, title=name.replace("_", " "))
        for r in rates:
            table.add_row(r.player_type, r.among, str(r.games), str(r.wins), f"{r.win_rate:.1%}")
        console.print(table)
