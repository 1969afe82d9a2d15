"""The base of the two SQL stores: their tables, and how a batch changes them.

A game is a row in `games`, and its events are blocks: one block per flush during the game, and one compressed block for
the whole game when it has ended (one per thousand events in a long game).
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ..core import MOVES, GameEnded, GameState
from .codec import decode_block, decode_state, encode_block, encode_state, kinds_in_block
from .envelope import RecordedEvent
from .errors import CorruptEventError, VersionConflictError
from .recorder import YEARS, GameRecorder, GameSummary, by_game, summarise

TABLES = """
CREATE TABLE games (
    game_id TEXT PRIMARY KEY,
    created_utc TEXT NOT NULL,
    rules TEXT NOT NULL,
    names TEXT NOT NULL,
    player_types TEXT NOT NULL,
    events INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    winner INTEGER
);
CREATE INDEX games_created ON games (created_utc);
CREATE TABLE blocks (
    game_id TEXT NOT NULL,
    first_version INTEGER NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (game_id, first_version)
);
CREATE TABLE snapshots (
    game_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    data {blob} NOT NULL,
    PRIMARY KEY (game_id, version)
);
"""

DOCUMENTS = """
CREATE TABLE IF NOT EXISTS documents (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (kind, name)
)
"""
"""Created with the first document: stores of earlier versions do not have this table."""

BLOCKS = (
    "SELECT first_version, data, (SELECT events FROM games WHERE games.game_id = blocks.game_id) "
    "FROM blocks WHERE game_id = {0} AND first_version < {0} AND first_version >= "
    "coalesce((SELECT max(first_version) FROM blocks WHERE game_id = {0} AND first_version <= {0}), 0) "
    "ORDER BY first_version"
)
"""Parameters: game, `stop`, game, `start`. Selects the blocks with these events, and the game's number of events."""

BLOCK_SIZE = 1000

_TURNS = frozenset(kind.__name__ for kind in MOVES)

GAME_COLUMNS = ("game_id", "created_utc", "rules", "names", "player_types", "events", "rounds", "winner")
GameRow = tuple[str, str, str, str, str, int, int, int | None]
BlockRow = tuple[str, int, bytes]


class Changes(msgspec.Struct):
    """What a batch does to the tables."""

    new_games: list[GameRow] = []
    grown_games: list[GameRow] = []
    new_blocks: list[BlockRow] = []
    joined: list[str] = []
    """Games whose earlier blocks are merged into the new ones."""


class SQLRecorder(GameRecorder):
    """A store in SQL tables; a subclass talks to its database."""

    def _changes(self, batch: Iterable[RecordedEvent], stored: dict[str, GameRow]) -> Changes:
        """The changes that store a batch, given the rows of its games that are already stored."""
        changes = Changes()
        for game_id, events in by_game(batch).items():
            row = stored.get(game_id)
            if row is not None:
                _summary_of(row)  # raises if it is damaged
            expected = 0 if row is None else row[5]
            if events[0].version != expected:
                raise VersionConflictError(game_id, expected, events[0].version)
            over = any(isinstance(event.payload, GameEnded) for event in events)
            if row is None:
                changes.new_games.append(_row_of(summarise(events)))
            else:
                known = None not in msgspec.json.decode(row[4])
                if over or not known:
                    events = [*self._read(game_id, 0, sys.maxsize), *events]
                    changes.joined.append(game_id)
                    changes.grown_games.append(_row_of(summarise(events)))
                else:
                    rounds = events[-1].round_index + 1
                    changes.grown_games.append((*row[:5], row[5] + len(events), rounds, row[7]))
            for first in range(0, len(events), BLOCK_SIZE):
                block = events[first : first + BLOCK_SIZE]
                changes.new_blocks.append((game_id, block[0].version, encode_block(block)))
        return changes

    def _read(self, game_id: str, start: int, stop: int) -> list[RecordedEvent]:
        events: list[RecordedEvent] = []
        blocks = self._blocks(game_id, start, stop)
        known = blocks[-1][2] if blocks else self._version(game_id)
        if not all(isinstance(one, int) for first, _, events_known in blocks for one in (first, events_known)):
            raise CorruptEventError(f"game {game_id}: the record is damaged (a number is missing)")
        for first_version, data, _ in blocks:
            expected = events[-1].version + 1 if events else min(start, first_version)
            if first_version != expected and (events or start == 0):
                raise CorruptEventError(f"game {game_id}: events {expected} to {first_version - 1} are missing")
            block = decode_block(game_id, data)
            if not block or block[0].version != first_version:
                raise CorruptEventError(f"game {game_id}: the record is damaged (events are in the wrong place)")
            events += block
        there = events[-1].version + 1 if events else min(start, known)
        if there < min(stop, known):
            raise CorruptEventError(f"game {game_id}: events {there} to {known - 1} are missing")
        return [event for event in events if start <= event.version < stop]

    def _count_turns(self, game_id: str) -> int:
        blocks = self._blocks(game_id, 0, sys.maxsize)
        return sum(kind in _TURNS for _, data, _ in blocks for kind in kinds_in_block(game_id, data))

    def save_snapshot(self, game_id: str, version: int, state: GameState) -> None:
        """Store a state."""
        self._store_snapshot(game_id, version, encode_state(state))

    def load_snapshot(self, game_id: str, version: int) -> tuple[int, GameState] | None:
        """The latest snapshot at or before `version`; None if there is none, or if it cannot be read."""
        found = self._find_snapshot(game_id, version)
        state = None if found is None else decode_state(found[1])
        return None if found is None or state is None else (found[0], state)

    @abstractmethod
    def _blocks(self, game_id: str, start: int, stop: int) -> Sequence[tuple[int, bytes, int]]:
        """The rows of the query `BLOCKS` for a game's events from `start` to before `stop`."""

    @abstractmethod
    def _store_snapshot(self, game_id: str, version: int, data: bytes) -> None:
        """Write a snapshot, replacing one at the same version."""

    @abstractmethod
    def _find_snapshot(self, game_id: str, version: int) -> tuple[int, bytes] | None:
        """The latest snapshot at or before `version`."""

    def documents(self, kind: str, beginning: str = "") -> dict[str, str]:
        """Texts by name."""
        return dict(sorted(self._document_rows(kind, beginning)))

    @abstractmethod
    def _document_rows(self, kind: str, beginning: str) -> Iterable[tuple[str, str]]:
        """Names and texts of a kind, for names that begin with `beginning`."""

    @abstractmethod
    def _game_rows(self, where: str, times: tuple[str, ...]) -> Iterator[GameRow]:
        """The rows of `games` that this clause with parameters selects, newest first."""

    def _summaries(self, since: datetime | None = None, until: datetime | None = None) -> Iterator[GameSummary]:
        asked = {"created_utc >= {0}": since, "created_utc < {0}": until}
        times = {clause: _when(moment) for clause, moment in asked.items() if moment is not None}
        where = f"WHERE {' AND '.join(times)} " if times else ""
        for row in self._game_rows(where, tuple(times.values())):
            try:
                yield _summary_of(row)
            except CorruptEventError as error:
                self._damaged[str(row[0])] = error
                self.warn_once(f"{error}; the game is left out")


def _when(moment: datetime) -> str:
    """A time as it is stored: such texts are ordered like the times."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _summary_of(row: GameRow) -> GameSummary:
    """The summary in a row of `games`."""
    game_id, created, rules, names, types, events, rounds, winner = row
    try:
        game = GameSummary(
            game_id,
            datetime.fromisoformat(created),
            rules,
            msgspec.json.decode(names, type=tuple[str, ...]),
            msgspec.json.decode(types, type=tuple[str | None, ...]),
            events,
            rounds,
            winner,
        )
        # SQLite stores any value in any column
        msgspec.convert(msgspec.structs.astuple(game), tuple[str, datetime, str, Any, Any, int, int, int | None])
        if len(game.names) != len(game.player_types) or not (winner is None or 0 <= winner < len(game.names)):
            raise ValueError("its players do not fit together")
        if game.created_utc.tzinfo is None or game.created_utc.year not in YEARS:
            raise ValueError(f"created at {created}")
    except (msgspec.DecodeError, ValueError, TypeError) as error:
        raise CorruptEventError(f"game {str(game_id)[:200]!r}: its entry is damaged ({error})") from error
    return game


def _row_of(game: GameSummary) -> GameRow:
    return (
        game.game_id,
        _when(game.created_utc),
        game.rules,
        _json(game.names),
        _json(game.player_types),
        game.events,
        game.rounds,
        game.winner,
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
