"""The built-in bots for all hands and rungs at once. Each function decides as its bot's `choose_action` does."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...agents import (
    Agent,
    BlufferAgent,
    ConservativeAgent,
    CrawlerAgent,
    ProbabilisticAgent,
    RandomAgent,
    SniperAgent,
    ThresholdAgent,
    TruthfulAgent,
)
from ...numeric import Ints
from .action_mixes import ActionMixes
from .odds_by_hand import NONE, DecisionOdds

Compiler = Callable[[Any, DecisionOdds, ActionMixes], Ints]


def random(agent: RandomAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """All legal actions equally likely, whatever the hand."""
    calls = (odds.liar, odds.exact) if odds.may_call_exact else (odds.liar,)
    cells = np.empty(odds.shape, dtype=np.int64)
    for rung in range(-1, odds.size):
        legal = np.flatnonzero(odds.opens if rung < 0 else odds.raises[rung + 1 :]) + rung + 1
        actions = (*legal.tolist(), *(calls if rung >= 0 else ()))
        cells[:, rung + 1] = mixes.add(actions, (1 / max(len(actions), 1),) * len(actions)) if actions else NONE
    return cells


def conservative(agent: ConservativeAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """The lowest safe bid; else a call if the bid is doubtful; else the likeliest raise."""
    held = odds.held[:, odds.face]
    safe = odds.lowest((held > 0) & (held >= odds.quantity - 1))
    likeliest = odds.likeliest()
    doubtful = odds.of_current(odds.chance_true, 1.0) < agent.doubts_below
    otherwise = np.where((likeliest == NONE) | doubtful, odds.liar, likeliest)
    if odds.may_call_exact:
        otherwise = np.where(odds.of_current(odds.chance_exact, 0.0) > 0.5, odds.exact, otherwise)
    return np.where(safe == NONE, otherwise, safe)


def probabilistic(agent: ProbabilisticAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """The action that is most probably right; of equals, the last in the order bids, liar, exact."""
    best = odds.likeliest()
    chance = odds.chance_of(best)
    for call, right in (
        (odds.liar, 1 - odds.chance_true),
        *(((odds.exact, odds.chance_exact),) if odds.may_call_exact else ()),
    ):
        right_now = odds.of_current(right, -2.0)
        best = np.where(right_now >= chance, call, best)
        chance = np.maximum(chance, right_now)
    return best


def truthful(agent: TruthfulAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """A call of the impossible; else the lowest possible bid; else the lowest bid; else a call."""
    possible = odds.held[:, odds.face] + odds.situation.other >= odds.quantity
    lowest = odds.lowest()
    best = odds.lowest(possible)
    best = np.where(best == NONE, lowest, best)
    return np.where((best == NONE) | ~odds.of_current(possible, True), odds.liar, best)


def threshold(agent: ThresholdAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """The likeliest near raise if it is likely enough; a call if the bid is unlikely enough; else the raise."""
    best = _near_raises(odds)
    chance = odds.chance_of(best)
    unlikely = odds.of_current(odds.chance_true, 1.0) < agent.call_below
    cells = np.where((best == NONE) | ((chance < agent.raise_from) & unlikely), odds.liar, best)
    cells[:, 0] = _openings(odds)
    return cells


@lru_cache(maxsize=64)  # shared by all threshold agents
def _near_raises(odds: DecisionOdds) -> Ints:
    """The likeliest of one more of the same face and the same quantity of each higher face; of several the first."""
    total = odds.situation.rules.total_dice
    best = np.full(odds.shape, NONE)
    chance = np.full(odds.shape, -1.0)
    for rung in range(odds.size):
        quantity, face = int(odds.quantity[rung]), int(odds.face[rung])
        near = [(quantity + 1, face), *((quantity, higher) for higher in range(face + 1, odds.hands.faces + 1))]
        for q, f in near:
            raised = odds.rung(q, f)
            if q <= total and raised > rung and odds.raises[raised]:
                better = odds.chance_true[:, raised] > chance[:, rung + 1]
                best[better, rung + 1] = raised
                chance[better, rung + 1] = odds.chance_true[better, raised]
    return best


@lru_cache(maxsize=64)
def _openings(odds: DecisionOdds) -> Ints:
    """The face held most of (lowest on a tie) at the quantity held, or the nearest to it that is legal."""
    opens = [(int(q), int(f)) for q, f in zip(odds.quantity[odds.opens], odds.face[odds.opens], strict=True)]
    faces = sorted({face for _, face in opens})
    if not faces:
        return np.full(len(odds.hands), NONE)
    chosen = np.array(faces)[np.argmax(odds.held[:, faces], axis=1)]
    found = []
    for held, face in zip(odds.held, chosen.tolist(), strict=True):
        quantities = [q for q, f in opens if f == face]
        found.append(odds.rung(min(max(int(held[face]), min(quantities)), max(quantities)), face))
    return np.array(found)


def bluffer(agent: BlufferAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """Mostly the likeliest raise, sometimes the nearest bid on another face; a call if the bid is unlikely."""
    best = odds.likeliest()
    unlikely = odds.of_current(odds.chance_true, 1.0) < agent.calls_below
    cells = np.where((best == NONE) | unlikely, odds.liar, best)
    bluffs = _nearest_other_face(odds, best)
    mixed = (cells == best) & (best != NONE) & (bluffs != NONE)
    pairs, which = np.unique(np.stack([best[mixed], bluffs[mixed]]), axis=1, return_inverse=True)
    chances = (1 - agent.bluffs, agent.bluffs)
    ids = [mixes.add((raised, bluffed), chances) for raised, bluffed in pairs.T.tolist()]
    cells[mixed] = np.array(ids, dtype=np.int64)[which.ravel()]
    return cells


def _nearest_other_face(odds: DecisionOdds, best: Ints) -> Ints:
    """The legal bid of least quantity on another face than the best one's; of several the face held least of."""
    found = np.full(odds.shape, NONE)
    least = np.full(odds.shape, np.iinfo(np.int64).max)
    best_face = np.where(best == NONE, 0, odds.face[best])
    for face in range(1, odds.hands.faces + 1):
        rung = odds.lowest(odds.face == face)
        rank = (odds.quantity[rung] * 1000 + odds.held[:, [face]]) * 1000 + face
        nearer = (rung != NONE) & (best_face != face) & (rank < least)
        found[nearer] = rung[nearer]
        least[nearer] = rank[nearer]
    return found


def crawler(agent: CrawlerAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """The lowest raise, or a call of what has become unlikely."""
    lowest = odds.lowest()
    unlikely = odds.of_current(odds.chance_true, 1.0) < agent.calls_below
    return np.where((lowest == NONE) | unlikely, odds.liar, lowest)


def sniper(agent: SniperAgent, odds: DecisionOdds, mixes: ActionMixes) -> Ints:
    """Exact if that is the best call; the highest bid better than even; else the better of calling and raising."""
    good = odds.highest(odds.chance_true >= 0.5)
    likeliest = odds.likeliest()
    doubt = odds.of_current(1 - odds.chance_true, -1.0)
    cells = np.where(doubt >= odds.chance_of(likeliest), odds.liar, likeliest)
    cells = np.where(good == NONE, cells, good)
    if odds.may_call_exact:
        exact = odds.of_current(odds.chance_exact, -1.0)
        cells = np.where(exact >= np.maximum(doubt, 0.35), odds.exact, cells)
    cells[:, 0] = np.where(good[:, 0] == NONE, likeliest[:, 0], good[:, 0])
    return cells


VECTORISED: dict[type[Agent], Compiler] = {
    RandomAgent: random,
    ConservativeAgent: conservative,
    ProbabilisticAgent: probabilistic,
    TruthfulAgent: truthful,
    ThresholdAgent: threshold,
    BlufferAgent: bluffer,
    CrawlerAgent: crawler,
    SniperAgent: sniper,
}
"""How each class is compiled. A subclass may decide differently, so it is not here and is asked instead."""
