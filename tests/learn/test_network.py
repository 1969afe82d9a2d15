"""The network that sees the whole bidding: its gradient, its training, and how it plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import call
from liars_dice.agents import ask, make_agent
from liars_dice.core import BadValueError, preset, view_of
from liars_dice.learn import Model, PolicyGradient, Schedule, Trainer, Training, TrainingError, new_model
from liars_dice.learn.features import make_basis
from liars_dice.learn.mdp import make_opponent_table, make_round_arrays
from liars_dice.learn.network import Network, first_weights, log_gradient, make_network, network_chances
from liars_dice.learn.network_policy_gradient import learn
from liars_dice.numeric import DECISIONS, DICE, below, fraction, stream
from support import dealt, play

ONE_DIE = preset("classic", dice=1)


def network_for(dice: int, hidden: int = 6) -> Network:
    return make_network(make_basis("plain", preset("classic", dice=dice), dice), hidden)


def training(dice: int = 1, **changes: Any) -> Training:
    config = preset("classic", dice=dice).to_dict()
    plain: dict[str, Any] = {"algorithm": "pg", "basis": "network", "config": config, "games": 4000, "seed": 3}
    return Training(**plain | changes)


@pytest.mark.parametrize(("hand", "bids"), [(0, []), (17, [2, 9]), (5, [4]), (20, [0, 1, 7, 23])])
def test_the_gradient_is_the_slope(hand: int, bids: list[int]) -> None:
    network = network_for(2)
    theta = np.random.default_rng(1).normal(size=first_weights(network, 0).size) / 2
    for action in np.flatnonzero(network_chances(theta, network, hand, bids)).tolist()[::3]:
        slopes = np.empty_like(theta)
        for i in range(theta.size):
            nudge = np.zeros_like(theta)
            nudge[i] = 1e-6
            up, down = (np.log(network_chances(t, network, hand, bids)[action]) for t in (theta + nudge, theta - nudge))
            slopes[i] = (up - down) / 2e-6
        assert np.allclose(log_gradient(theta, network, hand, bids, action), slopes, atol=1e-7)


def test_at_first_every_legal_action_is_equally_likely() -> None:
    network = network_for(1)
    theta = first_weights(network, 8)
    assert network_chances(theta, network, 3, []).tolist() == pytest.approx([1 / 12] * 12 + [0])
    assert network_chances(theta, network, 3, [2, 9]).tolist() == pytest.approx([0] * 10 + [1 / 3] * 3)
    assert not np.array_equal(theta, first_weights(network, 9))


def test_training_is_the_update_in_the_text() -> None:
    """θ ← θ + α mean of (G − b) Σ ∇ log π_θ(a|o), with the same games and random numbers, in plain Python."""
    network, game = network_for(1), make_round_arrays(ONE_DIE)
    opponent = make_opponent_table(make_agent("truthful"), ONE_DIE)
    games, batch, rate, gamma, seed = 60, 20, 0.7, 0.9, np.uint64(6)
    theta = first_weights(network, 1)
    plain = theta.copy()

    def holds(own: int, other: int, rung: int) -> bool:
        face = game.face[rung]
        return bool(game.own_matches[own, face] + game.other_matches[other, face] >= game.quantity[rung])

    for start in range(0, games, batch):
        episodes = []
        for number in range(start, start + batch):
            key = np.uint64(stream(seed, np.int64(number), DICE))
            first, position = below(key, 0, 6)
            own, other = int(game.own_rolls[first]), int(game.other_rolls[below(key, position, 6)[0]])
            key, position = np.uint64(stream(seed, np.int64(number), DECISIONS)), 0
            bids: list[int] = []
            slopes = []
            while True:
                chances = network_chances(plain, network, own, bids)
                action = int(np.searchsorted(np.cumsum(chances), fraction(key, position), side="right"))
                slopes.append(log_gradient(plain, network, own, bids, action))
                position += 2
                if action == network.rungs:
                    reward = -1 if holds(own, other, bids[-1]) else 1
                    break
                answer = int(opponent.cells[other, action + 1])
                if answer == network.rungs:
                    reward = 1 if holds(own, other, action) else -1
                    break
                bids += [action, answer]
            episodes.append((gamma ** (len(slopes) - 1) * reward, sum(slopes)))
        baseline = np.mean([value for value, _ in episodes])
        plain += rate * sum((value - baseline) * slope for value, slope in episodes) / batch
    won = learn(theta, network, game, opponent, seed, 0, games, np.array([rate, rate]), batch, gamma)
    assert 0 < won < games
    assert np.allclose(theta, plain, atol=1e-10)
    assert not np.allclose(theta, first_weights(network, 1), atol=1e-3)


@pytest.mark.parametrize(
    ("dice", "games", "seeds", "short"),
    [(1, 100_000, (1, 2, 3), 0.002), pytest.param(2, 200_000, (1,), 0.01, marks=pytest.mark.slow)],
)
def test_it_comes_near_the_optimum(dice: int, games: int, seeds: tuple[int, ...], short: float) -> None:
    for seed in seeds:
        report = Trainer(new_model(training(dice, games=games, seed=seed))).run()
        assert report.policy is not None
        assert report.policy.is_exact
        assert report.optimum is not None
        for rate in (report.win_rate, report.policy.win_rate):
            assert report.optimum - short <= rate <= report.optimum + 1e-12


def test_it_uses_the_bids_before_the_last(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    Trainer(new_model(training(games=8000))).run(path)
    agent = make_agent(f"pg:{path}")
    assert not agent.memoryless
    one, other = (
        ask(agent, view_of(play(dealt(ONE_DIE, (4,), (2,)), bids), 0)) for bids in ("1x1 1x6", "1x3 1x6")
    )  # fmt: skip
    assert one.keys() == other.keys()
    assert one != other


def test_it_plays_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    Trainer(new_model(training(games=8000))).run(path)
    for name in (f"pg:{path}", f"pg:{path},greedy"):
        match = ("matchup", name, "truthful", "--rules", "classic", "--dice", "1", "--games", "40", "--seed", "1")
        found = json.loads(call(*match, "--json").stdout)
        assert found["method"] == "engine"
        assert found["win_rate"] == json.loads(call(*match, "--json").stdout)["win_rate"]
    assert call("watch", f"pg:{path}", "random", "--rules", "classic", "--dice", "1").exit_code == 0
    with pytest.raises(BadValueError, match="a model trained by q, not by pg"):
        make_agent(f"q:{path}")
    small = tmp_path / "small.npz"
    Trainer(new_model(training(config=preset("classic", dice=1, faces=3).to_dict()))).run(small)
    exploit = ("exploit", f"pg:{small}", "--dice", "1", "1", "--faces", "3", "--leaks", "0", "--json")
    assert json.loads(call(*exploit).stdout)["exploitability"] > 0


def test_a_stopped_training_goes_on_where_it_was(tmp_path: Path) -> None:
    asked = training(games=8000, pg=PolicyGradient(alpha=Schedule(4, 1), hidden=9))
    straight = Trainer(new_model(asked)).run()
    path = tmp_path / "net.npz"

    def impatient(done: int, total: int, rate: float) -> None:
        if done > 3000:
            raise KeyboardInterrupt

    assert not Trainer(new_model(asked)).run(path, impatient).complete
    resumed = Trainer(Model.load(path)).run(path)
    assert resumed.complete
    assert np.array_equal(resumed.model.theta, straight.model.theta)
    assert resumed.model.curve == straight.model.curve


def test_weights_that_explode_leave_the_last_good_ones() -> None:
    with pytest.raises(TrainingError, match="became infinite"):
        Trainer(new_model(training(pg=PolicyGradient(alpha=Schedule(1e308, 1e308), batch=50)))).run()


def test_it_learns_from_games_of_the_engine() -> None:
    small = preset("classic", dice=1, faces=3).to_dict()
    settings = PolicyGradient(alpha=Schedule(1.0, 1.0), batch=50, hidden=16)

    def run() -> Trainer:
        trainer = Trainer(new_model(training(config=small, opponent="detective", games=1000, pg=settings)))
        trainer.run()
        return trainer

    trainer = run()
    assert trainer.optimum is None
    assert trainer.policy_return() is None
    assert trainer.model.curve[0].win_rate < trainer.win_rate()
    assert np.array_equal(trainer.model.theta, run().model.theta)


def test_too_many_biddings_are_sampled_and_that_is_said() -> None:
    words = ("train", "pg", "--basis", "network", "--dice", "3", "--games", "2000", "--hidden", "4")
    found = json.loads(call(*words, "--evaluation-games", "5000", "--json").stdout)
    assert found["policy_win_rate"] is None
    assert found["objective"] is None
    assert found["policy_ci95"][0] < found["policy_win_rate_sampled"] < found["policy_ci95"][1]
    assert found["win_rate"] is not None  # the greedy policy takes part in few biddings
    said = call(*words, "--evaluation-games", "5000").stdout
    assert "the softmax policy against truthful; too many biddings for an exact result" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("q", "--basis", "network"), "basis = 'network': expected 'crossed' or 'plain' with q"),
        (("pg", "--basis", "network", "--opponent", "self"), "cannot train in self-play"),
        (("pg", "--hidden", "8"), "--hidden is only for --basis network"),
        (
            ("pg", "--basis", "network", "--games", "500", "--batch", "2000"),
            "batch = 2000: expected at most 500, the number of games",
        ),
    ],
)
def test_what_does_not_go_together(words: tuple[str, ...], message: str) -> None:
    result = call("train", "--dice", "1", *words)
    assert result.exit_code != 0
    assert message in result.stderr
