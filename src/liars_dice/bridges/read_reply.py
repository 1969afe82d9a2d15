"""Reading a model's answer: the move, and the chance that it gives the current bid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..core import Action, Bid, BidAction, NotationError
from ..terminal import read_answer

EXPECTED = 'a last line such as {"move": "bid 3 fours"} or {"move": "liar"}'
_LABEL = re.compile(r"^(?:my |final |the )*(?:move|answer|action|decision|bid)\s*(?:is\s*)?[:=]\s*", re.IGNORECASE)
_MARKS = " \t*_`\"'>#[](){}.!"
"""What models put around a move."""


class Reply(NamedTuple):
    """What a model answered."""

    action: Action
    belief: float | None
    """The chance that the current bid is true, if the model stated one."""


def read_reply(text: str) -> Reply:
    r"""The move in a model's answer: in its last JSON object with a move, else in its last line.

    Nothing else in the text counts, so thinking aloud about other moves is harmless. `NotationError` if there is none.

    >>> str(read_reply('Two of mine, so... {"move": "bid 3 fours", "belief": 0.4}').action)
    '3x4'
    >>> str(read_reply("I doubt it.\n**Liar!**").action), str(read_reply("[Bid: 3, 4]").action)
    ('liar', '3x4')
    """
    for found in _objects(text):
        if (action := _action_in(found)) is not None:
            return Reply(action, _belief_in(found.get("belief")))
    lines = [line for line in text.splitlines() if line.strip(_MARKS)]
    if not lines:
        raise NotationError(text, EXPECTED)
    return Reply(_spoken(lines[-1]), None)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, the last first."""
    decoder = json.JSONDecoder()
    place = len(text)
    while (place := text.rfind("{", 0, place)) >= 0:
        try:
            found, _ = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


def _action_in(found: dict[str, Any]) -> Action | None:
    """The move in a JSON object; None if the object is about something else. `NotationError` if it names no move."""
    move = found.get("move", found.get("action"))
    match move:
        case str() if move.strip(_MARKS).lower() not in ("bid", "raise"):
            return _spoken(move)
        case dict():
            found = move
    match found:
        case {"quantity": int(quantity), "face": int(face)}:
            return BidAction(Bid(quantity, face))
    if move is not None:
        raise NotationError(json.dumps(move)[:100], EXPECTED)
    return None


def _belief_in(stated: object) -> float | None:
    """A stated chance; None if it is not a number from 0 to 1."""
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return None
    return float(stated) if 0 <= stated <= 1 else None


def _spoken(said: str) -> Action:
    """A move in words: `bid 3 fours`, `liar`, `exact`."""
    plain = _LABEL.sub("", said.strip(_MARKS)).strip(_MARKS)
    try:
        answer = read_answer(plain)
    except NotationError as error:
        raise NotationError(error.text, EXPECTED) from None  # without what helps people at a terminal
    if isinstance(answer, str):  # a command of the terminal
        raise NotationError(said[:100], EXPECTED)
    return answer
