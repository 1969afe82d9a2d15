"""`liars-dice agents`: list the available bots."""

from __future__ import annotations

import click

from .options import json_option, was_given
from .output import print_json

MOST_SHOWN = 300
"""Characters of a bot's own summary that are listed."""
Listed = tuple[str, str, bool, tuple[int, int], tuple[str, ...], float | None]
"""A bot's name, summary, whether it is memoryless, how many players it plays with, its other names, its strength."""


@click.command("agents", epilog="Example: liars-dice agents --folder bots --json")
@click.option("--folder", metavar="DIR", default="agents", show_default=True, help="Folder with your own bots.")
@json_option
@click.pass_context
def agents_command(context: click.Context, folder: str, as_json: bool) -> None:
    """List the available bots: built-in ones, strongest first, then your own in a folder and those of installed
    packages.

    The percentage is the share of games that a bot wins at Perudo tables of six with other built-in bots; 17% is even.
    """
    from pathlib import Path

    from ..agents import AGENTS, STRENGTH
    from ..core import BadValueError, one_line
    from ..referee import find_bots

    if was_given(context, "folder") and not Path(folder).is_dir():
        raise BadValueError("folder", folder, "an existing folder")
    found = find_bots(folder)
    listed: list[Listed] = [
        (info.name, info.summary, info.memoryless, info.players, info.aliases, STRENGTH.get(info.name))
        for info in AGENTS.by_strength
    ]
    for name, bot in found.bots.items():
        listed.append((name, one_line(bot.summary, MOST_SHOWN), bot.memoryless, bot.players, (), None))
    for problem in found.problems:
        click.echo(f"Not loaded: {one_line(problem)}", err=True)
    if as_json:
        keys = ("name", "summary", "memoryless", "players", "aliases", "strength")
        print_json({"agents": [dict(zip(keys, entry, strict=True)) for entry in listed]})
        return
    width = max(len(name) for name, *_ in listed)
    click.echo("Built-in bots, strongest first, with their share of wins at Perudo tables of six (17% is even):\n")
    for name, summary, _, _, aliases, strength in listed:
        also = f" (also called {', '.join(aliases)})" if aliases else ""
        wins = "" if strength is None else f"{strength:.0%}"
        click.echo(f"{name:{width}}  {wins:>4}  {summary}{also}")
    click.echo(
        "\nAlso: threshold:CALL,RAISE, q:FILE, pg:FILE, champion:FILE or clone:FILE (from train), solved:FILE (from "
        "solve), llm:MODEL (a language model), a file (mybot.py), module:Class, or cmd:PROGRAM for a bot in any "
        "language."
    )
