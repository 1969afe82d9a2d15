"""Recorded games to go on with: which of them were left, which nobody will go on with, and from where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from ..core import ConfigError, GameCreated
from .envelope import RecordedEvent
from .recorder import GameRecorder, GameSummary
from .replay import decisions, final_state, resume_point

PERSON_TYPE = "Human"
"""What records call the type of a person."""
PERSON = "human"
"""The word for a person."""


def is_person(word: str) -> bool:
    """Whether this seat is a person's."""
    return word == PERSON or word.startswith(f"{PERSON}:")


def lineup_of(events: Sequence[RecordedEvent]) -> tuple[str, ...]:
    """The words for the seats of a recorded game. A bot that says no more is known by what it calls itself."""
    created = events[0].payload
    assert isinstance(created, GameCreated)
    return tuple(agent_id or name for name, agent_id in zip(created.names, created.agent_ids, strict=True))


def unfinished_game(store: GameRecorder, name: str) -> list[RecordedEvent]:
    """The events of a game with people in it that is not over: the latest, if it is called `last`."""
    if name == "last":
        latest = latest_unfinished_game(store)
        if latest is None:
            raise ConfigError("resume", name, "a game that was left, and there is none")
        return latest
    events = store.events(store.find(name))
    if not any(map(is_person, lineup_of(events))):
        raise ConfigError("resume", name, "a game with a person in it; with --from, you sit down in any game")
    if _is_over(events):
        raise ConfigError("resume", name, "a game that is not over; with --from and --at, you play on from any turn")
    return events


def latest_unfinished_game(store: GameRecorder) -> list[RecordedEvent] | None:
    """The latest game with people in it that was left, if there is one. Games that people have played on from, in
    another game or by taking a move back, were not left.
    """
    gone_on: set[str] = set()
    for game, origin in _peoples_games(store):
        gone_on.add(origin)
        if game.winner is None and game.game_id not in gone_on:
            return store.events(game.game_id)
    return None


def without_abandoned(store: GameRecorder, games: Sequence[GameSummary]) -> list[GameSummary]:
    """These games without those that are not over and that people have played on from in another game, for the most
    part by taking a move back in practice: nobody goes on with them.
    """
    open_since = min((game.created_utc for game in games if game.winner is None), default=None)
    if open_since is None:
        return list(games)
    gone_on = {origin for _, origin in _peoples_games(store, open_since)}
    return [game for game in games if game.winner is not None or game.game_id not in gone_on]


def _peoples_games(store: GameRecorder, since: datetime | None = None) -> Iterator[tuple[GameSummary, str]]:
    """Games with people in them, and which game each goes on from, if any. The newest come first, so what goes on comes
    before what it goes on from.
    """
    for game in store.games(since=since):
        if game.winner is not None and PERSON_TYPE not in game.player_types:
            continue
        first = store.events(game.game_id, 0, 1)
        if any(map(is_person, lineup_of(first))):
            created = first[0].payload
            assert isinstance(created, GameCreated)
            yield game, (created.branched_from or "").rpartition("@")[0]


def version_at_turn(events: Sequence[RecordedEvent], turn: int | None) -> int:
    """How many events stand before the decision with this number, counted from 1 over the whole game; without a number,
    how many there are.
    """
    places = decisions(events)
    if turn is None:
        if _is_over(events):
            expected = f"--at with a turn from 1 to {len(places)} beside it: the game is over after them"
            raise ConfigError("from", events[0].game_id, expected)
        return resume_point(events)
    if not 1 <= turn <= len(places):
        raise ConfigError("at", turn, f"a turn from 1 to {len(places)}")
    return places[turn - 1]


def _is_over(events: Sequence[RecordedEvent]) -> bool:
    return final_state(events).public.status == "ENDED" and resume_point(events) == len(events)
