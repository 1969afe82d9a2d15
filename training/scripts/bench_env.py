"""How many random decisions per second the batched games make, against the plain (eager) form in the same run."""

import json
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
from champion.perudo_batch import PerudoBatch, RuleMix, draw_rolls, random_actions, step, unpack


def random_step(rows: torch.Tensor, starts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """One random decision in each game."""
    n = len(rows)
    chosen = torch.randint(len(starts), (n,), device=rows.device)
    rows, outcome = step(rows, random_actions(unpack(rows)), draw_rolls(n, rows.device), starts[chosen])
    return rows, outcome.game_ended.sum()


def measure(n: int, device: str, compiled: bool, steps: int) -> dict[str, object]:
    """Decisions and games per second in so many games side by side."""
    torch.cuda.empty_cache() if device == "cuda" else None
    games = PerudoBatch(n, RuleMix(exact_calls=0.75, palifico=0.4, wild_ones=0.9), seed=1, device=device)
    function = torch.compile(random_step, dynamic=False) if compiled else random_step
    rows, ended = games.rows, 0
    clock = time.perf_counter()
    for _ in range(3):
        rows, _ = function(rows, games._starts)
    wait(device)
    warm = time.perf_counter() - clock
    clock = time.perf_counter()
    counts = []
    for _ in range(steps):
        rows, over = function(rows, games._starts)
        counts.append(over)
    wait(device)
    spent = time.perf_counter() - clock
    ended = int(torch.stack(counts).sum())
    return {
        "games": n, "compiled": compiled, "decisions_per_s": round(n * steps / spent), "games_per_s": round(ended / spent),
        "warm_s": round(warm, 1),
    }  # fmt: skip


def wait(device: str) -> None:
    """Until the device has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


if __name__ == "__main__":
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    sizes = (1 << 18, 1 << 20, 1 << 22) if device == "cuda" else (1 << 12,)
    for compiled in (False, True) if device == "cuda" else (False,):
        for n in sizes:
            print(json.dumps(measure(n, device, compiled, 50)), flush=True)
