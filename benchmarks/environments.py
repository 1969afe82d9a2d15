"""How many random decisions per second `BatchedGames` makes, compared with the engine in the same run.

A decision is a random legal action and its step. With `--device gpu` the same is measured on a GPU, also on a machine
that has PyTorch but not this package: `--save-rules FILE` writes the rules there as arrays, `--load-rules FILE` reads
them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from figures import figure

RULES = {
    "perudo, 2 players": ("perudo", 2),
    "perudo, 6 players": ("perudo", 6),
    "perudo-tournament, 6 players": ("perudo-tournament", 6),
    "perudo, 15 players": ("perudo", 15),
}
SIX = "perudo, 6 players"
REPEATS = 5


def rate(step: Callable[[], object], decisions: int, steps: int, wait: Callable[[], object] = lambda: None) -> float:
    """Decisions per second, the median of several runs; `wait` returns when the device is idle."""
    rates = []
    for _ in range(REPEATS):
        wait()
        start = time.perf_counter()
        for _ in range(steps):
            step()
        wait()
        rates.append(decisions * steps / (time.perf_counter() - start))
    return statistics.median(rates)


def through_the_engine(rules: str, players: int, games: int) -> float:
    """Random decisions per second of our Python engine, on one core."""
    from liars_dice.agents import make_agent
    from liars_dice.core import GameEngine, preset

    moves, start = 0, time.perf_counter()
    for seed in range(games):
        engine = GameEngine(preset(rules, players=players), [make_agent("random") for _ in range(players)], seed=seed)
        while not engine.is_terminal():
            engine.step()
        moves += sum(len(round_.bids) + 1 for round_ in engine.state.public.resolutions)
    return moves / (time.perf_counter() - start)


def on_processors() -> None:
    """Measure numba, on one core and on all, and PyTorch on the processor if it is there."""
    from liars_dice.learn import BatchedGames

    cores = os.cpu_count() or 1
    print(f"Python {sys.version.split()[0]}, {cores} cores, medians of {REPEATS} runs")
    for what, (rules, players) in RULES.items():
        rates = {}
        for workers in dict.fromkeys((1, cores)):
            games = BatchedGames(1 << 16, rules, players=players, seed=1, workers=workers)
            for _ in range(20):
                games.step(games.random_actions())
            rates[workers] = rate(lambda games=games: games.step(games.random_actions()), games.n, 20)  # type: ignore[misc]
        figure(f"{what}, numba, {cores} cores", rates[cores] / 1e6, "million decisions/s", least=5, aim=20)
        slow = through_the_engine(rules, players, 20)
        print(
            f"  {rates[1] / 1e6:.1f} million on one core; the Python engine: {slow:,.0f}; ratio {rates[1] / slow:,.0f}"
        )
    seen = BatchedGames(1 << 14, "perudo", seed=1)
    observed = rate(lambda: (seen.observations(), seen.action_masks()), seen.n, 10)
    print(f"perudo, 6 players: {observed / 1e6:.1f} million observations with masks/s on {cores} cores")


def save_rules(path: Path) -> None:
    """Write the rules of all measurements as arrays."""
    from liars_dice.core import preset
    from liars_dice.learn.batch.rule_arrays import compile_rules

    arrays: dict[str, Any] = {}
    for what, (rules, players) in RULES.items():
        compiled = compile_rules([preset(rules, players=players)])._asdict()
        arrays |= {f"{what}/{name}": part for name, part in compiled.items()}
    np.savez_compressed(path, **arrays)
    print(f"wrote {path} ({path.stat().st_size:,} bytes)")


def on_a_gpu(path: Path, sizes: list[int], device: str) -> None:
    """Measure PyTorch, as it is and compiled; it needs no other module of the package than two."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "src/liars_dice/learn"))
    import torch
    from batch.game_arrays import RuleArrays  # type: ignore[import-not-found]
    from batch.torch_games import TorchGames, play_actions, random_actions  # type: ignore[import-not-found]

    gpu = device == "cuda"
    wait: Callable[[], object] = torch.cuda.synchronize if gpu else lambda: None
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name() if gpu else device}, medians of {REPEATS} runs")

    def random_step(rules: Any, games: Any, seed: Any) -> Any:
        return play_actions(rules, games, seed, random_actions(rules, games))[0]

    fused = torch.compile(random_step, dynamic=False)
    plan = [(what, n, False) for what in RULES for n in (sizes if what == SIX else sizes[-1:])]
    plan += [(what, sizes[-1], True) for what in (SIX, "perudo-tournament, 6 players")]
    with np.load(path) as stored:
        for what, n, compiled in plan:
            rules = RuleArrays(*(stored[f"{what}/{name}"] for name in RuleArrays._fields))
            games = TorchGames(rules, n, 1, {}, device, compiled=False)
            function = fused if compiled else random_step

            def step(games: Any = games, function: Any = function) -> None:
                games.state = function(games.rules, games.state, games.seed)

            start = time.perf_counter()
            for _ in range(10):
                step()
            wait()
            warm = time.perf_counter() - start
            million = rate(step, n, 20, wait) / 1e6
            how, where = "compiled" if compiled else "eager", "GPU" if gpu else "processor"
            name = f"{what}, PyTorch {how}, {n:,} games on a {where}"
            if gpu:
                figure(name, million, "million decisions/s", least=20, aim=200)
            else:
                print(f"{name}: {million:.2f} million decisions/s")
            print(f"  {warm:.0f} s until it is warm", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument(
        "--games", type=int, nargs="+", default=[1 << 18, 1 << 20], help="games side by side on the GPU"
    )
    parser.add_argument("--save-rules", type=Path, metavar="FILE")
    parser.add_argument("--load-rules", type=Path, metavar="FILE")
    given = parser.parse_args()
    if given.save_rules:
        save_rules(given.save_rules)
    elif given.load_rules:
        on_a_gpu(given.load_rules, given.games, "cuda" if given.device == "gpu" else "cpu")
    elif given.device == "gpu":
        parser.error("--device gpu needs --load-rules FILE; write it with --save-rules FILE")
    else:
        on_processors()


if __name__ == "__main__":
    main()
