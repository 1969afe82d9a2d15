"""Strategies for two-player rounds too large to solve: nearly memoryless, and close to an equilibrium all the same.

A player decides from its own hand, the current bid, and a *memory* of the last two steps of the bidding: by how many
rungs the current bid raised the one before (1 to `faces`, or further), and whether that one had raised its own
predecessor to the same face, by less, or by more. That is what both players see, so a round is a game over public
places (column, memory), where column 0 stands for no bid yet and column c for rung c - 1. For a pair of hands let

    J(place) = how likely the pair comes there,    V(place) = what the pair's round is worth from there on.

One sweep computes J from the lowest rung up and V from the highest down, for every pair of hands; a move is worth
sum over the other's hands of J(place) V(next place). Regret matching (CFR+, with old regrets discounted) makes of it
strategies whose average is returned. With a small chance, the tremble, every bid is made in J, so that places which
good players avoid are learned too.

Nothing proves that this converges where players forget, so what comes out is measured: `response_bounds` is what a
perfect adversary earns who knows the strategy, remembers the whole bidding and is bound by no memory.

    python -m liars_dice.exact.shortmemory build    makes the packaged file again
    python -m liars_dice.exact.shortmemory check    measures what is in it
"""

from __future__ import annotations

import hashlib
import lzma
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..agents import Agent
from ..core import GameConfig
from ..core.rules import round_rules
from .errors import DataError, OutOfReachError
from .hands import Floats, Ints, Truths, hand_set
from .jit import compiled
from .policy import PolicyTable
from .situation import ladder_arrays

Reals = NDArray[np.float32]
LONGEST_RAISE, LONGEST_OPENING = 3, 4
"""The strategies raise by at most so many times `faces` rungs, and open at most so high. Adversaries need not."""
TREMBLE = 0.1
"""The chance of a raise that nobody chose, any of them: a tenth of this at first, and ever less."""
PARTS = 64
"""Chances are kept in 64ths..."""
LEAST = 0.01
"""...and smaller ones than this are dropped."""
UNLIKELY = 0.003
"""What is done at places that a hand comes to with a smaller chance than this, whatever the other does, is not kept."""
FACES, MOST_DICE, SOLVED = 6, 5, 6
"""The packaged file is for six faces, hands of up to five dice, and rounds of more dice in all than are solved."""
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
        """[memory, move]: the memory of who is next."""
        self.kind = self.after[:, -1] // (self.faces + 1)
        """Of each memory, all that is still remembered after another raise."""
        self.legal: Truths = np.zeros((self.rungs + 1, memories, self.call + 1), dtype=bool)
        for column, width in enumerate(self.width.tolist()):
            self.legal[column, :, :width] = True
        self.legal[1:, :, self.call] = True
        self.even: Reals = (self.legal / self.legal.sum(axis=-1, keepdims=True)).astype(np.float32)
        hands = [hand_set(n, self.faces) for n in self.dice]
        self.weights = [h.weights for h in hands]
        self.matches = [h.matches(None) for h in hands]

    def normal(self, weights: Reals) -> Reals:
        """Weights as chances; where there are none, all legal moves alike."""
        total = weights.sum(axis=-1, keepdims=True)
        scaled: Reals = np.where(total > 0, weights / np.where(total > 0, total, 1), self.even).astype(np.float32)
        return scaled


def remember(memory: int, step: int, faces: int) -> int:
    """The memory after a raise by so many rungs; after an opening it is 0.

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


# -- solving ---------------------------------------------------------------------------------------------------------


def solve_shortmemory(config: GameConfig, iterations: int) -> tuple[Reals, Reals]:
    """Strategies of the opener, who has `config.dice[0]`, and of the other: [hand, column, memory, move].

    Iteration n counts n times in the regrets, and its square in the average.
    """
    places = Places(config)
    now = [np.repeat(places.even[None], len(weights), axis=0) for weights in places.weights]
    regret = [np.zeros_like(chances) for chances in now]
    total = [np.zeros_like(chances) for chances in now]
    for iteration in range(1, iterations + 1):
        for player in (0, 1):
            gain = worth(places, now, player, TREMBLE / (iteration + 9))
            _match_regrets(gain, places.width, iteration, now[player], regret[player], total[player])
    return places.normal(total[0]), places.normal(total[1])


@compiled
def _match_regrets(gain: Reals, width: Ints, iteration: int, chances: Reals, regret: Reals, total: Reals) -> None:
    """Add chances to their total and what was missed by them to the regrets; new chances are as the regrets are."""
    hands, columns, memories, moves = gain.shape
    keep, weight, call = np.float32(iteration / (iteration + 1)), np.float32(iteration**2), moves - 1
    for hand in range(hands):
        for column in range(columns):
            raises = width[column]
            first = 0 if column > 0 else 1  # calling is the last move; an opener cannot
            for memory in range(memories if column > 0 else 1):
                worth, chance = gain[hand, column, memory], chances[hand, column, memory]
                missed, summed = regret[hand, column, memory], total[hand, column, memory]
                mean = np.float32(0)
                for i in range(first, raises + 1):
                    move = i - 1 if i > 0 else call
                    mean += worth[move] * chance[move]
                    summed[move] += weight * chance[move]
                whole = np.float32(0)
                for i in range(first, raises + 1):
                    move = i - 1 if i > 0 else call
                    missed[move] = max(keep * missed[move] + worth[move] - mean, np.float32(0))
                    whole += missed[move]
                for i in range(first, raises + 1):
                    move = i - 1 if i > 0 else call
                    chance[move] = missed[move] / whole if whole > 0 else np.float32(1) / (raises + 1 - first)


def worth(places: Places, chances: Sequence[Reals], player: int, tremble: float = 0.0) -> Reals:
    """What each move of the player's is worth, times how likely it comes to that: [hand, column, memory, move]."""
    gain = np.zeros_like(chances[player])
    other = np.ascontiguousarray(chances[1 - player].transpose(1, 2, 3, 0))
    used: Truths = np.asarray((other > 0).any(axis=-1))
    weights, matches = places.weights, places.matches
    mine, theirs = (weights[player], matches[player]), (weights[1 - player], matches[1 - player])
    ladder = (places.quantity, places.face, places.width, places.after, places.kind)
    _sweep(player == 0, chances[player], other, used, *mine, *theirs, *ladder, tremble, gain)
    return gain


def value(places: Places, opener: Reals, other: Reals) -> float:
    """What the opener earns in a round: +1 for a win, -1 for a loss."""
    gain = worth(places, (opener, other), 0)
    return float((gain[:, 0, 0] * opener[:, 0, 0]).sum())


@compiled
def _sweep(
    opens: bool,
    mine: Reals,
    theirs: Reals,
    used: Truths,
    my_weights: Floats,
    my_matches: Ints,
    their_weights: Floats,
    their_matches: Ints,
    quantity: Ints,
    face: Ints,
    width: Ints,
    after: Ints,
    kind: Ints,
    tremble: float,
    gain: Reals,
) -> None:
    """One hand of mine at a time against all of theirs: a row has one number for each of their hands."""
    hands, columns, memories, moves = mine.shape
    rungs, call, size, kinds = columns - 1, moves - 1, their_weights.size, kind.max() + 1
    keep = np.float32(1 - tremble)
    my_reach = np.zeros((columns, memories, size), dtype=np.float32)
    their_reach = np.zeros((columns, memories, size), dtype=np.float32)
    my_value = np.zeros((columns, memories, size), dtype=np.float32)
    their_value = np.zeros((columns, memories, size), dtype=np.float32)
    called = np.zeros((columns, size), dtype=np.float32)  # what I earn if I call
    slips = np.zeros((2, kinds, size), dtype=np.float32)  # mine and theirs, by what is remembered of the past
    following = np.zeros((kinds, call, size), dtype=np.float32)  # what my moves lead to
    for hand in range(hands):
        my_reach[:] = 0
        their_reach[:] = 0
        for column in range(1, columns):
            missing = quantity[column - 1] - my_matches[hand, face[column - 1]]
            for k in range(size):
                called[column, k] = -1 if their_matches[k, face[column - 1]] >= missing else 1
        first = my_reach if opens else their_reach
        for k in range(size):
            first[0, 0, k] = my_weights[hand] * their_weights[k]
        for column in range(rungs):
            raises = width[column] if column else rungs  # that may be made by a slip
            slip = np.float32(tremble / raises)
            slips[:] = 0
            for memory in range(memories if column else 1):
                from_me, from_them = my_reach[column, memory], their_reach[column, memory]
                my_slip, their_slip = slips[0, kind[memory]], slips[1, kind[memory]]
                for k in range(size):
                    my_slip[k] += slip * from_me[k]
                    their_slip[k] += slip * from_them[k]
                for move in range(width[column]):
                    remembered = after[memory, move] if column else 0
                    chance = keep * mine[hand, column, memory, move]
                    if chance > 0:
                        to_them = their_reach[column + move + 1, remembered]
                        for k in range(size):
                            to_them[k] += chance * from_me[k]
                    if used[column, memory, move]:
                        row, to_me = theirs[column, memory, move], my_reach[column + move + 1, remembered]
                        for k in range(size):
                            to_me[k] += keep * row[k] * from_them[k]
            for memory in range(memories if column else 1):
                if memory > 0 and kind[memory] <= kind[:memory].max():
                    continue  # its slips are those of a memory before
                my_slip, their_slip = slips[0, kind[memory]], slips[1, kind[memory]]
                for move in range(raises):
                    remembered = after[memory, move] if column else 0
                    to_them, to_me = their_reach[column + move + 1, remembered], my_reach[column + move + 1, remembered]
                    for k in range(size):
                        to_them[k] += my_slip[k]
                        to_me[k] += their_slip[k]
        for column in range(rungs, -1, -1):
            raises = width[column]
            for memory in range(memories if column else 1):
                reach, i_move, they_move = (
                    my_reach[column, memory],
                    my_value[column, memory],
                    their_value[column, memory],
                )
                next_values = following[kind[memory]]
                if memory == 0 or kind[memory] > kind[:memory].max():
                    for move in range(raises):
                        next_values[move] = their_value[column + move + 1, after[memory, move] if column else 0]
                row = theirs[column, memory, call]
                chance = mine[hand, column, memory, call]
                calling = np.float32(0)
                for k in range(size):
                    i_move[k] = chance * called[column, k]
                    they_move[k] = -row[k] * called[column, k]
                    calling += reach[k] * called[column, k]
                gain[hand, column, memory, call] = calling
                for move in range(raises):
                    chance = mine[hand, column, memory, move]
                    if chance > 0:
                        for k in range(size):
                            i_move[k] += chance * next_values[move, k]
                    if used[column, memory, move]:
                        row = theirs[column, memory, move]
                        i_answer = my_value[column + move + 1, after[memory, move] if column else 0]
                        for k in range(size):
                            they_move[k] += row[k] * i_answer[k]
                if raises > 0:
                    gain[hand, column, memory, :raises] = np.dot(next_values[:raises], reach)


# -- measuring -------------------------------------------------------------------------------------------------------


def response_bounds(config: GameConfig, strategy: Floats, *, opens: bool, cut: float = 0.0) -> tuple[float, float]:
    """What a perfect adversary earns at least and at most against the opener's (or the other's) strategy.

    Biddings that the strategy takes part in with a chance below `cut` are not followed: at least, the adversary calls
    there; at most, it wins. With no cut both numbers are one, the exact answer. Wants a strategy with few moves a
    place: the tree of all biddings is walked.
    """
    places = Places(config)
    me, it = (0, 1) if opens else (1, 0)
    policy = np.ascontiguousarray(strategy.transpose(1, 2, 3, 0), dtype=np.float64)
    used: Truths = np.asarray((policy > 0).any(axis=-1))
    depth, size, own = places.rungs // 2 + 3, len(places.weights[me]), len(places.weights[it])
    beliefs = np.zeros((depth, size))
    rows = np.zeros((4, depth, own))
    bounds = np.zeros((2, own))
    count = np.zeros(places.dice[me] + 2)
    ladder = (places.quantity, places.face, places.width, places.after)
    rest = (cut, policy, used, *ladder, places.matches[me], places.matches[it], beliefs, rows, count)
    if opens:
        for move in range(int(places.width[0])):
            beliefs[0] = places.weights[me] * policy[0, 0, move]
            if beliefs[0].any():
                _answer(0, move + 1, 0, *rest)
                bounds += rows[:2, 0]
    else:
        beliefs[0] = places.weights[me]
        _answer(0, 0, 0, *rest)
        bounds += rows[:2, 0]
    least, most = 2 * (bounds @ places.weights[it]) - 1
    return float(least), float(most)


@compiled
def _answer(
    level: int,
    column: int,
    memory: int,
    cut: float,
    policy: Floats,
    used: Truths,
    quantity: Ints,
    face: Ints,
    width: Ints,
    after: Ints,
    their_matches: Ints,
    matches: Ints,
    beliefs: Floats,
    rows: Floats,
    count: Floats,
) -> int:
    """Put into rows[:2, level] the least and the most of the adversary's chances to win with each of its hands, when it
    has to answer; `beliefs[level]` holds how likely each hand of the strategy's is. rows[2:] are for work.
    """
    rungs, call, most = quantity.size, policy.shape[2] - 1, count.size - 1
    belief, hands, own = beliefs[level], beliefs.shape[1], matches.shape[0]
    for o in range(own):
        rows[0, level, o] = rows[1, level, o] = 0.0
    if column > 0:
        weight = _at_least(belief, policy[0, 0, call], False, their_matches[:, face[column - 1]], count)
        for o in range(own):
            missing = quantity[column - 1] - matches[o, face[column - 1]]
            rows[0, level, o] = weight - count[min(max(missing, 0), most)]
            rows[1, level, o] = rows[0, level, o]
        if weight < cut:
            for o in range(own):
                rows[1, level, o] = weight
            return 0
    for bid in range(column + 1, rungs + 1):
        remembered = after[memory, bid - column - 1] if column > 0 else 0
        _at_least(belief, policy[bid, remembered, call], True, their_matches[:, face[bid - 1]], count)
        for o in range(own):
            missing = quantity[bid - 1] - matches[o, face[bid - 1]]
            rows[2, level, o] = count[min(max(missing, 0), most)]
            rows[3, level, o] = rows[2, level, o]
        for move in range(width[bid]):
            if used[bid, remembered, move]:
                possible = False
                for h in range(hands):
                    chance = belief[h] * policy[bid, remembered, move, h]
                    beliefs[level + 1, h] = chance
                    possible = possible or chance > 0
                if possible:
                    _answer(
                        level + 1,
                        bid + move + 1,
                        after[remembered, move],
                        cut,
                        policy,
                        used,
                        quantity,
                        face,
                        width,
                        after,
                        their_matches,
                        matches,
                        beliefs,
                        rows,
                        count,
                    )
                    for o in range(own):
                        rows[2, level, o] += rows[0, level + 1, o]
                        rows[3, level, o] += rows[1, level + 1, o]
        for o in range(own):
            rows[0, level, o] = max(rows[0, level, o], rows[2, level, o])
            rows[1, level, o] = max(rows[1, level, o], rows[3, level, o])
    return 0


@compiled
def _at_least(belief: Floats, chances: Floats, weighted: bool, matches: Ints, count: Floats) -> float:
    """How likely the hands have at least 0, 1, 2 ... matching dice (times `chances`, if weighted); the whole weight."""
    count[:] = 0.0
    for h in range(belief.size):
        if belief[h] > 0:
            count[matches[h]] += belief[h] * chances[h] if weighted else belief[h]
    for n in range(count.size - 2, -1, -1):
        count[n] += count[n + 1]
    return float(count[0])


# -- keeping ---------------------------------------------------------------------------------------------------------


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


def likely(places: Places, parts: NDArray[np.uint8], *, opens: bool) -> Truths:
    """[hand, column, memory]: the places a hand comes to, with the other's help, by a likely enough way; and all with
    memory 0, which stands in for the rest.
    """
    chances = parts / PARTS
    hands, columns, memories, _ = parts.shape
    best = np.zeros((hands, columns, memories))  # the likeliest way to be there and have to move
    raised = np.zeros((hands, columns, memories))  # to have bid this, with the memory the other then has
    best[:, :1, 0] = opens
    best[:, 1:, 0] = not opens
    for column in range(columns):
        for low in range(1, column):
            for memory in range(memories):
                to = places.after[memory, column - low - 1]
                best[:, column, to] = np.maximum(best[:, column, to], raised[:, low, memory])
        for memory in range(memories if column else 1):
            for move in range(int(places.width[column])):
                to = places.after[memory, move] if column else 0
                chance = best[:, column, memory] * chances[:, column, memory, move]
                raised[:, column + move + 1, to] = np.maximum(raised[:, column + move + 1, to], chance)
    kept = best >= UNLIKELY
    kept[:, :, 0] = True
    kept[:, 0, 1:] = False
    return kept


def packed(parts: NDArray[np.uint8], kept: Truths) -> bytes:
    """A strategy as bytes: how many moves each place has; the moves; the parts of all but each place's last."""
    cells = np.where(kept[..., None], parts, 0).transpose(1, 2, 0, 3).reshape(-1, parts.shape[-1])
    cell, move = np.nonzero(cells)
    last = np.append(cell[1:] != cell[:-1], True)
    sizes = (cells > 0).sum(axis=1).astype(np.uint8)
    written = (sizes, move.astype(np.uint8), cells[cell, move][~last])
    return lzma.compress(b"".join(part.tobytes() for part in written), format=lzma.FORMAT_ALONE, preset=9)


class ShortStrategy:
    """A player's strategy with so many dice against so many, as the opener or as the other."""

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
        """What to do with a hand after a bidding, given as the rungs that were bid: rungs to bid, or `liar` to call."""
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
    """All strategies of a file, each unpacked when it is first asked for."""

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


# -- making ----------------------------------------------------------------------------------------------------------


def rounds() -> list[tuple[int, int]]:
    """The (opener's, other's) dice of every round in the packaged file."""
    every = range(1, MOST_DICE + 1)
    return [(a, b) for a in every for b in every if a + b > SOLVED]


def iterations_for(dice: int) -> int:
    """How often a round of so many dice is worked over: larger ones take longer, and the whole should be done soon."""
    return 120 if dice <= 7 else 80 if dice == 8 else 60


def packed_round(dice: tuple[int, int], iterations: int | None = None) -> dict[tuple[int, int, bool], bytes]:
    """Both strategies of a round, solved and packed."""
    config = GameConfig(dice=dice, faces=FACES)
    places = Places(config)
    solved = solve_shortmemory(config, iterations or iterations_for(sum(dice)))
    blocks = {}
    for opens, chances in zip((True, False), solved, strict=True):
        own, other = dice if opens else dice[::-1]
        parts = in_parts(chances)
        blocks[own, other, opens] = packed(parts, likely(places, parts, opens=opens))
    return blocks


def build(out: Path) -> None:
    """Make the file of all strategies, and say how it goes."""
    blocks: dict[tuple[int, int, bool], bytes] = {}
    for dice in rounds():
        start = time.perf_counter()
        blocks.update(packed_round(dice))
        print(f"{dice[0]} v {dice[1]}: {time.perf_counter() - start:.0f} s", flush=True)
    out.write_bytes(written(blocks))
    print(f"{out}: {out.stat().st_size:,} bytes")


def exploitability_bounds(dice: tuple[int, int], cut: float = 1e-4) -> tuple[float, float]:
    """What a perfect adversary earns against the packaged strategies, the mean of both seats, at least and at most."""
    opener, other = load()[(*dice, True)], load()[(*dice[::-1], False)]
    against_opener = response_bounds(opener.config, opener.array(), opens=True, cut=cut)
    against_other = response_bounds(other.config, other.array(), opens=False, cut=cut)
    return (against_opener[0] + against_other[0]) / 2, (against_opener[1] + against_other[1]) / 2


def earned(strategy: ShortStrategy, agent: Agent) -> float:
    """What a strategy earns in a round against a memoryless agent: +1 for a win, -1 for a loss."""
    places = Places(strategy.config, any_raise=True)
    columns, memories, moves = places.legal.shape
    mine = np.zeros((len(strategy.hands), columns, memories, moves), dtype=np.float32)
    narrow = strategy.array()
    mine[..., : narrow.shape[-1] - 1] = narrow[..., :-1]
    mine[..., -1] = narrow[..., -1]
    table = PolicyTable.of(agent, strategy.config, own=strategy.other, other=strategy.own).complete()
    theirs = np.zeros((len(table.hands), columns, memories, moves), dtype=np.float32)
    for hand, column in np.ndindex(theirs.shape[:2]):
        cell = table.cell(hand, column - 1)
        for action, chance in (table.mixes[cell] if cell < 0 else {cell: 1.0}).items():
            theirs[hand, column, :, places.call if action == table.liar else action - column] = chance
    return value(places, mine, theirs) if strategy.opens else -value(places, theirs, mine)


def main(arguments: Sequence[str]) -> int:
    """`build [--out FILE]` or `check`."""
    match list(arguments):
        case ["build"]:
            build(Path(__file__).parent / "data" / NAME)
        case ["build", "--out", out]:
            build(Path(out))
        case ["check"]:
            for dice in rounds():
                least, most = exploitability_bounds(dice)
                print(f"{dice[0]} v {dice[1]}: exploitability from {least:.4f} to {most:.4f}", flush=True)
        case _:
            print("usage: python -m liars_dice.exact.shortmemory build [--out FILE] | check", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
