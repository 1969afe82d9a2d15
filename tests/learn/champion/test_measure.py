"""The measures of the networks: endgames, and chances to win."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch

from liars_dice.exact.solver import Tablebase
from liars_dice.learn.champion import agent, measure
from liars_dice.learn.champion.measure import best_chances, chances, endgames, gain_of_truth
from liars_dice.learn.champion.network import PolicyNetwork


@pytest.fixture
def policy() -> PolicyNetwork:
    torch.manual_seed(1)
    return PolicyNetwork(16, 16, 1)


def test_endgames_are_measured_with_the_moves_that_are_made(policy: PolicyNetwork) -> None:
    """The champion leaves out rare moves. This network knows nothing and is sure of it, so it has many."""
    assert measure.SELDOM == agent.SELDOM
    for head in (policy.bids, policy.calls):
        head.weight.data *= 2000
    lines = list(endgames(policy, "cpu", [(1, 1)]))
    whole, cut = (line["most"] for line in lines if line["rules"] == "perudo")
    assert 0.3 < whole < 1.01
    assert whole != pytest.approx(cut, abs=1e-5)


def test_calls_are_worth_what_the_solved_match_says() -> None:
    base = Tablebase.shipped("perudo match")
    for dice, worth in measure.MATCH_PAYOFFS.items():
        solved = base.entry(*dice).payoffs
        for name, pair in worth._asdict().items():
            assert pair == pytest.approx(getattr(solved, name), abs=1e-3), (dice, name)


def test_chances_of_a_network_that_knows_nothing_are_no_better_than_dice(policy: PolicyNetwork) -> None:
    lines = list(chances(policy, 40))
    assert [line["sample"] for line in lines] == list(measure.SAMPLES)
    for line in lines:
        assert 0 < line["share_of_dice"] < 0.3
        assert line["better_percent"] < 5
        assert len(line["better_by_players_left"]) == 5


def test_how_much_the_truth_is_better_is_known_without_knowing_the_truth() -> None:
    """Chances from 0 to 1 and a share of one half: the score is 1/4, and that of the truth is better by 1/12."""
    torch.manual_seed(1)
    chance = torch.rand(40_000)
    won = (torch.rand(40_000, 5) < chance[:, None]).float()
    gained, whole = gain_of_truth(torch.full_like(chance, 0.5), won)
    assert float(gained.mean()) == pytest.approx(1 / 12, abs=0.002)
    assert torch.equal(whole, torch.full_like(whole, 0.25))


def test_how_good_chances_can_be_is_found_by_playing_on(policy: PolicyNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "PLAYED_ON", 0.2)
    monkeypatch.setattr(measure, "TIMES", 3)
    lines = list(best_chances(policy, 20))
    assert [line["sample"] for line in lines] == list(measure.SAMPLES)
    for line in lines:
        low, high = line["ci95"]
        assert low <= line["better_percent"] <= high <= 100
        assert line["games"] < line["decisions"]


def test_the_command_writes_each_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, policy: PolicyNetwork) -> None:
    told = [{"figure": "endgame", "exploitability": 0.5}, {"figure": "chances", "brier": 0.25}]
    monkeypatch.setattr(measure, "load_policy", lambda path, device: policy)
    monkeypatch.setattr(measure, "figures", lambda *asked: iter(told))
    monkeypatch.setattr("sys.argv", ["measure", "model.pt", "--out", str(tmp_path / "found.jsonl")])
    measure.main()
    assert [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()] == told
