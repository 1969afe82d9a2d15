"""The game itself: rules as data, pure transitions, views, events and the engine over them. Knows nobody else."""

from .actions import Action, BidAction, CallExactAction, CallLiarAction
from .bid import Bid, BidOrdering
from .config import GameConfig
from .dice import DiceCup, Die, Randomness, derive_seed
from .engine import GameEngine, play_game
from .errors import ConfigError, DealError, IllegalMoveError, LiarsDiceError, NotationError
from .events import (
    MOVES,
    SPECTATOR,
    AgentFaulted,
    BidPlaced,
    DiceRevealed,
    DiceRolled,
    Event,
    ExactCalled,
    GameCreated,
    GameEnded,
    LiarCalled,
    RoundEnded,
    RoundStarted,
    visible_to,
)
from .ladder import Ladder
from .narration import narrate, say_bid
from .notation import format_game, parse_action, parse_bid, parse_game
from .odds import binomial_prob_at_least, chance_exact, chance_true, prob_exact, prob_holds
from .player import GameResult, Player, result_of
from .presets import PRESETS, load_rules, preset
from .rules import RoundRules, count_matches
from .state import GameState, Hands, PlayerState, PublicState, RoundResolution
from .transition import apply, can_apply, deal, legal_actions, new_game, verify
from .view import GameView, PlayerInfo, RoundBid, view_of

__all__ = [
    "MOVES",
    "PRESETS",
    "SPECTATOR",
    "Action",
    "AgentFaulted",
    "Bid",
    "BidAction",
    "BidOrdering",
    "BidPlaced",
    "CallExactAction",
    "CallLiarAction",
    "ConfigError",
    "DealError",
    "DiceCup",
    "DiceRevealed",
    "DiceRolled",
    "Die",
    "Event",
    "ExactCalled",
    "GameConfig",
    "GameCreated",
    "GameEnded",
    "GameEngine",
    "GameResult",
    "GameState",
    "GameView",
    "Hands",
    "IllegalMoveError",
    "Ladder",
    "LiarCalled",
    "LiarsDiceError",
    "NotationError",
    "Player",
    "PlayerInfo",
    "PlayerState",
    "PublicState",
    "Randomness",
    "RoundBid",
    "RoundEnded",
    "RoundResolution",
    "RoundRules",
    "RoundStarted",
    "apply",
    "binomial_prob_at_least",
    "can_apply",
    "chance_exact",
    "chance_true",
    "count_matches",
    "deal",
    "derive_seed",
    "format_game",
    "legal_actions",
    "load_rules",
    "narrate",
    "new_game",
    "parse_action",
    "parse_bid",
    "parse_game",
    "play_game",
    "preset",
    "prob_exact",
    "prob_holds",
    "result_of",
    "say_bid",
    "verify",
    "view_of",
    "visible_to",
]
