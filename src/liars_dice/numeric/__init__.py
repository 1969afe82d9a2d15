"""Array types, compiled functions and random streams for all numeric code."""

from .arrays import Floats, Ints, Truths
from .column_coder import ColumnCoder, Context
from .jit import Int, compiled, in_threads, inlined
from .random_streams import DECISIONS, DICE, below, fraction, stream, word

__all__ = [
    "DECISIONS",
    "DICE",
    "ColumnCoder",
    "Context",
    "Floats",
    "Int",
    "Ints",
    "Truths",
    "below",
    "compiled",
    "fraction",
    "in_threads",
    "inlined",
    "stream",
    "word",
]
