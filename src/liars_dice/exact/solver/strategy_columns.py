"""The columns in which a strategy is stored. What follows from other columns is left out, so that they pack well.

Lines are sorted by node, hand and rung. The lines with the same node and hand are a *decision*.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .public_tree import PublicTree
from .strategy import Strategy

STEPS = 65535
"""Probabilities are kept as whole numbers of this many steps."""
COLUMNS = {
    "node": np.uint32,  # for each node: how much larger it is than the one before
    "hands": np.uint8,  # for each node: how many decisions it has
    "hand": np.uint8,  # for each decision: how much larger its hand is than that of the one before at the same node
    "lines": np.uint8,  # for each decision: twice how many lines it has, and one more if it never calls liar
    "rung": np.uint8,  # for each line
    "steps": np.uint8,  # of each line but the last of a decision that never calls: the high bytes, then the low bytes
}
"""The arrays of a strategy in the file, and the type of each. Most steps are multiples of 257, with equal bytes."""


def columns_of(strategy: Strategy) -> dict[str, NDArray[Any]]:
    """The columns of a strategy whose probabilities are whole numbers of steps."""
    steps = np.rint(strategy.chance * STEPS).astype(np.int64)
    new_node = np.diff(strategy.node, prepend=~strategy.node[:1]) != 0
    new_decision = new_node | (np.diff(strategy.hand, prepend=-1) != 0)
    node_at, decision_at = np.flatnonzero(new_node), np.flatnonzero(new_decision)
    lines = np.diff(decision_at, append=len(strategy))
    never_calls = np.add.reduceat(steps, decision_at) == STEPS
    told = np.ones(len(strategy), dtype=bool)
    told[(decision_at + lines - 1)[never_calls]] = False
    hand = strategy.hand[decision_at]
    columns = {
        "node": np.diff(strategy.node[node_at], prepend=np.uint64(0)),
        "hands": np.add.reduceat(new_decision, node_at, dtype=np.int64),
        "hand": np.where(new_node[decision_at], hand, np.diff(hand, prepend=0)),
        "lines": 2 * lines + never_calls,
        "rung": strategy.rung,
        "steps": np.concatenate([steps[told] >> 8, steps[told] & 255]),
    }
    return {name: columns[name].astype(kind) for name, kind in COLUMNS.items()}


def strategy_from(tree: PublicTree, seat: int, columns: Mapping[str, NDArray[Any]]) -> Strategy:
    """The strategy of a seat that these columns hold."""
    hands, hand, lines, rung, in_bytes = (columns[name].astype(np.int64) for name in list(COLUMNS)[1:])
    number, never_calls = lines >> 1, (lines & 1).astype(bool)
    ends = np.cumsum(number)
    last = (ends - 1)[never_calls]
    steps = np.zeros(len(rung), dtype=np.int64)
    told = np.ones(len(rung), dtype=bool)
    told[last] = False
    high, low = in_bytes.reshape(2, -1)
    steps[told] = high << 8 | low
    steps[last] = STEPS - np.add.reduceat(steps, ends - number)[never_calls]
    total = np.cumsum(hand)
    hand = total - np.repeat((total - hand)[np.cumsum(hands) - hands], hands)
    node = np.repeat(np.cumsum(columns["node"], dtype=np.uint64), hands)
    if max(node.max() >> np.uint64(tree.rungs), hand.max() // tree.hands[seat], rung.max() // (tree.rungs + 2)) > 0:
        raise ValueError("bids or hands beyond the round")
    return Strategy(tree, seat, np.repeat(node, number), np.repeat(hand, number), rung, steps / STEPS)
