"""What a hint says about the standing bid agrees with the board, which shows the odds by the player's own dice."""

from __future__ import annotations

import pytest

from liars_dice import GameEngine, preset
from liars_dice.agents import make_agent
from liars_dice.coach import advise
from liars_dice.core import percent, prob_holds, view_of

TABLE = ("optimal", "bluffer", "conservative", "champion", "maniac", "optimal")
PAIR = ("champion", "champion")


@pytest.mark.parametrize(
    ("rules", "players", "sources"),
    [
        ("perudo", 6, {"champion"}),
        ("perudo-tournament", 6, {"champion"}),
        ("perudo", 2, {"short-memory strategy", "equilibrium of the match"}),
    ],
)
def test_hints_name_the_number_on_the_board(rules: str, players: int, sources: set[str]) -> None:
    """Before the first bid nothing is said to hold; after it, the words have the board's number beside the coach's."""
    names, config = (TABLE, preset(rules, players=6)) if players > 2 else (PAIR, preset(rules, players=2, dice=3))
    engine = GameEngine(config, [make_agent(name) for name in names], seed=3)
    opened = raised = 0
    told = set()
    for turn in range(60):
        if engine.state.public.status == "ENDED":
            break
        if engine.state.public.status == "REVEAL":
            engine.start_new_round()
        view = view_of(engine.state, engine.state.public.current_player)
        if turn % 3 == 0 or not view.round_bids:
            advice = advise(view)
            told.add(advice.source)
            assert advice.aim in advice.why
            if view.current_bid is None:
                opened += 1
                assert "holds" not in advice.why
            else:
                raised += 1
                shown = percent(prob_holds(view.current_bid, view.known_dice, view.public.rules))
                coach = percent(advice.holds or 0)
                assert f"holds {coach}" in advice.why
                assert (f"({shown} by your dice alone)" in advice.why) == (shown != coach)
        engine.step()
    assert opened > 2
    assert raised > (10 if players > 2 else 2)
    assert told >= sources
