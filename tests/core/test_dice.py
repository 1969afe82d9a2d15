"""Fair dice, and seeds that cannot be worked out from them (rules 1.3, 1.4)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from liars_dice.core import DiceCup, Die, GameConfig, GameEngine, derive_seed
from liars_dice.core.dice import SeatStream, fresh_seed, roll_for_seats


@pytest.mark.parametrize("faces", range(2, 21))
def test_each_byte_that_counts_gives_each_face_equally_often(faces: int) -> None:
    """Rule 1.4: exactly fair, not nearly: every accepted byte value is some face, and all faces have as many."""

    class EveryByte:
        def randbytes(self, n: int, /) -> bytes:
            return bytes(range(256))[:n]

    rolled = Counter(DiceCup(faces).roll(256 - 256 % faces, EveryByte()))
    assert set(rolled) == set(range(1, faces + 1))
    assert len(set(rolled.values())) == 1


def test_faces_come_up_equally_often() -> None:
    """Chi-square with 5 degrees of freedom: above 20.5 once in a thousand; the seed is fixed."""
    rolled = Counter(face for r in range(2000) for seat in (0, 1) for face in DiceCup().roll(5, SeatStream(7, r, seat)))
    expected = 20000 / 6
    assert sum((n - expected) ** 2 / expected for n in rolled.values()) < 20.5


@pytest.mark.parametrize("faces", [6, 7, 20])
def test_rejected_bytes_are_drawn_again(faces: int) -> None:
    """Rule 1.4: also at the second try a byte that would favour low faces does not count."""

    class Stubborn:
        draws = iter([bytes([255, 1, 255]), bytes([255, 2]), bytes([3])])

        def randbytes(self, n: int, /) -> bytes:
            drawn = next(self.draws)
            assert len(drawn) == n
            return drawn

    assert DiceCup(faces).roll(3, Stubborn()) == (2, 3, 4)


def test_any_randomness_will_do() -> None:
    assert Die(6).roll(random.Random(3)) in range(1, 7)
    assert len(DiceCup(20).roll(60, random.Random(3))) == 60
    assert DiceCup(6).roll(0, random.Random(3)) == ()


def test_streams_depend_on_seed_round_and_seat_alone() -> None:
    """Rule 1.4."""
    streams = {(s, r, p): SeatStream(s, r, p).randbytes(64) for s in (0, 1) for r in (0, 1) for p in (0, 1)}
    assert len(set(streams.values())) == 8
    long = SeatStream(1, 1, 1).randbytes(200)
    assert long[:64] == streams[1, 1, 1]
    assert len({long[start : start + 64] for start in (0, 64, 128)}) == 3


def test_one_seats_dice_do_not_shift_anothers() -> None:
    """With one die fewer in seat 0, seat 1 rolls what it would have rolled."""
    full, short = GameEngine(GameConfig(dice=(3, 4), seed=11)), GameEngine(GameConfig(dice=(2, 4), seed=11))
    full.start_new_round()
    short.start_new_round()
    assert full.state.hands[1] == short.state.hands[1]


@pytest.mark.parametrize("faces", [2, 6, 7, 20])
def test_a_round_is_rolled_from_the_streams_of_its_seats(faces: int) -> None:
    """The engine's short way gives the dice that the cup rolls, also where bytes are rejected."""
    numbers = (5, 0, 1, 60)
    for seed in (0, 1, 2**63 - 1):
        for index in range(30):
            rolled = roll_for_seats(numbers, faces, seed, index, first=2)
            cup = DiceCup(faces)
            assert [*map(tuple, rolled)] == [
                cup.roll(n, SeatStream(seed, index, seat)) for seat, n in enumerate(numbers, 2)
            ]


def test_known_dice() -> None:
    """The same seed gives these dice on every machine, for ever: recorded seeds stay meaningful."""
    assert DiceCup(6).roll(10, SeatStream(2026, 3, 1)) == (6, 4, 3, 1, 4, 3, 2, 6, 4, 6)
    assert derive_seed(1, "agent", 0) == 4498826143356028961


def test_derived_seeds_differ() -> None:
    seeds = {derive_seed(seed, "agent", seat) for seed in range(10) for seat in range(10)}
    assert len(seeds) == 100
    assert derive_seed(1, "a", "b") != derive_seed(1, "ab")
    assert derive_seed(1, 1) != derive_seed(1, "1")
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert fresh_seed() != fresh_seed()
