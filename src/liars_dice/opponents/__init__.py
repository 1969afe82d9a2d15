"""Knowing your opponent: models of players from finished rounds, scouting, clones, and the bot that reads opponents."""

from .blended_bots import BlendedBots
from .clone import Clone, CloneAgent, learn_clone
from .dossier_words import basis, comparison, findings
from .known_bots import LIBRARY, BotPolicy, KnownBots
from .parametric_player import Gaussian, ParametricPlayer
from .player_mixture import PlayerMixture, usual_models
from .player_model import PlayerModel
from .player_rounds import PlayedRound, games_of, rounds_of_player
from .recorded_round import Decision, RecordedRound, finished_rounds, recorded_rounds
from .scouting import ODDS, Dossier, Rate, scout

__all__ = [
    "LIBRARY",
    "ODDS",
    "BlendedBots",
    "BotPolicy",
    "Clone",
    "CloneAgent",
    "Decision",
    "Dossier",
    "Gaussian",
    "KnownBots",
    "ParametricPlayer",
    "PlayedRound",
    "PlayerMixture",
    "PlayerModel",
    "Rate",
    "RecordedRound",
    "basis",
    "comparison",
    "findings",
    "finished_rounds",
    "games_of",
    "learn_clone",
    "recorded_rounds",
    "rounds_of_player",
    "scout",
    "usual_models",
]
