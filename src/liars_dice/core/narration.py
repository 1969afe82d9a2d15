"""A game told in plain sentences, one per event, and numbers as people say them."""

from __future__ import annotations

from collections.abc import Sequence

from . import events as ev
from .actions import parse_bid
from .bid import Bid
from .errors import NotationError
from .events import Event
from .safe_text import one_line

_NUMBERS = (
    *("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)


def say_bid(bid: Bid) -> str:
    """A bid in words.

    >>> say_bid(Bid(1, 4)), say_bid(Bid(3, 4)), say_bid(Bid(2, 6)), say_bid(Bid(25, 1))
    ('one four', 'three fours', 'two sixes', '25 ones')
    """
    quantity = _NUMBERS[bid.quantity] if bid.quantity <= 12 else str(bid.quantity)
    return f"{quantity} {say_face(bid.face, many=bid.quantity != 1)}"


def say_face(face: int, *, many: bool = False) -> str:
    """A face in words: `four`, or `fours` for many dice that show it."""
    word = _NUMBERS[face] if 0 < face < len(_NUMBERS) else str(face)
    if not many:
        return word
    return word[:-1] + "ies" if word.endswith("y") else word + ("es" if word.endswith("x") else "s")


def narrate(event: Event, names: Sequence[str], *, exact: bool = False) -> str:
    """What happened, as a sentence. `exact` says whether a round that ends was called exact, which the event of its end
    does not say; a `Narrator` knows it.
    """
    match event:
        case ev.GameCreated(config=config):
            return f"{' against '.join(names)}, dice {config.dice}, {config.mode.replace('_', ' ')}"
        case ev.RoundStarted(round_index=index, opener=opener, palifico=palifico):
            return f"\nRound {index + 1}{' (palifico)' if palifico else ''}: {_does(names[opener], 'open')}"
        case ev.DiceRolled(player_id=player, dice=dice):
            return f"  {_does(names[player], 'roll')} {_faces(dice)}"
        case ev.SharedDiceRolled(table_dice=table, hidden_dice=hidden):
            return f"  {_shared_dice(table, hidden).capitalize()}"
        case ev.BidPlaced(player_id=player, bid=bid, reasoning=reasoning):
            return f"  {_does(names[player], 'bid')} {say_bid(bid)}{_because(reasoning)}"
        case ev.LiarCalled(player_id=player, reasoning=reasoning):
            return f"  {_does(names[player], 'call')} liar{_because(reasoning)}"
        case ev.ExactCalled(player_id=player, reasoning=reasoning):
            return f"  {_does(names[player], 'call')} exact{_because(reasoning)}"
        case ev.DiceRevealed(dice=dice, table_dice=table, hidden_dice=hidden):
            shown = [f"{name} {_faces(hand)}" for name, hand in zip(names, dice, strict=True) if hand]
            shown += [_shared_dice(table, hidden)] if table or hidden else []
            return f"  Revealed: {', '.join(shown)}"
        case ev.RoundEnded(winner=winner, loser=loser, last_bid=bid, match_count=count, was_true=was_true):
            if exact:
                verdict = "exactly right" if count == bid.quantity else "not exact"
            else:
                verdict = "the bid held" if was_true else "the bid was false"
            counted = f"There {'was' if count == 1 else 'were'} {say_bid(Bid(count, bid.face))}"
            loses = "you lose" if names[loser] == "You" else f"{names[loser]} loses"
            return f"  {counted}: {verdict}. {_does(names[winner], 'win')} the round, {loses} it"
        case ev.GameEnded(winner=winner):
            return f"\n{_does(names[winner], 'win')} the game"
        case ev.AgentFaulted(player_id=player, verdict=fault, detail=detail, fallback=fallback):
            told = f": {one_line(detail)}" if detail else ""
            return f"  {names[player]} faulted ({fault.replace('_', ' ')}){told}; {_instead(fallback)}"


class Narrator:
    """Tells the events of a game, given in order.

    >>> tell = Narrator(["ann", "bob"])
    >>> tell(ev.ExactCalled(1)).strip()
    'bob calls exact'
    >>> tell(ev.RoundEnded(0, 1, Bid(2, 6), 3, True, (5, 4))).strip()
    'There were three sixes: not exact. ann wins the round, bob loses it'
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._exact = False
        """Whether the last move was an exact call."""

    def __call__(self, event: Event) -> str:
        """What happened, as a sentence."""
        if isinstance(event, ev.MOVES):
            self._exact = isinstance(event, ev.ExactCalled)
        return narrate(event, self.names, exact=self._exact)


def _instead(fallback: str) -> str:
    """`played instead: one two`; what is not a move is what happens to the game."""
    if fallback in ("liar", "exact"):
        return f"played instead: {fallback}"
    try:
        return f"played instead: {say_bid(parse_bid(fallback))}"
    except NotationError:
        return one_line(fallback)


def _faces(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice))


def _shared_dice(table: Sequence[int], hidden: Sequence[int]) -> str:
    """`on the table 3 5, covered 2`; covered dice that may not be seen are left out."""
    parts = (("on the table", table), ("covered", hidden))
    return ", ".join(f"{where} {_faces(dice)}" for where, dice in parts if dice)


def _does(name: str, verb: str) -> str:
    """`ann bids`, but `You bid`."""
    return f"{name} {verb}" if name == "You" else f"{name} {verb}s"


def _because(reasoning: str) -> str:
    return f" ({one_line(reasoning)})" if reasoning else ""


def capital(text: str) -> str:
    """The text with a capital first letter, as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


ROUNDING = 1e-9
"""Chances that differ from 0 or 1 by less than this count as 0 or 1."""


def percent(chance: float) -> str:
    """A chance as a whole percentage; 0% and 100% are shown only if that is exact, up to rounding errors.

    >>> percent(0.714), percent(0.001), percent(0.9999), percent(1 - 1e-15)
    ('71%', '<1%', '>99%', '100%')
    """
    if ROUNDING < chance < 0.005:
        return "<1%"
    if 0.995 < chance < 1 - ROUNDING:
        return ">99%"
    return f"{100 * chance:.0f}%"
