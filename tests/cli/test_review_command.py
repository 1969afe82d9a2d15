"""`review` on the command line: text at any width, JSON, a picture, games that are not over, and bad input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import call, told
from liars_dice.core import BidAction, GameEngine, preset
from liars_dice.persistence import open_store, record_game
from pseudo_terminal import PseudoTerminal


@pytest.fixture
def game() -> str:
    return str(told("watch", "optimal", "random", "--dice", "2", "--seed", "1")["run"]["game_id"])


def test_json(game: str) -> None:
    review = told("review", game)
    assert review["game_id"] == game
    assert review["agents"] == ["optimal", "random"]
    assert review["winner"] in review["agents"]
    for move in review["moves"]:
        assert set(move) >= {"turn", "round", "seat", "player", "action", "best", "loss", "kind", "words", "source"}
        assert 0 <= move["loss"] <= 1
        assert move["player"] == review["agents"][move["seat"]]
    assert set(review["accuracy"]) == {"optimal", "random"}
    assert review["accuracy"]["random"] < review["accuracy"]["optimal"] <= 100
    assert set(review["counts"]["random"]) == {"best", "good", "inaccuracy", "mistake", "blunder"}
    assert len(review["curve"]) == len(review["moves"]) + 1
    assert all(sum(point["chances"]) == pytest.approx(1) for point in review["curve"])
    assert told("review", "last") == told("review", game[:-2]) == review
    assert {move["seat"] for move in told("review", "last", "--seat", "1")["moves"]} == {1}


@pytest.mark.parametrize("columns", ["40", "80"])
def test_text(game: str, columns: str) -> None:
    shown = call("review", game, COLUMNS=columns, NO_COLOR="1")
    assert shown.exit_code == 0, shown.output
    assert "\x1b" not in shown.output
    assert all(len(line) <= int(columns) for line in shown.output.splitlines())
    assert "Round 1" in shown.output
    assert re.search(r"random: accuracy \d+\.\d%;", shown.output)
    assert "chance to win the game" in shown.output
    assert "blunder" in shown.output


def test_colour_only_where_it_is_wanted(game: str) -> None:
    plain = call("review", game).output
    assert "\x1b" not in plain
    coloured = call("review", game, FORCE_COLOR="1", TERM="xterm-256color").output
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_bots_are_known_by_what_was_recorded() -> None:
    told("watch", "optimal", "sniper", "--seed", "4")
    moves = told("review", "last")["moves"]
    assert {move["habits"]["source"] for move in moves} == {"opponent model: optimal", "opponent model: sniper"}
    assert {move["against"] for move in moves} >= {"against perfect play", "by the best strategy known"}


def test_a_picture(game: str, tmp_path: Path) -> None:
    picture = tmp_path / "game.png"
    shown = call("review", game, "--png", str(picture))
    assert shown.exit_code == 0
    assert f"chart: {picture}" in shown.output.replace("\n", "")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_game_that_is_not_over() -> None:
    engine = GameEngine(preset("heads-up"), seed=1)
    with open_store(None) as store:
        record_game(engine, store, live=True)
        engine.start_new_round()
        engine.apply_action(0, BidAction(engine.get_view(0).public.rules.bids[3]))
    hidden = call("review", "last")
    assert hidden.exit_code == 0
    assert "There are no decisions to judge yet." in hidden.output
    assert "its dice are hidden" in hidden.output
    assert told("review", "last")["moves"] == []
    assert [move["action"] for move in told("review", "last", "--seat", "0")["moves"]] == ["1x4"]


def test_bad_input(game: str, tmp_path: Path) -> None:
    for words, message in (
        (["review", "nothing"], "nothing"),
        (["review", game, "--seat", "2"], "seat = 2: expected a seat from 0 to 1"),
        (["review", game, "--seat", "-1"], "seat = -1: expected a seat from 0 to 1"),
        (["review", game, "--png", str(tmp_path / "game.gif")], "a file whose name ends in .png, .pdf or .svg"),
        (["review", game, "--db", str(tmp_path / "no.sqlite")], "there is no store at this path"),
    ):
        result = call(*words)
        assert result.exit_code != 0
        assert message in result.stderr
        assert "Traceback" not in result.stderr


def test_plain_letters_where_they_are_wanted(game: str) -> None:
    assert not call("review", game).output.isascii()
    assert call("review", game, "--ascii").output.isascii()
    with PseudoTerminal("review", game, environment={"TERM": "dumb"}) as terminal:
        terminal.wait_for("random: accuracy")
        assert terminal.text.isascii()


def test_interrupted(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liars_dice.coach.kept_reviews.review_game", interrupted)
    assert call("review", game).exit_code == 130


def test_one_player_by_name(game: str, tmp_path: Path) -> None:
    own = told("review", game, "--player", "random")
    assert own["seat"] == 1
    assert {move["player"] for move in own["moves"]} == {"random"}
    assert call("review", game).output.startswith("Seat 0: optimal; seat 1: random\n")
    unknown = call("review", game, "--player", "maniac")
    assert "player = 'maniac': expected a player of this game (seat 0: optimal; seat 1: random)" in unknown.stderr
    assert call("review", game, "--player", "random", "--seat", "1").exit_code == 2


def test_leaks_over_many_games(monkeypatch: pytest.MonkeyPatch) -> None:
    played = ("tournament", "random", "optimal", "sniper", "--players", "3", "--rules", "perudo", "--dice", "2")
    assert call(*played, "--tables", "2", "--games", "3", "--seed", "1", "--record", "all").exit_code == 0
    found = told("leaks", "random")
    assert found["games"] == 6
    assert found["per_game"] == pytest.approx(sum(habit["per_game"] for habit in found["habits"]))
    assert found["habits"][0]["per_game"] >= found["habits"][-1]["per_game"]

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a game is reviewed again")

    monkeypatch.setattr("liars_dice.coach.kept_reviews.review_game", refuse)
    assert told("leaks", "random") == found
    worst = found["habits"][0]["worst"]
    shown = call("leaks", "random", COLUMNS="120").output
    assert shown.startswith("random: 6 games, ")
    assert found["habits"][0]["words"] in shown
    assert f"replay {worst['game_id']} --at {worst['turn']}" in shown
    assert call("games", "--loser", "random", "--worst").exit_code == 0
    assert call("replay", "worst:random").exit_code == 0
    assert told("leaks", "random", "--rules", "duel")["games"] == 0
    assert (
        "player = 'randm': expected a player of a recorded game (did you mean random?)" in call("leaks", "randm").stderr
    )
