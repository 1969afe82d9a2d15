"""Win rates over recorded games."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from .envelope import PERSON_TYPE
from .recorder import GameSummary


class WinRate(msgspec.Struct, frozen=True):
    """How often one kind of player won; each seat in a finished game counts as one game."""

    player_type: str
    """The name of the bot, without the number of a copy (`#2`); `Human` for people."""
    among: str
    """Which games are counted: a rule set, `opening` or `not opening`, or `all`."""
    games: int
    wins: int

    @property
    def win_rate(self) -> float:
        """Wins divided by games."""
        return self.wins / self.games


def win_rates(games: Iterable[GameSummary], among: Callable[[GameSummary, int], str] | None = None) -> list[WinRate]:
    """The win rate of each kind of player, grouped by what `among` returns for a game and a seat."""
    counts: dict[tuple[str, str], list[int]] = {}
    for game in games:
        if game.winner is None:
            continue
        for seat in range(len(game.names)):
            key = (_kind(game, seat), among(game, seat) if among else "all")
            count = counts.setdefault(key, [0, 0])
            count[0] += 1
            count[1] += seat == game.winner
    return [WinRate(kind, group, games, wins) for (kind, group), (games, wins) in sorted(counts.items())]


def _kind(game: GameSummary, seat: int) -> str:
    """The kind of player in a seat: `Human` for people, and a bot's name, because its type depends on how it was run. A
    seat without a name of its own is counted by its type.
    """
    name, kind = game.names[seat], game.player_types[seat]
    if kind == PERSON_TYPE or name in (f"player-{seat}", f"player{seat}"):
        return kind or "unknown"
    return re.sub(r"#[0-9]+$", "", name) or name


def by_rules(game: GameSummary, seat: int) -> str:
    """Group by rule set."""
    return game.rules


def by_opener(game: GameSummary, seat: int) -> str:
    """Group by who opened the first round: seat 0."""
    return "opening" if seat == 0 else "not opening"
