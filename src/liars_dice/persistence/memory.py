"""A store in memory: for tests, and for games that are not needed afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from ..core import GameState
from .envelope import RecordedEvent
from .errors import VersionConflictError
from .recorder import GameRecorder, GameSummary, by_game, summarise


class InMemoryRecorder(GameRecorder):
    """Keeps games until the object is gone."""

    def __init__(self) -> None:
        super().__init__()
        self._games: dict[str, list[RecordedEvent]] = {}
        self._snapshots: dict[str, dict[int, GameState]] = {}
        self._documents: dict[str, dict[str, str]] = {}

    def _version(self, game_id: str) -> int:
        return len(self._games.get(game_id, ()))

    def _append(self, batch: list[RecordedEvent]) -> None:
        games = by_game(batch)
        for game_id, events in games.items():
            if events[0].version != self._version(game_id):
                raise VersionConflictError(game_id, self._version(game_id), events[0].version)
        for game_id, events in games.items():
            self._games.setdefault(game_id, []).extend(events)

    def _read(self, game_id: str, start: int, stop: int) -> list[RecordedEvent]:
        return self._games.get(game_id, [])[start:stop]

    def _summaries(self, since: datetime | None = None, until: datetime | None = None) -> Iterator[GameSummary]:
        games = (summarise(events) for events in self._games.values())
        yield from sorted(games, key=lambda game: (game.created_utc, game.game_id), reverse=True)

    def save_snapshot(self, game_id: str, version: int, state: GameState) -> None:
        """Store a state."""
        self._snapshots.setdefault(game_id, {})[version] = state

    def load_snapshot(self, game_id: str, version: int) -> tuple[int, GameState] | None:
        """The latest snapshot at or before `version`."""
        kept = self._snapshots.get(game_id, {})
        at = max((v for v in kept if v <= version), default=None)
        return None if at is None else (at, kept[at])

    def save_documents(self, kind: str, documents: Mapping[str, str]) -> None:
        """Store texts."""
        self._documents.setdefault(kind, {}).update(documents)

    def documents(self, kind: str, beginning: str = "") -> dict[str, str]:
        """Texts by name."""
        kept = self._documents.get(kind, {})
        return {name: kept[name] for name in sorted(kept) if name.startswith(beginning)}
