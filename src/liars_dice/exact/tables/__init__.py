"""Policies as arrays: what a memoryless agent does with every hand after every bid."""

from ...agents import PolicyError
from .action_mixes import ActionMixes, MixArrays, draw_action
from .builtin_policies import VECTORISED
from .hands import HandSet, hand_set, number_of_hands
from .policy_table import (
    SECOND_LOOK,
    UNKNOWN,
    PolicyBook,
    PolicyTable,
    action_number,
    disagreements,
)
from .situation import (
    ANY_RAISE,
    CALLS_ONLY,
    MOST_CELLS,
    Situation,
    cells_needed,
    check_own_dice_only,
    check_same_rounds,
    count_rungs,
    dice_states,
    ladder_arrays,
    showdowns,
    situation_after,
    situation_of,
    situations,
)

__all__ = [
    "ANY_RAISE",
    "CALLS_ONLY",
    "MOST_CELLS",
    "SECOND_LOOK",
    "UNKNOWN",
    "VECTORISED",
    "ActionMixes",
    "HandSet",
    "MixArrays",
    "PolicyBook",
    "PolicyError",
    "PolicyTable",
    "Situation",
    "action_number",
    "cells_needed",
    "check_own_dice_only",
    "check_same_rounds",
    "count_rungs",
    "dice_states",
    "disagreements",
    "draw_action",
    "hand_set",
    "ladder_arrays",
    "number_of_hands",
    "showdowns",
    "situation_after",
    "situation_of",
    "situations",
]
