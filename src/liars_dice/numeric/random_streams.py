"""Random numbers by position: word i of stream (seed, game) is a function of these three numbers and nothing else.

So a game's dice do not depend on the order of play, and any number of workers plays the same games. Words are mixed as
in splitmix64: add a multiple of an odd constant, then scramble the bits (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import numpy as np

from .jit import Int, compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_S27, _S30, _S31, _S32, _S11 = (np.uint64(shift) for shift in (27, 30, 31, 32, 11))
DICE, DECISIONS = 0, 1
"""The two streams of a game."""


@compiled
def scramble(word: np.uint64) -> np.uint64:
    """A 64-bit number that looks unrelated to the given one; different numbers give different results."""
    word = (word ^ (word >> _S30)) * _FIRST
    word = (word ^ (word >> _S27)) * _SECOND
    return word ^ (word >> _S31)


@compiled
def stream(seed: np.uint64, game: Int, kind: int) -> np.uint64:
    """The key of one of a game's streams."""
    key = scramble(np.uint64(seed) + _STEP)
    return scramble(scramble(key + np.uint64(game) * _STEP) + np.uint64(kind) + np.uint64(1))


@compiled
def word(key: np.uint64, position: int) -> np.uint64:
    """The 64 bits at a position of a stream."""
    return scramble(key + np.uint64(position) * _STEP)


@compiled
def below(key: np.uint64, position: int, n: Int) -> tuple[np.int64, int]:
    """A whole number from 0 to n - 1, all exactly equally likely, and the next free position (Lemire 2019).

    Of the 2**32 values of half a word, the few that would favour some numbers are drawn again.
    """
    bound = np.uint64(n)
    while True:
        product = (word(key, position) >> _S32) * bound
        position += 1
        low = product & _LOW_HALF
        if low >= bound or low >= (_LOW_HALF + np.uint64(1) - bound) % bound:
            return np.int64(product >> _S32), position


@compiled
def fraction(key: np.uint64, position: int) -> np.float64:
    """A number from 0 up to, but not including, 1."""
    return np.float64(word(key, position) >> _S11) * (1.0 / 9007199254740992.0)
