"""Export of recorded events as files for other programs, and import of exported games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TextIO

import msgspec

from ..core import Bid, GameCreated, LiarsDiceError
from .codec import encode_line
from .envelope import RecordedEvent
from .errors import ReplayError, StoreError
from .recorder import GameRecorder, check_event
from .replay import verify_game
from .table_files import Columns, Row, write_csv_rows, write_parquet_rows

EVENT_COLUMNS: Columns = {
    "game_id": str,
    "version": int,
    "round_index": int,
    "turn_index": int,
    "timestamp_utc": str,
    "event_type": str,
    "player_type": str,
    "player_id": int,
    "quantity": int,
    "face": int,
    "dice": str,
    "payload": str,
    "player_name": str,
}
"""One row per event: the envelope, the fields most people look for, the whole payload as JSON, and who acted."""


def event_rows(events: Iterable[RecordedEvent]) -> Iterator[Row]:
    """Events as rows of `EVENT_COLUMNS`."""
    names: tuple[str, ...] = ()
    for event in events:
        payload = event.payload
        names = payload.names if isinstance(payload, GameCreated) else names
        bid, dice, seat = (getattr(payload, name, None) for name in ("bid", "dice", "player_id"))
        yield (
            event.game_id,
            event.version,
            event.round_index,
            event.turn_index,
            event.timestamp_utc.isoformat(timespec="microseconds"),
            event.event_type,
            event.player_type,
            seat,
            bid.quantity if isinstance(bid, Bid) else None,
            bid.face if isinstance(bid, Bid) else None,
            None if dice is None else msgspec.json.encode(dice).decode(),
            msgspec.json.encode(payload).decode(),
            names[seat] if seat is not None and seat < len(names) else None,
        )


def write_jsonl(events: Iterable[RecordedEvent], file: BinaryIO) -> None:
    """Write one line of JSON per event; `import` reads the file back."""
    for event in events:
        file.write(encode_line(event) + b"\n")


def write_csv(events: Iterable[RecordedEvent], file: TextIO) -> None:
    """Write a table with a header row."""
    write_csv_rows(EVENT_COLUMNS, event_rows(events), file)


def write_parquet(events: Iterable[RecordedEvent], path: str) -> None:
    """Write a Parquet file; needs pyarrow."""
    write_parquet_rows(EVENT_COLUMNS, event_rows(events), Path(path))


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
