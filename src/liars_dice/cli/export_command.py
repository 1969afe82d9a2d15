"""`liars-dice export`: write recorded games to a file for other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import click

from .game_lookup import find_game
from .options import db_option, json_option
from .output import SafeStream, data_output, print_json

if TYPE_CHECKING:
    from ..persistence import RecordedEvent

_KINDS = {"": "jsonl", ".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet"}
"""The format of a file, by its extension."""


@click.command("export", epilog="Example: liars-dice export last --out game.csv")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="File to write. [default: standard output]"
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="File format. [default: by the file's extension, else jsonl]",
)
@db_option
@json_option
def export_command(games: tuple[str, ...], out: Path | None, kind: str | None, db: str | None, as_json: bool) -> None:
    """Write recorded games to a file: JSON lines, CSV or Parquet.

    GAME is a game's id, the beginning of its id, `last`, or `worst:NAME` for the game that NAME played worst among
    those it lost. Without GAME, all games are exported.
    """
    from ..persistence import StoreError, check_output_file, open_store

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
    with open_store(db, must_exist=True) as store:
        named = [find_game(store, game, quiet=as_json) for game in games]
        ids = list(dict.fromkeys(named or [game.game_id for game in reversed(store.games())]))
        read = store.events if named else store.intact_events
        events = (event for game_id in ids for event in read(game_id))
        if out is None:
            _to_standard_output(events, kind)
        else:
            _to_file(events, kind, out)
    if as_json:
        print_json({"games": len(ids), "format": kind, "out": str(out)})
    elif out is not None:
        click.echo(f"{len(ids)} {'game' if len(ids) == 1 else 'games'} written to {out}")


def _to_standard_output(events: Iterator[RecordedEvent], kind: str) -> None:
    from ..persistence import encode_line, write_csv, write_jsonl

    try:
        out = data_output()
        if kind == "csv":
            write_csv(events, cast(TextIO, out))
        elif isinstance(out, SafeStream):
            out.writelines(f"{encode_line(event).decode()}\n" for event in events)
        else:
            write_jsonl(events, out.buffer)
        out.flush()
    except BrokenPipeError:  # the reader closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _to_file(events: Iterator[RecordedEvent], kind: str, out: Path) -> None:
    """Write the whole file or none."""
    from ..persistence import write_csv, write_jsonl, write_parquet, writing_whole

    with writing_whole("out", out, make_folders=False) as partial:
        if kind == "csv":
            with partial.open("w", newline="", encoding="utf-8") as text:
                write_csv(events, text)
        elif kind == "parquet":
            write_parquet(events, str(partial))
        else:
            with partial.open("wb") as binary:
                write_jsonl(events, binary)
