"""The coach: what to do now, and what was given away in a game that was played."""

from .advice import Advice, AdvisedChoice, advise, prepare
from .chance_curve import Point
from .opponent_models import Model, model_of
from .review import KINDS, Review, Verdict, review_game
from .worst_first import Judged, worst_games

__all__ = [
    "KINDS",
    "Advice",
    "AdvisedChoice",
    "Judged",
    "Model",
    "Point",
    "Review",
    "Verdict",
    "advise",
    "model_of",
    "prepare",
    "review_game",
    "worst_games",
]
