"""A game shown in the terminal: headings, drawn dice, moves and outcomes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from ..core import (
    MOVES,
    PALIFICO,
    AgentFaulted,
    DiceRevealed,
    DiceRolled,
    Event,
    GameCreated,
    GameEnded,
    Narrator,
    RoundStarted,
    SharedDiceRolled,
)
from ..pictures import SEAT_COLOURS
from .dice_art import draw_hand

BIG_TABLE = 4
"""From this many players on, dice are written in one line per player."""


class Quit(Exception):  # noqa: N818 - a request, not an error
    """The person at the keyboard wants to leave."""


def needs_ascii(console: Console) -> bool:
    """Whether the terminal can show only ASCII."""
    return not console.encoding.lower().startswith("utf") or console.is_dumb_terminal


def can_ask(console: Console) -> bool:
    """Whether a person at a terminal can answer questions."""
    return console.is_terminal and sys.stdin is not None and sys.stdin.isatty()


def read_line(console: Console, prompt: str) -> str:
    """One line from the keyboard; `EOFError` at the end of input."""
    if sys.stdin is None:  # it was closed before the program started
        raise EOFError
    try:
        return console.input(prompt, markup=False)
    except UnicodeDecodeError:
        return "?!"  # bytes that are not text in this terminal: no move and no command
    except (OSError, RuntimeError):  # the terminal is gone, or the output is closed
        raise EOFError from None


def drop_typed_ahead() -> None:
    """Forget what was typed while nothing was asked, so that it does not answer the next question unread."""
    if sys.stdin is None or not sys.stdin.isatty():
        return
    try:
        import termios
    except ImportError:  # there is none on Windows
        return
    termios.tcflush(sys.stdin, termios.TCIFLUSH)


class TableView:
    """Prints the events of a game."""

    def __init__(
        self,
        console: Console,
        names: Sequence[str],
        *,
        ascii_only: bool = False,
        reasoning: bool = True,
        tracebacks: bool = False,
        full: bool = False,
    ) -> None:
        """At a big table, dice are written in one line per player, unless `full` asks for drawings."""
        self.console = console
        self.names = tuple(names)
        self._tell = Narrator(names)
        self.ascii_only = ascii_only or needs_ascii(console)
        self.reasoning = reasoning
        self.tracebacks = tracebacks
        self.full = full
        self._palifico_told = False

    def show(self, event: Event) -> bool:
        """Print an event; returns whether there was anything to print."""
        if isinstance(event, MOVES) and not self.reasoning:
            event = msgspec.structs.replace(event, reasoning="")
        text = self._tell(event).strip()
        if isinstance(event, GameCreated | DiceRevealed):
            return False
        if isinstance(event, RoundStarted | GameEnded):
            self.console.print()
            self.say(f"[bold]{escape(text)}[/bold]", indent=0)
            if isinstance(event, RoundStarted) and event.palifico and not self._palifico_told:
                self._palifico_told = True
                self.say(escape(PALIFICO))
        elif isinstance(event, DiceRolled):
            self._dice(event.player_id, event.dice, drawn=self.full or len(self.names) < BIG_TABLE)
        else:
            self.say(self.coloured(text, getattr(event, "player_id", None)))
        if isinstance(event, AgentFaulted) and self.tracebacks:
            for line in event.traceback.splitlines():
                self.console.print(Text(f"    {line}"), soft_wrap=True)
        return True

    def reveal(self, event: Event) -> None:
        """Print an event for people who have not seen the dice: they are drawn when they are revealed."""
        if isinstance(event, DiceRevealed):
            self.hands(event.dice)
            if event.table_dice or event.hidden_dice:
                self.show(SharedDiceRolled(event.table_dice, event.hidden_dice))
        elif isinstance(event, RoundStarted):
            self.show(event)
            counts = (f"{name} {n}" for name, n in zip(self.names, event.dice_counts, strict=True) if n)
            self.say(f"Dice: {escape(', '.join(counts))}")
        elif not isinstance(event, DiceRolled):
            self.show(event)

    def hand(self, seat: int, dice: Sequence[int]) -> None:
        """Draw a player's dice."""
        style = SEAT_COLOURS[seat % len(SEAT_COLOURS)]
        self.say(f"[{style}]{escape(self.names[seat])}[/]")
        for line in draw_hand(dice, per_row=self._dice_per_row(), ascii_only=self.ascii_only):
            self.console.print(f"  [{style}]{line}[/]", highlight=False)

    def hands(self, hands: Sequence[Sequence[int]]) -> None:
        """Show all players' dice: drawn, or in one line per player at a big table or if drawings do not fit on the
        screen.
        """
        rows = sum(1 + 5 * -(-len(dice) // self._dice_per_row()) for dice in hands if dice)
        fits = not self.console.is_terminal or rows <= self.console.height - 4
        for seat, dice in enumerate(hands):
            if dice:
                self._dice(seat, dice, drawn=self.full or (fits and len(self.names) < BIG_TABLE))

    def _dice(self, seat: int, dice: Sequence[int], *, drawn: bool) -> None:
        """A player's dice, drawn or in one line, in which the dice of all players begin in the same column."""
        if drawn:
            self.hand(seat, dice)
            return
        name, width = self.names[seat], min(24, max(map(len, self.names)))
        style = SEAT_COLOURS[seat % len(SEAT_COLOURS)]
        self.say(f"[{style}]{escape(name)}[/]:{' ' * max(1, width + 1 - len(name))}{' '.join(map(str, dice))}")

    def say(self, markup: str, indent: int = 2) -> None:
        """Print a sentence; in a terminal it is wrapped between words."""
        text = Text.from_markup(markup)
        width = self.console.width - indent
        lines = text.wrap(self.console, width) if self.console.is_terminal else [text]
        for line in lines:
            line.rstrip()
            self.console.print(Text(" " * indent) + line, soft_wrap=True)

    def suggest(self, purpose: str, command: str) -> None:
        """Print a command and its purpose: side by side, or one below the other if they are too wide."""
        line = f"{purpose:27} {command}"
        if self.console.is_terminal and len(line) + 2 > self.console.width:
            self.say(escape(purpose))
            self.say(escape(command), indent=4)
        else:
            self.say(escape(line))

    def coloured(self, text: str, seat: int | None) -> str:
        """The sentence as markup; if it begins with the name of this seat's player, the name has the seat's colour."""
        name = "" if seat is None else self.names[seat]
        if seat is None or not text.startswith(name):
            return escape(text)
        return f"[{SEAT_COLOURS[seat % len(SEAT_COLOURS)]}]{escape(name)}[/]{escape(text.removeprefix(name))}"

    def _dice_per_row(self) -> int:
        return max(1, (self.console.width - 2) // 8)


class Pace:
    """How fast a game is shown: at once, with a delay after each event, or one event per Enter."""

    def __init__(self, console: Console, *, step: bool = False, delay: float = 0.0) -> None:
        self.console = console
        self.step = step
        self.delay = delay
        self.left = False
        """Whether the spectator has quit."""
        self._told = False

    def wait(self) -> None:
        """Wait for the delay or for Enter; `Quit` if the spectator quits."""
        if self.delay:
            time.sleep(self.delay)
        if not self.step:
            return
        prompt = "" if self._told or not self.console.is_terminal else "  (Enter continues, q quits) "
        self._told = True
        try:
            answer = read_line(self.console, prompt)
        except EOFError:
            answer = "q"
        if answer.strip().lower() in ("q", "quit", "exit"):
            self.left = True
            raise Quit


class Spectator:
    """Shows a game's events at the spectator's pace, until the spectator quits."""

    def __init__(self, table: TableView, pace: Pace) -> None:
        self.table = table
        self.pace = pace

    def __call__(self, event: Event) -> None:
        """Show an event and wait."""
        if not self.pace.left and self.table.show(event):
            self.pace.wait()


def clear_screen(console: Console) -> None:
    """Clear the screen and what was scrolled away, or push it out of view where that is not possible."""
    if console.is_terminal and not console.is_dumb_terminal:
        console.file.write("\x1b[2J\x1b[3J\x1b[H")  # clear the screen and the scrollback, and go to the first line
        console.file.flush()
    else:
        console.print("\n" * max(console.height, int(os.environ.get("LINES") or 0), 50))
