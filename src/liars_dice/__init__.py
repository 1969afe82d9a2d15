"""Liar's Dice and Perudo: an exact rules engine, bots, and a place to play.

The names below are the stable public interface, loaded when they are first used. Packages such as `liars_dice.exact`
need no import of their own either.

>>> import liars_dice
>>> liars_dice.play_game(["threshold-best", "random"], "heads-up", seed=1)
<GameResult: threshold-best won after 5 rounds>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .core import lazy_names as _lazy_names

if TYPE_CHECKING:
    from . import agents, coach, core, exact, learn, persistence, referee, simulator, terminal, tournament, web
    from .agents import Agent, make_agent, play_game
    from .coach import review_game
    from .core import (
        Bid,
        BidAction,
        CallExactAction,
        CallLiarAction,
        GameConfig,
        GameEngine,
        GameResult,
        GameView,
        IllegalMoveError,
        LiarsDiceError,
        preset,
    )
    from .exact import best_response, exploitability, solve
    from .tournament import Simulation, matchup, round_robin

__version__ = "0.1.0"

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "Agent": "agents",
        "Bid": "core",
        "BidAction": "core",
        "CallExactAction": "core",
        "CallLiarAction": "core",
        "GameConfig": "core",
        "GameEngine": "core",
        "GameResult": "core",
        "GameView": "core",
        "IllegalMoveError": "core",
        "LiarsDiceError": "core",
        "Simulation": "tournament",
        "agents": "agents",
        "best_response": "exact",
        "coach": "coach",
        "core": "core",
        "exact": "exact",
        "exploitability": "exact",
        "learn": "learn",
        "make_agent": "agents",
        "matchup": "tournament",
        "persistence": "persistence",
        "play_game": "agents",
        "preset": "core",
        "referee": "referee",
        "review_game": "coach",
        "round_robin": "tournament",
        "simulator": "simulator",
        "solve": "exact",
        "terminal": "terminal",
        "tournament": "tournament",
        "web": "web",
    },
)

__all__ = [
    "Agent",
    "Bid",
    "BidAction",
    "CallExactAction",
    "CallLiarAction",
    "GameConfig",
    "GameEngine",
    "GameResult",
    "GameView",
    "IllegalMoveError",
    "LiarsDiceError",
    "Simulation",
    "__version__",
    "agents",
    "best_response",
    "coach",
    "core",
    "exact",
    "exploitability",
    "learn",
    "make_agent",
    "matchup",
    "persistence",
    "play_game",
    "preset",
    "referee",
    "review_game",
    "round_robin",
    "simulator",
    "solve",
    "terminal",
    "tournament",
    "web",
]
