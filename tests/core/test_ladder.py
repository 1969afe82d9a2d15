"""Bids in order (rules 3.1 to 3.5, 3.8, 3.9)."""

from __future__ import annotations

import pickle
from itertools import pairwise, product

import pytest
from hypothesis import given

from liars_dice.core import Bid, GameConfig, IllegalMoveError, Ladder, parse_bid, preset
from support import configs


def higher(config: GameConfig, bid: str) -> list[str]:
    """Every bid that may follow."""
    ladder = config.ladder()
    return [str(other) for other in ladder.bids[ladder.rung(parse_bid(bid)) + 1 :]]


def test_quantity_then_face() -> None:
    """Rule 3.3."""
    config = GameConfig(dice=(1, 1), faces=3)
    assert [str(bid) for bid in config.ladder()] == ["1x1", "1x2", "1x3", "2x1", "2x2", "2x3"]


def test_liars_dice_standard() -> None:
    """Rule 3.4: the same face and more, or any quantity of a higher face."""
    config = GameConfig(dice=(1, 1), faces=3, bid_ordering="liars_dice_standard")
    assert [str(bid) for bid in config.ladder()] == ["1x1", "2x1", "1x2", "2x2", "1x3", "2x3"]


def test_perudo() -> None:
    """Rule 3.5, against the rule as people say it: to ones half rounded up, from ones double plus one."""
    config = preset("perudo", players=2)
    assert higher(config, "6x4")[:2] == ["6x5", "6x6"]
    assert next(bid for bid in higher(config, "6x4") if bid.endswith("x1")) == "3x1"
    assert next(bid for bid in higher(config, "3x1") if not bid.endswith("x1")) == "7x2"
    assert len(preset("perudo").ladder()) == 180
    for q, f, r, g in product(range(1, 11), range(1, 7), range(1, 11), range(1, 7)):
        low, high = Bid(q, f), Bid(r, g)
        if f == 1 and g == 1:
            legal = r > q
        elif g == 1:
            legal = r >= (q + 1) // 2
        elif f == 1:
            legal = r >= 2 * q + 1
        else:
            legal = (r, g) > (q, f)
        assert high.is_higher_than(low, config) == legal, (low, high)


@given(configs())
def test_every_ordering_is_a_strict_total_order(config: GameConfig) -> None:
    """Rule 3.2: rungs and `is_higher_than` are the same order."""
    for palifico in (False, True):
        ladder = config.ladder(palifico=palifico)
        for low, high in pairwise(ladder):
            assert high.is_higher_than(low, config, palifico=palifico)
            assert not low.is_higher_than(high, config, palifico=palifico)
        assert [ladder.rung(bid) for bid in ladder] == list(range(len(ladder)))
        assert not ladder[0].is_higher_than(ladder[0], config)


def test_quantities() -> None:
    """Rule 3.8."""
    assert max(bid.quantity for bid in GameConfig().ladder()) == 5
    assert max(bid.quantity for bid in GameConfig().ladder(3)) == 3
    assert max(bid.quantity for bid in GameConfig(max_quantity=9).ladder()) == 9
    assert max(bid.quantity for bid in GameConfig(max_quantity=2).ladder(1)) == 2


def test_forbidden_faces() -> None:
    """Rule 3.9; in a palifico round nothing is wild, so nothing is forbidden (rule 7.2)."""
    ones = GameConfig(wild="ones", wild_bids="forbidden")
    assert {bid.face for bid in ones.ladder()} == {2, 3, 4, 5, 6}
    assert {bid.face for bid in ones.ladder(palifico=True)} == {1, 2, 3, 4, 5, 6}
    perudo = preset("perudo", players=2, wild_bids="forbidden").ladder()
    assert [str(bid) for bid in perudo.bids[:6]] == ["1x2", "1x3", "1x4", "1x5", "1x6", "2x2"]
    assert {bid.face for bid in GameConfig(wild="top", wild_bids="forbidden").ladder()} == {1, 2, 3, 4, 5}


def test_validate() -> None:
    """Rule 3.1."""
    config = GameConfig()
    Bid(5, 6).validate(config)
    for bid in (Bid(6, 1), Bid(0, 1), Bid(1, 7), Bid(1, 0), Bid(-1, 2)):
        with pytest.raises(IllegalMoveError, match="quantities are 1 to 5, faces 1 to 6"):
            bid.validate(config)
    with pytest.raises(IllegalMoveError, match="not on the ladder"):
        config.ladder().rung(Bid(6, 1))


def test_ladder_is_a_value() -> None:
    ladder = GameConfig().ladder()
    assert ladder == Ladder("quantity_then_face", 6, 5)
    assert pickle.loads(pickle.dumps(ladder)) == ladder
    assert hash(ladder) == hash(Ladder("quantity_then_face", 6, 5))
    assert [] not in ladder
    assert Bid(1, 1) in ladder
