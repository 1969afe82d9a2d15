"""The list of recorded games, page by page, and the search in it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from ..core import BadValueError
from ..persistence import UNREADABLE, GameRecorder, GameSummary, without_abandoned
from .errors import NotFoundError
from .messages import GameList, GameListItem, GamesQuery

MAX_COUNTED = 10_000
"""For how many games the number of turns is cached."""
MOST_SEARCHED = 2_000
"""How many games one answer looks at."""
SAME_MOMENT = 200
"""How many games that were created at the same moment are expected."""
UNDONE_WITHIN = timedelta(days=1)
"""How much later the game began that continues an abandoned one."""


class Wanted(msgspec.Struct, frozen=True):
    """Which games a list is to have."""

    state: Literal["all", "finished", "unfinished"] = "all"
    rules: str | None = None
    player: str = ""
    """The name of a player, in small letters; empty for any."""
    mine: Mapping[str, int] = {}
    """Further games by their id, each with the seat that is meant."""
    result: Literal["won", "lost"] | None = None
    """How the game ended for the player, or in the seat that is meant."""
    search: str = ""
    """A part of a player's name or the beginning of a game's id, in small letters; empty for any."""

    @classmethod
    def of(cls, query: GamesQuery) -> Wanted:
        """What a request asks for."""
        mine = {}
        for entry in filter(None, query.mine.split(",")):
            game_id, _, seat = entry.rpartition("@")
            if not game_id or not (seat.isascii() and seat.isdigit() and len(seat) < 3):
                raise BadValueError("mine", entry[:60], "GAME@SEAT, several with commas between them")
            mine[game_id] = int(seat)
        player, search = query.player.strip().casefold(), query.search.strip().casefold()
        if query.result is not None and not player and not mine:
            raise BadValueError("result", query.result, "player or mine as well, to say whose result is meant")
        return cls(query.state, query.rules, player, mine, query.result, search)

    def seat(self, game: GameSummary) -> int | None:
        """The seat that is meant in a game; None if none is."""
        if game.game_id in self.mine:
            return self.mine[game.game_id]
        names = [name.casefold() for name in game.names]
        return names.index(self.player) if self.player and self.player in names else None

    def matches(self, game: GameSummary) -> bool:
        """Whether the list is to have this game."""
        if self.state != "all" and (game.winner is not None) != (self.state == "finished"):
            return False
        if self.rules is not None and game.rules != self.rules:
            return False
        if self.search and not (
            game.game_id.startswith(self.search) or any(self.search in name.casefold() for name in game.names)
        ):
            return False
        if not self.player and not self.mine:
            return True
        seat = self.seat(game)
        if seat is None or self.result is None:
            return seat is not None
        return game.winner is not None and (game.winner == seat) == (self.result == "won")


class GameLister:
    """Lists games. Used from one thread only, that of the store."""

    def __init__(self) -> None:
        self._turns: OrderedDict[tuple[str, int], int] = OrderedDict()

    def page(self, limit: int, after: str | None, wanted: Wanted, store: GameRecorder) -> GameList:
        """Up to `limit` games that are wanted, newest first, or those older than `after`, among the next
        `MOST_SEARCHED`. Games abandoned by an undo are left out.
        """
        found, whole = _games_after(store, after)
        matching = [game for game in found if wanted.matches(game)]
        taken = limit + 1
        games = without_abandoned(store, matching[:taken], UNDONE_WITHIN)
        while len(games) <= limit and taken < len(matching):
            taken *= 4
            games = without_abandoned(store, matching[:taken], UNDONE_WITHIN)
        items = [self._list_item(store, game, wanted.seat(game)) for game in games[:limit]]
        if len(games) > limit:
            return GameList(items, items[-1].id)
        return GameList(items, None if whole or not found else found[-1].game_id)

    def _list_item(self, store: GameRecorder, game: GameSummary, seat: int | None) -> GameListItem:
        key = (game.game_id, game.events)
        turns = self._turns.pop(key, None)
        self._turns[key] = turns = _turns(store, game) if turns is None else turns
        if len(self._turns) > MAX_COUNTED:
            self._turns.popitem(last=False)
        over = game.winner is not None
        return GameListItem(
            game.game_id, game.created_utc, game.rules, list(game.names), game.winner, game.rounds, turns, over, seat
        )


def _games_after(store: GameRecorder, after: str | None) -> tuple[list[GameSummary], bool]:
    """The next `MOST_SEARCHED` games, and whether these are all there are."""
    if after is None:
        found = store.games(limit=MOST_SEARCHED)
        return found, len(found) < MOST_SEARCHED
    until, most = _when(store, after), MOST_SEARCHED + SAME_MOMENT
    while True:
        found = store.games(until=until, limit=most)
        ids = [game.game_id for game in found]
        if after in ids or len(found) < most:
            older = found[ids.index(after) + 1 :] if after in ids else found
            return older[:MOST_SEARCHED], len(found) < most and len(older) <= MOST_SEARCHED
        most *= 4  # more games than expected were created at the same moment


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
