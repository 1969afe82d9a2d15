"""Recorded games, page by page, as they are listed."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta

from ..persistence import GameRecorder, GameSummary
from .errors import NotFoundError
from .messages import GameLine

KEPT = 10_000
"""So many games are remembered by how many turns they had."""


class Catalogue:
    """Lists games. It is asked on one thread only, that of the store."""

    def __init__(self) -> None:
        self._turns: OrderedDict[tuple[str, int], int] = OrderedDict()

    def page(self, limit: int, after: str | None, store: GameRecorder) -> list[GameLine]:
        """So many games, the newest first, or those that come after one. A game that was not finished because a move
        was taken back, and another begun with what was before, is not among them.
        """
        until = None if after is None else _when(store, after)
        wanted = limit if after is None else limit + 200
        while True:
            found = store.games(until=until, limit=wanted)
            lines = self._standing(store, found, limit, after)
            if len(lines) >= limit or len(found) < wanted:
                return lines[:limit]
            wanted *= 4

    def _standing(self, store: GameRecorder, found: list[GameSummary], limit: int, after: str | None) -> list[GameLine]:
        from ..persistence import without_abandoned

        ids = [game.game_id for game in found]
        if after in ids:
            found = found[ids.index(after) + 1 :]
        return [self._line(store, game) for game in without_abandoned(store, found)[:limit]]

    def _line(self, store: GameRecorder, game: GameSummary) -> GameLine:
        key = (game.game_id, game.events)
        turns = self._turns.pop(key, None)
        self._turns[key] = turns = store.turns(game.game_id) if turns is None else turns
        if len(self._turns) > KEPT:
            self._turns.popitem(last=False)
        over = game.winner is not None
        return GameLine(
            game.game_id, game.created_utc, game.rules, list(game.names), game.winner, game.rounds, turns, over
        )


def _when(store: GameRecorder, game_id: str) -> datetime:
    """A moment just after this game was made."""
    first = store.events(game_id, 0, 1) if game_id.isprintable() else []
    if not first:
        raise NotFoundError(f"there is no game {game_id[:40]!r}")
    return first[0].timestamp_utc + timedelta(microseconds=1)
