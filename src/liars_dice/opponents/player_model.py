"""What a model of a player is: something that watches finished rounds and predicts the next action."""

from __future__ import annotations

from typing import Protocol

from ..core import Action, GameView, PublicState
from ..numeric import Floats
from .recorded_round import RecordedRound


class PlayerModel(Protocol):
    """A model of one player."""

    def observe(self, played: RecordedRound, seat: int) -> float:
        """Learn from what the player in this seat did in a finished round.

        The result is the log-probability that the model gave to these actions before it learnt from them.
        """

    def distribution(self, view: GameView) -> dict[Action, float]:
        """How likely each legal action is, if the player sees `view`."""

    def chances(self, public: PublicState) -> Floats:
        """[hand, action]: the same for every hand that the player to move may hold, in one array.

        Hands are in the order of `hand_set(dice, faces)`, actions in the order of `legal_actions(public)`.
        """
