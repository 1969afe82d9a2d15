"""W, J and TD errors, against the same numbers found by walking every history through the rules."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import call
from liars_dice.agents import Agent, ask, make_agent
from liars_dice.core import GameConfig, GameState, apply, preset, view_of
from liars_dice.exact.matchups import Matchups
from liars_dice.exact.tables import hand_set
from liars_dice.learn import Model, PolicyGradient, QLearning, Schedule, Trainer, Training, new_model, sampled_wins
from liars_dice.learn.engine_learners import bids_of
from liars_dice.learn.features import phi
from liars_dice.learn.network import network_chances
from support import dealt

SMALL = GameConfig(dice=(1, 1), faces=3)
UNEVEN = GameConfig(dice=(2, 1), faces=2, wild="top")
Policy = Callable[[int, GameState], dict[int, float]]
"""The learner's policy: from the number of its hand and the state to the probability of each action."""


def trainer_of(algorithm: str, config: GameConfig, **changes: Any) -> Trainer:
    """A trainer whose weights are random."""
    settings: dict[str, Any] = {"algorithm": algorithm, "config": config.to_dict(), "games": 5000, "seed": 2}
    trainer = Trainer(new_model(Training(**settings | changes)))
    theta = np.random.default_rng(7).normal(size=trainer.model.theta.shape)
    trainer.model.theta = theta * (0.3 if trainer.network is not None else 1.0)
    return trainer


def legal(trainer: Trainer, state: GameState) -> list[int]:
    moves = state.public.rules.moves
    return [moves.index(action) for action in view_of(state, 0).legal_actions]


def softmax(trainer: Trainer) -> Policy:
    """π_θ as it is written: exp of f_θ(φ(o, a)), divided by the sum."""

    def policy(hand: int, state: GameState) -> dict[int, float]:
        rung, theta = state.public.rung, trainer.model.theta
        scores = {a: float(np.exp(theta @ phi(trainer.basis, hand, rung, a))) for a in legal(trainer, state)}
        return {a: score / sum(scores.values()) for a, score in scores.items()}

    return policy


def network(trainer: Trainer) -> Policy:
    def policy(hand: int, state: GameState) -> dict[int, float]:
        assert trainer.network is not None
        chances = network_chances(trainer.model.theta, trainer.network, hand, bids_of(view_of(state, 0)))
        assert np.flatnonzero(chances).tolist() == legal(trainer, state)
        return {a: chances[a] for a in legal(trainer, state)}

    return policy


def greedy(policy: Policy) -> Policy:
    def best(hand: int, state: GameState) -> dict[int, float]:
        chances = policy(hand, state)
        return {max(chances, key=lambda a: chances[a]): 1.0}

    return best


Episode = tuple[float, int, float, list[tuple[int, int, int]]]
"""How likely it is, T, r_T, and the observations and actions on the way."""


def episodes(trainer: Trainer, policy: Policy) -> Iterator[Episode]:
    """Every episode that can happen, by the transition of the rules."""
    own, other = (hand_set(dice, trainer.config.faces) for dice in trainer.config.dice)
    judge: Agent = trainer.judge

    def walk(state: GameState, hand: int, chance: float, steps: list[tuple[int, int, int]]) -> Iterator[Episode]:
        public = state.public
        if public.status != "BIDDING":
            yield chance, len(steps) - 1, 1.0 if public.resolutions[-1].loser == 1 else -1.0, steps
        elif public.current_player == 0:
            for action, share in policy(hand, state).items():
                after = apply(state, public.rules.moves[action])
                yield from walk(after, hand, chance * share, [*steps, (hand, public.rung, action)])
        else:
            for move, share in ask(judge, view_of(state, 1)).items():
                yield from walk(apply(state, move), hand, chance * share, steps)

    for i, mine in enumerate(own.hands):
        for j, theirs in enumerate(other.hands):
            weight = float(own.weights[i] * other.weights[j])
            yield from walk(dealt(trainer.config, mine, theirs), i, weight, [])


def by_hand(trainer: Trainer, policy: Policy) -> tuple[float, float]:
    """W and J, summed over all episodes."""
    gamma = trainer.settings.gamma
    played = list(episodes(trainer, policy))
    assert sum(chance for chance, *_ in played) == pytest.approx(1)
    wins = sum(chance for chance, _, reward, _ in played if reward > 0)
    return wins, sum(chance * gamma**last * reward for chance, last, reward, _ in played)


@pytest.mark.parametrize("config", [SMALL, UNEVEN], ids=["one die each", "two against one, wild"])
@pytest.mark.parametrize("opponent", ["truthful", "bluffer", "random"])
@pytest.mark.parametrize("basis", ["crossed", "plain", "network"])
def test_w_and_j_are_those_of_the_softmax_policy(basis: str, opponent: str, config: GameConfig) -> None:
    settings = PolicyGradient(gamma=0.8, hidden=5)
    trainer = trainer_of("pg", config, basis=basis, opponent=opponent, pg=settings)
    policy = (network if basis == "network" else softmax)(trainer)
    found = trainer.policy_return()
    assert found is not None
    assert found.is_exact
    assert found[:2] == pytest.approx(by_hand(trainer, policy), abs=1e-12)
    assert trainer.win_rate() == pytest.approx(by_hand(trainer, greedy(policy))[0], abs=1e-12)
    assert trainer.optimum is not None
    assert found.win_rate <= trainer.optimum + 1e-12


@pytest.mark.parametrize("basis", ["crossed", "network"])
def test_without_a_discount_j_follows_from_w(basis: str) -> None:
    found = trainer_of("pg", preset("classic", dice=1), basis=basis).policy_return()
    assert found is not None
    assert found.objective == pytest.approx(2 * found.win_rate - 1, abs=1e-12)


def test_q_learning_reports_the_policy_it_explores_with() -> None:
    trainer = trainer_of("q", SMALL, q=QLearning(epsilon=Schedule(0.3, 0.3), gamma=0.9))

    def epsilon_greedy(hand: int, state: GameState) -> dict[int, float]:
        actions = legal(trainer, state)
        scores = [trainer.model.theta @ phi(trainer.basis, hand, state.public.rung, a) for a in actions]
        best = actions[int(np.argmax(scores))]
        return {a: 0.3 / len(actions) + (0.7 if a == best else 0.0) for a in actions}

    found = trainer.policy_return()
    assert found is not None
    assert found[:2] == pytest.approx(by_hand(trainer, epsilon_greedy), abs=1e-12)


@pytest.mark.parametrize("opponent", ["truthful", "bluffer"])
@pytest.mark.parametrize("basis", ["crossed", "plain"])
def test_the_bellman_error_is_the_expected_td_error(basis: str, opponent: str) -> None:
    trainer = trainer_of("q", SMALL, basis=basis, opponent=opponent, q=QLearning(gamma=0.9))

    def q(step: tuple[int, int, int]) -> float:
        return float(trainer.model.theta @ phi(trainer.basis, *step))

    deltas: dict[tuple[int, int, int], float] = defaultdict(float)
    decisions = 0.0
    greedily = greedy(softmax(trainer))
    for chance, _, reward, steps in episodes(trainer, greedily):
        for step, after in zip(steps, [*steps[1:], None], strict=True):
            target = reward if after is None else 0.9 * q(after)  # the action after it has the highest Q
            deltas[step] += chance * (target - q(step))
            decisions += chance
    expected = sum(abs(delta) for delta in deltas.values()) / decisions
    assert trainer.bellman_error() == pytest.approx(expected, abs=1e-12)


def test_the_td_error_vanishes_where_every_policy_can_be_learnt() -> None:
    config = preset("classic", dice=1).to_dict()
    settings = QLearning(alpha=Schedule(0.1, 0.0001), epsilon=Schedule(0.3, 0.0))
    training = Training(algorithm="q", config=config, games=1_000_000, seed=1, q=settings)
    curve = Trainer(new_model(training)).run().model.curve
    errors = [(point.td_error, point.bellman_error) for point in curve]
    assert errors[0][0] is None
    first, last = errors[1], errors[-1]
    assert first[0] is not None
    assert first[1] is not None
    assert last[0] is not None
    assert last[1] is not None
    assert last[0] < first[0] / 1.5  # what remains is the luck of the dice
    assert last[1] < 0.01 < 0.1 < first[1]


def test_policy_gradient_has_no_td_error_and_q_learning_no_objective() -> None:
    q, pg = (trainer_of(algorithm, SMALL, games=400).run().model.curve for algorithm in ("q", "pg"))
    assert {(p.policy_win_rate, p.objective) for p in q} == {(None, None)}
    assert {(p.td_error, p.bellman_error) for p in pg} == {(None, None)}
    assert all(p.policy_win_rate is not None and p.objective is not None for p in pg)


# -- playing -----------------------------------------------------------------------------------------------------------


def trained(path: Path, basis: str = "crossed", games: int = 20_000) -> Trainer:
    """A model on its way: its softmax policy and its greedy policy differ."""
    config = preset("classic", dice=1).to_dict()
    settings = PolicyGradient(alpha=Schedule(1.0, 1.0)) if basis == "network" else None
    games = 4_000 if basis == "network" else games
    trainer = Trainer(new_model(Training(algorithm="pg", config=config, basis=basis, games=games, seed=3, pg=settings)))
    trainer.run(path)
    return trainer


def test_pg_plays_the_policy_that_was_trained(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    trainer = trained(path)
    found = trainer.policy_return()
    assert found is not None
    assert trainer.win_rate() > found.win_rate + 0.05
    truthful = make_agent("truthful")
    for name, rate in ((f"pg:{path}", found.win_rate), (f"pg:{path},greedy", trainer.win_rate())):
        agent = make_agent(name)
        assert agent.name == name
        assert Matchups([agent, truthful], trainer.config).match.win[0, 1] == pytest.approx(rate, abs=1e-12)


@pytest.mark.parametrize("greedy", [True, False])
@pytest.mark.parametrize("basis", ["crossed", "network"])
def test_sampled_games_agree_with_the_exact_rate(basis: str, greedy: bool, tmp_path: Path) -> None:
    trainer = trained(tmp_path / "m.npz", basis)
    policy = trainer.policy_return()
    assert policy is not None
    rate = trainer.win_rate() if greedy else policy.win_rate
    games = 40_000
    won = sampled_wins(trainer, games, greedy=greedy)
    assert won / games == pytest.approx(rate, abs=4.5 * np.sqrt(0.25 / games))


def test_a_game_is_repeated_by_its_seed(tmp_path: Path) -> None:
    from liars_dice.core import play_game

    path = tmp_path / "m.npz"
    trainer = trained(path, games=2000)

    def game(seed: int) -> list[str]:
        agents = [make_agent(f"pg:{path}"), make_agent("truthful")]
        return [str(bid) for bid in play_game(agents, trainer.config, seed=seed).resolutions[0].bids]

    assert [game(seed) for seed in range(20)] == [game(seed) for seed in range(20)]
    dice_alike = {tuple(game(seed)) for seed in range(20)}
    assert len(dice_alike) > 6  # it mixes


def test_models_of_policy_gradient_from_before_its_policy_was_measured_load(tmp_path: Path) -> None:
    stored = Path(__file__).parents[1] / "data" / "models" / "pg_curve_of_greedy.npz"
    model = Model.load(stored)
    assert model.curve[-1].win_rate == pytest.approx(25 / 36)
    assert model.curve[-1].policy_win_rate is None
    agent = make_agent(f"pg:{stored}")
    assert agent.memoryless
    assert len(ask(agent, view_of(dealt(preset("classic", dice=1), (2,), (3,)), 0))) == 12
    resume = ("--seed", "5", "--basis", "plain", "--resume", "--json", "--out")
    copy = tmp_path / "m.npz"
    copy.write_bytes(stored.read_bytes())
    found = json.loads(call("train", "pg", "--dice", "1", "--games", "2000", *resume, str(copy)).stdout)
    assert found["win_rate"] == pytest.approx(25 / 36)
    assert found["curve"][-1]["policy_win_rate"] is None
    assert found["policy_win_rate"] is not None
    greedy = make_agent(f"pg:{stored},greedy")
    win = Matchups([greedy, make_agent("truthful")], preset("classic", dice=1)).match.win[0, 1]
    assert win == pytest.approx(25 / 36, abs=1e-12)


def test_other_numbers_of_dice_are_played_like_probabilistic(tmp_path: Path) -> None:
    for basis in ("crossed", "network"):
        path = tmp_path / f"{basis}.npz"
        trained(path, basis, games=400)
        view = view_of(dealt(preset("classic", dice=2), (2, 5), (3, 3)), 0)
        expected = ask(make_agent("probabilistic"), view)
        assert ask(make_agent(f"pg:{path}"), view) == expected
