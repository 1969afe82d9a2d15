"""Whole games between memoryless agents at compiled speed, under every rule set."""

from .compiled_games import Simulator, Tally, TracedRound, check_simulable
from .game_kernel import Policies

__all__ = [
    "Policies",
    "Simulator",
    "Tally",
    "TracedRound",
    "check_simulable",
]
