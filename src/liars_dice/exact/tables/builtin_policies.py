"""The built-in bots for all hands and rungs at once. Each function says what its bot's `choose_action` says."""

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
from .action_mixes import Mixes
from .decision_odds import NONE, Sheet

Compiler = Callable[[Any, Sheet, Mixes], Ints]


def random(agent: RandomAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """Every legal action alike, whatever the hand."""
    calls = (sheet.liar, sheet.exact) if sheet.may_call_exact else (sheet.liar,)
    cells = np.empty(sheet.shape, dtype=np.int64)
    for rung in range(-1, sheet.size):
        legal = np.flatnonzero(sheet.opens if rung < 0 else sheet.raises[rung + 1 :]) + rung + 1
        actions = (*legal.tolist(), *(calls if rung >= 0 else ()))
        cells[:, rung + 1] = mixes.add(actions, (1 / max(len(actions), 1),) * len(actions)) if actions else NONE
    return cells


def conservative(agent: ConservativeAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """The lowest safe bid; else a call if the bid is doubtful; else the likeliest raise."""
    held = sheet.held[:, sheet.face]
    safe = sheet.lowest((held > 0) & (held >= sheet.quantity - 1))
    likeliest = sheet.likeliest()
    doubtful = sheet.of_current(sheet.chance_true, 1.0) < agent.doubts_below
    otherwise = np.where((likeliest == NONE) | doubtful, sheet.liar, likeliest)
    if sheet.may_call_exact:
        otherwise = np.where(sheet.of_current(sheet.chance_exact, 0.0) > 0.5, sheet.exact, otherwise)
    return np.where(safe == NONE, otherwise, safe)


def probabilistic(agent: ProbabilisticAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """The action that is most probably right; of equals the last of bids, liar, exact."""
    best = sheet.likeliest()
    odds = sheet.chance_of(best)
    for call, right in (
        (sheet.liar, 1 - sheet.chance_true),
        *(((sheet.exact, sheet.chance_exact),) if sheet.may_call_exact else ()),
    ):
        right_now = sheet.of_current(right, -2.0)
        best = np.where(right_now >= odds, call, best)
        odds = np.maximum(odds, right_now)
    return best


def truthful(agent: TruthfulAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """A call of the impossible; else the lowest possible bid; else the lowest bid; else a call."""
    possible = sheet.held[:, sheet.face] + sheet.situation.other >= sheet.quantity
    lowest = sheet.lowest()
    best = sheet.lowest(possible)
    best = np.where(best == NONE, lowest, best)
    return np.where((best == NONE) | ~sheet.of_current(possible, True), sheet.liar, best)


def threshold(agent: ThresholdAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """The likeliest near raise if it is likely enough; a call if the bid is unlikely enough; else the raise."""
    best = _near_raises(sheet)
    chance = sheet.chance_of(best)
    unlikely = sheet.of_current(sheet.chance_true, 1.0) < agent.call_below
    cells = np.where((best == NONE) | ((chance < agent.raise_from) & unlikely), sheet.liar, best)
    cells[:, 0] = _openings(sheet)
    return cells


@lru_cache(maxsize=64)  # all threshold agents share them
def _near_raises(sheet: Sheet) -> Ints:
    """The likeliest of one more of the same face and the same quantity of each higher face; of several the first."""
    total = sheet.situation.rules.total_dice
    best = np.full(sheet.shape, NONE)
    chance = np.full(sheet.shape, -1.0)
    for rung in range(sheet.size):
        quantity, face = int(sheet.quantity[rung]), int(sheet.face[rung])
        near = [(quantity + 1, face), *((quantity, higher) for higher in range(face + 1, sheet.hands.faces + 1))]
        for q, f in near:
            raised = sheet.rung(q, f)
            if q <= total and raised > rung and sheet.raises[raised]:
                better = sheet.chance_true[:, raised] > chance[:, rung + 1]
                best[better, rung + 1] = raised
                chance[better, rung + 1] = sheet.chance_true[better, raised]
    return best


@lru_cache(maxsize=64)
def _openings(sheet: Sheet) -> Ints:
    """The face held most of (lowest on a tie) at the quantity held, or the nearest to it that is legal."""
    opens = [(int(q), int(f)) for q, f in zip(sheet.quantity[sheet.opens], sheet.face[sheet.opens], strict=True)]
    faces = sorted({face for _, face in opens})
    if not faces:
        return np.full(len(sheet.hands), NONE)
    chosen = np.array(faces)[np.argmax(sheet.held[:, faces], axis=1)]
    found = []
    for held, face in zip(sheet.held, chosen.tolist(), strict=True):
        quantities = [q for q, f in opens if f == face]
        found.append(sheet.rung(min(max(int(held[face]), min(quantities)), max(quantities)), face))
    return np.array(found)


def bluffer(agent: BlufferAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """Mostly the likeliest raise, sometimes the nearest bid on another face; a call if the bid is unlikely."""
    best = sheet.likeliest()
    unlikely = sheet.of_current(sheet.chance_true, 1.0) < agent.calls_below
    cells = np.where((best == NONE) | unlikely, sheet.liar, best)
    bluffs = _nearest_other_face(sheet, best)
    mixed = (cells == best) & (best != NONE) & (bluffs != NONE)
    pairs, which = np.unique(np.stack([best[mixed], bluffs[mixed]]), axis=1, return_inverse=True)
    chances = (1 - agent.bluffs, agent.bluffs)
    ids = [mixes.add((raised, bluffed), chances) for raised, bluffed in pairs.T.tolist()]
    cells[mixed] = np.array(ids, dtype=np.int64)[which.ravel()]
    return cells


def _nearest_other_face(sheet: Sheet, best: Ints) -> Ints:
    """The legal bid of least quantity on another face than the best one's; of several the face held least of."""
    found = np.full(sheet.shape, NONE)
    least = np.full(sheet.shape, np.iinfo(np.int64).max)
    best_face = np.where(best == NONE, 0, sheet.face[best])
    for face in range(1, sheet.hands.faces + 1):
        rung = sheet.lowest(sheet.face == face)
        rank = (sheet.quantity[rung] * 1000 + sheet.held[:, [face]]) * 1000 + face
        nearer = (rung != NONE) & (best_face != face) & (rank < least)
        found[nearer] = rung[nearer]
        least[nearer] = rank[nearer]
    return found


def crawler(agent: CrawlerAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """The lowest raise, or a call of what has become unlikely."""
    lowest = sheet.lowest()
    unlikely = sheet.of_current(sheet.chance_true, 1.0) < agent.calls_below
    return np.where((lowest == NONE) | unlikely, sheet.liar, lowest)


def sniper(agent: SniperAgent, sheet: Sheet, mixes: Mixes) -> Ints:
    """Exact if that is the best call; the highest bid better than even; else the better of calling and raising."""
    good = sheet.highest(sheet.chance_true >= 0.5)
    likeliest = sheet.likeliest()
    doubt = sheet.of_current(1 - sheet.chance_true, -1.0)
    cells = np.where(doubt >= sheet.chance_of(likeliest), sheet.liar, likeliest)
    cells = np.where(good == NONE, cells, good)
    if sheet.may_call_exact:
        exact = sheet.of_current(sheet.chance_exact, -1.0)
        cells = np.where(exact >= np.maximum(doubt, 0.35), sheet.exact, cells)
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
"""How each class is compiled. A subclass decides as it likes, so it is asked."""
