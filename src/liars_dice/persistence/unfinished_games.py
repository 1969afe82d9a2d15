"""Queries over games with people in them: which can be resumed, which were abandoned, and from which event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from ..core import BadValueError, GameCreated
from .envelope import PERSON_TYPE, RecordedEvent
from .recorder import GameRecorder, GameSummary
from .replay import decisions, final_state, resume_point

PERSON = "human"
"""The entry of a person in a lineup, alone or followed by `:NAME`."""


def is_person(entry: str) -> bool:
    """Whether this entry of a lineup is a person."""
    return entry == PERSON or entry.startswith(f"{PERSON}:")


def lineup_of(events: Sequence[RecordedEvent]) -> tuple[str, ...]:
    """Who sits in each seat of a recorded game: `human`, `human:NAME`, or what makes the bot (by default its name)."""
    created = events[0].payload
    assert isinstance(created, GameCreated)
    return tuple(agent_id or name for name, agent_id in zip(created.names, created.agent_ids, strict=True))


def unfinished_game(store: GameRecorder, name: str) -> list[RecordedEvent]:
    """The events of the unfinished game with this id or beginning of an id, or of the latest if `name` is `last`.

    Raises `BadValueError` if there is no such game, if it is over, or if only bots play in it.
    """
    if name == "last":
        latest = latest_unfinished_game(store)
        if latest is None:
            raise BadValueError("resume", name, "an unfinished game; there is none in this store")
        return latest
    events = store.events(store.find(name))
    if not any(map(is_person, lineup_of(events))):
        raise BadValueError("resume", name, "a game with a person in it; with --from, join any game")
    if _is_over(events):
        raise BadValueError("resume", name, "a game that is not over; with --from and --at, play on from any turn")
    return events


def latest_unfinished_game(store: GameRecorder) -> list[RecordedEvent] | None:
    """The latest unfinished game with people in it, if there is one. Games that people continued in another game, by
    undo or with `--from`, do not count.
    """
    continued: set[str] = set()
    for game, origin in _peoples_games(store):
        continued.add(origin)
        if game.winner is None and game.game_id not in continued and (events := store.intact_events(game.game_id)):
            return events
    return None


def without_abandoned(
    store: GameRecorder, games: Sequence[GameSummary], within: timedelta | None = None
) -> list[GameSummary]:
    """These games without abandoned ones: unfinished games that people continued in another game, mostly by undoing a
    move in practice. `within` limits how much later the other games began, and so how many are looked at.
    """
    moments = [game.created_utc for game in games if game.winner is None]
    if not moments:
        return list(games)
    until = None if within is None else max(moments) + within
    continued = {origin for _, origin in _peoples_games(store, min(moments), until)}
    return [game for game in games if game.winner is not None or game.game_id not in continued]


def _peoples_games(
    store: GameRecorder, since: datetime | None = None, until: datetime | None = None
) -> Iterator[tuple[GameSummary, str]]:
    """Games with people in them, newest first, each with the id of the game it continues, or "". A continuation comes
    before the game it continues.
    """
    for game in store.games(since=since, until=until):
        if game.winner is not None and PERSON_TYPE not in game.player_types:
            continue
        first = store.intact_events(game.game_id, 0, 1)
        if first and any(map(is_person, lineup_of(first))):
            created = first[0].payload
            assert isinstance(created, GameCreated)
            yield game, (created.branched_from or "").rpartition("@")[0]


def version_at_turn(events: Sequence[RecordedEvent], turn: int | None) -> int:
    """How many events come before the decision with this number, counted from 1 over the whole game; without a number,
    where an unfinished game can go on.
    """
    places = decisions(events)
    if turn is None:
        if _is_over(events):
            expected = f"--at with a turn from 1 to {len(places)} as well: this game is over"
            raise BadValueError("from", events[0].game_id, expected)
        return resume_point(events)
    if not places:
        raise BadValueError("at", turn, "no turn: nobody has made a move in this game yet")
    if not 1 <= turn <= len(places):
        raise BadValueError("at", turn, f"a turn from 1 to {len(places)}")
    return places[turn - 1]


def _is_over(events: Sequence[RecordedEvent]) -> bool:
    return final_state(events).public.status == "ENDED" and resume_point(events) == len(events)
