"""`liars-dice stats`: how you have done over all your recorded games."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .game_filters import most_reviewed_option, rules_filter
from .game_lookup import known_player
from .options import ascii_option, chart_option, db_option, json_option
from .output import command_line, fit_table, number_of, open_console, print_json
from .progress import show_progress

if TYPE_CHECKING:
    from rich.console import Console

    from ..coach import PlayerRecord, PlayerStats

MOST_MISTAKES = 5
"""How many kinds of mistakes are listed; `--json` has all of them."""


@click.command("stats", epilog="Example: liars-dice stats --me Ann --chart ann.png")
@click.option(
    "--me", "player", default="You", show_default=True, metavar="NAME", help="Your name in the games, or a bot's."
)
@rules_filter
@most_reviewed_option(" Results count all games.")
@chart_option("your accuracy over time and your results")
@ascii_option
@db_option
@json_option
def stats_command(
    player: str,
    rules: str | None,
    games: int,
    chart: Path | None,
    ascii_only: bool,
    db: str | None,
    as_json: bool,
) -> None:
    """Show how you have done: results beside chance, accuracy over time and typical mistakes.

    All finished games count, together and by the number of players.

    Without --name, `liars-dice play` calls you You. By chance you win one game in two against one opponent, one in six
    at a table of six. Reviews are kept in the store, so that each game is reviewed only once.
    """
    from ..coach import player_stats, reviews_of
    from ..persistence import open_store
    from ..pictures import draw_player_stats

    with open_store(db, must_exist=True) as store:
        name = known_player(store, player)
        found = [game for game in store.games(agent=name, rules=rules) if game.winner is not None]
        with show_progress("reviewing games", quiet=as_json) as progress:
            reviews = list(reviews_of(store, found[:games], lambda game: game.seats_of(name), progress=progress))
    if not found:
        if as_json:
            print_json({"player": name, "rules": rules, "games": 0})
        else:
            who = "You have" if name == "You" else f"{name} has"
            click.echo(f"{who} no finished games{'' if rules is None else f' with the rules {rules}'} yet.")
        return
    stats = player_stats(name, found, reviews)
    if chart is not None:
        draw_player_stats(stats, chart)
    if as_json:
        print_json(_as_json(stats, rules))
        return
    _show(open_console(), stats, ascii_only=ascii_only, db=db)
    if chart is not None:
        click.echo(f"chart: {chart}")


def _as_json(stats: PlayerStats, rules: str | None) -> dict[str, object]:
    return {
        "player": stats.player,
        "rules": rules,
        **_record(stats.total),
        "by_table_size": [{"players": size, **_record(record)} for size, record in stats.by_size.items()],
        "over_time": [
            {
                "game_id": game.game_id,
                "created_utc": game.created_utc.isoformat(),
                "players": game.players,
                "won": game.won,
                "accuracy": game.accuracy,
            }
            for game in stats.over_time
        ],
    }


def _record(record: PlayerRecord) -> dict[str, object]:
    return {
        "games": record.games,
        "wins": record.wins,
        "win_rate": record.win_rate,
        "ci95": list(record.ci95),
        "by_chance": record.by_chance,
        "reviewed": record.leaks.games,
        "accuracy": record.accuracy,
        "mistakes": [
            {"words": leak.words, "times": leak.times, "per_game": leak.per_game, "ci95": list(leak.ci95)}
            for leak in record.leaks.habits
        ],
    }


def _show(console: Console, stats: PlayerStats, *, ascii_only: bool, db: str | None) -> None:
    from rich.table import Column

    total = stats.total
    low, high = total.ci95
    lines = [
        f"{stats.player}: {total.wins} of {number_of(total.games, 'game')} won, {total.win_rate:.0%} "
        f"(95% interval {low:.0%} to {high:.0%}).",
        f"By chance it would be {total.by_chance:.1f}: the win rate is {total.beside_chance} chance.",
    ]
    console.print("\n".join(lines), markup=False)
    numbers = ("players", "games", "won", "by chance", "win rate", "95% interval", "accuracy")
    columns = [*(Column(name, justify="right") for name in numbers), Column("costliest mistake")]
    rows = [_row(size, record) for size, record in stats.by_size.items()]
    console.print("\nBy the number of players")
    fitting = fit_table(console, columns, rows, "costliest mistake", "95% interval", "by chance")
    if fitting is None:
        for row in rows:
            console.print(f"  {row[0]} players: {row[2]} of {row[1]} won, accuracy {row[6]}", markup=False)
    else:
        console.print(fitting[0])
    if stats.over_time:
        _show_course(console, stats, ascii_only=ascii_only)
        _show_mistakes(console, stats, db)


def _row(size: int, record: PlayerRecord) -> tuple[str, ...]:
    low, high = record.ci95
    leaks = record.leaks.habits
    return (
        str(size),
        str(record.games),
        str(record.wins),
        f"{record.by_chance:.1f}",
        f"{record.win_rate:.0%}",
        f"{low:.0%} to {high:.0%}",
        "" if record.accuracy is None else f"{record.accuracy:.1f}%",
        leaks[0].words if leaks else "none",
    )


def _show_course(console: Console, stats: PlayerStats, *, ascii_only: bool) -> None:
    """The accuracy over time as a chart, and its mean in the earlier and the later half."""
    from ..terminal import column_chart, needs_ascii

    kept = [game.accuracy / 100 for game in stats.over_time]
    columns = min(len(kept), max(8, console.width - 8))
    ends = [round((n + 1) * len(kept) / columns) for n in range(columns)]
    grouped = [_mean(kept[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    each = "a column is a game" if columns == len(kept) else f"a column is {len(kept) / columns:.1f} games on average"
    console.print(f"\nAccuracy over time, oldest first ({each})", markup=False)
    drawn = column_chart(grouped, 4, ascii_only=ascii_only or needs_ascii(console))
    for label, line in zip(("100%", "", "", "0%"), drawn, strict=True):
        console.print(f"{label:>5} {line}".rstrip(), markup=False)
    said = f"accuracy {stats.total.accuracy:.1f}% in {number_of(len(kept), 'game')}"
    if len(kept) > 1:
        half = len(kept) // 2
        said += f"; on average {_mean(kept[:half]):.1%} in the earlier half, {_mean(kept[half:]):.1%} in the later"
    console.print(said, markup=False)


def _show_mistakes(console: Console, stats: PlayerStats, db: str | None) -> None:
    leaks = stats.total.leaks
    if not leaks.habits:
        console.print("\nThere is nothing to mend: no decision gave anything away.")
        return
    console.print("\nTypical mistakes, and how much of the chance to win a game they give away")
    for leak in leaks.habits[:MOST_MISTAKES]:
        console.print(f"  {100 * leak.per_game:4.1f}%  {leak.words} ({_times(leak.times)})", markup=False)
    worst = leaks.habits[0]
    console.print("\nThe costliest of the first kind:")
    turn = str(worst.worst.turn)
    for purpose, words in (
        ("look at it", ["replay", worst.worst_game, "--at", turn]),
        ("play it better", ["play", "--from", worst.worst_game, "--at", turn]),
        ("all mistakes", ["leaks", stats.player]),
    ):
        console.print(f"  {purpose:<14} {command_line(*words, db=db)}", markup=False, soft_wrap=True)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
