"""Play, watch and review in a terminal."""

from .dice_art import draw_die, draw_hand
from .game_session import Sitting
from .human_player import TerminalPlayer, UndoRequested, ask
from .read_move import read_answer
from .review_text import review_lines, show_review
from .seating import seated, take_seat, with_opponents
from .table_setup import Wanted, ask_for_a_table
from .table_view import Pace, Quit, Spectator, TableView, wipe

__all__ = [
    "Pace",
    "Quit",
    "Sitting",
    "Spectator",
    "TableView",
    "TerminalPlayer",
    "UndoRequested",
    "Wanted",
    "ask",
    "ask_for_a_table",
    "draw_die",
    "draw_hand",
    "read_answer",
    "review_lines",
    "seated",
    "show_review",
    "take_seat",
    "wipe",
    "with_opponents",
]
