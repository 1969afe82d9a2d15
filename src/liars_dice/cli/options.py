"""Options that several commands share, each spelled and explained once."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..core import GameConfig, load_rules
from ..core.config import SEEDS

Command = TypeVar("Command", bound=Callable[..., Any])


def rules_options(default: str) -> Callable[[Command], Command]:
    """`--rules`, `--players` and `--dice`, which together say what is played."""

    def decorate(command: Command) -> Command:
        command = click.option("--dice", type=int, metavar="N", help="Dice per player.")(command)
        command = click.option("--players", type=int, metavar="N", help="How many players.")(command)
        return click.option(
            "--rules",
            default=default,
            show_default=True,
            metavar="NAME|FILE",
            help="A named rule set, or a .toml or .json file.",
        )(command)

    return decorate


seed_option = click.option(
    "--seed",
    type=click.IntRange(0, SEEDS[-1]),
    metavar="S",
    help="Same seed, same game. [default: a new one each time]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")


def chosen_rules(rules: str, players: int | None, dice: int | None) -> GameConfig:
    """The rules that `rules_options` asked for."""
    return load_rules(rules, players=players, dice=dice)


def program() -> str:
    """How to call this program again from here: by name if the shell would find it, else by its path."""
    name = "liars-dice"
    called = Path(sys.argv[0])
    if shutil.which(name) or called.name != name:
        return name
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def print_json(value: dict[str, object]) -> None:
    """The one JSON object of a `--json` command."""
    click.echo(json.dumps(value))
