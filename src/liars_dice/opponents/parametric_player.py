"""A player by habits: how likely a bid must be to be made or called, how it opens, jumps and changes faces.

The model is a multinomial logit over the features of the legal actions, with a Gaussian over its weights. The prior is
that of a population of players (`tools/fit_player_prior.py`). Each round moves the Gaussian by Laplace's method: to the
weights that are most probable given the round and the Gaussian before it. That takes the same time however many rounds
came before. Predictions average over the Gaussian, so a player that is hardly known is predicted with caution.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

import msgspec
import numpy as np

from ..core import Action, BadValueError, GameView, PublicState
from ..numeric import Floats, Ints
from .choice_features import FEATURES, features_of, features_of_hands
from .recorded_round import Decision, RecordedRound

DRAWS = 24
"""Predictions average over this many players drawn from the Gaussian."""
SLIP = 0.005
"""How often a player makes some legal move at random, whatever the weights say."""
NEWTON_STEPS = 12
BLOCK = 200
"""How many decisions are learnt from at once when there are many."""


class Gaussian(msgspec.Struct, frozen=True):
    """What is believed of the weights: their means and their covariances, feature by feature."""

    features: tuple[str, ...]
    mean: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        size = len(self.features)
        if len(self.mean) != size or [len(row) for row in self.covariance] != [size] * size:
            raise ValueError(f"expected {size} means and {size} rows of {size} covariances")
        if size and np.linalg.eigvalsh(np.array(self.covariance))[0] <= 0:
            raise ValueError("expected covariances that are positive definite")


@lru_cache(maxsize=1)
def population() -> Gaussian:
    """The prior that is shipped: what is believed of a player before the first round."""
    text = files("liars_dice.opponents").joinpath("player_prior.json").read_bytes()
    return msgspec.json.decode(text, type=Gaussian)


class ParametricPlayer:
    """A player's habits, with how certain they are.

    With `memory` below 1 the evidence of each round counts that much less with every round after it: such a model
    follows a player who changes.
    """

    def __init__(self, prior: Gaussian | None = None, *, memory: float = 1.0) -> None:
        prior = population() if prior is None else prior
        if prior.features != FEATURES:
            raise BadValueError("prior", f"{len(prior.features)} features", f"the {len(FEATURES)} of this version")
        if not 0 < memory <= 1:
            raise BadValueError("memory", memory, "a number above 0, up to 1")
        self.memory = memory
        self.rounds = 0
        """How many rounds were observed in which the player decided something."""
        self._prior_mean: Floats = np.array(prior.mean)
        self._prior_precision: Floats = np.linalg.inv(np.array(prior.covariance))
        self.mean: Floats = self._prior_mean.copy()
        self.precision: Floats = self._prior_precision.copy()
        self._normal: Floats = np.random.default_rng(0).standard_normal((len(FEATURES), DRAWS // 2))
        self._drawn: Floats | None = None

    @property
    def belief(self) -> Gaussian:
        """What is believed of the weights now."""
        covariance = np.linalg.inv(self.precision)
        return Gaussian(FEATURES, tuple(self.mean.tolist()), tuple(map(tuple, covariance.tolist())))

    def observe(self, played: RecordedRound, seat: int) -> float:
        """Learn from what the player in this seat did; the log-probability that the model gave to it before."""
        return self.learn(list(played.decisions(seat)))

    def learn(self, decisions: Sequence[Decision]) -> float:
        """The same for the decisions of one round, or of many rounds of a player who did not change meanwhile."""
        given = 0.0
        for start in range(0, len(decisions), BLOCK):
            choices = Choices.of(decisions[start : start + BLOCK])
            given += self._log_probability(choices)
            if self.memory < 1:
                self._forget()
            self.mean, self.precision = most_probable(choices, self.mean, self.precision)
            self._drawn = None
        self.rounds += bool(decisions)
        return given

    def distribution(self, view: GameView) -> dict[Action, float]:
        """How likely each legal action is, if the player sees `view`."""
        chances = self._averaged(features_of(view)[None])[0]
        return dict(zip(view.legal_actions, chances.tolist(), strict=True))

    def chances(self, public: PublicState) -> Floats:
        """[hand, action]: the same for every hand that the player to move may hold."""
        return self._averaged(features_of_hands(public))

    def _averaged(self, features: Floats) -> Floats:
        """[hand, action] from [hand, action, feature]: the mean over the drawn players."""
        scores = features @ self._draws()
        scores -= scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        chances /= chances.sum(axis=1, keepdims=True)
        mixed: Floats = (1 - SLIP) * chances.mean(axis=2) + SLIP / chances.shape[1]
        return mixed

    def _draws(self) -> Floats:
        """[feature, draw]: players drawn from the Gaussian, always with the same random numbers, in opposite pairs."""
        if self._drawn is None:
            spread = np.linalg.solve(np.linalg.cholesky(self.precision).T, self._normal)
            drawn = self.mean[:, None] + np.concatenate([spread, -spread], axis=1)
            self._drawn = drawn.astype(np.float64)
        return self._drawn

    def _log_probability(self, choices: Choices) -> float:
        """How likely these choices are together, averaged over the drawn players, as a logarithm."""
        done = (1 - SLIP) * choices.chances(self._draws())[choices.chosen] + SLIP / choices.sizes[:, None]
        logs = np.log(done).sum(axis=0)
        return float(logs.max() + np.log(np.exp(logs - logs.max()).mean()))

    def _forget(self) -> None:
        """Let the Gaussian widen towards the prior."""
        kept, rest = self.memory * self.precision, (1 - self.memory) * self._prior_precision
        self.precision = kept + rest
        self.mean = np.linalg.solve(self.precision, kept @ self.mean + rest @ self._prior_mean).astype(np.float64)


class Choices:
    """Decisions as arrays: the features of all legal actions, one decision after the other."""

    def __init__(self, features: Sequence[Floats], chosen: Sequence[int]) -> None:
        self.rows: Floats = np.concatenate(features)
        self.sizes: Ints = np.array([len(one) for one in features])
        self.starts: Ints = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)
        self.chosen: Ints = self.starts + np.array(chosen)

    @classmethod
    def of(cls, decisions: Sequence[Decision]) -> Choices:
        """The choices that these decisions were."""
        chosen = [decision.view.legal_actions.index(decision.action) for decision in decisions]
        return cls([features_of(decision.view) for decision in decisions], chosen)

    def chances(self, weights: Floats) -> Floats:
        """[row, player]: how likely each player, a column of `weights`, is to choose each action."""
        scores = self.rows @ weights
        scores -= np.repeat(np.maximum.reduceat(scores, self.starts), self.sizes, axis=0)
        chances: Floats = np.exp(scores)
        chances /= np.repeat(np.add.reduceat(chances, self.starts), self.sizes, axis=0)
        return chances


def most_probable(choices: Choices, mean: Floats, precision: Floats) -> tuple[Floats, Floats]:
    """The most probable weights after these choices, and the precision there (Newton's method with backtracking)."""
    weights = mean
    done = choices.rows[choices.chosen].sum(axis=0)
    value, chances = _objective(choices, weights, mean, precision)
    for _ in range(NEWTON_STEPS):
        gradient = done - choices.rows.T @ chances - precision @ (weights - mean)
        step = np.linalg.solve(_curvature(choices, chances) + precision, gradient)
        scale = 1.0
        while True:
            new_value, new_chances = _objective(choices, weights + scale * step, mean, precision)
            if new_value >= value - 1e-12 or scale < 1e-4:
                break
            scale /= 2
        weights, chances = weights + scale * step, new_chances
        if new_value - value < 1e-4:
            break
        value = new_value
    return weights, _curvature(choices, chances) + precision


def _objective(choices: Choices, weights: Floats, mean: Floats, precision: Floats) -> tuple[float, Floats]:
    """The logarithm of the posterior, up to a constant, and how likely each action is."""
    chances = choices.chances(weights[:, None])[:, 0]
    away = weights - mean
    return float(np.log(np.maximum(chances[choices.chosen], 1e-300)).sum() - away @ precision @ away / 2), chances


def _curvature(choices: Choices, chances: Floats) -> Floats:
    """How much these choices say about the weights (the Fisher information)."""
    weighted = choices.rows * chances[:, None]
    means = np.add.reduceat(weighted, choices.starts)
    curvature: Floats = choices.rows.T @ weighted - means.T @ means
    return curvature
