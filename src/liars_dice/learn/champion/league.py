"""Measure players against each other in whole games, thousands side by side.

python -m liars_dice.learn.champion.league model.pt --games 20000 --device cuda
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from .network import load_policy, sample
from .observation import of_turn
from .perudo_batch import SEATS, PerudoBatch, RuleMix, Tables
from .scripted import BOTS, FROZEN, LEARNER, NAMES, scripted_actions

if TYPE_CHECKING:
    from .asked_victims import AskedVictims

MOST_STEPS = 5000
LEAGUE = ("learner", "detective", "optimal", "aggressive", "bluffer", "probabilistic", "crawler", "sniper")
"""The league of nine but for `nash`, which has no batched form."""


class Wins(NamedTuple):
    """How often somebody won."""

    wins: int
    games: int

    @property
    def rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games if self.games else 0.0

    @property
    def ci95(self) -> tuple[float, float]:
        """The Wilson interval."""
        n, p, z = self.games, self.rate, 1.96
        if not n:
            return 0.0, 1.0
        middle, half = p + z * z / (2 * n), z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


Seating = Callable[[int, torch.device], Tensor]
"""[N, seat] kinds for so many games."""


def one_among(one: int, others: int, players: int, count: int = 1) -> Seating:
    """One of a kind, or `count` of it, in random seats, others everywhere else."""

    def seat(n: int, device: torch.device) -> Tensor:
        places = torch.rand(n, players, device=device).argsort(-1)[:, :count]
        chosen = (torch.arange(SEATS, device=device) == places[..., None]).any(1)
        return torch.where(chosen, one, others)

    return seat


def mixed(kinds: Sequence[int], players: int) -> Seating:
    """Different kinds, drawn without replacement, in random seats."""

    def seat(n: int, device: torch.device) -> Tensor:
        drawn = torch.rand(n, len(kinds), device=device).argsort(-1)[:, :players]
        seated = torch.tensor(list(kinds), device=device)[drawn]
        return torch.nn.functional.pad(seated, (0, SEATS - players), value=LEARNER)

    return seat


@torch.no_grad()
def play_games(
    learner: nn.Module,
    seating: Seating,
    mix: RuleMix,
    games: int,
    device: torch.device | str = "cpu",
    *,
    frozen: nn.Module | None = None,
    asked: AskedVictims | None = None,
    seed: int = 0,
) -> tuple[Tensor, Tensor]:
    """([games] kind that won, [games, seat] kinds): one whole game per row, so that short games do not count twice.

    Seats of the kind `FROZEN` are played by `frozen`, or by bots that are `asked` one by one.
    """
    device = torch.device(device)
    torch.manual_seed(seed)
    batch = PerudoBatch(games, mix, seed=seed, device=device, pool=16)
    kinds = seated = seating(games, device)
    winner = torch.full((games,), -1, device=device)
    playing = torch.arange(games, device=device)
    with_bots = bool(((kinds != LEARNER) & (kinds != FROZEN)).any())
    for step in range(MOST_STEPS):
        tables, draws = batch.tables, torch.rand(2, batch.n, device=device)
        actions = _decisions(learner, frozen, tables, seated, draws, with_bots=with_bots)
        if asked is not None:
            actions = asked.act(tables, seated, None, draws[1], actions, playing)
        outcome = batch.step(actions)
        if asked is not None:
            asked.follow(actions, outcome, batch.rows, playing)
        won = seated.gather(1, outcome.winner.long()[:, None]).squeeze(1)
        first_end = outcome.game_ended & (winner[playing] < 0)  # a new game follows in the same row: it does not count
        winner[playing] = torch.where(first_end, won, winner[playing])
        if step % 16 == 15 or asked is not None:  # leave finished games behind
            still_on = winner[playing] < 0
            if not bool(still_on.any()):
                return winner, kinds
            playing, batch.rows, seated = playing[still_on], batch.rows[still_on], seated[still_on]
            batch.n = len(playing)
    raise RuntimeError(f"some games took more than {MOST_STEPS} decisions")


def _decisions(
    learner: nn.Module, frozen: nn.Module | None, tables: Tables, seated: Tensor, draws: Tensor, *, with_bots: bool
) -> Tensor:
    """[N]: what the network or the rule bot at the turn does."""
    kind, device = of_turn(tables, seated), seated.device
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        actions = sample(learner(tables, seated).logits, draws[0])
        if frozen is not None:
            actions = torch.where(kind == FROZEN, sample(frozen(tables).logits, draws[1]), actions)
    if with_bots:
        scripted = (kind != LEARNER) & (kind != FROZEN)
        actions = torch.where(scripted, scripted_actions(tables, seated, draws[1]), actions)
    return actions


def wins_of(kind: int, winner: Tensor, kinds: Tensor, players: int) -> Wins:
    """How often a kind won the games in which it sat."""
    seated = (kinds[:, :players] == kind).any(1)
    return Wins(int((winner[seated] == kind).sum()), int(seated.sum()))


def report(
    policy: nn.Module,
    games: int,
    device: str,
    *,
    palifico: bool = False,
    seed: int = 0,
    bots: Sequence[str] = tuple(BOTS),
) -> list[dict[str, Any]]:
    """The mixed league at six seats, one champion among five of each of these bots, and one of each among five
    champions.
    """
    lines: list[dict[str, Any]] = []
    mix = RuleMix((6, 6), full_games=1.0, palifico=float(palifico), open_on_ones=float(not palifico))

    def tell(what: str, kind: int, winner: Tensor, kinds: Tensor) -> None:
        found = wins_of(kind, winner, kinds, 6)
        lines.append({"what": what, "rate": found.rate, "ci95": found.ci95, "games": found.games, "palifico": palifico})
        print(json.dumps(lines[-1]), flush=True)

    league = [NAMES.index(name) for name in LEAGUE]
    winner, kinds = play_games(policy, mixed(league, 6), mix, games, device, seed=seed)
    for kind in league:
        tell(f"league {NAMES[kind]}", kind, winner, kinds)
    for name in bots:
        kind = NAMES.index(name)
        winner, kinds = play_games(policy, one_among(LEARNER, kind, 6), mix, games // 2, device, seed=seed + 1)
        tell(f"champion among five {name}", LEARNER, winner, kinds)
        winner, kinds = play_games(policy, one_among(kind, LEARNER, 6), mix, games // 2, device, seed=seed + 2)
        tell(f"{name} among five champions", kind, winner, kinds)
    return lines


def main() -> None:
    """Print one JSON object per figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkpoint")
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--palifico", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bots", default=",".join(BOTS), help="who plays one against five, separated by commas")
    asked = parser.parse_args()
    policy, bots = load_policy(asked.checkpoint, asked.device), asked.bots.split(",")
    report(policy, asked.games, asked.device, palifico=asked.palifico, seed=asked.seed, bots=bots)


if __name__ == "__main__":
    main()
