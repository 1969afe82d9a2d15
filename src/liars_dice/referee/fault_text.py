"""What a bot's error says to its author: the message with a hint, the line of the bot's file, and the traceback."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from ..agents import hint_for
from ..core import describe, one_line
from .limits import BotFault

LONGEST_TRACEBACK = 4000
"""Of a longer traceback, only this many characters at its end are kept: there the error is."""


def error_fault(error: BaseException, call: Callable[..., object]) -> BotFault:
    """The fault of a bot whose method `call` raised this error."""
    file = _file_of(call)
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    place = f" ({Path(str(file)).name}, line {lines[-1]})" if lines else ""
    hint = hint_for(error)
    return BotFault("exception", f"{describe(error)}{place}{hint and '; '}{hint}", traceback_of(error, file))


def _file_of(call: Callable[..., object]) -> str | None:
    """The file of the bot whose method this is."""
    bot = type(getattr(call, "__self__", None))
    file = getattr(sys.modules.get(str(bot.__module__)), "__file__", None)
    return file if type(file) is str else None  # a bot may set it to anything


def traceback_of(error: BaseException, file: str | None = None) -> str:
    """The traceback of an error, from the first line in this file on; all of it if no line is there."""
    first = error.__traceback__
    while first is not None and first.tb_frame.f_code.co_filename != file:
        first = first.tb_next
    try:
        told = traceback.format_exception(type(error), error, first or error.__traceback__)
    except Exception:  # an error of a bot's can be anything
        told = [describe(error)]
    return last_part("".join(told))


def last_part(text: str) -> str:
    """A text of several lines, printable, and cut at its beginning if it is long."""
    cut = text if len(text) <= LONGEST_TRACEBACK else f"...\n{text[4 - LONGEST_TRACEBACK :]}"
    return "\n".join(one_line(line.expandtabs(4), LONGEST_TRACEBACK) for line in cut.rstrip().splitlines())
