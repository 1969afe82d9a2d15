"""The training loop: games in pieces, with an exact evaluation and a checkpoint after each, and a learning curve."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import ceil, isfinite, isnan
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from ..agents import Agent, Guard, make_agent, unguarded
from ..core import SEEDS, BadValueError, ConfigError, Dice, GameConfig, LiarsDiceError, is_whole
from ..exact import OutOfReachError
from ..exact.matchups import round_win_chance
from ..exact.response import best_response
from ..exact.tables import hand_set
from ..numeric import Floats
from . import network_policy_gradient, policy_gradient, q_learning
from .engine_learners import (
    GreedyPlayer,
    NetworkPGPlayer,
    NetworkPlayer,
    PGPlayer,
    QPlayer,
    SoftmaxPlayer,
    learn_through_engine,
    rounds_won,
)
from .exact_evaluation import bellman_error, network_return, table_return
from .features import Basis, make_basis
from .mdp import OpponentTable, RoundArrays, make_opponent_table, make_round_arrays
from .model import SELF, Algorithm, CurvePoint, Model, Training
from .network import Network, first_weights, make_network, network_size
from .policy import epsilon_greedy_chances, greedy_cells, softmax_chances
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .sampled_evaluation import EVALUATION, network_games
from .schedule import Schedule
from .seating import round_rules_of

FEW_PIECES = 5
"""The number of pieces if an evaluation takes long: against an opponent that remembers the bidding."""
NETWORK_PIECES = 10
"""The number of pieces for a network, whose evaluation follows all biddings."""
PIECES = 50
"""The number of pieces, each followed by an evaluation; at the beginning there are a few more."""
MOST_DECISIONS = 500_000
"""The most decisions, of all hands after all biddings, for which the W of a network is exact. With two dice each,
`truthful` allows 216,000, which take about a second."""
SAMPLE = 50_000
"""The number of games played instead where there are more."""
TrainingProgress = Callable[[int, int, float], None]
"""Called with the games played, the total number of games, and the current W of the policy that training is for."""


class TrainingError(LiarsDiceError):
    """The training diverged; the last good weights are kept."""

    code = "training"


class PolicyReturn(NamedTuple):
    """What a policy achieves as the opener."""

    win_rate: float
    """W."""
    objective: float
    """J = E[G], with the discount γ of the training."""
    is_exact: bool
    """False if both come from sampled games."""


class TrainingReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a training."""

    model: Model
    win_rate: float
    """W: the probability that the greedy policy wins as the opener; exact if `Trainer.is_exact`."""
    policy: PolicyReturn | None
    """W and J of the policy in training: π_θ, or π_ε of Q-learning with its last ε. None if the opponent remembers the
    bidding."""
    td_error: float | None
    """Q-learning: the mean of |δ| over the steps of the last piece."""
    bellman_error: float | None
    """Q-learning: the mean of |E[δ | o, a]| over the decisions of the greedy policy."""
    against: str
    """The opponent that W is measured against: the one in training, or `truthful` after self-play."""
    optimum: float | None
    """W*: the best possible win rate against this opponent; None if it remembers the bidding, or mixes in more ways
    than can be followed."""
    complete: bool

    def __repr__(self) -> str:
        best = "" if self.optimum is None else f", W* {self.optimum:.2%}"
        return f"<TrainingReport: W {self.win_rate:.2%}{best} against {self.against}, {self.model.games:,} games>"


def default_settings(algorithm: str, basis: str) -> QLearning | PolicyGradient:
    """What works well for each basis: the plain basis has fewer and larger features, so it needs smaller steps; a
    network settles on better play if its steps follow larger batches.
    """
    if algorithm == "q":
        if basis == "network":
            raise BadValueError("basis", basis, "'crossed' or 'plain' with q: the network is for pg")
        return QLearning() if basis == "crossed" else QLearning(alpha=Schedule(0.002, 0.0002))
    if algorithm == "pg":
        if basis == "network":
            return PolicyGradient(alpha=Schedule(4.0, 4.0), batch=2000)
        return PolicyGradient() if basis == "crossed" else PolicyGradient(alpha=Schedule(0.1, 0.02))
    raise BadValueError("algorithm", algorithm, "'q' or 'pg'")


def train(
    algorithm: Algorithm,
    rules: str | GameConfig | None = None,
    *,
    dice: Dice = None,
    opponents: str = "truthful",
    basis: str = "crossed",
    games: int = 1_000_000,
    seed: int = 0,
    settings: QLearning | PolicyGradient | None = None,
    out: Path | None = None,
) -> TrainingReport:
    """Train a model by Q-learning (`q`) or policy gradient (`pg`), in the words of the environments.

    `rules`, `dice` and `opponents` are those of `BatchedEnv`; `opponents` is a name, or `self` for self-play.
    `settings` are `QLearning` or `PolicyGradient`. With `out`, the model is saved there.

    >>> train("q", dice=1, games=5000)
    <TrainingReport: W 83.33%, W* 83.33% against truthful, 5,000 games>
    """
    known = default_settings(algorithm, basis) if settings is None else settings
    if settings is None and isinstance(known, PolicyGradient):
        known = msgspec.structs.replace(known, batch=min(known.batch, games))
    training = Training(
        algorithm=algorithm,
        config=round_rules_of(rules, dice=dice).to_dict(),
        basis=basis,
        opponent=opponents,
        games=games,
        seed=seed,
        q=known if isinstance(known, QLearning) else None,
        pg=known if isinstance(known, PolicyGradient) else None,
    )
    report = Trainer(new_model(training)).run(out)
    if out is not None:
        report.model.save(out)
    return report


class Trainer:
    """Trains one model."""

    def __init__(self, model: Model, guard: Guard = unguarded, load: Callable[[str], Agent] = make_agent) -> None:
        """`load` gives the opponent of this name; `guard` calls its code."""
        training = model.training
        check_training(training)
        self.model = model
        self.config = training.rules()
        self.settings = settings_of(training)
        self.basis, self.network = functions_of(training)
        self.round: RoundArrays = make_round_arrays(self.config)
        self.against = "truthful" if training.opponent == SELF else training.opponent
        self.judge: Agent = load(self.against)
        self.opponent: OpponentTable | None = None
        """The opponent as a table; None if it remembers the bidding: then games are played through the engine."""
        self.optimum: float | None = None
        """W*; known only against a table, and not if that mixes in more ways than can be followed."""
        self.judge.check_rules(self.config)
        if getattr(self.judge, "memoryless", False):
            self.opponent = make_opponent_table(self.judge, self.config, guard)
            with suppress(OutOfReachError):
                self.optimum = (1 + best_response(self.judge, self.config, guard=guard)[0]) / 2
        size = self.basis.size if self.network is None else network_size(self.network)
        if model.theta.shape != (size,):
            raise BadValueError("model", model.theta.shape, f"{size} weights for this game and basis")
        self._out_of_reach: set[bool] = set()
        """For a network, whether the greedy policy (True) or π_θ (False) has too many decisions for an exact W."""

    def __repr__(self) -> str:
        model = self.model
        return f"<Trainer: {model.training.algorithm} against {self.against}, {model.games:,} games played>"

    def warm_up(self) -> None:
        """Compile the functions that training needs."""
        if self.opponent is not None:
            self._learn(self.model.theta.copy(), 0)
            self._point(self.model.theta, 0, None)
            self.policy_return()

    def _milestones(self) -> list[int]:
        batch = self.settings.batch if isinstance(self.settings, PolicyGradient) else 1
        pieces = PIECES if self.network is None else NETWORK_PIECES
        return milestones(self.model.training.games, batch, FEW_PIECES if self.opponent is None else pieces)

    # -- evaluation --------------------------------------------------------------------------------------------------

    def win_rate(self, theta: Floats | None = None) -> float:
        """W of the greedy policy with these weights (by default the model's), over all pairs of hands. Exact, unless
        the opponent remembers the bidding and decides at random, or there are too many biddings for a network.
        """
        theta = self.model.theta if theta is None else theta
        hands = [hand_set(dice, self.config.faces) for dice in self.config.dice]
        if self.opponent is None:
            won = rounds_won(self.player(theta, greedy=True), self.judge, self.config)
            return float(hands[0].weights @ won @ hands[1].weights)
        if self.network is not None:
            return self._network_return(theta, greedy=True).win_rate
        cells = greedy_cells(theta, self.basis)
        return round_win_chance(cells, self.opponent.cells, self.opponent.mixes, hands, self.config)

    def is_exact(self) -> bool:
        """Whether W is exact: always against a table, unless there are too many biddings for a network; else if every
        pair of hands ends the same with other seeds.
        """
        if self.opponent is not None:
            return self.network is None or self._network_return(self.model.theta, greedy=True).is_exact
        player = self.player(self.model.theta, greedy=True)
        one, other = (rounds_won(player, self.judge, self.config, seed) for seed in (0, 1 << 32))
        return bool((one == other).all())

    def policy_return(self, theta: Floats | None = None) -> PolicyReturn | None:
        """W and J of the policy in training, with these weights (by default the model's): π_θ, or π_ε of Q-learning
        with the ε that it has come to. None if the opponent remembers the bidding.
        """
        theta = self.model.theta if theta is None else theta
        if self.opponent is None:
            return None
        if self.network is not None:
            return self._network_return(theta, greedy=False)
        if isinstance(self.settings, QLearning):
            epsilon = self.settings.epsilon.at(self.model.games / self.model.training.games)
            chances = epsilon_greedy_chances(theta, self.basis, epsilon)
        else:
            chances = softmax_chances(theta, self.basis)
        arguments = (chances, self.round, self.opponent, *self._weights())
        plain = float(table_return(*arguments, 1.0))
        gamma = self.settings.gamma
        return PolicyReturn((1 + plain) / 2, plain if gamma == 1 else float(table_return(*arguments, gamma)), True)

    def bellman_error(self, theta: Floats | None = None) -> float | None:
        """For Q-learning, the mean of |E[δ | o, a]| over the decisions of the greedy policy; else None."""
        theta = self.model.theta if theta is None else theta
        if self.opponent is None or not isinstance(self.settings, QLearning):
            return None
        return float(bellman_error(theta, self.basis, self.round, self.opponent, *self._weights(), self.settings.gamma))

    def player(self, theta: Floats, *, greedy: bool) -> Agent:
        """A player for games of the engine: of the greedy policy, or of π_θ."""
        if self.network is not None:
            return NetworkPlayer(theta, self.network, self.config, greedy=greedy)
        return (GreedyPlayer if greedy else SoftmaxPlayer)(theta, self.basis, self.config)

    def _network_return(self, theta: Floats, *, greedy: bool) -> PolicyReturn:
        assert self.network is not None
        assert self.opponent is not None
        gamma = self.settings.gamma
        common = (theta, self.network, self.round, self.opponent)
        if greedy not in self._out_of_reach:
            wins, objective = network_return(*common, *self._weights(), gamma, greedy, MOST_DECISIONS)
            if not isnan(wins):
                return PolicyReturn(float(wins), float(objective), True)
            self._out_of_reach.add(greedy)
        seed = np.uint64(self.model.training.seed)
        won, returns = network_games(*common, seed, EVALUATION, SAMPLE, gamma, greedy)
        return PolicyReturn(won / SAMPLE, returns / SAMPLE, False)

    def _weights(self) -> tuple[Floats, Floats]:
        """How likely each hand of either side is."""
        own, other = (hand_set(dice, self.config.faces).weights for dice in self.config.dice)
        return own, other

    def _point(self, theta: Floats, games: int, td_error: float | None) -> CurvePoint:
        """The next point of the learning curve."""
        win_rate = self.win_rate(theta)
        if isinstance(self.settings, QLearning):
            return CurvePoint(games, win_rate, td_error=td_error, bellman_error=self.bellman_error(theta))
        policy = self.policy_return(theta)
        return CurvePoint(games, win_rate, *(policy[:2] if policy is not None else ()))

    # -- training ----------------------------------------------------------------------------------------------------

    def run(self, checkpoint: Path | None = None, progress: TrainingProgress | None = None) -> TrainingReport:
        """Train until all games are played. After Ctrl-C or an error, the model keeps what it has learnt."""
        model, training = self.model, self.model.training
        complete = True
        try:
            if not model.curve:
                model.curve.append(self._point(model.theta, 0, None))
            for milestone in [number for number in self._milestones() if number > model.games]:
                games = milestone - model.games
                theta = model.theta.copy()
                error = float(self._learn(theta, games))
                if not isfinite(error) or not np.isfinite(theta).all():
                    raise TrainingError(
                        f"the weights became infinite before {model.games + games:,} games: use a smaller --alpha; "
                        "the last good weights are kept"
                    )
                point = self._point(theta, milestone, error)
                model.theta, model.games = theta, milestone
                model.curve.append(point)
                if checkpoint is not None:
                    model.save(checkpoint)
                if progress is not None:
                    rate = point.win_rate if point.policy_win_rate is None else point.policy_win_rate
                    progress(model.games, training.games, rate)
        except KeyboardInterrupt:
            complete = False
        return TrainingReport(
            model=model,
            win_rate=self.win_rate(),
            policy=self.policy_return(),
            td_error=model.curve[-1].td_error if model.curve else None,
            bellman_error=self.bellman_error(),
            against=self.against,
            optimum=self.optimum,
            complete=complete,
        )

    def _learn(self, theta: Floats, games: int) -> float:
        """Train one piece; returns the mean of |δ| of Q-learning, 0 for policy gradient, and NaN if the weights became
        infinite. In self-play the opponent is the greedy policy learnt so far, and the two sides open in turn.
        """
        training, settings = self.model.training, self.settings
        first, total = self.model.games, training.games
        part = (first / total, (first + games) / total)
        alpha = np.array([settings.alpha.at(p) for p in part])
        if self.opponent is None:
            return self._learn_through_engine(theta, games)
        opponent, opens = self.opponent, True
        seed = np.uint64(training.seed)
        if self.network is not None and isinstance(settings, PolicyGradient):
            won = network_policy_gradient.learn(
                theta, self.network, self.round, opponent, seed, first, games, alpha, settings.batch, settings.gamma
            )
            return 0.0 if won >= 0 else float("nan")
        if training.opponent == SELF:
            opponent = OpponentTable(greedy_cells(theta, self.basis), self.opponent.mixes)
            opens = sum(number <= first for number in self._milestones()) % 2 == 0
        common = (theta, self.basis, self.round, opponent, seed, first, games, opens, alpha)
        if isinstance(settings, QLearning):
            epsilon = np.array([settings.epsilon.at(p) for p in part])
            return q_learning.learn(*common, epsilon, settings.gamma)
        return 0.0 if policy_gradient.learn(*common, settings.batch, settings.gamma) >= 0 else float("nan")

    def _learn_through_engine(self, theta: Floats, games: int) -> float:
        """Train one piece against an opponent that remembers the bidding; returns the mean of |δ|, 0 without one."""
        training, settings = self.model.training, self.settings
        player: QPlayer | PGPlayer
        if isinstance(settings, QLearning):
            player = QPlayer(theta, self.basis, self.config, settings)
        elif self.network is not None:
            player = NetworkPGPlayer(theta, self.network, self.basis, self.config, settings)
        else:
            player = PGPlayer(theta, self.basis, self.config, settings)
        learn_through_engine(player, self.judge, self.config, training.seed, self.model.games, games, training.games)
        return float(np.mean(player.errors)) if isinstance(player, QPlayer) else 0.0


def settings_of(training: Training) -> QLearning | PolicyGradient:
    """The settings of the algorithm: those given, or else the defaults."""
    given = training.q if training.algorithm == "q" else training.pg
    return given or default_settings(training.algorithm, training.basis)


def functions_of(training: Training) -> tuple[Basis, Network | None]:
    """The basis of a linear model, or the network, which takes the rungs and hands of the game from a basis."""
    config, settings = training.rules(), settings_of(training)
    basis = make_basis(training.basis, config, config.dice[0])
    if training.basis == "network" and isinstance(settings, PolicyGradient):
        return basis, make_network(basis, settings.hidden)
    return basis, None


def milestones(games: int, batch: int = 1, pieces: int = PIECES) -> list[int]:
    """The numbers of games after which to evaluate: multiples of the batch, and the last game."""
    early = [games / share for share in (10_000, 3_000, 1_000, 300, 100)]
    looks = [*early, *(games * piece / pieces for piece in range(1, pieces + 1))]
    return sorted({min(games, ceil(look / batch) * batch) for look in looks})


def check_training(training: Training) -> None:
    """Raise `BadValueError` (`ConfigError` for rules) unless this can be trained."""
    config = training.rules()
    if config.num_players != 2 or config.mode != "single_round":
        expected = "one round for two players, which is what the learners support: classic, or classic,wild=ones"
        raise ConfigError("rules", f"mode {config.mode}, {config.num_players} players", expected)
    if config.exact_call or config.max_turns is not None:
        raise ConfigError("rules", "exact_call or max_turns", "rules without them: learners know only bids and liar")
    if config.shared_dice:
        raise ConfigError("rules", "table_dice or hidden_dice", "rules without them: learners know only their own dice")
    if max(config.dice) > 5 or config.faces > 6:
        raise ConfigError("dice", config.dice, "at most 5 dice with 6 faces: more would need too many weights")
    if not is_whole(training.games, range(1, 10**12)):
        raise BadValueError("games", training.games, "a whole number from 1 to 10^12")
    if training.pg is not None and training.pg.batch > training.games:
        raise BadValueError("batch", training.pg.batch, f"at most {training.games}, the number of games")
    if not is_whole(training.seed, SEEDS):
        raise BadValueError("seed", training.seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
    if training.opponent == SELF and config.dice[0] != config.dice[1]:
        raise ConfigError("dice", config.dice, "the same number of dice for both sides in self-play")
    if training.opponent == SELF and training.basis == "network":
        raise BadValueError("opponent", SELF, "an agent: a network, which uses the bidding, cannot train in self-play")
    default_settings(training.algorithm, training.basis)


def new_model(training: Training) -> Model:
    """An untrained model."""
    check_training(training)
    basis, network = functions_of(training)
    theta = np.zeros(basis.size) if network is None else first_weights(network, training.seed)
    return Model(training=training, theta=theta)
