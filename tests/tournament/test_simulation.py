"""Table simulations: random tables, replications, local and global scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from liars_dice.agents import AGENTS
from liars_dice.core import BadValueError, preset
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


def test_fewer_kinds_than_seats_are_filled_with_numbered_copies() -> None:
    simulation = Simulation(5, 3, 20, agents=["optimal", "random"], seed=1, backend=InProcess(1))
    scores = simulation.start(verbose=False)
    for table in simulation.scores:
        assert len(set(table.agents)) == 5
        assert {"optimal", "optimal#2", "random", "random#2"} <= set(table.agents)
    assert sum(scores.values()) == 60
    assert {name.split("#")[0] for name in scores} == {"optimal", "random"}
    alone = Simulation(3, 1, 10, agents=["optimal"], seed=1).start(verbose=False)
    assert set(alone) == {"optimal", "optimal#2", "optimal#3"}


def test_it_talks_if_asked(capsys: pytest.CaptureFixture[str]) -> None:
    Simulation(2, 2, 5, agents=["optimal", "random"], seed=1, config=preset("heads-up", dice=2)).start(verbose=True)
    said = capsys.readouterr().out
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
        ((3, 1, 0), {}, "n_replications = 0"),
        ((3, 1, 1), {"agents": ["nobody"]}, "agent = 'nobody'"),
        ((3, 1, 1), {"config": preset("heads-up")}, "the number of players in the rules"),
        ((3, 1, 1), {"agents": []}, "at least one agent, and none of them twice"),
        ((3, 1, 1), {"agents": ["optimal", "optimal"]}, "at least one agent, and none of them twice"),
    ],
)
def test_bad_input(numbers: tuple[int, int, int], options: dict[str, object], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        Simulation(*numbers, **options)  # type: ignore[arg-type]
