"""Distributions over actions, each kept once, in arrays that compiled code can read and draw from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numeric import Floats, Ints, fraction, inlined


class MixArrays(NamedTuple):
    """Distribution i is `size[i]` entries from `start[i]` on: actions with their probabilities, and how to draw.

    Drawing is Walker's method: pick an entry with equal chances; keep its action with chance `keep`, else take the
    action `alias`.
    """

    start: Ints
    size: Ints
    action: NDArray[np.int32]
    chance: Floats
    keep: Floats
    alias: NDArray[np.int32]


class ActionMixes:
    """A growing collection of distributions. In a policy table, distribution i is written as the number -1 - i."""

    def __init__(self) -> None:
        self._ids: dict[tuple[tuple[int, ...], tuple[float, ...]], int] = {}
        self._arrays: MixArrays | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, actions: Sequence[int], chances: Sequence[float]) -> int:
        """The number that stands for this distribution in a table; for a certain action, the action itself."""
        if len(actions) == 1:
            return actions[0]
        key = (tuple(actions), tuple(chances))
        if key not in self._ids:
            self._ids[key] = len(self._ids)
            self._arrays = None
        return -1 - self._ids[key]

    def __getitem__(self, cell: int) -> dict[int, float]:
        """The distribution that this number stands for in a table."""
        arrays = self.arrays()
        i = -1 - cell
        part = slice(arrays.start[i], arrays.start[i] + arrays.size[i])
        return dict(zip(arrays.action[part].tolist(), arrays.chance[part].tolist(), strict=True))

    def arrays(self) -> MixArrays:
        """All distributions as arrays."""
        if self._arrays is None:
            sizes = np.array([len(actions) for actions, _ in self._ids], dtype=np.int64)
            starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64) if len(sizes) else sizes
            drawn = [_alias_table(actions, chances) for actions, chances in self._ids]
            self._arrays = MixArrays(
                starts,
                sizes,
                np.array([a for actions, _ in self._ids for a in actions], dtype=np.int32),
                np.array([c for _, chances in self._ids for c in chances], dtype=np.float64),
                np.array([k for keep, _ in drawn for k in keep], dtype=np.float64),
                np.array([a for _, alias in drawn for a in alias], dtype=np.int32),
            )
        return self._arrays


def _alias_table(actions: tuple[int, ...], chances: tuple[float, ...]) -> tuple[list[float], list[int]]:
    """Each entry's share of its own slot, and whose action fills the rest (Walker 1977, Vose 1991)."""
    keep = [chance * len(chances) for chance in chances]
    alias = list(actions)
    small = [i for i, share in enumerate(keep) if share < 1]
    large = [i for i, share in enumerate(keep) if share >= 1]
    while small and large:
        poor, rich = small.pop(), large[-1]
        alias[poor] = actions[rich]
        keep[rich] -= 1 - keep[poor]
        if keep[rich] < 1:
            small.append(large.pop())
    for i in small + large:  # full, apart from rounding
        keep[i] = 1.0
    return keep, alias


@inlined
def draw_action(mixes: MixArrays, cell: np.int64, key: np.uint64, position: int) -> np.int64:
    """An action from a distribution, by the number at a position of the decision stream."""
    i = -1 - cell
    size = mixes.size[i]
    spot = fraction(key, position) * size
    slot = int(spot)
    entry = mixes.start[i] + slot
    return np.int64(mixes.action[entry] if spot - slot < mixes.keep[entry] else mixes.alias[entry])
