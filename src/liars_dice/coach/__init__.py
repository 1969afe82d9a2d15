"""The coach: what to do now, and what was given away in a game that was played."""

from .advice import Advice, AdvisedChoice, advise, prepare
from .chance_curve import Point
from .opponent_models import OpponentModel, model_of
from .review import KINDS, MoveVerdict, Review, review_game
from .worst_first import JudgedGame, worst_games

__all__ = [
    "KINDS",
    "Advice",
    "AdvisedChoice",
    "JudgedGame",
    "MoveVerdict",
    "OpponentModel",
    "Point",
    "Review",
    "advise",
    "model_of",
    "prepare",
    "review_game",
    "worst_games",
]
