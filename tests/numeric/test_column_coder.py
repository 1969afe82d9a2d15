"""Columns of whole numbers, packed by context mixing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liars_dice.numeric import ColumnCoder, Context, Ints
from liars_dice.numeric.column_coder import MIXERS, ONE, STRETCHED, UNIT

Column = tuple[str, int, Ints, Ints]
"""A name, the bits of each number, what is known of them, and the numbers."""


def contexts_of(known: Ints) -> list[Context]:
    return [Context(known), Context(known, (1,)), Context(known * 0, (1, 3))]


def packed(columns: list[Column]) -> bytes:
    coder = ColumnCoder()
    for name, bits, known, numbers in columns:
        given_back = coder.column(name, contexts_of(known), bits, numbers, known % MIXERS)
        assert given_back.tolist() == numbers.tolist()
    return coder.packed()


def unpacked(data: bytes, columns: list[Column]) -> list[list[int]]:
    coder = ColumnCoder(data)
    return [
        coder.column(name, contexts_of(known), bits, mixer=known % MIXERS).tolist() for name, bits, known, _ in columns
    ]


@st.composite
def any_columns(draw: st.DrawFn) -> list[Column]:
    """Up to four columns of two names, with random, steady or repeating numbers."""
    columns = []
    for name in draw(st.lists(st.sampled_from(("narrow", "wide")), max_size=4)):
        bits, size = {"narrow": 1, "wide": 9}[name], draw(st.integers(0, 200))
        rng = np.random.default_rng(draw(st.integers(0, 9)))
        numbers = draw(
            st.sampled_from(
                (rng.integers(0, 1 << bits, size), np.full(size, (1 << bits) - 1), np.arange(size) // 7 % (1 << bits))
            )
        )
        columns.append((name, bits, rng.integers(0, 5, size), numbers))
    return columns


@settings(max_examples=40, deadline=None)
@given(any_columns())
def test_columns_come_back_as_they_were(columns: list[Column]) -> None:
    data = packed(columns)
    assert unpacked(data, columns) == [numbers.tolist() for _, _, _, numbers in columns]
    assert data == packed(columns)


def test_what_is_expected_takes_little_room_and_surprises_take_more() -> None:
    rng = np.random.default_rng(1)
    known = rng.integers(0, 16, 20_000)
    follows: list[Column] = [("numbers", 4, known, known ^ 5)]
    random: list[Column] = [("numbers", 4, known, rng.integers(0, 16, known.size))]
    assert len(packed(follows)) < 200
    assert 10_000 <= len(packed(random)) < 10_400  # four bits each, and a little for having hoped
    surprises = known ^ 5
    surprises[5_000:] = rng.integers(0, 16, 15_000)
    late: list[Column] = [("numbers", 4, known, surprises)]
    assert unpacked(packed(late), late) == [surprises.tolist()]


def test_columns_of_one_name_learn_from_each_other() -> None:
    known = np.arange(1000)
    one: Column = ("numbers", 3, known, np.random.default_rng(2).integers(0, 8, known.size))
    alone, twice = len(packed([one])), len(packed([one, one]))
    other = len(packed([one, ("others", *one[1:])]))
    assert twice < 1.5 * alone < 1.9 * alone < other


def test_nothing_at_all() -> None:
    assert unpacked(packed([]), []) == []
    empty: list[Column] = [("numbers", 3, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    assert unpacked(packed(empty), empty) == [[]]


def test_every_machine_has_the_same_tables() -> None:
    """They are rounded from logarithms, so no logarithm may be close to where rounding turns."""
    chance = (np.arange(ONE // 16) + 0.5) / (ONE // 16)
    stretched = UNIT * np.log(chance / (1 - chance))
    squashed = ONE / (1 + np.exp(-np.arange(-STRETCHED, STRETCHED) / UNIT))
    for values in (stretched, squashed):
        assert np.abs(values - np.floor(values) - 0.5).min() > 1e-6


def test_numbers_must_fit() -> None:
    known = np.zeros(2, dtype=np.int64)
    for numbers in ([0, 4], [-1, 0]):
        with pytest.raises(ValueError, match="numbers of 2 bits"):
            ColumnCoder().column("numbers", contexts_of(known), 2, np.array(numbers))
