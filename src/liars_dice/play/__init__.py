"""Play in the terminal."""

from .dice_art import draw_die, draw_hand
from .questions import Wanted, ask_for_a_table
from .reading import read_answer
from .seating import is_person, seated, seats_of, take_seat, with_opponents
from .sitting import Sitting
from .table import Pace, Quit, Spectator, TableView, wipe
from .terminal import TerminalPlayer, Undo, ask
from .unfinished import latest_left, left_game, position, without_abandoned

__all__ = [
    "Pace",
    "Quit",
    "Sitting",
    "Spectator",
    "TableView",
    "TerminalPlayer",
    "Undo",
    "Wanted",
    "ask",
    "ask_for_a_table",
    "draw_die",
    "draw_hand",
    "is_person",
    "latest_left",
    "left_game",
    "position",
    "read_answer",
    "seated",
    "seats_of",
    "take_seat",
    "wipe",
    "with_opponents",
    "without_abandoned",
]
