"""A tournament's books in the store: what was asked, which pieces of it are done, and in the end the result."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

import msgspec

from ..core import BadValueError
from ..persistence import GameRecorder, RecordedEvent, StoreError, VersionConflictError, new_game_id, utc_now
from .blocks import BlockResult
from .result import Settings, TournamentResult

KIND, PIECES = "tournament", "tournament-block"
WRITE_EVERY = 1.0
"""Seconds between writes, so that keeping books costs little."""


class TournamentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in the store."""

    id: str
    created_utc: datetime
    settings: Settings
    computed: tuple[str, ...] | None = None
    """The agents whose results are computed, not played; None while that is not decided."""
    result: TournamentResult | None = None
    """None while it is not over."""


def tournaments(store: GameRecorder) -> list[TournamentEntry]:
    """All tournaments in a store, the newest first."""
    entries = [msgspec.json.decode(text, type=TournamentEntry) for text in store.documents(KIND).values()]
    return sorted(entries, key=lambda entry: entry.created_utc, reverse=True)


def find_tournament(store: GameRecorder, name: str) -> TournamentEntry:
    """The tournament called so: an id, the beginning of one, or `last` (the last that is not over, if there is one)."""
    entries = tournaments(store)
    if name == "last" and entries:
        return next((entry for entry in entries if entry.result is None), entries[0])
    matching = [e for e in entries if e.id == name] or [e for e in entries if e.id.startswith(name)]
    if len(matching) != 1:
        expected = f"'last' or the beginning of one id ({len(matching)} of {len(entries)} match)"
        raise BadValueError("tournament", name, expected)
    return matching[0]


class Ledger:
    """The books of one tournament. Pieces that are written down are never played again."""

    def __init__(self, store: GameRecorder, settings: Settings, tournament_id: str | None = None) -> None:
        self._store = store
        known = None if tournament_id is None else store.documents(KIND, tournament_id).get(tournament_id)
        if known is not None:
            self.entry = msgspec.json.decode(known, type=TournamentEntry)
            check_same(self.entry, settings)
        else:
            name = tournament_id or new_game_id()
            self.entry = TournamentEntry(id=name, created_utc=utc_now(), settings=settings)
        self._new: dict[str, str] = {}
        self._records: list[list[RecordedEvent]] = []
        self._written = time.monotonic()

    @property
    def id(self) -> str:
        """The tournament's name in the store."""
        return self.entry.id

    def begin(self, computed: tuple[str, ...]) -> None:
        """Everything is in order: the tournament begins, or goes on."""
        if self.entry.computed is None:
            self._save(msgspec.structs.replace(self.entry, computed=computed))

    def _save(self, entry: TournamentEntry) -> None:
        self.entry = entry
        self._store.save_documents(KIND, {entry.id: msgspec.json.encode(entry).decode()})

    def finished(self) -> list[BlockResult]:
        """The pieces that are done."""
        kept = self._store.documents(PIECES, f"{self.id}/")
        return [msgspec.json.decode(text, type=BlockResult) for text in kept.values()]

    def add(self, result: BlockResult, records: list[list[RecordedEvent]]) -> None:
        """Write a piece down, soon."""
        self._new[f"{self.id}/{result.number:08}"] = msgspec.json.encode(result).decode()
        self._records += records
        if time.monotonic() - self._written >= WRITE_EVERY:
            self.write()

    def write(self) -> None:
        """Write down what is new: the games first, so that no piece is done whose games are missing."""
        # a piece that was cut off may have left some of its games
        new = [events for events in self._records if not self._store.events(events[0].game_id, 0, 1)]
        for events in new:
            for event in events:
                self._store.record(event)
        try:
            self._store.flush()
        except VersionConflictError as error:
            self._store.discard()
            raise StoreError(f"tournament {self.id} is being played by another program, too ({error})") from error
        if self._new:
            self._store.save_documents(PIECES, self._new)
        self._new, self._records = {}, []
        self._written = time.monotonic()

    def close(self, result: TournamentResult) -> None:
        """The tournament is over."""
        self.write()
        self._save(msgspec.structs.replace(self.entry, result=result))


def check_same(entry: TournamentEntry, settings: Settings) -> None:
    """A tournament goes on as it was begun, or not at all."""
    begun, now = _plain(entry.settings), _plain(settings)
    differences = [f"{name} was {begun[name]!r} and is {now[name]!r} now" for name in begun if begun[name] != now[name]]
    if differences:
        raise BadValueError("tournament", entry.id, f"the settings it was begun with: {'; '.join(differences)}")


def _plain(settings: Settings) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(settings))
    rules = plain.pop("config")
    return plain | {f"config.{name}": value for name, value in rules.items()}
