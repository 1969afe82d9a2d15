"""Advice from the short-memory strategies: two players, more dice than are solved.

The strategies are measured, not solved (docs/solver.md), so what they do themselves is excused.
"""

from __future__ import annotations

from ..core import GameView
from ..exact.solver import SHORT_MEMORY, values_by_short_memory
from .advice import Advice, AdvisedChoice, make_advice
from .opponent_models import other_seats

UNEXPECTED = 0.01
"""Bids that the strategy makes less often than this are named in the source."""
MOST_EXCUSED = 0.05
"""The largest loss that is excused for an action that the strategy takes."""


def from_short_memory(view: GameView) -> Advice | None:
    """Advice by a short-memory strategy, if there is one for this round."""
    public, seats = view.public, other_seats(view)
    if len(seats) != 1:
        return None
    rungs = [public.rules.rungs[bid] for bid in public.bid_history]
    dice = (len(view.my_dice), public.dice_counts[seats[0]])
    found = values_by_short_memory(public.rules, dice, view.my_dice, rungs)
    if found is None:
        return None
    choices = []
    for action in view.legal_actions:
        number = public.rules.moves.index(action)
        choices.append(AdvisedChoice(action, found.values[number], found.chances.get(number, 0.0)))
    source = SHORT_MEMORY
    if found.rarest < UNEXPECTED:
        source += " (it hardly ever makes a bid made here, which therefore says little about the dice)"
    return make_advice(view, choices, source, "by the best strategy known", found.holds, excused=MOST_EXCUSED)
