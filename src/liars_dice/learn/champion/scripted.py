"""Rule bots for whole batches: what `liars_dice.agents` decides one view at a time, decided for every game at once.

They sit at some tables while the champion learns, so that it meets styles that self-play does not produce, and they
are what it is measured against. Every bot except `bluffer` and `random` is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from .observation import Odds, by_player, chance_at_least, odds_of, of_turn, tail_table, turn_order
from .perudo_batch import EXACT, FACES, LIAR, PERUDO, QUANTITIES, STANDARD, Tables, random_actions

NAMES = (
    "learner",
    "random",
    "crawler",
    "probabilistic",
    "optimal",
    "detective",
    "aggressive",
    "bluffer",
    "sniper",
    "conservative",
    "truthful",
    "frozen",
)
"""Kinds of players; a kind is a place in this tuple. `learner` and `frozen` are networks."""
LEARNER, FROZEN = 0, NAMES.index("frozen")


def heights(tables: Tables, quantity: Tensor) -> Tensor:
    """[..., face - 1]: a number that rises along the ladder, for a bid of `quantity` on each face."""
    faces = torch.arange(1, FACES + 1, device=quantity.device)
    quantity = quantity.long()
    ordering = torch.where(tables.palifico > 0, 0, tables.ordering)[..., None]
    plain = quantity * 16 + faces
    perudo = torch.where(faces == 1, quantity * 32 + 15, plain)
    return torch.where(ordering == PERUDO, perudo, torch.where(ordering == STANDARD, faces * 1000 + quantity, plain))


def _bid(quantity: Tensor, place: Tensor) -> Tensor:
    """The action that bids `quantity[..., place]` on that face."""
    return (quantity.long().gather(-1, place[..., None]).squeeze(-1) - 1) * FACES + place


def _best(odds: Tensor, height: Tensor) -> Tensor:
    """The place of the likeliest bid; of several, the highest."""
    top = odds == odds.amax(-1, keepdim=True)
    return torch.where(top, height, -1).argmax(-1)


class Position:
    """What the bots below ask about the games."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.odds: Odds = odds_of(tables)
        self.tails = tail_table(tables.dice.device, torch.float64)
        self.total = tables.total[..., None].long()
        self.lowest = self.odds.lowest.long()
        self.held = self.odds.held.long()
        self.legal = self.lowest <= self.total
        self.may_bid = self.legal.any(-1)
        self.opens = tables.quantity == 0
        self.place = (tables.face.long()[..., None] - 1).clamp(min=0)
        quantity = tables.quantity[..., None]
        self.holds = chance_at_least(self.odds, quantity, self.tails).gather(-1, self.place).squeeze(-1)
        more = chance_at_least(self.odds, quantity + 1, self.tails).gather(-1, self.place).squeeze(-1)
        self.exact = torch.where(tables.exact_call > 0, self.holds - more, -1.0)
        # the likeliest bid on each face (of several, the highest): the lowest, or as many as the player holds itself,
        # or, if even the lowest is impossible, any
        safe = torch.maximum(self.lowest, torch.minimum(self.held, self.total))
        impossible = safe > self.held + self.odds.unseen[..., None]
        self.safe = torch.where(impossible, self.total, safe)
        self.safe_odds = torch.where(self.legal, chance_at_least(self.odds, self.safe, self.tails), -1.0)
        self.likeliest = _best(self.safe_odds, heights(tables, self.safe))
        self.best_odds = self.safe_odds.amax(-1)

    def highest(self, chance: float) -> tuple[Tensor, Tensor]:
        """(action, whether there is one): the highest bid that holds with at least this probability."""
        most = (self.tails >= chance).sum(-1) - 1  # [chance id, n]: how many of n dice count that often
        reach = most[self.odds.chance_id, self.odds.unseen[..., None].long()]
        quantity = torch.minimum(self.held + reach, self.total)
        good = self.legal & (quantity >= self.lowest)
        place = torch.where(good, heights(self.tables, quantity), -1).argmax(-1)
        return _bid(quantity, place), good.any(-1)

    def lowest_of(self, faces: Tensor) -> tuple[Tensor, Tensor]:
        """(action, whether there is one): the lowest legal bid on one of these faces."""
        good = self.legal & faces
        place = torch.where(good, heights(self.tables, self.lowest), 10**6).argmin(-1)
        return _bid(self.lowest, place), good.any(-1)


def crawler(at: Position) -> Tensor:
    """The lowest raise, or a call of what has become unlikely."""
    lowest, may_bid = at.lowest_of(at.legal)
    return torch.where(~at.opens & (~may_bid | (at.holds < 0.3)), LIAR, lowest)


def conservative(at: Position) -> Tensor:
    """The lowest bid of at most one die more than it holds; else a call of what is doubtful; else the likeliest bid."""
    safe, any_safe = at.lowest_of((at.held > 0) & (at.lowest <= at.held + 1))
    calls = torch.where(at.exact > 0.5, EXACT, torch.where(~at.may_bid | (at.holds < 0.6), LIAR, -1))
    likeliest = _bid(at.safe, at.likeliest)
    return torch.where(any_safe, safe, torch.where(at.opens | (calls < 0), likeliest, calls))


def truthful(at: Position) -> Tensor:
    """A call of what is impossible; else the lowest bid that is possible, or the lowest if none is."""
    most = at.held + at.odds.unseen[..., None].long()
    possible, any_possible = at.lowest_of(at.lowest <= most)
    lowest, may_bid = at.lowest_of(at.legal)
    raised = torch.where(any_possible, possible, lowest)
    impossible = ~at.opens & (most.gather(-1, at.place).squeeze(-1) < at.tables.quantity)
    return torch.where(impossible | ~may_bid, LIAR, raised)


def probabilistic(at: Position) -> Tensor:
    """The action that is most probably right; of equals the last of bids, liar, exact."""
    best, odds = _bid(at.safe, at.likeliest), at.best_odds
    doubt = torch.where(at.opens, -2.0, 1 - at.holds)
    best = torch.where(doubt >= odds, LIAR, best)
    exact = torch.where(at.opens, -2.0, at.exact)
    return torch.where(exact >= torch.maximum(odds, doubt), EXACT, best)


def threshold(at: Position, call: float, raise_: float) -> Tensor:
    """The likeliest near raise if it is likely enough; a call if the bid is unlikely enough; else the raise."""
    tables = at.tables
    places = torch.arange(FACES, device=at.lowest.device)
    near = tables.quantity.long()[..., None] + (places == at.place)
    legal = at.legal & (places >= at.place) & (near >= at.lowest) & (near <= at.total)
    chance = torch.where(legal, chance_at_least(at.odds, near, at.tails), -1.0)
    place = _best(chance, FACES - places.expand_as(near))
    calls = ~legal.any(-1) | ((chance.amax(-1) < raise_) & (at.holds < call))
    raised = torch.where(calls, LIAR, _bid(near, place))
    most = torch.where(at.legal, at.held, -1)
    face = _best(most, FACES - places.expand_as(near))
    opening = torch.minimum(torch.maximum(at.held, at.lowest), at.total)
    return torch.where(at.opens, _bid(opening, face), raised)


def bluffer(at: Position, draw: Tensor) -> Tensor:
    """Mostly the likeliest raise, every fourth time the nearest bid on another face; a call if the bid is unlikely."""
    places = torch.arange(FACES, device=at.lowest.device)
    others = at.legal & (places != at.likeliest[..., None])
    rank = torch.where(others, (at.lowest * 100 + at.held) * 100 + places, 10**7)
    raised = torch.where((draw < 0.25) & others.any(-1), _bid(at.lowest, rank.argmin(-1)), _bid(at.safe, at.likeliest))
    return torch.where(~at.opens & (~at.may_bid | (at.holds < 0.25)), LIAR, raised)


def sniper(at: Position) -> Tensor:
    """Exact if that is the best call; the highest bid better than even; else the better of calling and raising."""
    good, any_good = at.highest(0.5)
    likeliest = _bid(at.safe, at.likeliest)
    doubt = 1 - at.holds
    calls = ~at.may_bid | (doubt >= at.best_odds)
    otherwise = torch.where(any_good, good, torch.where(calls, LIAR, likeliest))
    answer = torch.where(at.exact >= doubt.clamp(min=0.35), EXACT, otherwise)
    return torch.where(at.opens, torch.where(any_good, good, likeliest), answer)


def detective(at: Position, trust: float = 0.7) -> Tensor:
    """The best odds if every other player who bid a face holds one die of it."""
    order = turn_order(at.tables)
    said = by_player(at.tables.last, order)[..., 1:, :] > 0
    unseen = at.odds.unseen[..., None].long()
    shown = torch.minimum(said.sum(-2), unseen)

    def belief(quantity: Tensor) -> Tensor:
        missing = quantity - at.held
        trusting = at.tails[at.odds.chance_id, unseen - shown, (missing - shown).clamp(0, QUANTITIES)]
        return (1 - trust) * chance_at_least(at.odds, quantity, at.tails) + trust * trusting

    odds = torch.where(at.legal, belief(at.safe), -1.0)
    best = odds.amax(-1)
    raised = _bid(at.safe, _best(odds, heights(at.tables, at.safe)))
    good, any_good = at.highest(0.75)
    doubt = 1 - belief(at.tables.quantity.long()[..., None]).gather(-1, at.place).squeeze(-1)
    answer = torch.where(~at.may_bid | (doubt > best), LIAR, raised)
    answer = torch.where(at.exact > torch.maximum(doubt, best.clamp(min=0)), EXACT, answer)
    return torch.where(at.opens, torch.where(any_good, good, raised), answer)


Bot = Callable[[Position, Tensor], Tensor]
"""From positions and one number in [0, 1) for each to actions."""
BOTS: dict[str, Bot] = {
    "random": lambda at, draw: random_actions(at.tables),
    "crawler": lambda at, draw: crawler(at),
    "probabilistic": lambda at, draw: probabilistic(at),
    "optimal": lambda at, draw: threshold(at, 0.35, 0.15),
    "aggressive": lambda at, draw: threshold(at, 0.50, 0.10),
    "bluffer": bluffer,
    "sniper": lambda at, draw: sniper(at),
    "conservative": lambda at, draw: conservative(at),
    "truthful": lambda at, draw: truthful(at),
    "detective": lambda at, draw: detective(at),
}


def scripted_actions(tables: Tables, kinds: Tensor, draw: Tensor, *, only: str = "") -> Tensor:
    """[N]: what the rule bot at the turn of each game does; any legal action where no rule bot is to move.

    `kinds` ([N, seat]) says who plays each seat, `draw` holds one number in [0, 1) per game. If `only` one bot sits
    anywhere, the others are not asked.
    """
    at = Position(tables)
    if only:
        return BOTS[only](at, draw)
    kind = of_turn(tables, kinds)
    actions = BOTS["random"](at, draw)
    for name, decide in BOTS.items():
        if name != "random":
            actions = torch.where(kind == NAMES.index(name), decide(at, draw), actions)
    return actions
