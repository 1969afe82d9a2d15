"""Explanations, match-ups, reviews, puzzles, cards, tournaments. What takes long is computed in the coach's process."""

from __future__ import annotations

import asyncio
import pickle
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable, Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any, Generic, TypeVar

import msgspec

from ..core import BadValueError, GameConfig, parse_bid
from ..persistence import GameSummary, RecordedEvent, decisions
from .coach_client import CoachClient
from .errors import NotFoundError, RoomError
from .load import ServerLoad
from .messages import Json, LabRounds, MatchupTable, PlayerCard, ReviewProgress, TournamentListItem
from .store_worker import StoreWorker

MOST_DICE = 5
"""The package has strategies for rounds with up to this many dice per player."""
KEPT_REVIEWS, KEPT_PUZZLES, KEPT_CARDS = 32, 64, 64
"""How many answers about games are cached. What is said about a finished game does not change."""
EARLIER_DAYS = 60
"""For how many days back the positions of the day can be asked for."""
MANY_TURNS, MOST_TURNS = 500, 5_000
"""Games with more turns than the first are reviewed in a thread of their own; than the second, not at all."""

PIECE = 200
"""How many events are pickled at once."""


Found = TypeVar("Found")


class KeptAnswers(Generic[Found]):
    """Answers by what was asked. Each is computed once, however many clients wait for it, and again if that failed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tasks: OrderedDict[Hashable, asyncio.Task[Found]] = OrderedDict()

    def known(self, key: Hashable) -> asyncio.Task[Found] | None:
        """The answer, or the work on it, if it was asked for not long ago."""
        task = self._tasks.get(key)
        failed = task is not None and task.done() and (task.cancelled() or task.exception() is not None)
        return None if failed else task

    async def get(self, key: Hashable, ask: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
        """The answer; `ask` finds it if it is not known."""
        task = self.known(key)
        if task is None:
            task = self._tasks[key] = asyncio.create_task(ask())
            if len(self._tasks) > self._most:
                self._tasks.popitem(last=False)
        return await asyncio.shield(task)


class Analysis:
    """Answers questions that take long. Each is computed once, however many clients wait for it."""

    def __init__(self, store: StoreWorker, coach: CoachClient, load: ServerLoad) -> None:
        self._store = store
        self._load = load
        self._coach = coach
        self._reviews = KeptAnswers[msgspec.Raw](KEPT_REVIEWS)
        self._puzzles = KeptAnswers[msgspec.Raw](KEPT_PUZZLES)
        self._cards = KeptAnswers[bytes](KEPT_CARDS)
        self._lab = KeptAnswers[Any](KEPT_REVIEWS)
        self._progress: dict[tuple[str, int | None], ReviewProgress] = {}

    async def explain(self, rules: str, dice: Sequence[int], hand: Sequence[int], bids: str) -> Json:
        """What the best strategy known does at one point in a round between two players."""
        if not all(1 <= n <= MOST_DICE for n in dice):
            raise BadValueError("dice", list(dice), f"two numbers from 1 to {MOST_DICE}")
        history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
        found: Json = await self._coach.ask("explain", rules, tuple(dice), tuple(sorted(hand)), history)
        return found

    async def solved(self) -> LabRounds:
        """The rounds that the lab shows."""
        found: LabRounds = await self._lab.get("solved", partial(self._coach.ask, "solved"))
        return found

    async def matchups(self, name: str, config: GameConfig) -> MatchupTable:
        """Every built-in memoryless bot against every other."""
        if config.num_players != 2:
            raise BadValueError("rules", name, "rules for two players")
        found: MatchupTable = await self._lab.get(config, partial(self._coach.ask, "matchups", name, config))
        return found

    def known_review(self, game_id: str, seat: int | None) -> asyncio.Task[msgspec.Raw] | None:
        """The review of this game, if it was asked for not long ago."""
        return self._reviews.known((game_id, seat))

    async def review(self, events: Sequence[RecordedEvent], seat: int | None) -> msgspec.Raw:
        """The coach's review of a game, as JSON."""
        _check_asked(events, seat)
        key = (events[0].game_id, seat)
        return await self._reviews.get(key, partial(self._review, key, events))

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

    async def turn_again(self, events: Sequence[RecordedEvent], turn: int) -> msgspec.Raw:
        """One decision of a finished game as a puzzle, as JSON."""
        _check_asked(events)
        key = (events[0].game_id, "turn", turn)
        return await self._puzzles.get(key, partial(self._ask_about, "turn_again", events, turn))

    async def game_puzzles(self, events: Sequence[RecordedEvent], seat: int) -> msgspec.Raw:
        """The worst mistakes of a seat in a finished game as puzzles, as JSON."""
        _check_asked(events, seat)
        key = (events[0].game_id, "seat", seat)
        return await self._puzzles.get(key, partial(self._ask_about, "game_puzzles", events, seat))

    async def daily_puzzles(self, today: date, day: date | None) -> msgspec.Raw:
        """The positions of a day up to today, as JSON."""
        day = today if day is None else day
        if not today - timedelta(EARLIER_DAYS) <= day <= today:
            raise NotFoundError(f"there are positions from {today - timedelta(EARLIER_DAYS)} to {today}, not of {day}")
        return await self._puzzles.get(day, partial(self._coach.ask, "daily_puzzles", day))

    async def known_game_card(self, game_id: str) -> bytes | None:
        """The card of this game, if it was asked for not long ago."""
        task = self._cards.known(game_id)
        return None if task is None else await asyncio.shield(task)

    async def game_card(self, events: Sequence[RecordedEvent]) -> bytes:
        """A picture of how a finished game ended."""
        _check_asked(events)
        return await self._cards.get(events[0].game_id, partial(self._ask_about, "game_card", events))

    async def _ask_about(self, what: str, events: Sequence[RecordedEvent], *arguments: object) -> Any:
        """Ask the coach about a game."""
        return await self._coach.ask(what, await self._load.apart(partial(pickled, events), urgent=True), *arguments)

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
                settings, result = entry.settings.without_address, entry.result and entry.result.without_address
                told = msgspec.structs.replace(entry, settings=settings, result=result, files={})
                found: Json = msgspec.to_builtins(told)
                if entry.result is None:  # anyone who knows it knows the dice of the games to come
                    found["settings"]["seed"] = None
                return found
        raise NotFoundError(f"there is no tournament {name[:40]!r}")


def pickled(events: Sequence[RecordedEvent]) -> list[bytes]:
    """The events in pieces, because pickling many at once would stop all threads."""
    return [pickle.dumps(events[n : n + PIECE]) for n in range(0, len(events), PIECE)]


def _check_asked(events: Sequence[RecordedEvent], seat: int | None = None) -> None:
    """Raise an error if the coach does not look at this game, or the game has no such seat."""
    if len(decisions(events)) > MOST_TURNS:
        line = f"this game has more than {MOST_TURNS} turns; review it in a terminal with liars-dice review"
        raise RoomError(line, code="game_too_long")
    if seat is not None and seat >= len(events[0].payload.names):  # type: ignore[union-attr]
        raise BadValueError("seat", seat, "a seat of this game")
