"""Strategies for two-player rounds too large to solve: nearly memoryless, and still close to an equilibrium.

A player decides from its own hand, the current bid, and a *memory* of the last two steps of the bidding: by how many
rungs the current bid raised the one before (1 to `faces`, or further), and whether that one had raised its own
predecessor to the same face, by less, or by more. Both players see this, so a round is a game over public places
(column, memory), where column 0 stands for no bid yet and column c for rung c - 1.

This module has the places, and the file format; `tools/build_short_memory.py` makes and measures the strategies.
"""

from __future__ import annotations

import hashlib
import lzma
import struct
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core import GameConfig, round_rules
from ...numeric import Floats, Truths
from ..errors import DataError, OutOfReachError
from ..tables import hand_set, ladder_arrays

Reals = NDArray[np.float32]
LONGEST_RAISE, LONGEST_OPENING = 3, 4
"""The strategies raise by, and open on, at most this many times `faces` rungs. Their opponents need not."""
PARTS = 64
"""Chances are kept in 64ths..."""
LEAST = 0.01
"""...and smaller ones than this are dropped."""
FACES = 6
"""The packaged file is for six faces."""
MAGIC, VERSION = b"LDSM", 1
NAME = "shortmemory.bin"


class Places:
    """The public places of a round, and where each raise leads."""

    def __init__(self, config: GameConfig, *, any_raise: bool = False) -> None:
        self.dice = (config.dice[0], config.dice[1])
        self.faces = config.faces
        rules = round_rules(config.without_seed, config.total_dice, False)
        if (
            config.num_players != 2
            or config.shared_dice
            or rules.wild_face is not None
            or config.exact_call
            or config.max_turns is not None
            or len(rules.opening_rungs) != len(rules.bids)
        ):
            raise OutOfReachError(
                "these strategies are for two players without wild faces, exact calls, opening limits or a cap on turns"
            )
        self.quantity, self.face = ladder_arrays(rules)
        self.rungs = len(rules.bids)
        self.width = np.minimum(LONGEST_RAISE * self.faces, self.rungs - np.arange(self.rungs + 1))
        """How many raises each column has: move j of column c is a bid of rung c + j."""
        self.width[0] = min(LONGEST_OPENING * self.faces, self.rungs)
        if any_raise:
            self.width = self.rungs - np.arange(self.rungs + 1)
        self.call = int(self.width.max())
        """The move that calls."""
        memories = 3 * (self.faces + 1)
        steps = range(1, self.rungs + 1)
        self.after = np.array([[remember(m, step, self.faces) for step in steps] for m in range(memories)])
        """[memory, move]: the memory of the next player."""
        self.kind = self.after[:, -1] // (self.faces + 1)
        """For each memory, the part that is still remembered after another raise."""
        self.legal: Truths = np.zeros((self.rungs + 1, memories, self.call + 1), dtype=bool)
        for column, width in enumerate(self.width.tolist()):
            self.legal[column, :, :width] = True
        self.legal[1:, :, self.call] = True
        self.even: Reals = (self.legal / self.legal.sum(axis=-1, keepdims=True)).astype(np.float32)
        hands = [hand_set(n, self.faces) for n in self.dice]
        self.weights = [h.weights for h in hands]
        self.matches = [h.matches(None) for h in hands]

    def normal(self, weights: Reals) -> Reals:
        """Weights as chances; where all are zero, every legal move is equally likely."""
        total = weights.sum(axis=-1, keepdims=True)
        scaled: Reals = np.where(total > 0, weights / np.where(total > 0, total, 1), self.even).astype(np.float32)
        return scaled


def remember(memory: int, step: int, faces: int) -> int:
    """The memory after a raise by `step` rungs; after an opening it is 0.

    >>> remember(0, 3, faces=6), remember(3, 6, faces=6), remember(6, 7, faces=6)
    (3, 13, 14)
    """
    last = memory % (faces + 1)
    before = 0 if last == 0 else 2 if last == faces else 1
    return (step if step <= faces else 0) + (faces + 1) * before


def memory_of(rungs: Sequence[int], faces: int = FACES) -> int:
    """The memory after a bidding, given as the rungs that were bid.

    >>> memory_of([]), memory_of([9]), memory_of([2, 5, 11])
    (0, 0, 13)
    """
    memory = 0
    for low, high in pairwise(rungs[-3:]):
        memory = remember(memory, high - low, faces)
    return memory


# -- the file --------------------------------------------------------------------------------------------------------


def in_parts(chances: Reals) -> NDArray[np.uint8]:
    """Chances in whole `PARTS`, without the smallest; the largest remainders are rounded up."""
    kept = np.where(chances < LEAST, 0, chances).astype(np.float64)
    exact = PARTS * kept / kept.sum(axis=-1, keepdims=True)
    parts = np.floor(exact + 1e-6)
    order = np.argsort(parts - exact, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1, kind="stable")
    parts += rank < PARTS - parts.sum(axis=-1, keepdims=True)
    whole: NDArray[np.uint8] = parts.astype(np.uint8)
    return whole


def packed(parts: NDArray[np.uint8], kept: Truths) -> bytes:
    """A strategy as bytes: how many moves each place has, the moves, and the parts of all but the last move of each."""
    cells = np.where(kept[..., None], parts, 0).transpose(1, 2, 0, 3).reshape(-1, parts.shape[-1])
    cell, move = np.nonzero(cells)
    last = np.append(cell[1:] != cell[:-1], True)
    sizes = (cells > 0).sum(axis=1).astype(np.uint8)
    written = (sizes, move.astype(np.uint8), cells[cell, move][~last])
    return lzma.compress(b"".join(part.tobytes() for part in written), format=lzma.FORMAT_ALONE, preset=9)


class ShortStrategy:
    """A player's strategy with `own` dice against `other`, as the opener or not."""

    def __init__(self, own: int, other: int, opens: bool, data: bytes) -> None:
        self.own, self.other, self.opens = own, other, opens
        dice = (own, other) if opens else (other, own)
        self.config = GameConfig(dice=dice, faces=FACES)
        self.places = Places(self.config)
        self.hands = hand_set(own, FACES)
        self.liar = self.places.rungs
        columns, self._memories, _ = self.places.legal.shape
        cells = columns * self._memories * len(self.hands)
        raw = lzma.decompress(data, format=lzma.FORMAT_ALONE)
        sizes = np.frombuffer(raw, dtype=np.uint8, count=cells)
        starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        total = int(starts[-1])
        parts = np.zeros(total, dtype=np.int64)
        last = starts[1:][sizes > 0] - 1
        is_last = np.zeros(total, dtype=bool)
        is_last[last] = True
        parts[~is_last] = np.frombuffer(raw, dtype=np.uint8, offset=cells + total)
        sums = np.add.reduceat(parts, starts[:-1][sizes > 0])
        parts[last] = PARTS - sums
        self._starts: list[int] = starts.tolist()
        self._moves = raw[cells : cells + total]
        self._parts = parts.astype(np.uint8).tobytes()

    def chances(self, hand: Sequence[int], bidding: Sequence[int]) -> dict[int, float]:
        """The chances of each action with a hand after bids on these rungs: a rung to bid, or `liar` to call."""
        return self._of(self.hands.index[tuple(sorted(hand))], bidding[-1] + 1 if bidding else 0, memory_of(bidding))

    def _of(self, hand: int, column: int, memory: int) -> dict[int, float]:
        cell = (column * self._memories + memory) * len(self.hands) + hand
        start, end = self._starts[cell], self._starts[cell + 1]
        if start == end:
            cell -= memory * len(self.hands)
            start, end = self._starts[cell], self._starts[cell + 1]
        moves, parts, call = self._moves[start:end], self._parts[start:end], self.places.call
        return {
            self.liar if move == call else column + move: part / PARTS for move, part in zip(moves, parts, strict=True)
        }

    def array(self) -> Floats:
        """The whole strategy: [hand, column, memory, move]."""
        columns, memories, moves = self.places.legal.shape
        sizes = np.diff(self._starts)
        cells = np.zeros((sizes.size, moves))
        move, parts = (np.frombuffer(data, dtype=np.uint8) for data in (self._moves, self._parts))
        cells[np.repeat(np.arange(sizes.size), sizes), move] = parts / PARTS
        whole = cells.reshape(columns, memories, len(self.hands), moves).transpose(2, 0, 1, 3)
        kept = sizes.reshape(columns, memories, len(self.hands)).transpose(2, 0, 1) > 0
        return np.where(kept[..., None], whole, whole[:, :, :1])


class StrategyBook:
    """All strategies of a file, each unpacked when it is first needed."""

    def __init__(self, data: bytes, name: str = NAME) -> None:
        head = struct.calcsize("<4sHH16s")
        if len(data) < head:
            raise DataError(f"{name}: not a file of strategies")
        magic, version, blocks, digest = struct.unpack_from("<4sHH16s", data)
        if magic != MAGIC:
            raise DataError(f"{name}: not a file of strategies")
        if version != VERSION:
            raise DataError(f"{name}: strategies of version {version}; this program reads version {VERSION}")
        if hashlib.blake2b(data[head:], digest_size=16).digest() != digest:
            raise DataError(f"{name}: damaged, its checksum is wrong")
        self._data = data
        self._where: dict[tuple[int, int, bool], tuple[int, int]] = {}
        start = head + blocks * struct.calcsize("<BBBxI")
        for own, other, opens, size in struct.iter_unpack("<BBBxI", data[head:start]):
            self._where[own, other, bool(opens)] = (start, start + size)
            start += size
        self._known: dict[tuple[int, int, bool], ShortStrategy] = {}

    def __contains__(self, key: tuple[int, int, bool]) -> bool:
        return key in self._where

    def __iter__(self) -> Iterator[tuple[int, int, bool]]:
        return iter(self._where)

    def __getitem__(self, key: tuple[int, int, bool]) -> ShortStrategy:
        """The strategy with `own` dice against `other`, as the opener or not."""
        if key not in self._known:
            start, end = self._where[key]
            self._known[key] = ShortStrategy(*key, self._data[start:end])
        return self._known[key]


def written(blocks: dict[tuple[int, int, bool], bytes]) -> bytes:
    """A file of packed strategies."""
    table = b"".join(struct.pack("<BBBxI", *key, len(data)) for key, data in blocks.items())
    body = table + b"".join(blocks.values())
    digest = hashlib.blake2b(body, digest_size=16).digest()
    return struct.pack("<4sHH16s", MAGIC, VERSION, len(blocks), digest) + body


@lru_cache(maxsize=1)
def load() -> StrategyBook:
    """The packaged strategies."""
    return StrategyBook((resources.files(__package__) / "data" / NAME).read_bytes())
