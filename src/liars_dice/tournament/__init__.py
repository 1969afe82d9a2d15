"""Compare agents: match-ups, tournaments, table simulations, and the statistics behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import lazy_names as _lazy_names

if TYPE_CHECKING:
    from .backends import Backend, InProcess, Processes, make_backend
    from .blocks import Block, BlockResult, WorkerSetup
    from .fault_examples import FaultExample
    from .fields import FIELDS, agents_in_field, agents_in_folder, all_agents
    from .leaderboard import CountedTournament, Leaderboard, RankedPlayer, leaderboard_of, rules_played
    from .ledger import Ledger, TournamentEntry, find_tournament, tournaments
    from .pair_matchup import FinalDice, Matchup, matchup
    from .ratings import Rating, elo_ratings, openskill_ratings
    from .ray_backend import Ray
    from .result import PairingResult, RoundRate, Standing, TournamentResult, TournamentSettings
    from .runner import check_settings, round_robin, run_tournament
    from .simulation import AgentScore, Simulation, TableScore
    from .statistics import (
        PairCounts,
        anytime_ci,
        binomial_test,
        clustered_ci,
        e_value,
        holm,
        paired_ci,
        paired_p_value,
        rank_intervals,
        sequential_p,
        wilson_ci,
        z_test_proportions,
    )
    from .worker_process import WorkerDiedError

__getattr__, __dir__ = _lazy_names(
    __name__,
    {
        "AgentScore": "simulation",
        "FIELDS": "fields",
        "Backend": "backends",
        "Block": "blocks",
        "BlockResult": "blocks",
        "CountedTournament": "leaderboard",
        "FaultExample": "fault_examples",
        "FinalDice": "pair_matchup",
        "InProcess": "backends",
        "Leaderboard": "leaderboard",
        "Ledger": "ledger",
        "Matchup": "pair_matchup",
        "PairCounts": "statistics",
        "PairingResult": "result",
        "Processes": "backends",
        "RankedPlayer": "leaderboard",
        "Rating": "ratings",
        "Ray": "ray_backend",
        "RoundRate": "result",
        "Simulation": "simulation",
        "Standing": "result",
        "TableScore": "simulation",
        "TournamentEntry": "ledger",
        "TournamentResult": "result",
        "TournamentSettings": "result",
        "WorkerDiedError": "worker_process",
        "WorkerSetup": "blocks",
        "agents_in_field": "fields",
        "agents_in_folder": "fields",
        "all_agents": "fields",
        "anytime_ci": "statistics",
        "binomial_test": "statistics",
        "check_settings": "runner",
        "clustered_ci": "statistics",
        "e_value": "statistics",
        "elo_ratings": "ratings",
        "find_tournament": "ledger",
        "holm": "statistics",
        "leaderboard_of": "leaderboard",
        "make_backend": "backends",
        "matchup": "pair_matchup",
        "openskill_ratings": "ratings",
        "paired_ci": "statistics",
        "paired_p_value": "statistics",
        "rank_intervals": "statistics",
        "round_robin": "runner",
        "rules_played": "leaderboard",
        "run_tournament": "runner",
        "sequential_p": "statistics",
        "tournaments": "ledger",
        "wilson_ci": "statistics",
        "z_test_proportions": "statistics",
    },
)

__all__ = [
    "FIELDS",
    "AgentScore",
    "Backend",
    "Block",
    "BlockResult",
    "CountedTournament",
    "FaultExample",
    "FinalDice",
    "InProcess",
    "Leaderboard",
    "Ledger",
    "Matchup",
    "PairCounts",
    "PairingResult",
    "Processes",
    "RankedPlayer",
    "Rating",
    "Ray",
    "RoundRate",
    "Simulation",
    "Standing",
    "TableScore",
    "TournamentEntry",
    "TournamentResult",
    "TournamentSettings",
    "WorkerDiedError",
    "WorkerSetup",
    "agents_in_field",
    "agents_in_folder",
    "all_agents",
    "anytime_ci",
    "binomial_test",
    "check_settings",
    "clustered_ci",
    "e_value",
    "elo_ratings",
    "find_tournament",
    "holm",
    "leaderboard_of",
    "make_backend",
    "matchup",
    "openskill_ratings",
    "paired_ci",
    "paired_p_value",
    "rank_intervals",
    "round_robin",
    "rules_played",
    "run_tournament",
    "sequential_p",
    "tournaments",
    "wilson_ci",
    "z_test_proportions",
]
