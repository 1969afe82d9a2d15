"""Exact results: policy tables, match-ups without sampling, best responses, and solved rounds."""

from .askable_agents import askable
from .errors import DataError, OutOfReachError
from .matchups import Match, Matchups, seconds_needed
from .response import best_response, exploitability
from .solver import Solution, SolverProgress, solve
from .tables import (
    VECTORISED,
    HandSet,
    PolicyBook,
    PolicyError,
    PolicyTable,
    Situation,
    disagreements,
    hand_set,
    situation_of,
    situations,
)

__all__ = [
    "VECTORISED",
    "DataError",
    "HandSet",
    "Match",
    "Matchups",
    "OutOfReachError",
    "PolicyBook",
    "PolicyError",
    "PolicyTable",
    "Situation",
    "Solution",
    "SolverProgress",
    "askable",
    "best_response",
    "disagreements",
    "exploitability",
    "hand_set",
    "seconds_needed",
    "situation_of",
    "situations",
    "solve",
]
