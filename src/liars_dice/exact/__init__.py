"""Exact results: policy tables, match-ups without sampling, best responses, and solved rounds."""

from .askable_agents import askable
from .errors import DataError, OutOfReachError
from .matchups import MatchOdds, Matchups, matchup_seconds
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
    "MatchOdds",
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
    "matchup_seconds",
    "situation_of",
    "situations",
    "solve",
]
