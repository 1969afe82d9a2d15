"""The trainer: what rounds are worth, what calls bring, checkpoints, and a small game that it must learn."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch

from liars_dice.learn.champion.exploitability import exploit_round
from liars_dice.learn.champion.network import load_policy
from liars_dice.learn.champion.observation import by_seat, turn_order
from liars_dice.learn.champion.perudo_batch import EXACT, LIAR, SEATS, random_actions, unpack
from liars_dice.learn.champion.settings import settings_from
from liars_dice.learn.champion.train import Trainer

TINY = "--face-width 16 --table-width 16 --blocks 1 --games 512 --steps 6 --minibatch 1024"


def trainer(folder: Path, more: str = "") -> Trainer:
    return Trainer(settings_from(f"--out {folder} {TINY} {more}".split()))


def test_a_round_is_worth_what_the_games_after_it_are(tmp_path: Path) -> None:
    """The worth of how a round ended is the value of the row that follows, or who won the game."""
    run = trainer(tmp_path)
    seen = 0
    for _ in range(20):
        rows, kinds = run.games.rows, run.kinds
        worth = run.judges.worth(rows, kinds)
        actions = random_actions(unpack(rows))
        calls = torch.rand(run.games.n) < 0.5
        legal = unpack(rows).quantity > 0
        call = torch.where((unpack(rows).exact_call > 0) & (torch.rand(run.games.n) < 0.5), EXACT, LIAR)
        actions = torch.where(calls & legal, call, actions)
        outcome = run.games.step(actions)
        right_exact = (actions == EXACT) & (outcome.winner == unpack(rows).turn)
        found = worth[torch.arange(run.games.n), (outcome.loser + SEATS * right_exact).long()]
        tables = unpack(run.games.rows)
        with torch.no_grad():
            value = by_seat(run.value(tables, kinds).softmax(-1), turn_order(tables))
        won = torch.nn.functional.one_hot(outcome.winner.long(), SEATS).float()
        wanted = torch.where(outcome.game_ended[:, None], won, value)
        assert torch.allclose(found[outcome.round_ended], wanted[outcome.round_ended], atol=1e-5)
        seen += int(outcome.round_ended.sum())
    assert seen > 1000


def test_known_calls_bring_what_made_calls_bring(tmp_path: Path) -> None:
    """Where a call was made, what it is known to bring is what it brought."""
    run = trainer(tmp_path)
    played = run.play()
    advantage = run.judge(played).advantage
    for call, place in ((LIAR, 1), (EXACT, 2)):
        made = played.actions == call
        assert made.any()
        assert torch.allclose(advantage[made][:, place], advantage[made][:, 0], atol=1e-5)


def test_the_worth_of_a_round_does_not_change_in_it(tmp_path: Path) -> None:
    """It is asked once per round; asked at every decision, the answers would be the same."""
    run = trainer(tmp_path)
    for _ in range(2):
        played = run.play()
    every = torch.stack([run.judges.worth(*both) for both in zip(played.rows, played.kinds, strict=True)])
    assert torch.allclose(run.judges.worth_of_all(played), every, atol=1e-6)


def test_the_critic_learns_what_bids_bring(tmp_path: Path) -> None:
    """Told how the rounds went, it foretells part of what the next bids bring; at first it foretells nothing."""
    run = trainer(
        tmp_path, "--players 2 2 --dice 1 1 --endgames 0 --bots 0 --learning-rate 3e-3 3e-3 --most-updates 25"
    )
    found = [report["foretold"] for report in run.run()]
    assert abs(found[0]) < 0.05
    assert found[-1] > 0.1


def test_a_run_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    first = trainer(tmp_path)
    report = next(first.run())
    assert report["updates"] == 1
    assert report["decisions"] > 1000
    first.save()
    again = trainer(tmp_path)
    assert (again.updates, again.decisions, again.trained_s) == (1, first.decisions, first.trained_s)
    for mine, theirs in zip(again.averaged.parameters(), first.averaged.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert next(again.run())["updates"] == 2
    assert isinstance(load_policy(tmp_path / "last.pt"), torch.nn.Module)


def test_a_run_that_was_stopped_trains_for_the_rest_of_its_minutes(tmp_path: Path) -> None:
    """Stopped at 12 of 20 minutes, it goes on where its temperature was, and ends at 20."""
    first = trainer(tmp_path, "--minutes 20")
    next(first.run())
    first.trained_s = 12 * 60.0
    first.save()
    again = trainer(tmp_path, "--minutes 20")
    assert again.progress == pytest.approx(0.6)
    again.trained_s = 20 * 60 - 0.01
    last = list(again.run())
    assert len(last) == 1
    assert again.settings.done(last[0]) == (1200, 1200)
    assert again.progress == 1


def test_a_run_may_start_from_the_judges_of_another(tmp_path: Path) -> None:
    first = trainer(tmp_path / "first")
    next(first.run())
    again = trainer(tmp_path / "again", f"--judges {first.save()} --seed 1")
    for mine, theirs in zip(again.value.parameters(), first.value.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert torch.allclose(again.critic.bids.weight, first.critic.bids.weight, atol=1e-3)
    assert (again.updates, again.decisions) == (0, 0)
    assert not torch.equal(again.policy.bids.weight, first.averaged.bids.weight)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        trainer(tmp_path / "again", "--init nowhere")


@pytest.mark.slow
def test_a_small_round_is_learned(tmp_path: Path) -> None:
    """One die each: a policy that bids and calls anything loses 0.76 to a perfect adversary, this one far less."""
    options = (
        "--players 2 2 --dice 1 1 --full-games 1 --endgames 0 --bots 0 --tournament 0 --palifico 0 --wild-ones 1 "
        "--open-on-ones 1 --exact-calls 0 --face-width 32 --table-width 64 --learning-rate 1.5e-3 2e-4 "
        "--entropy 0.1 0.05 --magnet 0.5 0.5 --average 0.995 --most-updates 150 --games 1024 --steps 8 --minibatch 1024"
    )
    run = trainer(tmp_path, options)
    assert exploit_round(run.averaged, (1, 1)).exploitability > 0.7
    for _ in run.run():
        pass
    assert exploit_round(run.averaged, (1, 1)).exploitability < 0.25
