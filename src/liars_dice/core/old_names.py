"""What the rules and their options were called in earlier designs, and what to write today."""

from __future__ import annotations

from typing import NamedTuple


class Today(NamedTuple):
    """What to write instead of an old name."""

    in_python: str
    """In Python and, if it is a rule, in a rules file."""
    option: str
    """On the command line."""
    is_rule: bool = True


OLD_NAMES = {
    "allow_opening_bid_constraints": Today("opening_min_quantity or open_on_ones", "--rules"),
    "bid_ordering": Today("bid_ordering", "--ordering"),
    "dice_distribution": Today("dice = [2, 3], one number per seat", "--rules"),
    "exact_call_enabled": Today("exact_call", "--rules"),
    "n_players_per_table": Today("Simulation(n_players_per_table=6)", "--players", is_rule=False),
    "n_replications": Today("Simulation(n_replications=100)", "--games", is_rule=False),
    "n_tables": Today("Simulation(n_tables=10)", "--tables", is_rule=False),
    "num_players": Today("dice = [5, 5], one number per seat, or preset(NAME, players=2)", "--players"),
    "ones_wild": Today('wild = "ones" or wild = "none"', "--wild"),
    "rng_seed": Today("seed", "--seed"),
    "starting_dice": Today("dice = [5, 5], one number per seat, or preset(NAME, dice=5)", "--dice"),
    "time_limit_seconds": Today("BotLimits(decision=1.0) of liars_dice.referee", "--time-limit", is_rule=False),
    "total_dice": Today("dice = [2, 3], whose sum is the total", "--rules"),
    "wild_ones": Today('wild = "ones" or wild = "none"', "--wild"),
}
"""For each old name that is not a field of the rules today, or has another option: what replaces it."""
