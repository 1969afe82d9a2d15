"""Clones: they play like the player they copy, everywhere a bot can play, and exact methods can measure them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from liars_dice.agents import AgentNameError, make_agent
from liars_dice.cli import main
from liars_dice.core import GameEngine, preset
from liars_dice.exact import Matchups, exploitability
from liars_dice.exact.tables import PolicyTable, disagreements
from liars_dice.persistence import open_store, record_game

RULES = "heads-up,dice=2"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of 40 games of Ann, who plays like crawler, and her clone."""
    folder = tmp_path_factory.mktemp("clone")
    with open_store(str(folder / "games.db")) as store:
        for game in range(40):
            config = preset("heads-up").replace(dice=(2, 2))
            agents = [make_agent("crawler"), make_agent("bluffer")]
            engine = GameEngine(config, agents, names=["Ann", "Bob"], seed=game)
            record_game(engine, store)
            engine.play()
    run("train", "clone", "--player", "Ann", "--from", str(folder / "games.db"), "--out", str(folder / "ann.json"))
    return folder


def run(*words: str, fails: bool = False) -> str:
    done = CliRunner().invoke(main, words)
    assert (done.exit_code != 0) is fails, done.output
    return done.output


def test_a_clone_plays_like_its_player(files: Path) -> None:
    """In two dice against two it earns what the player earns, and gives away as much."""
    clone, crawler = make_agent(f"clone:{files / 'ann.json'}"), make_agent("crawler")
    config = preset("heads-up").replace(dice=(2, 2))
    against = [make_agent(name) for name in ("bluffer", "sniper", "passive")]
    copied, real = (
        [Matchups([player, other], config).match.win[0, 1] for other in against] for player in (clone, crawler)
    )
    assert copied == pytest.approx(real, abs=0.08)
    single = preset("classic").replace(dice=(2, 2))
    assert exploitability(clone, single) == pytest.approx(exploitability(crawler, single), abs=0.15)


def test_a_clone_is_memoryless(files: Path) -> None:
    clone = make_agent(f"clone:{files / 'ann.json'}")
    table = PolicyTable.of(clone, "perudo", own=1, other=2).complete()
    assert not list(disagreements(table, make_agent(f"clone:{files / 'ann.json'}")))


def test_a_clone_plays_by_any_rules(files: Path) -> None:
    name = f"clone:{files / 'ann.json'}"
    for rules, players in (("perudo", 4), ("duel", 2), ("openspiel", 2)):
        engine = GameEngine(preset(rules, players=players), [make_agent(name) for _ in range(players)], seed=3)
        engine.play()
    shared = preset("perudo", players=2).replace(table_dice=1, hidden_dice=1, dice=(2, 2), max_dice=5)
    GameEngine(shared, [make_agent(name), make_agent(name)], seed=3).play()


def test_the_same_store_gives_the_same_clone(files: Path) -> None:
    again = files / "again.json"
    said = run("train", "clone", "--player", "Ann", "--from", str(files / "games.db"), "--out", str(again), "--json")
    assert again.read_bytes() == (files / "ann.json").read_bytes()
    report = json.loads(said)
    assert report["player"] == "Ann"
    assert report["rounds"] > 90
    assert report["log_loss"] < 0.5 * report["log_loss_uniform"]


def test_commands_take_clones(files: Path) -> None:
    name = f"clone:{files / 'ann.json'}"
    report = json.loads(run("matchup", name, "maniac", "--rules", "heads-up", "--dice", "1", "--json"))
    assert report["method"] == "exact"
    report = json.loads(
        run("tournament", name, "maniac", "crawler", "--rules", "heads-up", "--dice", "2", "--exact", "--json")
    )
    assert {one["agent"] for one in report["ranking"]} == {name, "maniac", "crawler"}


def test_bad_files_and_players_get_one_line(files: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    for path, words in ((broken, "train clone"), (tmp_path / "none.json", "can be read")):
        with pytest.raises(AgentNameError, match=words):
            make_agent(f"clone:{path}")
    whole = json.loads((files / "ann.json").read_text())
    habits = whole["habits"]
    for change, words in (
        ({"bots": {"mine:Bot": 1.0}}, "this version"),
        ({"bots": {}}, "add up to 1"),
        ({"weights": {"habits": 2.0, "bots": -1.0}}, "add up to 1"),
        ({"habits": habits | {"mean": [0.0]}}, "means"),
        ({"habits": habits | {"covariance": [[-value for value in row] for row in habits["covariance"]]}}, "positive"),
        ({"schema": 99}, "version 99"),
    ):
        broken.write_text(json.dumps(whole | change))
        with pytest.raises(AgentNameError, match=words):
            make_agent(f"clone:{broken}")
    store, out = str(files / "games.db"), str(tmp_path / "x.json")
    said = run("train", "clone", "--player", "Anne", "--from", store, "--out", out, fails=True)
    assert "did you mean Ann?" in said
    said = run("train", "clone", "--player", "Ann", "--from", store, "--since", "2999-01-01", "--out", out, fails=True)
    assert "at least 10 finished rounds" in said
    assert not Path(out).exists()
