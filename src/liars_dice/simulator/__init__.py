"""Whole games between memoryless agents at compiled speed, under every rule set."""

from .compiled_games import Simulator, Tally, TracedRound, check_simulable

__all__ = [
    "Simulator",
    "Tally",
    "TracedRound",
    "check_simulable",
]
