"""Liar's Dice and Perudo: an exact rules engine, bots, and a place to play."""

from .core import (
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameConfig,
    GameEngine,
    GameView,
    IllegalMoveError,
    play_game,
    preset,
)

__version__ = "0.1.0"

__all__ = [
    "Bid",
    "BidAction",
    "CallExactAction",
    "CallLiarAction",
    "GameConfig",
    "GameEngine",
    "GameView",
    "IllegalMoveError",
    "__version__",
    "play_game",
    "preset",
]
