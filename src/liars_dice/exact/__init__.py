"""Exact results: policy tables, match-ups without sampling, best responses, and solved rounds.

What most callers need is here; the packages below have the rest.
"""

from .askable_agents import askable
from .errors import DataError, OutOfReachError
from .matchups import MatchOdds, Matchups
from .response import best_response, exploitability
from .solver import Solution, SolverProgress, solve
from .tables import PolicyError, PolicyTable

__all__ = [
    "DataError",
    "MatchOdds",
    "Matchups",
    "OutOfReachError",
    "PolicyError",
    "PolicyTable",
    "Solution",
    "SolverProgress",
    "askable",
    "best_response",
    "exploitability",
    "solve",
]
