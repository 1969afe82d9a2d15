"""Checked against OpenSpiel: its `liars_dice` allows the same moves and names the same winners."""

from __future__ import annotations

import random

import pytest

from liars_dice.core import apply, legal_actions, preset
from support import dealt

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (it has no package for this Python)")


@pytest.mark.parametrize("dice", [1, 2])
@pytest.mark.parametrize(
    ("rule", "ordering"), [("reset-face", "quantity_then_face"), ("reset-quantity", "liars_dice_standard")]
)
def test_random_games_agree(dice: int, rule: str, ordering: str) -> None:
    """Rules 3.3, 3.4, 4.2, 5.1 and 8.6, over 2,000 random rounds each. An action's number there is a rung here."""
    game = pyspiel.load_game("liars_dice", {"numdice": dice, "bidding_rule": rule})
    config = preset("openspiel", dice=dice, bid_ordering=ordering)
    liar = len(config.ladder())
    rng = random.Random(dice)
    for _ in range(2000):
        theirs = game.new_initial_state()
        rolled = []
        while theirs.is_chance_node():
            outcome = rng.choice(theirs.legal_actions())
            rolled.append(outcome + 1)
            theirs.apply_action(outcome)
        ours = dealt(config, tuple(rolled[:dice]), tuple(rolled[dice:]))
        while not theirs.is_terminal():
            assert theirs.current_player() == ours.public.current_player
            actions = legal_actions(ours.public)
            numbers = [liar if str(a) == "liar" else config.ladder().rung(a.bid) for a in actions]  # type: ignore[union-attr]
            assert theirs.legal_actions() == numbers
            choice = rng.randrange(len(actions))
            theirs.apply_action(numbers[choice])
            ours = apply(ours, actions[choice])
        assert ours.public.status == "ENDED"
        assert theirs.returns() == [1 if seat == ours.public.winner else -1 for seat in (0, 1)]
