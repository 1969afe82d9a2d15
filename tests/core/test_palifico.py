"""A player's first round with one die (rule 7)."""

from __future__ import annotations

from typing import Any

import pytest

from liars_dice.core import GameConfig, IllegalMoveError, deal, preset
from support import dealt, legal, play


def rules(*dice: int, **changes: Any) -> GameConfig:
    return preset("perudo", dice=dice, palifico=True, **changes)


def test_it_starts_when_a_player_comes_down_to_one_die() -> None:
    """Rule 7.1: in the next round, and once."""
    state = dealt(rules(2, 3, 3), (2, 2), (3, 3, 3), (4, 4, 4))
    assert not state.public.palifico
    state = deal(play(state, "6x2 liar"), ((2,), (3, 3, 3), (4, 4, 4)))
    assert state.public.palifico
    state = deal(play(state, "1x2 7x2 liar"), ((2,), (3, 3), (4, 4, 4)))
    assert state.public.resolutions[-1].palifico
    assert not state.public.palifico


def test_it_is_once_for_each_player_even_after_winning_a_die_back() -> None:
    """Rule 7.1."""
    state = deal(play(dealt(rules(2, 3, 3), (2, 2), (3, 3, 3), (4, 4, 4)), "6x2 liar"), ((2,), (3, 3, 3), (4, 4, 4)))
    assert state.public.palifico
    state = play(state, "1x2 3x2 4x2")  # one two on the table: seat 0 calls, rightly
    assert state.public.current_player == 0
    state = deal(play(state, "liar"), ((2,), (3, 3, 3), (4, 4)))
    state = play(state, "2x4 exact")  # seat 2 opens; seat 0 gains a die
    assert state.public.dice_counts == (2, 3, 1)
    state = deal(state, ((2, 2), (3, 3, 3), (4,)))
    assert state.public.palifico, "seat 2's first"
    state = play(state, "1x4 5x4 liar")  # seat 2 opens, seat 0 bids, seat 1 calls
    assert state.public.dice_counts == (1, 3, 1)
    assert not deal(state, ((2,), (3, 3, 3), (4,))).public.palifico, "seat 0 had its own"


def test_not_with_two_players_left() -> None:
    """Rule 7.1."""
    state = dealt(rules(2, 2), (2, 2), (3, 3))
    assert not deal(play(state, "4x2 liar"), ((2,), (3, 3))).public.palifico
    three = play(dealt(rules(2, 1, 3), (2, 2), (3,), (4, 4, 4)), "1x2 6x2 liar")
    assert three.public.dice_counts == (2, 0, 3)
    two_left = play(deal(three, ((2, 2), (), (4, 4, 4))), "5x6 liar")
    assert not deal(two_left, ((2, 2), (), (4, 4))).public.palifico


def test_uneven_starts() -> None:
    """Rule 7.1: whoever starts with one die has the first round, unless everybody does."""
    assert dealt(rules(2, 1, 3), (2, 2), (3,), (4, 4, 4)).public.palifico
    assert not dealt(rules(1, 1, 1), (2,), (3,), (4,)).public.palifico
    assert not dealt(rules(2, 1, 3).replace(palifico=False), (2, 2), (3,), (4, 4, 4)).public.palifico


def test_nothing_is_wild() -> None:
    """Rule 7.2."""
    state = play(dealt(rules(2, 1, 3), (1, 2), (1,), (1, 1, 2)), "2x2 liar")
    assert state.public.resolutions[-1].match_count == 2
    assert "1x1" in legal(dealt(rules(2, 1, 3, wild_bids="forbidden"), (1, 2), (1,), (1, 1, 2)))


def test_ordering() -> None:
    """Rule 7.3: ones are the lowest face, not half of anything."""
    state = play(dealt(rules(1, 2, 3), (2,), (3, 3), (4, 4, 4)), "2x1")
    assert legal(state)[:2] == ["3x1", "4x1"]
    assert legal(play(dealt(rules(1, 1, 3), (2,), (3,), (4, 4, 4)), "2x1"))[:2] == ["2x2", "2x3"]


def test_the_opened_face_stays() -> None:
    """Rule 7.4: for everybody with more than one die, even after somebody with one die has changed it."""
    state = play(dealt(rules(3, 1, 3), (2, 2, 2), (3,), (4, 4, 4)), "1x4")
    assert "1x5" in legal(state)
    assert "2x4" in legal(state)
    state = play(state, "1x5")
    assert legal(state) == ["2x4", "3x4", "4x4", "5x4", "6x4", "7x4", "liar", "exact"]
    with pytest.raises(IllegalMoveError, match="a player with more than one die must bid the opened face: 4"):
        play(state, "2x5")


def test_opening_on_ones() -> None:
    """Rule 7.5."""
    config = rules(1, 2, 3, open_on_ones=False)
    assert "1x1" in legal(dealt(config, (2,), (3, 3), (4, 4, 4)))
    assert "1x1" not in legal(dealt(config.replace(dice=(2, 2, 3)), (2, 2), (3, 3), (4, 4, 4)))
