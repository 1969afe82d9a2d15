"""What takes thought: explanations, match-ups, reviews. The coach's process does the thinking."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import msgspec

from ..core import BadValueError, ConfigError, GameConfig, parse_bid
from ..persistence import RecordedEvent, decisions
from .coach_client import Coach
from .errors import NotFoundError, RoomError
from .messages import Json, MatchupTable, ReviewProgress, TournamentLine
from .store_worker import Books

MOST_DICE = 6
"""Rounds with more dice are not in the package, and are not solved while somebody waits."""
KEPT_REVIEWS = 32
"""A finished game does not change, and neither does the coach's opinion of it."""
MANY_TURNS, MOST_TURNS = 500, 5_000
"""Longer games are reviewed where no other review waits for them; still longer ones not at all."""


class Lab:
    """Questions that take long: each is asked once however many wait for its answer."""

    def __init__(self, books: Books, coach: Coach) -> None:
        self._books = books
        self._coach = coach
        self._reviews: OrderedDict[tuple[str, int | None], asyncio.Task[Json]] = OrderedDict()
        self._looked_at: dict[tuple[str, int | None], ReviewProgress] = {}
        self._matchups: dict[str, asyncio.Task[MatchupTable]] = {}

    async def explain(self, dice: Sequence[int], hand: Sequence[int], bids: str) -> Json:
        """What perfect play does at one point of a round."""
        if not all(1 <= n <= MOST_DICE for n in dice) or sum(dice) > MOST_DICE:
            raise ConfigError("dice", list(dice), f"two numbers, together at most {MOST_DICE}")
        history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
        found: Json = await self._coach.ask("explain", tuple(dice), tuple(sorted(hand)), history)
        return found

    async def matchups(self, name: str, config: GameConfig) -> MatchupTable:
        """Every memoryless bot of ours against every other."""
        if config.num_players != 2:
            raise ConfigError("rules", name, "rules for two players")
        task = self._matchups.get(name)
        if task is None or _in_vain(task):
            task = self._matchups[name] = asyncio.create_task(self._coach.ask("matchups", name, config))
        return await asyncio.shield(task)

    async def review(self, events: Sequence[RecordedEvent], seat: int | None) -> Json:
        """The coach's verdict on a game."""
        if len(decisions(events)) > MOST_TURNS:
            raise RoomError(f"this game has more than {MOST_TURNS} turns: liars-dice review looks at it, with patience")
        if seat is not None and seat >= len(events[0].payload.names):  # type: ignore[union-attr]
            raise BadValueError("seat", seat, "a seat of this game")
        key = (events[0].game_id, seat)
        task = self._reviews.get(key)
        if task is None or _in_vain(task):
            task = self._reviews[key] = asyncio.create_task(self._review(key, events))
            if len(self._reviews) > KEPT_REVIEWS:
                self._reviews.popitem(last=False)
        return await asyncio.shield(task)

    async def _review(self, key: tuple[str, int | None], events: Sequence[RecordedEvent]) -> Json:
        def looked_at(done: int, of: int) -> None:
            self._looked_at[key] = ReviewProgress(done, of)

        try:
            long = len(decisions(events)) > MANY_TURNS
            found: Json = await self._coach.ask("long_review" if long else "review", events, key[1], progress=looked_at)
            return found
        finally:
            self._looked_at.pop(key, None)

    def progress(self, game_id: str, seat: int | None) -> ReviewProgress:
        """How far the review of a game is."""
        return self._looked_at.get((game_id, seat), ReviewProgress())

    async def tournaments(self) -> list[TournamentLine]:
        """Tournaments in the store."""
        from ..tournament import tournaments

        return [
            TournamentLine(
                entry.id,
                entry.created_utc,
                list(entry.settings.agents),
                entry.result is not None,
                [] if entry.result is None else [row.agent for row in entry.result.ranking],
            )
            for entry in await self._books.browse(tournaments)
        ]

    async def tournament(self, name: str) -> Json:
        """One tournament."""
        from ..tournament import tournaments

        for entry in await self._books.browse(tournaments):
            if entry.id == name:
                found: Json = msgspec.to_builtins(entry)
                return found
        raise NotFoundError(f"there is no tournament {name[:40]!r}")


def _in_vain(task: asyncio.Task[Any]) -> bool:
    """Whether the question has to be asked again."""
    return task.done() and (task.cancelled() or task.exception() is not None)
