"""The coach: advice for the next move, and reviews of finished games. Nothing here knows a terminal or a page."""

from .advice import Advice, AdvisedChoice, advise, prepare
from .chance_curve import ChancePoint
from .judged_games import JudgedGame, worst_games
from .opponent_models import OpponentModel, model_of
from .review import KINDS, HabitVerdict, MoveVerdict, Review, kind_of, review_game

__all__ = [
    "KINDS",
    "Advice",
    "AdvisedChoice",
    "ChancePoint",
    "HabitVerdict",
    "JudgedGame",
    "MoveVerdict",
    "OpponentModel",
    "Review",
    "advise",
    "kind_of",
    "model_of",
    "prepare",
    "review_game",
    "worst_games",
]
