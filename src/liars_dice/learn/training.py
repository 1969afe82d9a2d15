"""The training loop: games in pieces, with an exact evaluation and a checkpoint after each, and a learning curve."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from pathlib import Path

import msgspec
import numpy as np

from ..agents import Agent, Guard, make_agent, unguarded
from ..core import SEEDS, BadValueError, ConfigError, GameConfig, LiarsDiceError, is_whole
from ..exact.matchups import round_win_chance
from ..exact.response import best_response
from ..exact.tables import hand_set
from ..numeric import Floats
from . import policy_gradient, q_learning
from .engine_learners import GreedyPlayer, PGPlayer, QPlayer, learn_through_engine, rounds_won
from .features import Basis, make_basis
from .mdp import OpponentTable, RoundArrays, make_opponent_table, make_round_arrays
from .model import SELF, CurvePoint, Model, Training
from .policy import greedy_cells
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .schedule import Schedule

FEW_PIECES = 5
"""The number of pieces if an evaluation takes long: against an opponent that remembers the bidding."""
PIECES = 50
"""The number of pieces, each followed by an evaluation; at the beginning there are a few more."""
TrainingProgress = Callable[[int, int, float], None]
"""Called with the games played, the total number of games, and the current W."""


class TrainingError(LiarsDiceError):
    """The training diverged; the last good weights are kept."""

    code = "training"


class TrainingReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a training."""

    model: Model
    win_rate: float
    """W: the probability that the greedy policy wins as the opener; exact if `Trainer.is_exact`."""
    against: str
    """The opponent that W is measured against: the one in training, or `truthful` after self-play."""
    optimum: float | None
    """W*: the best possible win rate against this opponent; None if it remembers the bidding."""
    complete: bool


def default_settings(algorithm: str, basis: str) -> QLearning | PolicyGradient:
    """What works well for each basis: the plain basis has fewer and larger features, so it needs smaller steps."""
    if algorithm == "q":
        return QLearning() if basis == "crossed" else QLearning(alpha=Schedule(0.002, 0.0002))
    if algorithm == "pg":
        return PolicyGradient() if basis == "crossed" else PolicyGradient(alpha=Schedule(0.1, 0.02))
    raise BadValueError("algorithm", algorithm, "'q' or 'pg'")


class Trainer:
    """Trains one model."""

    def __init__(self, model: Model, guard: Guard = unguarded) -> None:
        training = model.training
        check_training(training)
        self.model = model
        self.config = training.rules()
        self.settings = (training.q if training.algorithm == "q" else training.pg) or default_settings(
            training.algorithm, training.basis
        )
        self.basis: Basis = make_basis(training.basis, self.config, self.config.dice[0])
        self.round: RoundArrays = make_round_arrays(self.config)
        self.against = "truthful" if training.opponent == SELF else training.opponent
        self.judge: Agent = make_agent(self.against)
        self.opponent: OpponentTable | None = None
        """The opponent as a table; None if it remembers the bidding: then games are played through the engine."""
        self.optimum: float | None = None
        """W*; known only against a table."""
        self.judge.check_rules(self.config)
        if getattr(self.judge, "memoryless", False):
            self.opponent = make_opponent_table(self.judge, self.config, guard)
            self.optimum = (1 + best_response(self.judge, self.config, guard=guard)[0]) / 2
        if model.theta.shape != (self.basis.size,):
            raise BadValueError("model", model.theta.shape, f"{self.basis.size} weights for this game and basis")

    def warm_up(self) -> None:
        """Compile the functions that training needs."""
        if self.opponent is not None:
            self._learn(self.model.theta.copy(), 0)
            self.win_rate()

    def _milestones(self) -> list[int]:
        batch = self.settings.batch if isinstance(self.settings, PolicyGradient) else 1
        return milestones(self.model.training.games, batch, FEW_PIECES if self.opponent is None else PIECES)

    def win_rate(self, theta: Floats | None = None) -> float:
        """W of these weights (by default the model's), over all pairs of hands. Exact, unless the opponent remembers
        the bidding and decides at random.
        """
        theta = self.model.theta if theta is None else theta
        hands = [hand_set(dice, self.config.faces) for dice in self.config.dice]
        if self.opponent is None:
            won = rounds_won(GreedyPlayer(theta, self.basis, self.config), self.judge, self.config)
            return float(hands[0].weights @ won @ hands[1].weights)
        cells = greedy_cells(theta, self.basis)
        return round_win_chance(cells, self.opponent.cells, self.opponent.mixes, hands, self.config)

    def is_exact(self) -> bool:
        """Whether W is exact: always against a table, else if every pair of hands ends the same with other seeds."""
        if self.opponent is not None:
            return True
        player = GreedyPlayer(self.model.theta, self.basis, self.config)
        one, other = (rounds_won(player, self.judge, self.config, seed) for seed in (0, 1 << 32))
        return bool((one == other).all())

    def run(self, checkpoint: Path | None = None, progress: TrainingProgress | None = None) -> TrainingReport:
        """Train until all games are played. After Ctrl-C or an error, the model keeps what it has learnt."""
        model, training = self.model, self.model.training
        complete = True
        try:
            if not model.curve:
                model.curve.append(CurvePoint(0, self.win_rate()))
            for milestone in [number for number in self._milestones() if number > model.games]:
                games = milestone - model.games
                theta = model.theta.copy()
                if not self._learn(theta, games) or not np.isfinite(theta).all():
                    raise TrainingError(
                        f"the weights became infinite before {model.games + games:,} games: use a smaller --alpha; "
                        "the last good weights are kept"
                    )
                point = CurvePoint(milestone, self.win_rate(theta))
                model.theta, model.games = theta, milestone
                model.curve.append(point)
                if checkpoint is not None:
                    model.save(checkpoint)
                if progress is not None:
                    progress(model.games, training.games, model.curve[-1].win_rate)
        except KeyboardInterrupt:
            complete = False
        return TrainingReport(
            model=model, win_rate=self.win_rate(), against=self.against, optimum=self.optimum, complete=complete
        )

    def _learn(self, theta: Floats, games: int) -> bool:
        """Train one piece; returns False if the weights became infinite. In self-play the opponent is the greedy policy
        learnt so far, and the two sides open in turn.
        """
        training = self.model.training
        first, total = self.model.games, training.games
        part = (first / total, (first + games) / total)
        alpha = np.array([self.settings.alpha.at(p) for p in part])
        if self.opponent is None:
            self._learn_through_engine(theta, games)
            return True
        opponent, opens = self.opponent, True
        if training.opponent == SELF:
            opponent = OpponentTable(greedy_cells(theta, self.basis), self.opponent.mixes)
            opens = sum(number <= first for number in self._milestones()) % 2 == 0
        common = (theta, self.basis, self.round, opponent, np.uint64(training.seed), first, games, opens, alpha)
        if isinstance(self.settings, QLearning):
            epsilon = np.array([self.settings.epsilon.at(p) for p in part])
            return q_learning.learn(*common, epsilon, self.settings.gamma) >= 0
        return policy_gradient.learn(*common, self.settings.batch, self.settings.gamma) >= 0

    def _learn_through_engine(self, theta: Floats, games: int) -> None:
        """Train one piece against an opponent that remembers the bidding."""
        training, settings = self.model.training, self.settings
        player: QPlayer | PGPlayer
        if isinstance(settings, QLearning):
            player = QPlayer(theta, self.basis, self.config, settings)
        else:
            player = PGPlayer(theta, self.basis, self.config, settings)
        learn_through_engine(player, self.judge, self.config, training.seed, self.model.games, games, training.games)


def milestones(games: int, batch: int = 1, pieces: int = PIECES) -> list[int]:
    """The numbers of games after which to evaluate: multiples of the batch, and the last game."""
    early = [games / share for share in (10_000, 3_000, 1_000, 300, 100)]
    looks = [*early, *(games * piece / pieces for piece in range(1, pieces + 1))]
    return sorted({min(games, ceil(look / batch) * batch) for look in looks})


def check_training(training: Training) -> None:
    """Raise `BadValueError` (`ConfigError` for rules) unless this can be trained."""
    config = training.rules()
    if config.num_players != 2 or config.mode != "single_round":
        raise ConfigError("rules", config.mode, "one round for two players, which is what the learners support")
    if config.exact_call or config.max_turns is not None:
        raise ConfigError("rules", "exact_call or max_turns", "rules without them: learners know only bids and liar")
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
    default_settings(training.algorithm, training.basis)


def new_model(training: Training) -> Model:
    """An untrained model."""
    check_training(training)
    config: GameConfig = training.rules()
    basis = make_basis(training.basis, config, config.dice[0])
    return Model(training=training, theta=np.zeros(basis.size))
