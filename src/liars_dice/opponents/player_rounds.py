"""The rounds of one player in a store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from ..core import Progress, RulesLike
from ..persistence import GameRecorder, GameSummary, ReplayError, without_abandoned
from .recorded_round import RecordedRound, recorded_rounds


class PlayedRound(NamedTuple):
    """A finished round, and the seat of the player in it."""

    game: GameSummary
    played: RecordedRound
    seat: int


def games_of(
    store: GameRecorder, player: str, *, rules: RulesLike | None = None, since: datetime | None = None
) -> list[GameSummary]:
    """The games of a player (a name or a type), newest first, without those that were continued as another game."""
    return without_abandoned(store, store.games(agent=player, rules=rules, since=since))


def rounds_of_player(
    store: GameRecorder, player: str, games: Sequence[GameSummary], *, progress: Progress | None = None
) -> Iterator[PlayedRound]:
    """The player's finished rounds in these games, in the order of the games. Damaged games are left out."""
    for done, game in enumerate(games):
        if progress is not None:
            progress(done, len(games))
        try:
            rounds = recorded_rounds(store.intact_events(game.game_id))
        except ReplayError as error:
            store.warn_once(f"{error}; the game is left out")
            continue
        for seat in game.seats_of(player):
            for played in rounds:
                if played.resolution.dice[seat]:
                    yield PlayedRound(game, played, seat)
