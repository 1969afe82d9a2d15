"""`liars-dice stats`: results beside chance, accuracy over time, and typical mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call, told
from liars_dice.coach import player_stats, reviews_of
from liars_dice.persistence import open_store


@pytest.fixture(autouse=True)
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three games of Ann: two between two players, one between three; and one of other players."""
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path / "games.sqlite"))
    typed = "one six\ntwo sixes\nliar\n3 1\n" * 20
    for words in (["maniac", "--seed", "1"], ["maniac", "--seed", "2"], ["maniac", "passive", "--seed", "1"]):
        call("play", *words, "--dice", "1", "--name", "Ann", stdin=typed)
    call("watch", "maniac", "passive", "--dice", "1", "--seed", "1")
    call("play", "maniac", "--dice", "1", "--name", "Ann", "--seed", "3", stdin="quit\n")


def test_results_stand_beside_chance() -> None:
    stats = told("stats", "--me", "Ann")
    assert (stats["player"], stats["games"], stats["reviewed"]) == ("Ann", 3, 3)
    assert stats["by_chance"] == pytest.approx(1 / 2 + 1 / 2 + 1 / 3)
    assert stats["win_rate"] == stats["wins"] / 3
    assert stats["ci95"][0] < stats["win_rate"] < stats["ci95"][1] or stats["wins"] in (0, 3)
    sizes = {one["players"]: one for one in stats["by_table_size"]}
    assert (sizes[2]["games"], sizes[3]["games"]) == (2, 1)
    assert sizes[3]["by_chance"] == pytest.approx(1 / 3)
    assert sum(one["wins"] for one in sizes.values()) == stats["wins"] == sum(g["won"] for g in stats["over_time"])


def test_the_course_of_time_is_that_of_the_reviews() -> None:
    stats = told("stats", "--me", "Ann")
    assert [game["created_utc"] for game in stats["over_time"]] == sorted(g["created_utc"] for g in stats["over_time"])
    for game in stats["over_time"]:
        assert told("review", game["game_id"], "--player", "Ann")["accuracy"] == {"Ann": game["accuracy"]}


def test_mistakes_are_those_of_the_leaks() -> None:
    mistakes = told("stats", "--me", "Ann")["mistakes"]
    leaks = told("leaks", "Ann")["habits"]
    assert [(one["words"], one["per_game"]) for one in mistakes] == [(one["words"], one["per_game"]) for one in leaks]
    assert mistakes


def test_as_text(tmp_path: Path) -> None:
    picture = tmp_path / "ann.svg"
    shown = call("stats", "--me", "Ann", "--ascii", "--chart", str(picture)).output
    for words in (
        "Ann: ",
        " of 3 games won",
        "By chance it would be 1.3: ",
        "By the number of players",
        "in 3 games; ",
    ):
        assert words in shown
    assert "Accuracy over time, oldest first (a column is a game)\n 100%" in shown
    assert "Typical mistakes" in shown
    assert "liars-dice play --from " in shown
    assert "liars-dice leaks Ann" in shown
    assert shown.isascii()
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_few_games_are_reviewed_if_so_wanted() -> None:
    stats = told("stats", "--me", "Ann", "--games", "1")
    assert (stats["games"], stats["reviewed"], len(stats["over_time"])) == (3, 1, 1)
    sizes = {one["players"]: one["accuracy"] for one in stats["by_table_size"]}
    assert sizes[2] is None
    assert sizes[3] is not None


def test_no_games() -> None:
    assert told("stats", "--me", "Ann", "--rules", "perudo") == {"player": "Ann", "rules": "perudo", "games": 0}
    assert (
        "Ann has no finished games with the rules perudo yet."
        in call("stats", "--me", "Ann", "--rules", "perudo").output
    )
    call("play", "maniac", "--dice", "1", stdin="quit\n")
    assert "You have no finished games yet." in call("stats").output
    assert call("scout", "You").output == "You\nNo finished rounds yet.\n"
    unknown = call("stats", "--me", "An")
    assert unknown.exit_code != 0
    assert "player = 'An': expected a player of a recorded game (did you mean Ann?)" in unknown.stderr


def test_chance_is_judged_by_the_interval() -> None:
    with open_store() as store:
        games = [game for game in store.games(agent="Ann") if game.winner is not None]
        reviews = list(reviews_of(store, games, lambda game: game.seats_of("Ann")))
    record = player_stats("Ann", games, reviews).total
    assert record.beside_chance == "not clearly different from"
    lost = player_stats("maniac", [game for game in games * 20 if game.winner_name != "maniac"], [])
    assert lost.total.wins == 0
    assert lost.total.beside_chance == "below"
    assert lost.total.accuracy is None
