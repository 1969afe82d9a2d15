"""What bids say about the dice among champions: Bayes' rule, by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from liars_dice.core import GameConfig, GameState, count_matches, deal, new_game, preset, view_of
from liars_dice.learn.champion.belief import TREMBLING, TREMOR, all_hands, dice_against_bid
from liars_dice.learn.champion.player import FACES, Champion, seen_in
from support import play

CONFIG = preset("perudo", dice=(2, 1, 2))


def after(config: GameConfig, hands: tuple[tuple[int, ...], ...], moves: str) -> GameState:
    return play(deal(new_game(config), hands), moves)


def likelihood(hands: tuple[tuple[int, ...], ...], moves: str, seat: int, quantity: int, face: int) -> float:
    """How often a trembling champion in this seat makes a bid after these moves."""
    chances = Champion.shipped().distributions([seen_in(view_of(after(CONFIG, hands, moves), seat))])[0]
    flat = chances**TREMOR / (chances**TREMOR).sum()
    number = (quantity - 1) * FACES + face - 1
    return float((1 - TREMBLING) * chances[number] + TREMBLING * flat[number])


def test_the_current_bid_by_walking_all_dice() -> None:
    """Two players have bid; the third weighs all of their dice, with a die as the unit."""
    mine = (1, 4)
    below = exactly = total = 0.0
    first = {d: likelihood((d, (1,), mine), "", 0, 1, 4) for d in product(range(1, 7), repeat=2)}
    second = {(d,): likelihood(((1, 1), (d,), mine), "1x4", 1, 2, 4) for d in range(1, 7)}
    for (one, a), (other, b) in product(first.items(), second.items()):
        count = count_matches((one, other, mine), 4, 1)
        total += a * b
        below += a * b * (count < 2)
        exactly += a * b * (count == 2)
    seen = seen_in(view_of(after(CONFIG, ((2, 2), (2,), mine), "1x4 2x4"), 2))
    assert dice_against_bid(seen) == pytest.approx((below / total, exactly / total), abs=1e-5)


def test_all_hands_are_there_once() -> None:
    for dice in range(1, 6):
        hands, weights = all_hands(dice)
        assert len(np.unique(hands, axis=0)) == len(hands)
        assert (hands.sum(1) == dice).all()
        assert weights.sum() == pytest.approx(1)


def test_no_dice_of_the_others_are_used() -> None:
    found = {
        dice_against_bid(seen_in(view_of(after(CONFIG, ((one, 2), (other,), (1, 4)), "1x4 2x4"), 2)))
        for one, other in product(range(1, 7), repeat=2)
    }
    assert len(found) == 1
