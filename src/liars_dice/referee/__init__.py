"""Bots at a table: their sessions, limits, seats, sandbox and wire protocol, the referee and the bot check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import lazy_names as _lazy_names
from .bot_session import GOES_ON, BotSession, fallback, fault_event
from .followed_game import FollowedGame, FollowedTables
from .found_bots import FoundBots, find_bots
from .limits import BotFault, BotLimits, Verdict, limits_for
from .named_seats import (
    begins_anew,
    check_fits,
    check_program,
    is_found,
    learns_between_games,
    load_agents,
    make_fitting_seat,
    make_seat,
    plays_with,
)
from .python_child import python_command
from .recorded_steps import RecordedSteps
from .referee import MatchResult, Referee, play_side_by_side
from .seats import InProcessSeat, Seat
from .time_guard import alarms, guarded, seconds_overdue, tables_guard

if TYPE_CHECKING:
    from .bot_check import check_bot
    from .bot_check_process import check_bot_apart
    from .relived_game import RelivedTurn, relive_apart
    from .walls import missing_walls

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "RelivedTurn": "relived_game",
        "check_bot": "bot_check",
        "check_bot_apart": "bot_check_process",
        "missing_walls": "walls",
        "relive_apart": "relived_game",
    },
)

__all__ = [
    "GOES_ON",
    "BotFault",
    "BotLimits",
    "BotSession",
    "FollowedGame",
    "FollowedTables",
    "FoundBots",
    "InProcessSeat",
    "MatchResult",
    "RecordedSteps",
    "Referee",
    "RelivedTurn",
    "Seat",
    "Verdict",
    "alarms",
    "begins_anew",
    "check_bot",
    "check_bot_apart",
    "check_fits",
    "check_program",
    "fallback",
    "fault_event",
    "find_bots",
    "guarded",
    "is_found",
    "learns_between_games",
    "limits_for",
    "load_agents",
    "make_fitting_seat",
    "make_seat",
    "missing_walls",
    "play_side_by_side",
    "plays_with",
    "python_command",
    "relive_apart",
    "seconds_overdue",
    "tables_guard",
]
