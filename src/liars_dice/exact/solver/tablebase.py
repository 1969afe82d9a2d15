"""Solved rounds that come with the package: six faces, no wilds, bids in the order of quantities, two players, at most
six dice in all.

The file is a zip archive. `index.json` says which rounds are there and what their strategies were proved to be worth,
as they are in the file: after leaving out what hardly ever happens and after rounding. The strategies are columns, see
`strategy`; probabilities are multiples of 1/65535. Make the file again with

    python -m liars_dice.exact.solver.tablebase build
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any, get_args
from zipfile import ZIP_LZMA, ZipFile

import msgspec
import numpy as np

from ...core import GameConfig, LiarsDiceError, NextOpener, PublicState, RoundOutcome, RoundRules, after_round
from ..errors import DataError, OutOfReachError
from .cfr_traversal import Pool
from .equilibrium import SolverProgress, check_place, solve
from .public_tree import Bracket, PublicTree
from .strategy import Strategy, certify, extract, pool_of

MOST_DICE = 6
"""How many dice the rounds of the package have in all, at most."""
FACES = 6
FORMAT = 1
"""The version of the file."""
LEAST = 1e-6
"""What is done less often than this is left out."""
STEPS = 65535
_COLUMNS = {"node": np.uint32, "hand": np.uint8, "rung": np.uint8, "chance": np.uint16}


class IndexedRound(msgspec.Struct, frozen=True):
    """What the index says of a round."""

    dice: tuple[int, int]
    lower: float
    upper: float
    iterations: int

    @property
    def value(self) -> float:
        """The middle of the bracket."""
        return (self.lower + self.upper) / 2


class Index(msgspec.Struct, frozen=True):
    """What is in the file."""

    format: int
    rounds: list[IndexedRound]


class SolvedRound(Bracket, frozen=True, dict=True):
    """An equilibrium of one round, and its proof: the opener is sure of `lower` and cannot get more than `upper`."""

    tree: PublicTree
    strategies: tuple[Strategy, Strategy]

    @cached_property
    def pool(self) -> Pool:
        """Both strategies as a pool, to be walked."""
        return pool_of(self.strategies)


class Tablebase:
    """The solved rounds of a file.

    >>> round(Tablebase.shipped().round(1, 1).value, 4)
    -0.1111
    """

    def __init__(self, data: bytes, name: str = "tablebase") -> None:
        self._name = name
        try:
            self._file = ZipFile(BytesIO(data))
            raw = self._file.read("index.json")
            version = msgspec.json.decode(raw).get("format")
            if version != FORMAT:
                raise DataError(f"{name} is a tablebase of format {version}; this version reads {FORMAT}")
            index = msgspec.json.decode(raw, type=Index)
        except DataError:
            raise
        except Exception as error:  # whatever a damaged archive makes its readers raise
            raise self._damaged(error) from None
        self.entries = {entry.dice: entry for entry in index.rounds}
        """The rounds that are there, by the opener's dice and the other's."""
        self._solved: dict[tuple[int, int], SolvedRound] = {}

    @staticmethod
    @cache
    def shipped() -> Tablebase:
        """The one that comes with the package."""
        return Tablebase(files(__package__).joinpath("data/tablebase.zip").read_bytes(), "the package's tablebase")

    @classmethod
    def read(cls, path: Path) -> Tablebase:
        """The tablebase in a file."""
        try:
            return cls(path.read_bytes(), str(path))
        except OSError as error:
            raise DataError(f"{path}: no tablebase can be read there ({error.strerror})") from None

    def entry(self, opener: int, other: int) -> IndexedRound:
        """What the index says of such a round, without reading its strategies."""
        if (opener, other) not in self.entries:
            most = max(map(sum, self.entries), default=0)
            raise OutOfReachError(f"{opener} against {other} dice: {self._name} has rounds with {most} dice in all")
        return self.entries[opener, other]

    def round(self, opener: int, other: int) -> SolvedRound:
        """The round in which the opener has so many dice and the other player so many."""
        dice = (opener, other)
        if dice not in self._solved:
            entry = self.entry(opener, other)
            tree = solved_tree(dice)
            strategies = (self._strategy(tree, 0), self._strategy(tree, 1))
            self._solved[dice] = SolvedRound(entry.lower, entry.upper, tree, strategies)
        return self._solved[dice]

    def _strategy(self, tree: PublicTree, seat: int) -> Strategy:
        folder = "{}v{}".format(*tree.config.dice)
        try:
            node, hand, rung, chance = (
                np.load(BytesIO(self._file.read(f"{folder}/{seat}/{name}.npy")), allow_pickle=False)
                for name in _COLUMNS
            )
        except Exception as error:  # as above
            raise self._damaged(error) from None
        return Strategy(
            tree,
            seat,
            np.cumsum(node, dtype=np.uint64),
            hand.astype(np.int64),
            rung.astype(np.int64),
            chance / STEPS,
        )

    def _damaged(self, error: Exception) -> DataError:
        return DataError(f"{self._name} is damaged or no tablebase ({type(error).__name__}: {error})")


@lru_cache(maxsize=64)
def solved_tree(dice: tuple[int, int]) -> PublicTree:
    """The tree of a round of the tablebase."""
    return PublicTree(GameConfig(dice=dice, faces=FACES))


# -- where it reaches --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def is_plain(rules: RoundRules) -> bool:
    """Whether a round is played by the rules of the tablebase."""
    config = rules.config
    return (
        config.faces == FACES
        and rules.wild_face is None
        and config.bid_ordering == "quantity_then_face"
        and not rules.palifico
        and not config.exact_call
        and config.max_turns is None
        and rules.ladder.max_quantity == rules.total_dice
        and len(rules.opening_rungs) == len(rules.bids)
    )


def reaches(public: PublicState) -> bool:
    """Whether the round that is being played is one of the tablebase's: two players, its rules, few enough dice."""
    in_play = len(public.dice_counts) - public.dice_counts.count(0)
    return in_play == 2 and public.rules.total_dice <= MOST_DICE and is_plain(public.rules)


# -- matches -----------------------------------------------------------------------------------------------------------


def match_bracket(
    opener: int, other: int, next_opener: NextOpener = "loser", base: Tablebase | None = None
) -> tuple[float, float]:
    """The chance of the player who opens first to win an elimination match, between proved bounds.

    Every round has two outcomes and its loser loses a die, so the best play of a round is the best play of the match as
    long as winning a round is worth more than losing it; that is checked on the way.
    """
    base = base or Tablebase.shipped()
    if next_opener not in get_args(NextOpener) or min(opener, other) < 1:
        raise OutOfReachError(
            f"{opener} v {other} dice, {next_opener} opens: expected dice, and loser, winner or alternate"
        )

    base.entry(opener, other)
    match = GameConfig(dice=(opener, other), faces=FACES, mode="elimination", next_opener=next_opener)

    def after(dice: tuple[int, int], outcome: RoundOutcome) -> tuple[float, float]:
        """The chances of the player who opened a round with these dice, once it has been decided."""
        (own, others), opens = after_round(match, dice, 0, outcome)
        if own == 0 or others == 0:
            return (float(others == 0), float(others == 0))
        if opens == 0:
            return chance(own, others)
        low, high = chance(others, own)
        return 1 - high, 1 - low

    @cache
    def chance(a: int, b: int) -> tuple[float, float]:
        """Of a player who has `a` dice and opens, against one who has `b`."""
        won, lost = (after((a, b), RoundOutcome(winner, 1 - winner)) for winner in (0, 1))
        if won[0] <= lost[1]:
            raise OutOfReachError(f"{a} against {b} dice: winning a round is not proved to be better than losing it")
        entry = base.entry(a, b)
        low, high = ((1 + value) / 2 for value in (entry.lower, entry.upper))
        return low * won[0] + (1 - low) * lost[0], high * won[1] + (1 - high) * lost[1]

    return chance(opener, other)


# -- building ----------------------------------------------------------------------------------------------------------


def rounded(strategy: Strategy) -> Strategy:
    """The strategy with probabilities that are multiples of 1/65535; calling gets what is left."""
    steps = np.rint(strategy.chance * STEPS).astype(np.int64)
    key = strategy.node.astype(np.uint64) * np.uint64(1 << 16) + strategy.hand.astype(np.uint64)
    _, group = np.unique(key, return_inverse=True)
    total, exact = np.zeros(group.max() + 1), np.zeros(group.max() + 1)
    np.add.at(total, group, steps)
    np.add.at(exact, group, strategy.chance)
    for g in np.flatnonzero((exact > 1 - 0.5 / STEPS) & (total != STEPS) | (total > STEPS)).tolist():
        lines = np.flatnonzero(group == g)
        steps[lines[steps[lines].argmax()]] += STEPS - int(steps[lines].sum())
    kept = steps > 0
    return Strategy(
        strategy.tree,
        strategy.seat,
        strategy.node[kept],
        strategy.hand[kept],
        strategy.rung[kept],
        steps[kept] / STEPS,
    )


def rounds_with(most_dice: int) -> list[tuple[int, int]]:
    """All (opener, other) numbers of dice with at most so many in all."""
    return [(a, total - a) for total in range(2, most_dice + 1) for a in range(1, total)]


def good_enough(dice: tuple[int, int]) -> float:
    """Rounds that are more exploitable than this, as they are in the file, are not shipped."""
    return 1e-4 if sum(dice) <= 5 else 1e-3


def make_round(dice: tuple[int, int], **options: Any) -> tuple[SolvedRound, int]:
    """Solve a round and bring it into the shape in which it is shipped, with the proof for that; and the iterations."""
    target = good_enough(dice) * (0.2 if sum(dice) <= 5 else 0.9)
    solution = solve(solved_tree(dice).config, target=target, **options)
    if solution.stopped == "interrupted":
        raise KeyboardInterrupt
    first, second = (rounded(extract(solution.tree, solution.pool, seat, LEAST)) for seat in (0, 1))
    lower, upper = certify((first, second))
    return SolvedRound(lower, upper, solution.tree, (first, second)), solution.iterations


def write(path: Path, rounds: Iterable[tuple[SolvedRound, int]]) -> None:
    """Write a tablebase; the file is whole or not there. The same rounds give the same file."""
    entries = []
    beside = path.with_name(f"{path.name}.part")
    with ZipFile(beside, "w", ZIP_LZMA) as file:
        for solved, iterations in rounds:
            dice = (solved.tree.config.dice[0], solved.tree.config.dice[1])
            entries.append(IndexedRound(dice, solved.lower, solved.upper, iterations))
            for strategy in solved.strategies:
                columns = {
                    "node": np.diff(strategy.node, prepend=np.uint64(0)),
                    "hand": strategy.hand,
                    "rung": strategy.rung,
                    "chance": np.rint(strategy.chance * STEPS),
                }
                for name, kind in _COLUMNS.items():
                    out = BytesIO()
                    np.save(out, columns[name].astype(kind))
                    file.writestr("{}v{}/{}/{}.npy".format(*dice, strategy.seat, name), out.getvalue())
        file.writestr("index.json", msgspec.json.encode(Index(FORMAT, entries)))
    beside.replace(path)


def build(path: Path, *, most_dice: int = MOST_DICE, device: str = "cpu") -> None:
    """Solve every round with at most so many dice and write the file. Says how it is going on standard error.

    Rounds with six dice in all have too many nodes for a GPU that keeps room for every one: the processor solves them.
    """

    def say(text: str, end: str = "\n") -> None:
        print(f"\r{text:<100}", end=end, file=sys.stderr, flush=True)

    check_place(path)
    made = []
    started = time.perf_counter()
    for dice in rounds_with(most_dice):
        name = "{} v {}".format(*dice)

        def show(now: SolverProgress, name: str = name) -> None:
            say(f"{name}: [{now.lower:.6f}, {now.upper:.6f}] after {now.iterations} iterations", end="")

        solved, iterations = make_round(dice, progress=show, device=device if sum(dice) <= 5 else "cpu")
        say(
            f"{name}: [{solved.lower:.6f}, {solved.upper:.6f}], exploitability {solved.exploitability:.1e}, "
            f"{sum(map(len, solved.strategies)):,} lines, {time.perf_counter() - started:.0f} s so far"
        )
        if solved.exploitability > good_enough(dice):
            raise OutOfReachError(f"{name}: exploitability {solved.exploitability:.1e} is above {good_enough(dice):g}")
        made.append((solved, iterations))
    write(path, made)
    say(f"{path}: {path.stat().st_size:,} bytes")


def main(arguments: list[str]) -> int:
    """`build [--out FILE] [--most-dice N] [--device cpu|gpu]`."""
    import argparse

    parser = argparse.ArgumentParser(prog="python -m liars_dice.exact.solver.tablebase", description=main.__doc__)
    parser.add_argument("command", choices=["build"])
    here = Path(str(files(__package__).joinpath("data/tablebase.zip")))
    parser.add_argument("--out", type=Path, default=here, help="the file to write (default: the package's own)")
    parser.add_argument(
        "--most-dice",
        type=int,
        choices=range(2, MOST_DICE + 1),
        default=MOST_DICE,
        help="how many dice in all, at most",
    )
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    given = parser.parse_args(arguments)
    try:
        build(given.out, most_dice=given.most_dice, device=given.device)
    except (LiarsDiceError, KeyboardInterrupt) as error:
        print(f"\nNothing was written: {str(error) or 'interrupted'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
