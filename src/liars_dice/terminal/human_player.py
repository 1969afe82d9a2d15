"""People at the keyboard: prompts until they type a legal move, and the commands that help them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from ..core import (
    Action,
    GameView,
    IllegalMoveError,
    LiarsDiceError,
    NotationError,
    SharedDiceRolled,
    capital,
    rules_in_words,
    verify,
)
from .move_help import help_lines, hint_lines, history_lines, odds_lines, palifico_lines, possible_moves, turn_prompt
from .read_move import Command, printable, read_answer
from .table_view import Quit, TableView, clear_screen, drop_typed_ahead, read_line

if TYPE_CHECKING:
    from ..coach import OpponentModel

UNNOTICED = 1.0
"""Seconds that a person may wait for the coach without being told."""


class UndoRequested(Exception):  # noqa: N818 - a request, not an error
    """A person wants to go back to their last decision."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class TerminalPlayer:
    """The people who share this terminal: the interface a `HumanAgent` asks through.

    With several `people`, dice are hidden between turns: the screen is cleared, and the next player presses Enter.
    """

    def __init__(self, console: Console, *, people: int = 1, practice: bool = False, ascii_only: bool = False) -> None:
        self.console = console
        self.people = people
        self.practice = practice
        self.ascii_only = ascii_only
        self.known_as: Sequence[str] | None = None
        """Who sits in each seat, for the coach; by default the players' names."""
        self._on_screen: tuple[int, int] | None = None
        """The seat and the round whose dice can be read on the screen."""
        self._welcomed = False
        self._preparing: Thread | None = None
        self._prepared = -1
        """The round that the coach is prepared for."""

    def choose_action(self, view: GameView) -> Action:
        """Ask until the answer is a legal action."""
        table = TableView(self.console, view.public.names, ascii_only=self.ascii_only)
        if self.people > 1:
            self._pass_to(view, table)
        self._look(view, table)
        self._prepare(view)
        while True:
            answer = self.ask(f"  {printable(view.name, 12)} > " if self.people > 1 else "  > ")
            if not answer:
                table.say(escape(turn_prompt(view)))
                continue
            try:
                meant = read_answer(answer)
                if isinstance(meant, str):
                    self._run_command(meant, view, table)
                    continue
                verify(view.public, view.player_id, meant)
            except NotationError as error:
                said = repr(error.text) if error.text else "that key"
                table.say(escape(f"I do not understand {said}: type {error.expected}."))
            except IllegalMoveError as error:
                table.say(escape(f"{capital(str(error))}. Possible: {possible_moves(view)}"))
            else:
                return meant

    def hide(self) -> None:
        """Clear the screen if several people share it and it shows dice."""
        if self.people > 1 and self._on_screen is not None:
            clear_screen(self.console)
        self._on_screen = None

    def ask(self, prompt: str = "  > ") -> str:
        """One line from the keyboard; `quit` or the end of input raises `Quit`."""
        return ask(self.console, prompt)

    def _pass_to(self, view: GameView, table: TableView) -> None:
        """Hand the screen to the next player, without anyone else's dice on it."""
        now = (view.player_id, view.public.round_index)
        if self._on_screen == now:
            return
        if self._on_screen is not None and self._on_screen[1] >= now[1]:
            clear_screen(self.console)
            self._lines(table, history_lines(view.public)[-1:])
        self._on_screen = None
        table.say(f"[bold]Pass to {escape(view.name)}[/bold], and press Enter.")
        self.ask("  ")

    def _look(self, view: GameView, table: TableView) -> None:
        self._on_screen = (view.player_id, view.public.round_index)
        table.hand(view.player_id, view.my_dice)
        if view.table_dice:
            table.show(SharedDiceRolled(view.table_dice))
        if covered := view.public.rules.config.hidden_dice:
            table.say(f"Covered on the table: {covered} {'die' if covered == 1 else 'dice'}")
        table.say(escape(turn_prompt(view)))
        if not self._welcomed:
            self._welcomed = True
            table.say("(Type ? to see everything you can type, and rules for the rules of this game.)")

    def _run_command(self, command: Command, view: GameView, table: TableView) -> None:
        match command:
            case "help":
                self._lines(table, help_lines(view, practice=self.practice))
            case "rules":
                self._lines(table, rules_in_words(view.config))
            case "palifico":
                self._lines(table, palifico_lines(view))
            case "odds":
                seen = "your dice and those on the table" if view.table_dice else "your dice"
                self._lines(table, [f"Given {seen} alone, whatever the others bid:"])
                self._lines(table, odds_lines(view, self.console.width - 2, ascii_only=table.ascii_only))
            case "history":
                self._lines(table, history_lines(view.public))
            case "dice":
                self._look(view, table)
            case "hint":
                self._hint(view, table)
            case "undo":
                self._undo(view, table)
            case "quit":
                raise Quit

    def _hint(self, view: GameView, table: TableView) -> None:
        if self._preparing is None or self._preparing.is_alive():
            self.console.print("  Let me think ...", markup=False)
        self.wait_for_coach()
        from ..coach import advise

        try:
            self._lines(table, hint_lines(advise(view, self._models())))
        except LiarsDiceError as error:
            table.say(escape(f"No hint is available: {error}."))

    def _models(self) -> tuple[OpponentModel, ...] | None:
        from ..coach import model_of

        return None if self.known_as is None else tuple(map(model_of, self.known_as))

    def _prepare(self, view: GameView) -> None:
        """Prepare the coach in a thread while the player looks at the dice of a new round: it can take a second."""
        if not self.console.is_terminal or self._prepared == view.public.round_index:
            return
        self._prepared = view.public.round_index

        def read() -> None:
            from ..coach import prepare

            with suppress(LiarsDiceError):  # a hint will give the reason
                prepare(view.public, self._models())

        self._preparing = Thread(target=read, name="coach")
        self._preparing.start()

    def wait_for_coach(self) -> None:
        """Wait until the coach is ready: Python cannot exit before. It takes long only the first time on a machine."""
        if self._preparing is not None:
            self._preparing.join(timeout=UNNOTICED)
            if self._preparing.is_alive():
                self.console.print("  One moment, the coach is getting ready ...", markup=False)
                with Progress(TextColumn(" "), TimeElapsedColumn(), console=self.console, transient=True) as progress:
                    progress.add_task("")
                    self._preparing.join()
                drop_typed_ahead()

    def _undo(self, view: GameView, table: TableView) -> None:
        if not self.practice:
            table.say("Undo works only in a game started with --practice.")
        elif not has_decided(view):
            table.say("You have not made a decision yet.")
        else:
            raise UndoRequested(view.player_id)

    def _lines(self, table: TableView, lines: Iterable[str]) -> None:
        for line in lines:
            table.say(escape(line))


def ask(console: Console, prompt: str) -> str:
    """One line from the keyboard; `quit` or the end of input raises `Quit`."""
    try:
        answer = read_line(console, prompt).strip()
    except EOFError:
        raise Quit from None
    if answer.lower() in ("quit", "exit"):
        raise Quit
    return answer


def has_decided(view: GameView) -> bool:
    """Whether this player has made a decision to undo."""
    seat = view.player_id
    return seat in view.public.bidders or any(seat in (*r.bidders, r.caller) for r in view.resolutions)
