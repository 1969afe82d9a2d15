"""Export of recorded events as files for other programs, and import of exported games."""

from __future__ import annotations

import csv
import importlib.util
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, TextIO

import msgspec

from ..core import Bid, LiarsDiceError
from .codec import encode_line
from .envelope import RecordedEvent
from .errors import ReplayError, StoreError
from .recorder import GameRecorder, check_event
from .replay import verify_game

COLUMNS = (
    "game_id",
    "version",
    "round_index",
    "turn_index",
    "timestamp_utc",
    "event_type",
    "player_type",
    "player_id",
    "quantity",
    "face",
    "dice",
    "payload",
)
"""One row per event: the envelope, the fields most people look for, and the whole payload as JSON."""

Cell = str | int | None


def row_of(event: RecordedEvent) -> tuple[Cell, ...]:
    """An event as a row of `COLUMNS`."""
    payload = event.payload
    bid = getattr(payload, "bid", None)
    dice = getattr(payload, "dice", None)
    return (
        event.game_id,
        event.version,
        event.round_index,
        event.turn_index,
        event.timestamp_utc.isoformat(timespec="microseconds"),
        event.event_type,
        event.player_type,
        getattr(payload, "player_id", None),
        bid.quantity if isinstance(bid, Bid) else None,
        bid.face if isinstance(bid, Bid) else None,
        None if dice is None else msgspec.json.encode(dice).decode(),
        msgspec.json.encode(payload).decode(),
    )


def write_jsonl(events: Iterable[RecordedEvent], file: BinaryIO) -> None:
    """Write one line of JSON per event; `import` reads the file back."""
    for event in events:
        file.write(encode_line(event) + b"\n")


def write_csv(events: Iterable[RecordedEvent], file: TextIO) -> None:
    """Write a table with a header row."""
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    writer.writerows(map(row_of, events))


def write_parquet(events: Iterable[RecordedEvent], path: str) -> None:
    """Write a Parquet file; needs pyarrow."""
    if importlib.util.find_spec("pyarrow") is None:
        raise StoreError("writing Parquet needs pyarrow, which is not installed: pip install pyarrow, or export CSV")
    import pyarrow
    from pyarrow import parquet

    numbers = {"version", "round_index", "turn_index", "player_id", "quantity", "face"}
    schema = pyarrow.schema([(name, pyarrow.int64() if name in numbers else pyarrow.string()) for name in COLUMNS])
    rows = list(map(row_of, events))
    columns = [[row[index] for row in rows] for index in range(len(COLUMNS))]
    parquet.write_table(pyarrow.table(columns, schema=schema), path)


def import_games(
    events: Iterable[RecordedEvent], store: GameRecorder, refused: Callable[[LiarsDiceError], None] | None = None
) -> Iterator[tuple[str, int, bool]]:
    """Copy games into a store; yields each game's id, how many events it has, and whether any were new.

    Every game is verified before it is stored. A game that is already in the store is skipped if it is the same, and
    raises `StoreError` if it differs. With `refused`, a game that cannot be imported is passed to it as an error, and
    the others are imported.
    """
    games: dict[str, list[RecordedEvent]] = {}
    for event in events:
        games.setdefault(event.game_id, []).append(event)
    for game_id, game in games.items():
        try:
            new = _import_game(game, store)
        except (ReplayError, StoreError) as error:
            store.discard()
            if refused is None:
                raise
            refused(error)
            continue
        yield game_id, len(game), new > 0


def _import_game(game: list[RecordedEvent], store: GameRecorder) -> int:
    """Verify and store a game; returns how many of its events were new."""
    verify_game(game)
    for event in game:
        check_event(event)
    game_id = game[0].game_id
    stored = store.events(game_id)
    if stored[: len(game)] != game[: len(stored)]:
        raise StoreError(f"game {game_id}: the store already has a different game with this id")
    new = game[len(stored) :]
    for event in new:
        store.record(event)
    store.flush()
    return len(new)
