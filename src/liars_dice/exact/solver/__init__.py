"""Equilibria of two-player rounds: the solver, the tablebase, explanations of decisions, and `nash`."""

from .cfr_traversal import NO_SLOT, ROOT
from .cpu_solver import best_values_from
from .equilibrium import Solution, SolverProgress, solve
from .explanation import (
    CALL,
    CALL_KEY,
    EXACT,
    EXACT_KEY,
    RARE,
    Choice,
    Explanation,
    Reply,
    RoundEquilibrium,
    action_chances,
    action_values,
    choices_to_show,
    equilibrium_in,
    equilibrium_of,
    explain,
    explanation_as_dict,
    mix_of,
    reply_to,
    same_action,
    shipped_equilibrium,
    slot_after_raise,
    value_to_last_bidder,
)
from .matches import MatchSolution, MatchState, solve_match
from .public_tree import Payoffs, PublicTree
from .saved_solution import SavedSolution, read_saved
from .strategy_table import STRATEGY_COLUMNS, strategy_rows
from .tablebase import TABLEBASE_DICE, Tablebase, has_tablebase_rules, in_tablebase, match_bracket

__all__ = [
    "CALL",
    "CALL_KEY",
    "EXACT",
    "EXACT_KEY",
    "NO_SLOT",
    "RARE",
    "ROOT",
    "STRATEGY_COLUMNS",
    "TABLEBASE_DICE",
    "Choice",
    "Explanation",
    "MatchSolution",
    "MatchState",
    "Payoffs",
    "PublicTree",
    "Reply",
    "RoundEquilibrium",
    "SavedSolution",
    "Solution",
    "SolverProgress",
    "Tablebase",
    "action_chances",
    "action_values",
    "best_values_from",
    "choices_to_show",
    "equilibrium_in",
    "equilibrium_of",
    "explain",
    "explanation_as_dict",
    "has_tablebase_rules",
    "in_tablebase",
    "match_bracket",
    "mix_of",
    "read_saved",
    "reply_to",
    "same_action",
    "shipped_equilibrium",
    "slot_after_raise",
    "solve",
    "solve_match",
    "strategy_rows",
    "value_to_last_bidder",
]
