"""What takes thought: explanations, match-ups, reviews. Heavy modules are loaded when they are needed, in a thread."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec

from ..agents import AGENTS, make_agent
from ..core import Bid, ConfigError, GameConfig, parse_bid
from ..persistence import RecordedEvent
from .books import Books
from .messages import Json, MatchupTable, TournamentLine
from .rooms import MOVES, FullError, NotFoundError, RoomError
from .safety import Limits

Result = TypeVar("Result")

MOST_DICE = 6
"""Rounds with more dice are not in the package, and are not solved while somebody waits."""
KEPT_REVIEWS = 32
"""A finished game does not change, and neither does the coach's opinion of it."""
MOST_TURNS = 500
"""Longer games are not reviewed while somebody waits."""


class Lab:
    """One thread for questions that take long, so that they wait for each other and nobody waits for them."""

    def __init__(self, books: Books, limits: Limits) -> None:
        self._books = books
        self._limits = limits
        self._waiting = 0
        self._reviews: OrderedDict[tuple[str, int | None], Json] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, "lab")
        self._matchups: dict[str, MatchupTable] = {}

    async def _think(self, work: Callable[[], Result]) -> Result:
        if self._waiting >= self._limits.questions:
            raise FullError("many questions wait for an answer; ask again in a moment")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        finally:
            self._waiting -= 1

    async def explain(self, dice: Sequence[int], hand: Sequence[int], bids: str) -> Json:
        """What perfect play does at one point of a round."""
        if not all(1 <= n <= MOST_DICE for n in dice) or sum(dice) > MOST_DICE:
            raise ConfigError("dice", list(dice), f"two numbers, together at most {MOST_DICE}")
        history = [parse_bid(part.strip()) for part in bids.split(",") if part.strip()]
        return await self._think(lambda: _explain((dice[0], dice[1]), tuple(sorted(hand)), history))

    async def matchups(self, name: str, config: GameConfig) -> MatchupTable:
        """Every memoryless bot of ours against every other."""
        if name not in self._matchups:
            if config.num_players != 2:
                raise ConfigError("rules", name, "rules for two players")
            found = await self._think(lambda: self._matchups.get(name) or _matchups(name, config))
            self._matchups[name] = found
        return self._matchups[name]

    async def review(self, events: Sequence[RecordedEvent], seat: int | None) -> Json:
        """The coach's verdict on a game."""
        if sum(isinstance(event.payload, MOVES) for event in events) > MOST_TURNS:
            raise RoomError(f"this game has more than {MOST_TURNS} turns: liars-dice review looks at it, with patience")
        if seat is not None and seat >= len(events[0].payload.names):  # type: ignore[union-attr]
            raise ConfigError("seat", seat, "a seat of this game")
        key = (events[0].game_id, seat)
        found = self._reviews.get(key)
        if found is None:
            found = self._reviews[key] = await self._think(lambda: _review(events, seat))
        if len(self._reviews) > KEPT_REVIEWS:
            self._reviews.popitem(last=False)
        return found

    async def tournaments(self) -> list[TournamentLine]:
        """Tournaments in the store."""
        from ..arena.ledger import tournaments

        return [
            TournamentLine(
                entry.id,
                entry.created_utc,
                list(entry.settings.agents),
                entry.result is not None,
                [] if entry.result is None else [row.agent for row in entry.result.ranking],
            )
            for entry in await self._books.read(tournaments)
        ]

    async def tournament(self, name: str) -> Json:
        """One tournament."""
        from ..arena.ledger import tournaments

        for entry in await self._books.read(tournaments):
            if entry.id == name:
                found: Json = msgspec.to_builtins(entry)
                return found
        raise NotFoundError(f"there is no tournament {name[:40]!r}")

    def close(self) -> None:
        """No more questions."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _explain(dice: tuple[int, int], hand: tuple[int, ...], history: list[Bid]) -> Json:
    from ..exact.explain import as_dict, explain, known

    round_ = known(GameConfig(dice=dice))
    return as_dict(round_, explain(round_.tree, round_.pool, history, hand), history, hand)


def _review(events: Sequence[RecordedEvent], seat: int | None) -> Json:
    from ..persistence import verify_game
    from ..play.coach import review_game

    return {"game_id": events[0].game_id, **review_game(verify_game(events), seat).to_dict()}


def _matchups(name: str, config: GameConfig) -> MatchupTable:
    from ..exact import Matchups

    names = [info.name for info in AGENTS.values() if info.memoryless]
    win = Matchups([make_agent(one) for one in names], config).match.win
    n = len(names)
    both = [[None if i == j else float((win[i, j] + 1 - win[j, i]) / 2) for j in range(n)] for i in range(n)]
    return MatchupTable(names, both, name)
