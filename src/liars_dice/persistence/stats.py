"""Who wins how often, counted over recorded games."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

from .recorder import GameSummary


class WinRate(msgspec.Struct, frozen=True):
    """How often one kind of player won: a seat in a finished game counts as one game."""

    player_type: str
    """What the bot is called, without the number of a copy; `Human` for people."""
    among: str
    """Which games are counted: a rule set, `opening` or `not opening`, or `all`."""
    games: int
    wins: int

    @property
    def win_rate(self) -> float:
        """Wins by games."""
        return self.wins / self.games


def win_rates(games: Iterable[GameSummary], among: Callable[[GameSummary, int], str] | None = None) -> list[WinRate]:
    """The win rate of each kind of player, split by what `among` says of a game and a seat."""
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
    """Who sat there: a bot by its name, which is the same however the game was played (its type is not), people as
    `Human`. A seat that nobody named is counted by its type.
    """
    name, kind = game.names[seat], game.player_types[seat]
    if kind == "Human" or name in (f"player-{seat}", f"player{seat}"):
        return kind or "unknown"
    return re.sub(r"#[0-9]+$", "", name) or name


def by_rules(game: GameSummary, seat: int) -> str:
    """Split by rule set."""
    return game.rules


def by_opener(game: GameSummary, seat: int) -> str:
    """Split by who opened the first round: seat 0."""
    return "opening" if seat == 0 else "not opening"
