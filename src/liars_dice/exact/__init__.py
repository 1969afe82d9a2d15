"""Exact results: policy tables, match-ups without sampling, best responses, and solved rounds."""

from .errors import DataError, OutOfReachError
from .matchups import MatchOdds, Matchups, matchup_seconds
from .response import best_response, exploitability
from .solver import Solution, SolverProgress, solve
from .tables import (
    VECTORISED,
    Guard,
    HandSet,
    PolicyBook,
    PolicyError,
    PolicyTable,
    Situation,
    ask,
    disagreements,
    hand_set,
    situation_of,
    situations,
    states_policy,
)

__all__ = [
    "VECTORISED",
    "DataError",
    "Guard",
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
    "ask",
    "best_response",
    "disagreements",
    "exploitability",
    "hand_set",
    "matchup_seconds",
    "situation_of",
    "situations",
    "solve",
    "states_policy",
]
