"""Play, watch and review in a terminal."""

from .dice_art import draw_die, draw_hand
from .game_session import GameSession
from .human_player import TerminalPlayer, UndoRequested, ask
from .known_text import known_after, print_known
from .read_move import read_answer
from .review_text import column_chart, print_review, review_lines
from .seating import make_lineup, replace_bots, take_seat
from .table_setup import TableSetup, ask_table_setup, fill_seats
from .table_view import Pace, Quit, Spectator, TableView, can_ask, clear_screen, needs_ascii
from .tutorial import Tutorial

__all__ = [
    "GameSession",
    "Pace",
    "Quit",
    "Spectator",
    "TableSetup",
    "TableView",
    "TerminalPlayer",
    "Tutorial",
    "UndoRequested",
    "ask",
    "ask_table_setup",
    "can_ask",
    "clear_screen",
    "column_chart",
    "draw_die",
    "draw_hand",
    "fill_seats",
    "known_after",
    "make_lineup",
    "needs_ascii",
    "print_known",
    "print_review",
    "read_answer",
    "replace_bots",
    "review_lines",
    "take_seat",
]
