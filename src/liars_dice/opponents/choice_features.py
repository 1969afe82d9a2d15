"""What a decision is described by: numbers for every legal action, for one hand or for all hands at once.

All of them depend only on the player's own dice, the number of other dice, the current bid and the legal actions. So a
model over these features is memoryless.
"""

from __future__ import annotations

from functools import lru_cache
from math import log

import numpy as np

from ..core import (
    BidAction,
    GameView,
    PublicState,
    RoundRules,
    binomial_prob_at_least,
    binomial_prob_exactly,
    legal_actions,
    match_chance,
)
from ..exact.tables import hand_set, ladder_arrays
from ..numeric import Floats, Ints, Truths

MADE_FROM = (0.05, 0.15, 0.3, 0.5, 0.75, 0.95)
"""How likely a bid must be to be made: one feature per step."""
CALLED_BELOW = (0.02, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""How unlikely a bid must be to be called: one feature per step."""

_BID = (
    *(f"at least {step:g} likely" for step in MADE_FROM),
    "log odds",
    "log odds by dice in play",
    "likeliest bid",
    "height",
    "height by dice in play",
    "lowest bid",
    "highest even bid",
    "highest safe bid",
    "quantity above need",
    "holds none",
    "holds nearly all",
)
_RAISE = (*_BID, "keeps the face", "near raise", "likeliest near raise")
_OPENING = (*_BID, "quantity held", "more than held", "less than held", "face held most")
_LIAR = (
    "always",
    "by dice in play",
    *(f"below {step:g} likely" for step in CALLED_BELOW),
    "log odds",
    "log odds by dice in play",
    "odds of the best raise",
    "more doubtful than the best raise",
    "with one die",
)
_EXACT = ("always", "by dice in play", "log chance", "above 0.35", "above 0.5", "above doubt")

FEATURES = (
    *(f"raise: {name}" for name in _RAISE),
    *(f"open: {name}" for name in _OPENING),
    *(f"liar: {name}" for name in _LIAR),
    *(f"exact: {name}" for name in _EXACT),
)
"""The name of each feature."""
_FIRST_OPENING = len(_RAISE)
_FIRST_LIAR = _FIRST_OPENING + len(_OPENING)
_FIRST_EXACT = _FIRST_LIAR + len(_LIAR)


def features_of(view: GameView) -> Floats:
    """[action, feature] for one hand; actions in the order of `view.legal_actions`."""
    counts = np.zeros((1, view.faces), dtype=np.int64)
    for die in view.my_dice:
        counts[0, die - 1] += 1
    found: Floats = _features(view.public, counts)[0]
    return found


def features_of_hands(public: PublicState) -> Floats:
    """[hand, action, feature] for every hand that the player to move may hold."""
    return _features(public, hand_set(public.dice_counts[public.current_player], public.config.faces).counts)


def odds_of_bids(public: PublicState, counts: Ints) -> tuple[Floats, Floats, Ints]:
    """[hand, rung]: how likely each bid of the round is to hold, to be exactly right, and how many own dice count.

    `counts` has the number of dice of each face (column 0: ones), one row per hand.
    """
    rules = public.rules
    quantity, face, kind = _ladder(rules)
    known = counts.copy()
    for die in public.table_dice:
        known[:, die - 1] += 1
    wild = rules.wild_face
    matches = known if wild is None else known + known[:, [wild - 1]]
    if wild is not None:
        matches[:, wild - 1] = known[:, wild - 1]
    held = matches[:, face - 1]
    unseen = rules.total_dice - public.dice_counts[public.current_player] - len(public.table_dice)
    at_least, exactly = _tails(unseen, rules.config.faces)
    missing = np.clip(quantity - held, -1, unseen + 1)
    return at_least[kind, missing + 1], exactly[kind, missing + 1], held


@lru_cache(maxsize=512)
def _ladder(rules: RoundRules) -> tuple[Ints, Ints, Ints]:
    """The quantity and face of every rung, and how many faces count for it, less one."""
    quantity, face = ladder_arrays(rules)
    kind = np.array([round(match_chance(one, rules) * rules.config.faces) - 1 for one in face.tolist()])
    return quantity, face, kind


@lru_cache(maxsize=1024)
def _tails(unseen: int, faces: int) -> tuple[Floats, Floats]:
    """[one or two faces count, dice missing + 1]: the chance of at least and of exactly that many."""
    chances, steps = (1 / faces, 2 / faces), range(-1, unseen + 2)
    at_least = np.array([[binomial_prob_at_least(unseen, k, p) for k in steps] for p in chances])
    exactly = np.array([[binomial_prob_exactly(unseen, k, p) for k in steps] for p in chances])
    return at_least, exactly


def _features(public: PublicState, counts: Ints) -> Floats:
    rules = public.rules
    legal = legal_actions(public)
    rungs = np.array([rules.rungs[action.bid] for action in legal if isinstance(action, BidAction)], dtype=np.int64)
    true, exact, held = odds_of_bids(public, counts)
    found: Floats = np.zeros((len(counts), len(legal), len(FEATURES)))
    in_play = log(rules.total_dice / 8) / log(4)
    opens = public.rung < 0
    best = true[:, rungs].max(axis=1) if len(rungs) else np.zeros(len(counts))
    if len(rungs):
        first = _FIRST_OPENING if opens else 0
        columns = _bid_columns(public, rungs, true, held, in_play)
        found[:, : len(rungs), first : first + len(columns)] = np.stack(columns, axis=2)
    if not opens:
        calls = found[:, len(rungs) :, :]
        current, own = true[:, public.rung], public.dice_counts[public.current_player]
        liar = _liar_columns(current, best, in_play, own)
        calls[:, 0, _FIRST_LIAR:_FIRST_EXACT] = np.stack(np.broadcast_arrays(*liar), axis=1)
        if rules.config.exact_call:
            right = _exact_columns(exact[:, public.rung], current, in_play)
            calls[:, 1, _FIRST_EXACT:] = np.stack(np.broadcast_arrays(*right), axis=1)
    return found


def _bid_columns(public: PublicState, rungs: Ints, true: Floats, held: Ints, in_play: float) -> list[Floats]:
    """The features of bids, each [hand, bid], in the order of `_RAISE` or `_OPENING`."""
    quantity, face, _ = _ladder(public.rules)
    quantity, face = quantity[rungs], face[rungs]
    chance, mine = true[:, rungs], held[:, rungs]
    shape = chance.shape
    order = np.arange(len(rungs))
    odds = _log_odds(chance)
    height = np.broadcast_to(np.log1p(order), shape)
    least = np.full(public.config.faces + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, face, quantity)
    columns: list[Floats | Truths] = [
        *(chance >= step for step in MADE_FROM),
        odds,
        odds * in_play,
        chance >= chance.max(axis=1, keepdims=True) - 1e-9,
        height,
        height * in_play,
        np.broadcast_to(order == 0, shape),
        _last(chance >= 0.5),
        _last(chance >= 0.75),
        np.broadcast_to(quantity - least[face], shape).astype(float),
        mine == 0,
        (mine > 0) & (mine >= quantity - 1),
    ]
    current = public.last_bid
    if current is None:
        spare = quantity - mine
        most = mine.max(axis=1, keepdims=True)
        columns += [spare == 0, np.maximum(spare, 0).astype(float), np.maximum(-spare, 0).astype(float), mine == most]
    else:
        near = ((face == current.face) & (quantity == current.quantity + 1)) | (
            (face > current.face) & (quantity == current.quantity)
        )
        near_chance = np.where(near, chance, -1.0)
        likeliest = (near_chance >= near_chance.max(axis=1, keepdims=True) - 1e-9) & near
        columns += [np.broadcast_to(face == current.face, shape), np.broadcast_to(near, shape), likeliest]
    return [np.asarray(column, dtype=float) for column in columns]


def _liar_columns(current: Floats, best: Floats, in_play: float, own: int) -> list[Floats]:
    odds = _log_odds(current)
    return [
        np.ones(1),
        np.array([in_play]),
        *((current < step).astype(float) for step in CALLED_BELOW),
        odds,
        odds * in_play,
        _log_odds(best),
        (1 - current >= best).astype(float),
        np.array([float(own == 1)]),
    ]


def _exact_columns(exact: Floats, current: Floats, in_play: float) -> list[Floats]:
    chance = np.log(np.maximum(exact, 1e-3)) / 3
    return [
        np.ones(1),
        np.array([in_play]),
        chance,
        (exact > 0.35).astype(float),
        (exact > 0.5).astype(float),
        (exact > 1 - current).astype(float),
    ]


def _log_odds(chance: Floats) -> Floats:
    """Log odds between -1 (next to impossible) and 1 (next to certain)."""
    clipped = np.clip(chance, 0.004, 0.996)
    odds: Floats = np.log(clipped / (1 - clipped)) / 5.517
    return odds


def _last(wanted: Truths) -> Truths:
    """Which entry of each row is the last that is wanted."""
    later = np.cumsum(wanted[:, ::-1], axis=1)[:, ::-1]
    last: Truths = wanted & (later == 1)
    return last
