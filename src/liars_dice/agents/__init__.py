"""Bots: the base class for your own, the built-in bots, and agents by name, class or object."""

from .agent_like import AgentLike, as_agent, names_for, play_game
from .asking import AskedElsewhere, Guard, PolicyError, ask, ask_all, check_same, states_policy, tell, unguarded
from .base import Agent, BatchAgent, Policy, PolicyAgent, think_ahead, warn_once
from .bluffer import BlufferAgent
from .conservative import ConservativeAgent
from .crawler import CrawlerAgent
from .detective import DetectiveAgent
from .discovery import (
    ENTRY_POINTS,
    NO_BOT,
    BotFileError,
    Discovered,
    bot_files,
    check_not_being_loaded,
    discover,
    is_discoverable,
    load_bot_file,
)
from .errors import AgentNameError, AgentProblem
from .hearing import GameStart, Heard, Hearing, Question, due_now, hook_calls, is_event
from .hints import hint_for
from .human import HumanAgent
from .network_agents import GAMES_AT_ONCE, AgentStoppedError, asks_network, work_at_once
from .probabilistic import ProbabilisticAgent
from .random_agent import RandomAgent
from .registry import (
    AGENTS,
    KINDS,
    RATING,
    STRENGTH,
    AgentInfo,
    AgentRegistry,
    is_stranger,
    listed_name,
    make_agent,
    make_from,
    moved_agents,
    moved_to,
    place_of,
)
from .sniper import SniperAgent
from .threshold import (
    DEFAULT_CALL_THRESHOLD,
    DEFAULT_SAFE_RAISE_THRESHOLD,
    PERSONALITIES,
    ThresholdAgent,
    create_personality_agent,
)
from .truthful import TruthfulAgent

__all__ = [
    "AGENTS",
    "DEFAULT_CALL_THRESHOLD",
    "DEFAULT_SAFE_RAISE_THRESHOLD",
    "ENTRY_POINTS",
    "GAMES_AT_ONCE",
    "KINDS",
    "NO_BOT",
    "PERSONALITIES",
    "RATING",
    "STRENGTH",
    "Agent",
    "AgentInfo",
    "AgentLike",
    "AgentNameError",
    "AgentProblem",
    "AgentRegistry",
    "AgentStoppedError",
    "AskedElsewhere",
    "BatchAgent",
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
    "as_agent",
    "ask",
    "ask_all",
    "asks_network",
    "bot_files",
    "check_not_being_loaded",
    "check_same",
    "create_personality_agent",
    "discover",
    "due_now",
    "hint_for",
    "hook_calls",
    "is_discoverable",
    "is_event",
    "is_stranger",
    "listed_name",
    "load_bot_file",
    "make_agent",
    "make_from",
    "moved_agents",
    "moved_to",
    "names_for",
    "place_of",
    "play_game",
    "states_policy",
    "tell",
    "think_ahead",
    "unguarded",
    "warn_once",
    "work_at_once",
]
