"""The table of events in docs/engine.md: every event, its fields, and who may see them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_args

import msgspec

from liars_dice.core import (
    SPECTATOR,
    AgentFaulted,
    Bid,
    BidPlaced,
    DiceRevealed,
    DiceRolled,
    Event,
    ExactCalled,
    Fairness,
    GameConfig,
    GameCreated,
    GameEnded,
    LiarCalled,
    RoundEnded,
    RoundStarted,
    SharedDiceRolled,
    visible_to,
)
from test_house import ROOT

FILLED: tuple[Event, ...] = (
    GameCreated(GameConfig(seed=7), ("ann", "bob"), ("human:ann", None), "game@3", Fairness("hash", ("a", "b"), "key")),
    RoundStarted(1, 1, (2, 3), True),
    DiceRolled(0, (1, 4), "7/1/0"),
    SharedDiceRolled((2,), (3, 3), "7/1/2"),
    BidPlaced(0, Bid(2, 4), "I hold one"),
    LiarCalled(0, "too many"),
    ExactCalled(0, "just right"),
    DiceRevealed(((1, 4), (2, 2, 6)), (2,), (3, 3)),
    RoundEnded(1, 0, Bid(2, 4), 1, False, (1, 3)),
    GameEnded(1),
    AgentFaulted(0, "illegal", "1x1 is too low", "liar", "mybot.py, line 3"),
)
"""Every event, by seat 0 if by anyone, with something in every field."""


def rows() -> dict[str, list[str]]:
    """The cells of the table, by event."""
    page = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
    table = page.partition("## Events")[2].partition("\n## ")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:2] == "| "]
    return {cells[0].strip("`"): cells[1:] for cells in lines[1:]}


def quoted(text: str) -> list[str]:
    return re.findall(r"`([\w.]+)`", text)


def differences(one: object, other: object, place: str = "") -> Iterator[str]:
    """The fields in which two values differ, those of values inside them as `outer.inner`."""
    if one == other:
        return
    if isinstance(one, msgspec.Struct) and type(one) is type(other):
        for name in one.__struct_fields__:
            yield from differences(getattr(one, name), getattr(other, name), f"{place}.{name}" if place else name)
    else:
        yield place


def test_the_table_has_every_event_with_its_fields() -> None:
    written = {name: quoted(cells[0]) for name, cells in rows().items()}
    assert written == {kind.__name__: list(kind.__struct_fields__) for kind in get_args(Event)}
    assert [type(event) for event in FILLED] == list(get_args(Event))


def test_the_table_says_who_sees_what() -> None:
    for event in FILLED:
        who = rows()[type(event).__name__][2]
        seen, watched = visible_to(event, 0), visible_to(event, SPECTATOR)
        assert seen is not None
        assert who.startswith("the player alone" if watched is None else "everyone")
        nobody = who.partition("nobody sees")[2]
        player = who.partition("; the player alone sees")[2]
        assert quoted(nobody) == list(differences(event, seen)), event
        assert quoted(player) == ([] if watched is None else list(differences(seen, watched))), event
