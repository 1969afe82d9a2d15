"""Batched games as PyTorch tensors, on a processor or a GPU: the rules of play (rules 2 to 7) without loops over games.

All functions are pure and have no branch on data, so that `torch.compile` turns a step into a few kernels. They read
and write the same numbers as `numba_games`, and roll the same dice. This module imports nothing but PyTorch, numpy
and `game_arrays`.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .game_arrays import (
    ALTERNATE,
    BEST_OF,
    DICE_CAP,
    ELIMINATION,
    EXACT_CALL,
    EXACT_IS_FREE,
    HIDDEN_DICE,
    HIGHEST,
    MAX_TURNS,
    MODE,
    NEXT_OPENER,
    PALIFICO_RULE,
    SEATS,
    TABLE_DICE,
    WILD_FACE,
    WINNER,
    WINS_NEEDED,
    BotArrays,
    GameArrays,
    RuleArrays,
    Step,
)

_STEP, _FIRST, _SECOND = -0x61C8864680B583EB, -0x40A7B892E31B1A47, -0x6B2FB644ECCEEE15
"""The constants of `numeric.random_streams`, as signed numbers."""
_LOW_HALF = (1 << 32) - 1


def on_device(rules: RuleArrays, device: torch.device | str) -> RuleArrays:
    """The rules as tensors."""
    return RuleArrays(*(torch.as_tensor(part, device=device) for part in rules))


# -- random numbers: those of `numeric.random_streams`, bit for bit ---------------------------------------------------


def _shifted(word: Tensor, bits: int) -> Tensor:
    """A logical shift to the right."""
    return (word >> bits) & ((1 << (64 - bits)) - 1)


def _scramble(word: Tensor) -> Tensor:
    word = (word ^ _shifted(word, 30)) * _FIRST
    word = (word ^ _shifted(word, 27)) * _SECOND
    return word ^ _shifted(word, 31)


def stream_keys(seed: Tensor, game: Tensor) -> Tensor:
    """[N]: the keys of the games' random streams."""
    key = _scramble(seed + _STEP)
    return _scramble(_scramble(key + game * _STEP) + 1)


def stream_words(key: Tensor, position: Tensor) -> Tensor:
    """The 64 bits at positions of streams."""
    return _scramble(key + position * _STEP)


def draw_below(key: Tensor, position: Tensor, n: Tensor | int) -> Tensor:
    """Whole numbers below n, by the words at positions of streams."""
    return (_shifted(stream_words(key, position), 32) * n) >> 32


# -- the course of a game ---------------------------------------------------------------------------------------------


def _seats(dice: Tensor) -> Tensor:
    return torch.arange(dice.shape[1], device=dice.device)


def _of(values: Tensor, seat: Tensor) -> Tensor:
    """[N]: each game's value for one of its seats."""
    return values.gather(1, seat[:, None]).squeeze(1)


def next_in_play(dice: Tensor, seat: Tensor) -> Tensor:
    """[N]: this seat, or the next one that has dice; after the last comes the first."""
    seats = dice.shape[1]
    ahead = torch.remainder(_seats(dice) - seat[:, None], seats)
    return torch.remainder(seat + torch.where(dice > 0, ahead, seats).amin(1), seats)


def _hands(rules: RuleArrays, key: Tensor, round_number: Tensor, counts: Tensor) -> Tensor:
    """[N, seat or shared, face - 1]: the dice of a round, in which each row has `counts` ([N, seat or shared])."""
    rows, chunks = counts.shape[1], rules.rolled_before.shape[0]
    at_once, rolls = rules.hand_of_roll.shape[0] - 1, rules.hand_of_roll.shape[1]
    row = torch.arange(rows, device=key.device)
    first = (round_number[:, None] * rows + row) * chunks
    hands: Tensor = rules.hand_of_roll[counts.clamp(max=at_once), draw_below(key[:, None], first, rolls)]
    for chunk in range(1, chunks):
        left = (counts - chunk * at_once).clamp(0, at_once)
        hands = hands + rules.hand_of_roll[left, draw_below(key[:, None], first + chunk, rolls)]
    return hands


def _dealt(rules: RuleArrays, games: GameArrays) -> GameArrays:
    """All games at the beginning of the round that their dice, opener and round number say."""
    dice, facts = games.dice, rules.facts[games.rules]
    first_single = ((dice == 1) & (games.had_one == 0)).any(1)
    palifico = ((facts[:, PALIFICO_RULE] > 0) & first_single & ((dice > 0).sum(1) > 2)).long()
    counts = torch.cat([dice.long(), facts[:, TABLE_DICE : HIDDEN_DICE + 1]], 1)
    nothing = torch.zeros_like(games.turn)
    return games._replace(
        palifico=palifico,
        kind=(2 * games.rules + palifico) * rules.totals + counts.sum(1),
        turn=games.opener,
        bidder=nothing - 1,
        rung=nothing - 1,
        turns=nothing,
        opened_face=nothing,
        bids=torch.zeros_like(games.bids),
        hands=_hands(rules, games.key, games.round, counts),
    )


def new_games(rules: RuleArrays, n: int, seed: Tensor) -> GameArrays:
    """The first n games of a seed; game i has the rule set i, counted round."""
    device = rules.facts.device
    game = torch.arange(n, device=device)
    rule = game % rules.facts.shape[0]
    none = torch.zeros(n, dtype=torch.int64, device=device)
    dice = rules.start_dice[rule]
    return _dealt(
        rules,
        GameArrays(
            rules=rule,
            game=game,
            key=stream_keys(seed, game),
            round=none,
            decisions=none,
            kind=none,
            palifico=none,
            opener=none,
            turn=none,
            bidder=none,
            rung=none,
            turns=none,
            opened_face=none,
            dice=dice,
            had_one=torch.zeros_like(dice),
            wins=torch.zeros_like(dice),
            hands=dice[:, :, None],
            bids=torch.zeros(n, rules.liar, dtype=torch.bool, device=device),
        ),
    )


def _after_bid(rules: RuleArrays, games: GameArrays, rung: Tensor) -> GameArrays:
    """All games after a bid on this rung."""
    rungs = torch.arange(rules.liar, device=rung.device)
    opened = rules.face[games.kind, rung].long()
    return games._replace(
        opened_face=torch.where(games.turns == 0, opened, games.opened_face),
        turns=games.turns + 1,
        rung=rung,
        bids=games.bids | (rungs == rung[:, None]),
        bidder=games.turn,
        turn=next_in_play(games.dice, games.turn + 1),
    )


def _count(rules: RuleArrays, games: GameArrays, face: Tensor) -> Tensor:
    """[N]: how many dice count for a bid on this face (rule 4)."""
    faces = torch.arange(1, rules.faces + 1, device=face.device)
    wild = torch.where(games.palifico > 0, 0, rules.facts[games.rules, WILD_FACE])
    counts = (faces == face[:, None]) | ((faces == wild[:, None]) & (face != wild)[:, None])
    shown: Tensor = games.hands.sum(1, dtype=torch.int64)
    return (shown * counts).sum(1)


def _after_call(rules: RuleArrays, games: GameArrays, exact: Tensor) -> tuple[GameArrays, Tensor, Tensor, Tensor]:
    """All games after a call, before the next deal; who won the round, who lost it, and which games are over."""
    facts, rung = rules.facts[games.rules], games.rung.clamp(min=0)
    quantity = rules.quantity[games.kind, rung]
    count = _count(rules, games, rules.face[games.kind, rung].long())
    right = torch.where(exact, count == quantity, count < quantity)
    bidder = games.bidder.clamp(min=0)
    winner, loser = torch.where(right, games.turn, bidder), torch.where(right, bidder, games.turn)
    seats = _seats(games.dice)
    won, lost = seats == winner[:, None], seats == loser[:, None]
    elimination = (facts[:, MODE] == ELIMINATION)[:, None]
    by_exact = (exact & right)[:, None]
    pays = lost & ~(by_exact & (facts[:, EXACT_IS_FREE] > 0)[:, None]) & elimination
    gains = won & by_exact & (games.dice < facts[:, DICE_CAP, None]) & elimination
    dice = games.dice - pays.to(torch.int16) + gains.to(torch.int16)
    wins = games.wins + (won & ~elimination).to(torch.int16)
    enough = _of(wins, winner) == facts[:, WINS_NEEDED]
    over = torch.where(elimination[:, 0], (dice > 0).sum(1) == 1, enough)
    opens = facts[:, NEXT_OPENER]
    following = next_in_play(dice, torch.where(opens == ALTERNATE, games.opener + 1, loser))
    after = games._replace(
        dice=dice,
        wins=wins,
        had_one=torch.where(games.dice == 1, 1, games.had_one),
        round=games.round + 1,
        opener=torch.where(opens == WINNER, winner, following),
    )
    return after, winner, loser, over


def _pick(which: Tensor, one: GameArrays, other: GameArrays) -> GameArrays:
    """The first batch's games where `which` says so, else the second's."""
    return GameArrays(
        *(torch.where(which.view(-1, *[1] * (a.dim() - 1)), a, b) for a, b in zip(one, other, strict=True))
    )


def _restarted(rules: RuleArrays, games: GameArrays, seed: Tensor) -> GameArrays:
    """The game that follows each game, not dealt yet."""
    game = games.game + games.game.shape[0]
    nothing = torch.zeros_like(games.turn)
    return games._replace(
        game=game,
        key=stream_keys(seed, game),
        round=nothing,
        decisions=nothing,
        opener=nothing,
        dice=rules.start_dice[games.rules],
        had_one=torch.zeros_like(games.had_one),
        wins=torch.zeros_like(games.wins),
    )


def play_actions(rules: RuleArrays, games: GameArrays, seed: Tensor, actions: Tensor) -> tuple[GameArrays, Step]:
    """The games after one legal action in each, and what happened; games that end are followed by new ones."""
    games = games._replace(decisions=games.decisions + 1)
    call = actions >= rules.liar
    settled, winner, loser, over = _after_call(rules, games, actions > rules.liar)
    over = over & call
    dealt = _dealt(rules, _pick(over, _restarted(rules, games, seed), settled))
    after = _pick(call, dealt, _after_bid(rules, games, actions.clamp(max=rules.liar - 1)))
    seats = _seats(games.dice)
    others = (rules.facts[games.rules, SEATS] - 1)[:, None]
    shares = torch.where(seats == winner[:, None], 1.0, -1.0 / others) * (seats <= others)
    step = Step(
        rewards=torch.where(over[:, None], shares, 0.0).float(),
        game_ended=over,
        round_ended=call,
        winner=torch.where(call, winner, -1),
        loser=torch.where(call, loser, -1),
    )
    return after, step


# -- what players see and may do ---------------------------------------------------------------------------------------


def limits(rules: RuleArrays, games: GameArrays) -> Tensor:
    """[N]: what limits the next bid."""
    own = _of(games.dice, games.turn)
    kept = torch.where((games.palifico > 0) & (own > 1), games.opened_face, 0)
    ends = games.turns >= rules.facts[games.rules, MAX_TURNS]
    return torch.where(games.turns == 0, rules.opening, torch.where(ends, rules.calls_only, kept))


def action_masks(rules: RuleArrays, games: GameArrays, actions: int) -> Tensor:
    """[N, action] bool: what the player to move may do, of the first `actions` actions."""
    rungs = torch.arange(rules.liar, device=games.rung.device)
    raises = rules.allowed[games.kind, limits(rules, games)] & (rungs > games.rung[:, None])
    liar = games.turns > 0
    calls = torch.stack([liar, liar & (rules.facts[games.rules, EXACT_CALL] > 0)], 1)
    return torch.cat([raises, calls], 1)[:, :actions]


def random_actions(rules: RuleArrays, games: GameArrays) -> Tensor:
    """[N] int64: a legal action for each game, all equally likely; it depends on the game and the decision."""
    limit = limits(rules, games)
    low = rules.before[games.kind, limit, games.rung + 1].long()
    raises = rules.before[games.kind, limit, rules.liar].long() - low
    calls = torch.where(games.turns > 0, 1 + rules.facts[games.rules, EXACT_CALL], 0)
    drawn = draw_below(games.key, -1 - games.decisions, raises + calls)
    raised = rules.nth[games.kind, limit, (low + drawn).clamp(max=rules.liar - 1)].long()
    return torch.where(drawn < raises, raised, rules.liar + drawn - raises)


def observe(rules: RuleArrays, games: GameArrays, players: Tensor, *, table: bool, which: bool) -> Tensor:
    """[N, part] float32: what a player of each game sees, as `envs.encoding` describes it.

    `table` and `which` say whether there is a part for open dice on the table, and one for the rule set.
    """
    facts, kind, has_bid = rules.facts[games.rules], games.kind, games.rung >= 0
    in_game = facts[:, SEATS, None]
    place = _seats(games.dice)
    order = torch.remainder(place + players[:, None], in_game)
    there = place < in_game
    cap = facts[:, DICE_CAP, None]
    rung = games.rung.clamp(min=0)
    faces = torch.arange(1, rules.faces + 1, device=place.device)
    hand = games.hands.gather(1, players[:, None, None].expand(-1, 1, rules.faces)).squeeze(1)
    best_of = facts[:, MODE, None] == BEST_OF
    wild = torch.where(games.palifico > 0, 0, facts[:, WILD_FACE])
    parts = [
        hand / cap,
        games.dice.gather(1, order) * there / cap,
        games.wins.gather(1, order) * (there & best_of) / facts[:, WINS_NEEDED, None],
        ~has_bid[:, None],
        (has_bid * rules.quantity[kind, rung] / facts[:, HIGHEST])[:, None],
        has_bid[:, None] & (rules.face[kind, rung][:, None] == faces),
        ((games.rung + 1) / rules.ladder_size[kind])[:, None],
        games.bids,
        has_bid[:, None] & (order == games.bidder[:, None]) & there,
        games.palifico[:, None],
        wild[:, None] == faces,
    ]
    if table:
        parts.append(games.hands[:, games.dice.shape[1]] / facts[:, TABLE_DICE, None].clamp(min=1))
    if which:
        parts.append(torch.nn.functional.one_hot(games.rules, rules.facts.shape[0]))
    return torch.cat([part.float() for part in parts], 1)


def bot_actions(rules: RuleArrays, games: GameArrays, bot: BotArrays) -> tuple[Tensor, Tensor, Tensor]:
    """[N] each: a bot's action in place of the player to move, the place in its tables, and the cell there."""
    own = _of(games.dice, games.turn).long()
    other = games.dice.sum(1, dtype=torch.int64) - own
    limit = limits(rules, games)
    situation = torch.where(limit == rules.opening, 0, limit) + (rules.faces + 2) * games.palifico
    hand = games.hands.gather(1, games.turn[:, None, None].expand(-1, 1, rules.faces)).squeeze(1)
    most_own, most_other = bot.start.shape[1] - 1, bot.start.shape[2] - 1
    table = bot.start[0, own.clamp(max=most_own), other.clamp(max=most_other), situation]
    code = (hand * bot.power).sum(1).clamp(max=bot.hand_number.shape[0] - 1)
    size = rules.ladder_size[games.kind]
    place = (table + bot.hand_number[code] * (size + 1) + games.rung + 1).clamp(0, bot.cells.shape[0] - 1)
    cell = bot.cells[place].long()
    mix = torch.where(cell < 0, -1 - cell, 0).clamp(max=bot.mix_range.shape[0] - 1)
    word = stream_words(games.key, -1 - games.decisions)
    spot = _shifted(word, 11).double() * 2.0**-53 * bot.mix_range[mix, 1]
    entry = bot.mixes[bot.mix_range[mix, 0] + spot.long()]
    mixed = torch.where(spot - spot.floor() < entry[:, 1], entry[:, 0], entry[:, 2])
    action = torch.where(cell < 0, mixed.long(), cell)
    return torch.where(action < size, action, rules.liar + action - size), place, cell


class TorchGames:
    """N games as tensors on one device; a step makes new tensors."""

    def __init__(
        self, rules: RuleArrays, n: int, seed: int, parts: dict[str, slice], device: torch.device | str, compiled: bool
    ) -> None:
        self.rules = on_device(rules, device)
        self._table, self._which = "table" in parts, "rules" in parts
        self._step = torch.compile(play_actions, dynamic=False) if compiled else play_actions
        self._random = torch.compile(random_actions, dynamic=False) if compiled else random_actions
        self._observe = torch.compile(observe, dynamic=False) if compiled else observe
        self._bot = torch.compile(bot_actions, dynamic=False) if compiled else bot_actions
        self._n = n
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin the first games of a seed."""
        self.seed = torch.tensor(seed, device=self.rules.facts.device)
        self.state = new_games(self.rules, self._n, self.seed)

    def as_numbers(self, numbers: object) -> Tensor:
        """Numbers of any library as this backend's tensor, without a copy where that library allows it."""
        if isinstance(numbers, np.ndarray):
            tensor = torch.as_tensor(numbers.copy())  # one that PyTorch may keep, in an order that it can read
        elif hasattr(numbers, "__dlpack__"):
            tensor = torch.utils.dlpack.from_dlpack(numbers)
        else:
            tensor = torch.as_tensor(numbers)
        if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
            raise TypeError(f"{tensor.dtype} are not whole numbers")
        return tensor.to(self.rules.facts.device, torch.int64)

    def first_illegal(self, actions: Tensor) -> int:
        """The first game whose action is not legal; -1 if there is none. This waits for the device."""
        known = (actions >= 0) & (actions <= self.rules.liar + 1)
        masks = action_masks(self.rules, self.state, self.rules.liar + 2)
        legal = known & _of(masks, actions.clamp(0, self.rules.liar + 1))
        return -1 if bool(legal.all()) else int(legal.int().argmin())

    def step(self, actions: Tensor) -> Step:
        """Play one legal action in each game."""
        self.state, step = self._step(self.rules, self.state, self.seed, actions)
        return step

    def random_actions(self) -> Tensor:
        """A legal action for each game."""
        actions: Tensor = self._random(self.rules, self.state)
        return actions

    def as_bot(self, bot: BotArrays) -> BotArrays:
        """A bot's tables as tensors."""
        return BotArrays(*(torch.as_tensor(part, device=self.rules.facts.device) for part in bot))

    def bot_actions(
        self, rule: int, bot: BotArrays, unknown: int, actions: Tensor | None
    ) -> tuple[Tensor, NDArray[np.int64]]:
        """These actions, with the bot's in all games of a rule set; and the places of cells that it lacks."""
        chosen, place, cell = self._bot(self.rules, self.state, bot)
        here = self.state.rules == rule
        lacking = place[here & (cell == unknown)].cpu().numpy()
        return chosen if actions is None else torch.where(here, chosen, actions), lacking

    def action_masks(self, actions: int) -> Tensor:
        """[N, action]: what the player to move may do."""
        return action_masks(self.rules, self.state, actions)

    def observations(self, players: Tensor | None = None) -> Tensor:
        """[N, part]: what the player to move, or another, sees."""
        who = self.state.turn if players is None else players
        seen: Tensor = self._observe(self.rules, self.state, who, table=self._table, which=self._which)
        return seen
