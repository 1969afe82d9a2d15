"""Measure the champion's networks: how exploitable they are in endgames, and their chances to win.

Like the trainer, this needs PyTorch and nothing else. It writes one JSON object per figure.

    python -m liars_dice.learn.champion.measure model.pt --device cuda --out figures.jsonl

Games between bots, as they are and with solved rounds, are played by `benchmarks/champion.py`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .exploitability import ONE_ROUND, CallPayoffs, Distribution
from .exploitability_bounds import exploit_bounds
from .network import NEVER, load_policy, sample
from .observation import by_player, of_turn, turn_order
from .perudo_batch import SEATS, PerudoBatch, RuleMix, Tables, unpack
from .scripted import LEARNER, NAMES, scripted_actions

BOTS = ("detective", "optimal", "aggressive", "bluffer", "probabilistic", "crawler", "sniper")
"""Who sits at the tables of one of the samples."""
SELDOM = 0.001
"""Actions that the network takes more rarely than this are never taken: see `agent`."""
MATCH_PAYOFFS = {
    (1, 1): ONE_ROUND,
    (2, 1): CallPayoffs((1.0, 0.0), (0.0, -1.0), (1.0, 0.516), (0.0, -1.0)),
    (1, 2): CallPayoffs((0.0, 1.0), (-1.0, 0.0), (0.516, 1.0), (-1.0, 0.0)),
    (3, 1): CallPayoffs((1.0, -0.5343), (0.5343, -1.0), (1.0, 0.0019), (0.5343, -1.0)),
    (2, 2): CallPayoffs((0.516, 0.516), (-0.516, -0.516), (0.7916, 0.7916), (-0.516, -0.516)),
    (1, 3): CallPayoffs((-0.5346, 1.0), (-1.0, 0.5346), (0.0013, 1.0), (-1.0, 0.5346)),
}
"""What calls are worth in rounds of a `perudo` match, by the equilibria of the rounds that follow: with one die each,
both win half of the matches; the player with two dice against one wins 0.516 more than it loses if the other opens."""
ENDGAME_RULES = ("perudo", "perudo,exact_call=false", "perudo-tournament")
"""The rules of the endgames that are measured. Without exact calls, the round is all that counts; in a tournament,
calls are worth what they are worth in `perudo`."""


# -- endgames ----------------------------------------------------------------------------------------------------------


def endgames(policy: nn.Module, device: str, dice: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """What a perfect adversary wins in rounds between two players, at least and at most: of the network, and without
    its rare moves.
    """

    def whole(tables: Tables) -> Tensor:
        chances: Tensor = policy(tables).logits.float().softmax(-1)
        return chances

    def cut(tables: Tables) -> Tensor:
        chances = whole(tables)
        chances = torch.where(chances < SELDOM, 0.0, chances)
        return chances / chances.sum(-1, keepdim=True)

    policies: dict[str, Distribution] = {"network": whole, f"without moves below {SELDOM}": cut}
    for (opener, other), rules, who in product(dice, ENDGAME_RULES, policies):
        exact_call, tournament = rules != "perudo,exact_call=false", rules == "perudo-tournament"
        payoffs = MATCH_PAYOFFS[opener, other] if exact_call else ONE_ROUND
        least, most = exploit_bounds(
            policies[who], (opener, other), device, exact_call=exact_call, tournament=tournament, payoffs=payoffs
        )
        told = {"rules": rules, "dice": [opener, other], "who": who}
        yield {**told, "least": least.exploitability, "most": most.exploitability}


# -- chances to win ----------------------------------------------------------------------------------------------------

SAMPLES = {
    "itself, full dice": (1.0, 0.0),
    "itself, any dice": (0.0, 0.0),
    "half of the seats rule bots, full dice": (1.0, 0.5),
}
"""How many games start with full dice, and how many of the seats are rule bots'."""
PLAYED_ON, TIMES = 0.02, 20
"""The share of decisions from which games are played on, to see how good chances to win can be, and how often."""


class Decisions(NamedTuple):
    """Decisions of the champion in whole games."""

    rows: Tensor
    game: Tensor
    won: Tensor
    """[B]: who won the game, as a player in turn order from the one to move."""
    kinds: Tensor
    """[B, seat]: which bot has each seat."""


@torch.no_grad()
def play_noting(policy: nn.Module, mix: RuleMix, games: int, bots: float, seed: int, keep: float = 1.0) -> Decisions:
    """Play whole games; keep this share of the champion's decisions."""
    device = next(policy.parameters()).device
    torch.manual_seed(seed)
    batch = PerudoBatch(games, mix, seed=seed, device=device, pool=4096)
    kinds_of_bots = torch.tensor([NAMES.index(name) for name in BOTS], device=device)
    others = kinds_of_bots[torch.randint(len(kinds_of_bots), (games, SEATS), device=device)]
    kinds = torch.where(torch.rand(games, SEATS, device=device) < bots, others, LEARNER)
    winner, rows, game = play_on(policy, batch, kinds, keep)
    return Decisions(rows, game, in_turn_order(winner[game], rows), kinds[game])


@torch.no_grad()
def play_on(policy: nn.Module, batch: PerudoBatch, kinds: Tensor, keep: float) -> tuple[Tensor, Tensor, Tensor]:
    """Play games to their ends: [game] the seat that won, and [B] the row and the game of each of the champion's
    decisions, of which this share is kept.
    """
    games, device = len(batch.rows), batch.rows.device
    winner, place = torch.full((games,), -1, device=device), torch.arange(games, device=device)
    rows, kept = batch.rows, []
    while len(rows):
        tables, draws = unpack(rows), torch.rand(3, len(rows), device=device)
        ours = of_turn(tables, kinds[place]) == LEARNER
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            actions = sample(policy(tables).logits, draws[0])
        if not ours.all():
            actions = torch.where(ours, actions, scripted_actions(tables, kinds[place], draws[1]))
        chosen = ours & (draws[2] < keep)
        kept.append((rows[chosen], place[chosen]))
        batch.n, batch.rows = len(rows), rows
        outcome = batch.step(actions)
        winner[place] = torch.where(outcome.game_ended, outcome.winner.long(), -1)
        rows, place = batch.rows[~outcome.game_ended], place[~outcome.game_ended]
    rows, place = (torch.cat(parts) for parts in zip(*kept, strict=True))
    return winner, rows, place


def in_turn_order(seat: Tensor, rows: Tensor) -> Tensor:
    """[B]: seats as players in turn order from the one to move."""
    return by_player(nn.functional.one_hot(seat, SEATS), turn_order(unpack(rows))).argmax(-1)


@torch.no_grad()
def chances_said(policy: nn.Module, rows: Tensor) -> Tensor:
    """[B, player]: everybody's chance to win, as a policy says it."""

    def said(tables: Tables) -> Tensor:
        return torch.where(turn_order(tables)[1], policy(tables).chances, NEVER).softmax(-1)

    return torch.cat([said(unpack(some)) for some in torch.split(rows, 65536)])


def compare(said: Tensor, made: Decisions) -> dict[str, Any]:
    """Brier scores of the player to move, and how far what is said is from what is found, in ten bins."""
    hit, mine, share = (made.won == 0).float(), said[:, 0], share_of_dice(made.rows)
    ours, theirs = (of_games((x - hit) ** 2, made.game) for x in (mine, share))
    off = torch.zeros(10, device=hit.device).index_add(0, (10 * mine).long().clamp(max=9), mine - hit)
    return {
        "decisions": len(hit),
        "calibration_points": round(100 * float(off.abs().sum()) / len(hit), 2),
        "brier": round(float(ours.sum()) / len(hit), 4),
        "share_of_dice": round(float(theirs.sum()) / len(hit), 4),
        **percentage(theirs - ours, theirs),
    }


def share_of_dice(rows: Tensor) -> Tensor:
    """[B]: what share of the dice the player to move has."""
    tables = unpack(rows)
    return of_turn(tables, tables.dice) / tables.total


def of_games(values: Tensor, game: Tensor) -> Tensor:
    """[game]: sums of values of decisions. Decisions of one game say the same thing many times."""
    return torch.zeros(int(game.max()) + 1, device=values.device).index_add(0, game, values)


def percentage(part: Tensor, whole: Tensor) -> dict[str, Any]:
    """How large a part is, and where it is in 95% of the cases if the games are drawn again (bootstrap)."""
    drawn = torch.randint(len(part), (400, len(part)), device=part.device)
    found = (100 * part[drawn].sum(-1) / whole[drawn].sum(-1)).sort().values
    return {
        "better_percent": round(100 * float(part.sum() / whole.sum()), 2),
        "ci95": [round(float(found[10]), 1), round(float(found[389]), 1)],
    }


def chances(policy: nn.Module, games: int) -> Iterator[dict[str, Any]]:
    """How good its chances to win are, against shares of dice, in each of the samples: tables of 2 to 6."""
    for name, (full, bots) in SAMPLES.items():
        made = play_noting(policy, RuleMix((2, SEATS), full_games=full), games, bots, 200)
        said = chances_said(policy, made.rows)
        left = (unpack(made.rows).dice > 0).sum(-1)
        by_left = []
        for players in range(2, SEATS + 1):
            here = left == players
            by_left.append(compare(said[here], Decisions(*(part[here] for part in made)))["better_percent"])
        yield {"sample": name, "games": games, **compare(said, made), "better_by_players_left": by_left}


def best_chances(policy: nn.Module, games: int) -> Iterator[dict[str, Any]]:
    """How good chances to win can be at all, in each of the samples: those of somebody who sees all dice and knows how
    everybody plays, but not what will be rolled.

    From some decisions the game is played on several times, by the same players from the same dice.
    """
    device = next(policy.parameters()).device
    for name, (full, bots) in SAMPLES.items():
        made = play_noting(policy, RuleMix((2, SEATS), full_games=full), games, bots, 300, keep=PLAYED_ON)
        rows, kinds = (part.repeat_interleave(TIMES, 0) for part in (made.rows, made.kinds))
        batch = PerudoBatch(len(rows), RuleMix(), seed=301, device=device, pool=1)
        batch.rows = rows
        winner, _, _ = play_on(policy, batch, kinds, keep=0.0)
        won = (in_turn_order(winner, rows) == 0).float().view(-1, TIMES)
        gained, whole = gain_of_truth(share_of_dice(made.rows), won)
        found = percentage(of_games(gained, made.game), of_games(whole, made.game))
        yield {"sample": name, "games": games, "decisions": len(made.rows), "times": TIMES, **found}


def gain_of_truth(share: Tensor, won: Tensor) -> tuple[Tensor, Tensor]:
    """[B] each: by how much the Brier score of the true chance to win is better than that of `share`, and the latter.

    `won` ([B, times]) says which of several games were won. Let `p` be the chance to win them: then the score of `p`
    is better by `(share - p) ** 2`, which is the mean of `(share - won.mean()) ** 2 - won.var() / times`.
    """
    times = won.shape[-1]
    return (share - won.mean(-1)) ** 2 - won.var(-1) / times, ((share[:, None] - won) ** 2).mean(-1)


# -- everything --------------------------------------------------------------------------------------------------------


def figures(policy: nn.Module, device: str, scale: float, dice: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """All figures, each as soon as it is known. `scale` 1 plays 10,000 games in each sample."""
    for line in endgames(policy, device, dice):
        yield {"figure": "endgame", **line}
    for line in chances(policy, max(20, round(10_000 * scale))):
        yield {"figure": "chances", "rules": "perudo", "seed": 200, **line}
    for line in best_chances(policy, max(20, round(4000 * scale))):
        yield {"figure": "best chances", "rules": "perudo", "seed": 300, **line}


def main() -> None:
    """Print each figure as a JSON object, and write it to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkpoint")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the usual number of games")
    parser.add_argument("--dice", nargs=2, type=int, action="append", help="an endgame (default: all up to four dice)")
    parser.add_argument("--out", type=Path, default=Path("champion-figures.jsonl"))
    asked = parser.parse_args()
    dice = [(a, b) for a, b in asked.dice or MATCH_PAYOFFS]
    with asked.out.open("w", encoding="utf-8") as file:
        for line in figures(load_policy(asked.checkpoint, asked.device), asked.device, asked.scale, dice):
            print(json.dumps(line), file=file, flush=True)
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
