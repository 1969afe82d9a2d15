"""How good a champion's chances to win are, against shares of dice, and how good they could be.

python chances.py model.pt cpu 400            # whole games at each table of 2 to 6, seen by the player to move
python chances.py model.pt cuda 4000 20000    # also fit a new network to who won 20,000 other games at each table

What the new network reaches on games it has not seen is about the best that anybody who sees what a player sees can do.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
import torch
from champion.measure import SAMPLES, Decisions, chances_said, compare, play_noting
from champion.network import NEVER, PolicyNetwork, load_policy
from champion.observation import observe, turn_order
from champion.perudo_batch import SEATS, RuleMix, unpack
from torch import nn


def fitted(made: Decisions, shape: dict[str, int], steps: int = 2000) -> PolicyNetwork:
    """A new network that has learned who won these games."""
    device = made.rows.device
    torch.manual_seed(2)
    network = PolicyNetwork(**shape).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 1e-3 * 0.02 ** (step / steps)
        some = torch.randint(len(made.won), (16384,), device=device)
        tables = unpack(made.rows[some])
        with torch.no_grad():
            seen = observe(tables)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            logits = network.chances(network.streams(seen.faces, seen.table)[1]).float()
        logits = torch.where(turn_order(tables)[1], logits, NEVER)
        optimizer.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(logits, made.won[some]).backward()
        optimizer.step()
    return network.requires_grad_(False)


def together(parts: list[Decisions]) -> Decisions:
    """Decisions of several tables, with a number of its own for each game."""
    most = max(int(part.game.max()) + 1 for part in parts)
    parts = [part._replace(game=part.game + place * most) for place, part in enumerate(parts)]
    return Decisions(*(torch.cat(columns) for columns in zip(*parts, strict=True)))


def main() -> None:
    """Print one JSON object per sample and per table."""
    path, device, games, lessons = sys.argv[1], sys.argv[2], int(sys.argv[3]), int((*sys.argv, 0)[4])
    policy = load_policy(path, device)
    shape = torch.load(path, map_location="cpu", weights_only=True)["shape"]
    for name, (full, bots) in SAMPLES.items():
        mixes = [RuleMix((n, n), full_games=full) for n in range(2, SEATS + 1)]
        made = [play_noting(policy, mix, games, bots, 200 + n) for n, mix in enumerate(mixes)]
        asked = {"champion": policy}
        if lessons:
            lesson = together([play_noting(policy, mix, lessons, bots, 100 + n, 0.25) for n, mix in enumerate(mixes)])
            asked["fitted"] = fitted(lesson, shape)
        for who, network in asked.items():
            whole = together(made)
            told = {"sample": name, "who": who}
            print(json.dumps({**told, **compare(chances_said(network, whole.rows), whole)}), flush=True)
            tables = [compare(chances_said(network, part.rows), part)["better_percent"] for part in made]
            left = (unpack(whole.rows).dice > 0).sum(-1)
            of = [Decisions(*(part[left == n] for part in whole)) for n in range(2, SEATS + 1)]
            by_left = [compare(chances_said(network, part.rows), part)["better_percent"] for part in of]
            print(json.dumps({**told, "better by table 2-6": tables, "by players left 2-6": by_left}), flush=True)


if __name__ == "__main__":
    main()
