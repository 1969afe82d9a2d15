"""Knowing your opponent: models of players from finished rounds, scouting, clones, and the bot that reads opponents."""

from .known_bots import LIBRARY, BotPolicy, KnownBots
from .player_model import PlayerModel
from .recorded_round import Decision, RecordedRound, finished_rounds, recorded_rounds

__all__ = [
    "LIBRARY",
    "BotPolicy",
    "Decision",
    "KnownBots",
    "PlayerModel",
    "RecordedRound",
    "finished_rounds",
    "recorded_rounds",
]
