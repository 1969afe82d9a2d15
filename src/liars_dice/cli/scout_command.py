"""`liars-dice scout`: what a player does, and what others could know of it."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from .game_filters import rules_filter, since_option
from .game_lookup import known_player
from .options import chart_option, db_option, json_option
from .output import command_line, fit_table, open_console, print_json
from .progress import show_progress

if TYPE_CHECKING:
    from rich.console import Console

    from ..opponents import Dossier
    from ..persistence import GameRecorder


@click.command(
    "scout", epilog="Example: liars-dice scout Ann --chart ann.png; liars-dice scout Ann --against Bob --rules perudo"
)
@click.argument("player", metavar="NAME")
@click.option("--against", metavar="NAME", help="Show this player beside the first.")
@rules_filter
@since_option
@click.option(
    "--reviews",
    "most_reviewed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="N",
    help="Let the coach review up to N more games, newest first, to say what mistakes cost. A game takes it about a "
    "second. Reviews that the store keeps already always count.",
)
@chart_option("the calling curve, bluffs and openings")
@db_option
@json_option
def scout_command(
    player: str,
    against: str | None,
    rules: str | None,
    since: datetime | None,
    most_reviewed: int,
    chart: Path | None,
    db: str | None,
    as_json: bool,
) -> None:
    """Show what a player does: openings, calls, bluffs, tells, how that changes with dice lost, and what it costs.

    NAME is a name in the store, or a bot's file. Every round ends with all dice on the table, so whoever sat there
    could know all this. Only finished rounds count, and nothing is said that rests on too few decisions.

    A bid is a bluff here if it is more likely false than true, given the dice of the player who makes it.
    """
    from ..persistence import open_store

    started = time.perf_counter()
    with open_store(db, must_exist=True) as store:
        players = [known_player(store, name) for name in (player, against) if name is not None]
        found = [_scouted(store, name, rules, since, most_reviewed, quiet=as_json) for name in players]
    elapsed = time.perf_counter() - started
    if chart is not None:
        from ..pictures import draw_dossiers

        draw_dossiers(found, chart)
    if as_json:
        told = {**found[0].to_dict(), "rules": rules, "elapsed_s": elapsed}
        print_json(told if against is None else told | {"against": found[1].to_dict()})
        return
    console = open_console()
    if against is None:
        _show(console, found[0], db)
    else:
        _show_both(console, *found)
    if chart is not None:
        click.echo(f"chart: {chart}")


def _scouted(
    store: GameRecorder, player: str, rules: str | None, since: datetime | None, most_reviewed: int, *, quiet: bool
) -> Dossier:
    from ..coach import KeptReviews, reviews_of
    from ..opponents import games_of, rounds_of_player, scout

    games = games_of(store, player, rules=rules, since=since)
    over = [game for game in games if game.winner is not None]
    kept = KeptReviews(store)
    known = [game for game in over if any(kept.known(game.game_id, seat) for seat in game.seats_of(player))]
    others = [game for game in over if game not in known][:most_reviewed]
    with show_progress("reviewing games", quiet=quiet) as progress:
        reviews = list(reviews_of(store, [*known, *others], lambda game: game.seats_of(player), progress=progress))
    return scout(player, rounds_of_player(store, player, games), reviews)


def _show(console: Console, dossier: Dossier, db: str | None) -> None:
    from ..opponents import basis, findings

    def say(text: str, indent: str = "") -> None:
        for line in wrap(text, max(20, console.width), initial_indent=indent, subsequent_indent=indent):
            console.print(line, markup=False, soft_wrap=True)

    console.print(dossier.player, style="bold", markup=False)
    if not dossier.rounds:
        console.print("No finished rounds yet.")
        return
    say(basis(dossier))
    for heading, told in findings(dossier):
        console.print(f"\n{heading}", style="bold")
        for sentence in told:
            say(sentence, "  ")
    if dossier.cost is None:
        console.print("\nNo game was reviewed, so nothing is said about mistakes. To have them reviewed:")
        words = ("scout", dossier.player, "--reviews", str(dossier.games))
        console.print(f"  {command_line(*words, db=db)}", markup=False, soft_wrap=True)
    for habit in () if dossier.cost is None else dossier.cost.habits[:3]:
        shown = command_line("replay", habit.worst_game, "--at", str(habit.worst.turn), db=db)
        console.print(f"  {habit.words}: {shown}", markup=False, soft_wrap=True)


def _show_both(console: Console, one: Dossier, other: Dossier) -> None:
    from rich.table import Column

    from ..opponents import comparison

    rows = comparison(one, other)
    columns = [Column(""), Column(one.player, justify="right"), Column(other.player, justify="right")]
    fitting = fit_table(console, columns, rows, folds="")
    if fitting is None:
        for words, left, right in rows:
            console.print(f"{words}: {left or '-'} / {right or '-'}", markup=False)
    else:
        console.print(fitting[0])
    console.print("\nRates that would rest on too few decisions are left out.")
