"""Bots that discovery finds, and the names of all others."""

from __future__ import annotations

import json
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from command_line import call
from liars_dice.agents import (
    AGENTS,
    STRENGTH,
    Agent,
    AgentNameError,
    BotFileError,
    HumanAgent,
    discover,
    load_bot_file,
    make_agent,
)
from liars_dice.core import BadValueError, CallLiarAction, GameConfig, LiarsDiceError, preset, view_of
from liars_dice.referee import find_bots
from liars_dice.referee.named_seats import make_seat
from liars_dice.referee.referee import Referee
from support import dealt

GOOD = """
from liars_dice.agents import Agent, HumanAgent, RandomAgent

class Mine(RandomAgent):
    '''Plays at random, but is mine.'''

class NeedsMore(RandomAgent):
    def __init__(self, depth):
        self.depth = depth

class Optional(RandomAgent):
    def __init__(self, depth=3, *more, **others):
        self.depth = depth

class Abstract(Agent):
    pass

class Person(HumanAgent):
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bots = tmp_path / "agents"
    bots.mkdir()
    (bots / "good.py").write_text(GOOD)
    (bots / "broken.py").write_text("x = 1\n\nraise ValueError('oh no')\n")
    (bots / "typo.py").write_text("def f(:\n")
    (bots / "leaves.py").write_text("import sys\nsys.exit(3)\n")
    (bots / "_hidden.py").write_text("raise RuntimeError")
    (bots / "notes.txt").write_text("not python")
    return bots


def test_discovery(folder: Path) -> None:
    """Classes without needed arguments are found; errors are reported by file and line, and the others still load."""
    found = discover(folder)
    assert set(found.agents) == {"Mine", "Optional"}
    problems = {Path(problem.path).name: (problem.line, problem.reason) for problem in found.problems}
    assert problems["broken.py"] == (3, "ValueError: oh no")
    assert problems["typo.py"][0] == 1
    assert problems["leaves.py"] == (2, "SystemExit: 3")
    assert len(problems) == 3
    assert str(found.problems[0]).endswith("broken.py, line 3: ValueError: oh no")
    assert discover(folder / "nowhere").agents == {}


def test_a_file_without_a_bot_is_reported(tmp_path: Path) -> None:
    """Nobody who enters a tournament is left out without a word; what only helps others begins with an underscore."""
    (tmp_path / "plain.py").write_text("class Plain:\n    def choose_action(self, view): ...\n")
    (tmp_path / "needs_more.py").write_text(
        "from liars_dice.agents import RandomAgent\n\n\n"
        "class NeedsMore(RandomAgent):\n    def __init__(self, depth):\n        self.depth = depth\n"
    )
    (tmp_path / "_helper.py").write_text("x = 1\n")
    for problems in (discover(tmp_path).problems, find_bots(tmp_path).problems):
        assert [Path(problem.path).name for problem in problems] == ["needs_more.py", "plain.py"]
        assert all("inherits from liars_dice.agents.Agent" in problem.reason for problem in problems)


def test_discovered_bots_can_be_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a process of their own; a second bot of the same name is reported."""
    monkeypatch.chdir(folder.parent)
    assert type(make_agent("Mine")).__name__ == "Mine"
    seats = [make_seat("Mine", isolate=True), make_seat("Optional")]
    result = Referee(seats, preset("duel", dice=1), seed=1).play()
    assert (result.names, result.faults) == (("Mine", "random"), ())
    with pytest.raises(AgentNameError, match=r"did you mean Mine\?"):
        make_agent("Mien")
    (folder / "zweit.py").write_text("from liars_dice.agents import RandomAgent\nclass Mine(RandomAgent): pass\n")
    assert any("Mine is already in" in problem.reason for problem in discover(folder).problems)


def test_a_bot_of_an_earlier_design_is_told_what_to_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "mine.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Mine(Agent):\n    def decide(self, state_view):\n        ...\n"
    )
    reason = "Mine has decide, an earlier design's name for choose_action: rename it"
    assert [problem.reason for problem in discover().problems] == [reason]
    for name in ("Mine", "agents/mine.py"):
        with pytest.raises(LiarsDiceError, match=reason):
            make_agent(name)


def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    group = "liars_dice.agents"
    points = EntryPoints(
        [
            EntryPoint("theirs", "liars_dice.agents:RandomAgent", group),
            EntryPoint("person", "liars_dice.agents:HumanAgent", group),
            EntryPoint("gone", "no_such_package:Bot", group),
        ]
    )
    monkeypatch.setattr("liars_dice.agents.discovery.entry_points", lambda group: points.select(group=group))
    found = discover("nowhere")
    assert set(found.agents) == {"theirs"}
    (problem,) = found.problems
    assert str(problem).startswith("entry point gone: ModuleNotFoundError")


def test_the_list_of_agents(folder: Path) -> None:
    result = call("agents", "--folder", str(folder), "--json")
    listed = {entry["name"]: entry for entry in json.loads(result.stdout)["agents"]}
    assert set(listed) == {*AGENTS, "Mine", "Optional"}
    assert listed["Mine"] == {
        "name": "Mine",
        "summary": "Plays at random, but is mine.",
        "memoryless": True,
        "players": [2, 15],
        "aliases": [],
        "strength": None,
    }
    ours = [(entry["name"], entry["strength"]) for entry in listed.values() if entry["name"] in AGENTS]
    assert ours == list(STRENGTH.items())
    assert "broken.py, line 3" in result.stderr
    assert "human" not in listed
    shown = call("agents").output
    assert all(name in shown for name in AGENTS)


def test_the_registry_tells_the_truth() -> None:
    """What is written there of each agent without loading it is what the agent says itself."""
    for name in AGENTS.every_name:
        info, agent = AGENTS[name], make_agent(name)
        assert (agent.name, agent.memoryless, agent.players) == (name, info.memoryless, info.players)


def test_files_and_classes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = folder / "good.py"
    assert type(make_agent(f"{good}:Mine")).__name__ == "Mine"
    assert set(load_bot_file(good)) == {"Mine", "NeedsMore", "Optional", "Person"}
    (folder / "single.py").write_text("from liars_dice.agents import RandomAgent\nclass Only(RandomAgent): pass\n")
    assert type(make_agent(str(folder / "single.py"))).__name__ == "Only"
    monkeypatch.chdir(folder)
    assert type(make_agent("single:Only")).__name__ == "Only"
    sys.modules.pop("single")
    for name, message in {
        str(good): "a file with one bot in it, or FILE:CLASS; it has Mine, NeedsMore",
        f"{good}:Mien": r"did you mean Mine\?",
        f"{good}:NeedsMore": "a class that needs no arguments",
        "missing.py": "a bot file that can be read",
        "no_such_module:Bot": "a module that can be imported",
        "single:Nobody": "a class in the module single",
        "json:dumps": "a class that needs no arguments",
        "string:digits": "a class; string:digits is of type str",
        "collections:OrderedDict": "an object with a method choose_action",
    }.items():
        with pytest.raises(AgentNameError, match=message):
            make_agent(name)
    with pytest.raises(BotFileError, match=r"typo\.py, line 1: SyntaxError"):
        make_agent(str(folder / "typo.py"))


def test_people() -> None:
    person = HumanAgent(lambda view: CallLiarAction("I doubt it"), name="ann")
    view = view_of(dealt(GameConfig(), (1, 2), (1, 2, 3)), 0)
    assert person.choose_action(view) == CallLiarAction("I doubt it")
    assert person.player_type == "Human"
    with pytest.raises(BadValueError, match="an interface to ask a person through"):
        make_agent("human").choose_action(view)
    assert isinstance(make_agent("human"), Agent)
