"""Play in the terminal."""

from .dice_art import draw_die, draw_hand
from .terminal import Quit, TableView, TerminalPlayer

__all__ = ["Quit", "TableView", "TerminalPlayer", "draw_die", "draw_hand"]
