"""The features of a learner: φ(o, a) for an observation o = (own hand, last bid) and an action a.

An observation is two numbers, the index of the hand and the rung of the last bid (-1: none yet); an action is a rung,
or the number of rungs for "liar". There are two linear bases (`network` is not linear, see `network.py`):

- `plain` (`seed` is accepted as an older name): twelve numbers with six faces. COUNT(H, v) for every face v; the last
  bid's value and amount, and the probability that it holds (zeros before the first bid); the action's value and amount,
  or 1 if it is a call. No feature multiplies the hand with the action, so for any weights Q ranks the actions in the
  same order for every hand: this basis cannot learn to bid what it holds.
- `crossed`: one indicator for each legal (hand, last bid, action). It can express every memoryless policy.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ..core import BadValueError, GameConfig, prob_holds, round_rules
from ..exact.tables import hand_set
from ..numeric import Floats, Int, inlined

BasisName = Literal["plain", "crossed", "network"]
PLAIN, CROSSED = 0, 1


class Basis(NamedTuple):
    """A basis as arrays, for compiled code. `rungs` is also the number of the action "liar"."""

    kind: int
    rungs: int
    size: int
    """The number of weights."""
    opens: NDArray[np.bool_]
    """Which rungs may open the round."""
    counts: Floats
    """[hand, face - 1]: COUNT(H, v)."""
    value: Floats
    """The face of each rung."""
    amount: Floats
    """The quantity of each rung."""
    holds: Floats
    """[hand, rung]: the probability that a bid holds."""


def basis_name(name: str) -> BasisName:
    """The name of a basis, checked; `seed`, the older name of `plain`, gives `plain`.

    >>> basis_name("seed")
    'plain'
    """
    current = "plain" if name == "seed" else name
    if current not in get_args(BasisName):
        raise BadValueError("basis", name, "'crossed', 'plain' or 'network'")
    return cast("BasisName", current)


def make_basis(name: str, config: GameConfig, own: int) -> Basis:
    """The linear basis with this name, for a player with `own` dice in a single round under these rules."""
    kind = CROSSED if basis_name(name) == "crossed" else PLAIN
    rules = round_rules(config.without_seed, config.total_dice, False)
    hands = hand_set(own, config.faces)
    rungs = len(rules.bids)
    opens = np.zeros(rungs, dtype=bool)
    opens[sorted(rules.opening_rungs)] = True
    return Basis(
        kind=kind,
        rungs=rungs,
        size=config.faces + 6 if kind == PLAIN else len(hands) * (rungs + 1) * (rungs + 1),
        opens=opens,
        counts=hands.counts.astype(np.float64),
        value=np.array([bid.face for bid in rules.bids], dtype=np.float64),
        amount=np.array([bid.quantity for bid in rules.bids], dtype=np.float64),
        holds=np.array([[prob_holds(bid, hand, rules) for bid in rules.bids] for hand in hands.hands]),
    )


def phi(basis: Basis, hand: int, rung: int, action: int) -> Floats:
    """φ(o, a) in full; the compiled functions below use only its non-zero entries."""
    features = np.zeros(basis.size)
    if basis.kind == CROSSED:
        features[cross(basis, hand, rung, action)] = 1.0
        return features
    faces = basis.counts.shape[1]
    features[:faces] = basis.counts[hand]
    if rung >= 0:
        features[faces : faces + 3] = basis.value[rung], basis.amount[rung], basis.holds[hand, rung]
    if action < basis.rungs:
        features[faces + 3 : faces + 5] = basis.value[action], basis.amount[action]
    else:
        features[faces + 5] = 1.0
    return features


@inlined
def cross(basis: Basis, hand: Int, rung: Int, action: Int) -> Int:
    """The index of the only indicator of the crossed basis that is 1."""
    return (hand * (basis.rungs + 1) + rung + 1) * (basis.rungs + 1) + action


@inlined
def is_legal(basis: Basis, rung: Int, action: Int) -> bool:
    """LEGAL(D): higher bids, and a call if there is a bid to call."""
    if rung < 0:
        return bool(action < basis.rungs and basis.opens[action])
    return bool(action > rung)


@inlined
def linear(theta: Floats, basis: Basis, hand: Int, rung: Int, action: Int) -> float:
    """θᵀ φ(o, a)."""
    if basis.kind == CROSSED:
        return float(theta[(hand * (basis.rungs + 1) + rung + 1) * (basis.rungs + 1) + action])
    faces = basis.counts.shape[1]
    total = 0.0
    for face in range(faces):
        total += theta[face] * basis.counts[hand, face]
    if rung >= 0:
        total += theta[faces] * basis.value[rung] + theta[faces + 1] * basis.amount[rung]
        total += theta[faces + 2] * basis.holds[hand, rung]
    if action < basis.rungs:
        total += theta[faces + 3] * basis.value[action] + theta[faces + 4] * basis.amount[action]
    else:
        total += theta[faces + 5]
    return float(total)


@inlined
def add_phi(target: Floats, scale: float, basis: Basis, hand: Int, rung: Int, action: Int) -> None:
    """Target ← target + scale · φ(o, a)."""
    if basis.kind == CROSSED:
        target[(hand * (basis.rungs + 1) + rung + 1) * (basis.rungs + 1) + action] += scale
    else:
        faces = basis.counts.shape[1]
        for face in range(faces):
            target[face] += scale * basis.counts[hand, face]
        if rung >= 0:
            target[faces] += scale * basis.value[rung]
            target[faces + 1] += scale * basis.amount[rung]
            target[faces + 2] += scale * basis.holds[hand, rung]
        if action < basis.rungs:
            target[faces + 3] += scale * basis.value[action]
            target[faces + 4] += scale * basis.amount[action]
        else:
            target[faces + 5] += scale
