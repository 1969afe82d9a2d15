"""`explain --seats`: a table that somebody describes."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from liars_dice.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["explain", *arguments])


def test_a_table_of_four() -> None:
    told = run("--seats", "5,4,3,5", "--hand", "1,4,4", "--bids", "3x4,4x4", "--action", "liar", "--json")
    assert told.exit_code == 0
    found = json.loads(told.stdout)
    assert (found["dice"], found["to_move"], found["hand"]) == ([5, 4, 3, 5], 2, [1, 4, 4])
    assert (found["source"], found["of"]) == ("champion", "game")
    actions = {one["action"]: one for one in found["actions"]}
    assert sum(one["probability"] for one in found["actions"]) == pytest.approx(1, abs=1e-3)
    assert found["win_chance"] == actions[found["best"]]["win_chance"]
    assert found["holds"] > 0.9  # three of the four fours are in the hand
    assert found["asked"]["loss"] == pytest.approx(found["win_chance"] - actions["liar"]["win_chance"])
    assert found["asked"]["loss"] > 0.03  # calling is close to giving a die away
    text = run("--seats", "5,4,3,5", "--hand", "1,4,4", "--bids", "3x4,4x4", "--action", "liar").stdout
    assert text.startswith("Holding 1 4 4 against 5 4 5 dice, after 3x4 4x4")
    assert "liar gives away" in text
    assert text.rstrip().endswith("Source: champion")
    assert "champion mostly plays 7x4; within the error of these values, it is as good as 3x1" in text
    assert run("--seats", "5,4,3,5", "--hand", "4 1 4", "--bids", "3x4,4x4", "--action", "liar").stdout == text


def test_two_players_left_are_explained_by_the_best_known() -> None:
    assert json.loads(run("--seats", "2,1", "--hand", "2,5", "--json").stdout)["source"] == "equilibrium of the match"
    told = run("--seats", "5,5", "--hand", "1,2,3,4,5", "--rules", "classic", "--json")
    assert json.loads(told.stdout)["source"] == "short-memory strategy"


def test_a_round_by_itself_is_not_a_round_of_a_match() -> None:
    asked = ("--hand", "2,5", "--rules", "perudo")
    by_itself, of_match = (run(*place, *asked) for place in (("--dice", "2", "1"), ("--seats", "2,1")))
    said = (
        "This is the round by itself: in a match, a right exact call also wins a die. For the match, give --seats 2,1 "
    )
    assert said in by_itself.stdout
    assert "wins the game" in of_match.stdout
    told = [json.loads(run(*place, *asked, "--json").stdout) for place in (("--dice", "2", "1"), ("--seats", "2,1"))]
    assert [one["of"] for one in told] == ["round", "game"]
    others = run("--dice", "2", "1", "--hand", "2,3", "--rules", "perudo", "--faces", "3").stdout
    assert "This is the round by itself" in others
    assert "--seats" not in others
    assert "by itself" not in run("--dice", "2", "1", "--hand", "2,5").stdout
    assert "by itself" not in run("--dice", "2", "1", "--hand", "2,5", "--rules", "heads-up").stdout


def test_rounds_that_were_only_measured_are_explained_like_a_table() -> None:
    asked = ("--hand", "1,2,2,5", "--bids", "2x2,3x2", "--rules", "heads-up", "--json")
    told, same = run("--dice", "4", "4", *asked), run("--seats", "4,4", *asked)
    assert json.loads(told.stdout)["source"] == "short-memory strategy"
    assert told.stdout == same.stdout


def test_palifico_rounds() -> None:
    asked = ("--seats", "3,1,2", "--hand", "4,4", "--bids", "2x4,2x5", "--rules", "perudo-tournament")
    faces = {one["action"][-1] for one in json.loads(run(*asked, "--palifico", "--json").stdout)["actions"]}
    assert run(*asked[:-2], "--palifico", "--json").stdout == run(*asked, "--palifico", "--json").stdout
    assert faces == {"4", "r", "t"}  # players with more than one die keep the face: 3x4, liar, exact
    plain = {one["action"] for one in json.loads(run(*asked, "--json").stdout)["actions"]}
    assert {"1x1", "3x6"} <= plain


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--seats", "5,5,x", "--hand", "1"), "cannot read '5,5,x': expected everybody's dice separated by commas"),
        (("--seats", "5,4", "--hand", "1,4"), "--hand = '1,4': expected 5 dice, as the opener has"),
        (
            ("--seats", "5,2,4", "--hand", "4,1,4", "--bids", "2x4"),
            "--hand = '4,1,4': expected 2 dice, as player 2, who is to move after 1 bid, has",
        ),
        (("--seats", "5,2,4", "--hand", "1", "--bids", "2x4,1x4"), "expected bids that these rules allow"),
        (("--seats", "2,2,2", "--hand", "1,7"), "--hand = '1,7': expected dice from 1 to 6"),
        (("--seats", "2,2,2", "--hand", "1,2", "--bids", "3x4,2x4"), "expected bids that these rules allow"),
        (("--seats", "2,2,2", "--hand", "1,2", "--palifico"), "--seats = '2,2,2': expected more than two players"),
        (
            ("--seats", "2,1,2", "--hand", "1,2", "--palifico", "--rules", "perudo"),
            "--rules = 'perudo': expected rules with palifico, such as --rules perudo-tournament",
        ),
        (("--seats", "2,2,2", "--hand", "1,2", "--action", "exact"), "action = 'exact': expected a legal action here"),
        (("--seats", "2,2", "--dice", "2", "2", "--hand", "1,2"), "--seats cannot be combined with"),
        (("--dice", "5", "4", "3", "--hand", "1,2,3,4,5"), "for a larger table give --seats 5,4,3"),
        (("--dice", "2", "2", "--hand", "1,2", "--palifico"), "--palifico needs --seats"),
        (("--hand", "1,2"), "Which round?"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(arguments: tuple[str, ...], expected: str) -> None:
    told = run(*arguments)
    assert told.exit_code != 0
    assert expected in " ".join((told.stderr or str(told.exception)).split())
