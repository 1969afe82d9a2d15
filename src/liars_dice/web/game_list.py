"""The list of recorded games, page by page."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta

from ..persistence import UNREADABLE, GameRecorder, GameSummary
from .errors import NotFoundError
from .messages import GameListItem

MAX_COUNTED = 10_000
"""For how many games the number of turns is cached."""


class GameLister:
    """Lists games. Used from one thread only, that of the store."""

    def __init__(self) -> None:
        self._turns: OrderedDict[tuple[str, int], int] = OrderedDict()

    def page(self, limit: int, after: str | None, store: GameRecorder) -> list[GameListItem]:
        """Up to `limit` games, newest first, or those older than `after`. Games abandoned by an undo are left out."""
        until = None if after is None else _when(store, after)
        wanted = limit if after is None else limit + 200
        while True:
            found = store.games(until=until, limit=wanted)
            items = self._list_items(store, found, limit, after)
            if len(items) >= limit or len(found) < wanted:
                return items[:limit]
            wanted *= 4

    def _list_items(
        self, store: GameRecorder, found: list[GameSummary], limit: int, after: str | None
    ) -> list[GameListItem]:
        from ..persistence import without_abandoned

        ids = [game.game_id for game in found]
        if after in ids:
            found = found[ids.index(after) + 1 :]
        return [self._list_item(store, game) for game in without_abandoned(store, found)[:limit]]

    def _list_item(self, store: GameRecorder, game: GameSummary) -> GameListItem:
        key = (game.game_id, game.events)
        turns = self._turns.pop(key, None)
        self._turns[key] = turns = _turns(store, game) if turns is None else turns
        if len(self._turns) > MAX_COUNTED:
            self._turns.popitem(last=False)
        over = game.winner is not None
        return GameListItem(
            game.game_id, game.created_utc, game.rules, list(game.names), game.winner, game.rounds, turns, over
        )


def _turns(store: GameRecorder, game: GameSummary) -> int:
    try:
        return store.turns(game.game_id)
    except UNREADABLE:  # the game is damaged; whoever opens it is told so
        return 0


def _when(store: GameRecorder, game_id: str) -> datetime:
    """The moment just after this game was created."""
    first = store.events(game_id, 0, 1) if game_id.isprintable() else []
    if not first:
        raise NotFoundError(f"there is no game {game_id[:40]!r}")
    return first[0].timestamp_utc + timedelta(microseconds=1)
