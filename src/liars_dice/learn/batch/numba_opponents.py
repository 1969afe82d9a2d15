"""One learner in each of many games, with memoryless bots in the other seats: compiled, on a processor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...numeric import Int, Ints, compiled
from .game_arrays import SEATS, BotArrays, RuleArrays
from .numba_games import (
    DECISIONS,
    DICE,
    GAME,
    KEY,
    KIND,
    RULES,
    RUNG,
    TURN,
    Games,
    Shorts,
    bot_situation,
    count_totals,
    deal,
    draw_below,
    drawn_action,
    hand_code,
    place_bid,
    settle_call,
    start_game,
    start_round,
)

PLAYING, WON, LOST = range(3)
"""How a game stands for the learner."""
_SEAT_DRAW = -(1 << 40)
"""The position of a game's stream that draws the learner's seat."""
RANDOM_SEAT, ALTERNATE_SEAT = -1, -2
"""Instead of a seat: another in each game."""
Standings = NDArray[np.int8]


@compiled
def seat_learner(rules: RuleArrays, games: Games, seed: np.uint64, which: Ints, seat: int, learners: Ints) -> None:
    """Set up the games with these places by their numbers, deal, and seat the learner."""
    numbers, seats, n = games.numbers, games.seats, games.numbers.shape[1]
    for i in which:
        start_game(rules.start_dice, numbers, seats, seed, i)
        start_round(rules.facts, count_totals(rules), numbers, seats, games.bids, i)
        deal(rules.facts, rules.hand_of_roll, rules.rolled_before.size, numbers, seats, games.hands, i)
        players = rules.facts[numbers[RULES, i], SEATS]
        if seat == RANDOM_SEAT:
            learners[i] = draw_below(numbers[KEY, i], _SEAT_DRAW, players)
        elif seat == ALTERNATE_SEAT:
            learners[i] = numbers[GAME, i] // n % players
        else:
            learners[i] = seat


@compiled
def play_learners(
    rules: RuleArrays, games: Games, which: Ints, actions: Ints, learners: Ints, standings: Standings
) -> None:
    """Play the learner's legal action in the games with these places."""
    facts, quantity, face, hand_of_roll = rules.facts, rules.quantity, rules.face, rules.hand_of_roll
    totals, chunks, liar = count_totals(rules), rules.rolled_before.size, rules.face.shape[1]
    numbers, seats, hands, bids = games.numbers, games.seats, games.hands, games.bids
    for i in which:
        action = actions[i]
        numbers[DECISIONS, i] += 1
        if action < liar:
            place_bid(face, numbers, seats, bids, i, action)
        else:
            winner, _, over = settle_call(facts, quantity, face, numbers, seats, hands, i, action > liar)
            standings[i] = standing_of(seats, i, learners[i], winner, over)
            if standings[i] == PLAYING:
                start_round(facts, totals, numbers, seats, bids, i)
                deal(facts, hand_of_roll, chunks, numbers, seats, hands, i)


@compiled
def play_bots(
    rules: RuleArrays,
    games: Games,
    bots: BotArrays,
    unknown: int,
    bot_in: Ints,
    which: Ints,
    learners: Ints,
    standings: Standings,
    places: Ints,
) -> None:
    """Let the bots play in the games with these places until the learner is to move or its game is decided.

    `bot_in` says for each seat of the learner which bot is in which seat. A game whose bot lacks a cell waits, and
    `places` says which cell; else it is -1.
    """
    facts, quantity, face, hand_of_roll = rules.facts, rules.quantity, rules.face, rules.hand_of_roll
    ladder_size, totals, chunks = rules.ladder_size, count_totals(rules), rules.rolled_before.size
    numbers, seats, hands, bids = games.numbers, games.seats, games.hands, games.bids
    tables, cells, mix_range, mixes, hand_number, power = bots
    faces = hands.shape[2]
    for i in which:
        me = learners[i]
        places[i] = -1
        while standings[i] == PLAYING and numbers[TURN, i] != me:
            turn, size = numbers[TURN, i], ladder_size[numbers[KIND, i]]
            own, other, situation = bot_situation(facts, numbers, seats, faces, i)
            hand = hand_number[hand_code(hands, power, i, turn)]
            place = tables[bot_in[me, turn], own, other, situation] + hand * (size + 1) + numbers[RUNG, i] + 1
            cell = np.int64(cells[place])
            if cell == unknown:
                places[i] = place
                break
            if cell < 0:
                cell = np.int64(drawn_action(mix_range, mixes, cell, numbers[KEY, i], numbers[DECISIONS, i]))
            numbers[DECISIONS, i] += 1
            if cell < size:
                place_bid(face, numbers, seats, bids, i, cell)
                continue
            winner, _, over = settle_call(facts, quantity, face, numbers, seats, hands, i, cell > size)
            standings[i] = standing_of(seats, i, me, winner, over)
            if standings[i] == PLAYING:
                start_round(facts, totals, numbers, seats, bids, i)
                deal(facts, hand_of_roll, chunks, numbers, seats, hands, i)


@compiled
def standing_of(seats: Shorts, i: Int, learner: Int, winner: Int, over: bool) -> int:
    """How the game stands for the learner after a round; without dice it has lost."""
    if over:
        return WON if winner == learner else LOST
    return PLAYING if seats[DICE, i, learner] > 0 else LOST
