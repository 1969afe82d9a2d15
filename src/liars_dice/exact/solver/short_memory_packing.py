"""How a short-memory strategy is packed into bytes.

What a strategy says of a *cell* (column, memory, hand) is much like what it says where less is remembered. So cells
come in the order of how much is remembered, the least first, and each is predicted from the one that stands in for it:
whether the strategy says anything there, how many moves it makes, which ones, and how often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numeric import ColumnCoder, Context, Ints

Cells = NDArray[np.uint8]
"""[column, memory, hand, move]: how many parts of the whole a move gets; all zero where nothing is said."""
PARTS, PART_BITS, SIZE_BITS = 64, 6, 6
"""Chances are kept in 64ths, so no cell has more moves than that."""
NONE = -1


class Lines(NamedTuple):
    """The moves of all cells in which something is said, sorted."""

    cell: Ints
    """(column * memories + memory) * hands + hand."""
    move: Ints
    parts: Ints


def pack_cells(cells: Cells, shorter: Ints) -> bytes:
    """A strategy as bytes. `shorter` says which memory stands in for each one; -1 if none does."""
    coder = ColumnCoder()
    _code(coder, cells.shape, shorter, cells)
    return coder.packed()


def unpack_cells(data: bytes, shape: tuple[int, ...], shorter: Ints) -> Lines:
    """The strategy that was packed; `shape` is that of its cells."""
    return _code(ColumnCoder(data), shape, shorter)


def warm_up_unpacking() -> None:
    """Compile what `unpack_cells` needs, or read it from the disk."""
    ColumnCoder(b"").column("place", [Context(np.zeros(1, dtype=np.int64))], 1)


def _code(coder: ColumnCoder, shape: tuple[int, ...], shorter: Ints, given: Cells | None = None) -> Lines:
    """Write the given cells, or read them. At every step, reading knows what writing knew."""
    _, memories, hands, _ = shape
    before = _StandIns(shape, shorter)
    found = []
    for level in _levels(shorter):
        column, memory, hand = _said(coder, before, level, hands, given)
        cells = None if given is None else given[column, memory, hand]
        stand_in = before.cells(column, memory, hand)
        sizes = _sizes(coder, column, memory, hand, stand_in, cells)
        level_cells = _moves(coder, column, memory, hand, stand_in, sizes, cells)
        before.keep(level, column, memory, hand, level_cells)
        at, move = np.nonzero(level_cells)
        found.append(np.array([((column * memories + memory) * hands + hand)[at], move, level_cells[at, move]]))
    cell, move, parts = np.concatenate(found, axis=1)
    order = np.lexsort((move, cell))
    return Lines(cell[order], move[order], parts[order])


def _levels(shorter: Ints) -> list[Ints]:
    """The memories that nothing stands in for, those that these stand in for, and so on."""
    levels = [np.flatnonzero(shorter == NONE)]
    while (level := np.flatnonzero(np.isin(shorter, levels[-1]))).size:
        levels.append(level)
    return levels


class _StandIns:
    """What is known of the memories that stand in for others: where they say something, and what they play."""

    def __init__(self, shape: tuple[int, ...], shorter: Ints) -> None:
        columns, memories, hands, moves = shape
        self.shorter = shorter
        self.said = np.zeros((columns, memories + 1, hands), dtype=bool)
        """The last memory stands in where none does, and says nothing."""
        self._row = np.full(memories + 1, NONE)
        needed = np.unique(np.append(shorter, NONE))
        self._row[needed] = np.arange(needed.size)
        self._cells: Cells = np.zeros((columns, needed.size, hands, moves), dtype=np.uint8)

    def cells(self, column: Ints, memory: Ints, hand: Ints) -> Cells:
        """What is played in these cells as long as nothing is said of them."""
        played: Cells = self._cells[column, self._row[self.shorter[memory]], hand]
        return played

    def keep(self, level: Ints, column: Ints, memory: Ints, hand: Ints, cells: Cells) -> None:
        """Remember what is said of the cells of a level, if it stands in for others."""
        self.said[column, memory, hand] = True
        for one in level[self._row[level] != NONE].tolist():
            here = memory == one
            kept = self._cells[:, self._row[one]]
            kept[:] = self._cells[:, self._row[self.shorter[one]]]
            kept[column[here], hand[here]] = cells[here]


def _said(
    coder: ColumnCoder, before: _StandIns, level: Ints, hands: int, given: Cells | None
) -> tuple[Ints, Ints, Ints]:
    """The cells of which something is said: first at which places of any hand, then of which hands."""
    columns = before.said.shape[0]
    column, memory = np.repeat(np.arange(columns), level.size), np.tile(level, columns)
    instead = (np.count_nonzero(before.said[column, before.shorter[memory]], axis=1) > 0).astype(np.int64)
    contexts = [
        Context(_joined(memory, instead), (level.size,)),
        Context(_joined(column, instead)),
        Context(instead, (1, 2, level.size)),
    ]
    said = None if given is None else np.count_nonzero(given[column, memory], axis=(1, 2)) > 0
    here = np.flatnonzero(coder.column("place", contexts, 1, said, instead))
    hand, column, memory = np.tile(np.arange(hands), here.size), column[here].repeat(hands), memory[here].repeat(hands)
    instead = before.said[column, before.shorter[memory], hand].astype(np.int64)
    moves = np.count_nonzero(before.cells(column, memory, hand), axis=1)
    contexts = [
        Context(_joined(hand, column)),
        Context(_joined(hand, memory)),
        Context(_joined(hand, moves), (1,)),
        Context(_joined(column, memory), (1, 2)),
        Context(_joined(moves, instead), (1, 2, hands)),
    ]
    said = None if given is None else np.count_nonzero(given[column, memory, hand], axis=1) > 0
    here = np.flatnonzero(coder.column("hand", contexts, 1, said, instead))
    return column[here], memory[here], hand[here]


def _sizes(coder: ColumnCoder, column: Ints, memory: Ints, hand: Ints, stand_in: Cells, cells: Cells | None) -> Ints:
    """How many moves each cell has."""
    moves = np.count_nonzero(stand_in, axis=1)
    contexts = [
        Context(_joined(hand, moves)),
        Context(_joined(column, moves)),
        Context(_joined(memory, moves), (1,)),
        Context(moves, (1, 2)),
        Context(_joined(hand, column)),
    ]
    given = None if cells is None else np.count_nonzero(cells, axis=1) - 1
    return coder.column("size", contexts, SIZE_BITS, given, np.minimum(moves, 7)) + 1


def _moves(
    coder: ColumnCoder, column: Ints, memory: Ints, hand: Ints, stand_in: Cells, sizes: Ints, cells: Cells | None
) -> Cells:
    """Which moves each cell has, the lowest first, and how many parts each gets; the last gets what is left."""
    moves = stand_in.shape[1]
    found = np.zeros_like(stand_in)
    lowest, rest = np.zeros(len(sizes), dtype=np.int64), np.full(len(sizes), PARTS)
    number = np.arange(moves)
    for done in range(int(sizes.max(initial=0))):
        at = np.flatnonzero(sizes > done)
        where = column[at], memory[at], hand[at]
        left, low, whole, instead = np.minimum(sizes[at] - done, 6), lowest[at], rest[at], stand_in[at]
        possible = number >= low[:, None]
        expected = np.where((possible & (instead > 0)).any(axis=1), (possible & (instead > 0)).argmax(axis=1), moves)
        given = None if cells is None else (possible & (cells[at] > 0)).argmax(axis=1)
        move = _one_move(coder, moves, where, left, low, expected, given)
        parts = whole.copy()
        more = np.flatnonzero(sizes[at] > done + 1)
        own = instead[more, move[more]].astype(np.int64)
        others = np.where(number >= move[more, None], instead[more], 0).sum(axis=1, dtype=np.int64)
        fair = np.where(others > 0, own * whole[more] // np.maximum(others, 1), PARTS)
        given = None if cells is None else cells[at[more], move[more]].astype(np.int64) - 1
        there = column[at[more]], memory[at[more]], hand[at[more]]
        parts[more] = 1 + _its_parts(coder, there, left[more], move[more], whole[more], own, fair, given)
        found[at, move] = parts
        lowest[at], rest[at] = move + 1, whole - parts
    return found


def _one_move(
    coder: ColumnCoder,
    moves: int,
    where: tuple[Ints, Ints, Ints],
    left: Ints,
    low: Ints,
    expected: Ints,
    given: Ints | None,
) -> Ints:
    """The next move of each of these cells, from `low` on; `expected` is that of its stand-in."""
    column, memory, hand = where
    contexts = [
        Context(_joined(hand, column, low)),
        Context(_joined(expected, low, left)),
        Context(_joined(memory, low, expected)),
        Context(_joined(column, expected, left)),
        Context(_joined(hand, low, left)),
        Context(_joined(low, expected), (1,)),
        Context(_joined(column, low, left)),
    ]
    return coder.column("move", contexts, (moves - 1).bit_length(), given, left - 1)


def _its_parts(
    coder: ColumnCoder,
    where: tuple[Ints, Ints, Ints],
    left: Ints,
    move: Ints,
    whole: Ints,
    own: Ints,
    fair: Ints,
    given: Ints | None,
) -> Ints:
    """One less than the parts that a move gets of what is left. Its stand-in gives it `own`, or `fair` of the same."""
    column, memory, hand = where
    contexts = [
        Context(_joined(whole, left)),
        Context(_joined(whole, left, own)),
        Context(_joined(hand, move, left)),
        Context(_joined(fair, whole)),
        Context(_joined(hand, column, own)),
        Context(_joined(memory, move, own)),
        Context(_joined(left, own), (1,)),
        Context(_joined(fair, hand)),
    ]
    return coder.column("parts", contexts, PART_BITS, given, left - 1)


def _joined(*numbers: Ints) -> Ints:
    """Several numbers below 2 ** 12 as one."""
    joined: Ints = np.zeros(numbers[0].shape, dtype=np.int64)
    for part in numbers:
        joined = joined << 12 | part
    return joined
