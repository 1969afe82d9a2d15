"""Several models of one player, weighed by how well each has predicted the player so far."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

import numpy as np

from ..core import Action, BadValueError, GameView, PublicState
from ..numeric import Floats
from .blended_bots import BlendedBots
from .known_bots import LIBRARY, KnownBots
from .parametric_player import ParametricPlayer
from .player_model import PlayerModel
from .recorded_round import RecordedRound

SHARE = 0.02
"""How much of the weight is shared out anew after each round, so that a model that was wrong can come back."""
THRESHOLDS = tuple(
    f"threshold:{call:g},{raise_:g}"
    for call in (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65)
    for raise_ in (0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65)
)
"""Players who compare odds with two thresholds, on a grid."""


def usual_models() -> dict[str, PlayerModel]:
    """The models of a player of whom nothing is known: one of the bots, a blend of bots, or a person with habits."""
    return {
        "known bot": KnownBots(LIBRARY),
        "thresholds": KnownBots(THRESHOLDS),
        "blend of bots": BlendedBots(LIBRARY),
        "habits": ParametricPlayer(),
        "habits that change": ParametricPlayer(memory=0.96),
    }


class PlayerMixture:
    """A mixture of models. The weight of each is the evidence for it: how likely it thought what the player did."""

    def __init__(self, models: Mapping[str, PlayerModel] | None = None, *, share: float = SHARE) -> None:
        self.models = dict(usual_models() if models is None else models)
        if not self.models:
            raise BadValueError("models", models, "at least one model")
        self.share = share
        self._weights: Floats = np.full(len(self.models), 1 / len(self.models))

    @property
    def weights(self) -> dict[str, float]:
        """How much each model counts, the largest weight first."""
        weights = dict(zip(self.models, self._weights.tolist(), strict=True))
        return dict(sorted(weights.items(), key=lambda one: -one[1]))

    def observe(self, played: RecordedRound, seat: int) -> float:
        """Learn from what the player in this seat did; the log-probability that the mixture gave to it before."""
        logs = np.array([model.observe(played, seat) for model in self.models.values()])
        best = float(logs.max())
        weights = self._weights * np.exp(logs - best)
        total = float(weights.sum())
        self._weights = (1 - self.share) * weights / total + self.share / len(self.models)
        return best + log(total)

    def distribution(self, view: GameView) -> dict[Action, float]:
        """How likely each legal action is, if the player sees `view`."""
        found = dict.fromkeys(view.legal_actions, 0.0)
        for model, weight in zip(self.models.values(), self._weights.tolist(), strict=True):
            for action, chance in model.distribution(view).items():
                found[action] += weight * chance
        return found

    def chances(self, public: PublicState) -> Floats:
        """[hand, action]: the same for every hand that the player to move may hold."""
        parts = [
            weight * model.chances(public) for model, weight in zip(self.models.values(), self._weights, strict=True)
        ]
        mixed: Floats = np.sum(parts, axis=0)
        return mixed
