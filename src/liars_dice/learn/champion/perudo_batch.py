"""Whole games of Liar's Dice for 2 to 6 players, thousands at a time, as PyTorch tensors on a CPU or a GPU.

A game is one row of bytes (`Tables` names its parts), so a batch is one tensor that can be stored, copied and indexed.
`step` is pure: rows, actions and chance go in, new rows and what happened come out. It has no loop over games and no
branch on data, so that `torch.compile` turns it into a few kernels. Every game may follow rules of its own.

>>> games = PerudoBatch(4, RuleMix(players=(3, 3)), seed=1)
>>> outcome = games.step(random_actions(games.tables))
>>> games.rows.shape == (4, ROW_BYTES)
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

SEATS = 6
FACES = 6
MOST_DICE = 5
QUANTITIES = SEATS * MOST_DICE
LIAR = QUANTITIES * FACES
"""Actions below this are bids: `(quantity - 1) * FACES + face - 1`."""
EXACT = LIAR + 1
ACTIONS = EXACT + 1
NO_BID = 2 * QUANTITIES + 1
"""A lowest quantity that no table can reach: nothing may be bid on that face."""

QUANTITY_THEN_FACE, STANDARD, PERUDO = 0, 1, 2
"""Bid orderings, as `Tables.ordering` holds them."""


class Tables(NamedTuple):
    """The parts of a batch of rows, all of them `int8`; `[...]` is the shape of the batch."""

    wild_face: Tensor
    """[...]: the wild face of the game, 0 if none is."""
    ordering: Tensor
    """[...]: which bids are higher than which."""
    exact_call: Tensor
    """[...]: whether exact calls are legal."""
    palifico_rule: Tensor
    """[...]: whether first rounds with one die are palifico rounds (rule 7)."""
    open_on_ones: Tensor
    """[...]: whether a round's first bid may be on ones."""
    elimination: Tensor
    """[...]: whether the game goes on until one player has dice left; else one round decides it."""
    most_dice: Tensor
    """[...]: the most dice a right exact call can bring a player to."""
    exact_costs_bidder: Tensor
    """[...]: whether a right exact call takes a die from the bidder; 1 where exact calls are not legal."""
    all_started_with_one: Tensor
    """[...]: whether every player began with one die, so that no round is a palifico round."""
    opener: Tensor
    """[...]: who opened the round."""
    turn: Tensor
    """[...]: who is to move."""
    palifico: Tensor
    """[...]: whether this is a palifico round."""
    opened_face: Tensor
    """[...]: the face of the round's first bid, 0 before it."""
    quantity: Tensor
    """[...]: the quantity of the current bid, 0 before the first."""
    face: Tensor
    """[...]: its face, 0 before the first bid."""
    dice: Tensor
    """[..., seat]: how many dice each seat has in this round; 0 for a seat that is out or was never taken."""
    had_one: Tensor
    """[..., seat]: whether the seat had exactly one die in an earlier round."""
    raises: Tensor
    """[..., seat]: how many bids the seat has made in this round."""
    hands: Tensor
    """[..., seat, face - 1]: how many dice of each face the seat holds."""
    first: Tensor
    """[..., seat, face - 1]: the first quantity the seat bid on the face in this round, 0 if it did not."""
    last: Tensor
    """[..., seat, face - 1]: the last quantity the seat bid on the face in this round, 0 if it did not.

    Bids rise, so these say in which order the faces were named, too."""

    @property
    def total(self) -> Tensor:
        """[...]: how many dice are in play."""
        return self.dice.sum(-1, dtype=torch.int8)

    @property
    def round_wild(self) -> Tensor:
        """[...]: the face that is wild in this round, 0 if none is."""
        return torch.where(self.palifico > 0, 0, self.wild_face)


_SHAPES: dict[str, tuple[int, ...]] = {
    name: (SEATS, FACES)
    if name in ("hands", "first", "last")
    else (SEATS,)
    if name in ("dice", "had_one", "raises")
    else ()
    for name in Tables._fields
}
_WIDTHS = [max(1, torch.Size(shape).numel()) for shape in _SHAPES.values()]
ROW_BYTES = sum(_WIDTHS)


def unpack(rows: Tensor) -> Tables:
    """The named parts of rows, as views."""
    parts = torch.split(rows, _WIDTHS, -1)
    shapes = _SHAPES.values()
    return Tables(*(part.reshape(*part.shape[:-1], *shape) for part, shape in zip(parts, shapes, strict=True)))


def pack(tables: Tables) -> Tensor:
    """Rows made of these parts."""
    lead = tables.turn.shape
    return torch.cat([part.to(torch.int8).reshape(*lead, -1) for part in tables], -1)


class Outcome(NamedTuple):
    """What a step did in each game. Seats are meaningful only where a round ended."""

    round_ended: Tensor
    """[N] bool: the action was a call."""
    game_ended: Tensor
    """[N] bool: the game is over, and the row already holds a new one."""
    winner: Tensor
    """[N] int8: who won the round; where the game ended, the game."""
    loser: Tensor
    """[N] int8: who lost the round."""


@dataclass(frozen=True)
class RuleMix:
    """Which games a batch draws when it starts one: each option is drawn for each game by itself."""

    players: tuple[int, int] = (2, 6)
    """The fewest and the most players; every number between is equally likely."""
    dice: tuple[int, int] = (1, 5)
    """The fewest and the most dice a seat starts with, in games that do not start full."""
    full_games: float = 0.5
    """The share of games in which every seat starts with the most dice."""
    endgames: float = 0.0
    """The share of games that start between two players with one or two dice each."""
    wild_ones: float = 1.0
    """The share of games with wild ones. In the others nothing is wild, and bids go by quantity, then face."""
    exact_calls: float = 1.0
    """The share of games with exact calls."""
    palifico: float = 0.0
    """The share of games with palifico rounds."""
    open_on_ones: float = 1.0
    """The share of games in which a round may be opened on ones."""
    exact_costs_bidder: float = 1.0
    """The share of games with exact calls in which a right one takes a die from the bidder."""
    most_dice: int = MOST_DICE
    """The cap of exact calls."""
    random_opener: bool = True
    """Whether any seat may open the first round; else seat 0 does, as in the engine."""
    elimination: bool = True
    """Whether games go on until one player has dice left; else one round decides."""
    tournament: float = 0.0
    """The share of games with palifico rounds and without opening on ones, whatever else is drawn for them."""


def new_games(n: int, mix: RuleMix, generator: torch.Generator, device: torch.device | str = "cpu") -> Tensor:
    """`n` games about to deal their first round: rows without hands."""

    def draw(low: int, high: int, *shape: int) -> Tensor:
        return torch.randint(low, high + 1, (n, *shape), generator=generator, device=device, dtype=torch.int8)

    def share(chance: float) -> Tensor:
        return (torch.rand(n, generator=generator, device=device) < chance).to(torch.int8)

    seats = torch.arange(SEATS, device=device, dtype=torch.int8)
    ending = share(mix.endgames) > 0
    players = torch.where(ending, 2, draw(*mix.players)).to(torch.int8)
    full = share(mix.full_games)[:, None]
    dice = torch.where(full > 0, mix.dice[1], draw(*mix.dice, SEATS))
    dice = torch.where(ending[:, None], draw(1, 2, SEATS), dice).to(torch.int8) * (seats < players[:, None])
    wild = share(mix.wild_ones)
    exact_call = share(mix.exact_calls)
    tournament = share(mix.tournament)
    nothing = torch.zeros(n, dtype=torch.int8, device=device)
    opener = torch.remainder(draw(0, 59), players) if mix.random_opener else nothing
    tables = Tables(
        wild_face=wild,
        ordering=wild * PERUDO,
        exact_call=exact_call,
        palifico_rule=tournament | share(mix.palifico),
        open_on_ones=(1 - tournament) & share(mix.open_on_ones),
        elimination=nothing + mix.elimination,
        most_dice=nothing + mix.most_dice,
        exact_costs_bidder=(1 - exact_call) | share(mix.exact_costs_bidder),
        all_started_with_one=(dice <= 1).all(-1),
        opener=opener,
        turn=opener,
        palifico=nothing,
        opened_face=nothing,
        quantity=nothing,
        face=nothing,
        dice=dice,
        had_one=torch.zeros_like(dice),
        raises=torch.zeros_like(dice),
        hands=dice.new_zeros(n, SEATS, FACES),
        first=dice.new_zeros(n, SEATS, FACES),
        last=dice.new_zeros(n, SEATS, FACES),
    )
    return pack(tables._replace(palifico=is_palifico_round(tables, tables.dice, tables.had_one)))


def is_palifico_round(tables: Tables, dice: Tensor, had_one: Tensor) -> Tensor:
    """[...] bool: whether a round that begins with these dice is a palifico round (rule 7.1)."""
    first_with_one = ((dice == 1) & (had_one == 0)).any(-1)
    enough = (dice > 0).sum(-1) > 2
    return (tables.palifico_rule > 0) & (tables.all_started_with_one == 0) & enough & first_with_one


def lowest_bids(tables: Tables) -> Tensor:
    """[..., face - 1] int8: the lowest quantity that may be bid on each face now; `NO_BID` where none may.

    Every higher quantity up to the dice in play is legal too: that holds in each ordering.
    """
    faces = torch.arange(1, FACES + 1, device=tables.dice.device, dtype=torch.int8)
    quantity, current = tables.quantity[..., None], tables.face[..., None]
    palifico = tables.palifico[..., None] > 0
    ordering = torch.where(palifico, QUANTITY_THEN_FACE, tables.ordering[..., None])
    by_quantity = quantity + (faces <= current)
    standard = torch.where(faces < current, NO_BID, torch.where(faces == current, quantity + 1, 1))
    from_ones = torch.where(faces == 1, quantity + 1, 2 * quantity + 1)
    to_ones = torch.where(faces == 1, (quantity + 1) // 2, by_quantity)
    perudo = torch.where(current == 1, from_ones, to_ones)
    raised = torch.where(ordering == PERUDO, perudo, torch.where(ordering == STANDARD, standard, by_quantity))
    own = tables.dice.gather(-1, tables.turn[..., None].long())
    keeps_face = palifico & (own > 1) & (faces != tables.opened_face[..., None])
    raised = torch.where(keeps_face, NO_BID, raised)
    barred = (faces == 1) & (tables.open_on_ones[..., None] == 0) & ~palifico
    lowest = torch.where(quantity == 0, torch.where(barred, NO_BID, 1), raised)
    return torch.where(lowest > tables.total[..., None], NO_BID, lowest).to(torch.int8)


def legal_mask(tables: Tables, lowest: Tensor | None = None) -> Tensor:
    """[..., action] bool: what the player to move may do."""
    lowest = lowest_bids(tables) if lowest is None else lowest
    quantities = torch.arange(1, QUANTITIES + 1, device=lowest.device, dtype=torch.int8)[:, None]
    bids = (quantities >= lowest[..., None, :]) & (quantities <= tables.total[..., None, None])
    liar = (tables.quantity > 0)[..., None]
    return torch.cat([bids.flatten(-2), liar, liar & (tables.exact_call > 0)[..., None]], -1)


def random_actions(tables: Tables) -> Tensor:
    """[...] int64: for each game one of its legal actions, all equally likely."""
    lowest = lowest_bids(tables).to(torch.int32)
    calls = (tables.quantity > 0).to(torch.int32) * (1 + tables.exact_call)
    ends = torch.cumsum((tables.total[..., None] + 1 - lowest).clamp(min=0), -1)
    choices = ends[..., -1] + calls
    drawn = (torch.rand(choices.shape, device=choices.device) * choices).to(torch.int32).clamp(max=choices - 1)
    face = (drawn[..., None] >= ends).sum(-1)
    place = face.clamp(max=FACES - 1)[..., None]
    before = torch.cat([torch.zeros_like(ends[..., :1]), ends[..., :-1]], -1)
    quantity = (drawn[..., None] - before + lowest).gather(-1, place).squeeze(-1)
    bid = (quantity - 1) * FACES + face
    return torch.where(face == FACES, LIAR + drawn - ends[..., -1], bid).long()


def next_seat(dice: Tensor, seat: Tensor) -> Tensor:
    """[N]: the next seat after `seat` that has dice."""
    ahead = torch.remainder(_seats(dice) - seat[:, None] - 1, SEATS)
    return torch.remainder(seat + 1 + torch.where(dice > 0, ahead, SEATS).amin(-1), SEATS)


def previous_seat(dice: Tensor, seat: Tensor) -> Tensor:
    """[N]: the last seat before `seat` that has dice."""
    behind = torch.remainder(seat[:, None] - 1 - _seats(dice), SEATS)
    return torch.remainder(seat - 1 - torch.where(dice > 0, behind, SEATS).amin(-1), SEATS)


def _seats(like: Tensor) -> Tensor:
    return torch.arange(SEATS, device=like.device, dtype=torch.int8)


ROLLS = FACES**MOST_DICE
"""How many ways five dice can fall; a roll is a number below this."""


_hand_tables: dict[str, Tensor] = {}


def _hand_table(device: torch.device) -> Tensor:
    """[dice, roll, face - 1] int8: the hand that the first `dice` dice of a roll make."""
    if str(device) not in _hand_tables:
        _hand_tables[str(device)] = _make_hand_table().to(device)
    return _hand_tables[str(device)]


def _make_hand_table() -> Tensor:
    roll = torch.arange(ROLLS)
    falls = torch.stack([roll // FACES**place % FACES for place in range(MOST_DICE)], -1)
    shown = torch.nn.functional.one_hot(falls, FACES)
    hands = [shown[:, :n].sum(1) for n in range(MOST_DICE + 1)]
    return torch.stack(hands).to(torch.int8)


def draw_rolls(n: int, device: torch.device | str, generator: torch.Generator | None = None) -> Tensor:
    """[n, seat]: the chance of one step, whoever will need it."""
    return torch.randint(ROLLS, (n, SEATS), device=device, generator=generator)


def hands_of(dice: Tensor, rolls: Tensor) -> Tensor:
    """[N, seat, face - 1]: the hands that these rolls give to seats with so many dice."""
    return _hand_table(dice.device)[dice.long(), rolls.long()]


def after_round(tables: Tables, loser: Tensor, right_exact: Tensor) -> Tables:
    """The games between two rounds: what a round that ends like this leaves, before the next is dealt (rules 6 and 7).

    `loser` ([N]) lost the round, the bidder if an exact call was right (`right_exact`, [N] bool): then the caller, who
    sits next to the bidder, gains a die.
    """
    spared = right_exact & (tables.exact_costs_bidder == 0)
    loses = (_seats(tables.dice) == loser[:, None]) & ~spared[:, None]
    gains = (_seats(tables.dice) == next_seat(tables.dice, loser)[:, None]) & right_exact[:, None]
    gains = gains & (tables.dice < tables.most_dice[:, None])
    dice = tables.dice - loses.to(torch.int8) + gains.to(torch.int8)
    had_one = torch.where(tables.dice == 1, 1, tables.had_one)
    still_in = dice.gather(1, loser[:, None].long()).squeeze(1) > 0
    opener = torch.where(still_in, loser, next_seat(dice, loser))
    palifico = is_palifico_round(tables, dice, had_one).to(torch.int8)
    return tables._replace(dice=dice, had_one=had_one, opener=opener, turn=opener, palifico=palifico)


def matches(tables: Tables) -> Tensor:
    """[N] int8: how many dice on the table count for the current bid (rule 4)."""
    faces = torch.arange(1, FACES + 1, device=tables.dice.device, dtype=torch.int8)
    wild, face = tables.round_wild[:, None], tables.face[:, None]
    counts = (faces == face) | ((faces == wild) & (face != wild))
    return (tables.hands.sum(1, dtype=torch.int8) * counts).sum(-1, dtype=torch.int8)


def step(rows: Tensor, actions: Tensor, rolls: Tensor, fresh: Tensor) -> tuple[Tensor, Outcome]:
    """Play one legal action in each game.

    Where it ends a round, the next is dealt from `rolls`; where it ends the game, the row of `fresh` takes its place.
    Actions are not checked: mask them with `legal_mask`.
    """
    old, new_game = unpack(rows), unpack(fresh)
    call = actions >= LIAR
    bid_quantity = (actions // FACES + 1).to(torch.int8)
    bid_face = (actions % FACES + 1).to(torch.int8)
    faces = torch.arange(1, FACES + 1, device=rows.device, dtype=torch.int8)

    # a bid: it is written down, and the next seat is to move
    acts = _seats(old.dice) == old.turn[:, None]
    named = acts[:, :, None] & (faces == bid_face[:, None])[:, None, :]
    last = torch.where(named, bid_quantity[:, None, None], old.last)
    first = torch.where(named & (old.first == 0), bid_quantity[:, None, None], old.first)
    opened_face = torch.where(old.quantity == 0, bid_face, old.opened_face)

    # a call: dice are counted (rules 4 and 5), and one is lost (rule 6)
    count = matches(old)
    exact = actions == EXACT
    right = torch.where(exact, count == old.quantity, count < old.quantity)
    bidder = previous_seat(old.dice, old.turn)
    winner = torch.where(right, old.turn, bidder)
    loser = torch.where(right, bidder, old.turn)
    later = after_round(old, loser, exact & right)
    over = call & (((later.dice > 0).sum(-1) == 1) | (old.elimination == 0))

    # what stands in the row: a new game, a new round, or the round with one more bid
    def pick(of_game: Tensor, of_round: Tensor | int, of_bid: Tensor) -> Tensor:
        shape = (-1,) + (1,) * (of_bid.dim() - 1)
        return torch.where(over.view(shape), of_game, torch.where(call.view(shape), of_round, of_bid))

    next_dice = pick(new_game.dice, later.dice, old.dice)
    opener_now = pick(new_game.opener, later.opener, old.opener)
    rules = {name: torch.where(over, getattr(new_game, name), getattr(old, name)) for name in Tables._fields[:9]}
    tables = Tables(
        **rules,
        opener=opener_now,
        turn=torch.where(call, opener_now, next_seat(old.dice, old.turn)),
        palifico=pick(new_game.palifico, later.palifico, old.palifico),
        opened_face=torch.where(call, 0, opened_face),
        quantity=torch.where(call, 0, bid_quantity),
        face=torch.where(call, 0, bid_face),
        dice=next_dice,
        had_one=pick(new_game.had_one, later.had_one, old.had_one),
        raises=torch.where(call[:, None], 0, old.raises + acts.to(torch.int8)),
        hands=torch.where(call[:, None, None], hands_of(next_dice, rolls), old.hands),
        first=torch.where(call[:, None, None], 0, first),
        last=torch.where(call[:, None, None], 0, last),
    )
    return pack(tables), Outcome(call, over, winner, loser)


class PerudoBatch:
    """`n` games side by side; a game that ends is followed by a new one at once, so there are no holes."""

    def __init__(
        self,
        n: int,
        mix: RuleMix | None = None,
        *,
        seed: int = 0,
        device: torch.device | str = "cpu",
        compiled: bool = False,
        pool: int = 1 << 16,
    ) -> None:
        """`compiled` fuses `step` with `torch.compile`; `pool` is how many starts are drawn ahead of time."""
        self.n = n
        self.mix = RuleMix() if mix is None else mix
        self.device = torch.device(device)
        self.generator = torch.Generator(self.device).manual_seed(seed)
        self.transition = torch.compile(step, dynamic=False) if compiled else step
        self._starts = new_games(pool, self.mix, self.generator, self.device)
        self.rows = self._deal(new_games(n, self.mix, self.generator, self.device))

    @property
    def tables(self) -> Tables:
        """The games by their parts."""
        return unpack(self.rows)

    def draw_starts(self) -> None:
        """Draw the starts that the next games are taken from anew."""
        self._starts.copy_(new_games(len(self._starts), self.mix, self.generator, self.device))

    def _deal(self, rows: Tensor) -> Tensor:
        tables = unpack(rows)
        return pack(tables._replace(hands=hands_of(tables.dice, self.rolls())))

    def rolls(self) -> Tensor:
        """The chance of the next step."""
        return draw_rolls(self.n, self.device, self.generator)

    def step(self, actions: Tensor) -> Outcome:
        """Play one legal action in each game."""
        self.rows, outcome = self.transition(self.rows, actions, self.rolls(), self._fresh())
        return outcome

    def restart(self, which: Tensor) -> None:
        """Break these games ([N] bool) off, and start others in their place."""
        self.rows = torch.where(which[:, None], self._deal(self._fresh()), self.rows)

    def _fresh(self) -> Tensor:
        chosen = torch.randint(len(self._starts), (self.n,), device=self.device, generator=self.generator)
        return self._starts[chosen]
