"""Learning as it was written down, step by step against a plain second writing of it, and against the truth."""

from __future__ import annotations

import itertools
import json
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from command_line import call
from liars_dice.agents import make_agent
from liars_dice.core import BadValueError, GameConfig, chance_true, deal, legal_actions, new_game, preset, view_of
from liars_dice.core.rules import round_rules
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.exact.response.adversary import best_response
from liars_dice.exact.tables.hands import hand_set
from liars_dice.learn import policy_gradient, q_learning
from liars_dice.learn.engine_learners import GreedyPlayer, rounds_won
from liars_dice.learn.features import Basis, make_basis, phi
from liars_dice.learn.mdp import OpponentTable, RoundArrays, make_opponent_table, make_round_arrays
from liars_dice.learn.model import Model, Training
from liars_dice.learn.policy import greedy_cells
from liars_dice.learn.sampled_evaluation import sampled_wins
from liars_dice.learn.schedule import Schedule
from liars_dice.learn.training import Trainer, TrainingError, milestones, new_model
from liars_dice.numeric.random_streams import below, fraction, stream
from oracle import best_value
from support import dealt, play

CLASSIC = preset("classic", dice=2)


def training(algorithm: str = "q", dice: int = 1, **changes: Any) -> Training:
    plain: dict[str, Any] = {
        "algorithm": algorithm, "config": preset("classic", dice=dice).to_dict(), "games": 20_000, "seed": 3,
    }  # fmt: skip
    return Training(**plain | changes)


# -- features ----------------------------------------------------------------------------------------------------------


def test_the_plain_features_are_the_documented_list() -> None:
    basis = make_basis("plain", CLASSIC, 2)
    state = play(dealt(CLASSIC, (2, 5), (1, 1)), "1x3 2x5")
    view = view_of(state, 0)
    rung = state.public.rung
    hand = hand_set(2, 6).index[2, 5]
    bid = view.current_bid
    assert bid is not None
    counts = [0, 1, 0, 0, 1, 0]
    raised = round_rules(CLASSIC, 4, False).rungs[type(bid)(3, 1)]
    assert phi(basis, hand, rung, raised).tolist() == [*counts, 5, 2, chance_true(view, bid), 1, 3, 0]
    assert phi(basis, hand, rung, basis.rungs).tolist() == [*counts, 5, 2, chance_true(view, bid), 0, 0, 1]
    assert phi(basis, hand, -1, 0).tolist() == [*counts, 0, 0, 0, 1, 1, 0]
    assert basis.size == 12


def test_crossed_features_tell_all_cells_apart() -> None:
    basis = make_basis("crossed", preset("classic", dice=1, faces=3), 1)
    seen = {
        tuple(phi(basis, hand, rung, action))
        for hand in range(3)
        for rung in range(-1, basis.rungs)
        for action in range(basis.rungs + 1)
    }
    assert len(seen) == 3 * 7 * 7
    assert all(sum(features) == 1 for features in seen)


@pytest.mark.parametrize("config", [CLASSIC, preset("classic", dice=2, open_on_ones=False, opening_min_quantity=2)])
def test_what_is_legal_is_what_the_engine_says(config: GameConfig) -> None:
    from liars_dice.learn.features import is_legal

    basis = make_basis("plain", config, 2)
    rules = round_rules(config, 4, False)
    start = deal(new_game(config), ((1, 2), (3, 4)))
    openings = [rules.moves.index(action) for action in legal_actions(start.public)]
    assert [a for a in range(basis.rungs + 1) if is_legal(basis, -1, a)] == openings
    assert [a for a in range(basis.rungs + 1) if is_legal(basis, 7, a)] == list(range(8, basis.rungs + 1))


# -- the algorithms, once more, plainly -------------------------------------------------------------------------------


class Plain:
    """Episodes as in the text: what a student would write, with the same random numbers."""

    def __init__(self, basis: Basis, game: RoundArrays, opponent: OpponentTable, seed: int) -> None:
        self.basis, self.game, self.opponent, self.seed = basis, game, opponent, np.uint64(seed)
        self.theta = np.zeros(basis.size)

    def legal(self, rung: int) -> list[int]:
        return list(np.flatnonzero(self.basis.opens)) if rung < 0 else list(range(rung + 1, self.basis.rungs + 1))

    def q(self, hand: int, rung: int, action: int) -> float:
        return float(self.theta @ phi(self.basis, hand, rung, action))

    def hands(self, number: int) -> tuple[int, int]:
        key = np.uint64(stream(self.seed, np.int64(number), 0))
        own, position = below(key, 0, len(self.game.own_rolls))
        other, _ = below(key, position, len(self.game.other_rolls))
        return int(self.game.own_rolls[own]), int(self.game.other_rolls[other])

    def true(self, own: int, other: int, rung: int) -> bool:
        face = self.game.face[rung]
        count = self.game.own_matches[own, face] + self.game.other_matches[other, face]
        return bool(count >= self.game.quantity[rung])

    def step(self, own: int, other: int, rung: int, action: int) -> tuple[int, int]:
        """(reward, next rung): P2 answers inside the transition."""
        liar = self.basis.rungs
        if action == liar:
            return (-1 if self.true(own, other, rung) else 1), -1
        after = int(self.opponent.cells[other, action + 1])
        if after == liar:
            return (1 if self.true(own, other, action) else -1), -1
        return 0, after


def one_die_each(basis_name: str) -> tuple[Basis, RoundArrays, OpponentTable]:
    """What a learner needs to play one die against `truthful`."""
    config = preset("classic", dice=1)
    return (
        make_basis(basis_name, config, 1),
        make_round_arrays(config),
        make_opponent_table(make_agent("truthful"), config),
    )


@pytest.mark.parametrize("basis_name", ["plain", "crossed"])
def test_q_learning_is_the_update_in_the_text(basis_name: str) -> None:
    basis, game, opponent = one_die_each(basis_name)
    games, alpha, epsilon, gamma = 300, (0.1, 0.02), (0.6, 0.2), 0.9
    plain = Plain(basis, game, opponent, seed=5)
    for number in range(games):
        rate = alpha[0] + (alpha[1] - alpha[0]) * number / games
        curiosity = epsilon[0] + (epsilon[1] - epsilon[0]) * number / games
        own, other = plain.hands(number)
        key, position, rung = np.uint64(stream(plain.seed, np.int64(number), 1)), 0, -1
        while True:
            legal = plain.legal(rung)
            if fraction(key, position) < curiosity:
                action = legal[below(key, position + 1, len(legal))[0]]
            else:
                action = max(legal, key=lambda a: plain.q(own, rung, a))
            position += 9
            reward, after = plain.step(own, other, rung, action)
            position += action != basis.rungs
            target = reward if reward else gamma * max(plain.q(own, after, a) for a in plain.legal(after))
            delta = target - plain.q(own, rung, action)
            plain.theta += rate * delta * phi(basis, own, rung, action)
            if reward:
                break
            rung = after
    theta = np.zeros(basis.size)
    q_learning.learn(
        theta, basis, game, opponent, np.uint64(5), 0, games, True, np.array(alpha), np.array(epsilon), gamma
    )
    assert np.allclose(theta, plain.theta, atol=1e-9)
    assert theta.any()


@pytest.mark.parametrize("basis_name", ["plain", "crossed"])
def test_policy_gradient_is_the_update_in_the_text(basis_name: str) -> None:
    basis, game, opponent = one_die_each(basis_name)
    games, batch, rate, gamma = 120, 40, 0.5, 0.9
    plain = Plain(basis, game, opponent, seed=6)

    def policy(own: int, rung: int) -> dict[int, float]:
        scores = {a: np.exp(plain.q(own, rung, a)) for a in plain.legal(rung)}
        return {a: score / sum(scores.values()) for a, score in scores.items()}

    for start in range(0, games, batch):
        episodes: list[tuple[float, list[tuple[int, int, int, dict[int, float]]]]] = []
        for number in range(start, start + batch):
            own, other = plain.hands(number)
            key, position, rung = np.uint64(stream(plain.seed, np.int64(number), 1)), 0, -1
            steps = []
            while True:
                chances = policy(own, rung)
                spot, action = fraction(key, position), -1
                for action, chance in chances.items():  # noqa: B007
                    spot -= chance
                    if spot < 0:
                        break
                steps.append((own, rung, action, chances))
                reward, rung = plain.step(own, other, rung, action)
                position += 1 + (action != basis.rungs)
                if reward:
                    break
            episodes.append((gamma ** (len(steps) - 1) * reward, steps))
        baseline = np.mean([g for g, _ in episodes])
        gradient = np.zeros(basis.size)
        for g, steps in episodes:
            for own, rung, action, chances in steps:
                mean = sum(chance * phi(basis, own, rung, a) for a, chance in chances.items())
                gradient += (g - baseline) * (phi(basis, own, rung, action) - mean) / batch
        plain.theta += rate * gradient
    theta = np.zeros(basis.size)
    policy_gradient.learn(
        theta, basis, game, opponent, np.uint64(6), 0, games, True, np.array([rate, rate]), batch, gamma
    )
    assert np.allclose(theta, plain.theta, atol=1e-9)
    assert theta.any()


# -- against the truth ------------------------------------------------------------------------------------------------


def test_the_optimum_is_what_trying_everything_finds() -> None:
    config = GameConfig(dice=(1, 1), faces=3)
    value = float(best_value(make_agent("truthful"), config, 0))
    model = new_model(Training(algorithm="q", config=config.to_dict(), games=10))
    assert Trainer(model).optimum == pytest.approx((1 + value) / 2, abs=1e-12)


@pytest.mark.parametrize("algorithm", ["q", "pg"])
@pytest.mark.parametrize(("dice", "short"), [(1, 0.005), (2, 0.01)])
def test_the_crossed_basis_comes_near_the_optimum(algorithm: str, dice: int, short: float) -> None:
    for seed in (1, 2, 3):
        report = Trainer(new_model(training(algorithm, dice, games=1_000_000, seed=seed))).run()
        assert report.optimum is not None
        assert report.optimum - short <= report.win_rate <= report.optimum + 1e-12


@pytest.mark.parametrize("algorithm", ["q", "pg"])
def test_the_seeds_basis_ranks_actions_alike_for_every_hand(algorithm: str) -> None:
    """Its limit, whatever it learns: with more dice it stays short of the optimum."""
    trainer = Trainer(new_model(training(algorithm, 2, basis="plain", games=200_000)))
    report = trainer.run()
    cells = greedy_cells(report.model.theta, trainer.basis)
    assert (cells == cells[0]).all()
    assert report.optimum is not None
    assert report.win_rate < report.optimum - 0.02


@pytest.mark.parametrize("opponent", ["truthful", "random", "bluffer"])
def test_w_is_the_exact_win_rate_of_the_agent(opponent: str, tmp_path: Path) -> None:
    trainer = Trainer(new_model(training("q", 2, opponent=opponent)))
    report = trainer.run(tmp_path / "m.npz")
    agent = make_agent(f"q:{tmp_path / 'm.npz'}")
    win = Matchups([agent, make_agent(opponent)], CLASSIC).match.win[0, 1]
    assert report.win_rate == pytest.approx(win, abs=1e-12)
    assert trainer.optimum is not None
    assert report.win_rate <= trainer.optimum + 1e-12
    games = 40_000
    assert sampled_wins(trainer, games) / games == pytest.approx(win, abs=4.5 * np.sqrt(0.25 / games))


def test_self_play_learns_both_sides(tmp_path: Path) -> None:
    trainer = Trainer(new_model(training("q", 1, opponent="self", games=1_000_000)))
    trainer.run(tmp_path / "self.npz")
    opener = Trainer(new_model(training("q", 1, games=1_000_000)))
    opener.run(tmp_path / "opener.npz")
    config = preset("classic", dice=1)
    second = [best_response(make_agent(f"q:{tmp_path / name}.npz"), config)[0] for name in ("self", "opener")]
    assert second[0] < second[1]  # as the one who answers, it gives less away


@pytest.mark.parametrize("algorithm", ["q", "pg"])
def test_an_opponent_with_a_memory_is_met_at_the_table(algorithm: str) -> None:
    faces = preset("classic", dice=1, faces=3).to_dict()
    trainer = Trainer(new_model(training(algorithm, opponent="detective", config=faces, games=1500)))
    report = trainer.run()
    assert report.optimum is None
    assert report.model.curve[0].win_rate < report.win_rate
    assert sampled_wins(trainer, 300) / 300 == pytest.approx(report.win_rate, abs=0.12)
    again = Trainer(new_model(training(algorithm, opponent="detective", config=faces, games=1500))).run()
    assert np.array_equal(again.model.theta, report.model.theta)


def test_the_table_and_the_engine_agree_on_w() -> None:
    trainer = Trainer(new_model(training("q", 1)))
    report = trainer.run()
    player = GreedyPlayer(report.model.theta, trainer.basis, trainer.config)
    won = rounds_won(player, make_agent("truthful"), trainer.config)
    weights = hand_set(1, 6).weights
    assert weights @ won @ weights == pytest.approx(report.win_rate, abs=1e-12)


def test_w_is_not_called_exact_against_one_who_draws_lots(tmp_path: Path) -> None:
    (tmp_path / "gambler.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Gambler(Agent):\n    def choose_action(self, view):\n"
        "        return self.rng.choice(view.legal_actions)\n"
    )
    words = ("train", "q", "--dice", "1", "--games", "20", "--evaluation-games", "50", "--json", "--opponent")
    assert json.loads(call(*words, str(tmp_path / "gambler.py")).stdout)["win_rate"] is None
    assert json.loads(call(*words, "detective").stdout)["win_rate"] is not None


def test_a_batch_is_never_larger_than_the_training_unless_it_was_asked_for() -> None:
    words = ("train", "pg", "--dice", "1", "--games", "20", "--evaluation-games", "0", "--json")
    assert json.loads(call(*words).stdout)["curve"][-1]["games"] == 20
    assert "batch = 30: expected at most 20, the number of games" in call(*words, "--batch", "30").output


# -- repeatable, resumable, safe ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["q", "pg"])
def test_a_stopped_training_goes_on_where_it_was(algorithm: str, tmp_path: Path) -> None:
    straight = Trainer(new_model(training(algorithm, games=5000))).run()
    path = tmp_path / "m.npz"
    looks = itertools.count()

    def impatient(done: int, total: int, rate: float) -> None:
        if next(looks) == 7:
            raise KeyboardInterrupt

    stopped = Trainer(new_model(training(algorithm, games=5000))).run(path, impatient)
    assert not stopped.complete
    kept = Model.load(path)
    assert 0 < kept.games < 5000
    resumed = Trainer(kept).run(path)
    assert resumed.complete
    assert np.array_equal(resumed.model.theta, straight.model.theta)
    assert resumed.model.curve == straight.model.curve == Model.load(path).curve


def test_weights_that_explode_leave_the_last_good_ones(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    wild = training("q", 2, basis="plain", q=q_learning.QLearning(alpha=Schedule(0.001, 1e9)))
    with pytest.raises(TrainingError, match=r"became infinite before .* games: use a smaller --alpha"):
        Trainer(new_model(wild)).run(path)
    assert np.isfinite(Model.load(path).theta).all()


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("pg", {"pg": policy_gradient.PolicyGradient(alpha=Schedule(1e308, 1e308), batch=3)}),
        ("q", {"q": q_learning.QLearning(alpha=Schedule(0.2, 0.2), epsilon=Schedule(0, 0))}),
        ("q", {"q": q_learning.QLearning(alpha=Schedule(1e300, 1e300))}),
    ],
)
def test_explosions_within_a_piece_end_it(algorithm: str, settings: dict[str, Any]) -> None:
    """No endless round, no step beyond the end of an array."""
    for seed in range(6):
        with pytest.raises(TrainingError, match="became infinite"):
            Trainer(new_model(training(algorithm, 2, basis="plain", games=100_000, seed=seed, **settings))).run()


def test_milestones_end_with_the_last_game() -> None:
    for games in (1, 7, 50, 1000, 1_000_001):
        for batch in (1, 200):
            found = milestones(games, batch)
            assert found[-1] == games
            assert found == sorted(set(found))
            assert all(number % batch == 0 for number in found[:-1])


@pytest.mark.parametrize("opponent", ["self", "truthful"])
def test_a_look_that_is_interrupted_changes_nothing(
    opponent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = training("q", games=5000, opponent=opponent)
    straight = Trainer(new_model(asked)).run()
    path = tmp_path / "m.npz"
    looks = itertools.count()
    real = Trainer.win_rate

    def impatient(self: Trainer, theta: Any = None) -> float:
        if next(looks) == 9:
            raise KeyboardInterrupt
        return real(self, theta)

    monkeypatch.setattr(Trainer, "win_rate", impatient)
    Trainer(new_model(asked)).run(path)
    resumed = Trainer(Model.load(path)).run(path)
    assert np.array_equal(resumed.model.theta, straight.model.theta)
    assert resumed.model.curve == straight.model.curve


def test_a_file_holds_everything(tmp_path: Path) -> None:
    report = Trainer(new_model(training("pg"))).run(tmp_path / "m.npz")
    again = Model.load(tmp_path / "m.npz")
    assert again.training == report.model.training
    assert again.curve == report.model.curve
    assert (tmp_path / "m.npz").stat().st_size < 50_000


def test_files_that_are_none_of_ours(tmp_path: Path) -> None:
    good = tmp_path / "good.npz"
    Trainer(new_model(training(games=100))).run(good)
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(good.read_bytes()[:-200])
    text = tmp_path / "text.npz"
    text.write_text("hello")
    other = tmp_path / "other.npz"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("about.npy", b"nothing")
    newer = tmp_path / "newer.npz"
    about = np.frombuffer(msgspec.json.encode({"version": 99}), dtype=np.uint8)
    np.savez(newer, about=about, theta=np.zeros(3))
    for path, message in (
        (damaged, "damaged or not a model"),
        (text, "damaged or not a model"),
        (other, "damaged or not a model"),
        (newer, "a model of version 1, not 99"),
        (tmp_path / "missing.npz", "No such file"),
    ):
        with pytest.raises(BadValueError, match=message):
            make_agent(f"q:{path}")
    rng = np.random.default_rng(1)
    for _ in range(200):  # damaged anywhere, in any way
        data = bytearray(good.read_bytes())
        data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        damaged.write_bytes(data)
        try:
            make_agent(f"q:{damaged}")
        except BadValueError:
            continue
    with pytest.raises(BadValueError, match="a model trained by pg, not by q"):
        make_agent(f"pg:{good}")


def test_a_model_of_another_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    Trainer(new_model(training(games=100))).run(path)
    for words, message in (
        (("matchup", f"q:{path}", "random", "--rules", "openspiel"), "wild = 'top': expected 'none'"),
        (
            ("tournament", f"q:{path}", "random", "optimal", "--rules", "perudo", "--players", "3"),
            "plays with 3 players",
        ),
    ):
        result = call(*words)
        assert result.exit_code == 1
        assert message in result.stderr
    assert call("matchup", f"q:{path}", "random", "--rules", "heads-up", "--dice", "2").exit_code == 0


def test_a_model_with_other_dice_says_what_it_plays_as(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    Trainer(new_model(training(games=100))).run(path)
    said = f"Warning: q:{path} was trained for 1 v 1 dice: in other rounds it plays like probabilistic\n"
    assert call("exploit", f"q:{path}", "--dice", "1", "1").stderr == ""
    assert call("exploit", f"q:{path}", "--dice", "2", "2").stderr == said
    for number, words in enumerate((("matchup", "--games", "4"), ("tournament", "--games", "4"), ("watch",))):
        copy = path.with_name(f"m{number}.npz")
        copy.write_bytes(path.read_bytes())
        found = call(words[0], f"q:{copy}", "random", "--rules", "heads-up", "--dice", "2", *words[1:])
        assert found.exit_code == 0
        assert found.stderr.count("in other rounds it plays like probabilistic") == 1


def test_seed_is_an_older_name_of_the_plain_basis(tmp_path: Path) -> None:
    assert training("q", 1, basis="seed") == training("q", 1, basis="plain")
    runs = [
        call("train", "q", "--dice", "1", "--games", "500", "--basis", basis, "--json") for basis in ("seed", "plain")
    ]
    for run in runs:
        assert run.exit_code == 0
    old, new = ({**json.loads(run.stdout), "elapsed_s": 0, "compile_s": 0} for run in runs)
    assert old == new
    assert new["basis"] == "plain"


def test_a_model_stored_with_the_older_basis_name_loads_and_goes_on(tmp_path: Path) -> None:
    stored = Path(__file__).parents[1] / "data" / "models" / "q_basis_seed.npz"
    assert Model.load(stored).training.basis == "plain"
    assert make_agent(f"q:{stored}").memoryless
    copy = tmp_path / "model.npz"
    copy.write_bytes(stored.read_bytes())
    options = ("train", "q", "--dice", "1", "--games", "2000", "--seed", "5", "--out", str(copy), "--resume", "--json")
    for basis in ("seed", "plain"):
        assert call(*options, "--basis", basis).exit_code == 0
    assert b'"basis":"plain"' in np.load(copy)["about"].tobytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"basis": "deep"}, "basis = 'deep': expected 'crossed', 'plain' or 'network'"),
        ({"opponent": "nobody"}, "agent = 'nobody'"),
        ({"games": 0}, "games = 0"),
        (
            {"algorithm": "pg", "pg": policy_gradient.PolicyGradient(batch=200), "games": 100},
            "at most 100, the number",
        ),
        ({"seed": -1}, "seed = -1"),
        ({"config": preset("heads-up").to_dict()}, "one round for two players"),
        ({"config": preset("classic", dice=9).to_dict()}, "at most 5 dice"),
        ({"config": preset("classic", dice=2, exact_call=True).to_dict()}, "rules without them"),
        ({"config": preset("classic", dice=2, table_dice=1).to_dict()}, "learners know only their own dice"),
        ({"config": preset("duel").to_dict(), "opponent": "self"}, "the same number of dice for both sides"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        Trainer(new_model(training(**changes)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: q_learning.QLearning(epsilon=Schedule(5, 5)), "two probabilities from 0 to 1"),
        (lambda: q_learning.QLearning(gamma=float("nan")), "gamma = nan"),
        (lambda: q_learning.QLearning(alpha=0.1), "alpha = 0.1: expected a schedule"),  # type: ignore[arg-type]
        (lambda: policy_gradient.PolicyGradient(alpha=2), "alpha = 2: expected a schedule"),  # type: ignore[arg-type]
        (lambda: policy_gradient.PolicyGradient(batch=1), "a whole number from 2 up"),
        (lambda: policy_gradient.PolicyGradient(gamma=-1), "gamma = -1"),
        (lambda: Schedule(-1, 0), "two finite numbers from 0 up"),
    ],
)
def test_settings_that_make_no_sense(make: Any, message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        make()


# -- the command -------------------------------------------------------------------------------------------------------


def test_train_keeps_its_contract(tmp_path: Path) -> None:
    words = ("train", "q", "--dice", "1", "--games", "5000", "--seed", "4", "--evaluation-games", "2000", "--json")
    found = json.loads(call(*words).stdout)
    keys = (
        "algorithm",
        "dice",
        "games",
        "basis",
        "win_rate",
        "win_rate_sampled",
        "ci95",
        "optimum",
        "policy",
        "policy_win_rate",
        "policy_win_rate_sampled",
        "policy_ci95",
        "objective",
        "td_error",
        "bellman_error",
        "curve",
        "elapsed_s",
        "compile_s",
    )
    assert set(keys) <= set(found)
    assert (found["algorithm"], found["dice"], found["games"], found["basis"]) == ("q", 1, 5000, "crossed")
    assert found["ci95"][0] < found["win_rate_sampled"] < found["ci95"][1]
    assert found["optimum"] == pytest.approx(5 / 6, abs=1e-12)
    again = json.loads(call(*words).stdout)
    times = ("elapsed_s", "compile_s", "run")
    assert {k: v for k, v in found.items() if k not in times} == {k: v for k, v in again.items() if k not in times}


def test_self_play_says_whom_it_is_measured_against() -> None:
    words = ("train", "q", "--dice", "1", "--games", "100", "--opponent", "self", "--evaluation-games", "0")
    assert "the greedy policy against truthful" in call(*words).stdout
    found = json.loads(call(*words, "--json").stdout)
    assert (found["opponent"], found["against"]) == ("self", "truthful")


def test_train_draws_its_curve_and_resumes(tmp_path: Path) -> None:
    model, curve = str(tmp_path / "m.npz"), tmp_path / "curve.png"
    words = ("train", "pg", "--dice", "1", "--games", "3000", "--out", model)
    result = call(*words, "--curve", str(curve))
    assert result.exit_code == 0, result.output
    assert curve.read_bytes().startswith(b"\x89PNG")
    assert "W* 83.33%" in result.stdout
    both = tmp_path / "both.png"
    beside = ("train", "q", "--dice", "1", "--games", "3000", "--beside", model)
    assert call(*beside, "--curve", str(both)).exit_code == 0
    assert both.stat().st_size > curve.stat().st_size
    assert "--beside needs --curve FILE" in call(*beside).stderr
    other_dice = call("train", "q", "--dice", "2", "--games", "10", "--curve", str(both), "--beside", model).stderr
    assert "beside = 'truthful, dice (1, 1)': expected a model trained against truthful with dice (2, 2)" in other_dice
    assert call(*words, "--resume").exit_code == 0
    refused = call("train", "pg", "--dice", "1", "--games", "2000", "--out", model, "--resume")
    assert refused.exit_code == 1
    assert "games = 2000: expected 3000, the games its training was started with" in refused.stderr
    for bad in (
        ("train", "sarsa"),
        ("train", "q", "--dice", "6"),
        ("train", "q", "--resume"),
        ("train", "q", "--games", "0"),
    ):
        result = call(*bad)
        assert result.exit_code != 0
        assert result.exception is None or isinstance(result.exception, SystemExit), bad
    assert (
        "a file that can be written"
        in call("train", "q", "--dice", "1", "--games", "10", "--out", "/dev/null/x").stderr
    )


def test_a_training_goes_on_with_its_settings_and_can_be_made_longer(tmp_path: Path) -> None:
    short, long = str(tmp_path / "short.npz"), str(tmp_path / "long.npz")
    words = ("train", "q", "--rules", "classic,wild=ones", "--dice", "1", "--seed", "7", "--evaluation-games", "0")
    steady = ("--alpha", "0.1", "--epsilon", "0.2", "--basis", "plain")
    assert call(*words, *steady, "--games", "1000", "--out", short).exit_code == 0
    assert call(*words, *steady, "--games", "3000", "--out", long).exit_code == 0
    resumed = ("train", "q", "--resume", short, "--evaluation-games", "0")
    assert json.loads(call(*resumed, "--json").stdout)["rules"] == "classic,wild=ones"
    assert f"Measure it: liars-dice exploit q:{short} --dice 1 1 --rules classic,wild=ones" in call(*resumed).stdout
    result = call(*resumed, "--games", "3000")
    assert result.exit_code == 0, result.output
    assert np.array_equal(Model.load(short).theta, Model.load(long).theta)
    assert Model.load(short).training == Model.load(long).training


def test_a_model_with_other_settings_is_not_replaced(tmp_path: Path) -> None:
    model = tmp_path / "m.npz"
    words = ("train", "q", "--dice", "1", "--games", "100", "--evaluation-games", "0", "--out", str(model))
    assert call(*words).exit_code == call(*words).exit_code == 0
    trained = model.read_bytes()
    longer = call("train", "q", "--resume", str(model), "--games", "200")
    assert "games = 200: expected 100, the games its training was started with: alpha" in longer.stderr
    assert "in this one seed was 0, now 3" in call(*words, "--seed", "3").stderr
    assert call("solve", "1", "1", "--target", "1e-3", "--out", str(tmp_path / "s.npz")).exit_code == 0
    assert "a model of this training" in call(*words[:-1], str(tmp_path / "s.npz")).stderr
    other = tmp_path / "other.npz"
    assert call(*words[:-1], str(other), "--seed", "3").exit_code == 0
    assert "in this one seed was 0, now 3" in call("train", "q", "--resume", str(other), "--out", str(model)).stderr
    assert call("train", "q", "--resume", str(model), "--out", str(tmp_path / "copy.npz")).exit_code == 0
    assert call("train", "q", "--resume", str(model), "--out", str(tmp_path / "copy.npz")).exit_code == 0
    assert model.read_bytes() == trained


@pytest.mark.parametrize("rules", ["heads-up", "classic,exact_call=true"])
def test_rules_that_cannot_be_learnt_are_quoted_as_typed(rules: str) -> None:
    assert f"rules = '{rules}': expected " in call("train", "q", "--rules", rules).stderr


def test_train_shows_the_policy_that_was_trained(tmp_path: Path) -> None:
    model, table = tmp_path / "m.npz", tmp_path / "curve.csv"
    words = ("train", "pg", "--dice", "1", "--games", "20000", "--gamma", "0.9", "--out", str(model))
    found = json.loads(call(*words, "--curve", str(table), "--json").stdout)
    assert found["policy"] == "softmax"
    assert found["policy_win_rate"] < found["win_rate"] == pytest.approx(5 / 6)
    assert found["policy_ci95"][0] < found["policy_win_rate"] < found["policy_ci95"][1]
    assert found["objective"] < 2 * found["policy_win_rate"] - 1  # later rewards count for less
    last = found["curve"][-1]
    assert (last["policy_win_rate"], last["objective"]) == (found["policy_win_rate"], found["objective"])
    lines = table.read_text().splitlines()
    assert lines[0] == "model,games,win_rate,policy_win_rate,objective,td_error,bellman_error"
    assert lines[-1] == f'"pg, crossed basis",20000,{last["win_rate"]},{last["policy_win_rate"]},{last["objective"]},,'
    assert len(lines) == 1 + len(found["curve"])
    exact = ("matchup", f"pg:{model}", "truthful", "--rules", "classic", "--dice", "1", "--exact", "--json")
    assert json.loads(call(*exact).stdout)["win_rate_first"] == pytest.approx(found["policy_win_rate"], abs=1e-12)
    said, greedily = call(*words).stdout, call(*words, "--greedy").stdout
    rate, best = f"{100 * found['policy_win_rate']:.2f}%", f"{100 * found['win_rate']:.2f}%"
    for text in (said, greedily):
        assert f"W  {rate}  exact, the softmax policy against truthful" in text
        assert f"J  {found['objective']:.4f}  exact, its expected return with gamma = 0.9" in text
        assert f"W  {best}  exact, the greedy policy against truthful" in text
    assert f"exploit pg:{model} --dice 1 1" in said
    assert f"exploit pg:{model},greedy --dice 1 1" in greedily
    assert "--greedy is only for pg" in call("train", "q", "--greedy").stderr


def test_train_q_shows_its_td_error(tmp_path: Path) -> None:
    words = ("train", "q", "--dice", "1", "--games", "5000", "--evaluation-games", "0")
    found = json.loads(call(*words, "--json").stdout)
    errors = [(point["td_error"], point["bellman_error"]) for point in found["curve"]]
    assert errors[0][0] is None
    assert all(error is not None and error > 0 for pair in errors[1:] for error in pair)
    assert errors[-1] == (found["td_error"], found["bellman_error"])
    assert found["policy"] == "epsilon-greedy"
    assert found["policy_win_rate"] < found["win_rate"]
    said = call(*words).stdout
    assert f"TD error {found['td_error']:.4f}, the mean of |delta| in the last 100 games" in said
    with_curve, alone = tmp_path / "q.png", tmp_path / "pg.png"
    assert call(*words, "--curve", str(with_curve)).exit_code == 0
    assert call("train", "pg", "--dice", "1", "--games", "400", "--curve", str(alone), "--greedy").exit_code == 0
    heights = [int.from_bytes(path.read_bytes()[20:24], "big") for path in (with_curve, alone)]
    assert heights[0] > heights[1]  # a panel for the TD error below W


def test_rates_are_one_number_or_two() -> None:
    def theta(*options: str) -> object:
        words = ("train", "q", "--dice", "1", "--games", "500", "--evaluation-games", "0", "--json", *options)
        result = call(*words)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)["curve"]

    constant = theta("--alpha", "0.1", "0.1", "--epsilon", "0.3", "0.3")
    assert theta("--alpha", "0.1", "--epsilon", "0.3") == constant
    assert theta("--alpha=0.1", "--epsilon=0.3", "0.3") == constant
    assert theta("--alpha", "0.1", "0.01", "--epsilon", "0.3") != constant
    for words, message in (
        (("--alpha", "0.1", "0.2", "0.3"), "unexpected extra argument (0.3)"),
        (("--epsilon", "0.5", "2"), "Invalid value for '--epsilon': 2.0 is not in the range"),
        (("--alpha", "fast"), "Invalid value for '--alpha': 'fast' is not a valid float"),
        (("--alpha",), "Option '--alpha' requires an argument"),
    ):
        assert message in call("train", "q", *words).stderr
