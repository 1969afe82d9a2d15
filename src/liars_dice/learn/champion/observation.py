"""What a player sees of a table, as numbers: one row per face and one for the table as a whole.

Seats are named by turn order from the player to move: player 0 acts now, player 1 comes next, the last one made the
current bid. Seats that are out do not count, so three players left of six look like a table of three.
"""

from __future__ import annotations

from math import comb, fsum
from typing import NamedTuple

import torch
from torch import Tensor

from .perudo_batch import FACES, MOST_DICE, PERUDO, QUANTITIES, SEATS, Tables, lowest_bids

FACE_FEATURES = 46
TABLE_FEATURES = 86
TWO_LEFT = 50
"""Which number about the table says that two players are left."""


class Odds(NamedTuple):
    """What the player to move can work out from its own dice alone."""

    lowest: Tensor
    """[..., face - 1] int8: the lowest quantity that may be bid."""
    held: Tensor
    """[..., face - 1] int8: how many of its dice count for a bid on the face."""
    unseen: Tensor
    """[...] int8: how many dice the others have."""
    chance_id: Tensor
    """[..., face - 1] int64: 0 if an unseen die counts for the face with probability 1/6, 1 if with 1/3."""

    @property
    def expected(self) -> Tensor:
        """[..., face - 1]: how many dice will count for the face on average."""
        return self.held + self.unseen[..., None] * (1 + self.chance_id) / 6

    @property
    def likely(self) -> Tensor:
        """[..., face - 1] int8: the same, rounded."""
        return (self.expected + 0.5).floor().to(torch.int8)


class Observation(NamedTuple):
    """The input of the networks."""

    faces: Tensor
    """[..., face - 1, FACE_FEATURES]."""
    table: Tensor
    """[..., TABLE_FEATURES]."""
    odds: Odds


_tail_tables: dict[str, Tensor] = {}
"""By device and type. A plain dictionary, as torch.compile would trace the making of what functools caches."""


def tail_table(device: torch.device, dtype: torch.dtype = torch.float32) -> Tensor:
    """[chance, n, k]: the probability that at least k of n dice count, for k from 0 to 30."""
    key = f"{device} {dtype}"
    if key not in _tail_tables:
        _tail_tables[key] = _make_tail_table().to(dtype).to(device)
    return _tail_tables[key]


def _make_tail_table() -> Tensor:
    table = torch.zeros(2, QUANTITIES + 1, QUANTITIES + 1, dtype=torch.float64)
    for which, p in enumerate((1 / 6, 1 / 3)):
        for n in range(QUANTITIES + 1):
            exactly = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
            for k in range(n + 1):
                table[which, n, k] = 1.0 if k == 0 else min(1.0, fsum(exactly[k:]))
    return table


def chance_at_least(odds: Odds, quantity: Tensor, table: Tensor) -> Tensor:
    """[..., face - 1]: the chance that this many dice count for each face, given the dice of the player to move."""
    missing = (quantity - odds.held).clamp(0, QUANTITIES).long()
    return table[odds.chance_id, odds.unseen[..., None].long(), missing]


def of_turn(tables: Tables, per_seat: Tensor) -> Tensor:
    """The entry of `per_seat` ([..., seat] or [..., seat, face]) that belongs to the player to move."""
    place = tables.turn.long()[..., None]
    if per_seat.dim() > place.dim():
        return per_seat.gather(-2, place[..., None].expand(*place.shape, per_seat.shape[-1])).squeeze(-2)
    return per_seat.gather(-1, place).squeeze(-1)


def odds_of(tables: Tables) -> Odds:
    """The odds as the player to move sees them."""
    hand = of_turn(tables, tables.hands)
    faces = torch.arange(1, FACES + 1, device=hand.device, dtype=torch.int8)
    wild = tables.round_wild[..., None]
    helped = (wild > 0) & (faces != wild)
    wilds = hand.gather(-1, (wild.long() - 1).clamp(min=0))
    held = hand + torch.where(helped, wilds, 0)
    unseen = tables.total - of_turn(tables, tables.dice)
    return Odds(lowest_bids(tables), held.to(torch.int8), unseen.to(torch.int8), helped.long())


def turn_order(tables: Tables) -> tuple[Tensor, Tensor]:
    """([..., player] int64, [..., player] bool): the seat of each player in turn order, and whether there is one."""
    seats = torch.arange(SEATS, device=tables.dice.device, dtype=torch.int8)
    alive = tables.dice > 0
    ahead = torch.remainder(seats - tables.turn[..., None], SEATS)
    earlier = (ahead[..., None, :] < ahead[..., :, None]) & alive[..., None, :]
    rank = earlier.sum(-1)  # [..., seat]
    match = (rank[..., None, :] == seats[:, None]) & alive[..., None, :]  # [..., player, seat]
    seat_of = (match * seats).sum(-1)
    return seat_of, seats < alive.sum(-1, keepdim=True)


def by_player(per_seat: Tensor, order: tuple[Tensor, Tensor]) -> Tensor:
    """Values per seat, rearranged by player in turn order; zero where there is no such player."""
    seat_of, present = order
    if per_seat.dim() == seat_of.dim():
        return per_seat.gather(-1, seat_of) * present
    index = seat_of[..., None].expand(*seat_of.shape, per_seat.shape[-1])
    return per_seat.gather(-2, index) * present[..., None]


def by_seat(per_player: Tensor, order: tuple[Tensor, Tensor]) -> Tensor:
    """Values per player in turn order, put back at their seats; zero for seats that are out."""
    seat_of, present = order
    seats = torch.arange(SEATS, device=per_player.device)
    match = (seat_of[..., None, :] == seats[:, None]) & present[..., None, :]  # [..., seat, player]
    return (match * per_player[..., None, :]).sum(-1)


def one_hot(values: Tensor, size: int) -> Tensor:
    """[..., size] float: 1 where the place equals the value."""
    return (values[..., None] == torch.arange(size, device=values.device, dtype=values.dtype)).float()


def rule_flags(tables: Tables) -> list[Tensor]:
    """The rules of each game and of its round, as yes or no."""
    return [
        tables.wild_face > 0,
        tables.exact_call,
        tables.palifico_rule,
        tables.palifico,
        tables.open_on_ones,
        tables.exact_costs_bidder,
    ]


def observe(tables: Tables) -> Observation:
    """All that the player to move knows about the round."""
    odds = odds_of(tables)
    order = turn_order(tables)
    table = tail_table(tables.dice.device)
    total = tables.total[..., None].float()
    chance = (1 + odds.chance_id).float() / 6
    expected = odds.expected
    spread = (total * chance * (1 - chance)).sqrt() + 0.5
    faces = torch.arange(1, FACES + 1, device=total.device, dtype=torch.int8)

    # what each player has said about each face, against what the dice in play give on average
    last = by_player(tables.last, order).transpose(-1, -2)  # [..., face, player]
    first = by_player(tables.first, order).transpose(-1, -2)
    said = (last > 0).float()
    typical = (total * chance)[..., None]
    perudo = ((tables.ordering == PERUDO) & (tables.palifico == 0))[..., None, None]
    height = torch.where(perudo & (faces[:, None] == 1), 2 * last.short() * 8 + 7, last.short() * 8 + faces[:, None])
    newest = (height == height.amax(-2, keepdim=True)) * said
    lowest = odds.lowest.float()
    legal = (odds.lowest <= tables.total[..., None]).float()
    holds = [chance_at_least(odds, (odds.lowest + more).clamp(max=QUANTITIES + 1), table) * legal for more in range(4)]
    own = of_turn(tables, tables.hands).float()
    per_face = [
        own / 3,
        odds.held / 3,
        (expected - typical.squeeze(-1)) / spread,
        expected / 10,
        (tables.face[..., None] == faces).float(),
        (tables.opened_face[..., None] == faces).float(),
        chance * 3 - 1,
        legal,
        legal * (lowest - expected) / spread,
        legal * (odds.lowest == 1),
        legal * (total - lowest) / 10,
        legal * lowest / 10,
        *holds,
    ]
    shared = one_hot(faces - 1, FACES).expand(*total.shape[:-1], FACES, FACES)
    spoken = [said, said * (last - typical) / spread[..., None], said * (first - typical) / spread[..., None], newest]
    tokens = torch.cat([torch.stack(per_face, -1), shared, *spoken], -1)

    # the table as a whole
    dice = by_player(tables.dice, order)
    alive = order[1].sum(-1)
    place = (tables.face.long()[..., None] - 1).clamp(min=0)
    bid = (tables.quantity > 0).float()[..., None]
    quantity = tables.quantity[..., None]
    holds_now = chance_at_least(odds, quantity, table).gather(-1, place)
    exact_now = holds_now - chance_at_least(odds, quantity + 1, table).gather(-1, place)
    flags = [
        *rule_flags(tables),
        of_turn(tables, tables.dice) < tables.most_dice,
        tables.quantity == 0,
    ]
    raises = by_player(tables.raises, order).float()
    seats = torch.arange(SEATS, device=total.device)
    whole = [
        one_hot(dice, MOST_DICE + 1).flatten(-2),
        by_player(tables.had_one, order).float() * tables.palifico_rule[..., None],
        torch.stack([flag.float() for flag in flags], -1),
        one_hot(alive - 2, SEATS - 1),
        total / 15 - 1,
        odds.unseen[..., None] / 12 - 1,
        raises / 3,
        (order[0] == tables.opener[..., None]).float() * order[1],
        raises.sum(-1, keepdim=True) / 8,
        bid * quantity / 10,
        one_hot(tables.face.long() - 1, FACES),
        bid * holds_now,
        bid * exact_now,
        bid * (quantity - expected.gather(-1, place)) / spread.gather(-1, place),
        (seats < alive[..., None]).float(),
    ]
    return Observation(tokens, torch.cat(whole, -1), odds)
