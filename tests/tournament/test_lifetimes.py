"""A bot that learns lives as long in every command: one instance for all its games, and boxed bots for one game."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import call, told
from liars_dice import preset
from liars_dice.referee import BotLimits, Referee, make_seat
from liars_dice.tournament import matchup
from patience import PATIENCE

LEARNER = """
from pathlib import Path
from liars_dice.agents import Agent

class Learner(Agent):
    games = 0

    def choose_action(self, view):
        if view.current_bid and view.current_bid.quantity > 1 + self.games % 2:
            return "liar"
        return view.legal_actions[0]

    def on_game_end(self, result):
        self.games += 1
        with Path(__file__).with_name("games").open("a") as log:
            log.write(f"{self.games}\\n")
"""
HEADS_UP = ("--rules", "heads-up", "--dice", "1", "--seed", "1")
SAID = "learns between games: one instance plays all of its games, in order"


@pytest.fixture(autouse=True)
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("learner.py").write_text(LEARNER, encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "games", "name"),
    [
        (["watch", "learner.py", "random", "--games", "5", *HEADS_UP], 5, "Learner"),
        (["matchup", "learner.py", "random", "--games", "60", *HEADS_UP], 60, "learner.py"),
        (["tournament", "learner.py", "random", "optimal", "--games", "50", *HEADS_UP], 100, "learner.py"),
        (
            ["simulate", "learner.py", "random", "--players", "2", "--tables", "2", "--replications", "30", *HEADS_UP],
            60,
            "learner.py",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_one_instance_plays_all_games(words: list[str], games: int, name: str) -> None:
    found = told(*words)
    assert (found["ordered"], found["anew"]) == ([name], [])
    assert Path("games").read_text().split() == [str(n) for n in range(1, games + 1)]
    assert f"{name} {SAID}" in " ".join(call(*words, COLUMNS="200").stdout.split())


def test_boxed_bots_begin_anew_and_that_is_said() -> None:
    words = ["watch", "learner.py", "random", "--games", "2", *HEADS_UP, "--isolate"]
    found = told(*words)
    assert (found["ordered"], found["anew"]) == ([], ["learner.py"])
    said = " ".join(call(*words, COLUMNS="200").stdout.split())
    assert "learner.py begins anew in every game: boxed bots and programs keep nothing" in said
    boxed = make_seat("learner.py", BotLimits(decision=PATIENCE, load=PATIENCE), boxed=True)
    try:
        config = preset("heads-up", dice=2)
        games = [Referee([boxed, make_seat("crawler")], config, seed=3).play().game for _ in range(2)]
    finally:
        boxed.dismiss()
    assert games[0] == games[1]


def test_a_match_up_with_a_learner_does_not_depend_on_workers() -> None:
    one, two = (matchup("learner.py", "random", "heads-up", games=240, seed=1, workers=n) for n in (1, 2))
    assert one == two
    assert one.ordered == ("learner.py",)
