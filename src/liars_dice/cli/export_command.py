"""`liars-dice export`: write recorded games to a file for other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from .game_filters import FILTERS, check_players, filtered_games, game_filters, recorded_filters
from .game_lookup import find_game
from .options import db_option, json_option
from .output import SafeStream, data_output, print_json
from .progress import show_progress

if TYPE_CHECKING:
    from ..persistence import Columns, GameRecorder, RecordedEvent, Row


class Counted:
    """Rows on their way into a file, and how many there were."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.number = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.number += 1
            yield row


_KINDS = {"": "jsonl", ".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet"}
"""The format of a file, by its extension."""


@click.command(
    "export",
    epilog="Example: liars-dice export last --out game.csv; "
    "liars-dice export --decisions --player maniac --out maniac.parquet",
)
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="File to write. [default: standard output]"
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="File format; parquet needs the extra liars-dice[parquet]. [default: by the file's extension, else jsonl]",
)
@click.option(
    "--decisions",
    is_flag=True,
    help="One row per decision (the player's dice, the bids, what was legal, what it did, how that ended) instead of "
    "one per event.",
)
@click.option(
    "--loss",
    is_flag=True,
    help="With --decisions: what each decision gave away of the chance to win. Reviews each game once.",
)
@game_filters
@db_option
@json_option
def export_command(
    games: tuple[str, ...],
    out: Path | None,
    kind: str | None,
    decisions: bool,
    loss: bool,
    abandoned: bool,
    db: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Write recorded games to a file: JSON lines, CSV or Parquet.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost. Without GAME, all games are exported, or those that the options choose. Abandoned games are left out
    of --decisions unless you add --all.
    """
    from ..persistence import open_store

    kind = _check_output(out, kind, as_json=as_json)
    chosen = {name: value for name, value in given.items() if name in FILTERS and value is not None}
    if games and (chosen or abandoned):
        raise click.UsageError("Name games, or choose them with --player, --rules and so on; not both.")
    if loss and not decisions:
        raise click.UsageError("--loss needs --decisions.")
    with open_store(db, must_exist=True) as store:
        if games:
            ids = list(dict.fromkeys(find_game(store, game, quiet=as_json) for game in games))
        else:
            filters = recorded_filters(given)
            found = filtered_games(store, filters, abandoned=abandoned or not decisions)
            if not found:
                check_players(store, filters)
            ids = [game.game_id for game in reversed(found)]
        read = store.events if games else store.intact_events
        by_game, number = (read(game_id) for game_id in ids), 0
        if decisions:
            with show_progress("reviewing games", quiet=as_json or not loss) as progress:
                number = _write_decisions(_decisions(store, by_game, len(ids), progress, loss=loss), kind, out)
        else:
            _write_events((event for events in by_game for event in events), kind, out)
    if as_json:
        print_json({"games": len(ids), "format": kind, "out": str(out)} | ({"decisions": number} if decisions else {}))
    elif out is not None:
        what = f"{number:,} decisions of " if decisions else ""
        click.echo(f"{what}{len(ids)} {'game' if len(ids) == 1 else 'games'} written to {out}")


def _check_output(out: Path | None, kind: str | None, *, as_json: bool) -> str:
    """The format of the output; an error if it cannot be written, before any work is done."""
    from ..persistence import StoreError, check_output_file, check_parquet

    if out is not None:
        check_output_file("out", out)
    if out is not None and out.exists() and out.suffix in (".sqlite", ".db"):
        raise StoreError(f"{out}: this is a store; expected another file to export to")
    if kind is None:
        ending = out.suffix.lower() if out else ""
        if ending not in _KINDS:
            known = ", ".join(filter(None, _KINDS))
            raise click.UsageError(f"Unknown file extension {ending}. Use {known}, or add --format.")
        kind = _KINDS[ending]
    if out is None and (kind == "parquet" or as_json):
        raise click.UsageError("Parquet and --json need --out FILE.")
    if kind == "parquet":
        check_parquet()
    return kind


def _decisions(
    store: GameRecorder,
    games: Iterator[list[RecordedEvent]],
    number: int,
    progress: Callable[[int, int], None] | None,
    *,
    loss: bool,
) -> Iterator[Row]:
    """The decisions of these games; a game that breaks the rules is left out with a warning."""
    from ..coach import KeptReviews
    from ..persistence import ReplayError, decision_rows

    reviews = KeptReviews(store) if loss else None
    for done, events in enumerate(games):
        if progress is not None:
            progress(done, number)
        try:
            known = reviews.review(events) if reviews is not None and events else None
            losses = None if known is None else {move.turn: move.loss for move in known.moves}
            yield from decision_rows(events, losses) if events else ()
        except ReplayError as error:
            store.warn_once(f"{error}; the game is left out")


def _write_decisions(rows: Iterator[Row], kind: str, out: Path | None) -> int:
    """Write a row per decision; returns how many there were."""
    from ..persistence import DECISION_COLUMNS, json_lines

    counted = Counted(rows)
    if kind == "jsonl":
        _write_lines(json_lines(DECISION_COLUMNS, counted), out)
    else:
        _write_table(DECISION_COLUMNS, counted, kind, out)
    return counted.number


def _write_events(events: Iterator[RecordedEvent], kind: str, out: Path | None) -> None:
    """Write a line or row per event."""
    from ..persistence import EVENT_COLUMNS, encode_line, event_rows

    if kind == "jsonl":
        _write_lines(map(encode_line, events), out)
    else:
        _write_table(EVENT_COLUMNS, event_rows(events), kind, out)


def _write_lines(lines: Iterable[bytes], out: Path | None) -> None:
    """Write lines to standard output, or the whole file or none."""
    from ..persistence import writing_whole

    if out is not None:
        with writing_whole("out", out, make_folders=False) as partial, partial.open("wb") as file:
            file.writelines(line + b"\n" for line in lines)
        return
    with _standard_output() as shown:
        for line in lines:
            if isinstance(shown, SafeStream):
                shown.write(f"{line.decode()}\n")
            else:
                shown.buffer.write(line + b"\n")


def _write_table(columns: Columns, rows: Iterable[Row], kind: str, out: Path | None) -> None:
    """Write a CSV table to standard output, or the whole file or none."""
    from ..persistence import write_csv_rows, write_parquet_rows, writing_whole

    if out is None:
        with _standard_output() as shown:
            write_csv_rows(columns, rows, cast(TextIO, shown))
        return
    with writing_whole("out", out, make_folders=False) as partial:
        if kind == "parquet":
            write_parquet_rows(columns, rows, partial)
        else:
            with partial.open("w", newline="", encoding="utf-8") as file:
                write_csv_rows(columns, rows, file)


@contextmanager
def _standard_output() -> Iterator[SafeStream | TextIO]:
    """Standard output for data, until its reader has had enough."""
    try:
        out = data_output()
        yield out
        out.flush()
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
