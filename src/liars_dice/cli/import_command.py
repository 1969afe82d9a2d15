"""`liars-dice import`: import games from files into the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .options import db_option, json_option
from .output import print_json

if TYPE_CHECKING:
    from ..core import LiarsDiceError

MOST_NAMED = 10
"""Problems that are named one by one."""


@click.command("import", epilog="Example: liars-dice import games.jsonl")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@db_option
@json_option
def import_command(files: tuple[str, ...], db: str | None, as_json: bool) -> None:
    """Import games from JSON-lines files into the store.

    FILE is a file that `liars-dice export --out FILE.jsonl` or a studio has written. Each game is verified first. Games
    that are already in the store are skipped. A game that cannot be imported is named, and the others are imported;
    then the command ends with code 1.
    """
    from ..persistence import import_games, open_store, read_lines

    new = known = events = 0
    problems: list[LiarsDiceError] = []

    def refuse(error: LiarsDiceError) -> None:
        if len(problems) < MOST_NAMED:
            click.echo(f"Not imported: {error}", err=True)
        problems.append(error)

    with open_store(db) as store:
        for file in files:
            for _, count, is_new in import_games(read_lines(file, refuse), store, refuse):
                events += count if is_new else 0
                new, known = new + is_new, known + (not is_new)
    if as_json:
        print_json({"games": new, "events": events, "known": known, "refused": len(problems)})
    else:
        click.echo(f"{new} {'game' if new == 1 else 'games'} imported, {known} already in the store")
    if problems:
        more = len(problems) - MOST_NAMED
        if more > 0:
            click.echo(f"Not imported: {more} more", err=True)
        raise SystemExit(1)
