"""How a player has done over many games: results beside chance, accuracy over time, typical mistakes, by table size."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from ..persistence import GameSummary
from ..tournament import wilson_ci
from .habit_costs import LeakReport, leak_report
from .review import Review

Reviewed = tuple[GameSummary, Review]
"""A game, and the review of the player's decisions in it."""


class PlayerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Results and decisions in some games. A game in which the player had two seats counts twice."""

    games: int
    wins: int
    by_chance: float
    """How many of these games the player would win on average if every player at the table were equally good."""
    ci95: tuple[float, float]
    """A 95% interval for the win rate."""
    leaks: LeakReport
    """Accuracy and mistakes, in those of the games that were reviewed."""

    @property
    def win_rate(self) -> float:
        """Wins divided by games."""
        return self.wins / self.games

    @property
    def accuracy(self) -> float | None:
        """In percent, over all reviewed decisions; None if no game was reviewed."""
        return self.leaks.accuracy if self.leaks.games else None

    @property
    def beside_chance(self) -> str:
        """How the win rate compares with chance: `above`, `below`, or `not clearly different from`."""
        low, high = self.ci95
        fair = self.by_chance / self.games
        return "above" if low > fair else "below" if high < fair else "not clearly different from"


class ReviewedGame(msgspec.Struct, frozen=True):
    """One game of the player, for the course of time."""

    game_id: str
    created_utc: datetime
    players: int
    won: bool
    accuracy: float


class PlayerStats(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that recorded games say about a player."""

    player: str
    total: PlayerRecord
    by_size: dict[int, PlayerRecord]
    """The same for tables with each number of players, the smallest first."""
    over_time: tuple[ReviewedGame, ...]
    """The reviewed games, oldest first."""


def player_stats(player: str, games: Sequence[GameSummary], reviews: Sequence[Reviewed]) -> PlayerStats:
    """The statistics of a player over finished games, of which `reviews` has some or all."""
    sizes = sorted({len(game.names) for game in games})
    by_size = {
        size: _record(
            player,
            [game for game in games if len(game.names) == size],
            [one for one in reviews if len(one[0].names) == size],
        )
        for size in sizes
    }
    over_time = [
        ReviewedGame(game.game_id, game.created_utc, len(game.names), game.winner == seat, review.accuracy[seat])
        for game, review in reviews
        for seat in review.seats
    ]
    return PlayerStats(
        player=player,
        total=_record(player, games, reviews),
        by_size=by_size,
        over_time=tuple(sorted(over_time, key=lambda one: (one.created_utc, one.game_id))),
    )


def _record(player: str, games: Sequence[GameSummary], reviews: Sequence[Reviewed]) -> PlayerRecord:
    seats = [(game, seat) for game in games for seat in game.seats_of(player)]
    wins = sum(game.winner == seat for game, seat in seats)
    return PlayerRecord(
        games=len(seats),
        wins=wins,
        by_chance=sum(1 / len(game.names) for game, _ in seats),
        ci95=wilson_ci(wins, len(seats)),
        leaks=leak_report(reviews),
    )
