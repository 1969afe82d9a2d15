"""How fast rounds are solved, compared with OpenSpiel's CFR+ where it can solve them; published values; `nash` against
every bot; what is shipped; what a perfect adversary earns against the strategies with a short memory. By the rules of
`perudo` with nine and ten dice that takes a processor hours, so those bounds come from a run of
`tools/measure_short_memory.py` on a GPU; how many rounds have had none, or had it for other strategies, is said.

Times exclude compilation. Processor time is that of all threads together: it says more than the clock if other programs
run at the same time. Each answer is certified: the exploitability printed is half the width of the bracket
between the values of both best responses. With `--device gpu` only the GPU's targets are measured, with `--shipped`
only what the package has.
"""

from __future__ import annotations

import json
import os
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from figures import figure
from liars_dice.agents import AGENTS, make_agent
from liars_dice.core import BidAction, GameConfig, preset
from liars_dice.exact.response.agent_probe import AgentProbe, round_value_by_probing
from liars_dice.exact.solver import (
    Measured,
    PublicTree,
    Tablebase,
    mean_of,
    response_bounds,
    short_memory,
    solve_match,
    tablebase,
)
from liars_dice.exact.solver.equilibrium import Solution, solve
from liars_dice.exact.solver.short_memory import ShortKey
from liars_dice.exact.solver.strategy import Strategy, certify
from liars_dice.exact.solver.tablebase import FILES, SolvedGame

ON_TWO_CORES = (
    ((1, 1), 1e-6, 1, None),
    ((2, 1), 1e-5, 10, None),
    ((1, 2), 1e-5, 10, None),
    ((2, 2), 1e-4, 60, None),
    ((3, 1), 1e-4, 180, 60),
    ((1, 3), 1e-4, 180, 60),
    ((2, 3), 1e-4, 3600, None),
    ((3, 2), 1e-4, 3600, None),
)
"""Dice, exploitability, the most seconds allowed, and a more ambitious target."""
DATA = Path(tablebase.__file__).parent / "data"
ASKED: tuple[tuple[SolvedGame, int, float, float | None], ...] = (
    ("perudo", 4, 1e-3, None),
    ("perudo", 5, 1e-2, 1e-3),
    ("perudo match", 4, 1e-3, None),
    ("perudo match", 5, 1e-2, 1e-3),
)
"""Solved games, dice in total, the exploitability allowed, and a more ambitious target: in chances to win a match."""
BOUNDS = Path(__file__).parents[1] / "training" / "data" / "short-memory" / "bounds.json"
"""What `tools/measure_short_memory.py` found on a GPU."""
LARGE = 9
"""Rounds of `perudo` with this many dice in total have stored bounds, because a processor takes hours for them."""
PUBLISHED = Path(__file__).parents[1] / "tests" / "data" / "published_values.json"


def title(solution: Solution) -> str:
    """The name of a round."""
    config = solution.tree.config
    return f"{config.dice[0]} v {config.dice[1]}{'' if config.wild == 'none' else f', {config.wild} wild'}"


def tell(solution: Solution, processor_s: float | None = None) -> None:
    """One line about a solution."""
    also = "" if processor_s is None else f" ({processor_s:.2f} s of processor time)"
    print(
        f"  {title(solution)}: value {solution.value:+.6f}, exploitability {solution.exploitability:.1e} after "
        f"{solution.iterations:,} iterations, {solution.elapsed_s:.2f} s{also}; {solution.nodes:,} nodes of "
        f"{2**solution.tree.rungs:,}",
        flush=True,
    )


def solved(
    dice: tuple[int, int], target: float, most: float, aim: float | None, device: Literal["cpu", "gpu"] = "cpu"
) -> None:
    """Solve a round and print whether it was quick enough."""
    began = time.process_time()
    solution = solve(GameConfig(dice=dice), target=target, device=device)
    processor_s = time.process_time() - began
    assert solution.exploitability <= target
    figure(f"{title(solution)} solved to {target:.0e} on a {device}", solution.elapsed_s, "s", most=most, aim=aim)
    tell(solution, processor_s)


def speed() -> None:
    """All rounds that have a target."""
    solve(GameConfig(dice=(1, 1)), target=1e-6)
    solve(GameConfig(dice=(2, 2)), iterations=2)  # both precisions are compiled now
    for dice, target, most, aim in ON_TWO_CORES:
        solved(dice, target, most, aim)


def beside_openspiel(iterations: int = 100) -> None:
    """The public benchmark game, one die each, highest face wild: OpenSpiel's CFR+ and ours, to the same point."""
    import pyspiel

    game = pyspiel.load_game("liars_dice")
    solver = pyspiel.CFRPlusSolver(game)
    start = time.perf_counter()
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    seconds = time.perf_counter() - start
    reached = pyspiel.exploitability(game, solver.average_policy())
    config = GameConfig(dice=(1, 1), wild="top")
    ours = solve(config, target=reached)
    print(
        f"one die each, highest face wild: OpenSpiel's CFR+ (C++) comes to {reached:.1e} in {seconds:.1f} s "
        f"({seconds / iterations:.2f} s an iteration); ours to {ours.exploitability:.1e} in {ours.elapsed_s:.3f} s: "
        f"{seconds / ours.elapsed_s:,.0f} times as fast"
    )
    tell(solve(config, target=1e-5))


def published() -> None:
    """Values that others published."""
    rounds = json.loads(PUBLISHED.read_text(encoding="utf-8"))["rounds"]
    inside = 0
    for row in rounds:
        config = GameConfig(
            dice=tuple(row["dice"]), faces=row["faces"], wild=row["wild"], bid_ordering=row["bid_ordering"]
        )
        solution = solve(config, target=1e-4 if solution_is_small(config) else 2e-3)
        inside += solution.lower - 1e-12 <= Fraction(row["value"]) <= solution.upper + 1e-12
    figure(f"published values inside the bracket, of {len(rounds)}", inside, least=len(rounds))


def solution_is_small(config: GameConfig) -> bool:
    """Whether a round closes quickly."""
    return config.total_dice * config.faces <= 12


def nash() -> None:
    """The tablebase's player against every bot in every round with at most five dice, both seats, exactly."""
    base = Tablebase.shipped()
    least = 1.0
    print("nash against every bot, one round, exactly: the least that it earns above what its strategy guarantees:")
    for dice in (dice for dice in base.entries if sum(dice) <= 5):
        known, config = base.round(*dice), GameConfig(dice=dice)
        margins = {}
        for name in AGENTS:
            opening = round_value_by_probing(make_agent("nash"), make_agent(name), config) - known.lower
            answering = known.upper - round_value_by_probing(make_agent(name), make_agent("nash"), config)
            margins[name] = min(opening, answering)
        hardest = min(margins, key=margins.__getitem__)
        gained = sum(margins.values()) / len(margins)
        print(
            f"  {dice[0]} v {dice[1]}: {margins[hardest]:+.1e} (against {hardest}; the bracket is "
            f"{2 * known.exploitability:.0e} wide), {gained:+.3f} on average",
            flush=True,
        )
        least = min(least, margins[hardest])
    figure("nash, what it earns above what it is sure of, at worst", least, least=-1e-9)


def perudo() -> None:
    """A round of `perudo` on two cores, to a bracket of 1e-3."""
    config = preset("perudo", players=2, dice=2, mode="single_round")
    solve(config, iterations=2, workers=2)  # compiled now
    began = time.process_time()
    solution = solve(config, target=5e-4, workers=2)
    processor_s = time.process_time() - began
    figure("2 v 2 by perudo, bracket of 1e-3 on two cores", solution.elapsed_s, "s", most=600, aim=120)
    figure("2 v 2 by perudo, half of its processor time", processor_s / 2, "s", most=600, aim=120)
    tell(solution, processor_s)


def seven_dice() -> None:
    """Without wilds and with seven dice, as far as trees of the likely bids alone go."""
    for cut, iterations in ((0.1, 400), (0.05, 369)):
        solution = solve(GameConfig(dice=(3, 4)), cut=cut, iterations=iterations)
        print(f"  {len(solution.tree.live)} of {solution.tree.rungs} bids may be raised:", end="")
        tell(solution)


def match() -> None:
    """A whole match of `perudo` on two cores: every state with at most three dice in total."""
    config = preset("perudo", players=2, dice=(2, 1))
    began = time.process_time()
    solution = solve_match(config, target=1e-3, workers=2)
    processor_s = time.process_time() - began
    figure("a match of perudo, 2 v 1, to 1e-3 on two cores", solution.elapsed_s, "s", most=600)
    print(
        f"  the opener wins {solution.lower:.5f} to {solution.upper:.5f}, {len(solution.states)} states, "
        f"{processor_s:.0f} s of processor time"
    )


def without_opening_on_ones() -> None:
    """What a perfect adversary earns against `nash` in rounds of `perudo` in which ones may not open: then it opens in
    another way, and goes on as in the solved round.
    """
    base = Tablebase.shipped("perudo")
    print("nash by perudo without opening on ones, exploitability; and where ones may open:")
    for dice in base.entries:
        known = base.round(*dice)
        tree = PublicTree(base.config.replace(dice=dice, open_on_ones=False), cut=known.tree.cut)
        probe = AgentProbe(make_agent("nash"), tree.config, 0)
        openings = [
            (0, hand, tree.rules.rungs[action.bid], chance)
            for hand, policy in enumerate(probe.chances(tree.hand_sets[0].hands, probe.root))
            for action, chance in policy.items()
            if isinstance(action, BidAction)
        ]
        first, second = known.strategies
        later = first.node > 0
        columns = (
            np.concatenate([np.array(opened, old.dtype), old[later]])
            for opened, old in zip(
                zip(*sorted(openings), strict=True), (first.node, first.hand, first.rung, first.chance), strict=True
            )
        )
        lower, upper = certify((Strategy(tree, 0, *columns), msgspec.structs.replace(second, tree=tree)))
        print(f"  {dice[0]} v {dice[1]}: {(upper - lower) / 2:.4f}; {known.exploitability:.4f}", flush=True)


def shipped() -> None:
    """Every solved round in the package: its bracket, its lines and the size of the files."""
    sizes = {path.name: path.stat().st_size for path in DATA.iterdir()}
    for game, file in FILES.items():
        base = Tablebase.shipped(game)
        print(f"{game}: {len(base.entries)} rounds, {sizes[file] / 1e6:.2f} MB")
        for dice, entry in base.entries.items():
            lines = sum(map(len, base.round(*dice).strategies))
            half = (entry.upper - entry.lower) / 2
            print(
                f"  {dice[0]} v {dice[1]}: [{entry.lower:.6f}, {entry.upper:.6f}], {half:.1e}, {lines:,} lines",
                flush=True,
            )
    for game, total, most, aim in ASKED:
        found = [entry for entry in Tablebase.shipped(game).entries.values() if sum(entry.dice) == total]
        scale = 4 if game == "perudo match" else 2  # bounds are in payoffs: a match is worth 1 or -1
        worst = max(((entry.upper - entry.lower) / scale for entry in found), default=1.0)
        figure(f"{game} with {total} dice in total, exploitability at worst", worst, most=most, aim=aim)
    figure("all solved tables together", sum(sizes.values()) / 1e6, "MB", most=8)


def measured() -> None:
    """What a perfect adversary earns against every short-memory strategy of the package, at least and at most."""
    book = short_memory.load()
    stored = json.loads(BOUNDS.read_text(encoding="utf-8")) if BOUNDS.exists() else {}
    worst: dict[str, float] = {}
    waiting = []
    for key in (key for key in book if key.opens):
        began = time.perf_counter()
        kept = stored.get(key.name, {})
        if key.game != "perudo" or key.own + key.other < LARGE:
            pair = book[key], book[key.opponent]
            biddings = 15_000_000 if key.game == "perudo" else 5_000_000
            found = mean_of(response_bounds(*pair, biddings=biddings, memory=8, workers=os.cpu_count() or 1))
            how = f"{time.perf_counter() - began:.0f} s"
        elif kept.get("strategies") == book.fingerprint(key):
            found, how = Measured(kept["least"], kept["most"], kept["biddings"]), "on a GPU"
        else:
            waiting.append(key.name)
            continue
        size = sum(len(book.block(one)[1]) for one in (key, key.opponent))
        print(
            f"  {key.game} {key.own} v {key.other}: at least {found.least:.4f}, at most {found.most:.4f}; "
            f"{size / 1e3:.0f} kB, {found.biddings:,} biddings, {how}",
            flush=True,
        )
        worst[key.game] = max(worst.get(key.game, 0.0), found.most)
    figure("short memory, rounds that wait for a run on a GPU", len(waiting), most=0)
    print("  " + (", ".join(waiting) or "none"))
    figure(
        "short memory, heads-up, exploitability at most, the worst of those measured",
        worst["heads-up"],
        most=0.1,
        aim=0.03,
    )
    figure(
        "short memory, perudo, exploitability at most, the worst of those measured", worst["perudo"], most=0.1, aim=0.05
    )
    wanted = [(own, other) for own in range(1, 6) for other in range(1, 6)]
    solved_ = Tablebase.shipped("perudo").entries
    missing = [dice for dice in wanted if dice not in solved_ and ShortKey("perudo", *dice, True) not in book]
    figure("rounds of perudo up to 5 v 5 with neither a solution nor a strategy", len(missing), most=0)
    print("  " + (", ".join(f"{own} v {other}" for own, other in missing) or "none"))


def on_a_gpu() -> None:
    """The targets for a GPU."""
    solve(GameConfig(dice=(1, 1)), iterations=2, device="gpu")
    for dice in ((2, 3), (3, 2)):
        solved(dice, 1e-4, 180, 60, "gpu")
    for dice in ((1, 4), (4, 1)):
        tell(solve(GameConfig(dice=dice), target=1e-4, device="gpu"))
    wild = solve(GameConfig(dice=(2, 2), wild="ones"), target=4e-4, device="gpu")
    figure("2 v 2 with wild ones on a gpu, width of the bracket", wild.upper - wild.lower, most=1e-3)
    tell(wild)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    if arguments == ["--device", "gpu"]:
        on_a_gpu()
        return
    if arguments == ["--shipped"]:
        shipped()
        without_opening_on_ones()
        measured()
        return
    speed()
    seven_dice()
    perudo()
    match()
    shipped()
    without_opening_on_ones()
    measured()
    beside_openspiel()
    published()
    nash()


if __name__ == "__main__":
    main(sys.argv[1:])
