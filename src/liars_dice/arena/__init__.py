"""The referee, the walls between bots, and who is better: match-ups, tournaments, simulations.

What needs more than the referee is loaded when it is asked for, so that a bot's box starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .limits import BotFault, Limits, Verdict
from .referee import MatchResult, Referee
from .seats import InProcessSeat, Seat
from .tables import make_seat

if TYPE_CHECKING:
    from .duel import Matchup, matchup
    from .simulation import Simulation
    from .tournament import round_robin, run_tournament

_LATER = {
    "Matchup": "duel",
    "Simulation": "simulation",
    "matchup": "duel",
    "round_robin": "tournament",
    "run_tournament": "tournament",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "BotFault",
    "InProcessSeat",
    "Limits",
    "MatchResult",
    "Matchup",
    "Referee",
    "Seat",
    "Simulation",
    "Verdict",
    "make_seat",
    "matchup",
    "round_robin",
    "run_tournament",
]
