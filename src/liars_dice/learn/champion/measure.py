"""Measure the champion: leagues on duplicate dice, its levels, endgames, and its chances to win.

Like the trainer, this needs PyTorch and nothing else. It writes one JSON object per figure.

    python -m liars_dice.learn.champion.measure model.pt --device cuda --out figures.jsonl

Two stand-ins, as whole batches are played: `nash` plays as `probabilistic`, which it does where more than two players
are left or a round is not solved, and by the network for two in the rounds that it has solved (two players with at most
three dice in all). There the champion plays by its network, too, where it would yield to `nash`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .exploitability import ONE_ROUND, CallPayoffs, exploit
from .network import NEVER, load_policy, sample
from .observation import by_player, of_turn, turn_order
from .perudo_batch import (
    ROLLS,
    SEATS,
    PerudoBatch,
    RuleMix,
    Tables,
    hands_of,
    new_games,
    pack,
    step,
    unpack,
)
from .scripted import LEARNER, NAMES, scripted_actions

BOTS = ("detective", "optimal", "aggressive", "bluffer", "probabilistic", "crawler", "sniper", "nash")
LEVELS = {"champion:easy": 0.9, "champion:medium": 0.6, "champion:hard": 0.3}
"""The share of its moves that each level makes as `aggressive` does."""
KINDS = (*NAMES, "nash", *LEVELS)
"""Kinds of players; the learner is the champion."""
SELDOM = 0.001
"""Actions that the network takes more rarely than this are never taken: see `agent`."""
RULES = {
    "perudo": RuleMix((6, 6), full_games=1.0),
    "perudo-tournament": RuleMix((6, 6), full_games=1.0, tournament=1.0),
}
MATCH_PAYOFFS = {
    (1, 1): ONE_ROUND,
    (2, 1): CallPayoffs((1.0, 0.0), (0.0, -1.0), (1.0, 0.516), (0.0, -1.0)),
    (1, 2): CallPayoffs((0.0, 1.0), (-1.0, 0.0), (0.516, 1.0), (-1.0, 0.0)),
}
"""What calls are worth in rounds of a `perudo` match, by the equilibria of the rounds that follow: with one die each,
both win half of the matches; the player with two dice against one wins 0.516 more than it loses if the other opens."""


def kind_of(name: str) -> int:
    """The number of a kind."""
    return KINDS.index("learner" if name == "champion" else name)


# -- games on duplicate dice -------------------------------------------------------------------------------------------


class Decider(nn.Module):
    """Everybody at the tables: from positions and who is to move, an action each."""

    def __init__(self, policy: nn.Module) -> None:
        super().__init__()
        self.policy = policy
        plain = [name if name in NAMES else "probabilistic" if name == "nash" else "aggressive" for name in KINDS]
        self.plain = torch.tensor([NAMES.index(name) for name in plain])
        self.share = torch.tensor([float(name != "learner") if name not in LEVELS else LEVELS[name] for name in KINDS])

    def distribution(self, tables: Tables) -> Tensor:
        """[B, action]: the champion's mix, as it plays."""
        chances = self.policy(tables).logits.float().softmax(-1)
        chances = torch.where(chances < SELDOM, 0.0, chances)
        return chances / chances.sum(-1, keepdim=True)

    def forward(self, tables: Tables, kind: Tensor, draws: Tensor) -> Tensor:
        """[B]: what each does. `draws` has three numbers in [0, 1) per game."""
        device = kind.device
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            by_network = sample(self.distribution(tables).clamp(min=1e-30).log(), draws[0])
        plain = self.plain.to(device)[kind][:, None].expand(-1, SEATS)
        solved = ((tables.dice > 0).sum(-1) == 2) & (tables.total <= 3) & (kind == kind_of("nash"))
        as_bot = (draws[2] < self.share.to(device)[kind]) & ~solved
        return torch.where(as_bot, scripted_actions(tables, plain, draws[1]), by_network)


def dice_of(seed: int, deals: Tensor, rounds: Tensor) -> Tensor:
    """[B, seat]: the dice of a round. They depend on the seed, the deal, the round and the seat alone."""
    seats = torch.arange(SEATS, device=deals.device)
    x = ((seed * 1_000_003 + deals) * 1_000_003 + rounds)[:, None] * 1_000_003 + seats
    for shift, factor in ((30, -4658895280553007687), (27, -7723592293110705685), (31, 1)):  # splitmix64
        x = (x ^ ((x >> shift) & ((1 << (64 - shift)) - 1))) * factor
    return (x & 0x7FFFFFFF) % ROLLS


@torch.no_grad()
def play_duplicate(decider: Decider, members: Tensor, mix: RuleMix, seed: int, most: int = 24_000) -> Tensor:
    """[deal, seating]: which member won, if each deal is played by these members ([deal, member]) in every rotation of
    the seats with the same dice: in rotation r, member m sits in seat m - r, and seat 0 opens.
    """
    deals, players = members.shape
    parts = []
    for first in range(0, deals, max(1, most // players)):
        some = members[first : first + max(1, most // players)]
        number = torch.arange(first, first + len(some), device=members.device).repeat_interleave(players)
        rotation = torch.arange(players, device=members.device).repeat(len(some))
        seat = torch.arange(players, device=members.device)
        who = (seat + rotation[:, None]) % players
        kinds = some.repeat_interleave(players, 0).gather(1, who)
        kinds = nn.functional.pad(kinds, (0, SEATS - players))
        winner = _play(decider, kinds, mix, number, seed)
        parts.append(((winner + rotation) % players).view(len(some), players))
    return torch.cat(parts)


def _play(decider: Decider, kinds: Tensor, mix: RuleMix, deals: Tensor, seed: int) -> Tensor:
    """[B]: the seat that won each game."""
    device = kinds.device
    chance = torch.Generator(device).manual_seed(seed * 1_000_003 + int(deals[0]))
    start = new_games(1, mix, chance, device).expand(len(kinds), -1)
    tables = unpack(start)
    tables = tables._replace(opener=torch.zeros_like(tables.opener), turn=torch.zeros_like(tables.turn))
    rounds = torch.zeros_like(deals)
    rows = pack(tables._replace(hands=hands_of(tables.dice, dice_of(seed, deals, rounds))))
    winner = torch.full_like(deals, -1)
    place = torch.arange(len(kinds), device=device)
    while len(rows):
        tables = unpack(rows)
        draws = torch.rand(3, len(rows), device=device, generator=chance)
        actions = decider(tables, of_turn(tables, kinds[place]), draws)
        rows, outcome = step(rows, actions, dice_of(seed, deals[place], rounds + 1), rows)
        rounds = rounds + outcome.round_ended
        winner[place] = torch.where(outcome.game_ended, outcome.winner.long(), -1)
        going = ~outcome.game_ended
        rows, place, rounds = rows[going], place[going], rounds[going]
    return winner


def rate(wins: Tensor, games: Tensor) -> dict[str, Any]:
    """The share of games won, with a 95% interval in which the deal is the unit: its games share their dice.

    `wins` and `games` ([deal]) say how many of a deal's games somebody won, and how many it played.
    """
    wins, games = wins[games > 0].double(), games[games > 0].double()
    share = float(wins.sum() / games.sum())
    off = wins - share * games
    half = 1.96 * sqrt(float((off**2).sum())) / float(games.sum())
    return {"rate": share, "ci95": [share - half, share + half], "games": int(games.sum())}


def league(
    decider: Decider, mix: RuleMix, deals: int, seed: int, device: str, firsts: Sequence[str] = ("champion",)
) -> Iterator[dict[str, Any]]:
    """Everybody's share of wins in a league of nine at six seats: members and seating are drawn anew for each deal.

    The league is played once for each of `firsts`, which all sit in the same places; of all but the first, only
    their own share is told.
    """
    bots = torch.tensor([[kind_of(name) for name in (first, *BOTS)] for first in firsts], device=device)
    chance = torch.Generator(device).manual_seed(seed)
    drawn = torch.rand(deals, len(BOTS) + 1, device=device, generator=chance).argsort(-1)[:, :SEATS]
    members = bots[:, drawn]  # [first, deal, member]
    won = play_duplicate(decider, members.flatten(0, 1), mix, seed).view(members.shape)
    for number, first in enumerate(firsts):
        for name in (first, *BOTS) if number == 0 else (first,):
            kind = kind_of(name)
            seated = (members[number] == kind).any(1) * SEATS
            wins = (members[number].gather(1, won[number]) == kind).sum(1)
            yield {"player": name, **rate(wins, seated)}


def one_among(
    decider: Decider, mix: RuleMix, pairs: Sequence[tuple[str, str]], seats: int, deals: int, seed: int, device: str
) -> Iterator[dict[str, Any]]:
    """For each pair of kinds: how often one of the first wins at a table with the second in all other seats."""
    tables = torch.tensor([[kind_of(one), *[kind_of(others)] * (seats - 1)] for one, others in pairs], device=device)
    won = play_duplicate(decider, tables.repeat_interleave(deals, 0), mix, seed).view(len(pairs), deals, seats)
    played = torch.full((deals,), seats, device=device)
    for (one, others), wins in zip(pairs, won, strict=True):
        yield {"one": one, "others": others, "seats": seats, **rate((wins == 0).sum(1), played)}


# -- endgames ----------------------------------------------------------------------------------------------------------


def endgames(decider: Decider, device: str, dice: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """What a perfect adversary wins in rounds between two players: of the network, and of the champion as it plays."""
    for opener, other in dice:
        for exact_call in (True, False):
            payoffs = MATCH_PAYOFFS[opener, other] if exact_call else ONE_ROUND
            policies: dict[str, Callable[[Tables], Tensor]] = {
                "network": lambda tables: decider.policy(tables).logits.float().softmax(-1),
                f"without moves below {SELDOM}": decider.distribution,
            }
            for who, policy in policies.items():
                found = exploit(policy, (opener, other), device, exact_call=exact_call, payoffs=payoffs)
                told = {"dice": [opener, other], "exact_call": exact_call, "who": who}
                yield {**told, "exploitability": found.exploitability, **found._asdict()}


# -- chances to win ----------------------------------------------------------------------------------------------------

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
def play_noting(policy: nn.Module, mix: RuleMix, games: int, bots: float, seed: int, keep: float = 1.0) -> Decisions:
    """Play whole games; keep this share of the champion's decisions."""
    device = next(policy.parameters()).device
    torch.manual_seed(seed)
    batch = PerudoBatch(games, mix, seed=seed, device=device, pool=4096)
    kinds_of_bots = torch.tensor([NAMES.index(name) for name in BOTS if name in NAMES], device=device)
    others = kinds_of_bots[torch.randint(len(kinds_of_bots), (games, SEATS), device=device)]
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
def chances_said(policy: nn.Module, rows: Tensor) -> Tensor:
    """[B, player]: everybody's chance to win, as a policy says it."""

    def said(tables: Tables) -> Tensor:
        return torch.where(turn_order(tables)[1], policy(tables).chances, NEVER).softmax(-1)

    return torch.cat([said(unpack(some)) for some in torch.split(rows, 65536)])


def compare(said: Tensor, made: Decisions) -> dict[str, Any]:
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


# -- everything --------------------------------------------------------------------------------------------------------


def figures(policy: nn.Module, device: str, scale: float, dice: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
    """All figures, each as soon as it is known. `scale` 1 plays more than 20,000 games in each league."""

    def many(number: int) -> int:
        return max(20, round(scale * number))

    decider = Decider(policy)
    both = [pair for bot in BOTS for pair in (("champion", bot), (bot, "champion"))]
    for rules, mix in RULES.items():
        for line in league(decider, mix, many(3400), 11, device):
            yield {"figure": "league", "rules": rules, "seed": 11, **line}
        for line in one_among(decider, mix, both, SEATS, many(400), 12, device):
            yield {"figure": "among", "rules": rules, "seed": 12, **line}
    for line in league(decider, RULES["perudo"], many(1200), 13, device, ("champion", *LEVELS)):
        if line["player"] not in BOTS:
            yield {"figure": "level", "rules": "perudo", "seed": 13, **line}
    pairs = [(name, "champion") for name in (*LEVELS, *BOTS)]
    for line in one_among(decider, RuleMix((2, 2), full_games=1.0), pairs, 2, many(3000), 14, device):
        yield {"figure": "heads-up", "rules": "perudo", "seed": 14, **line}
    for line in endgames(decider, device, dice):
        yield {"figure": "endgame", **line}
    for line in chances(policy, many(10_000)):
        yield {"figure": "chances", "rules": "perudo", "seed": 200, **line}


def main() -> None:
    """Print each figure as a JSON object, and write it to a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("checkpoint")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the usual number of games")
    parser.add_argument("--dice", nargs=2, type=int, action="append", help="an endgame (default: 1 1, 2 1 and 1 2)")
    parser.add_argument("--out", type=Path, default=Path("champion-figures.jsonl"))
    asked = parser.parse_args()
    dice = [(a, b) for a, b in asked.dice or ((1, 1), (2, 1), (1, 2))]
    with asked.out.open("w", encoding="utf-8") as file:
        for line in figures(load_policy(asked.checkpoint, asked.device), asked.device, asked.scale, dice):
            print(json.dumps(line), file=file, flush=True)
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
