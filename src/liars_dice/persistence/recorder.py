"""The interface of a store, and the behaviour that all stores share."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Self

import msgspec

from ..core import (
    LONGEST_NAME,
    MOVES,
    PRESETS,
    BadValueError,
    GameConfig,
    GameCreated,
    GameEnded,
    GameState,
    RulesLike,
    as_config,
)
from .envelope import ACTS, RecordedEvent
from .errors import UNREADABLE, StoreError, VersionConflictError


class GameSummary(msgspec.Struct, frozen=True):
    """One game in a list of games."""

    game_id: str
    created_utc: datetime
    rules: str
    """The name of its preset, or `custom`."""
    names: tuple[str, ...]
    player_types: tuple[str | None, ...]
    events: int
    rounds: int
    winner: int | None
    """The seat that won; None while the game is not over."""

    @property
    def winner_name(self) -> str | None:
        """The winner's name."""
        return None if self.winner is None else self.names[self.winner]

    def seats_of(self, player: str) -> tuple[int, ...]:
        """The seats of players with this name or type."""
        both = zip(self.names, self.player_types, strict=True)
        return tuple(seat for seat, known in enumerate(both) if player in known)

    def seats_lost_by(self, player: str) -> tuple[int, ...]:
        """The seats of this player that lost; empty while the game is not over."""
        return () if self.winner is None else tuple(seat for seat in self.seats_of(player) if seat != self.winner)


class GameRecorder(ABC):
    """A store of games. `record` events, `flush` them, read `events` back.

    Once `flush` has returned, the events are stored and survive a crash; a batch is stored completely or not at all.
    Each event carries its version, its place in the game. An event that does not follow the last one raises
    `VersionConflictError`, so no event is lost or doubled unnoticed.
    """

    batch_size = 10_000
    """How many events may wait before they are written without a `flush`."""

    def __init__(self) -> None:
        self._pending: list[RecordedEvent] = []
        self._next: dict[str, int] = {}
        self._over: list[str] = []
        self._in_doubt = False
        self._closed = False
        self._damaged: dict[str, StoreError] = {}
        """Games that cannot be read, and why. What is stored of them is left as it is."""
        self._said: set[str] = set()

    def record(self, event: RecordedEvent) -> None:
        """Add an event; it is stored at the next `flush`, or when `batch_size` events are waiting."""
        if len(self._pending) >= self.batch_size:
            self.flush()
        expected = self._next.get(event.game_id)
        if expected is None:  # a new game is checked when it is written
            expected = 0 if event.version == 0 else self._version(event.game_id)
        if event.version != expected:
            raise VersionConflictError(event.game_id, expected, event.version)
        check_event(event)
        self._next[event.game_id] = expected + 1
        self._pending.append(event)
        if isinstance(event.payload, GameEnded):
            self._over.append(event.game_id)

    def flush(self) -> None:
        """Store what was recorded. If that fails, call it again to retry.

        An error means that nothing was stored. The exception is a connection that breaks while committing: then
        everything may have been stored, and the next attempt finds out.
        """
        self._check_open()
        if not self._pending:
            return
        try:
            self._append(self._pending)
        except VersionConflictError:
            if not (self._in_doubt and self._is_stored(self._pending)):
                raise
        except StoreError:
            self._in_doubt = True
            raise
        self._in_doubt = False
        self._pending = []
        for game_id in self._over:
            self._next.pop(game_id, None)
        self._over = []

    def _is_stored(self, batch: list[RecordedEvent]) -> bool:
        """Whether the store already holds exactly these events."""
        return all(
            self._read(game_id, events[0].version, events[-1].version + 1) == events
            for game_id, events in by_game(batch).items()
        )

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("this store has been closed")

    def discard(self) -> None:
        """Drop what was recorded since the last flush."""
        self._pending, self._next, self._over, self._in_doubt = [], {}, [], False

    def events(self, game_id: str | None = None, start: int = 0, stop: int = sys.maxsize) -> list[RecordedEvent]:
        """The events of a game in order, from version `start` to before `stop`; without a game, all events."""
        self.flush()
        if game_id is not None:
            return self._read(game_id, start, stop)
        return [event for one in self._game_ids() for event in self.intact_events(one)]

    def intact_events(self, game_id: str, start: int = 0, stop: int = sys.maxsize) -> list[RecordedEvent]:
        """Like `events` for one of many games: none, with one warning, if the game is damaged."""
        try:
            return self.events(game_id, start, stop)
        except UNREADABLE as error:
            self.warn_once(f"{error}; the game is left out")
            return []

    def warn_once(self, line: str) -> None:
        """Warn about damage, once per open store."""
        if line not in self._said:
            self._said.add(line)
            warnings.warn(line, stacklevel=3)

    def turns(self, game_id: str) -> int:
        """How many turns have been taken in a game."""
        self.flush()
        return self._count_turns(game_id)

    def _count_turns(self, game_id: str) -> int:
        return sum(isinstance(event.payload, MOVES) for event in self._read(game_id, 0, sys.maxsize))

    def games(
        self,
        *,
        agent: str | None = None,
        rules: RulesLike | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        winner: str | None = None,
        loser: str | None = None,
        limit: int | None = None,
    ) -> list[GameSummary]:
        """Games, newest first. `agent`, `winner` and `loser` are names or player types, such as `optimal` or
        `RandomAgent`; a loser is a player of a finished game who did not win. `rules` are `custom` (not those of a
        preset), or rules in any form: a game's are equal if they differ only in the numbers of players and dice, and in
        the seed.
        """
        self.flush()
        wanted = rules if rules is None or rules in (*PRESETS, CUSTOM) else as_config(rules)
        found: list[GameSummary] = []
        for game in self._summaries(since, until):
            if limit is not None and len(found) >= limit:
                break
            if (
                (agent is None or game.seats_of(agent))
                and (wanted is None or self._has_rules(game, wanted))
                and (since is None or game.created_utc >= since)
                and (until is None or game.created_utc < until)
                and (winner is None or any(seat == game.winner for seat in game.seats_of(winner)))
                and (loser is None or game.seats_lost_by(loser))
            ):
                found.append(game)
        return found

    def _has_rules(self, game: GameSummary, rules: str | GameConfig) -> bool:
        """Whether a game was played by these rules."""
        if isinstance(rules, str):
            return rules == game.rules
        if game.rules != CUSTOM or rules_name(rules) != CUSTOM:
            return game.rules == rules_name(rules)
        created = [event.payload for event in self.intact_events(game.game_id, 0, 1)]
        return any(
            isinstance(one, GameCreated) and _kind_of_rules(one.config) == _kind_of_rules(rules) for one in created
        )

    def find(self, name: str) -> str:
        """The id of a game, given its id, the beginning of its id, or `last`."""
        ids = [game.game_id for game in self.games()]
        if name == "last" and ids:
            return ids[0]
        matching = [one for one in ids if one == name] or [one for one in ids if one.startswith(name)]
        if not matching and (damaged := [one for one in self._damaged if one.startswith(name)]):
            raise self._damaged[damaged[0]]
        if not ids:
            raise BadValueError("game", name, "a recorded game; there is none in this store: play or watch one first")
        if len(matching) != 1:
            raise BadValueError(
                "game", name, f"'last' or the beginning of exactly one id ({len(matching)} of {len(ids)} match)"
            )
        return matching[0]

    def save_snapshot(self, game_id: str, version: int, state: GameState) -> None:
        """Store a state, so that a long game can be opened close to it. Snapshots can always be made again."""

    def load_snapshot(self, game_id: str, version: int) -> tuple[int, GameState] | None:
        """The latest snapshot of a game after at most `version` events, and its version; None if there is none."""
        return None

    def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
        """Store texts under their names, replacing older ones: results and other data that are not games. Stores all
        of them or none.
        """
        raise StoreError("this store keeps only games")

    def documents(self, kind: str, beginning: str = "") -> dict[str, str]:
        """All texts of a kind whose names begin with `beginning`, sorted by name."""
        raise StoreError("this store keeps only games")

    def claim(self, name: str) -> None:
        """Become the only one to write under a name, such as `studio`, until the store is closed or the process ends.

        Raises `ClaimTakenError` while another holds the name. If this recorder loses it later (a database that was
        restarted) and another claims it, every further write raises `ClaimLostError` and stores nothing.
        """

    def check_claims(self) -> None:
        """Raise `ClaimLostError` if a claim has been lost; a connection that broke is opened again."""

    def close(self) -> None:
        """Flush and close the store; it is closed even if the flush fails."""
        if self._closed:
            return
        try:
            self.flush()
        finally:
            self._closed = True
            self._release()

    def _release(self) -> None:
        """Close files and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self._pending:
            try:
                self.flush()
            except Exception as failure:
                warnings.warn(f"{len(self._pending)} events were not stored: {failure}", stacklevel=2)
                self.discard()
        self.close()

    # -- what each store implements -----------------------------------------------------------------------------

    @abstractmethod
    def _version(self, game_id: str) -> int:
        """How many events of this game are stored."""

    @abstractmethod
    def _append(self, batch: list[RecordedEvent]) -> None:
        """Store the whole batch or raise; `VersionConflictError` if another writer has extended a game."""

    @abstractmethod
    def _read(self, game_id: str, start: int, stop: int) -> list[RecordedEvent]:
        """The events of a game from version `start` to before `stop`, in order; empty if there is no such game."""

    @abstractmethod
    def _summaries(self, since: datetime | None = None, until: datetime | None = None) -> Iterator[GameSummary]:
        """All games, newest first. Those from before `since`, and from `until` on, may be left out."""

    def _game_ids(self) -> Iterable[str]:
        return [game.game_id for game in self._summaries()][::-1]


YEARS = range(1900, 9000)
"""The years a time may be in: far enough from the ends of the calendar for every time zone."""


def check_event(event: RecordedEvent) -> None:
    """Raise `StoreError` unless the event can be stored, and the game, if it is the first of one."""
    if event.timestamp_utc.tzinfo is None:
        raise StoreError(f"game {event.game_id}: timestamp_utc = {event.timestamp_utc} has no time zone")
    if event.timestamp_utc.year not in YEARS:
        expected = f"a year from {YEARS[0]} to {YEARS[-1]}"
        raise StoreError(f"game {event.game_id}: timestamp_utc = {event.timestamp_utc}: expected {expected}")
    if event.version == 0:
        _check_first(event)


def _check_first(event: RecordedEvent) -> None:
    if not isinstance(event.payload, GameCreated):
        raise StoreError(f"game {event.game_id}: its first event must be GameCreated, not {event.event_type}")
    if not event.game_id.isprintable() or not 0 < len(event.game_id) <= 200:
        raise StoreError(f"game_id = {event.game_id[:200]!r}: expected 1 to 200 printable characters")
    created = event.payload
    if not len(created.names) == len(created.agent_ids) == created.config.num_players:
        raise StoreError(f"game {event.game_id}: expected {created.config.num_players} players, as its rules say")
    if any(len(name) > LONGEST_NAME for name in (*created.names, *created.agent_ids) if name is not None):
        raise StoreError(f"game {event.game_id}: a player's name has more than {LONGEST_NAME} characters")


def by_game(batch: Iterable[RecordedEvent]) -> dict[str, list[RecordedEvent]]:
    """The events of each game, in order."""
    games: dict[str, list[RecordedEvent]] = {}
    for event in batch:
        games.setdefault(event.game_id, []).append(event)
    return games


CUSTOM = "custom"
"""The name of all rules that are not those of a preset."""


def rules_name(config: GameConfig) -> str:
    """The name of the preset with these rules, for any number of players and dice, or `custom`."""
    return _NAMES.get(_kind_of_rules(config), CUSTOM)


def _kind_of_rules(config: GameConfig) -> tuple[object, ...]:
    """The rules without the number of players, the numbers of dice and the seed."""
    fields = msgspec.structs.asdict(config) | {"seed": None, "dice": len(set(config.dice)) == 1, "max_dice": None}
    return tuple(fields.values())


_NAMES = {_kind_of_rules(rules): name for name, rules in PRESETS.items()}


def summarise(events: list[RecordedEvent]) -> GameSummary:
    """The summary of a game, from its events."""
    first = events[0]
    created = first.payload
    assert isinstance(created, GameCreated)
    types: dict[int, str | None] = {}
    for event in reversed(events):  # the latest: in a branched game, others may have played before
        if isinstance(event.payload, ACTS) and event.player_type is not None:
            types.setdefault(event.payload.player_id, event.player_type)
        if len(types) == len(created.names):
            break
    return GameSummary(
        first.game_id,
        first.timestamp_utc,
        rules_name(created.config),
        created.names,
        tuple(types.get(seat) for seat in range(len(created.names))),
        len(events),
        events[-1].round_index + 1,
        next((e.payload.winner for e in reversed(events) if isinstance(e.payload, GameEnded)), None),
    )
