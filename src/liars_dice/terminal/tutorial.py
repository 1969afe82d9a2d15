"""The tutorial: the rules, each tried out as it is told, and a game with tips and the coach's word on every move."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from ..core import (
    FIRST_GAME,
    LESSON_DICE,
    LESSONS,
    SPECTATOR,
    TEACHER,
    Action,
    BidAction,
    GameEngine,
    GameState,
    GameView,
    IllegalMoveError,
    Lesson,
    NotationError,
    capital,
    parse_bid,
    tips,
    verify,
)
from ..persistence import InMemoryRecorder
from .game_session import GameSession
from .human_player import TerminalPlayer, ask
from .read_move import read_answer
from .seating import make_lineup
from .table_view import TableView

HOW_TO_TYPE = {
    "2x5": "Type it as you would say it: two fives. Short forms are 2 5 and 2x5.",
    "3x6": "Type it.",
    "liar": "Type liar.",
}
HOW_TO_ASK = (
    "In a game, odds shows the chances, hint asks the coach, rules tells the rules, and ? lists all that you can type."
)


class Tutorial:
    """One run of the tutorial in a terminal. `Quit` ends it at any prompt."""

    def __init__(self, console: Console, *, ascii_only: bool = False) -> None:
        self.console = console
        self.ascii_only = ascii_only
        self.lessons = 0
        """How many lessons are done."""
        self.game: GameState | None = None
        """The guided game; None before it begins."""
        self._table = TableView(console, ("You", TEACHER), ascii_only=ascii_only)
        self._round = GameEngine(FIRST_GAME, names=("You", TEACHER))

    def run(self, seed: int) -> None:
        """Give every lesson, then play the guided game."""
        self._round.subscribe(self._table.reveal, seat=SPECTATOR)
        for number, lesson in enumerate(LESSONS, 1):
            self.console.print()
            self._table.say(f"[bold]{number} of {len(LESSONS)}: {lesson.title}[/bold]", indent=0)
            self._give(number, lesson)
            self.lessons = number
        self._play(seed)

    def say(self, text: str) -> None:
        """Print a paragraph."""
        self._table.say(escape(text))

    def go_on(self) -> None:
        """Wait for Enter."""
        ask(self.console, "  (press Enter) ")

    # -- the lessons -------------------------------------------------------------------------------------------------

    def _give(self, number: int, lesson: Lesson) -> None:
        if lesson.bot:
            self._round.apply_action(1, BidAction(parse_bid(lesson.bot)))
        first, *rest = lesson.text
        how = HOW_TO_TYPE.get(lesson.move, "")
        self.say(f"{first} {how}".strip() if not rest else first)
        if number == 1:
            self._table.hand(0, LESSON_DICE[0])
        for paragraph in rest:
            self.say(paragraph)
        if lesson.move:
            self._until(lesson.move, lesson.choices)
        else:
            if number == len(LESSONS):
                self.say(HOW_TO_ASK)
            self.go_on()
        if lesson.after:
            self.say(lesson.after)
        if number == 1:
            self._round.start_new_round(LESSON_DICE)

    def _until(self, wanted: str, words: str) -> None:
        """Ask until the answer is this move, and make it."""
        while True:
            answer = ask(self.console, "  > ")
            try:
                meant = read_answer(answer)
                if not isinstance(meant, str):
                    verify(self._round.state.public, 0, meant)
            except (NotationError, IllegalMoveError) as error:
                problem = "I do not understand that" if isinstance(error, NotationError) else capital(str(error))
                self.say(f"{problem}. Type {words}.")
                continue
            if str(meant) == wanted:
                assert not isinstance(meant, str)
                self._round.apply_action(0, meant)
                return
            possible = "" if isinstance(meant, str) else "That is possible, too. "
            self.say(f"{possible}For now, type {words}.")

    # -- the game ----------------------------------------------------------------------------------------------------

    def _play(self, seed: int) -> None:
        self.console.print()
        self._table.say("[bold]A guided game[/bold]", indent=0)
        self.say(
            f"You have three dice, {TEACHER} has two. After each of your moves the coach says what it thinks of it: "
            "what it was worth with your dice and the bids so far, not whether it was lucky."
        )
        self.go_on()
        player = GuidedPlayer(self.console, ascii_only=self.ascii_only)
        session = GameSession(self.console, InMemoryRecorder(), make_lineup([TEACHER]), player=player)
        session.begin(FIRST_GAME, seed)
        try:
            session.play()
        finally:
            self.game = session.state
        self.console.print()
        self.say(
            "That is the game. Other rule sets add to it: in perudo ones are wild, and you may call a bid exactly "
            "right; in a palifico round a player with one die left sets the face. Each is explained when it comes up."
        )


class GuidedPlayer(TerminalPlayer):
    """A person who learns: gets a tip at each new kind of decision, and the coach's word after every move."""

    def __init__(self, console: Console, *, ascii_only: bool = False) -> None:
        super().__init__(console, practice=False, ascii_only=ascii_only)
        self._given: set[str] = set()

    def choose_action(self, view: GameView) -> Action:
        """Ask for a move, and say what the coach thinks of it."""
        action = super().choose_action(view)
        table = TableView(self.console, view.public.names, ascii_only=self.ascii_only)
        self.wait_for_coach()
        from ..coach import comment

        table.say(escape(f"Coach: {comment(view, action)}"))
        return action

    def _look(self, view: GameView, table: TableView) -> None:
        super()._look(view, table)
        for kind, tip in tips(view).items():
            if kind not in self._given:
                self._given.add(kind)
                table.say(escape(f"Tip: {tip}"))
