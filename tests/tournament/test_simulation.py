"""Table simulations: random tables, replications, local and global scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from liars_dice.agents import AGENTS, RandomAgent
from liars_dice.core import BadValueError, preset
from liars_dice.referee import BotLimits
from liars_dice.tournament.backends import InProcess, Processes
from liars_dice.tournament.simulation import Simulation


def test_scores_add_up() -> None:
    simulation = Simulation(n_players_per_table=4, n_tables=5, n_replications=12, seed=3)
    scores = simulation.start(verbose=False)
    assert sum(scores.values()) == 60
    assert len(simulation.scores) == 5
    for table in simulation.scores:
        assert len(set(table.agents)) == 4
        assert set(table.agents) <= set(AGENTS.every_name)
        assert sum(table.wins) == 12
    totals = {
        name: sum(dict(zip(t.agents, t.wins, strict=True)).get(name, 0) for t in simulation.scores) for name in scores
    }
    assert scores == totals
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_the_seed_decides_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liars_dice.tournament.backends.FEW_GAMES", 0)
    one = Simulation(3, 6, 30, seed=8, backend=Processes(1))
    two = Simulation(3, 6, 30, seed=8, backend=Processes(2))
    assert one.start(verbose=False) == two.start(verbose=False)
    assert one.scores == two.scores
    assert Simulation(3, 6, 30, seed=9).tables != one.tables


def test_tables_differ_while_there_are_different_ones() -> None:
    simulation = Simulation(3, 10, 1, agents=["optimal", "random", "bluffer", "crawler"], seed=1)
    assert len(set(simulation.tables)) == 10
    assert len({frozenset(table) for table in simulation.tables[:4]}) == 4
    three = Simulation(3, 8, 1, agents=["optimal", "random", "bluffer"], seed=1)
    assert len(set(three.tables[:6])) == 6


def test_fewer_kinds_than_seats_are_filled_with_copies_whose_wins_are_added_up() -> None:
    simulation = Simulation(5, 3, 20, agents=["optimal", "random"], seed=1, backend=InProcess(1))
    scores = simulation.start(verbose=False)
    for table in simulation.scores:
        assert len(set(table.agents)) == 5
        assert {"optimal", "optimal#2", "random", "random#2"} <= set(table.agents)
    assert set(scores) == {"optimal", "random"}
    assert sum(scores.values()) == 60
    at_tables = [zip(table.agents, table.wins, strict=True) for table in simulation.scores]
    of_optimal = sum(wins for table in at_tables for name, wins in table if name.startswith("optimal"))
    assert scores["optimal"] == of_optimal
    assert Simulation(3, 1, 10, agents=["optimal"], seed=1).start(verbose=False) == {"optimal": 10}


def test_two_objects_of_one_class_are_not_copies() -> None:
    simulation = Simulation(2, 1, 20, agents=[RandomAgent(), RandomAgent()], config=preset("heads-up", dice=1), seed=1)
    assert len(simulation.start(verbose=False)) == 2


def test_win_rates_come_with_intervals() -> None:
    simulation = Simulation(3, 8, 50, agents=["optimal", "random", "bluffer", "crawler", "maniac"], seed=2)
    scores = simulation.start(verbose=False)
    assert {one.agent: one.wins for one in simulation.ranking} == scores
    assert [one.win_rate for one in simulation.ranking] == sorted(one.win_rate for one in simulation.ranking)[::-1]
    for one in simulation.ranking:
        assert one.tables == sum(one.agent in table.agents for table in simulation.scores)
        assert one.games == 50 * one.tables
        assert one.win_rate == one.wins / one.games
        assert one.ci95[0] <= one.win_rate <= one.ci95[1]
    alone = Simulation(3, 1, 10, agents=["optimal"], seed=1)
    alone.start(verbose=False)
    assert alone.ranking[0].games == 30  # three copies in ten games
    assert alone.ranking[0].win_rate == pytest.approx(1 / 3)


def test_a_simulation_can_be_started_again() -> None:
    simulation = Simulation(2, 2, 5, agents=["optimal", "random"], seed=1)
    assert simulation.start(verbose=False) == simulation.start(verbose=False)
    assert simulation.games == 10


SLEEPER = """
import time
from liars_dice.agents import Agent

class Sleeper(Agent):
    def choose_action(self, view):
        while True:
            time.sleep(0.01)
"""


def test_the_time_limit_holds(tmp_path: Path) -> None:
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    rules = preset("classic", dice=1)
    agents = [str(tmp_path / "sleeper.py"), "random"]
    simulation = Simulation(2, 1, 2, agents=agents, config=rules, seed=1, time_limit_seconds=0.05)
    simulation.start(verbose=False)
    assert simulation.faults >= 2
    assert simulation.games == 2


def test_it_talks_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    Simulation(2, 2, 5, agents=["optimal", "random"], seed=1, config=preset("heads-up", dice=2)).start(verbose=True)
    said = capsys.readouterr().out
    assert "2 tables of 2 players, 5 games each; rules heads-up, seed 1" in said.splitlines()[0]
    assert said.count("5 replications have been finished. Scores at this table:") == 2
    assert all(f"Table {number} of 2: " in said for number in (1, 2))
    assert "Global scores:" in said


def test_a_table_is_told_as_soon_as_it_is_over(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[int] = []

    def look(games: int, total: int) -> None:
        told.append(capsys.readouterr().out.count("replications have been finished"))

    config = preset("heads-up", dice=2)
    Simulation(2, 3, 5, agents=["optimal", "random"], seed=1, config=config).start(verbose=True, progress=look)
    assert told == [1, 1, 1]


def test_discovered_agents_take_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "mine.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Mine(Agent):\n    name = 'mine'\n    players = (2, 3)\n\n"
        "    def choose_action(self, view):\n        return view.legal_actions[-1]\n"
    )
    assert "Mine" in Simulation(3, 1, 1, seed=1).agents
    assert "Mine" not in Simulation(4, 1, 1, seed=1).agents


@pytest.mark.parametrize(
    ("numbers", "options", "message"),
    [
        ((1, 10, 100), {}, "n_players_per_table = 1"),
        ((16, 10, 100), {}, "n_players_per_table = 16"),
        ((3, 0, 100), {}, "n_tables = 0"),
        ((3, "x", 100), {}, "n_tables = 'x': expected a whole number"),
        ((3, 2, 1.5), {}, "n_replications = 1.5"),
        ((2.0, 2, 2), {}, "n_players_per_table = 2.0"),
        ((3, 2, 2), {"agents": "optimal"}, "agents = 'optimal': expected a list"),
        ((3, 1, 0), {}, "n_replications = 0"),
        ((3, 1, 1), {"agents": ["nobody"]}, "agent = 'nobody'"),
        ((3, 1, 1), {"config": preset("heads-up")}, "the number of players in the rules"),
        ((3, 1, 1), {"agents": []}, "at least one agent, and none of them twice"),
        ((3, 1, 1), {"time_limit_seconds": 0}, "time_limit_seconds = 0: expected a number of seconds above 0"),
        ((3, 1, 1), {"time_limit_seconds": float("nan")}, "time_limit_seconds = nan"),
        ((3, 1, 1), {"time_limit_seconds": "1"}, "time_limit_seconds = '1': expected a number of seconds"),
        ((3, 1, 1), {"time_limit_seconds": 1, "limits": BotLimits()}, "either a time limit or `limits`"),
        ((3, 1, 1), {"agents": ["optimal", "optimal"]}, "at least one agent, and none of them twice"),
    ],
)
def test_bad_input(numbers: tuple[int, int, int], options: dict[str, object], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        Simulation(*numbers, **options)  # type: ignore[arg-type]
