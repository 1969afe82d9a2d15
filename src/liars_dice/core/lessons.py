"""The first lessons: the rules one by one, each tried out in a short round, and tips for a first game.

The terminal and the studio teach with the same words, and add how a move is made there.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from .bid import Bid
from .narration import percent, say_bid, say_face
from .odds import chance_true
from .presets import preset
from .view import GameView

TEACHER = "conservative"
"""The bot to learn with: it bids little more than it holds."""
FIRST_GAME = preset("heads-up", dice=(3, 2))
"""The guided game: a die more for the learner, and few enough dice for the coach to know perfect play."""
LESSON_DICE = ((2, 5, 5), (3, 5))
"""The dice of the round that the lessons play."""


class Lesson(msgspec.Struct, frozen=True):
    """One step: what is told, what the bot bids first, and the move that the learner tries out."""

    title: str
    text: tuple[str, ...]
    """Paragraphs."""
    bot: str = ""
    """What the bot bids before this is told, in notation."""
    move: str = ""
    """The move to make, in notation; empty if there is only something to read."""
    choices: str = ""
    """The moves to choose from, in words."""
    after: str = ""
    """What is told once the move is made."""


LESSONS = (
    Lesson(
        "hidden dice",
        (
            "All players roll their dice and keep them hidden from the others. These are yours:",
            f"Your opponent, a bot called {TEACHER}, has two dice that you do not see: five dice are in play.",
        ),
    ),
    Lesson(
        "a bid",
        (
            "A bid says how many of all dice in play show a face: at least that many, your own included. You hold two "
            "fives, so the bid two fives is true, whatever the bot holds.",
        ),
        move="2x5",
        choices="two fives",
    ),
    Lesson(
        "a higher bid",
        (
            "Players take turns, and each bid must be higher than the last: more dice of any face, or as many dice of "
            "a higher face. Which of these can you bid now: three fours, or three sixes?",
        ),
        bot="3x5",
        move="3x6",
        choices="one of the two: three fours or three sixes",
        after="Right: as many dice, and a higher face. You hold no six, so it is a bluff. That is part of the game.",
    ),
    Lesson(
        "a call",
        (
            "Instead of raising you can call the last bid a lie. Then all dice are shown, and the bid is true or "
            "false. Four sixes are impossible: you have none, and the bot has only two dice.",
        ),
        bot="4x6",
        move="liar",
        choices="liar",
        after="A bid is also true if there are more dice than it says: then the player who called loses the round.",
    ),
    Lesson(
        "dice to lose",
        (
            "The loser of a round loses a die, and opens the next round. A player without dice is out; the last "
            "player with dice wins.",
            "Most bids are neither certain nor impossible. Count what you hold, and expect one in six of the hidden "
            "dice to show any face.",
        ),
    ),
)


def tips(view: GameView) -> dict[str, str]:
    """What is worth saying to a beginner at this decision, by kind."""
    found = {}
    bid = view.current_bid
    if bid is None:
        face, number = max(Counter(view.my_dice).items(), key=lambda held: (held[1], held[0]))
        held = say_bid(Bid(number, face))
        found["opening"] = (
            f"you hold {held}, so that bid is certain to be true. A higher one puts more pressure on the other player, "
            "but may be called."
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
