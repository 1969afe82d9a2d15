"""The tutorial: the rules, each tried out as it is told, and a game with tips and the coach's word on every move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from rich.console import Console
from rich.markup import escape

from ..core import (
    SPECTATOR,
    Action,
    Bid,
    BidAction,
    CallLiarAction,
    GameEngine,
    GameState,
    GameView,
    IllegalMoveError,
    NotationError,
    chance_true,
    parse_bid,
    percent,
    preset,
    say_bid,
    say_face,
    verify,
)
from ..persistence import InMemoryRecorder
from .game_session import GameSession
from .human_player import TerminalPlayer, ask
from .move_help import does
from .read_move import read_answer
from .seating import make_lineup
from .table_view import TableView

OPPONENT = "conservative"
GAME = preset("heads-up", dice=(3, 2))
"""The guided game: a die more for the learner, and few enough dice for the coach to know perfect play."""
LESSON_DICE = ((2, 5, 5), (3, 5))

Lesson = Callable[["Tutorial"], None]


class Tutorial:
    """One run of the tutorial in a terminal. `Quit` ends it at any prompt."""

    def __init__(self, console: Console, *, ascii_only: bool = False) -> None:
        self.console = console
        self.ascii_only = ascii_only
        self.lessons = 0
        """How many lessons are done."""
        self.game: GameState | None = None
        """The guided game; None before it begins."""
        self._table = TableView(console, ("You", OPPONENT), ascii_only=ascii_only)
        self._round = GameEngine(GAME, names=("You", OPPONENT))

    def run(self, seed: int) -> None:
        """Give every lesson, then play the guided game."""
        self._round.subscribe(self._table.reveal, seat=SPECTATOR)
        for number, (title, lesson) in enumerate(LESSONS.items(), 1):
            self.console.print()
            self._table.say(f"[bold]{number} of {len(LESSONS)}: {title}[/bold]", indent=0)
            lesson(self)
            self.lessons = number
        self._play(seed)

    def say(self, text: str) -> None:
        """Print a paragraph."""
        self._table.say(escape(text))

    def go_on(self) -> None:
        """Wait for Enter."""
        ask(self.console, "  (press Enter) ")

    # -- the lessons -------------------------------------------------------------------------------------------------

    def _dice(self) -> None:
        self.say("All players roll their dice and keep them hidden from the others. These are yours:")
        self._table.hand(0, LESSON_DICE[0])
        self.say(f"Your opponent, a bot called {OPPONENT}, has two dice that you do not see: five dice are in play.")
        self.go_on()
        self._round.start_new_round(LESSON_DICE)

    def _bid(self) -> None:
        self.say(
            "A bid says how many of all dice in play show a face: at least that many, your own included. You hold two "
            "fives, so the bid two fives is true, whatever the bot holds. Type it as you would say it: two fives. "
            "Short forms are 2 5 and 2x5."
        )
        self._until("2x5", "two fives")

    def _raise(self) -> None:
        self._bot("3x5")
        self.say(
            "Players take turns, and each bid must be higher than the last: more dice of any face, or as many dice of "
            "a higher face. Which of these can you bid now: three fours, or three sixes? Type it."
        )
        self._until("3x6", "one of the two: three fours or three sixes")
        self.say("Right: as many dice, and a higher face. You hold no six, so it is a bluff. That is part of the game.")

    def _call(self) -> None:
        self._bot("4x6")
        self.say(
            "Instead of raising you can call the last bid a lie. Then all dice are shown, and the bid is true or "
            "false. Four sixes are impossible: you have none, and the bot has only two dice. Type liar."
        )
        self._until("liar", "liar")
        self.say("A bid is also true if there are more dice than it says: then the player who called loses the round.")

    def _dice_to_lose(self) -> None:
        self.say(
            "The loser of a round loses a die, and opens the next round. A player without dice is out; the last "
            "player with dice wins."
        )
        self.say(
            "Most bids are neither certain nor impossible. Count what you hold, and expect one in six of the hidden "
            "dice to show any face. In a game, odds shows the chances, hint asks the coach, rules tells the rules, and "
            "? lists everything you can type."
        )
        self.go_on()

    def _bot(self, bid: str) -> None:
        self._round.apply_action(1, BidAction(parse_bid(bid)))

    def _until(self, wanted: str, words: str) -> None:
        """Ask until the answer is this move, and make it."""
        while True:
            answer = ask(self.console, "  > ")
            try:
                meant = read_answer(answer)
                if not isinstance(meant, str):
                    verify(self._round.state.public, 0, meant)
            except (NotationError, IllegalMoveError) as error:
                problem = "I do not understand that" if isinstance(error, NotationError) else str(error)
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
            f"You have three dice, {OPPONENT} has two. After each of your moves the coach says what it thinks of it: "
            "what it was worth with your dice and the bids so far, not whether it was lucky."
        )
        self.go_on()
        player = GuidedPlayer(self.console, ascii_only=self.ascii_only)
        session = GameSession(self.console, InMemoryRecorder(), make_lineup([OPPONENT]), player=player)
        session.begin(GAME, seed)
        try:
            session.play()
        finally:
            self.game = session.state
        self.console.print()
        self.say(
            "That is the game. Other rule sets add to it: in perudo ones are wild, and you may call a bid exactly "
            "right; in a palifico round a player with one die left sets the face. Each is explained when it comes up."
        )


LESSONS: dict[str, Lesson] = {
    "hidden dice": Tutorial._dice,
    "a bid": Tutorial._bid,
    "a higher bid": Tutorial._raise,
    "a call": Tutorial._call,
    "dice to lose": Tutorial._dice_to_lose,
}


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
        table.say(escape(f"Coach: {comment(view, action)}"))
        return action

    def _look(self, view: GameView, table: TableView) -> None:
        super()._look(view, table)
        for kind, tip in tips(view).items():
            if kind not in self._given:
                self._given.add(kind)
                table.say(escape(f"Tip: {tip}"))


def tips(view: GameView) -> dict[str, str]:
    """What is worth saying at this decision, by kind."""
    found = {}
    bid = view.current_bid
    if bid is None:
        face, number = max(Counter(view.my_dice).items(), key=lambda held: (held[1], held[0]))
        held = say_bid(Bid(number, face))
        found["opening"] = (
            f"you hold {held}, so that bid is certain to be true. A higher one puts more pressure on the other player, "
            "but may be called. odds shows the chances."
        )
    else:
        missing = bid.quantity - sum(die == bid.face for die in view.my_dice)
        if missing > 0:
            needed = f"{missing} of the other player's {view.other_dice} dice to be {say_face(bid.face, many=True)}"
            found["answer"] = (
                f"{say_bid(bid)} needs {needed}, which happens {percent(chance_true(view, bid))} of the time. But a "
                "player who bids a face often holds it. Call if you doubt the bid; raise if you prefer another one."
            )
        else:
            found["sure"] = f"your own dice make {say_bid(bid)} true, so a call would lose: raise."
    if len(view.my_dice) == 1:
        found["last die"] = "you have one die left. If you lose this round, you lose the game."
    elif view.other_dice == 1:
        found["their last die"] = "the other player has one die left. If you win this round, you win the game."
    return found


def comment(view: GameView, action: Action) -> str:
    """What the coach thinks of a move."""
    from ..coach import advise, kind_of

    advice = advise(view)
    loss, chance = advice.loss(action), advice.of(action).win_chance
    what = "calling liar" if isinstance(action, CallLiarAction) else "this bid"
    worth = f"{what} {advice.aim} {percent(chance)} of the time {advice.given}"
    if kind_of(loss / advice.stake) in ("best", "good"):
        return f"good. {worth[0].upper()}{worth[1:]}, and nothing is clearly better."
    return f"{worth}. It is better to {does(advice.best)}, which {advice.aim} {percent(advice.win_chance)}."
