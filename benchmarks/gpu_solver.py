"""Rounds and matches by the rules of `perudo` solved on a GPU: first compared with the processor, then timed.

    PYTHONPATH=src python benchmarks/gpu_solver.py [--seconds N] [--out FOLDER]

Needs numpy, msgspec and CuPy. Times exclude the final certificate on the processor; the brackets are those that the GPU
computes in double precision. What is found is written to the folder as it comes, for `tools/build_tablebase.py`.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from figures import figure

if find_spec("numba") is None:  # what it would compile runs as plain Python: quick enough for the comparisons
    stand_in: Any = ModuleType("numba")
    stand_in.njit = lambda function=None, **_: function or (lambda inner: inner)
    sys.modules["numba"] = stand_in

import msgspec

from liars_dice.core import GameConfig, preset
from liars_dice.exact.solver import Payoffs, PublicTree, SolverProgress, Tablebase, solve_match
from liars_dice.exact.solver.cfr_traversal import Pool
from liars_dice.exact.solver.cpu_solver import CpuSolver, best_responses
from liars_dice.exact.solver.equilibrium import FIRST_CUT, improve, new_solver
from liars_dice.exact.solver.gpu_solver import GpuSolver
from liars_dice.exact.solver.strategy import average_strategy

BEGAN = time.perf_counter()
TINY = GameConfig(dice=(2, 1), faces=2, wild="ones", bid_ordering="perudo", exact_call=True)
COMPARED = {
    "wild ones, exact calls": PublicTree(TINY),
    "the other way round": PublicTree(TINY.replace(dice=(1, 2))),
    "payoffs": PublicTree(
        TINY, payoffs=Payoffs(liar_right=(0.3, 0.5), liar_wrong=(-0.9, -0.7), exact_right=(0.8, 0.9))
    ),
    "a cut": PublicTree(TINY, cut=0.3),
    "no exact calls, highest face wild": PublicTree(GameConfig(dice=(1, 1), faces=3, wild="top")),
    "no wilds": PublicTree(GameConfig(dice=(1, 2), faces=3)),
}
ROUND, MATCH = preset("perudo", players=2, mode="single_round"), preset("perudo", players=2)
FIVE_DICE = ((3, 2), (2, 3), (4, 1), (1, 4))
LEAST = 3e-6
"""Actions taken less often than this are not written."""
PARTS = ("compare", "known", "match", "rounds")


def tell(text: str) -> None:
    """A line with the seconds since the start."""
    print(f"{time.perf_counter() - BEGAN:6.1f} s  {text}", flush=True)


def show(name: str, until: float | None = None) -> Any:
    """Progress as lines, and Ctrl-C at a time."""

    def line(now: SolverProgress) -> None:
        tell(
            f"{name}: {now.exploitability:.1e} after {now.iterations:,} iterations, {now.elapsed_s:.1f} s, "
            f"{now.nodes:,} nodes"
        )
        if until is not None and time.perf_counter() > until:
            raise KeyboardInterrupt

    return line


def compare() -> None:
    """Small rounds: the same iterations on both, and the same certificate."""
    for name, tree in COMPARED.items():
        here = CpuSolver(tree, least=1e-7, slots=1 << tree.rungs, kind=np.float32)
        there = GpuSolver(tree, least=1e-7, slots=1 << tree.rungs)
        for _ in range(2):
            here.iterate()
            there.iterate()
        apart = np.abs(np.subtract(here.bracket(), there.bracket())).max()
        for _ in range(100):
            there.iterate()
        second, first = (best_responses(tree, there.compact(), (seat,))[0] for seat in (1, 0))
        unproved = np.abs(np.subtract((-second, first), there.bracket())).max()
        tell(f"{name}: after two iterations {apart:.1e} apart, certificates {unproved:.1e}")
        assert apart < 1e-5, f"{name}: GPU and processor differ"
        assert unproved < 1e-9, f"{name}: the GPU's bracket is not what the processor certifies"


def overlap() -> None:
    """Rounds of the package's tables: both brackets hold the value."""
    for dice in ((1, 1), (2, 1), (1, 2), (2, 2)):
        known = Tablebase.shipped("perudo").entry(*dice)
        started = time.perf_counter()
        solver = new_solver(PublicTree(ROUND.replace(dice=dice), cut=FIRST_CUT), "gpu", least=1e-6)
        improve(solver, 1e-3, seconds=60)
        lower, upper = solver.bracket()
        tell(f"{dice[0]} v {dice[1]}: [{lower:.5f}, {upper:.5f}], shipped [{known.lower:.5f}, {known.upper:.5f}]")
        figure(f"{dice[0]} v {dice[1]} by perudo on a gpu to 1e-3", time.perf_counter() - started, "s", most=60)
        assert lower <= known.upper
        assert known.lower <= upper
        del solver  # its memory is needed for the next


def five_dice(out: Path, until: float) -> None:
    """Every round with five dice: how long it takes to 1e-2, then on towards 1e-3 while there is time."""
    for place, dice in enumerate(FIVE_DICE):
        name = f"{dice[0]} v {dice[1]}"
        started = time.perf_counter()
        end = started + (until - started) / (len(FIVE_DICE) - place)
        tree = PublicTree(ROUND.replace(dice=dice), cut=FIRST_CUT)
        solver = new_solver(tree, "gpu", least=1e-6)
        stopped = improve(solver, 1e-2, seconds=end - started, progress=show(name))
        seconds = time.perf_counter() - started
        figure(f"{name} by perudo on a gpu, exploitability", half_width(solver.bracket()), most=1e-2, aim=1e-3)
        figure(f"{name} by perudo on a gpu, time to that", seconds, "s", most=600)
        if stopped == "target":
            stopped = improve(solver, 1e-3, seconds=0.8 * (end - time.perf_counter()), progress=show(name))
        lower, upper = solver.bracket()
        tell(f"{name}: [{lower:.5f}, {upper:.5f}], {half_width((lower, upper)):.1e}, stopped by {stopped}")
        write(out, f"{dice[0]}v{dice[1]}", solver.tree, solver.compact(), (lower, upper), solver.iterations)
        del solver


def half_width(bracket: tuple[float, float]) -> float:
    """The exploitability."""
    return (bracket[1] - bracket[0]) / 2


def match(out: Path, dice: int, until: float) -> None:
    """All states of a match with this many dice in total."""
    config = MATCH.replace(dice=(dice - 1, 1))
    name = f"a match with {dice} dice"
    try:
        solved = solve_match(config, target=2.5e-4, device="gpu", certify=False, progress=show(name, until))
    except KeyboardInterrupt:
        tell(f"{name}: out of time")
        return
    figure(f"{name} on a gpu, time to {solved.exploitability:.1e}", solved.elapsed_s, "s", most=600)
    for state, found in solved.states.items():
        tell(f"match {state[0]} v {state[1]}: the opener wins {found.lower:.5f} to {found.upper:.5f}")
        if sum(state) == dice:
            write(out, f"match-{state[0]}v{state[1]}", found.tree, found.pool, (found.lower, found.upper), 0)


def write(out: Path, name: str, tree: PublicTree, pool: Pool, bracket: tuple[float, float], iterations: int) -> None:
    """Both strategies as columns, without what hardly ever happens; of the nodes, which are sorted, the differences."""
    columns: dict[str, Any] = {}
    for seat in (0, 1):
        strategy = average_strategy(tree, pool, seat, LEAST)
        columns |= {
            f"node{seat}": np.diff(strategy.node, prepend=np.uint64(0)),
            f"hand{seat}": strategy.hand.astype(np.uint8),
            f"rung{seat}": strategy.rung.astype(np.uint8),
            f"chance{seat}": strategy.chance.astype(np.float32),
        }
    about = {"cut": tree.cut, "payoffs": tree.payoffs, "bracket": bracket, "iterations": iterations}
    np.savez_compressed(out / f"{name}.npz", about=np.frombuffer(msgspec.json.encode(about), np.uint8), **columns)
    tell(f"{name}: {len(columns['node0']):,} and {len(columns['node1']):,} lines written")


def main(arguments: list[str]) -> None:
    """Compare, time, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=460, help="the most time to spend (default: 460)")
    parser.add_argument("--out", type=Path, default=Path("gpu-rounds"), help="the folder to write to")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to do (default: everything)")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    end = BEGAN + given.seconds
    if "compare" in given.parts:
        compare()
    if "known" in given.parts:
        overlap()
    if "match" in given.parts:
        match(given.out, 4, BEGAN + 0.6 * given.seconds)
    if "rounds" in given.parts:
        five_dice(given.out, end)


if __name__ == "__main__":
    main(sys.argv[1:])
