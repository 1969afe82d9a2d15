"""Where an update's time goes on a device: run this before a long run.

python bench_parts.py cuda 65536 --compiled     # the size of minibatches, options of the trainer
"""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
import torch
from champion.gpu_replay import autocast
from champion.network import look
from champion.perudo_batch import random_actions, step, unpack
from champion.scripted import scripted_actions
from champion.settings import settings_from
from champion.train import Trainer


def wait(device: str) -> None:
    """Until the device has done what it was given."""
    if device == "cuda":
        torch.cuda.synchronize()


def timed(device: str, function: object, *arguments: object, repeat: int = 5) -> float:
    """Milliseconds per call, after one to warm up."""
    assert callable(function)
    function(*arguments)
    wait(device)
    clock = time.perf_counter()
    for _ in range(repeat):
        function(*arguments)
    wait(device)
    return round(1000 * (time.perf_counter() - clock) / repeat, 3)


def parts(device: str, minibatch: int, more: list[str]) -> None:
    """The parts of an update. What is called `eager` is launched kernel by kernel, as the trainer did before."""
    games = 131072 if device == "cuda" else 256
    size = f"--games {games} --steps 16 --minibatch {minibatch}"
    begun = time.perf_counter()
    run = Trainer(settings_from(f"--out /tmp/nowhere --device {device} {size}".split() + more))
    rows, kinds = run.games.rows, run.kinds
    tables, draws = unpack(rows), torch.rand(2, run.games.n, device=run.device)
    reports = run.run()
    for _ in range(2):
        next(reports)
    told: dict[str, object] = {"minibatch": minibatch, "options": more, "warm_s": round(time.perf_counter() - begun, 1)}
    with torch.no_grad(), autocast(run.device):
        sight = look(tables, kinds).as_kept()
        told |= {
            "look (eager)": timed(device, look, tables, kinds),
            "policy (eager)": timed(device, run.policy.read, sight),
            "critic (eager)": timed(device, run.critic, sight),
            "scripted (eager)": timed(device, scripted_actions, tables, kinds, draws[0]),
            "step (eager)": timed(device, step, rows, random_actions(tables), run.games.rolls(), rows),
            "turn (eager)": timed(device, run._take_turn),
        }
    told["turn"] = timed(device, run._turn)
    played = run.play()
    told["play"] = timed(device, run.play, repeat=2)
    told["judge"] = timed(device, run.judge, played, repeat=2)
    told["gradient step"] = timed(device, run._step)
    told["learn"] = timed(device, run.learn, played, run.judge(played), repeat=2)
    told["decisions_per_s"] = next(reports)["per_second"]
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    parts(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
