"""Where an update's time goes on a device, and which parts compile in bearable time: run this before a long run.

python bench_parts.py cuda
"""

import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE))
import torch
from champion.observation import observe
from champion.perudo_batch import random_actions, step, unpack
from champion.scripted import scripted_actions
from champion.train import Trainer, settings_from


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


def parts(device: str) -> None:
    """The parts of an update, eager."""
    big = device == "cuda"
    size = "--games 131072 --steps 16 --minibatch 65536" if big else "--games 256 --steps 4 --minibatch 256"
    run = Trainer(settings_from(f"--out /tmp/nowhere --device {device} {size}".split()))
    rows, kinds = run.games.rows, run.kinds
    tables, draws = unpack(rows), torch.rand(2, run.games.n, device=run.device)
    with torch.no_grad():
        told = {
            "observe": timed(device, observe, tables),
            "policy": timed(device, run.policy, tables),
            "act": timed(device, run._act, rows, kinds, draws),
            "scripted": timed(device, scripted_actions, tables, kinds, draws[0]),
            "step": timed(device, step, rows, random_actions(tables), run.games.rolls(), rows),
            "worth": timed(device, run._worth, rows, kinds),
            "foreseen": timed(device, run._foreseen, rows, kinds),
        }
    played = run.play()
    advantage, returns = run.judge(played)
    told["play"] = timed(device, run.play, repeat=2)
    told["judge"] = timed(device, run.judge, played, repeat=2)
    for minibatch in (run.settings.minibatch, run.settings.minibatch // 4):
        run.settings.minibatch = minibatch
        told[f"learn {minibatch}"] = timed(device, run.learn, played, advantage, returns, repeat=1)
    print(json.dumps(told), flush=True)


def compile_one(device: str, name: str) -> None:
    """Compile one part, and time it."""
    size = "--games 131072" if device == "cuda" else "--games 256"
    run = Trainer(settings_from(f"--out /tmp/nowhere --device {device} {size}".split()))
    rows, kinds = run.games.rows, run.kinds
    tables = unpack(rows)
    draws = torch.rand(run.games.n, device=run.device)
    calls = {
        "observe": (observe, (tables,)),
        "scripted": (scripted_actions, (tables, kinds, draws)),
        "worth": (run._worth, (rows, kinds)),
        "policy": (run.policy, (tables,)),
        "critic": (run.critic, (tables, kinds)),
    }
    function, arguments = calls[name]
    clock = time.perf_counter()
    with torch.no_grad():
        compiled = torch.compile(function, dynamic=False)
        compiled(*arguments)
        wait(device)
        first = round(time.perf_counter() - clock, 1)
        print(json.dumps({"part": name, "compile_s": first, "ms": timed(device, compiled, *arguments)}), flush=True)


if __name__ == "__main__":
    device = sys.argv[1]
    if len(sys.argv) > 2:
        compile_one(device, sys.argv[2])
    else:
        parts(device)
        for name in ("observe", "scripted", "worth", "policy", "critic"):
            try:
                subprocess.run([sys.executable, __file__, device, name], timeout=45, check=False)
            except subprocess.TimeoutExpired:
                print(json.dumps({"part": name, "compile_s": "more than 45"}), flush=True)
