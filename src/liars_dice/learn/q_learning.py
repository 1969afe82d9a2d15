"""Q-learning with a linear Q.

    Q_θ(o, a) = θᵀ φ(o, a)
    δ = r + γ max over a' in LEGAL(D') of Q_θ(o', a') − Q_θ(o, a)
    θ ← θ + α δ ∇Q = θ + α δ φ(o, a)

where o' is the observation after the opponent's answer, and the maximum is 0 if the round is over.
"""

from __future__ import annotations

import msgspec
import numpy as np

from ..core import BadValueError
from ..numeric import DECISIONS, DICE, Floats, Int, below, compiled, fraction, inlined, stream
from .features import Basis, add_phi, is_legal, linear
from .mdp import OpponentTable, RoundArrays, bid_holds, deal_hands, opponent_action
from .schedule import Schedule, check_gamma, check_schedule


class QLearning(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of Q-learning."""

    alpha: Schedule = Schedule(0.2, 0.005)
    """α: the learning rate."""
    epsilon: Schedule = Schedule(0.5, 0.02)
    """ε: the probability of exploring."""
    gamma: float = 1.0
    """γ: the discount per step."""

    def __post_init__(self) -> None:
        check_schedule("alpha", self.alpha)
        check_schedule("epsilon", self.epsilon)
        check_gamma(self.gamma)
        if max(self.epsilon.start, self.epsilon.end) > 1:
            raise BadValueError("epsilon", (self.epsilon.start, self.epsilon.end), "two probabilities from 0 to 1")


@inlined
def greedy(theta: Floats, basis: Basis, hand: Int, rung: Int) -> tuple[int, float]:
    """Argmax over LEGAL(D) of Q(o, a), the first of several, and the maximum."""
    best, most = -1, -np.inf
    for action in range(rung + 1, basis.rungs + 1):
        if is_legal(basis, rung, action):
            value = linear(theta, basis, hand, rung, action)
            if value > most:
                best, most = action, value
    return best, most


@inlined
def explore(basis: Basis, rung: Int, key: np.uint64, position: int) -> int:
    """A random action of LEGAL(D), all equally likely."""
    count = 0
    for action in range(rung + 1, basis.rungs + 1):
        if is_legal(basis, rung, action):
            count += 1
    chosen, _ = below(key, position, count)
    for action in range(rung + 1, basis.rungs + 1):
        if is_legal(basis, rung, action):
            if chosen == 0:
                return action
            chosen -= 1
    return basis.rungs


@compiled
def learn(
    theta: Floats,
    basis: Basis,
    game: RoundArrays,
    opponent: OpponentTable,
    seed: np.uint64,
    first: int,
    games: int,
    opens: bool,
    alpha: Floats,
    epsilon: Floats,
    gamma: float,
) -> float:
    """Play games `first`, `first + 1`, ... and learn from each step. Returns the mean of |δ| over the steps, or NaN as
    soon as a step is no longer finite. α and ε go from their first value to their second over these games. Unless the
    learner `opens`, the opponent does, as in every other piece of self-play.
    """
    errors, steps = 0.0, 0
    for number in range(games):
        part = number / games
        rate = alpha[0] + (alpha[1] - alpha[0]) * part
        curiosity = epsilon[0] + (epsilon[1] - epsilon[0]) * part
        own, other = deal_hands(game, stream(seed, first + number, DICE))
        key = stream(seed, first + number, DECISIONS)
        position = 0
        rung = np.int64(-1)
        if not opens:
            rung = opponent_action(opponent, other, rung, key, position)
            position += 1
        while True:
            # a ~ π_ε: with probability ε a random legal action, else the best
            if fraction(key, position) < curiosity:
                action = explore(basis, rung, key, position + 1)
            else:
                action, _ = greedy(theta, basis, own, rung)
                if action < 0:
                    return np.nan
            position += 9
            reward, after = 0.0, np.int64(-1)
            if action == game.rungs:  # P1 calls
                reward = -1.0 if bid_holds(game, own, other, rung) else 1.0
            else:
                after = opponent_action(opponent, other, action, key, position)
                position += 1
                if after == game.rungs:  # P2 calls
                    reward = 1.0 if bid_holds(game, own, other, action) else -1.0
            target = reward
            if reward == 0.0:
                _, most = greedy(theta, basis, own, after)
                target = gamma * most
            delta = target - linear(theta, basis, own, rung, action)
            if not np.isfinite(delta):
                return np.nan
            errors += abs(delta)
            steps += 1
            add_phi(theta, rate * delta, basis, own, rung, action)
            if reward != 0.0:
                break
            rung = after
    return errors / max(steps, 1)
