"""The report's measures: duplicate dice, who sits where, levels, endgames, and chances to win."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch

from liars_dice.exact.solver import Tablebase
from liars_dice.learn.champion import agent, measure
from liars_dice.learn.champion.measure import Decider, chances, dice_of, kind_of, one_among, play_duplicate, rate
from liars_dice.learn.champion.network import PolicyNetwork
from liars_dice.learn.champion.perudo_batch import ROLLS, RuleMix

SMALL = RuleMix((3, 3), (2, 2), full_games=1.0)


@pytest.fixture
def decider() -> Decider:
    torch.manual_seed(1)
    return Decider(PolicyNetwork(16, 16, 1))


@pytest.mark.parametrize("name", ["crawler", "probabilistic", "detective", "sniper"])
def test_equals_on_duplicate_dice_win_equally_often(decider: Decider, name: str) -> None:
    """They do the same in every rotation, so the same seat wins, which is another member each time."""
    members = torch.full((12, 3), kind_of(name))
    won = play_duplicate(decider, members, SMALL, seed=4)
    assert won.sort(-1).values.tolist() == [[0, 1, 2]] * 12
    assert len({tuple(row) for row in won.tolist()}) > 1


def test_a_deal_is_the_same_whatever_else_is_played(decider: Decider) -> None:
    members = torch.full((6, 3), kind_of("optimal"))
    whole = play_duplicate(decider, members, SMALL, seed=4)
    assert torch.equal(play_duplicate(decider, members, SMALL, seed=4, most=6), whole)
    assert not torch.equal(play_duplicate(decider, members, SMALL, seed=5), whole)


def test_dice_are_fair_and_differ() -> None:
    deals = torch.arange(20_000)
    rolls = dice_of(3, deals, torch.zeros_like(deals))
    assert ((rolls >= 0) & (rolls < ROLLS)).all()
    faces = torch.bincount(rolls.flatten() % 6)
    assert (abs(faces / faces.sum() - 1 / 6) < 0.003).all()
    assert (rolls != dice_of(3, deals, torch.ones_like(deals))).float().mean() > 0.99
    assert (rolls[:, 0] != rolls[:, 1]).float().mean() > 0.99


def test_who_wins_more(decider: Decider) -> None:
    """An untrained network loses to a rule bot, a level is in between, and `nash`, which plays the last rounds by that
    network and all others as `probabilistic`, wins less than `probabilistic`.
    """
    pairs = [("champion", "detective"), ("detective", "champion"), ("nash", "probabilistic"), ("champion:easy", "nash")]
    found = {line["one"]: line for line in one_among(decider, SMALL, pairs, 3, 60, 2, "cpu")}
    assert found["champion"]["ci95"][1] < 1 / 3 < found["detective"]["ci95"][0]
    assert found["champion"]["games"] == 180
    assert found["champion"]["rate"] < found["nash"]["rate"] < 1 / 3
    assert found["champion:easy"]["rate"] > found["champion"]["rate"]


def test_intervals_count_deals() -> None:
    """Six games that share their dice and their fate say as much as one."""
    wins, games = torch.tensor([6, 0] * 50), torch.full((100,), 6)
    alike = rate(wins, games)
    assert alike["rate"] == 0.5
    assert alike["ci95"][1] - 0.5 == pytest.approx(1.96 * 0.5 / 10)
    assert rate(torch.full((100,), 3), games)["ci95"] == [0.5, 0.5]


def test_it_measures_the_champion_as_it_plays() -> None:
    assert measure.SELDOM == agent.SELDOM
    assert {f"champion:{level}": share for level, share in agent.LEVELS.items()} == measure.LEVELS


def test_calls_are_worth_what_the_solved_match_says() -> None:
    base = Tablebase.shipped("perudo match")
    for dice, worth in measure.MATCH_PAYOFFS.items():
        solved = base.entry(*dice).payoffs
        for name, pair in worth._asdict().items():
            assert pair == pytest.approx(getattr(solved, name), abs=1e-3), (dice, name)


def test_chances_of_a_network_that_knows_nothing_are_no_better_than_dice(decider: Decider) -> None:
    lines = list(chances(decider.policy, 40))
    assert [line["sample"] for line in lines] == list(measure.SAMPLES)
    for line in lines:
        assert 0 < line["share_of_dice"] < 0.3
        assert line["better_percent"] < 5
        assert len(line["better_by_players_left"]) == 5


def test_the_command_writes_each_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decider: Decider) -> None:
    told = [{"figure": "league", "rate": 0.5}, {"figure": "among", "rate": 0.25}]
    monkeypatch.setattr(measure, "load_policy", lambda path, device: decider.policy)
    monkeypatch.setattr(measure, "figures", lambda *asked: iter(told))
    monkeypatch.setattr("sys.argv", ["measure", "model.pt", "--out", str(tmp_path / "found.jsonl")])
    measure.main()
    assert [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()] == told
