"""The training loop: games in pieces, a look at the truth after each, checkpoints, and a curve."""

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
from .features import Basis, make_basis
from .mdp import Opponent, Round, make_opponent, make_round
from .model import SELF, CurvePoint, Model, Training
from .policy import greedy_cells
from .policy_gradient import PolicyGradient
from .q_learning import QLearning
from .schedule import Schedule
from .table_learners import GreedyPlayer, PGPlayer, QPlayer, learn_at_the_table, rounds_won

FEW_PIECES = 5
"""So many where a look takes long: against an opponent that remembers."""
PIECES = 50
"""So many looks at how good the policy is, and some more at the beginning, where it changes fastest."""
TrainingProgress = Callable[[int, int, float], None]
"""Told the games played, all games, and the exact W so far."""


class TrainingError(LiarsDiceError):
    """Learning went wrong; what was good before is kept."""

    code = "training"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How a training went."""

    model: Model
    win_rate: float
    """W: the greedy policy's chance to win as the opener; exact if `Trainer.is_exact`."""
    against: str
    """Whom W is measured against: the opponent, or `truthful` after self-play."""
    optimum: float | None
    """W*: the best anybody can do against this opponent; None if it remembers the bidding."""
    complete: bool


def usual_settings(algorithm: str, basis: str) -> QLearning | PolicyGradient:
    """What works for each basis: the seed's features are larger and fewer, so its steps are smaller."""
    if algorithm == "q":
        return QLearning() if basis == "crossed" else QLearning(alpha=Schedule(0.002, 0.0002))
    if algorithm == "pg":
        return PolicyGradient() if basis == "crossed" else PolicyGradient(alpha=Schedule(0.1, 0.02))
    raise BadValueError("algorithm", algorithm, "'q' or 'pg'")


class Trainer:
    """Trains one model, piece by piece."""

    def __init__(self, model: Model, guard: Guard = unguarded) -> None:
        training = model.training
        check_training(training)
        self.model = model
        self.config = training.rules()
        self.settings = (training.q if training.algorithm == "q" else training.pg) or usual_settings(
            training.algorithm, training.basis
        )
        self.basis: Basis = make_basis(training.basis, self.config, self.config.dice[0])
        self.round: Round = make_round(self.config)
        self.against = "truthful" if training.opponent == SELF else training.opponent
        self.judge: Agent = make_agent(self.against)
        self.opponent: Opponent | None = None
        """The opponent as a table; None for one that remembers the bidding, which is played through the engine."""
        self.optimum: float | None = None
        """W*, which is known against a table."""
        self.judge.check_rules(self.config)
        if getattr(self.judge, "memoryless", False):
            self.opponent = make_opponent(self.judge, self.config, guard)
            self.optimum = (1 + best_response(self.judge, self.config, guard=guard)[0]) / 2
        if model.theta.shape != (self.basis.size,):
            raise BadValueError("model", model.theta.shape, f"{self.basis.size} weights for this game and basis")

    def warm_up(self) -> None:
        """Compile what training needs."""
        if self.opponent is not None:
            self._learn(self.model.theta.copy(), 0)
            self.win_rate()

    def _milestones(self) -> list[int]:
        batch = self.settings.batch if isinstance(self.settings, PolicyGradient) else 1
        return milestones(self.model.training.games, batch, FEW_PIECES if self.opponent is None else PIECES)

    def win_rate(self, theta: Floats | None = None) -> float:
        """W of these weights (the model's): the greedy policy through all pairs of hands. Exact, unless the opponent
        remembers and decides by chance.
        """
        theta = self.model.theta if theta is None else theta
        hands = [hand_set(dice, self.config.faces) for dice in self.config.dice]
        if self.opponent is None:
            won = rounds_won(GreedyPlayer(theta, self.basis, self.config), self.judge, self.config)
            return float(hands[0].weights @ won @ hands[1].weights)
        cells = greedy_cells(theta, self.basis)
        return round_win_chance(cells, self.opponent.cells, self.opponent.mixes, hands, self.config)

    def is_exact(self) -> bool:
        """Whether W is exact: against a table always, else if the same pairs of hands end alike with other seeds."""
        if self.opponent is not None:
            return True
        player = GreedyPlayer(self.model.theta, self.basis, self.config)
        one, other = (rounds_won(player, self.judge, self.config, seed) for seed in (0, 1 << 32))
        return bool((one == other).all())

    def run(self, checkpoint: Path | None = None, progress: TrainingProgress | None = None) -> Report:
        """Learn until all games are played. Ctrl-C keeps what was learnt, and so does an error."""
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
                        f"the weights were no longer numbers before {model.games + games:,} games: "
                        "a smaller --alpha keeps them finite; the last good state is kept"
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
        return Report(
            model=model, win_rate=self.win_rate(), against=self.against, optimum=self.optimum, complete=complete
        )

    def _learn(self, theta: Floats, games: int) -> bool:
        """One piece; whether all went well. In self-play the opponent is what has been learnt so far (its greedy
        policy), and the two sides open in turn.
        """
        training = self.model.training
        first, total = self.model.games, training.games
        part = (first / total, (first + games) / total)
        alpha = np.array([self.settings.alpha.at(p) for p in part])
        if self.opponent is None:
            self._learn_slowly(theta, games)
            return True
        opponent, opens = self.opponent, True
        if training.opponent == SELF:
            opponent = Opponent(greedy_cells(theta, self.basis), self.opponent.mixes)
            opens = sum(number <= first for number in self._milestones()) % 2 == 0
        common = (theta, self.basis, self.round, opponent, np.uint64(training.seed), first, games, opens, alpha)
        if isinstance(self.settings, QLearning):
            epsilon = np.array([self.settings.epsilon.at(p) for p in part])
            return q_learning.learn(*common, epsilon, self.settings.gamma) >= 0
        return policy_gradient.learn(*common, self.settings.batch, self.settings.gamma) >= 0

    def _learn_slowly(self, theta: Floats, games: int) -> None:
        """One piece against an opponent with a memory."""
        training, settings = self.model.training, self.settings
        player: QPlayer | PGPlayer
        if isinstance(settings, QLearning):
            player = QPlayer(theta, self.basis, self.config, settings)
        else:
            player = PGPlayer(theta, self.basis, self.config, settings)
        learn_at_the_table(player, self.judge, self.config, training.seed, self.model.games, games, training.games)


def milestones(games: int, batch: int = 1, pieces: int = PIECES) -> list[int]:
    """After how many games to look: always after whole batches, or at the end."""
    early = [games / share for share in (10_000, 3_000, 1_000, 300, 100)]
    looks = [*early, *(games * piece / pieces for piece in range(1, pieces + 1))]
    return sorted({min(games, ceil(look / batch) * batch) for look in looks})


def check_training(training: Training) -> None:
    """Raise `BadValueError` (`ConfigError` for rules) for what cannot be trained."""
    config = training.rules()
    if config.num_players != 2 or config.mode != "single_round":
        raise ConfigError("rules", config.mode, "one round for two players: that is what is learnt")
    if config.exact_call or config.max_turns is not None:
        raise ConfigError("rules", "exact_call or max_turns", "rules without them: the methods know bids and liar")
    if max(config.dice) > 5 or config.faces > 6:
        raise ConfigError("dice", config.dice, "at most 5 dice with 6 faces: beyond that there are too many weights")
    if not is_whole(training.games, range(1, 10**12)):
        raise BadValueError("games", training.games, "a whole number of games from 1 to a million million")
    if training.pg is not None and training.pg.batch > training.games:
        raise BadValueError("batch", training.pg.batch, f"at most {training.games}, all games")
    if not is_whole(training.seed, SEEDS):
        raise BadValueError("seed", training.seed, f"a whole number from {SEEDS[0]} to {SEEDS[-1]}")
    if training.opponent == SELF and config.dice[0] != config.dice[1]:
        raise ConfigError("dice", config.dice, "as many dice for both sides in self-play")
    usual_settings(training.algorithm, training.basis)


def new_model(training: Training) -> Model:
    """A model that knows nothing yet."""
    check_training(training)
    config: GameConfig = training.rules()
    basis = make_basis(training.basis, config, config.dice[0])
    return Model(training=training, theta=np.zeros(basis.size))
