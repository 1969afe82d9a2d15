"""Options that choose among recorded games, the same in every command, and the games they choose."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from .game_lookup import MOST_REVIEWED, players_in, recorded_name
from .options import Command, RenamedOption
from .output import command_line

if TYPE_CHECKING:
    from ..persistence import GameRecorder, GameSummary

PLAYERS = ("agent", "winner", "loser")
FILTERS = (*PLAYERS, "rules", "since", "until")
"""The parameters that `game_filters` adds to a command."""


def _utc(context: click.Context, parameter: click.Parameter, value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


class _Day(click.DateTime):
    """A date, perhaps with a time."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The date; if there is none, say in plain words what was expected."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not a date such as 2026-01-31 or 2026-01-31T18:00.", param, ctx)


_day = _Day(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


rules_filter = click.option(
    "--rules", metavar="NAME|FILE", help="Only games with these rules, whatever file they came from."
)


since_option = click.option(
    "--since", type=_day, callback=_utc, metavar="DATE", help="Only games from this date on (UTC)."
)


def most_reviewed_option(more: str = "") -> Callable[[Command], Command]:
    """`--games`: how many games a command reviews."""
    return click.option(
        "--games",
        type=click.IntRange(1),
        default=MOST_REVIEWED,
        show_default=True,
        metavar="N",
        help=f"Review at most this many games, newest first.{more}",
    )


def game_filters(command: Command) -> Command:
    """`--player`, `--rules`, `--winner`, `--loser`, `--since`, `--until` and `--all`."""
    options = (
        click.option(
            "--player",
            "agent",
            cls=RenamedOption,
            formerly=("--agent",),
            metavar="NAME",
            help="Only games with this player (a bot's name or file, or a class such as RandomAgent).",
        ),
        rules_filter,
        click.option("--winner", metavar="NAME", help="Only games that this player won."),
        click.option("--loser", metavar="NAME", help="Only games that this player lost."),
        since_option,
        click.option("--until", type=_day, callback=_utc, metavar="DATE", help="Only games before this date (UTC)."),
        click.option(
            "--all",
            "abandoned",
            is_flag=True,
            help="Include abandoned games: those continued as another game after an undo.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def recorded_filters(given: dict[str, Any]) -> dict[str, Any]:
    """The filters among these parameters, with players named as they are in the store."""
    named = {name: None if given[name] is None else recorded_name(given[name]) for name in PLAYERS}
    return {name: given[name] for name in FILTERS} | named


def check_players(store: GameRecorder, filters: dict[str, Any]) -> None:
    """Check that the players among these filters are in recorded games; if not, say who may have been meant."""
    from ..core import BadValueError, did_you_mean

    given = {name: filters[name] for name in PLAYERS if filters[name] is not None}
    known = players_in(store) if given else set()
    for name, player in given.items():
        if player not in known:
            near = did_you_mean(player, known)
            expected = f"a player of recorded games{near and f' ({near})'}; {command_line('games')} lists them"
            raise BadValueError(f"--{'player' if name == 'agent' else name}", player, expected)


def filtered_games(
    store: GameRecorder, filters: dict[str, Any], limit: int | None = None, *, abandoned: bool = False
) -> list[GameSummary]:
    """The newest games that pass the filters, without the abandoned ones unless they are wanted."""
    find = partial(store.games, **filters)
    return find(limit=limit) if abandoned else _standing(store, find, limit)


def _standing(store: GameRecorder, find: Callable[..., list[GameSummary]], limit: int | None) -> list[GameSummary]:
    """The newest games without the abandoned ones; more are read until there are enough."""
    from ..persistence import without_abandoned

    seen = limit
    while True:
        games = find(limit=seen)
        found = without_abandoned(store, games)
        if seen is None or limit is None:
            return found
        if len(found) >= limit or len(games) < seen:
            return found[:limit]
        seen *= 2
