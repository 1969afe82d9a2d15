"""Recorded events as lines of JSON and as compact blocks, snapshots, and the reading of older formats.

A line is one event as JSON, readable anywhere. A block is many events of one game, stored by column and compressed: a
finished match takes about a kilobyte. Both are lossless: `decode(encode(x)) == x`.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import msgspec

from ..core import Event, GameState
from .envelope import SCHEMA, RecordedEvent
from .errors import CorruptEventError, UnknownSchemaError
from .schema_upgrade import SchemaZeroUpgrade

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

LARGEST_BLOCK = 1 << 26
"""Bytes that a block or a snapshot may have once it is decompressed; ours have far fewer."""

_DAMAGE = (zlib.error, msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, TypeError, OverflowError)
"""What reading damaged bytes may raise."""
_DAMAGED_FIELDS = (LookupError, AttributeError, AssertionError, OverflowError, TypeError, ValueError)
"""What upgrading damaged events may raise."""


class _Block(msgspec.Struct, array_like=True):
    """Events of one game as columns."""

    schema: int
    first_version: int
    rounds: list[int]
    turns: list[int]
    times: list[int]
    """Microseconds: since 1970 for the first event, and since the previous event for each later one."""
    player_types: list[str | None]
    payloads: list[Event]


class _Kind(msgspec.Struct):
    """The part of an event that is read when events are only counted."""

    event_type: str


class _Outline(msgspec.Struct, array_like=True):
    """A block of which only the kinds of events are decoded."""

    schema: int
    first_version: int
    rounds: msgspec.Raw
    turns: msgspec.Raw
    times: msgspec.Raw
    player_types: msgspec.Raw
    payloads: list[_Kind]


_line_encoder = msgspec.json.Encoder()
_line_decoder = msgspec.json.Decoder(RecordedEvent)
_block_encoder = msgspec.msgpack.Encoder()
_block_decoder = msgspec.msgpack.Decoder(_Block)
_outline_decoder = msgspec.msgpack.Decoder(_Outline)
_state_encoder = msgspec.msgpack.Encoder()
_state_decoder = msgspec.msgpack.Decoder(tuple[int, GameState])


def encode_line(event: RecordedEvent) -> bytes:
    """The event as one line of JSON, without the newline."""
    return _line_encoder.encode(event)


class LineReader:
    """Reads the lines of one file, each written with any known schema."""

    def __init__(self) -> None:
        self._older: SchemaZeroUpgrade | None = None

    def decode(self, line: bytes) -> list[RecordedEvent]:
        """The event in a line. A line of an older schema gives none: `older_games` returns its game."""
        try:
            event = _line_decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return self._decode_older(line, error)
        if event.schema != SCHEMA:
            return self._decode_older(line, None)
        if event.event_type != type(event.payload).__name__:
            raise CorruptEventError(
                f"event_type is {event.event_type!r}, but the payload is a {type(event.payload).__name__}"
            )
        return [event] if self._older is None else [*self._older.finish(event.game_id), event]

    def older_games(self) -> dict[str, list[list[RecordedEvent]] | CorruptEventError]:
        """The games of an older schema that have grown since the last call, each from its beginning: by their id, what
        became of them, or why they cannot be read.
        """
        found: dict[str, list[list[RecordedEvent]] | CorruptEventError] = {}
        for game_id in () if self._older is None else self._older.grown():
            found[game_id] = self._upgraded(game_id)
        return found

    def _upgraded(self, game_id: str) -> list[list[RecordedEvent]] | CorruptEventError:
        assert self._older is not None
        try:
            return self._older.upgraded(game_id)
        except _DAMAGED_FIELDS as error:
            return CorruptEventError(f"game {game_id}: not a game of schema 0 ({error!r})")

    def _decode_older(self, line: bytes, problem: Exception | None) -> list[RecordedEvent]:
        try:
            fields = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CorruptEventError(f"not JSON ({error})") from error
        if not isinstance(fields, dict) or "event_type" not in fields:
            raise CorruptEventError("not an event of Liar's Dice")
        schema = fields.get("schema", 0)
        if schema == SCHEMA:
            raise CorruptEventError(f"not an event of Liar's Dice ({problem})")
        if schema != 0:
            raise UnknownSchemaError(f"schema {schema!r} is unknown: this version reads schemas up to {SCHEMA}")
        self._older = self._older or SchemaZeroUpgrade()
        try:
            self._older.take(fields)
        except _DAMAGED_FIELDS as error:
            raise CorruptEventError(f"not an event of schema {schema} ({error!r})") from error
        return []


def encode_block(events: Sequence[RecordedEvent]) -> bytes:
    """Consecutive events of one game as compact bytes."""
    moments = [_EPOCH, *(event.timestamp_utc for event in events)]
    block = _Block(
        SCHEMA,
        events[0].version,
        [event.round_index for event in events],
        [event.turn_index for event in events],
        [_microseconds(after - before) for before, after in pairwise(moments)],
        [event.player_type for event in events],
        [event.payload for event in events],
    )
    return zlib.compress(_block_encoder.encode(block))


def _microseconds(time: timedelta) -> int:
    return (time.days * 86400 + time.seconds) * 1_000_000 + time.microseconds


def decode_block(game_id: str, data: bytes) -> list[RecordedEvent]:
    """The events in a block."""
    try:
        block = _block_decoder.decode(_decompress(data))
    except _DAMAGE as error:
        raise CorruptEventError(f"game {game_id}: the record is damaged ({error})") from error
    if block.schema != SCHEMA:
        raise UnknownSchemaError(
            f"game {game_id}: schema {block.schema!r} is unknown: this version reads schemas up to {SCHEMA}"
        )
    try:
        return _events_in(game_id, block)
    except _DAMAGE as error:
        raise CorruptEventError(f"game {game_id}: the record is damaged ({error})") from error


def _events_in(game_id: str, block: _Block) -> list[RecordedEvent]:
    events = []
    version, microseconds = block.first_version, 0
    for round_index, turn_index, later, player_type, payload in zip(
        block.rounds, block.turns, block.times, block.player_types, block.payloads, strict=True
    ):
        microseconds += later
        when = _EPOCH + timedelta(microseconds=microseconds)
        events.append(
            RecordedEvent(game_id, version, round_index, turn_index, when, type(payload).__name__, payload, player_type)
        )
        version += 1
    return events


def _decompress(data: bytes) -> bytes:
    """Decompress, but never into more than `LARGEST_BLOCK` bytes."""
    stream = zlib.decompressobj()
    plain = stream.decompress(data, LARGEST_BLOCK)
    if not stream.eof:
        raise zlib.error("more than it can hold" if stream.unconsumed_tail else "incomplete data")
    return plain


def kinds_in_block(game_id: str, data: bytes) -> list[str]:
    """The event types in a block, without decoding the events."""
    try:
        return [payload.event_type for payload in _outline_decoder.decode(_decompress(data)).payloads]
    except _DAMAGE as error:
        raise CorruptEventError(f"game {game_id}: the record is damaged ({error})") from error


def encode_state(state: GameState) -> bytes:
    """A snapshot as compact bytes."""
    return zlib.compress(_state_encoder.encode((SCHEMA, state)))


def decode_state(data: bytes) -> GameState | None:
    """The state in a snapshot; None if it cannot be read: a snapshot can always be made again."""
    try:
        schema, state = _state_decoder.decode(_decompress(data))
    except _DAMAGE:
        return None
    return state if schema == SCHEMA else None
