"""Equilibria of two-player rounds: `solve` improves both players until the bracket around the value is narrow.

The answer certifies itself. `lower` is what the opener's strategy earns against its best response, `upper` what the
opener's best response earns against the other player's strategy; the value of the game lies between them, however the
strategies were found.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import ceil, inf
from pathlib import Path
from typing import Literal, Protocol

import msgspec
import numpy as np

from ...core import ConfigError, RulesLike, as_config
from ..errors import OutOfReachError
from .cfr_traversal import Pool
from .cpu_solver import CpuSolver, best_responses, warm_up
from .public_tree import ONE_ROUND, Bracket, Payoffs, PublicTree
from .saved_solution import check_replaceable, check_same_round, check_writable, read_saved, write_or_warn

Device = Literal["cpu", "gpu"]
LEAST_TARGET = 1e-12
"""The smallest target: sums of doubles over a whole tree are accurate to about a tenth of this."""
SINGLE_TARGET = 2e-5
"""Down to this target single precision is enough; below it, and in small trees, double precision is used."""
SMALL_RUNGS = 12
FIRST_CUT = 0.05
"""Where the tree is large, bids that are true in fewer rolls than this are only called at first..."""
PATIENCE, SLOW = 3, 0.9
"""...until the bracket has not become a tenth narrower in the last three looks at it, each a fifth later."""
MEMINFO = Path("/proc/meminfo")
SHARE_OF_MEMORY, SHARE_OF_GPU_MEMORY = 0.6, 0.9
"""The share of the memory that is free on the machine, or on its GPU, that is used unless `memory` is given."""


class SolverProgress(Bracket, frozen=True):
    """The state of a solver that is still running."""

    iterations: int
    elapsed_s: float
    nodes: int


class Solution(Bracket, frozen=True):
    """Strategies for both seats, and proved bounds on the value."""

    tree: PublicTree
    pool: Pool
    """The average strategies: see `strategy.average_strategy`."""
    iterations: int
    elapsed_s: float
    compile_s: float
    nodes: int
    device: str
    stopped: str
    """Why it ended: "target", "iterations", "interrupted" or "memory"."""

    def __repr__(self) -> str:
        between = f"value from {self.lower:.6f} to {self.upper:.6f}"
        return f"<Solution: {between} after {self.iterations:,} iterations>"


class Solver(Protocol):
    """What the solvers for CPU and GPU have in common."""

    iterations: int
    tree: PublicTree

    @property
    def nodes(self) -> int:
        """How many nodes of the tree are in use."""

    @property
    def full(self) -> bool:
        """Whether the memory has run out."""

    def iterate(self) -> None:
        """One iteration for both seats."""

    def bracket(self) -> tuple[float, float]:
        """The values of both best responses to the average strategies, to the opener: lower, upper."""

    def best_response(self, seat: int) -> float:
        """What a seat's best response to the other player's average strategy earns."""

    def compact(self) -> Pool:
        """All nodes in use."""

    def restore(self, pool: Pool, iterations: int) -> None:
        """Continue from this state."""


def solve(
    config: RulesLike,
    *,
    target: float = 1e-4,
    iterations: int | None = None,
    device: Device = "cpu",
    workers: int | None = None,
    memory: float | None = None,
    save: Path | None = None,
    resume: Path | None = None,
    reduce: bool = True,
    payoffs: Payoffs = ONE_ROUND,
    cut: float | None = None,
    progress: Callable[[SolverProgress], None] = lambda _: None,
) -> Solution:
    """Solve one round: the opener has `config.dice[0]` dice, the other player `config.dice[1]`.

    It ends when the exploitability is at most `target`, after `iterations` iterations, or on Ctrl-C: the strategies at
    that point are certified and returned. `memory` is in gigabytes. `save` names a file from which `resume` continues.
    `payoffs` say what calls are worth, if more depends on the round than the round. Bids that are true in fewer than
    `cut` of all rolls are only called; by default a cut is chosen, and lowered when it keeps the bracket wide.

    >>> from liars_dice.core import preset
    >>> solution = solve(preset("classic", dice=1, faces=3))
    >>> print(f"{solution.lower:.3f} to {solution.upper:.3f}")  # it is -1/9
    -0.111 to -0.111
    """
    config = as_config(config, players=2)
    check_request(target, iterations, workers, memory)
    tree = PublicTree(config, reduce=reduce, payoffs=payoffs, cut=cut or 0.0)
    if cut is None and not tree.reduced and tree.rungs > SMALL_RUNGS:
        tree = tree.with_payoffs(payoffs, FIRST_CUT)
    if save is not None:
        check_writable(save)
        check_replaceable(save, tree)
    kind: type[np.floating] = np.float64 if target < SINGLE_TARGET or tree.rungs <= SMALL_RUNGS else np.float32
    known = None if resume is None else read_saved(resume)
    if resume is not None and known is not None:
        check_same_round(resume, known.tree, tree)
        if cut is None and 0 < known.tree.cut < tree.cut:
            tree = tree.with_payoffs(payoffs, known.tree.cut)
        kind = max(kind, known.pool.average.dtype.type, key=np.dtype)  # what was found in doubles stays in doubles
    started = time.perf_counter()
    solver = new_solver(tree, device, least=min(target * 1e-3, 1e-6), kind=kind, workers=workers, memory=memory)
    warm_up(np.float32 if device == "gpu" else kind)
    compile_s = time.perf_counter() - started
    if known is not None:
        solver.restore(known.pool, known.iterations)
    began = time.perf_counter()
    stopped = improve(solver, target, iterations=iterations, lower_cut=cut is None, save=save, progress=progress)
    pool, tree = solver.compact(), solver.tree
    if save is not None:
        write_or_warn(save, tree, pool, solver.iterations)
    first, second = best_responses(tree, pool)
    elapsed = time.perf_counter() - began
    return Solution(
        -second, first, tree, pool, solver.iterations, elapsed, compile_s, solver.nodes, device, stopped
    )  # fmt: skip


def improve(
    solver: Solver,
    target: float,
    *,
    iterations: int | None = None,
    seconds: float = inf,
    lower_cut: bool = True,
    save: Path | None = None,
    progress: Callable[[SolverProgress], None] = lambda _: None,
) -> str:
    """Improve both players until the exploitability is at most `target`; returns why it ended, as in `Solution`, or
    "time" after this many seconds. If the cut keeps the bracket wide, it is lowered, unless `lower_cut` is false.
    """
    began = saved = time.perf_counter()
    widths: list[float] = []
    try:
        for check in _checks(solver.iterations, inf if iterations is None else iterations):
            while solver.iterations < check:
                solver.iterate()
            lower, upper = solver.bracket()
            now = time.perf_counter()
            progress(SolverProgress(lower, upper, solver.iterations, now - began, solver.nodes))
            if upper - lower <= 2 * target:
                return "target"
            if solver.full:
                return "memory"
            if now - began > seconds:
                return "time"
            widths.append(upper - lower)
            if lower_cut and stays_wide(widths):
                widths.clear()
                solver.tree = solver.tree.with_lower_cut() or solver.tree
            if save is not None and now - saved > 300:
                write_or_warn(save, solver.tree, solver.compact(), solver.iterations)
                saved = time.perf_counter()
    except KeyboardInterrupt:
        return "interrupted"
    return "iterations"


def stays_wide(widths: list[float]) -> bool:
    """Whether the bracket has not become much narrower in the last looks at it: then the cut keeps it wide."""
    return len(widths) > PATIENCE and widths[-1] > SLOW * widths[-1 - PATIENCE]


def check_request(
    target: float,
    iterations: int | None = None,
    workers: int | None = None,
    memory: float | None = None,
    least: float = LEAST_TARGET,
) -> None:
    """Raise `OutOfReachError` for what no solver can do."""
    if not least <= target <= 2:
        expected = f"expected a number from {least:g} to 2; rounding errors hide anything smaller"
        raise OutOfReachError(f"target {target:g}: {expected}")
    if iterations is not None and iterations < 1:
        raise OutOfReachError(f"iterations {iterations}: at least one is needed")
    if workers is not None and workers < 1:
        raise OutOfReachError(f"workers {workers}: at least one is needed")
    if memory is not None and not 0 < memory < inf:
        raise OutOfReachError(f"memory {memory:g}: expected a number of gigabytes")


def _checks(done: int, most: float) -> Iterator[int]:
    """After which iterations the bracket is computed: each time a fifth later, whatever iteration a resumed solver
    starts from; and at once if it is resumed.
    """
    if done:
        yield done
    check = 8.0
    while ceil(check) < most:
        if ceil(check) > done:
            yield ceil(check)
        check *= 1.2
    if most > done:
        yield int(most)


def new_solver(
    tree: PublicTree,
    device: Device,
    *,
    least: float,
    kind: type[np.floating] = np.float32,
    workers: int | None = None,
    memory: float | None = None,
) -> Solver:
    """A solver for the tree, if it fits into this many gigabytes of memory."""
    limit = memory_for(device) if memory is None else memory
    item_bytes = np.dtype(kind).itemsize
    needed = memory_needed(tree, device, item_bytes)
    if needed > limit:
        raise OutOfReachError(
            f"dice {tree.config.dice} with {tree.config.faces} faces would need about {gigabytes(needed)} of "
            f"{'memory' if device == 'cpu' else 'GPU memory'}; at most {gigabytes(limit)} are used; "
            f"{_what_fits(tree, limit, device, item_bytes)}"
        )
    slots = int(limit * 1e9 / _node_bytes(tree, device, item_bytes))
    if device == "gpu":
        from .gpu_solver import GpuSolver

        return GpuSolver(tree, least=least, slots=slots)
    try:
        return CpuSolver(tree, least=least, slots=slots, kind=kind, workers=workers)
    except MemoryError:
        raise OutOfReachError(f"memory {gigabytes(limit)}: the system does not provide that much") from None


# -- memory ------------------------------------------------------------------------------------------------------------


def memory_for(device: Device) -> float:
    """How many gigabytes are used, unless more or less is asked for: a share of what is free on the machine or GPU."""
    if device == "gpu":
        from .gpu_solver import Cuda

        return Cuda().memory() * SHARE_OF_GPU_MEMORY
    return free_memory() * SHARE_OF_MEMORY


def free_memory(told_by: Path = MEMINFO) -> float:
    """How many gigabytes programs can still take, as Linux estimates it; elsewhere, how many the machine has."""
    with suppress(OSError):
        for line in told_by.read_text(encoding="ascii").splitlines():
            name, _, amount = line.partition(":")
            if name == "MemAvailable":
                return int(amount.split()[0]) * 1024 / 1e9
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9


def nodes_expected(tree: PublicTree) -> float:
    """About how many nodes solving will use: with wilds most of them, without only those where a player would raise.

    The growth was measured: 36,000 nodes of 2 v 2 dice (18 rungs), 410,000 of 2 v 3 (24), 3,500,000 of 3 v 3 (30).
    """
    everything = float(tree.most_slots)
    return min(everything, 80 * 1.44**tree.rungs) if tree.reduced else everything


def memory_needed(tree: PublicTree, device: Device = "cpu", item_bytes: int = 4) -> float:
    """About how many gigabytes solving the tree takes."""
    return nodes_expected(tree) * _node_bytes(tree, device, item_bytes) / 1e9


def _node_bytes(tree: PublicTree, device: Device, item_bytes: int) -> int:
    """How much memory a node takes. A GPU looks at many nodes at the same time, so each has room for values and the
    other player's reach, in double precision.
    """
    if device == "gpu":
        return 2 * tree.width * 4 + 2 * max(tree.hands) * 8 + 64
    return 2 * tree.width * item_bytes + 8


def gigabytes(amount: float) -> str:
    """An amount of memory as text."""
    return f"{amount:,.0f} GB" if amount >= 10 else f"{amount:.2g} GB"


def _what_fits(tree: PublicTree, limit: float, device: Device, item_bytes: int) -> str:
    """The most dice by the same rules that would fit."""
    config = tree.config
    for total in range(config.total_dice - 1, 1, -1):
        for own in range(total // 2, 0, -1):
            least = min(config.opening_min_quantity, total)
            with suppress(OutOfReachError, ConfigError):  # they may not allow a player this many dice
                smaller = msgspec.structs.replace(config, dice=(own, total - own), opening_min_quantity=least)
                if memory_needed(PublicTree(smaller, reduce=tree.reduced, cut=tree.cut), device, item_bytes) <= limit:
                    return f"{own} against {total - own} dice would fit"
    return "fewer faces would fit"
