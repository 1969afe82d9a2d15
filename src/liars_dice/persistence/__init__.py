"""Recorded games: events in envelopes, four stores for them, exact replay, and queries over stored games."""

from .codec import encode_line
from .decision_table import DECISION_COLUMNS, decision_rows
from .dice_check import RollsChecked, check_dice
from .envelope import PERSON_TYPE, SCHEMA, Clock, Enveloper, RecordedEvent, new_game_id, utc_now
from .errors import (
    UNREADABLE,
    ClaimLostError,
    ClaimTakenError,
    CorruptEventError,
    ReplayError,
    StoreError,
    UnknownSchemaError,
    VersionConflictError,
)
from .export import EVENT_COLUMNS, event_rows, import_games, write_csv, write_jsonl, write_parquet
from .fair_check import FairnessCheck, check_fairness, fairness_in, read_game
from .jsonlines import JSONLinesRecorder, read_lines
from .memory import InMemoryRecorder
from .output_files import ARCHIVE, check_output_file, writing_whole
from .postgres import PostgresRecorder
from .recorder import GameRecorder, GameSummary, by_game, rules_name, summarise
from .recording import player_type, record_game
from .replay import (
    Replay,
    branch,
    decisions,
    fallback_turns,
    final_state,
    replay,
    resume_point,
    state_at,
    verify_game,
    visible_events,
)
from .sqlite import SQLiteRecorder
from .stats import WinRate, by_opener, by_rules, win_rates
from .store_address import default_store, open_store
from .stored_documents import DOCUMENT_SCHEMA, decode_document, readable_documents
from .table_files import (
    Columns,
    Row,
    check_parquet,
    check_table_file,
    json_lines,
    write_csv_rows,
    write_parquet_rows,
    write_table,
)
from .unfinished_games import (
    PERSON,
    is_person,
    latest_unfinished_game,
    lineup_of,
    unfinished_game,
    version_at_turn,
    without_abandoned,
)

__all__ = [
    "ARCHIVE",
    "DECISION_COLUMNS",
    "DOCUMENT_SCHEMA",
    "EVENT_COLUMNS",
    "PERSON",
    "PERSON_TYPE",
    "SCHEMA",
    "UNREADABLE",
    "ClaimLostError",
    "ClaimTakenError",
    "Clock",
    "Columns",
    "CorruptEventError",
    "Enveloper",
    "FairnessCheck",
    "GameRecorder",
    "GameSummary",
    "InMemoryRecorder",
    "JSONLinesRecorder",
    "PostgresRecorder",
    "RecordedEvent",
    "Replay",
    "ReplayError",
    "RollsChecked",
    "Row",
    "SQLiteRecorder",
    "StoreError",
    "UnknownSchemaError",
    "VersionConflictError",
    "WinRate",
    "branch",
    "by_game",
    "by_opener",
    "by_rules",
    "check_dice",
    "check_fairness",
    "check_output_file",
    "check_parquet",
    "check_table_file",
    "decision_rows",
    "decisions",
    "decode_document",
    "default_store",
    "encode_line",
    "event_rows",
    "fairness_in",
    "fallback_turns",
    "final_state",
    "import_games",
    "is_person",
    "json_lines",
    "latest_unfinished_game",
    "lineup_of",
    "new_game_id",
    "open_store",
    "player_type",
    "read_game",
    "read_lines",
    "readable_documents",
    "record_game",
    "replay",
    "resume_point",
    "rules_name",
    "state_at",
    "summarise",
    "unfinished_game",
    "utc_now",
    "verify_game",
    "version_at_turn",
    "visible_events",
    "win_rates",
    "without_abandoned",
    "write_csv",
    "write_csv_rows",
    "write_jsonl",
    "write_parquet",
    "write_parquet_rows",
    "write_table",
    "writing_whole",
]
