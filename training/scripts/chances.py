"""How good a champion's chances to win are, against shares of dice, and how good they could be.

python chances.py model.pt cpu 400            # whole games at each table of 2 to 6, seen by the player to move
python chances.py model.pt cuda 4000 20000    # also fit a new network to who won 20,000 other games at each table

What the new network reaches on games it has not seen is about the best that anybody who sees what a player sees can do.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
import torch
from champion.league import LEAGUE
from champion.network import NEVER, PolicyNetwork, load_policy, sample
from champion.observation import by_player, observe, of_turn, turn_order
from champion.perudo_batch import SEATS, PerudoBatch, RuleMix, Tables, unpack
from champion.scripted import LEARNER, NAMES, scripted_actions
from torch import Tensor, nn

BOTS = [NAMES.index(name) for name in LEAGUE if name != "learner"]
SAMPLES = {
    "itself, full dice": (1.0, 0.0),
    "itself, any dice": (0.0, 0.0),
    "half of the seats rule bots, full dice": (1.0, 0.5),
}
"""How many games start with full dice, and how many of the seats are rule bots'."""


class Decisions(NamedTuple):
    """Decisions of the champion in whole games."""

    rows: Tensor
    game: Tensor
    won: Tensor
    """[B]: who won the game, as a player in turn order from the one to move."""


@torch.no_grad()
def play(policy: nn.Module, mix: RuleMix, games: int, bots: float, seed: int, keep: float = 1.0) -> Decisions:
    """Play whole games; keep this share of the champion's decisions."""
    device = next(policy.parameters()).device
    torch.manual_seed(seed)
    batch = PerudoBatch(games, mix, seed=seed, device=device, pool=4096)
    others = torch.tensor(BOTS, device=device)[torch.randint(len(BOTS), (games, SEATS), device=device)]
    kinds = torch.where(torch.rand(games, SEATS, device=device) < bots, others, LEARNER)
    winner, place = torch.full((games,), -1, device=device), torch.arange(games, device=device)
    rows, kept = batch.rows, []
    while len(rows):
        tables, draws = unpack(rows), torch.rand(3, len(rows), device=device)
        ours = of_turn(tables, kinds[place]) == LEARNER
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            actions = sample(policy(tables).logits, draws[0])
        if bots:
            actions = torch.where(ours, actions, scripted_actions(tables, kinds[place], draws[1]))
        chosen = ours & (draws[2] < keep)
        kept.append((rows[chosen], place[chosen]))
        batch.n, batch.rows = len(rows), rows
        outcome = batch.step(actions)
        winner[place] = torch.where(outcome.game_ended, outcome.winner.long(), -1)
        rows, place = batch.rows[~outcome.game_ended], place[~outcome.game_ended]
    rows, place = (torch.cat(parts) for parts in zip(*kept, strict=True))
    won = nn.functional.one_hot(winner[place], SEATS)
    return Decisions(rows, place, by_player(won, turn_order(unpack(rows))).argmax(-1))


@torch.no_grad()
def chances(policy: nn.Module, rows: Tensor) -> Tensor:
    """[B, player]: what a policy says."""

    def said(tables: Tables) -> Tensor:
        return torch.where(turn_order(tables)[1], policy(tables).chances, NEVER).softmax(-1)

    return torch.cat([said(unpack(some)) for some in torch.split(rows, 65536)])


def compare(said: Tensor, made: Decisions) -> dict[str, object]:
    """Brier scores of the player to move, and how far what is said is from what is found, in ten bins."""
    tables = unpack(made.rows)
    share = of_turn(tables, tables.dice) / tables.total
    hit, mine = (made.won == 0).float(), said[:, 0]
    ours, theirs = (
        torch.zeros(int(made.game.max()) + 1, device=hit.device).index_add(0, made.game, (x - hit) ** 2)
        for x in (mine, share)
    )  # by game: decisions of one game say the same thing many times
    drawn = torch.randint(len(ours), (400, len(ours)), device=hit.device)
    better = (100 * (1 - ours[drawn].sum(-1) / theirs[drawn].sum(-1))).sort().values
    off = torch.zeros(10, device=hit.device).index_add(0, (10 * mine).long().clamp(max=9), mine - hit)
    return {
        "decisions": len(hit),
        "calibration_points": round(100 * float(off.abs().sum()) / len(hit), 2),
        "brier": round(float(ours.sum()) / len(hit), 4),
        "share_of_dice": round(float(theirs.sum()) / len(hit), 4),
        "better_percent": round(100 * float(1 - ours.sum() / theirs.sum()), 2),
        "ci95": [round(float(better[10]), 1), round(float(better[389]), 1)],
    }


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
        made = [play(policy, mix, games, bots, 200 + n) for n, mix in enumerate(mixes)]
        asked = {"champion": policy}
        if lessons:
            lesson = together([play(policy, mix, lessons, bots, 100 + n, 0.25) for n, mix in enumerate(mixes)])
            asked["fitted"] = fitted(lesson, shape)
        for who, network in asked.items():
            whole = together(made)
            told = {"sample": name, "who": who}
            print(json.dumps({**told, **compare(chances(network, whole.rows), whole)}), flush=True)
            tables = [compare(chances(network, part.rows), part)["better_percent"] for part in made]
            left = (unpack(whole.rows).dice > 0).sum(-1)
            of = [Decisions(*(part[left == n] for part in whole)) for n in range(2, SEATS + 1)]
            by_left = [compare(chances(network, part.rows), part)["better_percent"] for part in of]
            print(json.dumps({**told, "better by table 2-6": tables, "by players left 2-6": by_left}), flush=True)


if __name__ == "__main__":
    main()
