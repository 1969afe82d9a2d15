"""Exact results: policy tables, match-ups without sampling, best responses, and a compiled simulator."""

from .errors import DataError, OutOfReachError
from .hands import HandSet, hand_set
from .match import Match
from .matchups import Matchups, seconds_needed
from .policy import Guard, PolicyBook, PolicyError, PolicyTable, ask, disagreements, states_policy
from .response import best_response, exploitability
from .simulator import Simulator, Tally, TracedRound, check_simulable
from .situation import Situation, situation_of, situations
from .solver import Progress, Solution, solve
from .vectorised import VECTORISED

__all__ = [
    "VECTORISED",
    "DataError",
    "Guard",
    "HandSet",
    "Match",
    "Matchups",
    "OutOfReachError",
    "PolicyBook",
    "PolicyError",
    "PolicyTable",
    "Progress",
    "Simulator",
    "Situation",
    "Solution",
    "Tally",
    "TracedRound",
    "ask",
    "best_response",
    "check_simulable",
    "disagreements",
    "exploitability",
    "hand_set",
    "seconds_needed",
    "situation_of",
    "situations",
    "solve",
    "states_policy",
]
