"""Columns of small whole numbers, packed without loss by context mixing and arithmetic coding.

A number is coded bit by bit, the highest first. Every *context* (something that the reader already knows about the
number, such as the hand it belongs to) predicts the bit from the bits that came before in the same context. Weights
that are learned along the way mix the predictions, as in the PAQ compressors:

    p = squash(sum over contexts of weight * stretch(prediction)),    stretch(p) = ln(p / (1 - p)) = squash^-1(p)

and the bit takes -log2 of the chance that p gave it. All of this is in whole numbers, so that every machine reads what
any other machine has written.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Ints
from .jit import compiled
from .random_streams import scramble

SLOTS = 1 << 18
"""How many predictions each context keeps. Contexts that fall into the same slot share it."""
MIXERS = 8
"""How many sets of weights a column has to choose from."""
ONE = 1 << 16
"""A chance of 1. Predictions are in 65536ths, and so are weights."""
STRETCHED, UNIT = 2048, 256
"""The largest stretched prediction, and how many steps there are to 1."""
STEADY = 30
"""From this many bits on, a prediction moves by a fixed share of its error."""
LEARNING, SHIFT = 12, 18
"""Weights move by this many 2 ** -SHIFT of the error times the stretched prediction."""
BYTE, TOP, WORD = 0xFF, 0xFF000000, 0xFFFFFFFF


class Context(NamedTuple):
    """What predicts each number of a column: a number that the reader already knows, and the column's own numbers
    `lags` places before.
    """

    known: Ints
    lags: tuple[int, ...] = ()


class _Model(NamedTuple):
    """What has been learned from the columns of one name so far."""

    predictions: NDArray[np.uint32]
    """[context, slot]: how likely a one is, and in the lowest byte from how many bits that was learned, up to `STEADY`.
    Both in one number: reading it takes most of the time.
    """
    weights: Ints
    """[mixer and the bits before, context]."""


class ColumnCoder:
    """Packs columns; made with packed bytes, it unpacks them.

    To unpack, call `column` as for packing, in the same order, without the numbers.

    >>> known, secret = np.arange(6) % 2, np.array([3, 1, 3, 1, 3, 1])
    >>> packs = ColumnCoder()
    >>> packs.column("example", [Context(known)], 2, secret).tolist()
    [3, 1, 3, 1, 3, 1]
    >>> ColumnCoder(packs.packed()).column("example", [Context(known)], 2).tolist()
    [3, 1, 3, 1, 3, 1]
    """

    def __init__(self, data: bytes | None = None) -> None:
        self._parts: list[bytes] = []
        self._data = np.frombuffer(data or b"", dtype=np.uint8)
        self._unpacks = data is not None
        self._models: dict[str, _Model] = {}
        self._state = np.array([0, WORD, 0, 0])
        """The interval that the next bit divides, where the next byte is read, and the bytes that are read."""
        if self._unpacks:
            self._state[2:] = 4, int.from_bytes(self._data[:4].tobytes().ljust(4, b"\0"), "big")

    def column(
        self,
        name: str,
        contexts: Sequence[Context],
        bits: int,
        numbers: NDArray[np.integer] | None = None,
        mixer: Ints | None = None,
    ) -> Ints:
        """Pack or unpack numbers of `bits` bits. Columns of one name have the same contexts, and learn from each other;
        `mixer` says which of the `MIXERS` sets of weights each number uses.
        """
        known = np.array([context.known for context in contexts], dtype=np.int64)
        most = max(len(context.lags) for context in contexts)
        lags = np.array([context.lags + (0,) * (most - len(context.lags)) for context in contexts], dtype=np.int64)
        if numbers is None:
            found, packed = np.zeros(known.shape[1], dtype=np.int64), np.zeros(0, dtype=np.uint8)
        else:
            found, packed = numbers.astype(np.int64), np.zeros(known.shape[1] * bits * 2 + 8, dtype=np.uint8)
            if found.size and not 0 <= found.min() <= found.max() < 1 << bits:
                raise ValueError(f"from {found.min()} to {found.max()}, expected numbers of {bits} bits")
        chosen = np.zeros(known.shape[1], dtype=np.int64) if mixer is None else mixer
        written = _code(
            found, bits, known, lags, chosen, self._model(name, bits, len(contexts)), self._state, self._data, packed
        )
        self._parts.append(packed[:written].tobytes())
        return found

    def packed(self) -> bytes:
        """All columns so far. Nothing can follow them."""
        return b"".join(self._parts) + bytes([(int(self._state[0]) >> 24) + 1])

    def _model(self, name: str, bits: int, contexts: int) -> _Model:
        if name not in self._models:
            self._models[name] = _Model(
                np.full((contexts, SLOTS), ONE // 2 << 8, dtype=np.uint32),
                np.full((MIXERS << bits, contexts), 2 * ONE // (contexts + 1), dtype=np.int64),
            )
        return self._models[name]


def _stretch_and_squash() -> tuple[Ints, Ints]:
    """`stretch` of every 16th chance, and `squash` of every stretched chance."""
    chance = (np.arange(ONE // 16) + 0.5) / (ONE // 16)
    stretched = np.rint(UNIT * np.log(chance / (1 - chance)))
    squashed = np.rint(ONE / (1 + np.exp(-np.arange(-STRETCHED, STRETCHED) / UNIT)))
    most = STRETCHED - 1
    return np.clip(stretched, -most, most).astype(np.int64), np.clip(squashed, 16, ONE - 16).astype(np.int64)


STRETCH, SQUASH = _stretch_and_squash()
SHARE = np.array([10 * ONE // (10 * seen + 16) for seen in range(STEADY + 1)])
"""By what share of its error a prediction moves, by the number of bits that it was learned from."""


@compiled
def _code(
    numbers: Ints,
    bits: int,
    known: Ints,
    lags: Ints,
    mixer: Ints,
    model: _Model,
    state: Ints,
    data: NDArray[np.uint8],
    packed: NDArray[np.uint8],
) -> int:
    """Write the numbers to `packed`, or read them from `data` if `packed` is empty; return how many bytes were made."""
    contexts, writes = known.shape[0], packed.size > 0
    low, high, at, value = state[0], state[1], state[2], state[3]
    written = 0
    hashed = np.zeros(contexts, dtype=np.uint64)
    slot, stretched, chance = np.zeros((3, contexts), dtype=np.int64)
    seen = np.zeros(contexts, dtype=np.int64)
    for i in range(numbers.size):
        for k in range(contexts):
            hashed[k] = scramble(np.uint64(known[k, i]))
            for lag in lags[k]:
                if lag > 0:
                    hashed[k] = scramble(hashed[k] + np.uint64(numbers[i - lag] + 1 if i >= lag else 0))
        node = 1  # a one, and the bits so far
        for bit_number in range(bits - 1, -1, -1):
            weights = model.weights[mixer[i] << bits | node]
            mean = np.int64(0)
            for k in range(contexts):
                slot[k] = np.int64(scramble(hashed[k] + np.uint64(node)) & np.uint64(SLOTS - 1))
                prediction = np.int64(model.predictions[k, slot[k]])
                chance[k], seen[k] = prediction >> 8, prediction & BYTE
                stretched[k] = STRETCH[chance[k] >> 4]
                mean += weights[k] * stretched[k]
            one = SQUASH[min(max(int(mean >> 16), -STRETCHED), STRETCHED - 1) + STRETCHED]
            middle = low + ((high - low) * one >> 16)
            bit = numbers[i] >> bit_number & 1 if writes else np.int64(value <= middle)
            if bit:
                high = middle
            else:
                low = middle + 1
            while (low ^ high) & TOP == 0:  # the first byte is settled
                if writes:
                    packed[written] = high >> 24
                    written += 1
                else:
                    value = value << 8 & WORD | (data[at] if at < data.size else 0)
                    at += 1
                low, high = low << 8 & WORD, high << 8 & WORD | BYTE
            error = ((bit << 16) - one) * LEARNING
            for k in range(contexts):
                weights[k] += (stretched[k] * error + (1 << SHIFT - 1)) >> SHIFT
                better = chance[k] + ((bit * (ONE - 1) - chance[k]) * SHARE[seen[k]] >> 16)
                model.predictions[k, slot[k]] = better << 8 | min(seen[k] + 1, STEADY)
            node = node << 1 | int(bit)
        if not writes:
            numbers[i] = node - (1 << bits)
    state[0], state[1], state[2], state[3] = low, high, at, value
    return written
