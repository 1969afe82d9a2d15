"""`liars-dice leaks`: what a player's habits cost, over many recorded games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .game_filters import most_reviewed_option, rules_filter
from .game_lookup import known_player
from .options import db_option, json_option
from .output import command_line, fit_table, number_of, open_console, print_json
from .progress import show_progress

if TYPE_CHECKING:
    from ..coach import Habit, LeakReport

MOST_SHOWN = 10
"""How many habits are listed; `--json` has all of them."""


@click.command("leaks", epilog="Example: liars-dice leaks mybot.py --rules perudo")
@click.argument("player")
@rules_filter
@most_reviewed_option()
@db_option
@json_option
def leaks_command(player: str, rules: str | None, games: int, db: str | None, as_json: bool) -> None:
    """Show which habits of a player cost most, over many recorded games at tables of any size.

    PLAYER is a name in the store, or a bot's file. Its games are reviewed, won or lost, and mistakes of the same kind
    with the same number of dice are added up: how much of the chance to win a game they give away. Reviews are kept in
    the store, so that each game is reviewed only once.
    """
    from ..coach import leak_report, reviews_of
    from ..persistence import open_store

    with open_store(db, must_exist=True) as store:
        name = known_player(store, player)
        found = [game for game in store.games(agent=name, rules=rules) if game.winner is not None][:games]
        with show_progress("reviewing games", quiet=as_json) as progress:
            report = leak_report(reviews_of(store, found, lambda game: game.seats_of(name), progress=progress))
    if as_json:
        print_json(_as_json(name, rules, report))
    elif not report.games:
        click.echo(f"No finished games of {name} to review{'' if rules is None else f' with the rules {rules}'}.")
    else:
        _show(name, report, _asked_again(player, db))


def _as_json(name: str, rules: str | None, report: LeakReport) -> dict[str, object]:
    return {
        "player": name,
        "rules": rules,
        "games": report.games,
        "decisions": report.decisions,
        "accuracy": report.accuracy,
        "per_game": report.per_game,
        "ci95": list(report.ci95),
        "habits": [
            {
                "words": habit.words,
                "mistake": habit.mistake,
                "own_dice": habit.own_dice,
                "times": habit.times,
                "per_game": habit.per_game,
                "ci95": list(habit.ci95),
                "worst": {
                    "game_id": habit.worst_game,
                    "turn": habit.worst.turn,
                    "action": str(habit.worst.action),
                    "best": str(habit.worst.best),
                    "loss": habit.worst.loss,
                    "game_loss": habit.worst.game_loss,
                },
            }
            for habit in report.habits
        ],
    }


def _asked_again(player: str, db: str | None) -> Callable[[Habit], str]:
    """The command that shows the worst decision of a habit: a bot's file can be asked again."""
    who = ["debug", player] if Path(player.partition(":")[0]).suffix == ".py" else ["replay"]
    return lambda habit: command_line(*who, habit.worst_game, "--at", str(habit.worst.turn), db=db)


def _show(name: str, report: LeakReport, look_at: Callable[[Habit], str]) -> None:
    from rich.table import Column

    console = open_console()
    console.print(
        f"{name}: {number_of(report.games, 'game')}, {number_of(report.decisions, 'decision')}, "
        f"accuracy {report.accuracy:.1f}%",
        markup=False,
    )
    if not report.habits:
        console.print("There is nothing to mend: no decision gave anything away.")
        return
    console.print(
        f"Its mistakes give away {_points(report.per_game)} of the chance to win a game ({_range(report.ci95)}), by:",
        markup=False,
    )
    numbers = [Column(heading, justify="right") for heading in ("a game", "95% interval", "times")]
    columns = [Column("habit"), *numbers, Column("the worst")]
    shown = report.habits[:MOST_SHOWN]
    rows = [
        (habit.words, _points(habit.per_game), _range(habit.ci95), f"{habit.times:,}", _example(habit))
        for habit in shown
    ]
    fitting = fit_table(console, columns, rows, "the worst", "95% interval", "times")
    if fitting is None:
        for habit in shown:
            console.print(f"  {habit.words}: {_points(habit.per_game)}", markup=False)
    else:
        console.print(fitting[0])
    if len(report.habits) > MOST_SHOWN:
        console.print(f"... and {len(report.habits) - MOST_SHOWN} more (shown by --json)")
    console.print(f"\nTo see the costliest one: {look_at(shown[0])}", markup=False, soft_wrap=True)


def _example(habit: Habit) -> str:
    return f"{habit.worst.action}, not {habit.worst.best}"


def _points(share: float) -> str:
    return f"{100 * share:.1f}%"


def _range(interval: tuple[float, float]) -> str:
    return " to ".join(map(_points, interval))
