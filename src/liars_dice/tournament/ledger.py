"""A tournament's record in the store: its settings, the blocks that are finished, and finally the result."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any

import msgspec

from ..core import BadValueError, GameConfig, GameEnded
from ..persistence import (
    DOCUMENT_SCHEMA,
    UNREADABLE,
    ClaimTakenError,
    CorruptEventError,
    GameRecorder,
    RecordedEvent,
    StoreError,
    VersionConflictError,
    decode_document,
    new_game_id,
    readable_documents,
    utc_now,
)
from .blocks import BlockResult
from .result import TournamentResult, TournamentSettings
from .shipping import file_versions, version_of

TOURNAMENTS, BLOCKS = "tournament", "tournament-block"
"""The kinds of documents a tournament keeps in the store."""
DAMAGED = "damaged"
"""The kind of documents that could not be read and have been replaced."""
WRITE_EVERY = 1.0
"""Seconds between writes to the store, so that recording costs little time."""


class TournamentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament as stored."""

    id: str
    created_utc: datetime
    settings: TournamentSettings
    computed: tuple[str, ...] | None = None
    """The agents whose results are computed rather than played; None until that is decided."""
    result: TournamentResult | None = None
    """None until the tournament is over."""
    versions: dict[str, str] = {}
    """For each agent with files of its own, the version of them (`version_of`) when the tournament began."""
    files: dict[str, str] = {}
    """The same for each file (`file_versions`); earlier versions did not store it."""
    refereed_block_deals: int = 20
    """Deals per block of refereed games; earlier versions, which did not store it, always had this many."""
    tables: int = 0
    """How many tables a league has; 0 in a round robin, or if an earlier version began it."""
    schema: int = DOCUMENT_SCHEMA


def tournaments(store: GameRecorder) -> list[TournamentEntry]:
    """All tournaments in a store, newest first, without damaged ones, of which it warns."""
    entries = readable_documents(store, TOURNAMENTS, _entry)
    return sorted(entries, key=lambda entry: entry.created_utc, reverse=True)


def _entry(name: str, text: str) -> TournamentEntry:
    entry = decode_document(text, TournamentEntry, f"tournament {name}")
    if entry.id != name or entry.created_utc.tzinfo is None:
        raise CorruptEventError(f"tournament {name}: the document is damaged (it is of {entry.id})")
    return entry


def find_tournament(store: GameRecorder, name: str) -> TournamentEntry:
    """Find a tournament by its id, the beginning of its id, or `last` (the latest unfinished one, else the latest)."""
    entries = tournaments(store)
    if name == "last" and entries:
        return next((entry for entry in entries if entry.result is None), entries[0])
    matching = [e for e in entries if e.id == name] or [e for e in entries if e.id.startswith(name)]
    if len(matching) != 1:
        expected = f"'last', an id, or the beginning of one id ({len(matching)} of {len(entries)} tournaments match)"
        raise BadValueError("tournament", name, expected)
    return matching[0]


def _block(name: str, text: str) -> BlockResult:
    result = decode_document(text, BlockResult, f"block {name}")
    if name.rpartition("/")[2] != f"{result.number:08}" or not result.fits_together:
        raise CorruptEventError(f"block {name}: the document is damaged (its numbers do not fit together)")
    return result


def blocks_of(store: GameRecorder, tournament_id: str) -> list[BlockResult]:
    """The blocks of a tournament that are played, without damaged ones, of which the store warns."""
    found = []
    for name, text in store.documents(BLOCKS, f"{tournament_id}/").items():
        try:
            found.append(_block(name, text))
        except UNREADABLE as error:
            store.warn_once(f"{error}; it is left out")
    return found


class Ledger:
    """Records the progress of one tournament. A block that has been recorded is never played again."""

    def __init__(self, store: GameRecorder, settings: TournamentSettings, tournament_id: str | None = None) -> None:
        self._store = store
        if tournament_id is not None:
            self._claim(tournament_id)
        known = None if tournament_id is None else store.documents(TOURNAMENTS, tournament_id).get(tournament_id)
        if known is not None:
            assert tournament_id is not None
            self.entry = _entry(tournament_id, known)
            check_settings_unchanged(self.entry, settings)
            _check_bots_unchanged(self.entry)
        else:
            name = tournament_id or new_game_id()
            self.entry = TournamentEntry(id=name, created_utc=utc_now(), settings=settings)
            self._claim(name)
        self._new: dict[str, str] = {}
        self._records: list[list[RecordedEvent]] = []
        self._written = time.monotonic()

    def _claim(self, tournament_id: str) -> None:
        try:
            self._store.claim(f"tournament-{tournament_id}")
        except ClaimTakenError as error:
            raise StoreError(f"tournament {tournament_id} is being played by another program; wait for it") from error

    @property
    def id(self) -> str:
        """The tournament's id in the store."""
        return self.entry.id

    def begin(self, computed: tuple[str, ...], refereed_block_deals: int, tables: int = 0) -> None:
        """Record that the tournament has begun, which agents' results are computed, how large the blocks of refereed
        games are, and how many tables a league has. No effect when resuming.
        """
        if self.entry.computed is None:
            found = {name: version_of(name) for name in self.entry.settings.agents}
            versions = {name: version for name, version in found.items() if version}
            self._save(
                msgspec.structs.replace(
                    self.entry,
                    computed=computed,
                    versions=versions,
                    files=_files(self.entry.settings),
                    refereed_block_deals=refereed_block_deals,
                    tables=tables,
                )
            )

    def _save(self, entry: TournamentEntry) -> None:
        self.entry = entry
        self._store.save_documents(TOURNAMENTS, {entry.id: msgspec.json.encode(entry).decode()})

    def finished(self) -> list[BlockResult]:
        """The blocks played so far."""
        results = []
        for name, text in self._store.documents(BLOCKS, f"{self.id}/").items():
            try:
                results.append(_block(name, text))
            except UNREADABLE as error:
                self._store.warn_once(f"{error}; it is played again")
                self._store.save_documents(DAMAGED, {f"{BLOCKS}/{name}": text})
        return results

    def add(self, result: BlockResult, records: list[list[RecordedEvent]]) -> None:
        """Add a finished block and its games, to be written every `WRITE_EVERY` seconds."""
        self._new[f"{self.id}/{result.number:08}"] = msgspec.json.encode(result).decode()
        self._records += records
        if time.monotonic() - self._written >= WRITE_EVERY:
            self.write()

    def write(self) -> None:
        """Write new games and blocks to the store, games first, so that no recorded block lacks its games."""
        for events in [self._unstored(game) for game in self._records]:
            for event in events:
                self._store.record(event)
        try:
            self._store.flush()
        except VersionConflictError as error:
            self._store.discard()
            raise StoreError(f"tournament {self.id} is also being played by another program ({error})") from error
        if self._new:
            self._store.save_documents(BLOCKS, self._new)
        self._new, self._records = {}, []
        self._written = time.monotonic()

    def _unstored(self, game: list[RecordedEvent]) -> list[RecordedEvent]:
        """What the store lacks of a game: all of it, unless a program that was killed had stored a part."""
        game_id = game[0].game_id
        if not self._store.events(game_id, 0, 1):
            return game
        stored = self._store.events(game_id)
        if all(map(_is_same, stored, game)):
            return game[len(stored) :]
        if isinstance(stored[-1].payload, GameEnded):
            return []
        # a bot that does not play the same game twice: the part stays, and the whole game is stored beside it
        return self._unstored([msgspec.structs.replace(event, game_id=f"{game_id}-again") for event in game])

    def close(self, result: TournamentResult) -> None:
        """Write what is left and record the result."""
        self.write()
        self._save(msgspec.structs.replace(self.entry, result=result))


def _is_same(one: RecordedEvent, other: RecordedEvent) -> bool:
    """Whether two recordings of a game agree in an event; they were made at different times."""
    return msgspec.structs.replace(one, timestamp_utc=other.timestamp_utc) == other


def check_settings_unchanged(entry: TournamentEntry, settings: TournamentSettings) -> None:
    """Raise `BadValueError` if a tournament is resumed with settings other than those it was started with."""
    begun, now = _plain(entry.settings), _plain(settings)
    differences = [f"{name} was {begun[name]!r}, now {now[name]!r}" for name in begun if begun[name] != now[name]]
    if differences:
        raise BadValueError("tournament", entry.id, f"the settings it was started with: {'; '.join(differences)}")


def _check_bots_unchanged(entry: TournamentEntry) -> None:
    """Raise `BadValueError` if a bot's files are others than when an unfinished tournament began."""
    now = _files(entry.settings)
    changed = [path for path, version in entry.files.items() if now.get(path) != version]
    if not entry.files:  # an earlier version began it
        changed = [name for name, version in entry.versions.items() if version_of(name) != version]
    if changed and entry.result is None:
        what = f"the files with which it began: {', '.join(changed)} changed since; put them back, or start anew"
        raise BadValueError("tournament", entry.id, what)


def _files(settings: TournamentSettings) -> dict[str, str]:
    """The versions of all agents' files."""
    return {path: version for name in settings.agents for path, version in file_versions(name).items()}


def _plain(settings: TournamentSettings) -> dict[str, Any]:
    rules = GameConfig.from_dict(settings.config)
    config = rules.to_dict() | {"max_dice": rules.dice_cap}  # the same cap, whether it was left out or spelled out
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(settings, config=config)))
    fields = plain.pop("config")
    del plain["base_url"]  # a server may move
    return plain | {f"config.{name}": value for name, value in fields.items()}
