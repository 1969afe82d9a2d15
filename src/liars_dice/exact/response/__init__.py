"""The best answer to a known agent, what it earns, and where the agent gives most away."""

from .adversary import best_response, exploitability, raises_from
from .belief_graph import BeliefGraph, showdowns_with
from .leaks import Leak, Leaks, leaks_of

__all__ = [
    "BeliefGraph",
    "Leak",
    "Leaks",
    "best_response",
    "exploitability",
    "leaks_of",
    "raises_from",
    "showdowns_with",
]
