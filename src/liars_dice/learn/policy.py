"""The policies of a linear model as tables, for all hands and last bids: the greedy one, π_θ and π_ε."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..numeric import Floats, compiled
from .features import Basis, is_legal
from .policy_gradient import softmax
from .q_learning import greedy


def greedy_cells(theta: Floats, basis: Basis) -> NDArray[np.int32]:
    """The greedy policy: `cells[hand, rung + 1]` is the argmax of θᵀ φ(o, a) over the legal actions."""
    cells = np.empty((basis.counts.shape[0], basis.rungs + 1), dtype=np.int32)
    _fill_greedy(theta, basis, cells)
    return cells


def softmax_chances(theta: Floats, basis: Basis) -> Floats:
    """π_θ: `chances[hand, rung + 1, action]`."""
    chances = np.empty((basis.counts.shape[0], basis.rungs + 1, basis.rungs + 1))
    _fill_softmax(theta, basis, chances)
    return chances


def epsilon_greedy_chances(theta: Floats, basis: Basis, epsilon: float) -> Floats:
    """π_ε: `chances[hand, rung + 1, action]`."""
    chances = np.empty((basis.counts.shape[0], basis.rungs + 1, basis.rungs + 1))
    _fill_epsilon_greedy(theta, basis, epsilon, chances)
    return chances


@compiled
def _fill_greedy(theta: Floats, basis: Basis, cells: NDArray[np.int32]) -> None:
    for hand in range(cells.shape[0]):
        for rung in range(-1, basis.rungs):
            action, _ = greedy(theta, basis, hand, rung)
            cells[hand, rung + 1] = action


@compiled
def _fill_softmax(theta: Floats, basis: Basis, chances: Floats) -> None:
    for hand in range(chances.shape[0]):
        for rung in range(-1, basis.rungs):
            softmax(theta, basis, hand, rung, chances[hand, rung + 1])


@compiled
def _fill_epsilon_greedy(theta: Floats, basis: Basis, epsilon: float, chances: Floats) -> None:
    for hand in range(chances.shape[0]):
        for rung in range(-1, basis.rungs):
            here = chances[hand, rung + 1]
            legal = 0
            for action in range(basis.rungs + 1):
                here[action] = 1.0 if is_legal(basis, rung, action) else 0.0
                legal += is_legal(basis, rung, action)
            for action in range(basis.rungs + 1):
                here[action] *= epsilon / legal
            best, _ = greedy(theta, basis, hand, rung)
            here[best] += 1.0 - epsilon
