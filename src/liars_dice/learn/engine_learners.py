"""Learning in games of the engine, against opponents that remember the bidding and so have no policy table.

The updates are those of `q_learning` and `policy_gradient`, made by an agent while it plays.
"""

from __future__ import annotations

from itertools import count

import numpy as np

from ..agents import Agent, Policy, PolicyAgent
from ..core import Action, CallLiarAction, GameConfig, GameEngine, GameResult, GameView, derive_seed, play_game
from ..exact.tables import HandSet, hand_set
from ..numeric import Floats
from .features import CROSSED, Basis, cross, phi
from .network import Network, log_gradient, network_chances
from .policy_gradient import PolicyGradient
from .q_learning import QLearning

Step = tuple[int, int, int]
"""(hand, rung, action)."""


class LearningPlayer(Agent):
    """The base of the learning agents: observations and actions as numbers."""

    def __init__(self, theta: Floats, basis: Basis, config: GameConfig) -> None:
        self.theta, self.basis = theta, basis
        self._hands: HandSet = hand_set(config.dice[0], config.faces)

    def observe(self, view: GameView) -> tuple[int, int, list[int]]:
        """o, and LEGAL(D)."""
        moves = view.public.rules.moves
        return (
            self._hands.index[view.my_dice],
            view.public.rung,
            [self.basis.rungs if isinstance(a, CallLiarAction) else moves.index(a) for a in view.legal_actions],
        )

    def score(self, hand: int, rung: int, action: int) -> float:
        """θᵀ φ(o, a)."""
        if self.basis.kind == CROSSED:  # all but one of its many features are zero
            return float(self.theta[cross(self.basis, hand, rung, action)])
        return float(self.theta @ phi(self.basis, hand, rung, action))


class SoftmaxPlayer(LearningPlayer):
    """Plays π_θ of a linear model and learns nothing."""

    def choose_action(self, view: GameView) -> Action:
        """An action drawn from the softmax of θᵀ φ(o, a)."""
        hand, rung, legal = self.observe(view)
        scores = np.array([self.score(hand, rung, action) for action in legal])
        chances = np.exp(scores - scores.max())
        return view.public.rules.moves[self.rng.choices(legal, chances.tolist())[0]]


class GreedyPlayer(LearningPlayer):
    """Plays the greedy action and learns nothing."""

    def choose_action(self, view: GameView) -> Action:
        """Argmax of θᵀ φ(o, a)."""
        hand, rung, legal = self.observe(view)
        return view.public.rules.moves[max(legal, key=lambda action: self.score(hand, rung, action))]


class NetworkPlayer(PolicyAgent):
    """Plays π_θ of a network, or its greedy policy, and learns nothing."""

    def __init__(self, theta: Floats, network: Network, config: GameConfig, *, greedy: bool) -> None:
        self.theta, self.network, self.greedy = theta, network, greedy
        self._hands: HandSet = hand_set(config.dice[0], config.faces)

    def policy(self, view: GameView) -> Policy:
        """π_θ(·|o), or the likeliest action alone."""
        chances = network_chances(self.theta, self.network, self._hands.index[view.my_dice], bids_of(view))
        return as_policy(chances, view, greedy=self.greedy)


def bids_of(view: GameView) -> list[int]:
    """D: the rungs bid so far, lowest first."""
    rungs = view.public.rules.rungs
    return [rungs[bid] for bid in view.public.bid_history]


def as_policy(chances: Floats, view: GameView, *, greedy: bool = False) -> Policy:
    """The probabilities of all actions, as those of moves; with `greedy`, the likeliest one alone."""
    moves = view.public.rules.moves
    if greedy:
        return {moves[int(chances.argmax())]: 1.0}
    return {moves[action]: float(chances[action]) for action in np.flatnonzero(chances).tolist()}


class QPlayer(LearningPlayer):
    """Q-learning: each decision also gives the next observation for the one before."""

    def __init__(self, theta: Floats, basis: Basis, config: GameConfig, settings: QLearning) -> None:
        super().__init__(theta, basis, config)
        self.settings = settings
        self.part = 0.0
        """The fraction of the training that is done."""
        self.errors: list[float] = []
        """|δ| of every step."""
        self._last: Step | None = None

    def choose_action(self, view: GameView) -> Action:
        """An ε-greedy action, after the update for the previous decision."""
        hand, rung, legal = self.observe(view)
        scores = {action: self.score(hand, rung, action) for action in legal}
        self._update(self.settings.gamma * max(scores.values()))
        explores = self.rng.random() < self.settings.epsilon.at(self.part)
        action = self.rng.choice(legal) if explores else max(scores, key=lambda a: scores[a])
        self._last = (hand, rung, action)
        return view.public.rules.moves[action]

    def on_game_end(self, result: GameResult) -> None:
        """Update with the reward."""
        self._update(1.0 if result.winner == 0 else -1.0)
        self._last = None

    def finish(self) -> None:
        """Do nothing: every step has been learnt from."""

    def _update(self, target: float) -> None:
        if self._last is not None:
            delta = target - self.score(*self._last)
            self.errors.append(abs(delta))
            self.theta += self.settings.alpha.at(self.part) * delta * phi(self.basis, *self._last)


class PGPlayer(LearningPlayer):
    """Policy gradient: games are kept and learnt from in batches."""

    def __init__(self, theta: Floats, basis: Basis, config: GameConfig, settings: PolicyGradient) -> None:
        super().__init__(theta, basis, config)
        self.settings = settings
        self.part = 0.0
        self._steps: list[Floats] = []
        self._batch: list[tuple[float, list[Floats]]] = []

    def choose_action(self, view: GameView) -> Action:
        """An action drawn from the softmax; its ∇ log π is kept for the update."""
        hand, rung, legal = self.observe(view)
        features = np.array([phi(self.basis, hand, rung, action) for action in legal])
        scores = features @ self.theta
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        chosen = self.rng.choices(range(len(legal)), chances.tolist())[0]
        self._steps.append(features[chosen] - chances @ features)
        return view.public.rules.moves[legal[chosen]]

    def on_game_end(self, result: GameResult) -> None:
        """G = γ^T r_T; after a batch, θ ← θ + α ∇J."""
        reward = 1.0 if result.winner == 0 else -1.0
        self._batch.append((self.settings.gamma ** (len(self._steps) - 1) * reward, self._steps))
        self._steps = []
        if len(self._batch) == self.settings.batch:
            self.finish()

    def finish(self) -> None:
        """Learn from the games of an incomplete batch."""
        if not self._batch:
            return
        baseline = np.mean([value for value, _ in self._batch])
        gradient = sum((value - baseline) * sum(steps, np.zeros_like(self.theta)) for value, steps in self._batch)
        self.theta += self.settings.alpha.at(self.part) * gradient / len(self._batch)
        self._batch = []


class NetworkPGPlayer(PGPlayer):
    """Policy gradient for the network that sees the whole bidding."""

    def __init__(
        self, theta: Floats, network: Network, basis: Basis, config: GameConfig, settings: PolicyGradient
    ) -> None:
        super().__init__(theta, basis, config, settings)
        self.network = network

    def choose_action(self, view: GameView) -> Action:
        """An action drawn from π_θ; its ∇ log π is kept for the update."""
        hand, bids = self._hands.index[view.my_dice], bids_of(view)
        chances = network_chances(self.theta, self.network, hand, bids)
        chosen = self.rng.choices(range(len(chances)), chances.tolist())[0]
        self._steps.append(log_gradient(self.theta, self.network, hand, bids, chosen))
        return view.public.rules.moves[chosen]


def learn_through_engine(
    player: QPlayer | PGPlayer, opponent: Agent, config: GameConfig, seed: int, first: int, games: int, total: int
) -> None:
    """Play games `first`, `first + 1`, ... of `total` through the engine, with a player that learns."""
    for number in range(first, first + games):
        player.part = number / total
        play_game([player, opponent], config, seed=derive_seed(seed, "game", number))
    player.finish()


def rounds_won(player: Agent, opponent: Agent, config: GameConfig, first_seed: int = 0) -> Floats:
    """[own hand, other hand]: 1 if the player wins as the opener, else 0. Every pair of hands is played once, with its
    own seed.
    """
    own, other = (hand_set(dice, config.faces) for dice in config.dice)
    seeds = count(first_seed)
    won = np.zeros((len(own), len(other)))
    for i, mine in enumerate(own.hands):
        for j, theirs in enumerate(other.hands):
            engine = GameEngine(config, [player, opponent], seed=next(seeds))
            engine.start_new_round([mine, theirs])
            won[i, j] = engine.play().winner == 0
    return won
