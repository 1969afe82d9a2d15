"""Policy gradient with a baseline.

π_θ(a|o) = exp(f_θ(φ(o, a))) / Σ over a' in LEGAL(D) of exp(f_θ(φ(o, a'))),   f_θ(φ) = θᵀ φ
G = γ^T r_T,   b = mean of G over a batch of games
∇J = E[(G − b) ∇ log π_θ(a|o)],   ∇ log π_θ(a|o) = φ(o, a) − Σ π_θ(a'|o) φ(o, a')
θ ← θ + α ∇J
"""

from __future__ import annotations

import msgspec
import numpy as np

from ..core import BadValueError, is_whole
from ..numeric import DECISIONS, DICE, Floats, Int, compiled, fraction, inlined, stream
from .features import Basis, add_phi, is_legal, linear
from .mdp import OpponentTable, RoundArrays, bid_holds, deal_hands, opponent_action
from .schedule import Schedule, check_gamma, check_schedule


class PolicyGradient(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of policy gradient."""

    alpha: Schedule = Schedule(5.0, 5.0)
    """α: the learning rate."""
    gamma: float = 1.0
    """γ: the discount per step."""
    batch: int = 200
    """Games between two updates."""
    hidden: int = 64
    """Hidden units of the basis `network`; the other bases have none."""

    def __post_init__(self) -> None:
        check_schedule("alpha", self.alpha)
        check_gamma(self.gamma)
        if not is_whole(self.batch, range(2, 10**7)):
            raise BadValueError("batch", self.batch, "a whole number from 2 up: the baseline is the mean of a batch")
        if not is_whole(self.hidden, range(1, 4097)):
            raise BadValueError("hidden", self.hidden, "a whole number from 1 to 4096")


@inlined
def softmax(theta: Floats, basis: Basis, hand: Int, rung: Int, chances: Floats) -> None:
    """π_θ(·|o), written into `chances`; 0 for illegal actions."""
    most = -np.inf
    for action in range(basis.rungs + 1):
        chances[action] = -np.inf
        if action > rung and is_legal(basis, rung, action):
            chances[action] = linear(theta, basis, hand, rung, action)
            most = max(most, chances[action])
    total = 0.0
    for action in range(basis.rungs + 1):
        chances[action] = np.exp(chances[action] - most)
        total += chances[action]
    for action in range(basis.rungs + 1):
        chances[action] /= total


@inlined
def sample(chances: Floats, spot: float) -> int:
    """An action drawn from a distribution, given a uniform number from 0 to 1."""
    last = 0
    for action in range(chances.size):
        if chances[action] > 0.0:
            last = action
            spot -= chances[action]
            if spot < 0.0:
                break
    return last


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
    batch: int,
    gamma: float,
) -> int:
    """Play games `first`, `first + 1`, ... in batches, with an update after each. Returns the number of games won, or
    -1 as soon as a weight is no longer finite.
    """
    longest = game.rungs // 2 + 2
    hands = np.empty((batch, longest), dtype=np.int64)
    rungs = np.empty((batch, longest), dtype=np.int64)
    actions = np.empty((batch, longest), dtype=np.int64)
    chances = np.empty((batch, longest, game.rungs + 1))
    steps = np.empty(batch, dtype=np.int64)
    returns = np.empty(batch)
    won = 0
    start = 0
    while start < games:
        size = min(batch, games - start)
        for i in range(size):
            own, other = deal_hands(game, stream(seed, first + start + i, DICE))
            key = stream(seed, first + start + i, DECISIONS)
            position = 0
            rung = np.int64(-1)
            if not opens:
                rung = opponent_action(opponent, other, rung, key, position)
                position += 1
            step = 0
            while True:
                softmax(theta, basis, own, rung, chances[i, step])
                action = sample(chances[i, step], fraction(key, position))
                position += 1
                hands[i, step], rungs[i, step], actions[i, step] = own, rung, action
                step += 1
                if action == game.rungs:  # P1 calls
                    reward = -1.0 if bid_holds(game, own, other, rung) else 1.0
                    break
                rung = opponent_action(opponent, other, action, key, position)
                position += 1
                if rung == game.rungs:  # P2 calls
                    reward = 1.0 if bid_holds(game, own, other, action) else -1.0
                    break
            steps[i] = step
            returns[i] = gamma ** (step - 1) * reward
            won += reward > 0
        baseline = returns[:size].mean()
        rate = alpha[0] + (alpha[1] - alpha[0]) * start / games
        for i in range(size):
            advantage = rate * (returns[i] - baseline) / size
            if advantage == 0.0:
                continue
            for step in range(steps[i]):
                hand, rung = hands[i, step], rungs[i, step]
                add_phi(theta, advantage, basis, hand, rung, actions[i, step])
                for action in range(game.rungs + 1):
                    if chances[i, step, action] > 0.0:
                        add_phi(theta, -advantage * chances[i, step, action], basis, hand, rung, action)
        start += size
        if not np.isfinite(theta.sum()):
            return -1
    return won
