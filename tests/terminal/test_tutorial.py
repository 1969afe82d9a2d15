"""The tutorial: every lesson is tried out, mistakes get an answer, and the coach comments on the game."""

from __future__ import annotations

import json

import pytest

from command_line import call
from liars_dice.coach import comment
from liars_dice.core import (
    FIRST_GAME,
    LESSONS,
    TEACHER,
    BidAction,
    CallLiarAction,
    deal,
    new_game,
    parse_bid,
    tips,
    view_of,
)
from liars_dice.persistence import open_store
from support import play

TO_THE_GAME = ["", "two fives", "three sixes", "liar", "", ""]
"""What is typed until the guided game begins."""


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def test_the_whole_tutorial() -> None:
    game = ["one five", "liar", "rules", "2 3", "liar", "2 5", "liar"] * 4
    shown = call("tutorial", "--json", stdin=typed(*TO_THE_GAME, *game))
    assert shown.exit_code == 0, shown.output
    told = json.loads(shown.stdout)
    assert (told["lessons"], told["of"], told["finished"]) == (len(LESSONS), len(LESSONS), True)
    assert told["winner"] in ("You", TEACHER)
    for number, lesson in enumerate(LESSONS, 1):
        assert f"{number} of {len(LESSONS)}: {lesson.title}" in shown.stderr
    assert "There were no sixes: the bid was false. You win the round" in shown.stderr
    assert "  Tip: you hold one five, so that bid is certain to be true." in shown.stderr
    assert "  Coach: good. This bid wins " in shown.stderr
    assert "In a palifico round" not in shown.stderr
    assert "liars-dice play conservative --practice" in shown.stderr


def test_wrong_answers_are_put_right() -> None:
    answers = ["", "hello", "one one", "?", "two fives", "three fours", "four ones", "three sixes", "five sixes"]
    shown = call("tutorial", stdin=typed(*answers)).output
    assert "I do not understand that. Type two fives." in shown
    assert "That is possible, too. For now, type two fives." in shown
    assert "> For now, type two fives." in " ".join(shown.split())
    assert "3x4 is not higher than 3x5. Type one of the two: three fours or three sixes." in shown
    assert "That is possible, too. For now, type one of the two: three fours or three sixes." in shown
    assert "That is possible, too. For now, type liar." in shown


@pytest.mark.parametrize("done", range(len(TO_THE_GAME) + 1))
def test_it_can_be_left_at_any_point(done: int) -> None:
    shown = call("tutorial", "--json", stdin=typed(*TO_THE_GAME[:done], "quit"))
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["finished"] is False
    assert "Until next time." in shown.stderr
    assert "liars-dice tutorial" in shown.stderr


def test_the_guided_game_is_not_stored() -> None:
    call("tutorial", stdin=typed(*TO_THE_GAME, "one five", "quit"))
    with open_store() as store:
        assert store.games() == []


def test_tips_fit_the_moment() -> None:
    start = deal(new_game(FIRST_GAME, ("You", TEACHER)), ((2, 5, 5), (3, 5)))
    assert tips(view_of(start, 0))["opening"].startswith("you hold two fives, so that bid is certain to be true.")
    facing = tips(view_of(play(start, "1x5 2x3"), 0))
    assert facing["answer"].startswith("two threes needs 2 of the other player's 2 dice to be threes, which happens 3%")
    assert (
        tips(view_of(play(start, "1x2 1x5"), 0))["sure"]
        == "your own dice make one five true, so a call would lose: raise."
    )
    last = deal(new_game(FIRST_GAME.replace(dice=(1, 1)), ("You", TEACHER)), ((2,), (3,)))
    assert "If you lose this round, you lose the game" in tips(view_of(last, 0))["last die"]


def test_the_coach_says_what_a_move_was_worth() -> None:
    """Not whether it was lucky: calling a bid that one's own dice make true is wrong."""
    state = play(deal(new_game(FIRST_GAME, ("You", TEACHER)), ((2, 5, 5), (3, 5))), "1x2 1x5")
    wrong = comment(view_of(state, 0), CallLiarAction())
    assert wrong.startswith("calling liar wins 0% of the time against ")
    assert ". It is better to bid " in wrong
    assert comment(view_of(state, 0), BidAction(parse_bid("1x6"))).startswith("good. This bid wins ")
