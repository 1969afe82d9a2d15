"""Exact rounds and matches between two policy tables."""

from .exact_round import (
    OPENER_EXACT,
    OTHER_LOSES,
    Cells,
    StackedTables,
    most_turns,
    outcomes_from_bid,
    round_outcomes,
    round_win_chance,
)
from .match_chain import EndlessMatchError, MatchOdds, chain_rounds
from .win_matrix import Matchups, matchup_seconds

__all__ = [
    "OPENER_EXACT",
    "OTHER_LOSES",
    "Cells",
    "EndlessMatchError",
    "MatchOdds",
    "Matchups",
    "StackedTables",
    "chain_rounds",
    "matchup_seconds",
    "most_turns",
    "outcomes_from_bid",
    "round_outcomes",
    "round_win_chance",
]
