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

from ...core import Bid, GameConfig, RoundRules
from ...numeric import Floats
from .explanation import place_of
from .public_tree import PublicTree
from .short_memory import ShortGame, ShortKey, ShortStrategy, load
from .short_memory_packing import PARTS
from .tablebase import solved_game

Singles = NDArray[np.float32]
SHORT_MEMORY = "short-memory strategy"
"""The source named in advice and explanations by these strategies."""
SLIP = 0.01
"""How often a player is taken to bid anything at all instead: a bid that the strategy never makes says nothing about
the dice, and no bid proves a hand."""


class ShortMemoryValues(NamedTuple):
    """A decision by the strategies. Actions are numbers: the rung of a bid, the number of rungs for a call of liar, and
    one more for an exact call.
    """

    chances: dict[int, float]
    """How often the strategy takes each action; those that it never takes are left out."""
    values: dict[int, float]
    """The chance to win the round after each action."""
    holds: float | None
    """The chance that the current bid holds; None before the first bid."""
    rarest: float
    """How often the strategy makes the least likely of the other player's bids."""
    belief: tuple[tuple[tuple[int, ...], float], ...]
    """The other player's hands, the likeliest first, and how likely each is."""


def short_strategy(rules: RoundRules, dice: tuple[int, int], opens: bool) -> ShortStrategy | None:
    """The strategy of a player with `dice[0]` dice against one with `dice[1]`, if the package has one."""
    game = solved_game(rules)
    if game is None:
        return None
    return load().get(ShortKey("heads-up" if game == "heads-up" else "perudo", *dice, opens))


def measured_rounds(game: ShortGame) -> list[tuple[int, int]]:
    """The dice of the rounds that the package has strategies for, the opener's first; fewer dice first."""
    return sorted((key.dice for key in load() if key.game == game and key.opens), key=lambda dice: (sum(dice), dice))


def values_by_short_memory(
    rules: RoundRules, dice: tuple[int, int], hand: Sequence[int], rungs: Sequence[int]
) -> ShortMemoryValues | None:
    """What the strategies say about a decision after bids on these rungs; None if there are none for the round.

    `dice` are those of the player to move and of the other player.
    """
    strategy = short_strategy(rules, dice, len(rungs) % 2 == 0)
    if strategy is None:
        return None
    places = strategy.places
    walk = _walk(strategy.key, tuple(sorted(hand)))
    weights, rarest = _belief(strategy.key, tuple(rungs))
    column, memory = places.place(rungs)
    values = {}
    for rung in range(column, places.rungs):
        remembered = places.after[memory, rung - column] if rungs else places.start
        values[rung] = min(1.0, float(walk.after_mine[rung + 1, remembered] @ weights))
    holds = None
    if rungs:
        for call in range(len(walk.right)):
            values[strategy.liar + call] = min(1.0, float(walk.right[call, column] @ weights))
        holds = 1 - values[strategy.liar]
    hands = load()[strategy.key.opponent].hands.hands
    belief = tuple((hands[i], float(weights[i])) for i in np.argsort(-weights, kind="stable").tolist())
    return ShortMemoryValues(strategy.chances(hand, rungs), values, holds, rarest, belief)


def measured_explanation(config: GameConfig, history: Sequence[Bid], hand: Sequence[int]) -> dict[str, object] | None:
    """A decision in a round by itself as JSON for other programs, with the keys of `explanation_as_dict`; None if the
    package has no strategies for the round. Values are those of two players who go on by the strategies. Nothing is
    proved about them, so there are no bounds.
    """
    tree = PublicTree(config)
    seat, _, rungs = place_of(tree, history, hand)
    dice = config.dice[seat], config.dice[1 - seat]
    strategy = short_strategy(tree.rules, dice, opens=seat == 0)
    found = values_by_short_memory(tree.rules, dice, hand, rungs)
    if strategy is None or found is None:
        return None
    moves = [str(move) for move in tree.rules.moves]
    own_bids = ((strategy.chances(hand, rungs[:made]), rungs[made]) for made in range(seat, len(rungs), 2))
    calls_first = sorted(found.values, key=lambda action: (action < len(tree.rules.bids), action))
    best = max(calls_first, key=lambda action: found.values[action])
    return {
        "dice": list(config.dice),
        "of": "round",
        "source": SHORT_MEMORY,
        "hand": list(hand),
        "bids": [str(bid) for bid in history],
        "value": 2 * found.values[best] - 1,
        "best": moves[best],
        "comes_here": all(rung in chances for chances, rung in own_bids),
        "expected": found.rarest > 0,
        "actions": [
            {
                "action": moves[action],
                "probability": found.chances.get(action, 0.0),
                "value": 2 * found.values[action] - 1,
            }
            for action in calls_first
        ],
        "belief": [{"hand": list(map(int, held)), "probability": chance} for held, chance in found.belief],
        "lower": None,
        "upper": None,
    }


class Walk(NamedTuple):
    """A round in which both players follow the strategies, seen by a player with one hand."""

    after_mine: Singles
    """[column, memory, other hand]: the player's chance to win when the other is to move at this place."""
    right: Singles
    """[kind of call, column, other hand]: whether a call of liar, or of exact, is right (column 0: no bid)."""


@lru_cache(maxsize=4)
def _parts(key: ShortKey) -> NDArray[np.uint8]:
    """[column, memory, hand, move]: a strategy in whole parts."""
    return load()[key].parts()


@lru_cache(maxsize=24)
def _walk(key: ShortKey, hand: tuple[int, ...]) -> Walk:
    """Walk the round backwards for one hand of the player."""
    mine = load()[key]
    places, call = mine.places, mine.places.call
    ours, theirs = _parts(key)[:, :, mine.hands.index[hand]], _parts(key.opponent)
    my_matches = places.matches[0 if key.opens else 1][mine.hands.index[hand]]
    their_matches = places.matches[1 if key.opens else 0]
    columns, memories, hands = theirs.shape[:3]
    right = np.zeros((theirs.shape[3] - call, columns, hands), dtype=np.float32)
    for column in range(1, columns):
        face, quantity = places.face[column - 1], places.quantity[column - 1]
        matching = my_matches[face] + their_matches[:, face]
        right[:, column] = np.stack([matching < quantity, matching == quantity])[: len(right)]
    after_mine, after_theirs = (np.zeros((columns, memories, hands), dtype=np.float32) for _ in "ab")
    for column in range(columns - 1, 0, -1):
        width = int(places.width[column])
        reached = (column + 1 + np.arange(width), places.after[:, :width])  # [memory, move]
        they, we = (moves[column].astype(np.float32) / PARTS for moves in (theirs, ours))
        after_mine[column] = np.einsum("mhj,jh->mh", they[..., call:], 1 - right[:, column])
        after_theirs[column] = we[:, call:] @ right[:, column]
        if width:  # over an empty axis, NumPy's einsum multiplies uninitialised memory by zero, which may give NaN
            after_mine[column] += np.einsum("mhj,mjh->mh", they[..., :width], after_theirs[reached])
            after_theirs[column] += np.einsum("mj,mjh->mh", we[:, :width], after_mine[reached])
    return Walk(after_mine, right)


@lru_cache(maxsize=256)
def _belief(key: ShortKey, rungs: tuple[int, ...]) -> tuple[Floats, float]:
    """How likely each hand of the other player is after bids on these rungs, and how often the strategy makes the least
    likely of its bids.
    """
    strategy = load()[key.opponent]
    weights, rarest = strategy.hands.weights.copy(), 1.0
    for made, rung in enumerate(rungs):
        if (made % 2 == 0) == key.opens:  # the player's own bid
            continue
        before = rungs[:made]
        chances = np.array([strategy.chances(hand, before).get(rung, 0.0) for hand in strategy.hands.hands])
        rarest = min(rarest, float(weights @ chances))
        legal = strategy.places.rungs - (before[-1] if before else -1)
        weights = weights * ((1 - SLIP) * chances + SLIP / legal)
        weights /= weights.sum()
    return weights, rarest
