"""Dice, the cup they are rolled in, and where an engine's randomness comes from (rule 1.4)."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from typing import Protocol

import msgspec

from .config import SEEDS


class Randomness(Protocol):
    """What dice need of a random source; `random.Random` has it."""

    def randbytes(self, n: int, /) -> bytes:
        """`n` random bytes."""


class Die(msgspec.Struct, frozen=True):
    """One die. Every face is exactly equally likely.

    >>> import random
    >>> Die(6).roll(random.Random(1)) in range(1, 7)
    True
    """

    faces: int = 6

    def roll(self, rng: Randomness) -> int:
        """A face from 1 to `faces`."""
        return DiceCup(self.faces).roll(1, rng)[0]


class DiceCup(msgspec.Struct, frozen=True):
    """A cup that rolls any number of dice, each with `faces` faces."""

    faces: int = 6

    def roll(self, n: int, rng: Randomness) -> tuple[int, ...]:
        """`n` faces, in the order in which they fell."""
        face_of_byte, rejected = _byte_faces(self.faces)
        rolled = rng.randbytes(n).translate(face_of_byte, rejected)
        while len(rolled) < n:
            rolled += rng.randbytes(n - len(rolled)).translate(face_of_byte, rejected)
        return tuple(rolled)


@cache
def _byte_faces(faces: int) -> tuple[bytes, bytes]:
    """A face for each byte, and the last bytes. Those are rejected (face 0): they would favour low faces."""
    fair = 256 - 256 % faces
    return bytes(byte % faces + 1 if byte < fair else 0 for byte in range(256)), bytes(range(fair, 256))


def _block(keyed: blake2b, place: int) -> bytes:
    """A block of a stream, from a hash that has its key: copying that is faster than making another."""
    hashed = keyed.copy()
    hashed.update(place.to_bytes(16, "big"))
    return hashed.digest()


class SeatStream:
    """The randomness of one seat in one round of a seeded game.

    It is a keyed hash of (round, seat): dice cannot be predicted from other dice, no draw shifts the dice of another
    seat or round, and the same seed gives the same dice on every machine.
    """

    __slots__ = ("_key", "_place")

    def __init__(self, seed: int, round_index: int, seat: int) -> None:
        self._key = seed.to_bytes(8, "big")
        self._place = round_index << 40 | seat << 32

    def randbytes(self, n: int, /) -> bytes:
        """The next `n` bytes; each call starts at a new block of the stream."""
        out = b""
        while len(out) < n:
            out += _block(blake2b(key=self._key), self._place)
            self._place += 1
        return out[:n]


def roll_for_seats(numbers: Iterable[int], faces: int, seed: int, round_index: int, first: int = 0) -> list[bytes]:
    """That many dice, at most 64, for each seat from `first` on, as a `DiceCup` rolls them from each `SeatStream`.

    It is faster because the hash gets its key once, and a block of a stream has all dice of a seat, unless some of its
    bytes are rejected.
    """
    face_of_byte, rejected = _byte_faces(faces)
    keyed, place = blake2b(key=seed.to_bytes(8, "big")), round_index << 40 | first << 32
    hands: list[bytes] = []
    for n in numbers:
        rolled, block = b"", place
        while len(rolled) < n:
            rolled += _block(keyed, block)[: n - len(rolled)].translate(face_of_byte, rejected)
            block += 1
        hands.append(rolled)
        place += 1 << 32
    return hands


def fresh_seed() -> int:
    """A seed that cannot be guessed."""
    return secrets.randbelow(SEEDS.stop)


def fresh_secret() -> str:
    """256 random bits as hexadecimal digits, to commit to."""
    return secrets.token_hex(32)


def derive_seed(seed: int, *labels: str | int) -> int:
    """A seed for one part of something larger. It reveals nothing about `seed`, unless that can be guessed."""
    text = "\x1f".join(f"{type(label).__name__}:{label}" for label in labels)
    return int.from_bytes(blake2b(text.encode(), key=seed.to_bytes(8, "big"), digest_size=8).digest(), "big") >> 1
