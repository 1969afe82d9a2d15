"""The best response to a known agent, what it earns, and where the agent gives most away."""

from .adversary import best_response, exploitability, raise_chances
from .belief_graph import BeliefGraph, showdowns_with
from .leaks import Leak, Leaks, leaks_of
from .short_memory_adversary import Measured, mean_of, response_bounds

__all__ = [
    "BeliefGraph",
    "Leak",
    "Leaks",
    "Measured",
    "best_response",
    "exploitability",
    "leaks_of",
    "mean_of",
    "raise_chances",
    "response_bounds",
    "showdowns_with",
]
