"""Games that are never lost: recorded events, four stores for them, and exact replay."""

from .envelope import SCHEMA, Clock, Enveloper, RecordedEvent, new_game_id, utc_now
from .errors import CorruptEventError, ReplayError, StoreError, UnknownSchemaError, VersionConflictError
from .export import import_games, write_csv, write_jsonl, write_parquet
from .jsonlines import JSONLinesRecorder, read_lines
from .memory import InMemoryRecorder
from .postgres import PostgresRecorder
from .recorder import GameRecorder, GameSummary, rules_name
from .replay import Replay, branch, decisions, final_state, replay, settled, state_at, verify_game, visible_events
from .session import default_store, open_store, record_game
from .sqlite import SQLiteRecorder
from .stats import WinRate, by_opener, by_rules, win_rates

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
    "WinRate",
    "branch",
    "by_opener",
    "by_rules",
    "decisions",
    "default_store",
    "final_state",
    "import_games",
    "new_game_id",
    "open_store",
    "read_lines",
    "record_game",
    "replay",
    "rules_name",
    "settled",
    "state_at",
    "utc_now",
    "verify_game",
    "visible_events",
    "win_rates",
    "write_csv",
    "write_jsonl",
    "write_parquet",
]
