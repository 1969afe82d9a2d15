"""Strategies with a short memory, packed into bytes and back."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from liars_dice.exact.solver.short_memory_packing import PARTS, Cells, pack_cells, unpack_cells
from liars_dice.numeric import Ints

SHORTER = np.array([-1, -1, 0, 0, 1, 2, 3])
"""Two memories that nothing stands in for, three that these stand in for, and two behind those."""


def unpacked(data: bytes, shape: tuple[int, ...], shorter: Ints) -> Cells:
    cells = np.zeros((int(np.prod(shape[:-1])), shape[-1]), dtype=np.uint8)
    cell, move, parts = unpack_cells(data, shape, shorter)
    assert np.array_equal(np.lexsort((move, cell)), np.arange(len(cell)))
    cells[cell, move] = parts
    return cells.reshape(shape)


def some_cells(rng: np.random.Generator, shape: tuple[int, ...], said: float, moves: float) -> Cells:
    """Cells of which something is said with the chance `said`, and which make each move with the chance `moves`."""
    cells = np.zeros(shape, dtype=np.uint8)
    for place in zip(*np.nonzero(rng.random(shape[:-1]) < said), strict=True):
        made = np.flatnonzero(rng.random(shape[-1]) < moves)
        made = made if made.size else np.array([shape[-1] - 1])
        cuts = np.sort(rng.choice(PARTS - 1, made.size - 1, replace=False)) + 1
        cells[(*place, made)] = np.diff(cuts, prepend=0, append=PARTS)
    return cells


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(0, 1), st.floats(0, 1), st.integers(2, 40))
def test_cells_come_back_as_they_were(seed: int, said: float, moves: float, most: int) -> None:
    rng = np.random.default_rng(seed)
    cells = some_cells(rng, (3, len(SHORTER), 4, most), said, moves)
    data = pack_cells(cells, SHORTER)
    assert np.array_equal(unpacked(data, cells.shape, SHORTER), cells)


def test_as_many_moves_as_parts() -> None:
    cells = np.zeros((1, 1, 1, PARTS), dtype=np.uint8)
    assert np.array_equal(unpacked(pack_cells(cells, np.array([-1])), cells.shape, np.array([-1])), cells)
    cells[:] = 1
    assert np.array_equal(unpacked(pack_cells(cells, np.array([-1])), cells.shape, np.array([-1])), cells)


def test_what_stands_in_for_a_memory_saves_room() -> None:
    """What is said of a memory as it is said of a shorter one costs less than what is said differently."""
    rng = np.random.default_rng(3)
    shape = (8, 3, 20, 12)
    shorter = np.array([-1, 0, 1])
    different = some_cells(rng, shape, 1.0, 0.3)
    alike = different.copy()
    alike[:, 1:] = different[:, :1]
    assert len(pack_cells(alike, shorter)) < 0.5 * len(pack_cells(different, shorter))
