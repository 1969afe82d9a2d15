"""`liars-dice import`: import games from files into the store."""

from __future__ import annotations

import click

from .options import db_option, json_option
from .output import print_json


@click.command("import", epilog="Example: liars-dice import games.jsonl")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@db_option
@json_option
def import_command(files: tuple[str, ...], db: str | None, as_json: bool) -> None:
    """Import games from JSON-lines files into the store.

    Each game is verified first. Games that are already in the store are skipped.
    """
    from ..persistence import import_games, open_store, read_lines

    new = known = events = 0
    with open_store(db) as store:
        for file in files:
            for _, count, is_new in import_games(read_lines(file), store):
                events += count if is_new else 0
                new, known = new + is_new, known + (not is_new)
    if as_json:
        print_json({"games": new, "events": events, "known": known})
    else:
        click.echo(f"{new} {'game' if new == 1 else 'games'} imported, {known} already in the store")
