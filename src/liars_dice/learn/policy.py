"""The greedy policy of a model: the best action for every hand and last bid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..numeric import Floats, compiled
from .features import Basis
from .q_learning import greedy


@compiled
def _fill(theta: Floats, basis: Basis, cells: NDArray[np.int32]) -> None:
    for hand in range(cells.shape[0]):
        for rung in range(-1, basis.rungs):
            action, _ = greedy(theta, basis, hand, rung)
            cells[hand, rung + 1] = action


def greedy_cells(theta: Floats, basis: Basis) -> NDArray[np.int32]:
    """The greedy policy as a table: argmax of θᵀ φ(o, a) over the legal actions, for all hands and last bids."""
    cells = np.empty((basis.counts.shape[0], basis.rungs + 1), dtype=np.int32)
    _fill(theta, basis, cells)
    return cells
