"""`liars-dice export`: recorded games for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from .options import db_option, json_option, print_json


@click.command("export", epilog="Example: liars-dice export last --out game.csv")
@click.argument("games", nargs=-1, metavar="[GAME]...")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file. Left out: standard output.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="[default: by the file's ending, else jsonl]",
)
@db_option
@json_option
def export_command(games: tuple[str, ...], out: Path | None, kind: str | None, db: str | None, as_json: bool) -> None:
    """Write recorded games to a file: JSON lines, CSV or Parquet.

    GAME is a game's id, the beginning of it, or `last`. Without any, all games are written.
    """
    from ..persistence import StoreError, open_store, write_csv, write_jsonl, write_parquet

    if kind is None:
        kind = {".csv": "csv", ".parquet": "parquet"}.get(out.suffix if out else "", "jsonl")
    if out is None and (kind == "parquet" or as_json):
        raise click.UsageError("say where to with --out FILE")
    with open_store(db) as store:
        ids = [store.find(game) for game in games] or [game.game_id for game in reversed(store.games())]
        events = (event for game_id in ids for event in store.events(game_id))
        try:
            if out is None:
                if kind == "csv":
                    write_csv(events, sys.stdout)
                else:
                    write_jsonl(events, sys.stdout.buffer)
            elif kind == "csv":
                with out.open("w", newline="", encoding="utf-8") as text:
                    write_csv(events, text)
            elif kind == "parquet":
                write_parquet(events, str(out))
            else:
                with out.open("wb") as binary:
                    write_jsonl(events, binary)
        except OSError as error:
            raise StoreError(f"{out}: cannot be written ({error.strerror})") from error
    if as_json:
        print_json({"games": len(ids), "format": kind, "out": str(out)})
    elif out is not None:
        click.echo(f"{len(ids)} {'game' if len(ids) == 1 else 'games'} written to {out}")
