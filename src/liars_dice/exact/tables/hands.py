"""All hands of a number of dice, as sorted multisets: their faces, how likely each is, and the hand of each roll."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import numpy as np

from ...numeric import Floats, Ints


def number_of_hands(dice: int, faces: int) -> int:
    """How many different hands this many dice make.

    >>> [number_of_hands(n, 6) for n in range(1, 6)]
    [6, 21, 56, 126, 252]
    """
    return comb(dice + faces - 1, dice)


class HandSet:
    """Every hand of `dice` dice with `faces` faces, in lexicographic order."""

    def __init__(self, dice: int, faces: int) -> None:
        self.dice = dice
        self.faces = faces
        self.hands = list(combinations_with_replacement(range(1, faces + 1), dice))
        self.index = {hand: i for i, hand in enumerate(self.hands)}
        shown = np.array(self.hands, dtype=np.int64).reshape(len(self.hands), dice)
        self.counts: Ints = np.stack([(shown == face).sum(axis=1) for face in range(1, faces + 1)], axis=1)
        """How many dice of each face (column 0: ones) each hand has."""
        orders = [factorial(dice) // prod(map(factorial, row)) for row in self.counts.tolist()]
        self.weights: Floats = np.array([ways / faces**dice for ways in orders])
        """How likely each hand is."""

    def __len__(self) -> int:
        return len(self.hands)

    def __repr__(self) -> str:
        return f"<HandSet: {len(self)} hands of {self.dice} dice with {self.faces} faces>"

    def matches(self, wild_face: int | None) -> Ints:
        """How many dice of each hand count for a bid on each face; column 0 belongs to no face."""
        counted = np.zeros((len(self), self.faces + 1), dtype=np.int64)
        counted[:, 1:] = self.counts
        if wild_face is not None:
            others = [face for face in range(1, self.faces + 1) if face != wild_face]
            counted[:, others] += self.counts[:, [wild_face - 1]]
        return counted

    def with_one_more(self) -> Ints:
        """The hand of one die more that each hand becomes when a die shows each face (column 0: a one)."""
        larger = hand_set(self.dice + 1, self.faces).index
        grown = [[larger[tuple(sorted((*hand, face)))] for face in range(1, self.faces + 1)] for hand in self.hands]
        return np.array(grown, dtype=np.int64)

    def of_rolls(self) -> Ints:
        """The hand of every ordered roll, the roll read as a number with the first die as its lowest digit."""
        hands: Ints = np.zeros(1, dtype=np.int64)
        for dice in range(self.dice):
            grown = hand_set(dice, self.faces).with_one_more()
            hands = np.concatenate([grown[hands, face] for face in range(self.faces)])
        return hands


@lru_cache(maxsize=256)
def hand_set(dice: int, faces: int) -> HandSet:
    """The set of all such hands, made once."""
    return HandSet(dice, faces)
