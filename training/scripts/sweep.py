"""Compare settings on rounds for two whose truth is known: many small runs side by side on one device.

python sweep.py cuda 1.5 OUT
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[2] / "src/liars_dice/learn"
SMALL = (
    "--players 2 2 --dice 1 2 --full-games 0.2 --endgames 0 --bots 0 --tournament 0 --palifico 0 --wild-ones 1 --open-on-ones 1 "
    "--exact-calls 0.5 --exact-costs-bidder 1 --games 16384 --steps 16 --minibatch 16384 --save-every 1000 "
    "--entropy 0.1 0.03 --magnet 0.3 0.3 --average 0.995 --learning-rate 1e-3 1e-4"
)
VARIANTS = {
    "base": "",
    "sampled": "--no-all-actions",
    "trace 0.6": "--trace 0.6",
    "hot": "--entropy 0.4 0.12",
    "cold": "--entropy 0.03 0.01",
    "slow magnet": "--average 0.999",
    "strong magnet": "--magnet 1 1",
    "fast": "--learning-rate 2e-3 2e-4",
}
DONE = """
import sys, json; sys.path.insert(0, {here!r})
from champion.network import load_policy
from champion.exploitability import exploit_round
found = {{}}
for part in ("averaged", "policy"):
    policy = load_policy({path!r}, {device!r}, part)
    for dice, exact in (((1, 1), False), ((1, 1), True), ((2, 1), False), ((1, 2), False)):
        found[f"{{part}} {{dice[0]}}v{{dice[1]}}" + " exact" * exact] = round(
            exploit_round(policy, dice, exact_call=exact).exploitability, 4)
print(json.dumps({{"variant": {name!r}, **found}}), flush=True)
"""


def main(device: str, minutes: str, out: str) -> None:
    """Train every variant, then print how exploitable each is."""
    running = []
    for name, options in VARIANTS.items():
        folder = Path(out, name)
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "champion.train", "--out", str(folder), "--device", device]
        command += f"--minutes {minutes} {SMALL} {options}".split()  # of an option given twice, the last counts
        running.append(subprocess.Popen(command, cwd=HERE, stdout=open(folder / "log", "w"), stderr=subprocess.STDOUT))
    for process in running:
        process.wait()
    for name in VARIANTS:
        print(name, Path(out, name, "log").read_text().strip().splitlines()[-2][:330], flush=True)
    finishing = []
    for name in VARIANTS:
        path = str(Path(out, name, "last.pt"))
        code = DONE.format(here=str(HERE), path=path, device=device, name=name)
        finishing.append(subprocess.Popen([sys.executable, "-c", code]))
    for process in finishing:
        process.wait()


if __name__ == "__main__":
    main(*sys.argv[1:4])
