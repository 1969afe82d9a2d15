"""Advice from solved rounds: perfect play, with a proof of how perfect it is.

The package has solutions of some rounds. Other small rounds between two players are solved when they are first asked
about, in seconds at most.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from ..core import CallLiarAction, ConfigError, GameConfig, GameView, PublicState
from ..exact import OutOfReachError
from ..exact.solver import (
    EQUILIBRIUM,
    PublicTree,
    RoundEquilibrium,
    SolvedRound,
    equilibrium_of,
    explain,
    shipped_equilibrium,
    solved_round,
)
from .advice import Advice, AdvisedChoice, make_advice

RARE_BID = 1e-4
"""Bids that perfect play makes less often than this are artefacts of the solution: they say nothing about the dice."""
MOST_EXCUSED = 0.05
"""The largest loss that is excused for an action that perfect play takes."""
SOLVED_NOW = f"{EQUILIBRIUM}, solved on the spot"
TARGET = 5e-3
"""The exploitability to which rounds are solved that the package does not have."""
MOST_NODES = 60_000
"""Only rounds that about so many nodes suffice for: with six faces, those with up to three dice in total."""
KEPT = 8
"""How many of these solutions are kept, each with up to 20 MB."""


def from_solved_round(view: GameView) -> Advice | None:
    """Advice against perfect play. None if the package has no solution of the round, or if perfect play hardly ever
    makes one of the other player's bids, whose meaning is then unknown.
    """
    found = solved_round(view.public, or_round=True)
    if found is None:
        return None
    game, solved = found
    of_match = game == "perudo match"
    return _against_perfect_play(view, solved, f"{EQUILIBRIUM} of the match" if of_match else EQUILIBRIUM, of_match)


def from_round_by_itself(view: GameView) -> Advice | None:
    """The same by the solution of the round by itself, which the package may have; small rounds are solved now. None
    also if that would take too long.
    """
    found = round_by_itself(view.public)
    return None if found is None else _against_perfect_play(view, *found)


def round_by_itself(public: PublicState) -> tuple[RoundEquilibrium, str] | None:
    """The solution of the round by itself, found now or not long ago, and what to call it as a source."""
    counts, opener = public.dice_counts, public.opener
    if public.palifico or sum(n > 0 for n in counts) != 2:
        return None
    tree = _tree(public.config, (counts[opener], sum(counts) - counts[opener]))
    if tree is None:
        return None
    if (shipped := shipped_equilibrium(tree)) is not None:
        return shipped, EQUILIBRIUM
    solved = _solved_now(tree.config)
    return None if solved is None else (solved, SOLVED_NOW)


@lru_cache(maxsize=64)
def _tree(config: GameConfig, dice: tuple[int, int]) -> PublicTree | None:
    try:
        return PublicTree(config.one_round.replace(dice=dice))
    except (ConfigError, OutOfReachError):
        return None


@lru_cache(maxsize=KEPT)
def _solved_now(config: GameConfig) -> RoundEquilibrium | None:
    try:
        found = equilibrium_of(config, target=TARGET, most_nodes=MOST_NODES)
    except OutOfReachError:
        return None
    without_regrets = found.pool._replace(regret=np.zeros((0, found.tree.width)))
    return RoundEquilibrium(found.lower, found.upper, found.tree, without_regrets)


def _against_perfect_play(
    view: GameView, solved: SolvedRound | RoundEquilibrium, source: str, of_match: bool = False
) -> Advice | None:
    told = explain(solved.tree, solved.pool, view.public.bid_history, view.my_dice)
    if told.rarest < RARE_BID:
        return None
    choices = [AdvisedChoice(c.action, _chance(c.value), c.chance if told.comes_here else None) for c in told.choices]
    of_what: Literal["round", "game"] = "game" if of_match else "round"
    seat = len(view.public.bid_history) % 2
    wrong, right = (_chance(value) for value in solved.tree.payoffs.to(seat)[0, 0])
    holds = None
    if view.current_bid is not None:
        holds = min(1.0, max(0.0, (right - _chance(told.of(CallLiarAction()).value)) / (right - wrong)))
    error = (solved.upper - solved.lower) / 2
    return make_advice(
        view,
        choices,
        source,
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
