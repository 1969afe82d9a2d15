"""All hands of some dice, how likely they are, and which roll gives which."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from liars_dice.core.rules import count_matches
from liars_dice.exact.tables.hands import hand_set, number_of_hands

SIZES = [(1, 6), (2, 6), (5, 6), (3, 2), (2, 20), (4, 4)]


@pytest.mark.parametrize(("dice", "faces"), SIZES)
def test_every_roll_is_one_hand_and_hands_weigh_as_many_rolls_as_they_have(dice: int, faces: int) -> None:
    hands = hand_set(dice, faces)
    assert len(hands) == number_of_hands(dice, faces)
    of_rolls = hands.of_rolls()
    assert len(of_rolls) == faces**dice
    for number, roll in enumerate(product(range(1, faces + 1), repeat=dice)):
        read = sum((face - 1) * faces**place for place, face in enumerate(roll))
        assert hands.hands[of_rolls[read]] == tuple(sorted(roll)), number
    assert np.allclose(np.bincount(of_rolls) / faces**dice, hands.weights, atol=1e-15)


@pytest.mark.parametrize(("dice", "faces"), SIZES)
@pytest.mark.parametrize("wild", [None, 1, "top"])
def test_dice_count_as_in_the_rules(dice: int, faces: int, wild: int | str | None) -> None:
    """Rule 4: those that show the face, and the wild ones."""
    wild_face = faces if wild == "top" else wild
    assert wild_face is None or isinstance(wild_face, int)
    hands = hand_set(dice, faces)
    matches = hands.matches(wild_face)
    for i, hand in enumerate(hands.hands):
        for face in range(1, faces + 1):
            assert matches[i, face] == count_matches((hand,), face, wild_face)


def test_one_die_more() -> None:
    grown = hand_set(2, 6).with_one_more()
    larger = hand_set(3, 6)
    assert larger.hands[grown[hand_set(2, 6).index[2, 5], 3 - 1]] == (2, 3, 5)
