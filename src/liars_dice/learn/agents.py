"""Agents that play a trained model: `q:FILE` and `pg:FILE`."""

from __future__ import annotations

import warnings
from pathlib import Path

from ..agents import Agent, ProbabilisticAgent
from ..core import Action, BadValueError, ConfigError, GameConfig, GameView
from ..exact.tables import hand_set
from .features import make_basis
from .model import Model
from .policy import greedy_cells
from .training import check_training

_TOLD: set[str] = set()
"""The names of agents for which the warning about untrained rounds was given."""


class LearnedAgent(Agent):
    """Plays a model's greedy policy in rounds with the dice it was trained with, and `probabilistic` in others.

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
        basis = make_basis(model.training.basis, self.config, self.config.dice[0])
        if model.theta.shape != (basis.size,):
            raise BadValueError("model", str(path), f"{basis.size} weights; it has {model.theta.size}")
        self._cells = greedy_cells(model.theta, basis)
        self._index = hand_set(self.config.dice[0], self.config.faces).index
        self._otherwise = ProbabilisticAgent()

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        """Raise `ConfigError` for rules it was not trained for."""
        self._check_kind(config)

    def check_rules(self, config: GameConfig) -> None:
        """Accept the rules it was trained for with any number of dice; warn once if some rounds will have other dice
        than it was trained with.
        """
        self._check_kind(config)
        others = config.dice != self.config.dice or config.mode == "elimination"
        if others and self.name not in _TOLD:
            _TOLD.add(self.name)
            own, other = self.config.dice
            said = f"{self.name} was trained for {own} v {other} dice: in other rounds it plays like probabilistic"
            warnings.warn(said, stacklevel=2)

    def _check_kind(self, config: GameConfig) -> None:
        same = ("faces", "wild", "bid_ordering", "wild_bids", "opening_min_quantity", "open_on_ones", "max_quantity")
        for field in same:
            if getattr(config, field) != getattr(self.config, field):
                expected = f"{getattr(self.config, field)!r}, which {self.name} was trained with"
                raise ConfigError(field, getattr(config, field), expected)

    def choose_action(self, view: GameView) -> Action:
        """The greedy action in rounds it was trained for, else that of `probabilistic`."""
        own, other = self.config.dice
        if (len(view.my_dice), view.other_dice) != (own, other):
            return self._otherwise.choose_action(view)
        cell = int(self._cells[self._index[view.my_dice], view.public.rung + 1])
        return view.public.rules.moves[cell]
