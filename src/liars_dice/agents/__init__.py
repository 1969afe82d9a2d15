"""Bots: the base class to write one, the built-in ones, and how to find them by name."""

from .base import Agent
from .random_agent import RandomAgent
from .registry import AGENTS, make_agent
from .threshold import PERSONALITIES, ThresholdAgent, create_personality_agent

__all__ = [
    "AGENTS",
    "PERSONALITIES",
    "Agent",
    "RandomAgent",
    "ThresholdAgent",
    "create_personality_agent",
    "make_agent",
]
