"""The finished games of a store, told as text. Games under way, and seeds, are never shown."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from ..coach import KeptReviews
from ..core import SPECTATOR, BadValueError, GameCreated, GameEnded, Narrator, rules_in_words, visible_to
from ..persistence import RecordedEvent, open_store
from .game_table import TableError

MOST_LISTED = 50
_GAME_ID = re.compile(r"[\w-]{1,80}", re.ASCII)


class FinishedGames:
    """The games of the store at this address (by default, the usual one). Each use opens it anew, in a thread."""

    def __init__(self, db: str | None) -> None:
        self._db = db

    def keep(self, events: Sequence[RecordedEvent]) -> None:
        """Store a game that is over."""
        with open_store(self._db) as store:
            for event in events:
                store.record(event)

    async def latest(self) -> str:
        """The latest finished games, one per line."""
        return await asyncio.to_thread(self._latest)

    async def story(self, game_id: str) -> str:
        """A finished game from its rules to its end, with everyone's dice."""
        return _story(await asyncio.to_thread(self._events, game_id))

    async def review(self, game_id: str, seat: int | None) -> dict[str, object]:
        """The coach's verdicts on a finished game, or on the moves of one seat."""
        return await asyncio.to_thread(self._review, game_id, seat)

    def _latest(self) -> str:
        with open_store(self._db) as store:
            games = [game for game in store.games(limit=4 * MOST_LISTED) if game.winner is not None][:MOST_LISTED]
        lines = [
            f"liars-dice://games/{game.game_id}: {', '.join(game.names)}; {game.rules}; won by {game.winner_name}"
            for game in games
        ]
        return "\n".join(lines) or "No game has been finished yet."

    def _events(self, game_id: str) -> list[RecordedEvent]:
        known: list[RecordedEvent] = []
        if _GAME_ID.fullmatch(game_id):
            with open_store(self._db) as store:
                known = store.events(game_id)
        if not known or not any(isinstance(event.payload, GameEnded) for event in known):
            raise TableError(f"there is no finished game {game_id[:80]!r}")
        return known

    def _review(self, game_id: str, seat: int | None) -> dict[str, object]:
        events = self._events(game_id)
        created = events[0].payload
        assert isinstance(created, GameCreated)
        if seat is not None and not 0 <= seat < len(created.names):
            raise BadValueError("seat", seat, f"a seat from 0 to {len(created.names) - 1}")
        with open_store(self._db) as store:
            review = KeptReviews(store, game_id).review(events, seat)
        return {"game_id": game_id, **review.to_dict()}


def _story(events: Sequence[RecordedEvent]) -> str:
    created = events[0].payload
    assert isinstance(created, GameCreated)
    told, tell = [*rules_in_words(created.config), ""], Narrator(created.names)
    for event in events:
        seen = visible_to(event.payload, getattr(event.payload, "player_id", SPECTATOR), revealed=True)
        if seen is not None:
            told.append(tell(seen))
    return "\n".join(told)
