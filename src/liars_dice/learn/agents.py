"""What was learnt, at the table: `q:FILE` and `pg:FILE`."""

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
"""Of whom it was said that they know other rounds than those to be played."""


class LearnedAgent(Agent):
    """Plays a model's greedy policy in rounds with as many dice as it was trained with, and the best odds in others.

    A learner that always opened knows little about answering; self-play trains both.
    """

    memoryless = True
    players = (2, 2)

    def __init__(self, path: str | Path, algorithm: str, name: str = "") -> None:
        model = Model.load(path)
        if model.training.algorithm != algorithm:
            raise BadValueError(
                "model", str(path), f"a model trained by {algorithm}; it was by {model.training.algorithm}"
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
        """Refuse a game of another kind."""
        self._check_kind(config)

    def check_rules(self, config: GameConfig) -> None:
        """A game of the kind it was trained for, with any number of dice; where those are others than it knows, that is
        said once.
        """
        self._check_kind(config)
        others = config.dice != self.config.dice or config.mode == "elimination"
        if others and self.name not in _TOLD:
            _TOLD.add(self.name)
            own, other = self.config.dice
            said = f"{self.name} was trained for {own} v {other} dice: elsewhere it plays as probabilistic"
            warnings.warn(said, stacklevel=2)

    def _check_kind(self, config: GameConfig) -> None:
        same = ("faces", "wild", "bid_ordering", "wild_bids", "opening_min_quantity", "open_on_ones", "max_quantity")
        for field in same:
            if getattr(config, field) != getattr(self.config, field):
                expected = f"{getattr(self.config, field)!r}, as {self.name} was trained"
                raise ConfigError(field, getattr(config, field), expected)

    def choose_action(self, view: GameView) -> Action:
        """The greedy action, where it was trained."""
        own, other = self.config.dice
        if (len(view.my_dice), view.other_dice) != (own, other):
            return self._otherwise.choose_action(view)
        cell = int(self._cells[self._index[view.my_dice], view.public.rung + 1])
        return view.public.rules.moves[cell]
