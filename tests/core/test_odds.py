"""Probabilities against enumeration, under every wild rule (rules 4.1 to 4.3)."""

from __future__ import annotations

from itertools import product
from math import comb, isclose

import pytest

from liars_dice.core import (
    Bid,
    GameConfig,
    binomial_prob_at_least,
    chance_exact,
    chance_true,
    count_matches,
    preset,
    prob_exact,
    prob_holds,
    view_of,
)
from liars_dice.core.odds import binomial_prob_exactly
from liars_dice.core.rules import RoundRules
from support import dealt


def test_binomial() -> None:
    assert binomial_prob_at_least(5, 0) == binomial_prob_at_least(5, -3) == 1.0
    assert binomial_prob_at_least(5, 6) == 0.0
    assert isclose(binomial_prob_at_least(2, 1), 11 / 36)
    assert isclose(binomial_prob_at_least(5, 2, 1 / 3), sum(comb(5, i) * 2 ** (5 - i) for i in range(2, 6)) / 3**5)
    assert isclose(sum(binomial_prob_exactly(9, k, 0.3) for k in range(10)), 1)
    assert binomial_prob_exactly(3, 4) == binomial_prob_exactly(3, -1) == 0
    assert isclose(binomial_prob_at_least(899, 1, 1 / 20), 1)
    assert all(binomial_prob_at_least(n, k, p) <= 1 for n in range(60) for k in range(n) for p in (1 / 6, 1 / 3, 0.7))


@pytest.mark.parametrize("wild", ["none", "ones", "top"])
@pytest.mark.parametrize("palifico", [False, True])
def test_bids_against_enumeration(wild: str, palifico: bool) -> None:
    """In a palifico round nothing is wild (rule 7.2)."""
    rules = RoundRules(GameConfig.from_dict({"dice": (2, 3), "faces": 4, "wild": wild}), 5, palifico)
    rolls = list(product(range(1, 5), repeat=3))
    for my_dice in ((1, 1), (1, 3), (2, 4), (4, 4)):
        for bid in rules.ladder:
            counts = [count_matches((my_dice, other), bid.face, rules.wild_face) for other in rolls]
            holds = sum(count >= bid.quantity for count in counts) / len(rolls)
            exact = sum(count == bid.quantity for count in counts) / len(rolls)
            assert isclose(prob_holds(bid, my_dice, rules), holds, abs_tol=1e-12), (my_dice, bid)
            assert isclose(prob_exact(bid, my_dice, rules), exact, abs_tol=1e-12), (my_dice, bid)


def test_through_a_view() -> None:
    view = view_of(dealt(preset("perudo", players=2, dice=2), (1, 3), (5, 5)), 0)
    assert isclose(chance_true(view, Bid(3, 3)), 1 - (4 / 6) ** 2)
    assert isclose(chance_exact(view, Bid(3, 3)), 2 * (2 / 6) * (4 / 6))
    assert chance_true(view, Bid(1, 1)) == 1
    assert isclose(chance_true(view, Bid(2, 1)), 1 - (5 / 6) ** 2)
