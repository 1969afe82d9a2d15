"""Bots: the base class to write one, the built-in ones, and how to find them by name."""

from .base import Agent, Policy, PolicyAgent
from .conservative import ConservativeAgent
from .discovery import BotFileError, Discovered, discover, load_bot_file
from .human import HumanAgent
from .probabilistic import ProbabilisticAgent
from .random_agent import RandomAgent
from .registry import AGENTS, AgentInfo, make_agent, place_of
from .styles import BlufferAgent, CrawlerAgent, DetectiveAgent, SniperAgent
from .threshold import PERSONALITIES, ThresholdAgent, create_personality_agent
from .truthful import TruthfulAgent

__all__ = [
    "AGENTS",
    "PERSONALITIES",
    "Agent",
    "AgentInfo",
    "BlufferAgent",
    "BotFileError",
    "ConservativeAgent",
    "CrawlerAgent",
    "DetectiveAgent",
    "Discovered",
    "HumanAgent",
    "Policy",
    "PolicyAgent",
    "ProbabilisticAgent",
    "RandomAgent",
    "SniperAgent",
    "ThresholdAgent",
    "TruthfulAgent",
    "create_personality_agent",
    "discover",
    "load_bot_file",
    "make_agent",
    "place_of",
]
