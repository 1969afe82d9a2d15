"""Bots: the base class to write one, the built-in ones, and how to find them by name."""

from .asking import Guard, PolicyError, ask, states_policy, tell, unguarded
from .base import Agent, Policy, PolicyAgent
from .conservative import ConservativeAgent
from .discovery import BotFileError, Discovered, discover, load_bot_file
from .errors import AgentNameError, AgentProblem
from .hearing import GameStart, Heard, Hearing, Question, due_now, hook_calls, is_event
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
    "AgentNameError",
    "AgentProblem",
    "BlufferAgent",
    "BotFileError",
    "ConservativeAgent",
    "CrawlerAgent",
    "DetectiveAgent",
    "Discovered",
    "GameStart",
    "Guard",
    "Heard",
    "Hearing",
    "HumanAgent",
    "Policy",
    "PolicyAgent",
    "PolicyError",
    "ProbabilisticAgent",
    "Question",
    "RandomAgent",
    "SniperAgent",
    "ThresholdAgent",
    "TruthfulAgent",
    "ask",
    "create_personality_agent",
    "discover",
    "due_now",
    "hook_calls",
    "is_event",
    "load_bot_file",
    "make_agent",
    "place_of",
    "states_policy",
    "tell",
    "unguarded",
]
