"""One word for each thing, in the arguments and the `--help` of every command."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import click
import pytest

from command_line import call, told
from liars_dice.cli import COMMANDS, main
from liars_dice.cli.options import RenamedOption

BY_COMMAND = {
    "--dice": {"N", "N0 N1"},  # per player; of the opener and the other player where a round has two
    "--resume": {"GAME", "TOURNAMENT", "FILE"},  # always what to resume
}
"""Options that take different things in different commands, and what they take."""


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {below}", one) for below, one in command.commands.items())


def test_an_option_takes_the_same_in_every_command() -> None:
    taken: dict[str, set[str]] = defaultdict(set)
    for name, command in commands():
        context = click.Context(command, info_name=name)
        for option in command.params:
            if isinstance(option, click.Option):
                is_flag = option.is_flag or option.count
                taken[option.opts[0]].add("" if is_flag else option.make_metavar(context))
    assert {name: words for name, words in taken.items() if len(words) > 1} == BY_COMMAND


OLD_SPELLINGS = {
    "simulate --games 7": "simulate --replications 7",
    "solve --dice 1 2 --out x.npz": "solve 1 2 --save x.npz",
    "games --player maniac": "games --agent maniac",
    "serve --bot mybot.py": "serve --agents mybot.py",
    "train q --out q.npz --resume": "train --out q.npz --resume q",
}
"""Command lines of today, and how they were written before."""


def meant(line: str) -> dict[str, Any]:
    """What a command line asks for."""
    name, *words = line.split()
    command = main.get_command(click.Context(main), name)
    assert command is not None
    asked = command.make_context(name, words).params
    if sides := asked.pop("sides", None):
        asked["dice"] = sides
    return asked


@pytest.mark.parametrize(("today", "before"), OLD_SPELLINGS.items())
def test_old_spellings_mean_the_same(today: str, before: str) -> None:
    assert meant(before) == meant(today)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_uses_one_vocabulary(name: str) -> None:
    """A program that plays is a bot, old spellings are not shown, and defaults have one kind of brackets."""
    shown = call(name, "--help").output
    assert "[default: (" not in " ".join(shown.split())
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for option in command.params:
        for old in option.formerly if isinstance(option, RenamedOption) else ():
            assert not re.search(rf"{old}\b", shown)
    listed = re.sub(r"\b(liars-\s*dice|main)\s+agents|agents/|\[default: agents\]|RandomAgent", "", shown)
    assert not re.search(r"agent", listed, re.IGNORECASE)


def test_a_model_is_resumed_by_its_name() -> None:
    assert meant("train q --resume q.npz")["resume"] == "q.npz"
    assert meant("train q --resume --out q.npz")["resume"] == ""
    assert call("train", "q", "--resume").stderr.splitlines()[-1] == (
        "Error: Name the model to continue: --resume FILE."
    )


@pytest.mark.parametrize("words", [("1",), (), ("1", "2", "--dice", "1", "2")], ids=str)
def test_the_dice_of_both_sides_are_asked_for(words: tuple[str, ...]) -> None:
    result = call("solve", *words)
    assert result.exit_code == 2
    assert "number of dice of both players, the opener's first: --dice N0 N1" in result.stderr


@pytest.mark.parametrize(
    ("words", "headings", "scale"),
    [
        ("--dice 1", "beats ties Elo", "Elo"),
        ("--dice 1 --games 2", "beats undecided Elo", "Elo"),
        ("--dice 1 --rules perudo --players 3 --tables 1", "beats undecided OpenSkill", "OpenSkill"),
    ],
)
def test_a_ranking_says_what_is_undecided_and_on_which_scale(words: str, headings: str, scale: str) -> None:
    line = ("tournament", "maniac", "passive", "random", *words.split())
    assert headings in " ".join(call(*line).output.split())
    assert told(*line)["rating_scale"] == scale


def test_a_bot_without_a_declaration_is_not_said_to_remember() -> None:
    assert "detective does not declare `memoryless`" in " ".join(
        call("matchup", "detective", "random", "--dice", "1", "--games", "2").output.split()
    )
