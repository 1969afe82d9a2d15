"""`liars-dice tutorial`: learn the rules and play a guided game."""

from __future__ import annotations

import click

from .options import ascii_option, fixed_seed_option, json_option
from .output import command_line, open_console, print_json


@click.command("tutorial", epilog="Example: liars-dice tutorial --ascii")
@fixed_seed_option(2)
@ascii_option
@json_option
def tutorial_command(seed: int, ascii_only: bool, as_json: bool) -> None:
    """Learn the game in five minutes: the rules, each tried out at once, and a guided game against a bot.

    Type `quit` to leave at any time. The game is not stored; another --seed rolls other dice in it.
    """
    from ..core import LESSONS
    from ..terminal import Quit, TableView, Tutorial

    console = open_console(stderr=as_json)
    table = TableView(console, (), ascii_only=ascii_only)
    tutorial = Tutorial(console, ascii_only=ascii_only)
    code = 0
    table.say("[bold]Liar's Dice in five minutes.[/bold] Type quit to leave at any time.", indent=0)
    try:
        tutorial.run(seed)
    except Quit:
        console.print("\nUntil next time.")
    except KeyboardInterrupt:
        console.print("\nUntil next time.")
        code = 130
    public = None if tutorial.game is None else tutorial.game.public
    finished = public is not None and public.winner is not None
    console.print("\nWhat next?")
    for purpose, words in (
        ("play, and take moves back", ["play", "conservative", "--practice"])
        if finished
        else ("begin again", ["tutorial"]),
        ("see the bots to play", ["agents"]),
        ("read other rules", ["rules", "perudo", "--explain"]),
        ("play in the browser", ["serve", "--open"]),
    ):
        table.suggest(purpose, command_line(*words))
    if as_json:
        winner = None if public is None or public.winner is None else public.names[public.winner]
        rounds = 0 if public is None else len(public.resolutions)
        print_json(
            {
                "lessons": tutorial.lessons,
                "of": len(LESSONS),
                "finished": finished,
                "winner": winner,
                "rounds": rounds,
            }
        )
    if code:
        raise SystemExit(code)
