"""Options that several commands share, each spelled and explained once."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from ..core import DICE_PER_SEAT, FACES, PLAYERS, SEEDS, BidOrdering, GameConfig, Wild

if TYPE_CHECKING:
    from rich.console import Console

Command = TypeVar("Command", bound=Callable[..., Any])


players_option = click.option(
    "--players", type=click.IntRange(PLAYERS[0], PLAYERS[-1]), metavar="N", help="How many players."
)
dice_option = click.option(
    "--dice", type=click.IntRange(DICE_PER_SEAT[0], DICE_PER_SEAT[-1]), metavar="N", help="Dice per player."
)


def rules_options(default: str) -> Callable[[Command], Command]:
    """`--rules`, `--players` and `--dice`, which together say what is played."""

    def decorate(command: Command) -> Command:
        command = dice_option(players_option(command))
        return click.option(
            "--rules",
            default=default,
            show_default=True,
            metavar="NAME|FILE",
            help="A named rule set, or a .toml or .json file.",
        )(command)

    return decorate


round_dice_option = click.option(
    "--dice",
    nargs=2,
    type=click.IntRange(DICE_PER_SEAT[0], DICE_PER_SEAT[-1]),
    required=True,
    metavar="N0 N1",
    help="Dice of the player who opens, and of the other.",
)


def round_options(command: Command) -> Command:
    """`--faces`, `--wild` and `--ordering`: the rules of one round between two players."""
    faces = click.option("--faces", type=click.IntRange(FACES[0], FACES[-1]), default=6, show_default=True, metavar="F")
    wild = click.option("--wild", type=click.Choice(get_args(Wild)), default="none", show_default=True)
    ordering = click.option(
        "--ordering",
        type=click.Choice(get_args(BidOrdering)),
        default="quantity_then_face",
        show_default=True,
    )
    return faces(wild(ordering(command)))


def pace_options(command: Command) -> Command:
    """`--step` and `--delay`: how fast a game is shown."""
    step = click.option("--step", is_flag=True, help="Wait for Enter after each event; q leaves.")
    delay = click.option(
        "--delay", type=click.FloatRange(0, 60), default=0.0, metavar="S", help="Wait S seconds after each event."
    )
    return step(delay(command))


def fixed_seed_option(seed: int) -> Callable[[Command], Command]:
    """`--seed` of commands that do the same every time unless told otherwise."""
    return click.option(
        "--seed",
        type=click.IntRange(0, SEEDS[-1]),
        default=seed,
        show_default=True,
        metavar="S",
        help="Same seed, same result.",
    )


seed_option = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS[-1]),
    metavar="S",
    help="Same seed, same game. [default: a new one each time]",
)
db_option = click.option(
    "--db", metavar="FILE|URL", help="The store: a SQLite or .jsonl file, or postgresql://... [default: your own]"
)
isolate_option = click.option("--isolate", is_flag=True, help="Run each bot in a process of its own, behind walls.")
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), metavar="N", help="How many cores to use. [default: all]"
)
ascii_option = click.option("--ascii", "ascii_only", is_flag=True, help="Draw with plain letters.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def was_said(context: click.Context, name: str) -> bool:
    """Whether somebody gave this option, rather than leaving it as it is."""
    return context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def seed_for(config: GameConfig, seed: int | None) -> int:
    """The seed that was asked for, on the command line or in the rules, or a new one."""
    from ..core import fresh_seed

    asked = config.seed if seed is None else seed
    return fresh_seed() if asked is None else asked


def program() -> str:
    """How to call this program again from here: by name if the shell would find it, else by its path."""
    name = "liars-dice"
    called = Path(sys.argv[0])
    if shutil.which(name) or called.name != name:
        return name
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def command_line(*words: str, db: str | None = None) -> str:
    """A command to be typed, on the store that is in use."""
    return f"{program()} {shlex.join([*words, *([] if db is None else ['--db', db])])}"


def open_console(*, stderr: bool = False) -> Console:
    """Where text is printed; a terminal that is dumb is still as wide as it says."""
    from rich.console import Console

    console = Console(highlight=False, stderr=stderr)
    if console.is_dumb_terminal:
        console.size = shutil.get_terminal_size()
    return console


def print_json(value: dict[str, object]) -> None:
    """The one JSON object of a `--json` command."""
    click.echo(json.dumps(value))
