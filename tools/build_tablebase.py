"""Make the tablebase that comes with the package (see `liars_dice.exact.solver.tablebase`).

Every round is solved, brought into the shape in which it is stored, and proved again in that shape.

    python tools/build_tablebase.py build [--out FILE] [--most-dice N] [--device cpu|gpu]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_LZMA, ZipFile

import msgspec
import numpy as np

from liars_dice.core import LiarsDiceError
from liars_dice.exact import OutOfReachError
from liars_dice.exact.solver import SolverProgress, solve, tablebase
from liars_dice.exact.solver.saved_solution import check_writable
from liars_dice.exact.solver.strategy import Strategy, average_strategy, certify
from liars_dice.exact.solver.tablebase import (
    COLUMNS,
    FORMAT,
    STEPS,
    TABLEBASE_DICE,
    Index,
    IndexedRound,
    SolvedRound,
    solved_tree,
)

LEAST = 1e-6
"""Actions taken less often than this are left out."""


def rounded(strategy: Strategy) -> Strategy:
    """The strategy with probabilities that are multiples of 1/65535; calling gets the rest."""
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
    """All (opener, other) numbers of dice with at most this many in total."""
    return [(a, total - a) for total in range(2, most_dice + 1) for a in range(1, total)]


def good_enough(dice: tuple[int, int]) -> float:
    """Rounds that are more exploitable than this, in the shape in which they are stored, are not shipped."""
    return 1e-4 if sum(dice) <= 5 else 1e-3


def make_round(dice: tuple[int, int], **options: Any) -> tuple[SolvedRound, int]:
    """A solved round in the shape in which it is stored, proved in that shape, and how many iterations it took."""
    target = good_enough(dice) * (0.2 if sum(dice) <= 5 else 0.9)
    solution = solve(solved_tree(dice).config, target=target, **options)
    if solution.stopped == "interrupted":
        raise KeyboardInterrupt
    first, second = (rounded(average_strategy(solution.tree, solution.pool, seat, LEAST)) for seat in (0, 1))
    lower, upper = certify((first, second))
    return SolvedRound(lower, upper, solution.tree, (first, second)), solution.iterations


def write(path: Path, rounds: Iterable[tuple[SolvedRound, int]]) -> None:
    """Write a tablebase; the file appears whole or not at all. The same rounds give the same file."""
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
                for name, kind in COLUMNS.items():
                    out = BytesIO()
                    np.save(out, columns[name].astype(kind))
                    file.writestr("{}v{}/{}/{}.npy".format(*dice, strategy.seat, name), out.getvalue())
        file.writestr("index.json", msgspec.json.encode(Index(FORMAT, entries)))
    beside.replace(path)


def build(path: Path, *, most_dice: int = TABLEBASE_DICE, device: str = "cpu") -> None:
    """Solve every round with at most this many dice and write the file, with progress on standard error.

    The GPU solver keeps room for every node, and rounds with six dice in total have too many: the CPU solves those.
    """

    def say(text: str, end: str = "\n") -> None:
        print(f"\r{text:<100}", end=end, file=sys.stderr, flush=True)

    check_writable(path)
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
    parser = argparse.ArgumentParser(prog="python tools/build_tablebase.py", description=main.__doc__)
    parser.add_argument("command", choices=["build"])
    here = Path(tablebase.__file__).parent / "data" / "tablebase.zip"
    parser.add_argument("--out", type=Path, default=here, help="the file to write (default: the package's)")
    parser.add_argument(
        "--most-dice",
        type=int,
        choices=range(2, TABLEBASE_DICE + 1),
        default=TABLEBASE_DICE,
        help="the most dice in total (default: %(default)s)",
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
