"""Games as text that parses back; unreadable text and illegal moves are different errors."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liars_dice.core import (
    BadValueError,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    ConfigError,
    DealError,
    GameConfig,
    IllegalMoveError,
    NotationError,
    format_game,
    new_game,
    parse_action,
    parse_bid,
    parse_game,
)
from support import configs, dealt, play, random_states

GAME = """\
# liars-dice game
rules {"dice": [1, 2, 1], "mode": "elimination"}
players ["ann", "bob", "cat"]
1. 4 | 2,2 | 6 : 1x4 2x2 liar
2. 4 | 2,2 | - : 1x4
"""


def test_actions() -> None:
    for action in (BidAction(Bid(3, 4)), BidAction(Bid(12, 20)), CallLiarAction(), CallExactAction()):
        assert parse_action(str(action)) == action
    assert parse_bid(" 3 X 4 ") == parse_bid("3×4") == Bid(3, 4)
    assert parse_action("LIAR ") == CallLiarAction()


@pytest.mark.parametrize("text", ["", "3", "3x", "x4", "-3x4", "3x4x5", "three fours", "3.0x4", "liarr", "٣x٤"])
def test_unparsable_actions(text: str) -> None:
    with pytest.raises(NotationError, match="a bid like 3x4, liar or exact") as caught:
        parse_action(text)
    assert caught.value.text == text
    with pytest.raises(NotationError, match=r"a bid like 3x4 \(quantity x face\)"):
        parse_bid(text)


@given(configs(), st.integers(0, 2**32))
def test_whole_games_parse_back_at_every_point(config: GameConfig, seed: int) -> None:
    for state in random_states(config, random.Random(seed)):
        assert parse_game(format_game(state)) == state


def test_a_game_reads_well() -> None:
    state = play(dealt(GameConfig(), (1, 4), (2, 2, 6)), "1x4 2x2 liar")
    assert format_game(state) == (
        "# liars-dice game\n"
        "rules {}\n"
        'players ["player-0", "player-1"]\n'
        "1. 1,4 | 2,2,6 : 1x4 2x2 liar\n"
        "# player-1 wins\n"
    )
    named = new_game(GameConfig(), ["a", "b"], ["optimal", None])
    assert 'agents ["optimal", null]' in format_game(named)
    assert parse_game(format_game(named)) == named


def test_any_white_space_around_a_die() -> None:
    state = play(dealt(GameConfig(), (1, 4), (2, 2, 6)), "1x4 2x2 liar")
    assert parse_game(format_game(state).replace("| 2", "|\x1f 2")) == state


def test_unparsable_and_illegal_are_different() -> None:
    cases: list[tuple[str, str, type[Exception], str]] = [
        ("1x4 2x2", "1x4 two", NotationError, "line 4: cannot read 'two'"),
        ("1x4 2x2", "1x4 1x2", IllegalMoveError, "1x2 is not higher than 1x4"),
        ("1. 4", "1. 7", DealError, "faces 1 to 6"),
        ("1. 4", "1. four", NotationError, "line 4: cannot read ' four '"),
        ("2. 4", "3. 4", NotationError, "line 5: cannot read '3.': expected round 2"),
        ("2. 4 | 2,2 | - : 1x4", "winner ann", NotationError, "line 5: .* expected a round like"),
        ("- :", "4 :", DealError, r"expected \(1, 2, 0\) dice"),
        ("rules {", "rules [", NotationError, "line 2: .* expected JSON after 'rules'"),
        ('rules {"dice": [1, 2, 1], "mode": "elimination"}', "rules [1]", NotationError, "a JSON object after 'rules'"),
        ("elimination", "death", ConfigError, "mode = 'death'"),
        ("rules", "ruels", NotationError, "line 2: .* begins with rules, players or agents"),
        ('["ann", "bob", "cat"]', '[["ann"], "bob", "cat"]', NotationError, "line 3: .* a JSON list of texts"),
        ('["ann", "bob", "cat"]', '["ann", "ann", "cat"]', BadValueError, "expected 3 different names"),
        ('["ann", "bob", "cat"]', '["ann"]', BadValueError, "expected 3 different names"),
    ]
    assert parse_game(GAME).public.dice_counts == (1, 2, 0)
    for old, new, error, message in cases:
        assert old in GAME
        with pytest.raises(error, match=message):
            parse_game(GAME.replace(old, new))
    with pytest.raises(NotationError, match=r"line 4: .* begins with rules, players or agents"):
        parse_game(GAME.replace("1. 4", "9" * 5000 + ". 4"))
    with pytest.raises(NotationError, match="expected JSON after 'rules'"):
        parse_game("rules " + "[" * 100_000)
    for dice in ("1_0", "٣", "1.0", ""):
        with pytest.raises(NotationError, match="dice like 1,4"):
            parse_game(GAME.replace("1. 4", f"1. {dice}"))
    with pytest.raises(NotationError, match="a line that begins with rules"):
        parse_game("")


@given(st.text(), st.integers(0, len(GAME)))
def test_garbage_never_surprises(garbage: str, at: int) -> None:
    """Whatever the text, it parses or fails with one of our own errors."""
    for text in (garbage, GAME[:at] + garbage + GAME[at:]):
        try:
            state = parse_game(text)
        except (NotationError, IllegalMoveError, DealError, BadValueError):
            continue
        assert parse_game(format_game(state)) == state
