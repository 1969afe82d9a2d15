"""`liars-dice agents`: list the available bots."""

from __future__ import annotations

import click

from .options import json_option, was_given
from .output import print_json

MOST_SHOWN = 300
"""Characters of a bot's own summary that are listed."""


@click.command("agents", epilog="Example: liars-dice agents --folder bots --json")
@click.option("--folder", metavar="DIR", default="agents", show_default=True, help="Folder with your own bots.")
@json_option
@click.pass_context
def agents_command(context: click.Context, folder: str, as_json: bool) -> None:
    """List the available bots: built-in ones, your own in a folder, and those of installed packages."""
    from pathlib import Path

    from ..agents import AGENTS
    from ..core import BadValueError, one_line
    from ..referee import find_bots

    if was_given(context, "folder") and not Path(folder).is_dir():
        raise BadValueError("folder", folder, "an existing folder")
    found = find_bots(folder)
    listed = [(info.name, info.summary, info.memoryless, info.players, info.aliases) for info in AGENTS.values()]
    for name, bot in found.bots.items():
        listed.append((name, one_line(bot.summary, MOST_SHOWN), bot.memoryless, bot.players, ()))
    for problem in found.problems:
        click.echo(f"Not loaded: {one_line(problem)}", err=True)
    if as_json:
        keys = ("name", "summary", "memoryless", "players", "aliases")
        print_json({"agents": [dict(zip(keys, entry, strict=True)) for entry in listed]})
        return
    width = max(len(name) for name, *_ in listed)
    for name, summary, _, _, aliases in listed:
        also = f" (also called {', '.join(aliases)})" if aliases else ""
        click.echo(f"{name:{width}}  {summary}{also}")
    click.echo(
        "\nAlso: threshold:CALL,RAISE, q:FILE or pg:FILE (from train), solved:FILE (from solve), a file (mybot.py), "
        "module:Class, or cmd:PROGRAM for a bot in any language."
    )
