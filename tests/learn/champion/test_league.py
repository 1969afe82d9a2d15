"""Leagues: everybody's wins add up, equals win alike, and exploiters sit where they should."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch

from liars_dice.learn.champion.league import mixed, one_among, play_games, wins_of
from liars_dice.learn.champion.network import PolicyNetwork, load_policy, look
from liars_dice.learn.champion.perudo_batch import SEATS, RuleMix, unpack
from liars_dice.learn.champion.scripted import FROZEN, LEARNER, NAMES
from liars_dice.learn.champion.settings import settings_from
from liars_dice.learn.champion.train import Trainer


def test_every_game_is_won_once_by_somebody_who_sat_there() -> None:
    policy = PolicyNetwork(16, 16, 1)
    kinds = [NAMES.index(name) for name in ("learner", "crawler", "optimal", "sniper")]
    winner, seated = play_games(policy, mixed(kinds, 3), RuleMix((3, 3), full_games=1.0), 60, seed=2)
    assert (winner[:, None] == seated[:, :3]).any(1).all()
    found = [wins_of(kind, winner, seated, 3) for kind in kinds]
    assert sum(wins.wins for wins in found) == 60
    assert sum(wins.games for wins in found) == 180


def test_a_copy_among_copies_wins_its_share() -> None:
    torch.manual_seed(0)
    policy = PolicyNetwork(16, 16, 1)
    winner, seated = play_games(
        policy, one_among(LEARNER, FROZEN, 3), RuleMix((3, 3), (2, 2), full_games=1.0), 1500, frozen=policy, seed=3
    )
    found = wins_of(LEARNER, winner, seated, 3)
    assert found.games == 1500
    assert abs(found.rate - 1 / 3) < 0.05


def test_an_exploiter_has_one_seat_and_starts_from_its_victim(tmp_path: Path) -> None:
    tiny = "--face-width 16 --table-width 16 --blocks 1 --games 64 --steps 4 --minibatch 64"
    victim = Trainer(settings_from(f"--out {tmp_path / 'victim'} {tiny}".split()))
    path = victim.save()
    asked = f"--out {tmp_path / 'exploiter'} --against {path} --players 4 4 --bots 0 --magnet 0 0 {tiny}"
    exploiter = Trainer(settings_from(asked.split()))
    for mine, theirs in zip(exploiter.policy.parameters(), victim.averaged.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    report = next(exploiter.run())
    assert 0 < report["own"] < 64 * 4 / 2
    seats = (exploiter.kinds == LEARNER) & (unpack(exploiter.games.rows).dice >= 0)
    assert (seats.sum(-1) == 1).all()


def test_a_pair_of_exploiters_shares_its_wins_and_knows_its_seats(tmp_path: Path) -> None:
    tiny = "--face-width 16 --table-width 16 --blocks 1 --games 64 --steps 4 --minibatch 64"
    path = Trainer(settings_from(f"--out {tmp_path / 'victim'} {tiny}".split())).save()
    asked = f"--out {tmp_path / 'pair'} --against {path} --learners 2 --players 4 4 --bots 0 --magnet 0 0 {tiny}"
    pair = Trainer(settings_from(asked.split()))
    tables = unpack(pair.games.rows)
    assert ((pair.kinds == LEARNER).sum(-1) == 2).all()
    sides = pair.judges._sides(tables, pair.kinds)
    learns = pair.kinds.gather(1, tables.turn.long()[:, None]).squeeze(1) == LEARNER
    assert torch.equal(sides[learns], pair.kinds[learns] == LEARNER)
    assert (sides[~learns].sum(-1) == 1).all()

    next(pair.run())
    pair.policy.streams.table_in.weight.data[:, -SEATS:].normal_()  # now it matters which seats the partners have
    tables, sight = unpack(pair.games.rows), look(tables, pair.kinds).as_kept()
    told = pair.policy(tables, pair.kinds).logits
    assert torch.allclose(told, pair.policy.read(sight).logits, atol=1e-5)
    assert not torch.allclose(told, pair.policy(tables, 0 * pair.kinds).logits, atol=1e-3)

    reloaded = load_policy(pair.save(), part="policy")
    seating = one_among(LEARNER, FROZEN, 4, count=2)
    mix = RuleMix((4, 4), (1, 1), full_games=1.0)
    winner, seated = play_games(reloaded, seating, mix, 50, frozen=load_policy(path), seed=1)
    assert ((seated[:, :4] == LEARNER).sum(-1) == 2).all()
    assert 0 < wins_of(LEARNER, winner, seated, 4).wins < 50
