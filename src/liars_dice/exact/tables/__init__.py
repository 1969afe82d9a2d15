"""Policies as arrays: what a memoryless agent does with every hand after every bid."""

from ...agents import PolicyError
from .action_mixes import MixArrays, draw
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
    dice_states,
    ladder_arrays,
    rungs,
    showdowns,
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
    "HandSet",
    "MixArrays",
    "PolicyBook",
    "PolicyError",
    "PolicyTable",
    "Situation",
    "action_number",
    "cells_needed",
    "dice_states",
    "disagreements",
    "draw",
    "hand_set",
    "ladder_arrays",
    "number_of_hands",
    "rungs",
    "showdowns",
    "situation_of",
    "situations",
]
