"""Make the tablebases that come with the package (see `liars_dice.exact.solver.tablebase`).

Every round is solved, brought into the shape in which it is stored, and proved again in that shape.

    python tools/build_tablebase.py heads-up|perudo|perudo-match [--out FILE] [--most-dice N] [--device cpu|gpu]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_LZMA, ZipFile

import msgspec
import numpy as np

from liars_dice.core import GameConfig, LiarsDiceError, preset
from liars_dice.exact import OutOfReachError
from liars_dice.exact.solver import SolverProgress, solve, solve_match, tablebase
from liars_dice.exact.solver.cfr_traversal import Pool
from liars_dice.exact.solver.matches import certify_match
from liars_dice.exact.solver.public_tree import PublicTree
from liars_dice.exact.solver.saved_solution import check_writable
from liars_dice.exact.solver.strategy import Nodes, Strategy, average_strategy, certify, pool_of
from liars_dice.exact.solver.tablebase import (
    COLUMNS,
    FACES,
    FILES,
    FORMAT,
    STEPS,
    TABLEBASE_DICE,
    Index,
    IndexedRound,
    SolvedGame,
    SolvedRound,
)
from liars_dice.numeric import Floats, Ints, Truths

GRIDS = (1, 3, 5, 15, 51, 255, 1285, STEPS)
"""Into how many steps probabilities may be divided; each divides the last."""
RULES: dict[SolvedGame, GameConfig] = {
    "heads-up": GameConfig(faces=FACES),
    "perudo": preset("perudo", players=2, mode="single_round"),
    "perudo match": preset("perudo", players=2),
}
MOST_DICE: dict[SolvedGame, int] = {"heads-up": TABLEBASE_DICE, "perudo": 4, "perudo match": 3}
"""The most dice in total of the rounds that are made."""
LEAST: dict[SolvedGame, float] = {"heads-up": 1e-6, "perudo": 1e-5, "perudo match": 1e-5}
"""Actions taken less often than this are left out."""


def rounded(strategy: Strategy, error: float = 0.0) -> Strategy:
    """The strategy with probabilities that are multiples of 1/65535; calling gets the rest.

    Where a hand and the strategy's own play seldom lead, coarser steps do: a probability may change by `error`, divided
    by how often it is needed. They take less room in the file.
    """
    group, first = _decisions(strategy)
    needed = often(strategy)[first] / (2 * error) if error else np.full(len(first), STEPS)
    size = STEPS // np.array(GRIDS)[np.minimum(np.searchsorted(GRIDS, needed), len(GRIDS) - 1)]
    steps = np.rint(strategy.chance * STEPS / size[group]).astype(np.int64) * size[group]
    total, exact = np.add.reduceat(steps, first), np.add.reduceat(strategy.chance, first)
    largest = np.lexsort((-steps, group))[first]
    wrong = (exact > 1 - 0.5 / STEPS) & (total != STEPS) | (total > STEPS)
    steps[largest[wrong]] += STEPS - total[wrong]
    kept = _lines(strategy, steps > 0, steps / STEPS)
    return _lines(kept, often(kept) > 0, kept.chance)


def often(strategy: Strategy) -> Floats:
    """How likely each line of a strategy is needed, if the other player bids whatever leads there: the chance of the
    hand, times how often the strategy makes its own bids on the way.
    """
    made = np.bitwise_count(strategy.node)
    key = _line_key(strategy.node, strategy.hand, strategy.rung)
    reach = np.ones(len(strategy))
    for number in np.unique(made[made >= 2]).tolist():
        here = np.flatnonzero(made == number)
        node, hand = strategy.node[here], strategy.hand[here]
        without_last = node & (node - np.uint64(1))
        before = without_last & (without_last - np.uint64(1))
        rung = strategy.tree.rungs - 1 - np.bitwise_count((without_last ^ before) - np.uint64(1)).astype(np.int64)
        wanted = _line_key(before, hand, rung)
        place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        reach[here] = np.where(key[place] == wanted, reach[place] * strategy.chance[place], 0)
    weighed: Floats = reach * strategy.tree.weights[strategy.seat][strategy.hand]
    return weighed


def _line_key(node: Nodes, hand: Ints, rung: Ints) -> Nodes:
    """Lines are sorted by this."""
    return node << np.uint64(14) | (hand << 6 | rung).astype(np.uint64)


def _decisions(strategy: Strategy) -> tuple[Ints, Ints]:
    """To which node and hand each line belongs, as numbers from 0 on, and the first line of each."""
    key = strategy.node << np.uint64(8) | strategy.hand.astype(np.uint64)
    new = np.diff(key, prepend=key[:1] + np.uint64(1)) != 0
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _lines(strategy: Strategy, kept: Truths, chance: Floats) -> Strategy:
    tree, seat, node, hand, rung = strategy.tree, strategy.seat, strategy.node, strategy.hand, strategy.rung
    return Strategy(tree, seat, node[kept], hand[kept], rung[kept], chance[kept])


def rounds_with(most_dice: int) -> list[tuple[int, int]]:
    """All (opener, other) numbers of dice with at most this many in total."""
    return [(a, total - a) for total in range(2, most_dice + 1) for a in range(1, total)]


def good_enough(game: SolvedGame, dice: tuple[int, int]) -> float:
    """Rounds that are more exploitable than this, in the shape in which they are stored, are not shipped."""
    return 1e-4 if game == "heads-up" and sum(dice) <= 5 else 1e-3


def as_stored(tree: PublicTree, pool: Pool, least: float) -> tuple[Strategy, Strategy]:
    """Both strategies in the shape in which they are stored."""
    first, second = (rounded(average_strategy(tree, pool, seat, least)) for seat in (0, 1))
    return first, second


def make_round(game: SolvedGame, dice: tuple[int, int], **options: Any) -> tuple[SolvedRound, int]:
    """A solved round in the shape in which it is stored, proved in that shape, and how many iterations it took."""
    target = good_enough(game, dice) * (0.2 if good_enough(game, dice) < 1e-3 else 0.9 if game == "heads-up" else 0.5)
    solution = solve(RULES[game].replace(dice=dice), target=target, **options)
    if solution.stopped == "interrupted":
        raise KeyboardInterrupt
    strategies = as_stored(solution.tree, solution.pool, LEAST[game])
    return SolvedRound(*certify(strategies), solution.tree, strategies), solution.iterations


def make_match(most_dice: int, **options: Any) -> list[tuple[SolvedRound, int]]:
    """All states of matches with this many dice in total, in the shape in which they are stored, proved in that shape.
    The bounds are in payoffs: 1 if the opener is sure to win the match, -1 if it is sure to lose.
    """
    config = RULES["perudo match"].replace(dice=(most_dice - 1, 1))  # from which every state can be reached
    match = solve_match(config, target=2.5e-4, **options)  # in chances to win: half as much as in payoffs
    if match.stopped == "interrupted":
        raise KeyboardInterrupt
    stored = {state: as_stored(found.tree, found.pool, LEAST["perudo match"]) for state, found in match.states.items()}
    bounds = certify_match(config, {state: (found[0].tree, pool_of(found)) for state, found in stored.items()})
    return [
        (SolvedRound(2 * low - 1, 2 * high - 1, stored[state][0].tree, stored[state]), 0)
        for state, (low, high) in sorted(bounds.items(), key=lambda item: (sum(item[0]), item[0]))
    ]


def write(path: Path, game: SolvedGame, rounds: Iterable[tuple[SolvedRound, int]]) -> None:
    """Write a tablebase; the file appears whole or not at all. The same rounds give the same file."""
    entries = []
    rules = {} if game == "heads-up" else RULES[game].to_dict()
    beside = path.with_name(f"{path.name}.part")
    with ZipFile(beside, "w", ZIP_LZMA) as file:
        for solved, iterations in rounds:
            tree = solved.tree
            dice = (tree.config.dice[0], tree.config.dice[1])
            entries.append(IndexedRound(dice, solved.lower, solved.upper, iterations, tree.cut, tree.payoffs))
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
        file.writestr("index.json", msgspec.json.encode(Index(FORMAT, entries, rules)))
    beside.replace(path)


def build(game: SolvedGame, path: Path, *, most_dice: int, device: str = "cpu") -> None:
    """Solve every round with at most this many dice and write the file, with progress on standard error.

    The GPU solver keeps room for every node, and rounds with six dice in total have too many: the CPU solves those.
    """

    def say(text: str, end: str = "\n") -> None:
        print(f"\r{text:<100}", end=end, file=sys.stderr, flush=True)

    check_writable(path)
    started = time.perf_counter()

    def made() -> Iterator[tuple[SolvedRound, int]]:
        def show(now: SolverProgress, name: str = game) -> None:
            say(f"{name}: [{now.lower:.6f}, {now.upper:.6f}] after {now.iterations} iterations", end="")

        if game == "perudo match":
            yield from make_match(most_dice, progress=show)
            return
        for dice in rounds_with(most_dice):
            on = device if sum(dice) <= 5 else "cpu"
            yield make_round(game, dice, progress=partial(show, name="{} v {}".format(*dice)), device=on)

    rounds = []
    for solved, iterations in made():
        dice = (solved.tree.config.dice[0], solved.tree.config.dice[1])
        name = "{} v {}".format(*dice)
        say(
            f"{name}: [{solved.lower:.6f}, {solved.upper:.6f}], exploitability {solved.exploitability:.1e}, "
            f"{sum(map(len, solved.strategies)):,} lines, {time.perf_counter() - started:.0f} s so far"
        )
        if solved.exploitability > good_enough(game, dice):
            raise OutOfReachError(
                f"{name}: exploitability {solved.exploitability:.1e} is above {good_enough(game, dice):g}"
            )
        rounds.append((solved, iterations))
    write(path, game, rounds)
    say(f"{path}: {path.stat().st_size:,} bytes")


def main(arguments: list[str]) -> int:
    """Make the tablebase of one game."""
    parser = argparse.ArgumentParser(prog="python tools/build_tablebase.py", description=main.__doc__)
    parser.add_argument("game", choices=[game.replace(" ", "-") for game in FILES])
    parser.add_argument("--out", type=Path, help="the file to write (default: the package's)")
    parser.add_argument("--most-dice", type=int, help="the most dice in total (default: as in the package)")
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    given = parser.parse_args(arguments)
    game: SolvedGame = given.game.replace("-match", " match")
    out = given.out or Path(tablebase.__file__).parent / "data" / FILES[game]
    if given.most_dice is not None and not 2 <= given.most_dice <= TABLEBASE_DICE:
        parser.error(f"--most-dice: {given.most_dice}, expected 2 to {TABLEBASE_DICE}")
    try:
        build(game, out, most_dice=given.most_dice or MOST_DICE[game], device=given.device)
    except (LiarsDiceError, KeyboardInterrupt) as error:
        print(f"\nNothing was written: {str(error) or 'interrupted'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
