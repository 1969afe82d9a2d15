"""Games in the terminal: shown to a spectator, or played by a person."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape

from ..core import Action, Event, GameView, IllegalMoveError, NotationError, narrate, parse_action, say_bid, verify
from ..core.events import DiceRevealed, DiceRolled, GameCreated, GameEnded, RoundStarted
from .dice_art import draw_hand

STYLES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
"""A colour a seat, from the Okabe-Ito palette: colour-blind people can tell them apart."""


class Quit(Exception):  # noqa: N818 - a player's wish, not an error
    """The person at the keyboard wants to leave."""


class TableView:
    """Prints events as they come: headings, drawn dice, moves and verdicts."""

    def __init__(self, console: Console, names: Sequence[str]) -> None:
        self.console = console
        self.names = tuple(names)
        self.ascii_only = not console.encoding.lower().startswith("utf")

    def show(self, event: Event) -> None:
        """Print what happened."""
        text = narrate(event, self.names).strip()
        if isinstance(event, RoundStarted | GameEnded):
            self.console.print(f"\n[bold]{escape(text)}[/bold]")
        elif isinstance(event, DiceRolled):
            self.hand(event.player_id, event.dice)
        elif not isinstance(event, GameCreated | DiceRevealed):
            self.console.print(f"  {self.coloured(text)}", soft_wrap=True)

    def reveal(self, event: Event) -> None:
        """Print what happened to somebody who has not seen the dice: at the reveal they are drawn."""
        if isinstance(event, DiceRevealed):
            for seat, dice in enumerate(event.dice):
                if dice:
                    self.hand(seat, dice)
        elif not isinstance(event, DiceRolled):
            self.show(event)

    def hand(self, seat: int, dice: Sequence[int]) -> None:
        """Print a player's dice."""
        style = STYLES[seat % len(STYLES)]
        per_row = max(1, (self.console.width - 4) // 8)
        self.console.print(f"  [{style}]{escape(self.names[seat])}[/]")
        for line in draw_hand(dice, per_row=per_row, ascii_only=self.ascii_only):
            self.console.print(f"  [{style}]{line}[/]", highlight=False)

    def coloured(self, text: str) -> str:
        """The sentence with the name it begins with in its seat's colour."""
        for seat in sorted(range(len(self.names)), key=lambda s: -len(self.names[s])):
            if text.startswith(f"{self.names[seat]} "):
                rest = text.removeprefix(self.names[seat])
                return f"[{STYLES[seat % len(STYLES)]}]{escape(self.names[seat])}[/]{escape(rest)}"
        return escape(text)


class TerminalPlayer:
    """A person who types bids and calls: the interface a `HumanAgent` asks through."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def choose_action(self, view: GameView) -> Action:
        """Ask until the answer is a legal action."""
        table = TableView(self.console, view.public.names)
        table.hand(view.player_id, view.my_dice)
        current = view.current_bid
        self.console.print(
            "  You open: bid." if current is None else f"  {say_bid(current)}: raise, or call the bluff."
        )
        while True:
            answer = self.ask()
            if answer in ("?", "help"):
                self.console.print(f"  {escape(_help(view))}", soft_wrap=True)
                continue
            try:
                action = parse_action(answer)
                verify(view.public, view.player_id, action)
            except (NotationError, IllegalMoveError) as error:
                self.console.print(f"  {escape(str(error))}. Type ? for what is possible.", soft_wrap=True)
                continue
            return action

    def ask(self) -> str:
        """One line from the keyboard; `quit` or the end of input raises `Quit`."""
        try:
            answer = self.console.input("  > ").strip().lower()
        except EOFError:
            raise Quit from None
        except UnicodeDecodeError:
            return "?!"  # nothing this terminal can show, so nothing anybody can mean
        if answer in ("quit", "exit"):
            raise Quit
        return answer


def _help(view: GameView) -> str:
    actions = [str(action) for action in view.legal_actions]
    shown = actions if len(actions) <= 14 else [*actions[:8], "...", *actions[-4:]]
    return f"A bid is quantity x face, as in 2x5; liar calls; quit leaves. Now possible: {' '.join(shown)}"
