"""Expert trajectories: how long it takes to write a million decisions.

    python benchmarks/trajectories.py [GAMES]

The command line writes them to a file, on all cores, starting from nothing. Processor time counts, which does not
depend on what else the machine does; on two cores that do nothing else, it takes half of that. The ratio compares it
with the same expert in games through the referee, which writes nothing.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.core import preset
from liars_dice.referee import Referee

GAMES = {"nash": 10_000, "champion": 200}
"""Games of each expert: about 130,000 decisions of `nash` and 25,000 of `champion`."""


def written(player: str, games: int, shape: str, suffix: str) -> tuple[int, float, float]:
    """How many decisions the command writes, in how many seconds, and the processor time that all its processes use."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"data{suffix}"
        words = ["trajectories", "--player", player, "--games", str(games), "--shape", shape, "--out", str(out)]
        before, start = processor_seconds(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "liars_dice", *words, "--json"], check=True, capture_output=True, text=True
        )
        seconds = time.perf_counter() - start
        return json.loads(done.stdout)["decisions"], seconds, processor_seconds() - before


def processor_seconds() -> float:
    """The processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def refereed(player: str, games: int) -> float:
    """Decisions per second of processor time, of games through the referee."""
    config = preset("heads-up", dice=3) if player == "nash" else preset("perudo")
    decisions, start = 0, 0.0
    for seed in range(-1, games):
        if seed == 0:  # what is read and compiled first is not counted
            decisions, start = 0, time.process_time()
        result = Referee([make_agent(player) for _ in range(config.num_players)], config, seed=seed + 1).play()
        assert result.game is not None
        decisions += sum(len(one.bids) + 1 for one in result.game.resolutions)
    return decisions / (time.process_time() - start)


def main() -> None:
    """Measure both experts."""
    for player, usual in GAMES.items():
        games = int(sys.argv[1]) if len(sys.argv) > 1 else usual
        plain = refereed(player, max(2, games // 200))
        for shape, suffix in (("records", ".jsonl"), ("records", ".parquet"), ("chat", ".jsonl")):
            decisions, seconds, used = written(player, games, shape, suffix)
            what = f"{player}, {shape} in {suffix}"
            print(f"{what}: {decisions:,} decisions in {seconds:.0f} s, {used:.0f} s of processor time;")
            print(f"  {decisions / used / plain:.1f} decisions in the time in which the referee plays one")
            figure(f"{what}: processor minutes per million", used / decisions * 1e6 / 60, "minutes", most=20)


if __name__ == "__main__":
    main()
