"""The questions to a person who starts a game without options: opponents, rules, seat, name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import TypeVar

import msgspec
from rich.console import Console
from rich.markup import escape

from ..agents import AGENTS, listed_name, make_agent
from ..core import (
    PLAYERS,
    PRESETS,
    BadValueError,
    GameConfig,
    LiarsDiceError,
    load_rules,
    rules_in_short,
    rules_in_words,
)
from ..persistence import is_person
from ..referee import BotLimits, check_fits, load_agents
from .human_player import ask
from .seating import make_lineup
from .table_view import TableView

USUAL = ("optimal", "maniac", "calling-station", "bluffer")
"""Opponents for a person who only gives a number."""

Answer = TypeVar("Answer")


class TableSetup(msgspec.Struct, frozen=True):
    """The game a person wants to play."""

    lineup: tuple[str, ...]
    """Who sits in each seat: see `seating`."""
    rules: str
    config: GameConfig


def fill_seats(opponents: Sequence[str], seats: int) -> tuple[str, ...]:
    """The opponents, and bots of different styles in the seats that are left."""
    others = [bot for bot in USUAL if bot not in opponents] or USUAL
    return (*opponents, *islice(cycle(others), max(0, seats - len(opponents))))


def ask_table_setup(console: Console, *, isolate: bool = False) -> TableSetup:
    """Ask for opponents, rules and seat until the answers are valid; `Quit` if the person leaves."""
    table = TableView(console, ())
    table.say("Press Enter for the default in brackets, or type ? to list the choices.", indent=0)
    table.say("New to the game? Type quit, then run: liars-dice tutorial", indent=0)
    bots = _ask(table, "Opponents [optimal]", lambda text: read_opponents(text, isolate=isolate), _list_bots)
    usual = "heads-up" if len(bots) == 1 else "perudo"
    rules, config = _ask(table, f"Rules [{usual}]", lambda text: _rules(text or usual, bots), _list_rules)
    last = len(bots)
    seat = _ask(table, f"Your seat, 0 to {last}; 0 opens [0]", lambda text: _seat(text, last), _list_seats)
    name = None
    if any(map(is_person, bots)):
        name = _ask(table, "Your name [Player 1]", lambda text: text or None, _list_seats)
    return TableSetup(make_lineup(bots, seat, name), rules, config)


def read_opponents(text: str, *, isolate: bool = False) -> tuple[str, ...]:
    """The opponents in a text: names separated by spaces or commas, or a number. With `isolate`, no bot is loaded."""
    words = tuple(map(listed_name, text.replace(",", " ").split())) or ("optimal",)
    if len(words) == 1 and words[0].isdecimal():
        count = int(words[0])
        if count + 1 not in PLAYERS:
            raise BadValueError("opponents", count, f"{PLAYERS[0] - 1} to {PLAYERS[-1] - 1}")
        words = fill_seats((), count)
    for word in words:
        if not (is_person(word) or word in AGENTS or word.startswith("cmd:") or isolate):
            load_agents([word], BotLimits())
    return words


def _rules(name: str, opponents: tuple[str, ...]) -> tuple[str, GameConfig]:
    config = load_rules(name, players=len(opponents) + 1)
    for word in opponents:
        if word in AGENTS:
            check_fits(word, make_agent(word), config)
    return name, config


def _seat(text: str, last: int) -> int:
    if not text:
        return 0
    if not text.isdecimal() or int(text) > last:
        raise BadValueError("seat", text, f"a seat from 0 to {last}")
    return int(text)


def _ask(table: TableView, question: str, read: Callable[[str], Answer], listed: Callable[[str], list[str]]) -> Answer:
    """Ask until the answer can be read. After `?` the choices are listed; after `? NAME` one of them is explained."""
    while True:
        answer = ask(table.console, f"{question}: ")
        wish, _, about = answer.partition(" ")
        try:
            if wish in ("?", "help"):
                for line in listed(about.strip()):
                    table.say(escape(line))
                continue
            return read(answer)
        except LiarsDiceError as error:
            table.say(escape(f"{error}"))


def _list_bots(name: str = "") -> list[str]:
    if name:
        listed = listed_name(name)
        return [f"{listed}: {AGENTS[listed].summary}" if listed in AGENTS else f"{name}: no built-in bot"]
    bots = [f"{' or '.join((info.name, *info.aliases))}: {info.summary}" for info in AGENTS.by_strength]
    return [
        "Strongest first:",
        *bots,
        "human or human:NAME: a person beside you",
        "a number: that many bots of different styles",
    ]


def _list_seats(name: str = "") -> list[str]:
    return ["Seat 0 opens the first round; the turn passes to the next higher seat."]


def _list_rules(name: str = "") -> list[str]:
    if name:
        return rules_in_words(load_rules(name))
    listed = [f"{name}: {rules_in_short(config)}" for name, config in PRESETS.items()]
    return [*listed, "? NAME explains one of them, for example: ? perudo"]
