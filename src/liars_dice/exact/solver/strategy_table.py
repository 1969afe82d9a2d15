"""Both strategies of a solved round as a table: what each player does with every hand after every bidding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core import Bid
from ...numeric import Floats
from ...persistence import Columns, Row
from .cfr_traversal import NO_SLOT, ROOT, Pool
from .explanation import action_chances, slot_after_raise
from .public_tree import PublicTree

STRATEGY_COLUMNS: Columns = {
    "seat": int,
    "hand": str,
    "bids": str,
    "action": str,
    "quantity": int,
    "face": int,
    "probability": float,
    "reach": float,
}
"""One row per action that is taken: `seat` 0 opens; `bids` are those so far; `probability` says how often the player
takes the action there, `reach` how often a round comes there with this hand if both players play like this."""
LEAST = 1e-4
"""What a player does less often than this with a hand is left out: the solver's first steps leave such traces."""


def strategy_rows(tree: PublicTree, pool: Pool, least: float = LEAST) -> Iterator[Row]:
    """The strategies in a pool as rows of `STRATEGY_COLUMNS`, wherever each player's own play can lead, whatever the
    other player bids. Where the table has no row, the strategy calls.

    >>> from liars_dice.core import preset
    >>> from liars_dice.exact.solver import solve
    >>> solution = solve(preset("classic", dice=1, faces=2))
    >>> next(strategy_rows(solution.tree, solution.pool))[:4]
    (0, '1', '', '1x1')
    """
    everything = (np.ones(tree.hands[0]), np.ones(tree.hands[1]))
    yield from _rows_from(tree, pool, ROOT, tree.rungs, (), everything, least)


def _rows_from(
    tree: PublicTree,
    pool: Pool,
    slot: int,
    bit: int,
    bids: tuple[Bid, ...],
    played: tuple[Floats, Floats],
    least: float,
) -> Iterator[Row]:
    """The rows of one node and of all after it; `played` says how likely each player makes its bids with each hand."""
    seat = len(bids) % 2
    own, other = played[seat], played[1 - seat]
    hands, history = tree.hand_sets[seat].hands, " ".join(map(str, bids))
    chances = action_chances(tree, pool, seat, slot, bit)
    comes = tree.weights[seat] * own * float(tree.weights[1 - seat] @ other)
    taken = (chances >= least) & (own >= least)
    order = (*range(bit - 1, -1, -1), bit, bit + 1, bit + 2)  # bids from the lowest up, then calls
    for hand in np.flatnonzero(own >= least).tolist():
        for action in order:
            name, bid = _named(tree, action, bit, hands[hand])
            if taken[action, hand] and (bids or bid is not None):
                quantity, face = (None, None) if bid is None else (bid.quantity, bid.face)
                held = " ".join(map(str, hands[hand]))
                yield (seat, held, history, name, quantity, face, float(chances[action, hand]), float(comes[hand]))
    for raised in range(bit - 1, -1, -1):
        after = slot_after_raise(pool, slot, raised)
        then = np.where(taken[raised], own * chances[raised], 0.0)
        if after != NO_SLOT and max(then.max(), other.max()) >= least:  # else neither player comes there
            both = (then, other) if seat == 0 else (other, then)
            yield from _rows_from(tree, pool, after, raised, (*bids, tree.bids[tree.rungs - 1 - raised]), both, least)


def _named(tree: PublicTree, action: int, bit: int, hand: tuple[int, ...]) -> tuple[str, Bid | None]:
    """An action's name, and the bid if it is one, from its row in `action_chances`."""
    if action > bit:
        return ("exact" if action == bit + 1 else "liar"), None
    bid = Bid(tree.config.total_dice, hand[0]) if action == bit else tree.bids[tree.rungs - 1 - action]
    return str(bid), bid
