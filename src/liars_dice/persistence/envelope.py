"""The envelope of a recorded event, and the writer that puts events into envelopes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from ..core import MOVES, AgentFaulted, BadValueError, DiceRolled, Event, RoundStarted

SCHEMA = 1
"""The version of the stored format. `codec.LineReader` reads every older one."""

PERSON_TYPE = "Human"
"""The `player_type` of people in recorded events."""

Clock = Callable[[], datetime]
"""Returns the current time, with a time zone."""


def utc_now() -> datetime:
    """The current time; the default clock."""
    return datetime.now(UTC)


def new_game_id(clock: Clock = utc_now) -> str:
    """A unique id for a game; ids sort by the time the games were created."""
    return f"{_in_utc(clock()):%Y%m%d-%H%M%S}-{secrets.token_hex(6)}"


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise BadValueError("clock", moment, "a time with a time zone, such as datetime.now(UTC)")
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """One event of one game, as it is stored."""

    game_id: str
    version: int
    """Its place in the game, from 0. An appended event must follow the last one stored."""
    round_index: int
    """The round, from 0; -1 before the first."""
    turn_index: int
    """How many turns had been taken in the round before this event."""
    timestamp_utc: datetime
    event_type: str
    payload: Event
    player_type: str | None = None
    """The class of the agent that acted, or `Human`; None if no player acted."""
    schema: int = SCHEMA


ACTS = (DiceRolled, *MOVES, AgentFaulted)
"""The events in which a player acts; only these have a `player_type`."""


class Enveloper:
    """Puts a game's events into envelopes: numbers versions, rounds and turns, adds time and player type."""

    def __init__(self, game_id: str, player_types: Sequence[str], clock: Clock = utc_now) -> None:
        self.game_id = game_id
        self._types = tuple(player_types)
        self._clock = clock
        self._version = 0
        self._round = -1
        self._turn = 0

    def seal(self, event: Event) -> RecordedEvent:
        """The event in its envelope."""
        if type(event) is RoundStarted:
            self._round, self._turn = event.round_index, 0
        sealed = RecordedEvent(
            self.game_id,
            self._version,
            self._round,
            self._turn,
            _in_utc(self._clock()),
            type(event).__name__,
            event,
            self._types[event.player_id] if isinstance(event, ACTS) else None,
        )
        self._version += 1
        if isinstance(event, MOVES):
            self._turn += 1
        return sealed
