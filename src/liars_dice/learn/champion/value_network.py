"""The networks behind the champion's values: how a round ends after each action, and what each end is worth.

`OutcomeNetwork` sees what the player to move sees. For every bid it says how the round ends if the bid is made now and
everybody plays on as the champion; and it says how the dice compare with the current bid, which settles both calls.
`RoundWorth` says who wins the game from the dice that are then left. Together they give every action's chance to win.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from .network import NEAR, NEVER, OUTCOMES, STEPS, Streams, mask_absent, outcomes_by_player
from .observation import (
    FACE_FEATURES,
    TABLE_FEATURES,
    Observation,
    by_player,
    by_seat,
    observe,
    one_hot,
    rule_flags,
    turn_order,
)
from .perudo_batch import EXACT, FACES, LIAR, MOST_DICE, SEATS, Tables, after_round, legal_mask

BELOW, EQUAL, ABOVE = range(3)
"""How many dice match the current bid, against its quantity."""


class OutcomeNetwork(nn.Module):
    """How the round ends after each bid, and how the dice compare with the current bid."""

    def __init__(self, face_width: int = 80, table_width: int = 128, blocks: int = 3) -> None:
        super().__init__()
        self.streams = Streams(FACE_FEATURES, TABLE_FEATURES, face_width, table_width, blocks)
        self.bids = nn.Linear(face_width, (STEPS + 2 * NEAR + 1) * OUTCOMES)
        self.counts = nn.Linear(table_width, 3)
        self.counts_of_face = nn.Linear(face_width, 3, bias=False)

    def after_bid(self, seen: Observation, bid: Tensor, possible: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of how the round ends after one bid per row ([B, outcome]), and of `BELOW` to `ABOVE` ([B, 3])."""
        x, g = self.streams(seen.faces, seen.table)
        with torch.autocast(x.device.type, enabled=False):
            x, g = x.float(), g.float()
            quantity, face = bid // FACES + 1, bid % FACES
            above = (quantity - _of_face(seen.odds.lowest, face).long()).clamp(0, STEPS - 1)
            near = STEPS + NEAR + (quantity - _of_face(seen.odds.likely, face).long()).clamp(-NEAR, NEAR)
            numbers = self.bids(_of_face(x, face)).unflatten(-1, (-1, OUTCOMES))
            logits = _of_face(numbers, above) + _of_face(numbers, near)
            current = seen.table[..., 71 : 71 + FACES].float()  # which face the current bid is on
            counts = self.counts(g) + self.counts_of_face((x * current[..., None]).sum(-2))
            return torch.where(possible, logits, NEVER), counts


def _of_face(values: Tensor, face: Tensor) -> Tensor:
    """`values` ([B, n] or [B, n, m]) at one place of each row."""
    if values.dim() == 2:
        return values.gather(-1, face[:, None]).squeeze(-1)
    return values.gather(1, face[:, None, None].expand(-1, 1, values.shape[-1])).squeeze(1)


class RoundWorth(nn.Module):
    """Who will win the game among champions, judged between two rounds."""

    FEATURES = SEATS * (MOST_DICE + 1) + SEATS + 8

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(self.FEATURES, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, SEATS)
        )

    def forward(self, tables: Tables) -> Tensor:
        """[B, player]: logits of winning, by player in turn order from the opener, who is to move."""
        order = turn_order(tables)
        flags = [*rule_flags(tables), tables.total / 15 - 1, tables.most_dice == MOST_DICE]
        features = [
            one_hot(by_player(tables.dice, order), MOST_DICE + 1).flatten(-2),
            by_player(tables.had_one, order).float() * tables.palifico_rule[..., None],
            torch.stack([flag.float() for flag in flags], -1),
        ]
        return mask_absent(self.layers(torch.cat(features, -1)).float(), order)

    def by_seat(self, tables: Tables) -> Tensor:
        """[B, seat]: everybody's chance to win when the next round begins like this; 1 for the winner of a game."""
        chances = by_seat(self(tables).softmax(-1), turn_order(tables))
        alive = tables.dice > 0
        return torch.where(alive.sum(-1, keepdim=True) == 1, alive.float(), chances)


def action_values(outcomes: OutcomeNetwork, worth: RoundWorth, tables: Tables) -> Tensor:
    """[B, action]: the chance to win the game of the player to move, by action; -1 where it is illegal."""
    seen, order = observe(tables), turn_order(tables)
    legal = legal_mask(tables, seen.odds.lowest)
    possible = torch.cat([order[1], order[1] & (tables.exact_call > 0)[:, None]], -1)
    ends = worth_of_ends(worth, tables)  # [B, outcome, seat]
    mine = ends.gather(-1, tables.turn.long()[:, None, None].expand(-1, OUTCOMES, 1)).squeeze(-1)
    by_order = outcomes_by_player(mine, order)
    values = torch.full(legal.shape, -1.0, device=mine.device)
    for bid in torch.nonzero(legal[:, :LIAR].any(0)).flatten().tolist():
        found, _ = outcomes.after_bid(seen, torch.full_like(tables.turn, bid, dtype=torch.int64), possible)
        values[:, bid] = (found.softmax(-1) * by_order).sum(-1)
    counts = outcomes.after_bid(seen, torch.zeros_like(tables.turn, dtype=torch.int64), possible)[1].softmax(-1)
    bidder = (order[1].sum(-1) - 1).clamp(min=0)[:, None]
    lost, won, won_exactly = (by_order.gather(-1, place).squeeze(-1) for place in (0 * bidder, bidder, bidder + SEATS))
    values[:, LIAR] = counts[:, BELOW] * won + (1 - counts[:, BELOW]) * lost
    values[:, EXACT] = counts[:, EQUAL] * won_exactly + (1 - counts[:, EQUAL]) * lost
    return torch.where(legal, values, -1.0)


def worth_of_ends(worth: RoundWorth, tables: Tables) -> Tensor:
    """[B, outcome, seat]: everybody's chance to win the game after each way in which the round can end."""
    n, device = len(tables.turn), tables.turn.device
    outcome = torch.arange(OUTCOMES, device=device, dtype=torch.int8).repeat(n)
    tables = Tables(*(part.repeat_interleave(OUTCOMES, 0) for part in tables))
    later = after_round(tables, outcome % SEATS, outcome >= SEATS)
    later = later._replace(dice=later.dice.clamp(min=0))  # of somebody who is out: never happens, never used
    return worth.by_seat(later).view(n, OUTCOMES, SEATS)


def load_values(path: str | Path, device: torch.device | str = "cpu") -> tuple[OutcomeNetwork, RoundWorth]:
    """Both networks, from the file that the player in numpy reads."""
    with np.load(path) as found:
        state = {name: torch.tensor(found[name], dtype=torch.float32, device=device) for name in found.files}
    face_width, table_width = (len(state[f"outcomes.streams.{name}_in.bias"]) for name in ("face", "table"))
    blocks = sum(name.endswith(".face_1.bias") for name in state)
    outcomes, worth = OutcomeNetwork(face_width, table_width, blocks), RoundWorth()
    for name, part in (("outcomes.", outcomes), ("worth.", worth)):
        part.load_state_dict({key.removeprefix(name): w for key, w in state.items() if key.startswith(name)})
        part.to(device).requires_grad_(False)
    return outcomes, worth
