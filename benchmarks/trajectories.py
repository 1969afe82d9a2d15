"""Expert trajectories: how many decisions per second are written, and how long a million of them takes.

    python benchmarks/trajectories.py [GAMES]

The command line writes them to a file, on all cores, starting from nothing. The ratio compares that with the same
expert in games through the referee, which writes nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.core import preset
from liars_dice.referee import Referee

GAMES = {"nash": 20_000, "champion": 400}
"""Games of each expert: about 260,000 decisions of `nash` and 50,000 of `champion`."""


def written(player: str, games: int, shape: str, suffix: str) -> tuple[int, float]:
    """How many decisions the command writes, and in how many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"data{suffix}"
        words = ["trajectories", "--player", player, "--games", str(games), "--format", shape, "--out", str(out)]
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "liars_dice", *words, "--json"], check=True, capture_output=True, text=True
        )
        return json.loads(done.stdout)["decisions"], time.perf_counter() - start


def refereed(player: str, games: int) -> float:
    """Decisions per second of games through the referee."""
    config = preset("heads-up", dice=3) if player == "nash" else preset("perudo")
    decisions, start = 0, 0.0
    for seed in range(-1, games):
        if seed == 0:  # what is read and compiled first is not counted
            decisions, start = 0, time.perf_counter()
        result = Referee([make_agent(player) for _ in range(config.num_players)], config, seed=seed + 1).play()
        assert result.game is not None
        decisions += sum(len(one.bids) + 1 for one in result.game.resolutions)
    return decisions / (time.perf_counter() - start)


def main() -> None:
    """Measure both experts."""
    for player, usual in GAMES.items():
        games = int(sys.argv[1]) if len(sys.argv) > 1 else usual
        plain = refereed(player, max(2, games // 200))
        for shape, suffix in (("records", ".jsonl"), ("records", ".parquet"), ("chat", ".jsonl")):
            decisions, seconds = written(player, games, shape, suffix)
            rate = decisions / seconds
            print(f"{player}, {shape} in {suffix}: {decisions:,} decisions in {seconds:.0f} s,")
            print(f"  {rate / plain:.1f} times as fast as games through the referee, {plain:,.0f} decisions per second")
            figure(f"{player}, {shape} in {suffix}: minutes per million decisions", 1e6 / rate / 60, "minutes", most=10)


if __name__ == "__main__":
    main()
