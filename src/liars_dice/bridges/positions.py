"""The frozen positions of the benchmark: each with its prompt, its legal moves and what each move is worth.

A set of positions never changes once it is published: a better one gets a new version and a file of its own. The file
is made by `tools/build_positions.py`.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from ..core import GameConfig, GameView, apply, deal, new_game, parse_action, view_of

POSITIONS_VERSION = 1
Group = Literal["no-wilds", "perudo", "multi-player"]
"""Solved rounds of two players without wilds and by the rules of Perudo, and larger tables judged by the champion."""


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """A decision in the first round of a game, and what each move is worth there."""

    id: str
    group: Group
    rules: dict[str, Any]
    """The dice, and the rules that differ from the defaults of `GameConfig`."""
    seat: int
    hand: tuple[int, ...]
    bids: tuple[str, ...]
    prompt: str
    """All that a model needs to know to answer, in one message."""
    legal: tuple[str, ...]
    """Every legal move, as `3x4`, `liar` or `exact`."""
    values: tuple[float, ...]
    """What each of them is worth, in the same order: the chance to win."""
    holds: float | None = None
    """The chance that the current bid is true, given the dice and the bids; None before the first bid."""
    tolerance: float = 0.0
    """Differences up to this mean nothing: the values are estimates (`multi-player` only)."""

    @property
    def exact(self) -> bool:
        """Whether the values come from a solved round."""
        return self.group != "multi-player"

    def view(self) -> GameView:
        """The position as a bot sees it. The other players' dice are not known, so they are no part of it."""
        return position_view(GameConfig.from_dict(self.rules), self.seat, self.hand, self.bids)

    def value_of(self, move: str) -> float:
        """What this legal move is worth."""
        return self.values[self.legal.index(move)]

    def loss(self, move: str) -> float:
        """The chance to win that this legal move gives away; 0 within the tolerance."""
        lost = max(self.values) - self.value_of(move)
        return lost if lost > self.tolerance else 0.0


def position_view(config: GameConfig, seat: int, hand: tuple[int, ...], bids: tuple[str, ...]) -> GameView:
    """What the player in this seat sees in the first round, with this hand, after these bids."""
    hands = tuple(hand if n == seat else (1,) * dice for n, dice in enumerate(config.dice))
    state = deal(new_game(config), hands)
    for bid in bids:
        state = apply(state, parse_action(bid))
    return view_of(state, seat)


@cache
def load_positions() -> tuple[Position, ...]:
    """The positions of this version."""
    data = files(__package__).joinpath("data", f"positions-{POSITIONS_VERSION}.jsonl.gz").read_bytes()
    decoder = msgspec.json.Decoder(Position)
    return tuple(decoder.decode(line) for line in gzip.decompress(data).splitlines())
