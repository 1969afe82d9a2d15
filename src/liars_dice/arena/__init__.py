"""The referee, and the walls between bots."""

from .limits import BotFault, Limits, Verdict
from .referee import MatchResult, Referee
from .seats import InProcessSeat, Seat
from .tables import make_seat

__all__ = ["BotFault", "InProcessSeat", "Limits", "MatchResult", "Referee", "Seat", "Verdict", "make_seat"]
