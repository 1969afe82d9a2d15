"""The best response to a known agent, what it earns, and where the agent gives most away."""

from .adversary import best_response, exploitability, raise_chances
from .belief_graph import BeliefGraph, showdowns_with
from .leaks import Leak, Leaks, leaks_of

__all__ = [
    "BeliefGraph",
    "Leak",
    "Leaks",
    "best_response",
    "exploitability",
    "leaks_of",
    "raise_chances",
    "showdowns_with",
]
