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


class SeatStream:
    """The randomness of one seat in one round of a seeded game.

    It is a keyed hash of (round, seat): dice cannot be predicted from other dice, no draw shifts the dice of another
    seat or round, and the same seed gives the same dice on every machine.
    """

    __slots__ = ("_block", "_key", "_place")

    def __init__(self, seed: int, round_index: int, seat: int) -> None:
        self._key = seed.to_bytes(8, "big")
        self._place = round_index << 40 | seat << 32
        self._block = 0

    def randbytes(self, n: int, /) -> bytes:
        """The next `n` bytes; each call starts at a new block of the stream."""
        out = b""
        while len(out) < n:
            out += blake2b((self._place | self._block).to_bytes(16, "big"), key=self._key).digest()
            self._block += 1
        return out[:n]


def roll_for_seats(
    numbers: Iterable[int], faces: int, seed: int, round_index: int, first: int = 0
) -> list[tuple[int, ...]]:
    """That many dice for each seat from `first` on, as a `DiceCup` rolls them from the `SeatStream` of each seat.

    It is faster because one block of a stream is enough for all dice of a seat, unless one of its bytes is rejected.
    """
    face_of_byte, _ = _byte_faces(faces)
    keyed, seat = blake2b(key=seed.to_bytes(8, "big")), first
    hands: list[tuple[int, ...]] = []
    for n in numbers:
        if n:
            hashed = keyed.copy()  # faster than a new hash with the same key
            hashed.update((round_index << 40 | seat << 32).to_bytes(16, "big"))
            rolled = hashed.digest()[:n].translate(face_of_byte)
            if 0 in rolled or len(rolled) < n:
                hands.append(DiceCup(faces).roll(n, SeatStream(seed, round_index, seat)))
            else:
                hands.append(tuple(rolled))
        else:
            hands.append(())
        seat += 1
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
