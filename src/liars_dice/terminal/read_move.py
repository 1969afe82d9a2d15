"""Reading what a person types: bids in many spellings, calls by any of their names, and commands."""

from __future__ import annotations

import re
from typing import Literal

from ..core import Action, Bid, BidAction, CallExactAction, CallLiarAction, NotationError

Command = Literal["help", "rules", "palifico", "hint", "odds", "history", "dice", "undo", "quit"]
"""What a person can ask for instead of making a move."""

_COMMANDS: dict[Command, str] = {
    "help": "? h help",
    "rules": "rules rule",
    "palifico": "palifico",
    "hint": "hint advice coach",
    "odds": "odds o chances probability",
    "history": "history bids log",
    "dice": "dice look table",
    "undo": "undo back takeback",
    "quit": "quit q exit leave bye",
}
_COMMAND_OF: dict[str, Command] = {word: command for command, words in _COMMANDS.items() for word in words.split()}

_LIAR = {"liar", "call", "dudo", "challenge", "doubt", "bluff", "call liar", "call bluff", "call it"}
_EXACT = {"exact", "exactly", "calza", "spot on", "spoton", "call exact", "call calza", "call spot on"}

_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905
_NUMBERS += "sixteen seventeen eighteen nineteen twenty".split()  # noqa: SIM905
_VALUE = {word: value for value, word in enumerate(_NUMBERS)} | {"a": 1, "an": 1, "ace": 1}
_PLURAL = {f"{word}{'es' if word in ('six', 'zero') else 's'}": value for word, value in _VALUE.items() if value}

_WORD = "|".join(sorted({*_VALUE, *_PLURAL} - {"a", "an"}, key=len, reverse=True))
_BID = re.compile(
    rf"(?P<quantity>[0-9]{{1,6}}|an?(?=\s)|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
    r"(?:\s*[x×*,.:/-]\s*|\s+times\s+|\s+of\s+|\s+dice\s+of\s+|\s+|(?<=[0-9])(?=[a-z]))"
    rf"(?P<face>[0-9]{{1,6}}|{_WORD})"
    r"(?:'?s)?"
)
_BEFORE = re.compile(r"^(?:i |i'll |we )?(?:bid|say|raise to|raise|there are|at least|make it)?\s*")

EXPECTED = "a bid such as 3 4, 3x4 or three fours, or liar; ? lists everything else"
"""What can be typed, in words."""


def read_answer(text: str) -> Action | Command:
    """The move or the command that a person typed; `NotationError` if the text is neither.

    >>> str(read_answer("Three fours!")), str(read_answer("3 4")), str(read_answer("dudo")), read_answer("?")
    ('3x4', '3x4', 'liar', 'help')
    """
    said = " ".join(text.lower().replace("’", "'").split())
    if said in _COMMAND_OF:
        return _COMMAND_OF[said]
    said = _BEFORE.sub("", said.rstrip(" .!?")) or said.rstrip(" .!?")
    if said in _COMMAND_OF:
        return _COMMAND_OF[said]
    if said in _LIAR:
        return CallLiarAction()
    if said in _EXACT:
        return CallExactAction()
    bid = _BID.fullmatch(said)
    if bid is None:
        raise NotationError(printable(text), EXPECTED)
    return BidAction(Bid(_number(bid["quantity"]), _number(bid["face"])))


def printable(text: str, longest: int = 30) -> str:
    """Typed text as any screen can show it: printable ASCII, cut at `longest` characters."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z~]", "", text).strip()
    plain = "".join(letter if " " <= letter <= "~" else "?" for letter in plain)
    return plain if len(plain) <= longest else f"{plain[:longest]}..."


def _number(word: str) -> int:
    if word.isdecimal():
        return int(word)
    return _VALUE[word] if word in _VALUE else _PLURAL[word]
