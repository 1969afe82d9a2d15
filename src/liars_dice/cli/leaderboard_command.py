"""`liars-dice leaderboard`: rank bots over all recorded tournaments with the same rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import RULES, db_option, dice_option, json_option, players_option
from .output import command_line, fit_table, open_console, percent, print_fitting, print_json

if TYPE_CHECKING:
    from ..core import GameConfig
    from ..tournament import CountedTournament, Leaderboard, RankedPlayer

MOST_SHOWN = 10
"""How many tournaments are listed; `--json` has all of them."""


@click.command("leaderboard", epilog="Example: liars-dice leaderboard --rules heads-up --dice 2")
@click.option(
    "--rules",
    metavar="NAME|FILE",
    help=f"{RULES} [default: as in the latest tournament]",
)
@players_option()
@dice_option
@click.option(
    "--together", is_flag=True, help="Count all versions of a bot as one player. [default: each version on its own]"
)
@db_option
@json_option
def leaderboard_command(
    rules: str | None, players: int | None, dice: int | None, together: bool, db: str | None, as_json: bool
) -> None:
    """Rank bots over all tournaments in the store that were played by the same rules, and say what was played when.

    Results add up from run to run. A bot whose files have changed is a new version, with a line of its own; versions
    are compared through the opponents that they share. Games that were played again with the same seed count once.
    Ratings are on the Elo scale between two players, and OpenSkill's at larger tables.
    """
    if rules is None and (players is not None or dice is not None):
        raise click.UsageError("--players and --dice change a rule set: give --rules as well.")
    from ..core import load_rules
    from ..persistence import open_store
    from ..tournament import leaderboard_of, rules_played

    with open_store(db, must_exist=True) as store:
        played = rules_played(store)
        if rules is not None:
            config = load_rules(rules, players=players, dice=dice)
        elif played:
            config = played[0]
        else:
            config = load_rules("heads-up")
        found = leaderboard_of(store, config, together=together)
    others = [one for one in played if one != found.config]
    if as_json:
        print_json(_as_json(found, rules, others))
        return
    if not found.players:
        if others:
            click.echo(f"No tournaments with these rules in the store; there are some with: {_listed(others)}")
        else:
            click.echo(
                f"No tournaments in the store yet. To play one: {command_line('tournament', '--field', 'all', db=db)}"
            )
        return
    _show(found, others)


def _as_json(found: Leaderboard, rules: str | None, others: list[GameConfig]) -> dict[str, object]:
    """The leaderboard as JSON; other programs rely on these keys."""
    return {
        "rules": rules or found.rules,
        "dice": list(found.config.dice),
        "rating_scale": found.scale,
        "players": [
            {
                "name": one.name,
                "version": one.version or None,
                "number": one.number,
                "versions": one.versions,
                "games": one.games,
                "win_rate": one.win_rate,
                "ci95": one.ci95,
                "rating": one.rating,
                "rating_interval": one.rating_interval,
                "met": one.met,
                "tournaments": one.tournaments,
                "first_utc": one.first_utc.isoformat(),
                "last_utc": one.last_utc.isoformat(),
            }
            for one in found.players
        ],
        "tournaments": [
            {
                "id": one.id,
                "created_utc": one.created_utc.isoformat(),
                "agents": list(one.agents),
                "versions": one.versions,
                "games": one.games,
                "new_games": one.new_games,
                "exact": one.exact,
                "finished": one.finished,
            }
            for one in found.tournaments
        ],
        "groups": found.groups,
        "other_rules": [_described(config) for config in others],
    }


def _show(found: Leaderboard, others: list[GameConfig]) -> None:
    from rich.table import Column

    console = open_console()
    count = len(found.tournaments)
    console.print(
        f"{len(found.players)} players in {count} tournament{'s' * (count != 1)}; rules {_described(found.config)}",
        markup=False,
    )
    rating, interval = found.scale, f"{found.scale} interval"
    headings = ("", "player", "version", rating, interval, "wins", "95% interval", "games", "last played")
    left = ("player", "version", "last played")
    columns = [Column(name, justify="left" if name in left else "right") for name in headings]
    rows = [_row(place, one) for place, one in enumerate(found.players, 1)]
    fitting = fit_table(console, columns, rows, "last played", interval, "version", "games")
    if fitting is None:
        for row in rows:
            console.print(f"{row[0]} {row[1]}: {rating} {row[3]}, wins {row[5]} ({row[6]})", markup=False)
    else:
        print_fitting(console, *fitting)
    lines = [f"ratings on the {found.scale} scale; intervals are 95% intervals"]
    if found.groups > 1:
        lines.append(
            f"the players are {found.groups} groups that never met, even through others: compare ratings within a group"
        )
    lines += ["", "Played (UTC):", *map(_tournament_line, found.tournaments[:MOST_SHOWN])]
    if count > MOST_SHOWN:
        lines.append(f"  ... and {count - MOST_SHOWN} more (shown by --json)")
    if others:
        lines += ["", f"Also played, with other rules: {_listed(others)}"]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _row(place: int, one: RankedPlayer) -> tuple[str, ...]:
    version = f"{one.number} of {one.versions} ({one.version or 'unknown'})" if one.versions > 1 else one.version
    spread = "exact" if one.rating_interval is None else " to ".join(f"{end:.0f}" for end in one.rating_interval)
    interval = "exact" if one.ci95 is None else " to ".join(map(percent, one.ci95))
    games = f"{one.games:,}" if one.games else "-"
    last = one.last_utc.strftime("%Y-%m-%d")
    return str(place), one.name, version, f"{one.rating:.0f}", spread, percent(one.win_rate), interval, games, last


def _tournament_line(one: CountedTournament) -> str:
    again = "" if one.new_games == one.games else f", {one.new_games:,} of them new"
    how = [f"{one.games:,} games{again}"] if one.games else []
    how += ["exact results"] if one.exact else []
    state = "" if one.finished else " (unfinished)"
    agents = ", ".join(f"{name} ({one.versions[name]})" if name in one.versions else name for name in one.agents[:8])
    more = f" and {len(one.agents) - 8} more" if len(one.agents) > 8 else ""
    return f"  {one.created_utc:%Y-%m-%d %H:%M}  {' and '.join(how)}{state}: {agents}{more}"


def _described(config: GameConfig) -> str:
    """Rules in a few words."""
    from ..persistence import rules_name

    dice = str(config.dice[0]) if len(set(config.dice)) == 1 else " and ".join(map(str, config.dice))
    return f"{rules_name(config)}, {config.num_players} players, dice {dice}"


def _listed(configs: list[GameConfig]) -> str:
    return "; ".join(map(_described, configs[:5])) + (f"; and {len(configs) - 5} more" if len(configs) > 5 else "")
