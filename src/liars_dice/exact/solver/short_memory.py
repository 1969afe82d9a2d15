"""Strategies for two-player rounds too large to solve: nearly memoryless, and still close to an equilibrium.

A player decides from its own hand, the current bid, and a *memory* of the last steps of the bidding. Both players see
this, so a round is a game over public places (column, memory), where column 0 stands for no bid yet and column c for
rung c - 1. There are two kinds of memory:

- of *kinds*: by how many rungs the current bid raised the one before (1 to `faces`, or further), and whether that one
  had raised its own predecessor to the same face, by less, or by more;
- of *steps*: by how many rungs each of the last one, two or more bids raised the one before it.

This module has the places, and the file of strategies, each packed by `exact.solver.short_memory_packing`.
`tools/build_short_memory.py` makes the file, and `exact.solver.short_memory_adversary` measures the strategies.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import GameConfig, preset, round_rules
from ...numeric import Floats, Ints, Truths
from ..errors import DataError, OutOfReachError
from ..tables import hand_set, ladder_arrays
from .short_memory_packing import PARTS, pack_cells, unpack_cells

Reals = NDArray[np.float32]
ShortGame = Literal["heads-up", "perudo"]
"""The games that the packaged file has strategies for."""
GAMES: tuple[ShortGame, ...] = ("heads-up", "perudo")
LONGEST_RAISE, LONGEST_OPENING = 3, 4
"""The strategies raise by, and open on, at most this many times `faces` rungs. Their opponents need not."""
LEAST = 0.01
"""Smaller chances than this are dropped."""
FACES = 6
"""The packaged file is for six faces."""
WINDOW = 12
"""A memory of steps takes a raise by more rungs than this as far, and forgets what came before it."""
FAR, START, STEPS = 0, WINDOW + 1, WINDOW + 2
"""A remembered step is the number of rungs of a raise, `FAR`, or `START` for the first bid."""
MAGIC, VERSION = b"LDSM", 3
HEAD, ENTRY = "<4sHH16s", "<BBBBBxxxI"
"""The beginning of a file, and its entry for each strategy: game, dice, whether it opens, steps, bytes."""
NAME = "shortmemory.bin"


class Memory(NamedTuple):
    """What players remember, as numbers."""

    after: Ints
    """[memory, step - 1]: the memory after a raise by `step` rungs."""
    start: int
    """The memory after the first bid."""
    shorter: Ints
    """For each memory the one that stands in for it where a strategy says nothing, or -1. Memories that only stand in
    have the highest numbers."""

    @property
    def used(self) -> int:
        """How many memories there are besides those that only stand in for others."""
        return len(self.after)


def memory_of_kinds(faces: int, rungs: int) -> Memory:
    """The last raise, and what kind of raise came before it. Memory 0, after a long raise or the first bid, stands in
    for all others.
    """
    memories = 3 * (faces + 1)
    after = np.array([[remember(memory, step, faces) for step in range(1, rungs + 1)] for memory in range(memories)])
    shorter = np.zeros(memories, dtype=np.int64)
    shorter[0] = -1
    return Memory(after, 0, shorter)


def memory_of_steps(steps: int, rungs: int) -> Memory:
    """The last `steps` steps, the newest as the highest digit. Shorter memories stand in for longer ones."""
    older = STEPS ** (steps - 1)
    memory = np.arange(STEPS * older)[:, None]
    step = np.arange(1, rungs + 1)
    after = np.where(step <= WINDOW, step * older + memory // STEPS, FAR)
    sizes = [STEPS**length for length in range(steps, -1, -1)]
    first = np.cumsum([0, *sizes])
    shorter = [first[at + 1] + np.arange(size) // STEPS for at, size in enumerate(sizes[:-1])]
    return Memory(after, START * older, np.concatenate([*shorter, [-1]]))


def remember(memory: int, step: int, faces: int) -> int:
    """The memory of kinds after a raise by `step` rungs; after an opening it is 0.

    >>> remember(0, 3, faces=6), remember(3, 6, faces=6), remember(6, 7, faces=6)
    (3, 13, 14)
    """
    last = memory % (faces + 1)
    before = 0 if last == 0 else 2 if last == faces else 1
    return (step if step <= faces else 0) + (faces + 1) * before


class Places:
    """The public places of a round, and where each raise leads. Players remember so many steps, or kinds of steps."""

    def __init__(self, config: GameConfig, steps: int = 0, *, any_raise: bool = False) -> None:
        self.dice = (config.dice[0], config.dice[1])
        self.faces = config.faces
        rules = round_rules(config.without_seed, config.total_dice, False)
        if (
            config.num_players != 2
            or config.shared_dice
            or config.max_turns is not None
            or len(rules.opening_rungs) != len(rules.bids)
        ):
            raise OutOfReachError("these strategies are for two players without opening limits or a cap on turns")
        self.exact_calls = config.exact_call
        self.quantity, self.face = ladder_arrays(rules)
        self.rungs = len(rules.bids)
        self.width = np.minimum(LONGEST_RAISE * self.faces, self.rungs - np.arange(self.rungs + 1))
        """How many raises each column has: move j of column c is a bid of rung c + j."""
        self.width[0] = min(LONGEST_OPENING * self.faces, self.rungs)
        if any_raise:
            self.width = self.rungs - np.arange(self.rungs + 1)
        self.call = int(self.width.max())
        """The move that calls liar. If there are exact calls, they are the move after it."""
        self.moves = self.call + 1 + self.exact_calls
        self.memory = memory_of_steps(steps, self.rungs) if steps else memory_of_kinds(self.faces, self.rungs)
        self.after = self.memory.after
        """[memory, move]: the memory of the next player."""
        self.start = self.memory.start
        """The memory after the first bid."""
        _, self.kind = np.unique(self.after, axis=0, return_inverse=True)
        """For each memory, the part that is still remembered after another raise."""
        hands = [hand_set(n, self.faces) for n in self.dice]
        self.weights = [h.weights for h in hands]
        self.matches = [h.matches(rules.wild_face) for h in hands]

    @cached_property
    def legal(self) -> Truths:
        """[column, memory, move]."""
        legal: Truths = np.zeros((self.rungs + 1, self.memory.used, self.moves), dtype=bool)
        for column, width in enumerate(self.width.tolist()):
            legal[column, :, :width] = True
        legal[1:, :, self.call :] = True
        return legal

    @cached_property
    def even(self) -> Reals:
        """[column, memory, move]: all legal moves are equally likely."""
        even: Reals = (self.legal / self.legal.sum(axis=-1, keepdims=True)).astype(np.float32)
        return even

    def normal(self, weights: Reals) -> Reals:
        """Weights as chances; where all are zero, every legal move is equally likely."""
        total = weights.sum(axis=-1, keepdims=True)
        scaled: Reals = np.where(total > 0, weights / np.where(total > 0, total, 1), self.even).astype(np.float32)
        return scaled

    def place(self, bidding: Sequence[int]) -> tuple[int, int]:
        """The column and the memory after a bidding, given as the rungs that were bid."""
        if not bidding:
            return 0, 0
        memory = self.start
        for low, high in pairwise(bidding):
            memory = int(self.after[memory, high - low - 1])
        return bidding[-1] + 1, memory


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


def packed(places: Places, parts: NDArray[np.uint8], kept: Truths) -> bytes:
    """A strategy as bytes, where it is kept: [hand, column, memory, move] and [hand, column, memory]."""
    cells = np.where(kept[..., None], parts, 0).transpose(1, 2, 0, 3)
    return pack_cells(np.ascontiguousarray(cells), places.memory.shorter)


class ShortKey(NamedTuple):
    """A round, seen by one of its players."""

    game: ShortGame
    own: int
    other: int
    opens: bool
    """Whether the player opens."""

    @property
    def opponent(self) -> ShortKey:
        """The other player of the same round."""
        return ShortKey(self.game, self.other, self.own, not self.opens)

    @property
    def dice(self) -> tuple[int, int]:
        """The opener's dice, and the other player's."""
        return (self.own, self.other) if self.opens else (self.other, self.own)

    @property
    def name(self) -> str:
        """The game and the dice, the player's own first."""
        return f"{self.game}:{self.own}v{self.other}"

    @property
    def config(self) -> GameConfig:
        """The rules of the round."""
        if self.game == "perudo":
            return preset("perudo", players=2, mode="single_round").replace(dice=self.dice)
        return GameConfig(dice=self.dice, faces=FACES)


class ShortStrategy:
    """A player's strategy in a round. Actions are numbers: a rung to bid, `liar`, or `exact`."""

    def __init__(self, key: ShortKey, steps: int, data: bytes) -> None:
        self.key, self.own, self.other, self.opens = key, key.own, key.other, key.opens
        self.config = key.config
        self.places = Places(self.config, steps)
        self.hands = hand_set(self.own, FACES)
        self.liar, self.exact = self.places.rungs, self.places.rungs + 1
        self._memories = len(self.places.memory.shorter)
        shape = (self.places.rungs + 1, self._memories, len(self.hands), self.places.moves)
        cell, move, parts = unpack_cells(data, shape, self.places.memory.shorter)
        starts = np.searchsorted(cell, np.arange(math.prod(shape[:-1]) + 1))
        self._starts = starts.astype(np.uint32)
        self._moves = move.astype(np.uint8).tobytes()
        self._parts = parts.astype(np.uint8).tobytes()

    def chances(self, hand: Sequence[int], bidding: Sequence[int]) -> dict[int, float]:
        """The chances of each action with a hand after bids on these rungs."""
        column, memory = self.places.place(bidding)
        index, hands = self.hands.index[tuple(sorted(hand))], len(self.hands)
        while memory >= 0:
            cell = (column * self._memories + memory) * hands + index
            start, end = self._starts[cell : cell + 2].tolist()
            if start < end:
                moves, parts = self._moves[start:end], self._parts[start:end]
                return {self._action(column, m): part / PARTS for m, part in zip(moves, parts, strict=True)}
            memory = int(self.places.memory.shorter[memory])
        return {self.liar: 1.0}

    def fingerprint(self) -> str:
        """What changes whenever the strategy does."""
        said = self._starts.astype("<u4").tobytes(), self._moves, self._parts
        return hashlib.blake2b(b"".join(said), digest_size=8).hexdigest()

    def _action(self, column: int, move: int) -> int:
        return column + move if move < self.places.call else self.liar + move - self.places.call

    def parts(self) -> NDArray[np.uint8]:
        """The whole strategy in whole `PARTS`: [column, memory, hand, move]."""
        places, hands = self.places, len(self.hands)
        starts: Ints = self._starts.astype(np.int64)
        sizes = starts[1:] - starts[:-1]
        cells = np.zeros((sizes.size, places.moves), dtype=np.uint8)
        move, parts = (np.frombuffer(data, dtype=np.uint8) for data in (self._moves, self._parts))
        cells[np.repeat(np.arange(sizes.size), sizes), move] = parts
        whole = cells.reshape(places.rungs + 1, self._memories, hands, places.moves)
        said = (sizes > 0).reshape(whole.shape[:-1])
        last = int(np.argmin(places.memory.shorter))  # nothing stands in for it: where it says nothing, it calls
        whole[:, last, :, places.call] += np.where(said[:, last], 0, PARTS).astype(np.uint8)
        for memory in range(self._memories - 1, -1, -1):
            if (instead := places.memory.shorter[memory]) >= 0:
                whole[:, memory] = np.where(said[:, memory, :, None], whole[:, memory], whole[:, instead])
        return whole[:, : places.memory.used]

    def array(self) -> Floats:
        """The whole strategy: [hand, column, memory, move]."""
        return np.ascontiguousarray(self.parts().transpose(2, 0, 1, 3)) / PARTS


class StrategyBook:
    """All strategies of a file, each unpacked when it is first needed."""

    def __init__(self, data: bytes, name: str = NAME) -> None:
        head = struct.calcsize(HEAD)
        if len(data) < head:
            raise DataError(f"{name}: not a file of strategies")
        magic, version, blocks, digest = struct.unpack_from(HEAD, data)
        if magic != MAGIC:
            raise DataError(f"{name}: not a file of strategies")
        if version != VERSION:
            raise DataError(f"{name}: strategies of version {version}; this program reads version {VERSION}")
        if hashlib.blake2b(data[head:], digest_size=16).digest() != digest:
            raise DataError(f"{name}: damaged, its checksum is wrong")
        self._data = data
        self._where: dict[ShortKey, tuple[int, int, int]] = {}
        start = head + blocks * struct.calcsize(ENTRY)
        for game, own, other, opens, steps, size in struct.iter_unpack(ENTRY, data[head:start]):
            self._where[ShortKey(GAMES[game], own, other, bool(opens))] = (steps, start, start + size)
            start += size
        self._known: dict[ShortKey, ShortStrategy] = {}

    def __contains__(self, key: ShortKey) -> bool:
        return key in self._where

    def __iter__(self) -> Iterator[ShortKey]:
        return iter(self._where)

    def get(self, key: ShortKey) -> ShortStrategy | None:
        """The strategy of a player, if the file has it."""
        return self[key] if key in self._where else None

    def __getitem__(self, key: ShortKey) -> ShortStrategy:
        """The strategy of a player."""
        if key not in self._known:
            self._known[key] = ShortStrategy(key, *self.block(key))
        return self._known[key]

    def block(self, key: ShortKey) -> tuple[int, bytes]:
        """How many steps a strategy remembers (0: kinds), and its bytes."""
        steps, start, end = self._where[key]
        return steps, self._data[start:end]

    def fingerprint(self, key: ShortKey) -> str:
        """What changes whenever a strategy of this round does, the opener's or the other player's."""
        both = (self[one].fingerprint() for one in (key, key.opponent))
        return hashlib.blake2b("".join(both).encode(), digest_size=8).hexdigest()


def written(blocks: Mapping[ShortKey, tuple[int, bytes]]) -> bytes:
    """A file of packed strategies, each with the number of steps it remembers."""
    table = b"".join(
        struct.pack(ENTRY, GAMES.index(key.game), key.own, key.other, key.opens, steps, len(data))
        for key, (steps, data) in blocks.items()
    )
    body = table + b"".join(data for _, data in blocks.values())
    digest = hashlib.blake2b(body, digest_size=16).digest()
    return struct.pack(HEAD, MAGIC, VERSION, len(blocks), digest) + body


@lru_cache(maxsize=1)
def load() -> StrategyBook:
    """The packaged strategies."""
    return StrategyBook((resources.files(__package__) / "data" / NAME).read_bytes())
