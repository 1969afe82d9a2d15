"""Make the tablebases that come with the package (see `liars_dice.exact.solver.tablebase`).

Every round is solved, brought into the shape in which it is stored, and proved again in that shape.

    python tools/build_tablebase.py heads-up|perudo|perudo-match [--out FILE] [--most-dice N] [--device cpu|gpu]
        [--keep] [--found FOLDER ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_LZMA, ZipFile

import msgspec
import numpy as np

from liars_dice.core import GameConfig, LiarsDiceError
from liars_dice.exact import OutOfReachError
from liars_dice.exact.solver import Payoffs, SolverProgress, solve, solve_match, tablebase
from liars_dice.exact.solver.cfr_traversal import Pool
from liars_dice.exact.solver.matches import State, certify_match
from liars_dice.exact.solver.public_tree import PublicTree
from liars_dice.exact.solver.saved_solution import check_writable
from liars_dice.exact.solver.strategy import Nodes, Strategy, average_strategy, certify, pool_of
from liars_dice.exact.solver.strategy_columns import STEPS, columns_of
from liars_dice.exact.solver.tablebase import (
    FILES,
    FORMAT,
    RULES,
    TABLEBASE_DICE,
    Index,
    IndexedRound,
    SolvedGame,
    SolvedRound,
)
from liars_dice.numeric import Floats, Ints, Truths

GRIDS = (1, 3, 5, 15, 51, 255, 1285, STEPS)
"""Into how many steps probabilities may be divided; each divides the last."""
Known = tuple[PublicTree, Pool, int]
"""A solved round, and how many iterations it took."""
MOST_DICE: dict[SolvedGame, int] = {"heads-up": TABLEBASE_DICE, "perudo": 5, "perudo match": 5}
"""The most dice in total of the rounds that are made."""
COARSE = tuple(round(10 ** (-3 - step / 10), 9) for step in range(36))
"""How coarse a strategy may be in the file, the coarsest first; the first that is good enough is taken."""


def rounded(strategy: Strategy, error: float = 0.0) -> Strategy:
    """The strategy with probabilities that are multiples of 1/65535; calling gets the rest.

    Where a hand and the strategy's own play seldom lead, coarser steps do: a probability may change by `error`, divided
    by how often it is needed. They take less room in the file. In each decision the largest remainders are rounded up.
    """
    group, first = _decisions(strategy)
    needed = often(strategy)[first] / (2 * error) if error else np.full(len(first), STEPS)
    size = STEPS // np.array(GRIDS)[np.minimum(np.searchsorted(GRIDS, needed), len(GRIDS) - 1)]
    exact = strategy.chance * STEPS / size[group]
    steps = np.floor(exact + 1e-9).astype(np.int64)
    missing = np.rint(np.add.reduceat(exact, first)).astype(np.int64) - np.add.reduceat(steps, first)
    order = np.lexsort((steps - exact, group))  # in each decision, the largest remainder first
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order)) - first[group]
    steps = (steps + (rank < missing[group])) * size[group]
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
    """Rounds that are more exploitable than this, in the shape in which they are stored, are not shipped. In a match
    they are worth 2 between winning and losing, so this is half as much in chances to win.
    """
    total = sum(dice)
    if game == "heads-up":
        return 3e-5 if total <= 5 else 1e-3
    if total <= 3:  # they take little room
        return 7e-4
    most = 1e-3 if total == 4 else 1e-2
    return 2 * most if game == "perudo match" else most


def as_stored(tree: PublicTree, pool: Pool, coarse: float) -> tuple[Strategy, Strategy]:
    """Both strategies in the shape in which they are stored: without actions taken less often than `coarse`, and
    rounded as coarsely.
    """
    first, second = (rounded(average_strategy(tree, pool, seat, coarse), coarse) for seat in (0, 1))
    return first, second


def packed(tree: PublicTree, pool: Pool, most: float, say: Callable[[str], None] = lambda _: None) -> SolvedRound:
    """A round in the smallest shape in which its exploitability is at most `most`, proved in that shape."""
    for coarse in COARSE:
        strategies = as_stored(tree, pool, coarse)
        found = SolvedRound(*certify(strategies), tree, strategies)
        say(f"{tree!r}, {coarse:g}: exploitability {found.exploitability:.1e}, {sum(map(len, strategies)):,} lines")
        if found.exploitability <= most:
            break
    return found


def make_round(game: SolvedGame, dice: tuple[int, int], **options: Any) -> tuple[SolvedRound, int]:
    """A solved round in the shape in which it is stored, proved in that shape, and how many iterations it took."""
    most = good_enough(game, dice)
    solution = solve(RULES[game].replace(dice=dice), target=most / 2, **options)
    if solution.stopped == "interrupted":
        raise KeyboardInterrupt
    return packed(solution.tree, solution.pool, most), solution.iterations


def make_match(
    most_dice: int,
    *,
    known: Mapping[State, Known],
    kept: Mapping[State, tuple[SolvedRound, int]],
    say: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> list[tuple[SolvedRound, int]]:
    """All states of matches with at most this many dice in total, in the shape in which they are stored, proved in that
    shape. The bounds are in payoffs: 1 if the opener is sure to win the match, -1 if it is sure to lose.

    States with equally many dice are made together, when those with fewer are in the shape in which they are stored.
    """
    made = dict(kept)
    for total in range(2, most_dice + 1):
        states = [dice for dice in rounds_with(total) if sum(dice) == total]
        if all(dice in kept for dice in states):
            continue
        config = RULES["perudo match"].replace(dice=(total - 1, 1))  # from which every state can be reached
        fewer = {dice: (solved.tree, solved.pool) for dice, (solved, _) in made.items() if sum(dice) < total}
        if all(dice in known for dice in states):
            found = {dice: known[dice][:2] for dice in states}
        else:  # the target is in chances to win: half as much as in payoffs
            match = solve_match(config, target=good_enough("perudo match", states[0]) / 8, known=fewer, **options)
            if match.stopped == "interrupted":
                raise KeyboardInterrupt
            found = {dice: (match.states[dice].tree, match.states[dice].pool) for dice in states}
        made.update((dice_of(solved), (solved, 0)) for solved in packed_states(config, found, fewer, say))
    return [made[dice] for dice in rounds_with(most_dice)]


def packed_states(
    config: GameConfig,
    states: Mapping[State, tuple[PublicTree, Pool]],
    fewer: Mapping[State, tuple[PublicTree, Pool]],
    say: Callable[[str], None] = lambda _: None,
) -> list[SolvedRound]:
    """The states of a match with equally many dice, each in the smallest shape in which its exploitability is good
    enough, if those with fewer dice are played like this.
    """
    level = dict.fromkeys(states, 0)
    while True:
        stored = {state: as_stored(*states[state], COARSE[level[state]]) for state in states}
        pools = {state: (strategies[0].tree, pool_of(strategies)) for state, strategies in stored.items()}
        bounds = certify_match(config, {**fewer, **pools})
        found = [
            SolvedRound(2 * bounds[state][0] - 1, 2 * bounds[state][1] - 1, strategies[0].tree, strategies)
            for state, strategies in stored.items()
        ]
        for solved, coarse in zip(found, map(COARSE.__getitem__, level.values()), strict=True):
            lines = sum(map(len, solved.strategies))
            say(f"{solved.tree!r}, {coarse:g}: exploitability {solved.exploitability:.1e}, {lines:,} lines")
        wide = [dice_of(s) for s in found if s.exploitability > good_enough("perudo match", dice_of(s))]
        if not wide or any(level[state] + 1 == len(COARSE) for state in wide):
            return found
        for state in wide:
            level[state] += 1


def dice_of(solved: SolvedRound) -> State:
    """The opener's dice and the other player's."""
    return solved.tree.config.dice[0], solved.tree.config.dice[1]


def found_on_a_gpu(game: SolvedGame, path: Path) -> tuple[PublicTree, Pool, int]:
    """A round that `benchmarks/gpu_solver.py` has written, and how many iterations it took."""
    with np.load(path, allow_pickle=False) as file:
        about = msgspec.json.decode(file["about"].tobytes())
        dice = tuple(map(int, path.stem.removeprefix("match-").split("v")))
        payoffs = msgspec.convert(about["payoffs"], Payoffs)
        tree = PublicTree(RULES[game].replace(dice=dice), payoffs=payoffs, cut=about["cut"])
        first, second = (
            Strategy(
                tree,
                seat,
                np.cumsum(file[f"node{seat}"], dtype=np.uint64),
                file[f"hand{seat}"].astype(np.int64),
                file[f"rung{seat}"].astype(np.int64),
                file[f"chance{seat}"].astype(np.float64),
            )
            for seat in (0, 1)
        )
        return tree, pool_of((first, second)), about["iterations"]


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
                for name, column in columns_of(strategy).items():
                    out = BytesIO()
                    np.save(out, column)
                    file.writestr("{}v{}/{}/{}.npy".format(*dice, strategy.seat, name), out.getvalue())
        file.writestr("index.json", msgspec.json.encode(Index(FORMAT, entries, rules)))
    beside.replace(path)


def kept_rounds(path: Path) -> dict[State, tuple[SolvedRound, int]]:
    """The rounds of a tablebase, as they are stored, and how many iterations they took."""
    base = tablebase.Tablebase.read(path)
    return {dice: (base.round(*dice), entry.iterations) for dice, entry in base.entries.items()}


def known_rounds(game: SolvedGame, folders: Sequence[Path]) -> dict[State, Known]:
    """Rounds that need not be solved again: those in the folders that `benchmarks/gpu_solver.py` has written."""
    known: dict[State, Known] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.npz"))):
        if path.stem.startswith("match-") == (game == "perudo match"):
            tree, pool, iterations = found_on_a_gpu(game, path)
            known[tree.config.dice[0], tree.config.dice[1]] = tree, pool, iterations
    return known


def build(
    game: SolvedGame,
    path: Path,
    *,
    most_dice: int,
    device: str = "cpu",
    known: Mapping[State, Known] | None = None,
    kept: Mapping[State, tuple[SolvedRound, int]] | None = None,
) -> None:
    """Solve every round with at most this many dice that is neither known nor kept as it is, and write the file, with
    progress on standard error.
    """
    known, kept = known or {}, kept or {}

    def say(text: str, end: str = "\n") -> None:
        print(f"\r{text:<100}", end=end, file=sys.stderr, flush=True)

    check_writable(path)
    started = time.perf_counter()

    def made() -> Iterator[tuple[SolvedRound, int]]:
        def show(now: SolverProgress, name: str = game) -> None:
            say(f"{name}: [{now.lower:.6f}, {now.upper:.6f}] after {now.iterations} iterations", end="")

        if game == "perudo match":
            yield from make_match(most_dice, known=known, kept=kept, say=say, progress=show, device=device)
        else:
            for dice in rounds_with(most_dice):
                if dice in kept and dice not in known:
                    yield kept[dice]
                elif dice in known:
                    tree, pool, iterations = known[dice]
                    yield packed(tree, pool, good_enough(game, dice), say), iterations
                else:
                    yield make_round(game, dice, progress=partial(show, name="{} v {}".format(*dice)), device=device)

    rounds = []
    for solved, iterations in made():
        dice = dice_of(solved)
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
    parser.add_argument("--keep", action="store_true", help="keep the rounds of the package's file as they are")
    parser.add_argument("--found", type=Path, nargs="*", default=[], help="folders of benchmarks/gpu_solver.py")
    given = parser.parse_args(arguments)
    game: SolvedGame = given.game.replace("-match", " match")
    shipped = Path(tablebase.__file__).parent / "data" / FILES[game]
    out = given.out or shipped
    if given.most_dice is not None and not 2 <= given.most_dice <= TABLEBASE_DICE:
        parser.error(f"--most-dice: {given.most_dice}, expected 2 to {TABLEBASE_DICE}")
    try:
        known = known_rounds(game, given.found)
        kept = kept_rounds(shipped) if given.keep else None
        build(game, out, most_dice=given.most_dice or MOST_DICE[game], device=given.device, known=known, kept=kept)
    except (LiarsDiceError, KeyboardInterrupt) as error:
        print(f"\nNothing was written: {str(error) or 'interrupted'}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
