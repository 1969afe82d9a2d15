"""Equilibria against second opinions: published values, linear programs, brute force, OpenSpiel."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from liars_dice.core import Bid, GameConfig, preset
from liars_dice.exact.errors import DataError, OutOfReachError
from liars_dice.exact.solver import cpu_solver as cpu
from liars_dice.exact.solver.cpu_solver import CpuSolver, best_responses
from liars_dice.exact.solver.equilibrium import (
    FIRST_CUT,
    Solution,
    SolverProgress,
    free_memory,
    memory_for,
    solve,
)
from liars_dice.exact.solver.matches import solve_match
from liars_dice.exact.solver.public_tree import Payoffs, PublicTree, can_reduce
from liars_dice.exact.solver.saved_solution import read_saved
from linear_programs import solve_linear
from trees import at_random, behaviour_of, best_value, in_whole_tree, pool_of

SLACK = 1e-12
"""Rounding in sums over a whole tree."""

# In both sources a bid on the wild face counts dice that show it and no others, as with our `wild_bids = "natural"`,
# the default: nothing had to be changed to agree.
_FILE = Path(__file__).parents[1] / "data" / "published_values.json"
PUBLISHED = [
    (GameConfig(dice=tuple(r["dice"]), faces=r["faces"], wild=r["wild"], bid_ordering=r["bid_ordering"]), r["value"])
    for r in json.loads(_FILE.read_text(encoding="utf-8"))["rounds"]
]
FOR_A_PROGRAM = [(config, value) for config, value in PUBLISHED if PublicTree(config).rungs <= 12]
"""Those small enough for a linear program."""


def told(config: GameConfig) -> str:
    """The name of a test."""
    usual = GameConfig()
    named = {k: v for k, v in config.to_dict().items() if v != getattr(usual, k) and k != "dice"}
    return f"{config.dice[0]}v{config.dice[1]} " + " ".join(f"{k}={v}" for k, v in named.items())


def rungs(config: GameConfig) -> int:
    return PublicTree(config).rungs


# -- published values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fine", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["coarse", "fine"])
@pytest.mark.parametrize(("config", "value"), PUBLISHED, ids=lambda x: told(x) if isinstance(x, GameConfig) else x)
def test_published_values_lie_in_the_bracket(config: GameConfig, value: str, fine: bool) -> None:
    small = rungs(config) <= 12
    target = (1e-4 if small else 2e-3) if fine else (1e-3 if small else 5e-3)
    solution = solve(config, target=target, workers=1)
    assert solution.stopped == "target"
    assert solution.lower - SLACK <= Fraction(value) <= solution.upper + SLACK
    assert solution.exploitability <= target


def test_two_against_one_die_is_published_to_three_digits() -> None:
    solution = solve(preset("classic", dice=(2, 1)), target=1e-5)
    assert round(solution.lower, 3) == round(solution.upper, 3) == 0.275
    assert solution.value == pytest.approx(0.274805845879, abs=2e-5)


# -- linear programs ---------------------------------------------------------------------------------------------------

QUICK = [
    GameConfig(dice=(1, 1), faces=3),
    GameConfig(dice=(1, 1), faces=4),
    GameConfig(dice=(1, 1), faces=6),
    GameConfig(dice=(2, 1), faces=3),
    GameConfig(dice=(1, 2), faces=3),
    GameConfig(dice=(2, 2), faces=2),
    GameConfig(dice=(1, 1), faces=3, wild="ones"),
    GameConfig(dice=(1, 1), faces=3, wild="top"),
    GameConfig(dice=(2, 1), faces=2, wild="top"),
    GameConfig(dice=(2, 2), faces=2, wild="top"),
    GameConfig(dice=(1, 1), faces=3, wild="ones", wild_bids="forbidden"),
    GameConfig(dice=(1, 1), faces=3, wild="top", wild_bids="forbidden", open_on_ones=False),
    GameConfig(dice=(1, 1), faces=4, wild="ones", bid_ordering="perudo"),
    GameConfig(dice=(1, 1), faces=4, wild="ones", bid_ordering="perudo", open_on_ones=False),
    GameConfig(dice=(1, 1), faces=4, bid_ordering="liars_dice_standard"),
    GameConfig(dice=(2, 1), faces=2, bid_ordering="liars_dice_standard"),
    GameConfig(dice=(1, 1), faces=4, wild="top", bid_ordering="liars_dice_standard"),
    GameConfig(dice=(1, 1), faces=4, opening_min_quantity=2),
    GameConfig(dice=(2, 1), faces=3, opening_min_quantity=2),
    GameConfig(dice=(2, 2), faces=2, opening_min_quantity=3),
    GameConfig(dice=(1, 1), faces=3, max_quantity=3),
    GameConfig(dice=(1, 1), faces=3, max_quantity=1),
    GameConfig(dice=(1, 1), faces=2, wild="top", max_quantity=5),
]
"""CFR+ comes to 1e-10 here within seconds."""
SLOW_TO_CONVERGE = [
    GameConfig(dice=(2, 1), faces=2),
    GameConfig(dice=(1, 2), faces=2),
    GameConfig(dice=(1, 1), faces=4, wild="ones"),
    GameConfig(dice=(1, 1), faces=4, wild="ones", wild_bids="forbidden", bid_ordering="perudo"),
    GameConfig(dice=(1, 2), faces=3, wild="ones", opening_min_quantity=2, open_on_ones=False),
    GameConfig(dice=(1, 1), faces=2, max_quantity=4),
    GameConfig(dice=(2, 2), faces=3),
]
"""Here the average strategies come closer only as fast as iterations are made."""
LARGER = [
    GameConfig(dice=(1, 1), faces=6, wild="ones"),
    GameConfig(dice=(2, 1), faces=4, wild="top"),
    GameConfig(dice=(1, 2), faces=6),
    GameConfig(dice=(2, 1), faces=6),
]


EXACT_CALLS = [
    GameConfig(dice=(1, 1), faces=3, wild="ones", exact_call=True),
    GameConfig(dice=(2, 1), faces=2, wild="top", exact_call=True),
    GameConfig(dice=(1, 2), faces=2, exact_call=True),
    GameConfig(dice=(1, 1), faces=4, wild="ones", bid_ordering="perudo", exact_call=True),
    GameConfig(dice=(1, 1), faces=4, wild="ones", bid_ordering="perudo", open_on_ones=False, exact_call=True),
]
ODD_PAYOFFS = Payoffs((1.0, 0.7), (-0.8, -0.3), (0.5, 0.9), (-1.0, -0.6))
"""As in a match: neither equal for both seats, nor for all calls."""


@pytest.mark.parametrize("payoffs", [Payoffs(), ODD_PAYOFFS], ids=["one round", "odd payoffs"])
@pytest.mark.parametrize("config", EXACT_CALLS, ids=told)
def test_linear_programs_agree_about_exact_calls_and_payoffs(config: GameConfig, payoffs: Payoffs) -> None:
    linear = solve_linear(PublicTree(config, payoffs=payoffs))
    solution = solve(config, payoffs=payoffs, target=1e-12, iterations=1000)
    assert solution.lower - SLACK <= linear.value <= solution.upper + SLACK
    assert solution.exploitability < 1e-3
    first, second = best_responses(PublicTree(config, payoffs=payoffs), linear.pool)
    assert (first, -second) == pytest.approx((linear.value, linear.value), abs=1e-9)


@pytest.mark.parametrize("config", EXACT_CALLS[:2], ids=told)
def test_best_responses_with_payoffs_are_what_trying_everything_finds(config: GameConfig) -> None:
    tree = PublicTree(config, payoffs=ODD_PAYOFFS)
    for seed in range(5):
        behaviour = at_random(tree, seed)
        tried = [best_value(tree, behaviour, seat) for seat in (0, 1)]
        assert best_responses(tree, pool_of(tree, behaviour)) == pytest.approx(tried, abs=1e-12)


def test_one_die_each_in_perudo_is_worth_what_is_known() -> None:
    perudo = preset("perudo", players=2, dice=1)
    plain = solve(perudo.replace(exact_call=False, max_dice=None), target=1e-4)
    assert plain.lower <= -1 / 18 <= plain.upper
    even = solve(perudo, target=5e-5)
    assert -1e-4 <= even.lower <= 0 <= even.upper <= 1e-4


@pytest.mark.parametrize("cut", [0.0, 0.2, 0.5, 2.0])
def test_a_cut_tree_is_certified_in_the_whole_game(cut: float) -> None:
    """An adversary may bid and raise everything, also what the strategies only call."""
    config = GameConfig(dice=(1, 1), faces=3, wild="ones", exact_call=True)
    solution = solve(config, target=1e-3, cut=cut, iterations=200)
    whole = PublicTree(config)
    behaviour = behaviour_of(whole, solution.pool)
    tried = [best_value(whole, behaviour, seat) for seat in (0, 1)]
    assert (-solution.lower, solution.upper) == pytest.approx((tried[1], tried[0]), abs=1e-12)
    assert (solution.exploitability < 1e-3) == (cut <= 0.2)


def test_a_cut_that_keeps_the_bracket_wide_is_lowered(tmp_path: Path) -> None:
    config, file = GameConfig(dice=(2, 1), faces=5, wild="ones", exact_call=True), tmp_path / "f.npz"
    solution = solve(config, target=3e-4, save=file)
    assert solution.stopped == "target"
    assert 0 < solution.tree.cut < FIRST_CUT
    again = solve(config, target=3e-4, resume=file)
    assert (again.tree.cut, again.iterations) == (solution.tree.cut, solution.iterations)
    assert again.exploitability == pytest.approx(solution.exploitability, abs=1e-9)


@pytest.mark.parametrize("config", QUICK, ids=told)
def test_the_linear_program_agrees_with_a_fine_solution(config: GameConfig) -> None:
    linear = solve_linear(PublicTree(config))
    solution = solve(config, target=1e-10)
    assert solution.stopped == "target"
    assert solution.value == pytest.approx(linear.value, abs=1e-9)
    assert solution.lower - SLACK <= linear.value <= solution.upper + SLACK


@pytest.mark.parametrize("config", SLOW_TO_CONVERGE, ids=told)
def test_the_linear_program_lies_in_the_bracket(config: GameConfig) -> None:
    linear = solve_linear(PublicTree(config))
    solution = solve(config, target=1e-4)
    assert solution.lower - SLACK <= linear.value <= solution.upper + SLACK


@pytest.mark.parametrize("reduce", [True, False])
@pytest.mark.parametrize("config", [*QUICK, *SLOW_TO_CONVERGE], ids=told)
def test_strategies_of_the_linear_program_are_certified(config: GameConfig, reduce: bool) -> None:
    tree = PublicTree(config, reduce=reduce)
    linear = solve_linear(tree)
    first, second = best_responses(tree, linear.pool)
    assert first == pytest.approx(linear.value, abs=1e-9)
    assert -second == pytest.approx(linear.value, abs=1e-9)


PERUDO_ROUNDS = [
    preset("perudo", players=2, dice=1),
    preset("perudo", players=2, dice=1).replace(exact_call=False, max_dice=None),
    preset("perudo-tournament", players=2, dice=1),
    preset("perudo", players=2, dice=(2, 1), faces=4),
    preset("perudo", players=2, dice=(1, 2), faces=4),
    preset("perudo", players=2, dice=2, faces=3),
]
"""The largest rounds with exact calls that a linear program holds."""


@pytest.mark.slow
@pytest.mark.parametrize("payoffs", [Payoffs(), ODD_PAYOFFS], ids=["one round", "odd payoffs"])
@pytest.mark.parametrize("config", PERUDO_ROUNDS, ids=told)
def test_larger_linear_programs_with_exact_calls(config: GameConfig, payoffs: Payoffs) -> None:
    tree = PublicTree(config, payoffs=payoffs)
    linear = solve_linear(tree)
    assert best_responses(tree, linear.pool) == pytest.approx([linear.value, -linear.value], abs=1e-9)
    solution = solve(config, payoffs=payoffs, target=1e-3)
    assert solution.lower - SLACK <= linear.value <= solution.upper + SLACK


@pytest.mark.slow
@pytest.mark.parametrize("config", LARGER, ids=told)
def test_larger_linear_programs(config: GameConfig) -> None:
    tree = PublicTree(config)
    linear = solve_linear(tree)
    assert best_responses(tree, linear.pool) == pytest.approx([linear.value, -linear.value], abs=1e-9)
    solution = solve(config, target=1e-5)
    assert solution.lower - SLACK <= linear.value <= solution.upper + SLACK


@pytest.mark.slow
@pytest.mark.parametrize(("config", "value"), FOR_A_PROGRAM, ids=lambda x: told(x) if isinstance(x, GameConfig) else x)
def test_linear_programs_have_the_published_values(config: GameConfig, value: str) -> None:
    assert solve_linear(PublicTree(config)).value == pytest.approx(float(Fraction(value)), abs=1e-9)


# -- the smaller tree --------------------------------------------------------------------------------------------------

REDUCED = [
    *(GameConfig(dice=(1, 1), faces=faces) for faces in (2, 3, 4, 5, 6)),
    GameConfig(dice=(2, 1), faces=3),
    GameConfig(dice=(1, 2), faces=3),
    GameConfig(dice=(1, 2), faces=4),
    GameConfig(dice=(2, 2), faces=2),
]


@pytest.mark.parametrize("config", REDUCED, ids=told)
def test_the_smaller_tree_has_the_same_value(config: GameConfig) -> None:
    assert can_reduce(config)
    small, whole = (solve(config, target=1e-4, reduce=reduce) for reduce in (True, False))
    assert small.tree.rungs == whole.tree.rungs - config.faces
    assert small.lower <= whole.upper + SLACK
    assert whole.lower <= small.upper + SLACK
    exact = [solve_linear(PublicTree(config, reduce=reduce)).value for reduce in (True, False)]
    assert exact[0] == pytest.approx(exact[1], abs=1e-9)


@pytest.mark.parametrize("target", [1e-1, 1e-2, 1e-5])
@pytest.mark.parametrize("config", REDUCED, ids=told)
def test_strategies_of_the_smaller_tree_are_as_good_in_the_whole(config: GameConfig, target: float) -> None:
    solution = solve(config, target=target, iterations=20_000)
    whole = PublicTree(config, reduce=False)
    behaviour = in_whole_tree(solution.tree, behaviour_of(solution.tree, solution.pool))
    first, second = best_responses(whole, pool_of(whole, behaviour))
    assert first <= solution.upper + SLACK
    assert -second >= solution.lower - SLACK


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(dice=(1, 1), wild="ones"),
        GameConfig(dice=(1, 1), bid_ordering="liars_dice_standard"),
        GameConfig(dice=(1, 1), max_quantity=3),
        GameConfig(dice=(1, 1), max_quantity=1),
        GameConfig(dice=(1, 1), opening_min_quantity=2),
        GameConfig(dice=(1, 1), open_on_ones=False),
    ],
    ids=told,
)
def test_what_is_not_made_smaller(config: GameConfig) -> None:
    assert not PublicTree(config).reduced


# -- the certificate ---------------------------------------------------------------------------------------------------

TINY = [
    GameConfig(dice=(1, 1), faces=2),
    GameConfig(dice=(1, 1), faces=3),
    GameConfig(dice=(2, 1), faces=2),
    GameConfig(dice=(1, 2), faces=2),
    GameConfig(dice=(2, 2), faces=2),
    GameConfig(dice=(1, 1), faces=3, wild="top"),
    GameConfig(dice=(2, 1), faces=2, wild="ones", bid_ordering="perudo"),
    GameConfig(dice=(1, 2), faces=3, wild="ones", wild_bids="forbidden"),
    GameConfig(dice=(1, 1), faces=3, bid_ordering="liars_dice_standard", open_on_ones=False),
    GameConfig(dice=(1, 1), faces=2, max_quantity=3, opening_min_quantity=2),
]


@pytest.mark.parametrize("reduce", [True, False])
@pytest.mark.parametrize("config", TINY, ids=told)
def test_best_responses_to_anything_by_trying_everything(config: GameConfig, reduce: bool) -> None:
    tree = PublicTree(config, reduce=reduce)
    for seed in range(3):
        behaviour = at_random(tree, seed)
        expected = [best_value(tree, behaviour, seat) for seat in (0, 1)]
        assert best_responses(tree, pool_of(tree, behaviour)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("config", TINY, ids=told)
def test_solutions_by_trying_everything(config: GameConfig) -> None:
    """With nodes that were never expanded, and hands that never came there."""
    solution = solve(config, target=1e-3, iterations=10)
    behaviour = behaviour_of(solution.tree, solution.pool)
    assert solution.upper == pytest.approx(best_value(solution.tree, behaviour, 0), abs=1e-12)
    assert -solution.lower == pytest.approx(best_value(solution.tree, behaviour, 1), abs=1e-12)


@pytest.mark.parametrize("faces", [4, 6])
def test_openspiel_agrees(faces: int) -> None:
    """Its own measure of how far a pair of strategies is from an equilibrium is the width of our bracket."""
    pyspiel = pytest.importorskip("pyspiel")
    solution = solve(preset("openspiel", faces=faces), target=1e-3)
    tree, behaviour = solution.tree, behaviour_of(solution.tree, solution.pool)
    policy: dict[str, list[tuple[int, float]]] = {}

    def write(history: tuple[Bid, ...], rung: int) -> None:
        seat = len(history) % 2
        for die in range(1, faces + 1):
            chances = behaviour(seat, (die,), history)
            state = " ".join([str(die), *(f"{bid.quantity}-{bid.face}" for bid in history)])
            policy[state] = [(i, chances.get(tree.bids[i], 0.0)) for i in range(rung + 1, tree.rungs)]
            policy[state] += [(tree.rungs, chances.get(None, 0.0))] if history else []
        for higher in range(rung + 1, tree.rungs):
            write((*history, tree.bids[higher]), higher)

    write((), -1)
    game = pyspiel.load_game("liars_dice", {"numdice": 1, "dice_sides": faces})
    width = pyspiel.nash_conv(game, pyspiel.TabularPolicy(policy), True)
    assert width == pytest.approx(solution.upper - solution.lower, abs=1e-9)


# -- threads, files, Ctrl-C --------------------------------------------------------------------------------------------


def same(a: Solution, b: Solution) -> None:
    assert (a.lower, a.upper) == pytest.approx((b.lower, b.upper), abs=1e-9)
    assert (a.iterations, a.nodes, a.stopped) == (b.iterations, b.nodes, b.stopped)


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(dice=(1, 1), faces=6, wild="ones"),
        GameConfig(dice=(1, 2), faces=4, wild="top"),
        GameConfig(dice=(2, 1), faces=6),
        GameConfig(dice=(1, 1), faces=2),
    ],
    ids=told,
)
def test_threads_change_nothing(config: GameConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "FEW_RUNGS", 0)
    one, two, three = (solve(config, target=1e-9, iterations=60, workers=n) for n in (1, 2, 3))
    same(one, two)
    same(one, three)


def test_threads_change_nothing_in_a_tree_that_needs_them() -> None:
    config = preset("classic", dice=(2, 3))
    one, three = (solve(config, target=1e-4, iterations=5, workers=n) for n in (1, 3))
    assert one.tree.rungs > cpu.FEW_RUNGS
    same(one, three)


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_a_pool_that_is_just_large_enough(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads do not take as many nodes each: room is shared out again until there is none left."""
    monkeypatch.setattr(cpu, "FEW_RUNGS", 0)
    tree = PublicTree(GameConfig(dice=(1, 1), faces=5, wild="ones"))
    solver = CpuSolver(tree, least=0.0, slots=1400, kind=np.float64, workers=workers)
    for _ in range(100):
        solver.iterate()
    assert not solver.full
    lower, upper = solver.bracket()
    assert -0.03 < lower <= SLACK
    assert -SLACK <= upper < 0.03
    pool = solver.compact()
    assert len(pool.first) == solver.nodes <= 1024
    assert best_responses(tree, pool) == pytest.approx([upper, -lower], abs=1e-12)
    for _ in range(100):
        solver.iterate()
    assert solver.bracket()[1] - solver.bracket()[0] < upper - lower


def test_a_pool_that_is_too_small_says_so() -> None:
    tree = PublicTree(GameConfig(dice=(1, 1), faces=5, wild="ones"))
    solver = CpuSolver(tree, least=0.0, slots=200, kind=np.float64)
    for _ in range(20):
        solver.iterate()
    assert solver.full
    assert solver.nodes <= 200
    lower, upper = solver.bracket()
    assert lower <= 0 <= upper


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("config", [GameConfig(dice=(1, 2)), GameConfig(dice=(1, 1), faces=5, wild="top")], ids=told)
def test_going_on_from_a_file(
    config: GameConfig, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "FEW_RUNGS", 0)
    through = solve(config, target=1e-9, iterations=90, workers=1)
    file = tmp_path / "round.npz"
    solve(config, target=1e-9, iterations=37, workers=2, save=file)
    same(solve(config, target=1e-9, iterations=90, workers=workers, resume=file, save=file), through)
    again = solve(config, target=1e-9, iterations=50, resume=file)
    assert (again.iterations, again.stopped) == (90, "iterations")
    assert again.lower == pytest.approx(through.lower, abs=1e-9)
    assert [path.name for path in tmp_path.iterdir()] == ["round.npz"]


@pytest.mark.parametrize("when", [1, 3])
def test_ctrl_c_keeps_what_was_reached(when: int, tmp_path: Path) -> None:
    config = preset("classic", dice=(1, 2))
    seen: list[SolverProgress] = []

    def interrupt(progress: SolverProgress) -> None:
        seen.append(progress)
        if len(seen) == when:
            raise KeyboardInterrupt

    solution = solve(config, target=1e-9, progress=interrupt, save=tmp_path / "x.npz")
    assert solution.stopped == "interrupted"
    assert solution.iterations == seen[-1].iterations
    assert (solution.lower, solution.upper) == pytest.approx((seen[-1].lower, seen[-1].upper), abs=1e-12)
    assert solution.lower <= -22 / 81 <= solution.upper
    assert solve(config, target=1e-3, resume=tmp_path / "x.npz").stopped == "target"


def test_ctrl_c_before_the_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(solver: CpuSolver) -> None:
        if solver.tree.rungs > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(CpuSolver, "iterate", interrupted)
    solution = solve(preset("classic", dice=1))
    assert (solution.stopped, solution.iterations) == ("interrupted", 0)
    assert -1 <= solution.lower <= -1 / 9 <= solution.upper <= 1


def test_progress_tells_the_truth() -> None:
    seen: list[SolverProgress] = []
    solution = solve(preset("classic", dice=1), progress=seen.append)
    assert [p.iterations for p in seen] == sorted({p.iterations for p in seen})
    assert all(p.lower - SLACK <= -1 / 9 <= p.upper + SLACK for p in seen)
    assert seen[-1].exploitability == solution.exploitability <= 1e-4 < seen[-2].exploitability
    assert seen[-1].nodes == solution.nodes


# -- files that cannot be used -----------------------------------------------------------------------------------------

SAVED = GameConfig(dice=(1, 1), faces=3)


def damage(path: Path, how: str) -> None:
    """Make another file of a saved one."""
    with np.load(path) as file:
        parts: dict[str, Any] = dict(file)
    match how:
        case "version":
            parts["format"] = np.array(99)
        case "width":
            parts["regret"] = parts["regret"][:, 1:]
        case "loop":
            parts["first"][2] = 1
        case "beyond":
            parts["first"][0] = len(parts["first"]) - 1
        case "negative":
            parts["first"][0] = -5
        case "nan":
            parts["average"][0, 0] = np.nan
        case "missing":
            del parts["average"]
        case "config":
            parts["config"] = np.frombuffer(b'{"dice": [0, 1]}', dtype=np.uint8)
        case "one array":
            with path.open("wb") as out:
                np.save(out, parts["first"])
            return
        case "text":
            path.write_text("no strategies here")
            return
        case "empty":
            path.write_bytes(b"")
            return
    with path.open("wb") as out:
        np.savez_compressed(out, **parts)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("version", "is of format 99; this version reads 1"),
        ("width", "is damaged: its tables do not fit"),
        ("loop", "is damaged: its tables do not fit"),
        ("beyond", "is damaged: its tables do not fit"),
        ("negative", "is damaged: its tables do not fit"),
        ("nan", "is damaged: its tables do not fit"),
        ("missing", "is not a file saved by solve, or is damaged"),
        ("config", "is not a file saved by solve, or is damaged"),
        ("one array", "is not a file saved by solve, or is damaged"),
        ("text", "is not a file saved by solve, or is damaged"),
        ("empty", "is not a file saved by solve, or is damaged"),
    ],
)
def test_a_file_that_does_not_hold_what_it_should(how: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "round.npz"
    solve(SAVED, iterations=20, save=file)
    damage(file, how)
    with pytest.raises(DataError, match=message) as error:
        solve(SAVED, resume=file)
    assert "\n" not in str(error.value)


def test_no_damaged_byte_goes_unnoticed(tmp_path: Path) -> None:
    """A file is refused, or what was damaged does not matter."""
    file = tmp_path / "round.npz"
    solve(SAVED, target=1e-9, iterations=20, save=file)
    saved = file.read_bytes()
    expected = solve(SAVED, target=1e-9, iterations=21, resume=file)
    refused = 0
    for place in range(0, len(saved), 11):
        file.write_bytes(saved[:place] + bytes([saved[place] ^ 0x55]) + saved[place + 1 :])
        try:
            same(solve(SAVED, target=1e-9, iterations=21, resume=file), expected)
        except DataError:
            refused += 1
    assert refused > len(saved) / 11 / 2
    for length in range(0, len(saved), 97):
        file.write_bytes(saved[:length])
        with pytest.raises(DataError):
            solve(SAVED, resume=file)


def test_files_of_other_rounds_and_places_without_files(tmp_path: Path) -> None:
    file = tmp_path / "round.npz"
    solve(SAVED, iterations=20, save=file)
    for other in (GameConfig(dice=(1, 1), faces=4), GameConfig(dice=(1, 1), faces=3, wild="ones")):
        with pytest.raises(DataError, match="another round, by other rules than these: 1 against 1 dice, 3 faces"):
            solve(other, resume=file)
    with pytest.raises(DataError, match="by other rules"):
        solve(SAVED, resume=file, reduce=False)
    with pytest.raises(DataError, match="there is no such file"):
        solve(SAVED, resume=tmp_path / "nothing.npz")
    with pytest.raises(DataError, match="is not a file"):
        solve(SAVED, resume=tmp_path)
    with pytest.raises(DataError, match="a plain file; this is a folder"):
        solve(SAVED, save=tmp_path)
    with pytest.raises(DataError, match="no file can be written there"):
        solve(SAVED, save=tmp_path / "nowhere" / "x.npz")


def test_an_answer_is_not_lost_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.warns(UserWarning, match=r"not saved \(No space left"):
        solution = solve(SAVED, save=tmp_path / "x.npz")
    assert solution.stopped == "target"


# -- what cannot be solved ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: solve(SAVED, target=1e-13), "target 1e-13: expected a number from 1e-12 to 2"),
        (lambda: solve(SAVED, target=0), "target 0"),
        (lambda: solve(SAVED, target=3), "target 3"),
        (lambda: solve(SAVED, target=float("nan")), "target nan"),
        (lambda: solve(SAVED, iterations=0), "iterations 0: at least one is needed"),
        (lambda: solve(SAVED, workers=0), "workers 0: at least one is needed"),
        (lambda: solve(SAVED, memory=0), "memory 0: expected a number of gigabytes"),
        (lambda: solve(GameConfig(dice=(1, 1, 1))), "3 players: rounds are solved for two"),
        (lambda: solve(GameConfig(dice=(1, 1), max_turns=3)), "max_turns is 3"),
        (lambda: solve(GameConfig(dice=(60, 60))), "make 720 rungs; 60 at most"),
        (lambda: solve(GameConfig(dice=(30, 1), max_quantity=2)), "make 324,632 hands; at most 10,000"),
        (
            lambda: solve(preset("classic"), memory=15),
            r"dice \(5, 5\) with 6 faces would need about 116,460 GB of memory; at most 15 GB are used; "
            "3 against 3 dice would fit",
        ),
        (
            lambda: solve(GameConfig(dice=(5, 5), wild="ones", opening_min_quantity=9), memory=3),
            "at most 3 GB are used; 2 against 3 dice would fit",
        ),
        (
            lambda: solve(preset("perudo", players=2), memory=3),
            r"dice \(5, 5\) with 6 faces would need about [\d,]+ GB of memory; at most 3 GB are used; "
            "2 against 3 dice would fit",
        ),
        *(
            (
                lambda worth=worth: solve(SAVED, payoffs=Payoffs(liar_right=(worth, 1.0))),
                f"liar_right is .{worth}, 1.0.; ",
            )
            for worth in (float("nan"), float("inf"), -float("inf"), 5.0, -1.001)
        ),
        (lambda: solve(SAVED, payoffs=Payoffs(exact_wrong=(-1.0,))), "exact_wrong is .* expected two numbers from -1"),  # type: ignore[arg-type]
        *(
            (lambda cut=cut: solve(SAVED, cut=cut), f"cut {cut:g}: expected a share of all rolls")
            for cut in (float("nan"), float("inf"), -0.1)
        ),
        (lambda: solve_match(preset("perudo", players=2, dice=1), cut=float("nan")), "cut nan: expected a share"),
        (lambda: solve(GameConfig(dice=(1, 1), table_dice=1)), "table_dice = 1, hidden_dice = 0: results are computed"),
        (lambda: solve(GameConfig(dice=(1, 1), faces=20), memory=1e-6), "at most 1e-06 GB are used; fewer faces"),
    ],
)
def test_one_clear_line(ask: Callable[[], Solution], message: str) -> None:
    with pytest.raises(OutOfReachError, match=message) as error:
        ask()
    assert "\n" not in str(error.value)


def test_a_file_that_has_come_far_enough_is_an_answer_at_once(tmp_path: Path) -> None:
    config = GameConfig(dice=(1, 2), faces=4)
    saved = solve(config, iterations=50, save=tmp_path / "f.npz")
    again = solve(config, iterations=30, target=0.5, resume=tmp_path / "f.npz")
    assert (again.stopped, again.iterations) == ("target", 50)
    assert again.exploitability == pytest.approx(saved.exploitability, abs=1e-12)


def test_resuming_keeps_the_precision_of_the_file(tmp_path: Path) -> None:
    config, file = GameConfig(dice=(2, 2)), tmp_path / "f.npz"
    fine = solve(config, target=1e-9, iterations=10, save=file)
    coarse = solve(config, target=1e-2, resume=file, save=file)
    assert read_saved(file).pool.average.dtype == np.float64
    assert coarse.exploitability <= fine.exploitability
    assert solve(config, target=1e-2, iterations=10).pool.average.dtype == np.float32


def test_a_second_ctrl_c_loses_nothing_that_was_to_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("liars_dice.exact.solver.equilibrium.best_responses", interrupted)
    config = GameConfig(dice=(1, 1), faces=3)
    with pytest.raises(KeyboardInterrupt):
        solve(config, progress=interrupted, save=tmp_path / "f.npz")
    monkeypatch.undo()
    assert solve(config, resume=tmp_path / "f.npz").iterations > 8


@pytest.mark.parametrize("memory", [float("inf"), float("nan"), 0.0, -1.0])
def test_memory_is_a_number_of_gigabytes(memory: float) -> None:
    with pytest.raises(OutOfReachError, match="expected a number of gigabytes"):
        solve(GameConfig(dice=(1, 1)), memory=memory)


def test_what_would_fit_fits() -> None:
    with pytest.raises(OutOfReachError, match="at most 6 GB are used; 1 against 2 dice would fit"):
        solve(preset("classic", dice=(2, 3), wild="ones"), target=1e-6, memory=6, cut=0.0)


def test_a_payoff_may_be_rounded_beyond_one() -> None:
    assert Payoffs(liar_right=(1 + 1e-12, 1.0)).liar_right == (1 + 1e-12, 1.0)


def test_memory_that_others_use_is_not_taken(tmp_path: Path) -> None:
    told = tmp_path / "meminfo"
    told.write_text("MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    4000000 kB\n")
    assert free_memory(told) == pytest.approx(4.096)
    whole = free_memory(tmp_path / "none")  # a system that does not say what is free
    assert 0 < memory_for("cpu") <= 0.6 * whole


def test_more_memory_than_there_is() -> None:
    with pytest.raises(OutOfReachError, match="the system does not provide that much"):
        solve(preset("classic", dice=4), memory=1e6)
