"""Knowing your opponent: models of players from finished rounds, scouting, clones, and the bot that reads opponents."""

from .blended_bots import BlendedBots
from .known_bots import LIBRARY, BotPolicy, KnownBots
from .parametric_player import Gaussian, ParametricPlayer
from .player_mixture import PlayerMixture, usual_models
from .player_model import PlayerModel
from .recorded_round import Decision, RecordedRound, finished_rounds, recorded_rounds

__all__ = [
    "LIBRARY",
    "BlendedBots",
    "BotPolicy",
    "Decision",
    "Gaussian",
    "KnownBots",
    "ParametricPlayer",
    "PlayerMixture",
    "PlayerModel",
    "RecordedRound",
    "finished_rounds",
    "recorded_rounds",
    "usual_models",
]
