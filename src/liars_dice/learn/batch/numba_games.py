"""Batched games on a processor: the rules of play (rules 2 to 7) as compiled loops over numpy arrays, in place.

`core.transition` has the rules; this is a fast copy, as `torch_games` is. Tests replay the games of both through the
engine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...core import BadValueError
from ...numeric import DICE, Int, Ints, Truths, compiled, fraction, in_threads, inlined, stream, word
from .game_arrays import ALTERNATE, BEST_OF, ELIMINATION, WINNER, BotArrays, GameArrays, RuleArrays, Step

Observations = NDArray[np.float32]
_HALF = np.uint64(32)
SMALL = 4096
"""Fewer games than this are not worth a thread."""
PARTS = (
    "hand", "dice", "score", "no_bid", "quantity", "face", "rung", "bids", "last_bidder", "palifico", "wild", "table",
    "rules",
)  # fmt: skip
"""The parts of an observation, in the order in which `observe` takes their places."""


def new_games(rules: RuleArrays, n: int) -> GameArrays:
    """Arrays for n games; game i has the rule set i, counted round."""
    seats, longest = rules.start_dice.shape[1], rules.liar
    one = {name: np.zeros(n, dtype=np.int64) for name in GameArrays._fields[:13]}
    one["rules"] = np.arange(n) % len(rules.seats)
    one["palifico"] = np.zeros(n, dtype=np.bool_)
    return GameArrays(
        **one,
        dice=np.zeros((n, seats), dtype=np.int8),
        had_one=np.zeros((n, seats), dtype=np.bool_),
        wins=np.zeros((n, seats), dtype=np.int16),
        hands=np.zeros((n, seats + 2, rules.faces), dtype=np.int8),
        bids=np.zeros((n, longest), dtype=np.bool_),
    )


@inlined
def next_in_play(games: GameArrays, i: Int, seat: Int) -> Int:
    """This seat, or the next one that has dice; after the last comes the first."""
    seats = games.dice.shape[1]
    seat = seat if seat < seats else 0
    while games.dice[i, seat] == 0:
        seat = seat + 1 if seat + 1 < seats else 0
    return seat


@inlined
def draw_below(key: Int, position: Int, n: Int) -> np.int64:
    """A whole number below n, by the word at a position of a stream.

    Some numbers are likelier than others by less than n in 2**32; `numeric.below` has exact chances, but takes a
    varying number of words.
    """
    return np.int64(((word(np.uint64(key), position) >> _HALF) * np.uint64(n)) >> _HALF)


@compiled
def start_game(rules: RuleArrays, games: GameArrays, seed: np.uint64, i: Int) -> None:
    """Set up a game by its number, and deal its first round."""
    rule = games.rules[i]
    games.key[i] = np.int64(stream(seed, games.game[i], DICE))
    games.round[i] = 0
    games.decisions[i] = 0
    games.opener[i] = 0
    for seat in range(games.dice.shape[1]):
        games.dice[i, seat] = rules.start_dice[rule, seat]
        games.had_one[i, seat] = False
        games.wins[i, seat] = 0
    start_round(rules, games, i)


@compiled
def start_round(rules: RuleArrays, games: GameArrays, i: Int) -> None:
    """Roll the dice and put the opener to move."""
    rule = games.rules[i]
    palifico = rules.palifico[rule] and _begins_palifico(games, i)
    total = np.int64(rules.shared_dice[rule, 0]) + rules.shared_dice[rule, 1]
    for seat in range(games.dice.shape[1]):
        total += games.dice[i, seat]
    totals = rules.ladder_size.shape[0] // (2 * rules.seats.shape[0])
    games.palifico[i] = palifico
    games.kind[i] = (2 * rule + int(palifico)) * totals + total
    games.turn[i] = games.opener[i]
    games.bidder[i] = -1
    games.rung[i] = -1
    games.turns[i] = 0
    games.opened_face[i] = 0
    games.bids[i, :] = False
    _deal(rules, games, i)


@inlined
def _begins_palifico(games: GameArrays, i: Int) -> bool:
    """Whether some seat begins its first round with one die, and more than two are in play (rule 7.1)."""
    first, in_play = False, 0
    for seat in range(games.dice.shape[1]):
        first |= games.dice[i, seat] == 1 and not games.had_one[i, seat]
        in_play += games.dice[i, seat] > 0
    return first and in_play > 2


@compiled
def _deal(rules: RuleArrays, games: GameArrays, i: Int) -> None:
    seats, rows = games.dice.shape[1], games.hands.shape[1]
    at_once, faces = rules.hand_of_roll.shape[0] - 1, rules.hand_of_roll.shape[2]
    n_rolls = rules.hand_of_roll.shape[1]
    chunks = rules.rolled_before.size
    first = games.round[i] * rows
    for row in range(rows):
        left = np.int64(games.dice[i, row] if row < seats else rules.shared_dice[games.rules[i], row - seats])
        games.hands[i, row, :] = 0
        for chunk in range(chunks):
            if left > 0:
                roll = draw_below(games.key[i], (first + row) * chunks + chunk, n_rolls)
                dice = min(left, at_once)
                for face in range(faces):
                    games.hands[i, row, face] += rules.hand_of_roll[dice, roll, face]
                left -= dice


@inlined
def limit_of(rules: RuleArrays, games: GameArrays, i: Int) -> Int:
    """What limits the next bid."""
    faces = rules.hand_of_roll.shape[2]
    if games.turns[i] == 0:
        return faces + 2
    if games.turns[i] >= rules.max_turns[games.rules[i]]:
        return faces + 1
    return games.opened_face[i] if games.palifico[i] and games.dice[i, games.turn[i]] > 1 else 0


@inlined
def is_legal(rules: RuleArrays, games: GameArrays, i: Int, action: Int) -> bool:
    """Whether the player to move may do this."""
    liar = rules.face.shape[1]
    if action >= liar:
        return games.turns[i] > 0 and (action == liar or (action == liar + 1 and rules.exact_call[games.rules[i]]))
    return action > games.rung[i] and rules.allowed[games.kind[i], limit_of(rules, games, i), action]


@compiled
def first_illegal(rules: RuleArrays, games: GameArrays, actions: Ints) -> int:
    """The first game whose action is not legal; -1 if there is none."""
    for i in range(actions.size):
        if not is_legal(rules, games, i, actions[i]):
            return i
    return -1


@inlined
def place_bid(rules: RuleArrays, games: GameArrays, i: Int, rung: Int) -> None:
    """Write a bid down; the next seat is to move."""
    if games.turns[i] == 0:
        games.opened_face[i] = rules.face[games.kind[i], rung]
    games.turns[i] += 1
    games.rung[i] = rung
    games.bids[i, rung] = True
    games.bidder[i] = games.turn[i]
    games.turn[i] = next_in_play(games, i, games.turn[i] + 1)


@compiled
def settle_call(rules: RuleArrays, games: GameArrays, i: Int, exact: bool) -> tuple[Int, Int, bool]:
    """Count the dice, and move dice or count the win (rules 4 to 6). Returns the winner, the loser, and whether the
    game is over. The round that has ended stays in sight until the next is dealt.
    """
    rule, kind, rung = games.rules[i], games.kind[i], games.rung[i]
    seats = games.dice.shape[1]
    face, wild = np.int64(rules.face[kind, rung]), 0 if games.palifico[i] else rules.wild_face[rule]
    count = 0
    for row in range(games.hands.shape[1]):
        count += games.hands[i, row, face - 1]
        if wild not in (0, face):
            count += games.hands[i, row, wild - 1]
    right = count == rules.quantity[kind, rung] if exact else count < rules.quantity[kind, rung]
    caller, bidder = games.turn[i], games.bidder[i]
    winner, loser = (caller, bidder) if right else (bidder, caller)
    for seat in range(seats):
        games.had_one[i, seat] |= games.dice[i, seat] == 1
    if rules.mode[rule] == ELIMINATION:
        by_exact = exact and right
        if not (by_exact and rules.exact_is_free[rule]):
            games.dice[i, loser] -= 1
        if by_exact and games.dice[i, winner] < rules.dice_cap[rule]:
            games.dice[i, winner] += 1
        in_play = 0
        for seat in range(seats):
            in_play += games.dice[i, seat] > 0
        over = in_play == 1
    else:
        games.wins[i, winner] += 1
        over = games.wins[i, winner] == rules.wins_needed[rule]
    games.round[i] += 1
    opens = rules.next_opener[rule]
    if opens == WINNER:
        games.opener[i] = winner
    else:
        games.opener[i] = next_in_play(games, i, games.opener[i] + 1 if opens == ALTERNATE else loser)
    return winner, loser, over


@compiled
def play_actions(
    rules: RuleArrays,
    games: GameArrays,
    seed: np.uint64,
    start: int,
    stop: int,
    actions: Ints,
    rewards: Observations,
    game_ended: Truths,
    round_ended: Truths,
    winners: Ints,
    losers: Ints,
) -> None:
    """Play one legal action in each game from `start` to before `stop`; games that end are followed by new ones."""
    n, seats = games.dice.shape
    liar = rules.face.shape[1]
    for i in range(start, stop):
        rewards[i, :] = 0.0
        winners[i] = losers[i] = -1
        round_ended[i] = actions[i] >= liar
        game_ended[i] = False
        games.decisions[i] += 1
        if not round_ended[i]:
            place_bid(rules, games, i, actions[i])
            continue
        winner, loser, over = settle_call(rules, games, i, actions[i] > liar)
        winners[i], losers[i], game_ended[i] = winner, loser, over
        if over:
            others = rules.seats[games.rules[i]] - 1
            for seat in range(others + 1):
                rewards[i, seat] = 1.0 if seat == winner else -1.0 / others
            games.game[i] += n
            start_game(rules, games, seed, i)
        else:
            start_round(rules, games, i)


@compiled
def random_actions(rules: RuleArrays, games: GameArrays, start: int, stop: int, actions: Ints) -> None:
    """Choose a legal action for each game, all equally likely; the choice depends on the game and the decision."""
    liar = rules.face.shape[1]
    for i in range(start, stop):
        kind, limit = games.kind[i], limit_of(rules, games, i)
        low = np.int64(rules.before[kind, limit, games.rung[i] + 1])
        raises = rules.before[kind, limit, liar] - low
        calls = 1 + int(rules.exact_call[games.rules[i]]) if games.turns[i] > 0 else 0
        drawn = draw_below(games.key[i], -1 - games.decisions[i], raises + calls)
        actions[i] = rules.nth[kind, limit, low + drawn] if drawn < raises else liar + drawn - raises


@compiled
def action_masks(rules: RuleArrays, games: GameArrays, start: int, stop: int, masks: Truths) -> None:
    """Say for each action whether it is legal."""
    liar = rules.face.shape[1]
    for i in range(start, stop):
        kind, limit = games.kind[i], limit_of(rules, games, i)
        low = games.rung[i] + 1
        masks[i, :low] = False
        masks[i, low:liar] = rules.allowed[kind, limit, low:]
        for action in range(liar, masks.shape[1]):
            masks[i, action] = is_legal(rules, games, i, action)


@compiled
def observe(
    rules: RuleArrays, games: GameArrays, start: int, stop: int, players: Ints, starts: Ints, seen: Observations
) -> None:
    """Write what a player of each game sees, as `envs.encoding` describes it; `starts` are the places of the parts."""
    seats, faces, longest = games.dice.shape[1], rules.hand_of_roll.shape[2], rules.face.shape[1]
    hand, dice, score, no_bid, quantity, face, rung, bids, last_bidder, palifico, wild, table, which = starts
    for i in range(start, stop):
        rule, kind, me, current = games.rules[i], games.kind[i], players[i], games.rung[i]
        in_game = rules.seats[rule]
        cap = np.float32(rules.dice_cap[rule])
        row = seen[i]
        row[:] = 0
        for f in range(faces):
            row[hand + f] = games.hands[i, me, f] / cap
        for seat in range(in_game):
            place = (seat - me) % in_game
            row[dice + place] = games.dice[i, seat] / cap
            if rules.mode[rule] == BEST_OF:
                row[score + place] = games.wins[i, seat] / np.float32(rules.wins_needed[rule])
        if current < 0:
            row[no_bid] = 1
        else:
            row[quantity] = rules.quantity[kind, current] / np.float32(rules.highest[rule])
            row[face + rules.face[kind, current] - 1] = 1
            row[rung] = (current + 1) / np.float32(rules.ladder_size[kind])
            row[last_bidder + (games.bidder[i] - me) % in_game] = 1
            for b in range(longest):
                row[bids + b] = games.bids[i, b]
        row[palifico] = games.palifico[i]
        if rules.wild_face[rule] > 0 and not games.palifico[i]:
            row[wild + rules.wild_face[rule] - 1] = 1
        if table >= 0 and rules.shared_dice[rule, 0] > 0:
            for f in range(faces):
                row[table + f] = games.hands[i, seats, f] / np.float32(rules.shared_dice[rule, 0])
        if which >= 0:
            row[which + rule] = 1


@compiled
def bot_actions(
    rules: RuleArrays,
    games: GameArrays,
    rule: int,
    bot: BotArrays,
    unknown: int,
    start: int,
    stop: int,
    actions: Ints,
    places: Ints,
) -> None:
    """Choose a bot's action in each game of a rule set; where its cell is unknown, `places` says which, else -1."""
    liar = rules.face.shape[1]
    for i in range(start, stop):
        places[i] = -1
        if games.rules[i] != rule:
            continue
        place = bot_place(rules, games, bot, i)
        cell = np.int64(bot.cells[place])
        if cell == unknown:
            places[i] = place
        else:
            actions[i] = bot_action(rules, games, bot, i, cell, liar)


@inlined
def bot_place(rules: RuleArrays, games: GameArrays, bot: BotArrays, i: Int) -> np.int64:
    """Where the bot's tables say what the player to move does."""
    faces, seat, kind = rules.hand_of_roll.shape[2], games.turn[i], games.kind[i]
    own, total, code = np.int64(games.dice[i, seat]), 0, 0
    for other in range(games.dice.shape[1]):
        total += games.dice[i, other]
    for face in range(faces):
        code += games.hands[i, seat, face] * bot.power[face]
    limit = limit_of(rules, games, i)
    situation = (0 if limit == faces + 2 else limit) + (faces + 2) * int(games.palifico[i])
    table: np.int64 = bot.start[own, total - own, situation]
    return table + bot.hand_number[code] * (rules.ladder_size[kind] + 1) + games.rung[i] + 1


@inlined
def bot_action(rules: RuleArrays, games: GameArrays, bot: BotArrays, i: Int, cell: np.int64, liar: int) -> np.int64:
    """The action that a cell stands for; calls come after the round's own ladder there, and after the longest here."""
    if cell < 0:
        mix = -1 - cell
        spot = fraction(np.uint64(games.key[i]), -1 - games.decisions[i]) * bot.mix_size[mix]
        entry = bot.mix_start[mix] + int(spot)
        cell = np.int64(bot.mix_action[entry] if spot - int(spot) < bot.mix_keep[entry] else bot.mix_alias[entry])
    size = rules.ladder_size[games.kind[i]]
    return cell if cell < size else liar + cell - size


class NumbaGames:
    """N games on a processor, as numpy arrays that steps change in place."""

    def __init__(self, rules: RuleArrays, n: int, seed: int, parts: dict[str, slice], workers: int) -> None:
        self.rules = rules
        self.state = new_games(rules, n)
        self._parts = np.array([parts[name].start if name in parts else -1 for name in PARTS])
        self._size = max(part.stop for part in parts.values())
        self._workers = max(1, min(workers, n // SMALL))
        self._ranges = [(n * part // self._workers, n * (part + 1) // self._workers) for part in range(self._workers)]
        self._stop = np.zeros(1, dtype=np.int64)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin the first games of a seed."""
        self._seed = np.uint64(seed)
        self.state.game[:] = np.arange(len(self.state.game))
        _start_games(self.rules, self.state, self._seed)

    def as_actions(self, actions: object) -> Ints:
        """These actions as this backend's array, without a copy if they are 64-bit numbers already."""
        array = np.from_dlpack(actions) if hasattr(actions, "__dlpack__") else np.asarray(actions)
        if array.dtype.kind not in "iu":
            raise BadValueError("actions", str(array.dtype), "whole numbers")
        return np.ascontiguousarray(array, dtype=np.int64)

    def first_illegal(self, actions: Ints) -> int:
        """The first game whose action is not legal; -1 if there is none."""
        return first_illegal(self.rules, self.state, actions)

    def step(self, actions: Ints) -> Step:
        """Play one legal action in each game."""
        n, seats = self.state.dice.shape
        step = Step(
            np.empty((n, seats), dtype=np.float32),
            np.empty(n, dtype=np.bool_),
            np.empty(n, dtype=np.bool_),
            np.empty(n, dtype=np.int64),
            np.empty(n, dtype=np.int64),
        )
        self._run(lambda a, b: play_actions(self.rules, self.state, self._seed, a, b, actions, *step))
        return step

    def random_actions(self) -> Ints:
        """A legal action for each game."""
        actions = np.empty(len(self.state.turn), dtype=np.int64)
        self._run(lambda a, b: random_actions(self.rules, self.state, a, b, actions))
        return actions

    def as_bot(self, bot: BotArrays) -> BotArrays:
        """A bot's tables as this backend's arrays."""
        return bot

    def bot_actions(self, rule: int, bot: BotArrays, unknown: int, actions: Ints | None) -> tuple[Ints, Ints]:
        """These actions, with the bot's in all games of a rule set; and the places of cells that it lacks."""
        actions = np.zeros(len(self.state.turn), dtype=np.int64) if actions is None else actions
        places = np.empty_like(actions)
        self._run(lambda a, b: bot_actions(self.rules, self.state, rule, bot, unknown, a, b, actions, places))
        return actions, places[places >= 0]

    def action_masks(self, actions: int) -> Truths:
        """[N, action]: what the player to move may do."""
        masks = np.empty((len(self.state.turn), actions), dtype=np.bool_)
        self._run(lambda a, b: action_masks(self.rules, self.state, a, b, masks))
        return masks

    def observations(self, players: object = None) -> Observations:
        """[N, part]: what the player to move, or another, sees."""
        who = self.state.turn if players is None else self.as_actions(players)
        seen = np.empty((len(who), self._size), dtype=np.float32)
        self._run(lambda a, b: observe(self.rules, self.state, a, b, who, self._parts, seen))
        return seen

    def _run(self, work: Callable[[int, int], None]) -> None:
        """Do the work for all games, in threads if there are many."""
        if self._workers == 1:
            work(*self._ranges[0])
        else:
            in_threads(self._workers, lambda part: work(*part), self._ranges, self._stop)


@compiled
def _start_games(rules: RuleArrays, games: GameArrays, seed: np.uint64) -> None:
    for i in range(games.game.size):
        start_game(rules, games, seed, i)
