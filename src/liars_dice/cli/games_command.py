"""`liars-dice games`: recorded games, and who wins how often."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from .options import db_option, json_option, open_console, print_json

if TYPE_CHECKING:
    from ..persistence import GameRecorder, GameSummary

NARROW = 60
"""Below this width, games are listed in lines below each other."""


def _utc(context: click.Context, parameter: click.Parameter, value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


_day = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


@click.group(
    "games", invoke_without_command=True, epilog="Example: liars-dice games --agent optimal --since 2026-01-31"
)
@click.option("--agent", metavar="NAME", help="Only games with this player (a name, or a class as in RandomAgent).")
@click.option("--rules", metavar="NAME", help="Only games by these rules.")
@click.option("--winner", metavar="NAME", help="Only games this player won.")
@click.option("--since", type=_day, callback=_utc, metavar="DATE", help="Only games from then on (UTC).")
@click.option("--until", type=_day, callback=_utc, metavar="DATE", help="Only games before then (UTC).")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many, the newest first.")
@click.option("--all", "abandoned", is_flag=True, help="Also games given up for another: in practice, what was undone.")
@db_option
@json_option
@click.pass_context
def games_command(
    context: click.Context,
    agent: str | None,
    rules: str | None,
    winner: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    abandoned: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """List recorded games. `games stats` counts who wins how often."""
    context.obj = {"db": db, "rules": rules}
    if context.invoked_subcommand is not None:
        return
    from ..persistence import open_store

    with open_store(db, must_exist=True) as store:
        find = partial(store.games, agent=agent, rules=rules, since=since, until=until, winner=winner)
        found = find(limit=limit) if abandoned else _standing(store, find, limit)
    if as_json:
        print_json(
            {
                "games": [
                    {
                        "game_id": game.game_id,
                        "created_utc": game.created_utc.isoformat(),
                        "rules": game.rules,
                        "agents": list(game.names),
                        "player_types": list(game.player_types),
                        "rounds": game.rounds,
                        "events": game.events,
                        "winner": game.winner_name,
                    }
                    for game in found
                ]
            }
        )
        return
    if not found:
        click.echo("No such games yet. liars-dice watch plays one.")
        return
    _show(found)


def _standing(store: GameRecorder, find: Callable[..., list[GameSummary]], limit: int) -> list[GameSummary]:
    """The newest games but those given up for another; more are looked at until there are enough."""
    from ..play import without_abandoned

    seen = limit
    while True:
        games = find(limit=seen)
        found = without_abandoned(store, games)
        if len(found) >= limit or len(games) < seen:
            return found[:limit]
        seen *= 2


def _show(found: list[GameSummary]) -> None:
    """The list for people."""
    from rich.table import Column, Table

    console = open_console()
    if console.width < NARROW:
        for game in found:
            console.print(game.game_id, markup=False)
            who = f"{', '.join(game.names)}: {'not over' if game.winner_name is None else f'{game.winner_name} won'}"
            how = f"{game.rules}, {game.rounds} round{'s' * (game.rounds != 1)}"
            for line in (who, how):
                lines = wrap(line, console.width, initial_indent="  ", subsequent_indent="  ")
                console.print("\n".join(lines), markup=False)
        console.print("\nTo see one again: liars-dice replay GAME", markup=False)
        return
    table = Table(Column("game (when, in UTC)", no_wrap=True), "rules", "players", "rounds", "winner", box=None)
    for game in found:
        names = ", ".join(game.names)
        table.add_row(game.game_id, game.rules, names, str(game.rounds), game.winner_name or "(not over)")
    console.print(table)
    click.echo("\nTo see one again: liars-dice replay GAME (the beginning of its id is enough, or `last`)")


@games_command.command("stats", epilog="Example: liars-dice games stats --rules heads-up --json")
@click.option("--rules", metavar="NAME", help="Only games by these rules.")
@db_option
@json_option
@click.pass_obj
def stats(before: dict[str, str | None], rules: str | None, db: str | None, as_json: bool) -> None:
    """Win rates by player type, by rules, and by who opened."""
    from rich.table import Table

    from ..persistence import WinRate, by_opener, by_rules, open_store, win_rates
    from ..play import without_abandoned

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
    console.print(f"{len(found)} games, {sum(game.winner is not None for game in found)} of them over")
    for name, rates in tables.items():
        table = Table("player", "among", "games", "wins", "win rate", box=None, title=name.replace("_", " "))
        for r in rates:
            table.add_row(r.player_type, r.among, str(r.games), str(r.wins), f"{r.win_rate:.1%}")
        console.print(table)
