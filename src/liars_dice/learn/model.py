"""Trained models in files: the weights, with all settings of the training, to play with or to train further."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from ..core import BadValueError, GameConfig, reason_of
from ..numeric import Floats
from ..persistence import writing_whole
from .policy_gradient import PolicyGradient
from .q_learning import QLearning

VERSION = 1
Algorithm = Literal["q", "pg"]
SELF = "self"
"""The opponent's name in self-play."""


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a training; they determine its result."""

    algorithm: Algorithm
    config: dict[str, Any]
    """The rules as plain data: one round for two players, with the learner in seat 0."""
    basis: str = "crossed"
    """`crossed`, `plain` or `network`; `seed`, the name of `plain` in older files, is read as `plain`."""
    opponent: str = "truthful"
    games: int = 1_000_000
    seed: int = 0
    q: QLearning | None = None
    pg: PolicyGradient | None = None

    def __post_init__(self) -> None:
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in self.config.items()}
        msgspec.structs.force_setattr(self, "config", plain)  # as it comes back from a file
        msgspec.structs.force_setattr(self, "basis", "plain" if self.basis == "seed" else self.basis)

    def __repr__(self) -> str:
        how = f"{self.algorithm}, {self.basis} basis, {self.games:,} games"
        return f"<Training: {how} against {self.opponent}, dice {self.config.get('dice')}, seed {self.seed}>"

    def rules(self) -> GameConfig:
        """The rules as a `GameConfig`."""
        return GameConfig.from_dict(self.config)


class CurvePoint(msgspec.Struct, frozen=True):
    """How good the policies are after some number of games."""

    games: int
    win_rate: float
    """W of the greedy policy."""
    policy_win_rate: float | None = None
    """Policy gradient: W of π_θ. None if it is not known, as in older files."""
    objective: float | None = None
    """Policy gradient: J = E[G] of π_θ."""
    td_error: float | None = None
    """Q-learning: the mean of |δ| over the steps since the point before."""
    bellman_error: float | None = None
    """Q-learning: the mean of |E[δ | o, a]| over the decisions of the greedy policy."""


class Model(msgspec.Struct, kw_only=True):
    """Weights, the training they come from, and its learning curve."""

    training: Training
    theta: Floats
    games: int = 0
    """The number of games played so far."""
    curve: list[CurvePoint] = []

    def __repr__(self) -> str:
        training = self.training
        how = f"{training.algorithm}, {training.basis} basis"
        return f"<Model: {how}, {self.games:,} of {training.games:,} games, {self.theta.size:,} weights>"

    def save(self, path: str | Path) -> None:
        """Write the file in one step: a reader sees the old file or the new one."""
        path = Path(path)
        about = _About(VERSION, self.training, self.games, self.curve)
        with writing_whole("model", path) as beside, beside.open("wb") as file:
            np.savez_compressed(file, about=np.frombuffer(msgspec.json.encode(about), dtype=np.uint8), theta=self.theta)

    @classmethod
    def load(cls, path: str | Path) -> Model:
        """Read a file; `BadValueError` if it is damaged or of another version."""
        expected = "a model written by liars-dice train"
        try:
            data = Path(path).read_bytes()
        except (OSError, ValueError) as error:
            raise BadValueError("model", str(path), f"{expected} ({reason_of(error)})") from error
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
                about = arrays["about"].tobytes()
                theta = np.array(arrays["theta"], dtype=np.float64)
            version = msgspec.json.decode(about, type=_Version).version
        except Exception as error:  # a damaged archive fails in many ways
            damaged = f"{expected}; this file is damaged or not a model"
            raise BadValueError("model", str(path), damaged) from error
        if version != VERSION:
            raise BadValueError("model", str(path), f"a model of version {VERSION}, not {version}")
        try:
            known = msgspec.json.decode(about, type=_About)
            known.training.rules()
        except (msgspec.ValidationError, BadValueError) as error:
            raise BadValueError("model", str(path), f"{expected} ({error})") from error
        if not 0 <= known.games <= known.training.games:
            raise BadValueError("model", str(path), f"0 to {known.training.games} games played; it says {known.games}")
        if not np.isfinite(theta).all():
            raise BadValueError("model", str(path), "finite weights")
        return cls(training=known.training, theta=theta, games=known.games, curve=known.curve)


class _Version(msgspec.Struct):
    version: int


class _About(msgspec.Struct):
    """Everything in a model except its weights."""

    version: int
    training: Training
    games: int
    curve: list[CurvePoint]
