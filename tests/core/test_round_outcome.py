"""What a decided round leads to, as functions of the rules and the outcome alone (rules 6.1 to 6.6)."""

from __future__ import annotations

import pytest

from liars_dice.core import GameConfig, NextOpener, RoundOutcome, after_round, is_over

THREE = GameConfig(dice=(2, 1, 3), mode="elimination", exact_call=True, max_dice=3)


def test_the_loser_loses_a_die_and_opens() -> None:
    """Rules 6.2 and 6.5."""
    assert after_round(THREE, (2, 1, 3), 1, RoundOutcome(winner=1, loser=2)) == ((2, 1, 2), 2)


def test_a_right_exact_call_wins_a_die_up_to_the_cap() -> None:
    """Rule 6.3."""
    assert after_round(THREE, (2, 1, 3), 0, RoundOutcome(0, 1, by_exact=True))[0] == (3, 0, 3)
    assert after_round(THREE, (2, 1, 3), 0, RoundOutcome(2, 0, by_exact=True))[0] == (1, 1, 3)


@pytest.mark.parametrize(("choice", "opener"), [("loser", 2), ("winner", 0), ("alternate", 2)])
def test_a_seat_without_dice_does_not_open(choice: NextOpener, opener: int) -> None:
    """Rule 6.5: seat 1 has just lost its last die, so the next seat in play opens in its place."""
    config = THREE.replace(next_opener=choice)
    assert after_round(config, (2, 1, 3), 0, RoundOutcome(winner=0, loser=1)) == ((2, 0, 3), opener)


def test_dice_stay_where_rounds_are_counted() -> None:
    """Rules 6.1 and 6.4: no dice are lost, and the number of wins ends the game."""
    best_of = GameConfig(dice=(2, 2), mode="best_of", rounds=5, next_opener="alternate")
    assert after_round(best_of, (2, 2), 1, RoundOutcome(winner=1, loser=0)) == ((2, 2), 0)
    assert [is_over(best_of, (2, 2), wins) for wins in (1, 2, 3)] == [False, False, True]
    assert is_over(GameConfig(dice=(1, 1)), (1, 1), 1)


def test_elimination_ends_with_one_player_in() -> None:
    """Rules 6.2 and 6.6."""
    assert [is_over(THREE, dice, 1) for dice in ((2, 1, 3), (2, 0, 3), (2, 0, 0))] == [False, False, True]
