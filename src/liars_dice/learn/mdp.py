"""The game as a Markov decision process for one learner: the opponent's answer is part of the transition.

One round, with the learner in seat 0 and the opponent in seat 1. The reward is +1 or -1 when the round ends with a call
by either. The opponent is a policy table, so a step costs some nanoseconds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..agents import Agent, Guard, unguarded
from ..core import GameConfig, round_rules
from ..exact.tables import MixArrays, PolicyBook, Situation, draw_action, hand_set, ladder_arrays
from ..numeric import Int, Ints, below, inlined


class OpponentTable(NamedTuple):
    """The opponent's policy as arrays."""

    cells: NDArray[np.int32]
    """[hand, rung + 1]: a rung, or the number of rungs for "liar"; a negative number is a distribution in `mixes`."""
    mixes: MixArrays


class RoundArrays(NamedTuple):
    """A single round between two players as arrays."""

    rungs: int
    quantity: Ints
    face: Ints
    own_rolls: Ints
    """The index of the hand for each roll of the learner's dice."""
    other_rolls: Ints
    own_matches: Ints
    other_matches: Ints
    """[hand, face]: how many dice match a bid on a face."""


def make_round_arrays(config: GameConfig) -> RoundArrays:
    """The first round under these rules, with the learner in seat 0."""
    rules = round_rules(config.without_seed, config.total_dice, False)
    own, other = (hand_set(dice, config.faces) for dice in config.dice)
    quantity, face = ladder_arrays(rules)
    return RoundArrays(
        rungs=len(rules.bids),
        quantity=quantity,
        face=face,
        own_rolls=own.of_rolls(),
        other_rolls=other.of_rolls(),
        own_matches=own.matches(rules.wild_face),
        other_matches=other.matches(rules.wild_face),
    )


def make_opponent_table(agent: Agent, config: GameConfig, guard: Guard = unguarded) -> OpponentTable:
    """A memoryless agent in seat 1, as a table."""
    rules = round_rules(config.without_seed, config.total_dice, False)
    book = PolicyBook(agent, guard)
    table = book[Situation(rules, config.dice[1])].complete()
    return OpponentTable(table.cells, book.mixes.arrays())


@inlined
def deal_hands(game: RoundArrays, key: np.uint64) -> tuple[np.int64, np.int64]:
    """Both hands: H₁, H₂ ~ Uniform({1, ..., F}^N)."""
    own, position = below(key, 0, game.own_rolls.size)
    other, position = below(key, position, game.other_rolls.size)
    return game.own_rolls[own], game.other_rolls[other]


@inlined
def bid_holds(game: RoundArrays, own: Int, other: Int, rung: Int) -> bool:
    """Whether a bid is true."""
    face = game.face[rung]
    return bool(game.own_matches[own, face] + game.other_matches[other, face] >= game.quantity[rung])


@inlined
def opponent_action(opponent: OpponentTable, other: Int, rung: Int, key: np.uint64, position: int) -> np.int64:
    """π₂: the opponent's answer to a bid."""
    action = np.int64(opponent.cells[other, rung + 1])
    return draw_action(opponent.mixes, action, key, position) if action < 0 else action
