"""What actions are worth between two players who follow the short-memory strategies.

What the other player may hold follows from its bids, by the strategy's own bidding. An action is worth what it wins if
both players go on by the strategies: exactly, by walking all places of the round backwards for one hand of the player
and all hands of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import RoundRules
from ...numeric import Floats
from .short_memory import load, memory_of, remember
from .tablebase import has_tablebase_rules

Singles = NDArray[np.float32]
Key = tuple[int, int, bool]
"""The player's dice, the other's, and whether the player opens."""
SLIP = 0.01
"""How often a player is taken to bid anything at all instead: a bid that the strategy never makes says nothing about
the dice, and no bid proves a hand."""


class ShortMemoryValues(NamedTuple):
    """A decision by the strategies. Actions are numbers: the rung of a bid, or the number of rungs for a call."""

    chances: dict[int, float]
    """How often the strategy takes each action; those that it never takes are left out."""
    values: dict[int, float]
    """The chance to win the round after each action."""
    holds: float | None
    """The chance that the current bid holds; None before the first bid."""
    rarest: float
    """How often the strategy makes the least likely of the other player's bids."""


def values_by_short_memory(
    rules: RoundRules, dice: tuple[int, int], hand: Sequence[int], rungs: Sequence[int]
) -> ShortMemoryValues | None:
    """What the strategies say about a decision after bids on these rungs; None if there are none for the round.

    `dice` are those of the player to move and of the other player.
    """
    key = (*dice, len(rungs) % 2 == 0)
    if not has_tablebase_rules(rules) or key not in load():
        return None
    strategy = load()[key]
    walk = _walk(key, tuple(sorted(hand)))
    weights, rarest = _belief(key, tuple(rungs))
    column, memory = rungs[-1] + 1 if rungs else 0, memory_of(rungs)
    values = {}
    for rung in range(column, strategy.places.rungs):
        next_memory = remember(memory, rung + 1 - column, strategy.places.faces) if rungs else 0
        values[rung] = min(1.0, float(walk.after_mine[rung + 1, next_memory] @ weights))
    holds = None
    if rungs:
        values[strategy.liar] = min(1.0, float(walk.false[column] @ weights))
        holds = 1 - values[strategy.liar]
    return ShortMemoryValues(strategy.chances(hand, rungs), values, holds, rarest)


class Walk(NamedTuple):
    """A round in which both players follow the strategies, seen by a player with one hand."""

    after_mine: Singles
    """[column, memory, other hand]: the player's chance to win when the other is to move at this place."""
    false: Singles
    """[column, other hand]: whether the bid of the column is false (column 0: no bid)."""


@lru_cache(maxsize=6)
def _moves(key: Key) -> Singles:
    """[column, memory, hand, move]: a strategy."""
    whole: Singles = np.ascontiguousarray(load()[key].array().transpose(1, 2, 0, 3), dtype=np.float32)
    return whole


@lru_cache(maxsize=64)
def _walk(key: Key, hand: tuple[int, ...]) -> Walk:
    """Walk the round backwards for one hand of the player."""
    own, other, opens = key
    mine = load()[key]
    places = mine.places
    ours, theirs = _moves(key)[:, :, mine.hands.index[hand]], _moves((other, own, not opens))
    my_matches = places.matches[0 if opens else 1][mine.hands.index[hand]]
    their_matches = places.matches[1 if opens else 0]
    columns, memories, hands = theirs.shape[:3]
    false = np.zeros((columns, hands), dtype=np.float32)
    for column in range(1, columns):
        face, quantity = places.face[column - 1], places.quantity[column - 1]
        false[column] = my_matches[face] + their_matches[:, face] < quantity
    after_mine, after_theirs = (np.zeros((columns, memories, hands), dtype=np.float32) for _ in "ab")
    for column in range(columns - 1, 0, -1):
        width = int(places.width[column])
        reached = (column + 1 + np.arange(width), places.after[:, :width])  # [memory, move]
        raised = np.einsum("mhj,mjh->mh", theirs[column, :, :, :width], after_theirs[reached])
        after_mine[column] = raised + theirs[column, :, :, places.call] * (1 - false[column])
        raised = np.einsum("mj,mjh->mh", ours[column, :, :width], after_mine[reached])
        after_theirs[column] = raised + ours[column, :, places.call, None] * false[column]
    return Walk(after_mine, false)


@lru_cache(maxsize=256)
def _belief(key: Key, rungs: tuple[int, ...]) -> tuple[Floats, float]:
    """How likely each hand of the other player is after bids on these rungs, and how often the strategy makes the least
    likely of its bids.
    """
    own, other, opens = key
    strategy = load()[other, own, not opens]
    weights, rarest = strategy.hands.weights.copy(), 1.0
    for made, rung in enumerate(rungs):
        if (made % 2 == 0) == opens:  # the player's own bid
            continue
        before = rungs[:made]
        chances = np.array([strategy.chances(hand, before).get(rung, 0.0) for hand in strategy.hands.hands])
        rarest = min(rarest, float(weights @ chances))
        legal = strategy.places.rungs - (before[-1] if before else -1)
        weights = weights * ((1 - SLIP) * chances + SLIP / legal)
        weights /= weights.sum()
    return weights, rarest
