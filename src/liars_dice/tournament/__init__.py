"""Who is better: match-ups, tournaments, simulations, and what their figures mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import lazy_names as _lazy_names

if TYPE_CHECKING:
    from .backends import Backend, Processes, make_backend
    from .fields import agents_in_field
    from .ledger import Ledger, find_tournament, tournaments
    from .pair_matchup import Matchup, matchup
    from .result import PairingResult, RoundRate, Standing, TournamentResult, TournamentSettings
    from .runner import check_settings, round_robin, run_tournament
    from .simulation import Simulation
    from .statistics import wilson_ci

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "Backend": "backends",
        "PairingResult": "result",
        "Ledger": "ledger",
        "Matchup": "pair_matchup",
        "Processes": "backends",
        "RoundRate": "result",
        "TournamentSettings": "result",
        "Simulation": "simulation",
        "Standing": "result",
        "TournamentResult": "result",
        "check_settings": "runner",
        "agents_in_field": "fields",
        "find_tournament": "ledger",
        "make_backend": "backends",
        "matchup": "pair_matchup",
        "round_robin": "runner",
        "run_tournament": "runner",
        "tournaments": "ledger",
        "wilson_ci": "statistics",
    },
)

__all__ = [
    "Backend",
    "PairingResult",
    "Ledger",
    "Matchup",
    "Processes",
    "RoundRate",
    "TournamentSettings",
    "Simulation",
    "Standing",
    "TournamentResult",
    "agents_in_field",
    "check_settings",
    "find_tournament",
    "make_backend",
    "matchup",
    "round_robin",
    "run_tournament",
    "tournaments",
    "wilson_ci",
]
