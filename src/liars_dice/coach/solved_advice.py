"""Advice from solved rounds: perfect play, with a proof of how perfect it is."""

from __future__ import annotations

from typing import Literal

from ..core import CallLiarAction, GameView
from ..exact.solver import explain, solved_round
from .advice import Advice, AdvisedChoice, make_advice

EQUILIBRIUM = "equilibrium"
RARE_BID = 1e-4
"""Bids that perfect play makes less often than this are artefacts of the solution: they say nothing about the dice."""
MOST_EXCUSED = 0.05
"""The largest loss that is excused for an action that perfect play takes."""


def from_solved_round(view: GameView) -> Advice | None:
    """Advice against perfect play. None if the round is not solved, or if perfect play hardly ever makes one of the
    other player's bids, whose meaning is then unknown.
    """
    found = solved_round(view.public, or_round=True)
    if found is None:
        return None
    game, solved = found
    told = explain(solved.tree, solved.pool, view.public.bid_history, view.my_dice)
    if told.rarest < RARE_BID:
        return None
    choices = [AdvisedChoice(c.action, _chance(c.value), c.chance if told.comes_here else None) for c in told.choices]
    whole_match = game == "perudo match"
    of_what: Literal["round", "game"] = "game" if whole_match else "round"
    seat = len(view.public.bid_history) % 2
    wrong, right = (_chance(value) for value in solved.tree.payoffs.to(seat)[0, 0])
    holds = None
    if view.current_bid is not None:
        holds = min(1.0, max(0.0, (right - _chance(told.of(CallLiarAction()).value)) / (right - wrong)))
    error = (solved.upper - solved.lower) / 2
    return make_advice(
        view,
        choices,
        f"{EQUILIBRIUM} of the match" if whole_match else EQUILIBRIUM,
        "against perfect play",
        holds,
        tolerance=error,
        excused=min(MOST_EXCUSED, error / told.reach),
        of_what=of_what,
        stake=right - wrong,
    )


def _chance(value: float) -> float:
    """A chance to win from a value between -1 and 1."""
    return min(1.0, max(0.0, (1 + float(value)) / 2))
