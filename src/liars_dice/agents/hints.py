"""What the author of a bot may have meant: hints for errors that are about something of ours."""

from __future__ import annotations

import re
import sys

from ..core import did_you_mean
from .base import Agent

_OURS = __name__.partition(".")[0]
_OTHER_WORDS = {
    "actions": "legal_actions",
    "bid_history": "round_bids",
    "bids": "round_bids",
    "dice": "my_dice",
    "hand": "my_dice",
    "history": "round_bids",
    "last_bid": "current_bid",
    "my_hand": "my_dice",
    "count": "quantity",
    "value": "face",
}
"""Other words for attributes of ours that people try, and that do not look alike."""
_NOT_IMPORTED = re.compile(rf"cannot import name '(\w+)' from '({_OURS}(?:\.\w+)*)'")
_BAD_ARGUMENTS = re.compile("(Missing required|Extra positional|Unexpected keyword) argument")


def hint_for(error: BaseException) -> str:
    """What a bot's author may have meant, if the error is about something of ours; else empty.

    >>> hint_for(NameError("name 'Bid' is not defined", name="Bid"))
    'write: from liars_dice import Bid'
    """
    match error:
        case AttributeError(name=str(name), obj=thing) if type(thing).__module__.partition(".")[0] == _OURS:
            there = [one for one in dir(type(thing)) if not one.startswith("_")]
            meant = _OTHER_WORDS.get(name)
            near = f"did you mean {meant}?" if meant in there else did_you_mean(name, there)
            return f"{near}{near and ' '}{type(thing).__name__} has {', '.join(there)}"
        case AttributeError(name=str(name), obj=Agent() as bot):
            return did_you_mean(name, dir(type(bot)))
        case NameError(name=str(name)) if name in dir(sys.modules[_OURS]):
            return f"write: from {_OURS} import {name}"
        case ImportError() if found := _NOT_IMPORTED.match(str(error)):
            return did_you_mean(found[1], dir(sys.modules.get(found[2])))
        case TypeError() if _BAD_ARGUMENTS.match(str(error)):
            return "moves are made like this: BidAction(Bid(3, 4)), CallLiarAction(), CallExactAction()"
    return ""
