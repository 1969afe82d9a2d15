"""Explanations, match-ups, reviews and tournaments. What takes long is computed in the coach's process."""

from __future__ import annotations

import asyncio
import pickle
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from ..core import BadValueError, GameConfig, parse_bid
from ..persistence import GameSummary, RecordedEvent, decisions
from .coach_client import CoachClient
from .errors import NotFoundError, RoomError
from .load import ServerLoad
from .messages import Json, LabRounds, MatchupTable, PlayerCard, ReviewProgress, TournamentListItem
from .store_worker import StoreWorker

MOST_DICE = 6
"""Rounds with more dice in total are not in the package, and take too long to solve while a client waits."""
KEPT_REVIEWS = 32
"""How many reviews are cached. The review of a finished game does not change."""
MANY_TURNS, MOST_TURNS = 500, 5_000
"""Games with more turns than the first are reviewed in a thread of their own; than the second, not at all."""

PIECE = 200
"""How many events are pickled at once."""


class Analysis:
    """Answers questions that take long. Each is computed once, however many clients wait for it."""

    def __init__(self, store: StoreWorker, coach: CoachClient, load: ServerLoad) -> None:
        self._store = store
        self._load = load
        self._coach = coach
        self._reviews: OrderedDict[tuple[str, int | None], asyncio.Task[msgspec.Raw]] = OrderedDict()
        self._progress: dict[tuple[str, int | None], ReviewProgress] = {}
        self._matchups: dict[GameConfig, asyncio.Task[MatchupTable]] = {}
        self._solved: asyncio.Task[LabRounds] | None = None

    async def explain(self, rules: str, dice: Sequence[int], hand: Sequence[int], bids: str) -> Json:
        """What perfect play does at one point in a round of a solved game."""
        if not all(1 <= n <= MOST_DICE for n in dice) or sum(dice) > MOST_DICE:
            raise BadValueError("dice", list(dice), f"two numbers, at most {MOST_DICE} in total")
        history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
        found: Json = await self._coach.ask("explain", rules, tuple(dice), tuple(sorted(hand)), history)
        return found

    async def solved(self) -> LabRounds:
        """The solved rounds."""
        if self._solved is None or _failed(self._solved):
            self._solved = asyncio.create_task(self._coach.ask("solved"))
        return await asyncio.shield(self._solved)

    async def matchups(self, name: str, config: GameConfig) -> MatchupTable:
        """Every built-in memoryless bot against every other."""
        if config.num_players != 2:
            raise BadValueError("rules", name, "rules for two players")
        task = self._matchups.get(config)
        if task is None or _failed(task):
            task = self._matchups[config] = asyncio.create_task(self._coach.ask("matchups", name, config))
        return await asyncio.shield(task)

    def known_review(self, game_id: str, seat: int | None) -> asyncio.Task[msgspec.Raw] | None:
        """The review of this game, if it was asked for not long ago."""
        task = self._reviews.get((game_id, seat))
        return None if task is None or _failed(task) else task

    async def review(self, events: Sequence[RecordedEvent], seat: int | None) -> msgspec.Raw:
        """The coach's review of a game, as JSON."""
        if len(decisions(events)) > MOST_TURNS:
            line = f"this game has more than {MOST_TURNS} turns; review it in a terminal with liars-dice review"
            raise RoomError(line, code="game_too_long")
        if seat is not None and seat >= len(events[0].payload.names):  # type: ignore[union-attr]
            raise BadValueError("seat", seat, "a seat of this game")
        key = (events[0].game_id, seat)
        task = self._reviews.get(key)
        if task is None or _failed(task):
            task = self._reviews[key] = asyncio.create_task(self._review(key, events))
            if len(self._reviews) > KEPT_REVIEWS:
                self._reviews.popitem(last=False)
        return await asyncio.shield(task)

    async def _review(self, key: tuple[str, int | None], events: Sequence[RecordedEvent]) -> msgspec.Raw:
        def progress(done: int, of: int) -> None:
            self._progress[key] = ReviewProgress(done, of)

        try:
            long = len(decisions(events)) > MANY_TURNS
            pieces = await self._load.apart(partial(pickled, events), urgent=not long)
            kind = "long_review" if long else "review"
            found: msgspec.Raw = await self._coach.ask(kind, pieces, key[1], progress=progress)
            return found
        finally:
            self._progress.pop(key, None)

    def progress(self, game_id: str, seat: int | None) -> ReviewProgress:
        """How far the review of a game is."""
        return self._progress.get((game_id, seat), ReviewProgress())

    async def card(self, player: str, games: Sequence[tuple[GameSummary, Sequence[RecordedEvent]]]) -> PlayerCard:
        """What anyone could know of a player from these finished games."""
        pieces = [(game, await self._load.apart(partial(pickled, events), urgent=False)) for game, events in games]
        found: PlayerCard = await self._coach.ask("card", player, pieces)
        return found

    async def tournaments(self) -> list[TournamentListItem]:
        """Tournaments in the store."""
        from ..tournament import tournaments

        return [
            TournamentListItem(
                entry.id,
                entry.created_utc,
                list(entry.settings.agents),
                entry.result is not None,
                [] if entry.result is None else [row.agent for row in entry.result.ranking],
            )
            for entry in await self._store.browse(tournaments)
        ]

    async def tournament(self, name: str) -> Json:
        """One tournament."""
        from ..tournament import tournaments

        for entry in await self._store.browse(tournaments):
            if entry.id == name:
                found: Json = msgspec.to_builtins(entry)
                if entry.result is None:  # anyone who knows it knows the dice of the games to come
                    found["settings"]["seed"] = None
                return found
        raise NotFoundError(f"there is no tournament {name[:40]!r}")


def pickled(events: Sequence[RecordedEvent]) -> list[bytes]:
    """The events in pieces, because pickling many at once would stop all threads."""
    return [pickle.dumps(events[n : n + PIECE]) for n in range(0, len(events), PIECE)]


def _failed(task: asyncio.Task[Any]) -> bool:
    """Whether the question has failed and must be asked again."""
    return task.done() and (task.cancelled() or task.exception() is not None)
