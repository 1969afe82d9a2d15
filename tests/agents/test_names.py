"""What agents are called: names given to objects, other spellings of listed names, and names that no agent has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from command_line import answer, call
from liars_dice.agents import (
    DEFAULT_CALL_THRESHOLD,
    DEFAULT_SAFE_RAISE_THRESHOLD,
    PERSONALITIES,
    Agent,
    AgentNameError,
    ConservativeAgent,
    ProbabilisticAgent,
    RandomAgent,
    ThresholdAgent,
    create_personality_agent,
    listed_name,
    make_agent,
    names_for,
    play_game,
)
from liars_dice.core import BadValueError, GameView
from liars_dice.exact.solver.nash import NashAgent
from liars_dice.referee.named_seats import make_seat
from liars_dice.tournament import Simulation, matchup, round_robin

OLD_NAMES = {
    "RandomAgent": "random",
    "ConservativeAgent": "conservative",
    "ProbabilisticAgent": "probabilistic",
    "OPTIMAL": "optimal",
    "MANIAC": "maniac",
    "AGGRESSIVE": "aggressive",
    "PASSIVE": "passive",
    "CALLING_STATION": "calling-station",
    "CallingStation": "calling-station",
    "calling_station": "calling-station",
    "ThresholdBest": "threshold-best",
    "Nash": "nash",
}


class Named(Agent):
    """Names itself when it is made, as bots of the Perudo design do."""

    def __init__(self) -> None:
        super().__init__("MyAgent")

    def choose_action(self, view: GameView) -> str:
        return "liar" if view.current_bid else "1x6"


class Nameless(Agent):
    """Does not call the constructor of its base."""

    def __init__(self) -> None:
        self.asked = 0

    def choose_action(self, view: GameView) -> str:
        self.asked += 1
        return "liar" if view.current_bid else "1x6"


# -- names given to objects --------------------------------------------------------------------------------------------


def test_a_bot_names_itself() -> None:
    assert play_game([Named(), "random"], seed=1).names == ("MyAgent", "random")
    assert play_game([Named, Nameless], seed=1).names == ("MyAgent", "Nameless")
    assert round_robin([Named, "optimal"], games=2).agents == ("MyAgent", "optimal")


def test_built_in_agents_take_a_name() -> None:
    players = [ProbabilisticAgent("Alice"), ConservativeAgent("Bob"), ConservativeAgent("Carol"), RandomAgent()]
    result = play_game(players, "perudo", seed=3)
    assert result.names == ("Alice", "Bob", "Carol", "random")
    assert result.winner_name in result.names
    assert ThresholdAgent(0.2, 0.4, "Dan").name == "Dan"
    assert NashAgent("Eve").name == "Eve"
    assert (RandomAgent.name, RandomAgent("").name) == ("random", "random")


def test_a_name_is_text() -> None:
    with pytest.raises(BadValueError, match=r"name = 0\.6: expected the agent's name, as text"):
        ConservativeAgent(0.6)  # type: ignore[arg-type]


# -- other spellings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "name"), OLD_NAMES.items())
def test_old_names_are_spellings_of_listed_names(old: str, name: str) -> None:
    assert listed_name(old) == name
    assert make_agent(old).name == name
    assert make_seat(old).name == name
    with names_for([old]) as names:
        assert names == (name,)


def test_old_names_in_python_and_on_the_command_line() -> None:
    assert play_game(["RandomAgent", "OPTIMAL"], seed=1) == play_game(["random", "optimal"], seed=1)
    assert matchup("OPTIMAL", "CALLING_STATION") == matchup("optimal", "calling-station")
    old = Simulation(3, 1, 5, agents=["RandomAgent", "ConservativeAgent", "ProbabilisticAgent"], seed=1)
    new = Simulation(3, 1, 5, agents=["random", "conservative", "probabilistic"], seed=1)
    assert old.start(verbose=False) == new.start(verbose=False)
    for command in (("matchup",), ("watch", "--seed", "1"), ("tournament",)):
        assert answer(*command, "RandomAgent", "OPTIMAL") == answer(*command, "random", "optimal")
    assert answer("exploit", "CALLING_STATION", "--dice", "1", "1")["agent"] == "calling-station"
    assert call("check-bot", "RandomAgent").exit_code == 0
    doubled = call("tournament", "OPTIMAL", "optimal", "random")
    assert "expected each agent only once" in doubled.stderr


def test_your_own_bot_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of yours that is called like an old name is yours; other spellings still mean the built-in bot."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "mine.py").write_text(
        "from liars_dice.agents import Agent\n"
        "class RandomAgent(Agent):\n"
        "    def __init__(self):\n"
        "        super().__init__('mine')\n"
        "    def choose_action(self, view):\n"
        "        return 'liar' if view.current_bid else '1x6'\n"
    )
    monkeypatch.chdir(tmp_path)
    assert (make_agent("RandomAgent").name, make_agent("Random").name) == ("mine", "random")
    assert answer("watch", "RandomAgent", "RANDOM", "--seed", "1")["agents"] == ["mine", "random"]
    assert answer("matchup", "RandomAgent", "random", "--games", "2")["a"] == "RandomAgent"
    with names_for([Named()]) as (lent,), names_for(["RandomAgent", "MANIAC", lent]) as names:
        assert names == ("RandomAgent", "maniac", "MyAgent")


def test_personalities_in_either_spelling() -> None:
    assert PERSONALITIES["OPTIMAL"] == PERSONALITIES["optimal"] == (0.35, 0.15)
    assert PERSONALITIES["CALLING_STATION"] == PERSONALITIES.get("calling-station") == (0.5, 0.5)
    assert "MANIAC" in PERSONALITIES
    assert "BOLD" not in PERSONALITIES
    assert dict(PERSONALITIES) == PERSONALITIES
    with pytest.raises(KeyError, match="BOLD"):
        PERSONALITIES["BOLD"]
    for name in ("MANIAC", "Maniac", "ManiacAgent", "maniac"):
        agent = create_personality_agent(name)
        assert (agent.name, agent.call_below, agent.raise_from) == ("maniac", 0.1, 0.1)


def test_default_thresholds() -> None:
    agent = ThresholdAgent()
    assert (agent.call_below, agent.raise_from) == (DEFAULT_CALL_THRESHOLD, DEFAULT_SAFE_RAISE_THRESHOLD)
    assert PERSONALITIES["OPTIMAL"] == (DEFAULT_CALL_THRESHOLD, DEFAULT_SAFE_RAISE_THRESHOLD) == (0.35, 0.15)


# -- names that no agent has -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "meant"),
    [("optimul", "optimal"), ("OPTIMUL", "optimal"), ("Randm", "random"), ("myagent", "MyAgent")]
    + [("MYAGENT", "MyAgent"), ("My_Agent", "MyAgent"), ("calling_statoin", "calling-station")],
)
def test_an_unknown_name_is_guessed(given: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "mine.py").write_text(
        "from liars_dice.agents import RandomAgent\nclass MyAgent(RandomAgent):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    guess = rf"agent = '{given}': expected one of .* \(did you mean {meant}\?\)"
    with pytest.raises(AgentNameError, match=guess):
        make_agent(given)
    with pytest.raises(AgentNameError, match=guess):
        play_game([given, "random"])
    with pytest.raises(AgentNameError, match=guess):
        round_robin([given, "random"])
    with pytest.raises(AgentNameError, match=guess):
        Simulation(2, agents=[given, "random"])
    for words in (
        ("matchup", given, "random"),
        ("watch", given, "random"),
        ("watch", given, "random", "--isolate"),
        ("tournament", given, "random"),
        ("simulate", given, "random", "--players", "2"),
        ("play", given),
        ("exploit", given, "--dice", "1", "1"),
        ("serve", "--agents", given),
    ):
        assert f"(did you mean {meant}?)" in call(*words).stderr, words
    assert f"(did you mean {meant}?)" in call("check-bot", given).output


def test_files_classes_and_prefixes_are_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sharp_bot.py").write_text(
        "from liars_dice.agents import RandomAgent\nclass Sharp(RandomAgent):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    for given, guess in {
        "sharp_bto.py": "did you mean sharp_bot.py?",
        "sharp_bot.py:Shrap": "did you mean Sharp?",
        "sharp_bot:Shrap": "did you mean Sharp?",
        "Threshold:0.4,0.2": "did you mean threshold?",
    }.items():
        with pytest.raises(AgentNameError, match=re.escape(guess)):
            make_agent(given)


def test_a_bot_file_without_its_extension_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from liars_dice.agents import RandomAgent\nclass Mine(RandomAgent):\n    pass\n"
    (tmp_path / "mybot.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    told = call("matchup", "mybot", "random").stderr
    assert "agent = 'mybot': expected the name of a bot, or its file: mybot.py" in told


def test_an_unknown_personality_is_guessed() -> None:
    with pytest.raises(BadValueError, match=r"personality = 'OPTIMUM': .* \(did you mean optimal\?\)"):
        create_personality_agent("OPTIMUM")
