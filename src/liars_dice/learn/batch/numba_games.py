"""Batched games on a processor: the rules of play (rules 2 to 7) as compiled loops over numpy arrays, in place.

`core.transition` has the rules; this is a fast copy, as `torch_games` is. Tests replay the games of both through the
engine. Small functions take the few arrays they need, not `RuleArrays` as a whole: a call with that many arrays costs
more than a step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...numeric import DICE as DICE_STREAM
from ...numeric import Floats, Int, Ints, Truths, compiled, fraction, in_threads, stream, word
from .game_arrays import (
    ALTERNATE,
    BEST_OF,
    DICE_CAP,
    ELIMINATION,
    EXACT_CALL,
    EXACT_IS_FREE,
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

Observations = NDArray[np.float32]
Counts = NDArray[np.int8]
Shorts = NDArray[np.int16]
_HALF = np.uint64(32)
SMALL = 4096
"""Fewer games than this are not worth a thread."""
PARTS = (
    "hand", "dice", "score", "no_bid", "quantity", "face", "rung", "bids", "last_bidder", "palifico", "wild", "table",
    "rules",
)  # fmt: skip
"""The parts of an observation, in the order in which `observe` takes their places."""

RULES, GAME, KEY, ROUND, DECISIONS, KIND, PALIFICO, OPENER, TURN, BIDDER, RUNG, TURNS, OPENED_FACE = range(13)
"""The rows of `Games.numbers`: the first fields of `GameArrays`."""
DICE, HAD_ONE, WINS = range(3)
"""The layers of `Games.seats`: the next three."""


class Games(NamedTuple):
    """N games in four arrays; `GameArrays` names their parts."""

    numbers: Ints
    """[number, N]."""
    seats: Shorts
    """[layer, N, seat]."""
    hands: Counts
    """[N, seat or shared, face - 1]."""
    bids: Truths
    """[N, rung]."""

    def parts(self) -> GameArrays:
        """The named parts, as views."""
        return GameArrays._make([*self.numbers, *self.seats, self.hands, self.bids])


def new_games(rules: RuleArrays, n: int) -> Games:
    """Arrays for n games; game i has the rule set i, counted round."""
    seats = rules.start_dice.shape[1]
    games = Games(
        np.zeros((13, n), dtype=np.int64),
        np.zeros((3, n, seats), dtype=np.int16),
        np.zeros((n, seats + 2, rules.faces), dtype=np.int8),
        np.zeros((n, rules.liar), dtype=np.bool_),
    )
    games.numbers[RULES] = np.arange(n) % len(rules.facts)
    return games


@compiled
def next_in_play(seats: Shorts, i: Int, seat: Int) -> Int:
    """This seat, or the next one that has dice; after the last comes the first."""
    n = seats.shape[2]
    seat = seat if seat < n else 0
    while seats[DICE, i, seat] == 0:
        seat = seat + 1 if seat + 1 < n else 0
    return seat


@compiled
def count_in_play(seats: Shorts, i: Int) -> int:
    """How many players have dice."""
    in_play = 0
    for seat in range(seats.shape[2]):
        in_play += seats[DICE, i, seat] > 0
    return in_play


@compiled
def draw_below(key: Int, position: Int, n: Int) -> np.int64:
    """A whole number below n, by the word at a position of a stream.

    Some numbers are likelier than others by less than n in 2**32; `numeric.below` has exact chances, but takes a
    varying number of words.
    """
    return np.int64(((word(np.uint64(key), int(position)) >> _HALF) * np.uint64(n)) >> _HALF)


@compiled
def start_game(start_dice: Shorts, numbers: Ints, seats: Shorts, seed: np.uint64, i: Int) -> None:
    """Set up a game by its number; its first round is not dealt yet."""
    numbers[KEY, i] = np.int64(stream(seed, numbers[GAME, i], DICE_STREAM))
    numbers[ROUND, i] = 0
    numbers[DECISIONS, i] = 0
    numbers[OPENER, i] = 0
    for seat in range(seats.shape[2]):
        seats[DICE, i, seat] = start_dice[numbers[RULES, i], seat]
        seats[HAD_ONE, i, seat] = 0
        seats[WINS, i, seat] = 0


@compiled
def count_totals(rules: RuleArrays) -> int:
    """`RuleArrays.totals`, which compiled code cannot call."""
    return int(rules.ladder_size.size // (2 * rules.facts.shape[0]))


@compiled
def start_round(facts: Ints, totals: int, numbers: Ints, seats: Shorts, bids: Truths, i: Int) -> None:
    """Put the opener to move, before the first bid."""
    rule = numbers[RULES, i]
    total = facts[rule, TABLE_DICE] + facts[rule, TABLE_DICE + 1]
    first_single = False  # whether some seat begins its first round with one die (rule 7.1)
    for seat in range(seats.shape[2]):
        total += seats[DICE, i, seat]
        first_single |= seats[DICE, i, seat] == 1 and seats[HAD_ONE, i, seat] == 0
    palifico = int(facts[rule, PALIFICO_RULE] > 0 and first_single and count_in_play(seats, i) > 2)
    numbers[PALIFICO, i] = palifico
    numbers[KIND, i] = (2 * rule + palifico) * totals + total
    numbers[TURN, i] = numbers[OPENER, i]
    numbers[BIDDER, i] = -1
    numbers[RUNG, i] = -1
    numbers[TURNS, i] = 0
    numbers[OPENED_FACE, i] = 0
    for rung in range(bids.shape[1]):
        bids[i, rung] = False


@compiled
def deal(facts: Ints, hand_of_roll: Counts, chunks: int, numbers: Ints, seats: Shorts, hands: Counts, i: Int) -> None:
    """Roll all dice of the round."""
    n_seats, rows = seats.shape[2], hands.shape[1]
    at_once, n_rolls, faces = hand_of_roll.shape[0] - 1, hand_of_roll.shape[1], hand_of_roll.shape[2]
    key, rule = numbers[KEY, i], numbers[RULES, i]
    first = numbers[ROUND, i] * rows
    for row in range(rows):
        left = np.int64(seats[DICE, i, row]) if row < n_seats else facts[rule, TABLE_DICE + row - n_seats]
        for face in range(faces):
            hands[i, row, face] = 0
        for chunk in range(chunks):
            if left > 0:
                roll = draw_below(key, (first + row) * chunks + chunk, n_rolls)
                dice = min(left, at_once)
                for face in range(faces):
                    hands[i, row, face] += hand_of_roll[dice, roll, face]
                left -= dice


@compiled
def limit_of(facts: Ints, faces: int, numbers: Ints, seats: Shorts, i: Int) -> Int:
    """What limits the next bid."""
    if numbers[TURNS, i] == 0:
        return faces + 2
    if numbers[TURNS, i] >= facts[numbers[RULES, i], MAX_TURNS]:
        return faces + 1
    if numbers[PALIFICO, i] > 0 and seats[DICE, i, numbers[TURN, i]] > 1:
        return np.int64(numbers[OPENED_FACE, i])
    return 0


@compiled
def first_illegal(rules: RuleArrays, games: Games, actions: Ints) -> int:
    """The first game whose action is not legal; -1 if there is none."""
    facts, allowed = rules.facts, rules.allowed
    numbers, seats = games.numbers, games.seats
    faces, liar = rules.hand_of_roll.shape[2], allowed.shape[2]
    for i in range(actions.size):
        action = actions[i]
        if action >= liar:
            exact = action == liar + 1 and facts[numbers[RULES, i], EXACT_CALL] > 0
            legal = numbers[TURNS, i] > 0 and (action == liar or exact)
        else:
            limit = limit_of(facts, faces, numbers, seats, i)
            legal = action > numbers[RUNG, i] and allowed[numbers[KIND, i], limit, action]
        if not legal:
            return i
    return -1


@compiled
def place_bid(face: Counts, numbers: Ints, seats: Shorts, bids: Truths, i: Int, rung: Int) -> None:
    """Write a bid down; the next seat is to move."""
    if numbers[TURNS, i] == 0:
        numbers[OPENED_FACE, i] = face[numbers[KIND, i], rung]
    numbers[TURNS, i] += 1
    numbers[RUNG, i] = rung
    bids[i, rung] = True
    numbers[BIDDER, i] = numbers[TURN, i]
    numbers[TURN, i] = next_in_play(seats, i, numbers[TURN, i] + 1)


@compiled
def caller_is_right(
    facts: Ints, quantity: Shorts, face: Counts, numbers: Ints, hands: Counts, i: Int, exact: bool
) -> bool:
    """Count the dice (rules 4 and 5)."""
    kind, rung = numbers[KIND, i], numbers[RUNG, i]
    bid_face = np.int64(face[kind, rung])
    wild = 0 if numbers[PALIFICO, i] > 0 else facts[numbers[RULES, i], WILD_FACE]
    count = 0
    for row in range(hands.shape[1]):
        count += hands[i, row, bid_face - 1]
        if wild > 0 and wild != bid_face:
            count += hands[i, row, wild - 1]
    asked = np.int64(quantity[kind, rung])
    return bool(count == asked if exact else count < asked)


@compiled
def end_round(facts: Ints, numbers: Ints, seats: Shorts, i: Int, winner: Int, loser: Int, by_exact: bool) -> bool:
    """Move dice or count the win, and choose the next opener (rule 6). Returns whether the game is over.

    The round that has ended stays in sight until the next one starts.
    """
    rule = numbers[RULES, i]
    for seat in range(seats.shape[2]):
        if seats[DICE, i, seat] == 1:
            seats[HAD_ONE, i, seat] = 1
    if facts[rule, MODE] == ELIMINATION:
        if not (by_exact and facts[rule, EXACT_IS_FREE] > 0):
            seats[DICE, i, loser] -= 1
        if by_exact and seats[DICE, i, winner] < facts[rule, DICE_CAP]:
            seats[DICE, i, winner] += 1
        over = count_in_play(seats, i) == 1
    else:
        seats[WINS, i, winner] += 1
        over = seats[WINS, i, winner] == facts[rule, WINS_NEEDED]
    numbers[ROUND, i] += 1
    opens = facts[rule, NEXT_OPENER]
    if opens == WINNER:
        numbers[OPENER, i] = winner
    else:
        numbers[OPENER, i] = next_in_play(seats, i, numbers[OPENER, i] + 1 if opens == ALTERNATE else loser)
    return over


@compiled
def settle_call(
    facts: Ints, quantity: Shorts, face: Counts, numbers: Ints, seats: Shorts, hands: Counts, i: Int, exact: bool
) -> tuple[Int, Int, bool]:
    """End the round with a call: who won it, who lost it, and whether the game is over."""
    right = caller_is_right(facts, quantity, face, numbers, hands, i, exact)
    caller, bidder = numbers[TURN, i], numbers[BIDDER, i]
    winner, loser = (caller, bidder) if right else (bidder, caller)
    return winner, loser, end_round(facts, numbers, seats, i, winner, loser, right and exact)


@compiled
def play_actions(
    rules: RuleArrays, games: Games, seed: np.uint64, start: int, stop: int, actions: Ints, step: Step
) -> None:
    """Play one legal action in each game from `start` to before `stop`; games that end are followed by new ones."""
    facts, quantity, face, hand_of_roll = rules.facts, rules.quantity, rules.face, rules.hand_of_roll
    start_dice, totals, chunks = rules.start_dice, count_totals(rules), rules.rolled_before.size
    numbers, seats, hands, bids = games.numbers, games.seats, games.hands, games.bids
    rewards, game_ended, round_ended, winners, losers = step
    n, liar = numbers.shape[1], face.shape[1]
    for i in range(start, stop):
        action = actions[i]
        for seat in range(seats.shape[2]):
            rewards[i, seat] = 0.0
        winners[i] = losers[i] = -1
        round_ended[i] = action >= liar
        game_ended[i] = False
        numbers[DECISIONS, i] += 1
        if action < liar:
            place_bid(face, numbers, seats, bids, i, action)
            continue
        winner, loser, over = settle_call(facts, quantity, face, numbers, seats, hands, i, action > liar)
        winners[i], losers[i], game_ended[i] = winner, loser, over
        if over:
            others = facts[numbers[RULES, i], SEATS] - 1
            for seat in range(others + 1):
                rewards[i, seat] = 1.0 if seat == winner else -1.0 / others
            numbers[GAME, i] += n
            start_game(start_dice, numbers, seats, seed, i)
        start_round(facts, totals, numbers, seats, bids, i)
        deal(facts, hand_of_roll, chunks, numbers, seats, hands, i)


@compiled
def start_games(rules: RuleArrays, games: Games, seed: np.uint64) -> None:
    """Set up all games by their numbers, and deal."""
    for i in range(games.bids.shape[0]):
        start_game(rules.start_dice, games.numbers, games.seats, seed, i)
        start_round(rules.facts, count_totals(rules), games.numbers, games.seats, games.bids, i)
        deal(rules.facts, rules.hand_of_roll, rules.rolled_before.size, games.numbers, games.seats, games.hands, i)


@compiled
def random_actions(rules: RuleArrays, games: Games, start: int, stop: int, actions: Ints) -> None:
    """Choose a legal action for each game, all equally likely; the choice depends on the game and the decision."""
    facts, before, nth = rules.facts, rules.before, rules.nth
    numbers, seats = games.numbers, games.seats
    faces, liar = rules.hand_of_roll.shape[2], nth.shape[2]
    for i in range(start, stop):
        kind, limit = numbers[KIND, i], limit_of(facts, faces, numbers, seats, i)
        low = np.int64(before[kind, limit, numbers[RUNG, i] + 1])
        raises = before[kind, limit, liar] - low
        calls = 1 + facts[numbers[RULES, i], EXACT_CALL] if numbers[TURNS, i] > 0 else 0
        drawn = draw_below(numbers[KEY, i], -1 - numbers[DECISIONS, i], raises + calls)
        actions[i] = nth[kind, limit, low + drawn] if drawn < raises else liar + drawn - raises


@compiled
def action_masks(rules: RuleArrays, games: Games, start: int, stop: int, masks: Truths) -> None:
    """Say for each action whether it is legal."""
    facts, allowed = rules.facts, rules.allowed
    numbers, seats = games.numbers, games.seats
    faces, liar = rules.hand_of_roll.shape[2], allowed.shape[2]
    for i in range(start, stop):
        kind, limit = numbers[KIND, i], limit_of(facts, faces, numbers, seats, i)
        rung = numbers[RUNG, i]
        for action in range(liar):
            masks[i, action] = (action > rung) & allowed[kind, limit, action]
        masks[i, liar] = numbers[TURNS, i] > 0
        if masks.shape[1] > liar + 1:
            masks[i, liar + 1] = numbers[TURNS, i] > 0 and facts[numbers[RULES, i], EXACT_CALL] > 0


@compiled
def observe(
    rules: RuleArrays, games: Games, start: int, stop: int, players: Ints, starts: Ints, seen: Observations
) -> None:
    """Write what a player of each game sees, as `envs.encoding` describes it; `starts` are the places of the parts."""
    facts, quantities, bid_faces, ladder_size = rules.facts, rules.quantity, rules.face, rules.ladder_size
    numbers, seats, hands, made = games.numbers, games.seats, games.hands, games.bids
    hand, dice, score, no_bid, quantity, face, rung, bids, last_bidder, palifico, wild, table, which = starts
    n_seats, faces = seats.shape[2], hands.shape[2]
    for i in range(start, stop):
        rule, kind, me, current = numbers[RULES, i], numbers[KIND, i], players[i], numbers[RUNG, i]
        in_game, wild_face = facts[rule, SEATS], facts[rule, WILD_FACE]
        cap = np.float32(facts[rule, DICE_CAP])
        for place in range(seen.shape[1]):
            seen[i, place] = 0
        for f in range(faces):
            seen[i, hand + f] = hands[i, me, f] / cap
        for seat in range(in_game):
            place = seat - me if seat >= me else seat - me + in_game
            seen[i, dice + place] = seats[DICE, i, seat] / cap
            if facts[rule, MODE] == BEST_OF:
                seen[i, score + place] = seats[WINS, i, seat] / np.float32(facts[rule, WINS_NEEDED])
        if current < 0:
            seen[i, no_bid] = 1
        else:
            seen[i, quantity] = quantities[kind, current] / np.float32(facts[rule, HIGHEST])
            seen[i, face + bid_faces[kind, current] - 1] = 1
            seen[i, rung] = (current + 1) / np.float32(ladder_size[kind])
            seen[i, last_bidder + (numbers[BIDDER, i] - me) % in_game] = 1
            for b in range(made.shape[1]):
                seen[i, bids + b] = made[i, b]
        seen[i, palifico] = numbers[PALIFICO, i]
        if wild_face > 0 and numbers[PALIFICO, i] == 0:
            seen[i, wild + wild_face - 1] = 1
        if table >= 0 and facts[rule, TABLE_DICE] > 0:
            for f in range(faces):
                seen[i, table + f] = hands[i, n_seats, f] / np.float32(facts[rule, TABLE_DICE])
        if which >= 0:
            seen[i, which + rule] = 1


@compiled
def bot_situation(facts: Ints, numbers: Ints, seats: Shorts, faces: int, i: Int) -> tuple[Int, Int, Int]:
    """Which table a bot reads in place of the player to move: its own dice, the others', the kind of situation."""
    own, total = np.int64(seats[DICE, i, numbers[TURN, i]]), np.int64(0)
    for seat in range(seats.shape[2]):
        total += seats[DICE, i, seat]
    limit = limit_of(facts, faces, numbers, seats, i)
    return own, total - own, (0 if limit == faces + 2 else limit) + (faces + 2) * numbers[PALIFICO, i]


@compiled
def hand_code(hands: Counts, power: Ints, i: Int, seat: Int) -> np.int64:
    """The code of a seat's hand, for `BotArrays.hand_number`."""
    code = np.int64(0)
    for face in range(hands.shape[2]):
        code += hands[i, seat, face] * power[face]
    return code


@compiled
def drawn_action(mix_range: Ints, mixes: Floats, cell: Int, key: Int, decisions: Int) -> Int:
    """An action from the distribution that a cell stands for."""
    mix = -1 - cell
    spot = fraction(np.uint64(key), int(-1 - decisions)) * mix_range[mix, 1]
    entry = mix_range[mix, 0] + int(spot)
    return int(mixes[entry, 0] if spot - int(spot) < mixes[entry, 1] else mixes[entry, 2])


@compiled
def bot_actions(
    rules: RuleArrays,
    games: Games,
    rule: int,
    bot: BotArrays,
    unknown: int,
    start: int,
    stop: int,
    actions: Ints,
    places: Ints,
) -> None:
    """Choose a bot's action in each game of a rule set; where its cell is unknown, `places` says which, else -1."""
    facts, ladder_size, numbers, seats, hands = rules.facts, rules.ladder_size, games.numbers, games.seats, games.hands
    tables, cells, mix_range, mixes, hand_number, power = bot
    faces, liar = hands.shape[2], rules.face.shape[1]
    for i in range(start, stop):
        places[i] = -1
        if numbers[RULES, i] != rule:
            continue
        size = ladder_size[numbers[KIND, i]]
        own, other, situation = bot_situation(facts, numbers, seats, faces, i)
        hand = hand_number[hand_code(hands, power, i, numbers[TURN, i])]
        place = tables[0, own, other, situation] + hand * (size + 1) + numbers[RUNG, i] + 1
        cell = np.int64(cells[place])
        if cell == unknown:
            places[i] = place
            continue
        if cell < 0:
            cell = np.int64(drawn_action(mix_range, mixes, cell, numbers[KEY, i], numbers[DECISIONS, i]))
        actions[i] = cell if cell < size else liar + cell - size


class NumbaGames:
    """N games on a processor, as numpy arrays that steps change in place."""

    def __init__(self, rules: RuleArrays, n: int, seed: int, parts: dict[str, slice], workers: int) -> None:
        self.rules = rules
        self.games = new_games(rules, n)
        self.state = self.games.parts()
        self._n = n
        self._parts = np.array([parts[name].start if name in parts else -1 for name in PARTS])
        self._size = max(part.stop for part in parts.values())
        self._workers = max(1, min(workers, n // SMALL))
        self._ranges = [(n * part // self._workers, n * (part + 1) // self._workers) for part in range(self._workers)]
        self._stop = np.zeros(1, dtype=np.int64)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin the first games of a seed."""
        self.seed = np.uint64(seed)
        self.state.game[:] = np.arange(self._n)
        start_games(self.rules, self.games, self.seed)

    def as_numbers(self, numbers: object) -> Ints:
        """Numbers of any library as this backend's array, without a copy if they have 64 bits already."""
        if hasattr(numbers, "__dlpack__") and not isinstance(numbers, np.ndarray):
            array = np.from_dlpack(numbers)
        else:
            array = np.asarray(numbers)
        if array.dtype.kind not in "iu":
            raise TypeError(f"{array.dtype} are not whole numbers")
        return np.ascontiguousarray(array, dtype=np.int64)

    def first_illegal(self, actions: Ints) -> int:
        """The first game whose action is not legal; -1 if there is none."""
        return first_illegal(self.rules, self.games, actions)

    def step(self, actions: Ints) -> Step:
        """Play one legal action in each game."""
        step = Step(
            np.empty((self._n, self.games.seats.shape[2]), dtype=np.float32),
            np.empty(self._n, dtype=np.bool_),
            np.empty(self._n, dtype=np.bool_),
            np.empty(self._n, dtype=np.int64),
            np.empty(self._n, dtype=np.int64),
        )
        self._run(lambda a, b: play_actions(self.rules, self.games, self.seed, a, b, actions, step))
        return step

    def random_actions(self) -> Ints:
        """A legal action for each game."""
        actions = np.empty(self._n, dtype=np.int64)
        self._run(lambda a, b: random_actions(self.rules, self.games, a, b, actions))
        return actions

    def action_masks(self, actions: int) -> Truths:
        """[N, action]: what the player to move may do."""
        masks = np.empty((self._n, actions), dtype=np.bool_)
        self._run(lambda a, b: action_masks(self.rules, self.games, a, b, masks))
        return masks

    def observations(self, players: Ints | None = None) -> Observations:
        """[N, part]: what the player to move, or another, sees."""
        who = self.state.turn if players is None else players
        seen = np.empty((self._n, self._size), dtype=np.float32)
        self._run(lambda a, b: observe(self.rules, self.games, a, b, who, self._parts, seen))
        return seen

    def as_bot(self, bot: BotArrays) -> BotArrays:
        """A bot's tables as this backend's arrays."""
        return bot

    def bot_actions(self, rule: int, bot: BotArrays, unknown: int, actions: Ints | None) -> tuple[Ints, Ints]:
        """These actions, with the bot's in all games of a rule set; and the places of cells that it lacks."""
        actions = np.zeros(self._n, dtype=np.int64) if actions is None else actions
        places = np.empty_like(actions)
        self._run(lambda a, b: bot_actions(self.rules, self.games, rule, bot, unknown, a, b, actions, places))
        return actions, places[places >= 0]

    def _run(self, work: Callable[[int, int], None]) -> None:
        """Do the work for all games, in threads if there are many."""
        if self._workers == 1:
            work(0, self._n)
        else:
            in_threads(self._workers, lambda part: work(*part), self._ranges, self._stop)
