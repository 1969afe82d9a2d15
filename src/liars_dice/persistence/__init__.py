"""Games that are never lost: recorded events, four stores for them, and exact replay."""

from .envelope import SCHEMA, Clock, Enveloper, RecordedEvent, new_game_id, utc_now
from .errors import CorruptEventError, ReplayError, StoreError, UnknownSchemaError, VersionConflictError
from .jsonlines import JSONLinesRecorder, read_lines
from .memory import InMemoryRecorder
from .postgres import PostgresRecorder
from .recorder import GameRecorder, GameSummary, rules_name
from .replay import Replay, branch, final_state, replay, state_at, verify_game, visible_events
from .session import default_store, open_store, record_game
from .sqlite import SQLiteRecorder

__all__ = [
    "SCHEMA",
    "Clock",
    "CorruptEventError",
    "Enveloper",
    "GameRecorder",
    "GameSummary",
    "InMemoryRecorder",
    "JSONLinesRecorder",
    "PostgresRecorder",
    "RecordedEvent",
    "Replay",
    "ReplayError",
    "SQLiteRecorder",
    "StoreError",
    "UnknownSchemaError",
    "VersionConflictError",
    "branch",
    "default_store",
    "final_state",
    "new_game_id",
    "open_store",
    "read_lines",
    "record_game",
    "replay",
    "rules_name",
    "state_at",
    "utc_now",
    "verify_game",
    "visible_events",
]
