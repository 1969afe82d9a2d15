"""The coach: advice for the next move, and reviews of finished games. Nothing here knows a terminal or a page."""

from .advice import Advice, AdvisedChoice
from .advisor import advise, prepare
from .chance_curve import ChancePoint
from .first_game import comment, comments
from .habit_costs import Habit, LeakReport, leak_report
from .judged_games import JudgedGame, reviews_of, worst_games
from .kept_reviews import KeptReviews
from .opponent_models import OpponentModel, model_of
from .player_record import PlayerRecord, PlayerStats, ReviewedGame, player_stats
from .puzzles import DAILY_RULES, Puzzle, daily_puzzle, puzzle_at, puzzles_from
from .relative_strength import RELATIVE_STRENGTH, with_known_bots
from .review import KINDS, HabitVerdict, MoveVerdict, Review, kind_of, review_game

__all__ = [
    "DAILY_RULES",
    "KINDS",
    "RELATIVE_STRENGTH",
    "Advice",
    "AdvisedChoice",
    "ChancePoint",
    "Habit",
    "HabitVerdict",
    "JudgedGame",
    "KeptReviews",
    "LeakReport",
    "MoveVerdict",
    "OpponentModel",
    "PlayerRecord",
    "PlayerStats",
    "Puzzle",
    "Review",
    "ReviewedGame",
    "advise",
    "comment",
    "comments",
    "daily_puzzle",
    "kind_of",
    "leak_report",
    "model_of",
    "player_stats",
    "prepare",
    "puzzle_at",
    "puzzles_from",
    "review_game",
    "reviews_of",
    "with_known_bots",
    "worst_games",
]
