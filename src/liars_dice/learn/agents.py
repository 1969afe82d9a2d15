"""Agents that play a trained model: `q:FILE` and `pg:FILE`, and `pg:FILE,greedy`."""

from __future__ import annotations

from pathlib import Path

from ..agents import Agent, Policy, PolicyAgent, ProbabilisticAgent, warn_once
from ..core import Action, BadValueError, GameConfig, GameView
from ..exact.tables import check_same_rounds, hand_set
from .engine_learners import as_policy, bids_of
from .model import Model
from .network import network_chances, network_size
from .policy import greedy_cells, softmax_chances
from .training import check_training, functions_of

GREEDY = ",greedy"
"""What is written behind the file to play the greedy policy instead of π_θ."""


def learned_agent(file: str, algorithm: str, name: str = "") -> LearnedAgent:
    """The agent of a model: the greedy policy of Q-learning; π_θ of policy gradient, or `FILE,greedy`."""
    path, greedy = file.removesuffix(GREEDY), file.endswith(GREEDY)
    name = name or f"{algorithm}:{file}"
    if Model.load(path).training.basis == "network":
        return NetworkAgent(path, algorithm, name, greedy=greedy)
    return LearnedAgent(path, algorithm, name) if greedy or algorithm == "q" else SoftmaxAgent(path, algorithm, name)


class LearnedAgent(Agent):
    """Plays a linear model's greedy policy in rounds with the dice it was trained with, and `probabilistic` in others.

    A model trained only as the opener knows little about answering; self-play trains both.
    """

    memoryless = True
    players = (2, 2)

    def __init__(self, path: str | Path, algorithm: str, name: str = "") -> None:
        model = Model.load(path)
        if model.training.algorithm != algorithm:
            raise BadValueError(
                "model",
                str(path),
                f"a model trained by {algorithm}, not by {model.training.algorithm}",
            )
        self.name = name or f"{algorithm}:{path}"
        self.config = model.training.rules()
        check_training(model.training)
        self.theta = model.theta
        self.basis, self.network = functions_of(model.training)
        size = self.basis.size if self.network is None else network_size(self.network)
        if self.theta.shape != (size,):
            raise BadValueError("model", str(path), f"{size} weights; it has {self.theta.size}")
        if self.network is not None and self.memoryless:
            raise BadValueError("model", str(path), "a linear model; this one is a network, which NetworkAgent plays")
        self._index = hand_set(self.config.dice[0], self.config.faces).index
        self._otherwise = ProbabilisticAgent()
        self._prepare()

    def _prepare(self) -> None:
        """Compute what decisions are read from."""
        self._cells = greedy_cells(self.theta, self.basis)

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """Raise `ConfigError` for rules it was not trained for."""
        self._check_kind(config)

    def check_rules(self, config: GameConfig) -> None:
        """Accept the rules it was trained for with any number of dice; warn once if some rounds will have other dice
        than it was trained with.
        """
        self._check_kind(config)
        if config.dice != self.config.dice or config.mode == "elimination":
            own, other = self.config.dice
            warn_once(f"{self.name} was trained for {own} v {other} dice: in other rounds it plays like probabilistic")

    def _check_kind(self, config: GameConfig) -> None:
        check_same_rounds(config, self.config, f"which {self.name} was trained with")

    def _is_trained_for(self, view: GameView) -> bool:
        return (len(view.my_dice), view.other_dice) == self.config.dice

    def choose_action(self, view: GameView) -> Action:
        """The greedy action in rounds it was trained for, else that of `probabilistic`."""
        if not self._is_trained_for(view):
            return self._otherwise.choose_action(view)
        cell = int(self._cells[self._index[view.my_dice], view.public.rung + 1])
        return view.public.rules.moves[cell]


class SoftmaxAgent(LearnedAgent, PolicyAgent):
    """Plays π_θ of a linear model in rounds with the dice it was trained with, and `probabilistic` in others."""

    def _prepare(self) -> None:
        self._chances = softmax_chances(self.theta, self.basis)

    def policy(self, view: GameView) -> Policy:
        """π_θ(·|o)."""
        if not self._is_trained_for(view):
            return {self._otherwise.choose_action(view): 1.0}
        return as_policy(self._chances[self._index[view.my_dice], view.public.rung + 1], view)

    def choose_action(self, view: GameView) -> Action:
        """Draw from the policy."""
        return PolicyAgent.choose_action(self, view)


class NetworkAgent(SoftmaxAgent):
    """Plays π_θ of a network, or its greedy policy. It uses the whole bidding, so it is not memoryless."""

    memoryless = False

    def __init__(self, path: str | Path, algorithm: str, name: str = "", *, greedy: bool = False) -> None:
        self.greedy = greedy
        super().__init__(path, algorithm, name)

    def _prepare(self) -> None:
        """Nothing: every bidding is computed when it comes up."""

    def policy(self, view: GameView) -> Policy:
        """π_θ(·|o), or the likeliest action alone."""
        if not self._is_trained_for(view):
            return {self._otherwise.choose_action(view): 1.0}
        assert self.network is not None
        chances = network_chances(self.theta, self.network, self._index[view.my_dice], bids_of(view))
        return as_policy(chances, view, greedy=self.greedy)
