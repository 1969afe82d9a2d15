"""Bots at a table: their sessions, limits, seats, sandbox and wire protocol, the referee and the bot check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import lazy_names as _lazy_names
from .bot_session import BotSession, fallback, fault_event
from .limits import BotFault, BotLimits, Verdict, limits_for
from .named_seats import (
    are_strangers,
    check_fits,
    check_program,
    load_agents,
    make_fitting_seat,
    make_seat,
    plays_with,
)
from .recorded_steps import RecordedSteps
from .referee import MatchResult, Referee
from .seats import InProcessSeat, Seat
from .time_guard import alarms, guarded, tables_guard

if TYPE_CHECKING:
    from .bot_check import check_bot

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "check_bot": "bot_check",
    },
)

__all__ = [
    "BotFault",
    "BotLimits",
    "BotSession",
    "InProcessSeat",
    "MatchResult",
    "RecordedSteps",
    "Referee",
    "Seat",
    "Verdict",
    "alarms",
    "are_strangers",
    "check_bot",
    "check_fits",
    "check_program",
    "fallback",
    "fault_event",
    "guarded",
    "limits_for",
    "load_agents",
    "make_fitting_seat",
    "make_seat",
    "plays_with",
    "tables_guard",
]
