"""What the bids of a round say about the dice, among champions: exactly, by Bayes' rule over all hands of each player.

A player decides from its own hand and what everybody sees, so the hands of different players are independent of each
other, given the bids. Now and then a champion trembles: then it bids as its network with half the logits would. So bids
that a champion hardly ever makes say little about the dice.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from .player import FACES, Champion, Positions, Seen

Reals = NDArray[np.float64]
TREMBLING, TREMOR = 0.15, 0.5
"""How often a champion trembles, and what its logits are then multiplied by; as the values were trained."""


@lru_cache(maxsize=8)
def all_hands(dice: int) -> tuple[NDArray[np.int64], Reals]:
    """([hand, face - 1], [hand]): the hands of this many dice, and how likely each is."""
    hands = np.array(
        [[hand.count(face) for face in range(FACES)] for hand in combinations_with_replacement(range(FACES), dice)]
    )
    ways = [factorial(dice) / prod(factorial(n) for n in hand) for hand in hands.tolist()]
    return hands, np.array(ways) / FACES**dice


def seen_by_bidder(seen: Seen, made: int) -> Seen:
    """What the player saw who then made bid number `made` of the round, except for its dice."""
    players, bidder = len(seen.dice), seen.bids[made][0]

    def from_bidder(player: int) -> int:
        return (player - bidder) % players

    order = [*range(bidder, players), *range(bidder)]
    return Seen(
        dice=tuple([seen.dice[player] for player in order]),
        had_one=tuple([seen.had_one[player] for player in order]),
        hand=(),
        bids=tuple([(from_bidder(player), quantity, face) for player, quantity, face in seen.bids[:made]]),
        opener=from_bidder(seen.opener),
        rules=seen.rules,
    )


@lru_cache(maxsize=4096)
def bid_likelihood(seen: Seen, quantity: int, face: int) -> Reals:
    """[hand]: how often a champion who sees this makes a bid, with each hand that it may hold."""
    hands, _ = all_hands(seen.dice[0])
    at = Positions(*(np.repeat(part, len(hands), axis=0) for part in Positions.of([seen])))._replace(hand=hands)
    chances = Champion.shipped().distributions_at(at)
    trembling = chances**TREMOR
    trembling /= trembling.sum(1, keepdims=True)
    number = (quantity - 1) * FACES + face - 1
    likelihood: Reals = (1 - TREMBLING) * chances[:, number] + TREMBLING * trembling[:, number]
    likelihood.setflags(write=False)
    return likelihood


def hand_chances(seen: Seen, player: int) -> Reals:
    """[hand]: how likely each hand of another player is, given its bids."""
    weights = all_hands(seen.dice[player])[1].copy()
    for made, (bidder, quantity, face) in enumerate(seen.bids):
        if bidder == player:
            weights *= bid_likelihood(seen_by_bidder(seen, made), quantity, face)
            weights /= weights.sum()
    return weights


def dice_against_bid(seen: Seen) -> tuple[float, float]:
    """The chances that fewer dice match the current bid than it says, and that exactly as many do."""
    _, quantity, face = seen.bids[-1]
    ones_count = seen.rules.wild and not seen.rules.palifico and face != 1
    own = sum(die == face or (ones_count and die == 1) for die in seen.hand)
    matching: Reals = np.ones(1)
    for player in range(1, len(seen.dice)):
        hands, _ = all_hands(seen.dice[player])
        counts = hands[:, face - 1] + (hands[:, 0] if ones_count else 0)
        matching = np.convolve(matching, np.bincount(counts, hand_chances(seen, player)))
    missing = quantity - own
    below = float(matching[: max(0, missing)].sum())
    exactly = float(matching[missing]) if 0 <= missing < len(matching) else 0.0
    return min(1.0, below), min(1.0, exactly)
