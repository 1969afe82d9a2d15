"""The rules of play once more, compiled: whole games between policy tables (rules 2 to 7).

`transition` is the rule book; this is its fast copy. Tests hold the two together, move by move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exact.tables import MixArrays, draw
from ..numeric import DECISIONS, DICE, Ints, below, compiled, inlined, stream

WORDS_PER_ROLL = 256
"""Positions of the dice stream that belong to one seat in one round."""
SEATS = 16
MISSING = -1
"""Instead of a winner: the game needs a cell that is not there yet."""
ENDLESS, MOST_ROUNDS = -2, 100_000
"""Instead of a missing cell: the game was not over after so many rounds. No match of the best of N is so long."""
NEW_ROUND = -1
"""In a trace, what comes before a round's dice."""


class Rules(NamedTuple):
    """A game's rules as arrays. Dice have faces 0 to F - 1 where they are rolled, and 1 to F where they are counted."""

    dice: Ints
    """How many each seat starts with."""
    mode: int
    """0: one round, 1: elimination, 2: best of."""
    wins_needed: int
    next_opener: int
    """0: the loser, 1: the winner, 2: each seat in turn."""
    dice_cap: int
    palifico: bool
    most_turns: int
    faces: int
    at_once: int
    """As many dice are rolled with one number; more are added one by one."""
    rolls: Ints
    """How many ordered rolls of n dice there are, for n up to `at_once`."""
    roll_start: Ints
    hand_of_roll: NDArray[np.uint16]
    """The hand of each ordered roll of n dice, from `roll_start[n]` on."""
    hand_start: Ints
    """Where the hands of n dice begin in `grown` and `matches`."""
    grown: NDArray[np.int32]
    """[hand, face]: the hand with one die more."""
    matches: NDArray[np.int8]
    """[palifico, hand, face]: how many dice of a hand count for a bid on a face."""
    ladder_start: Ints
    """[palifico, total dice]: where a round's ladder begins in `quantity` and `face`."""
    ladder_size: Ints
    quantity: NDArray[np.int16]
    face: NDArray[np.int8]


class Policies(NamedTuple):
    """The tables of all seats' agents, one behind the other."""

    seat_policy: Ints
    """Which policy each seat plays."""
    start: Ints
    """[policy, own dice, other dice, kind of situation]: where a table begins in `cells`; -1 where there is none."""
    cells: NDArray[np.int16 | np.int32]
    mixes: MixArrays


@inlined
def roll(rules: Rules, n: int, key: np.uint64, place: int) -> np.int64:
    """The hand of n dice rolled at a place of the dice stream."""
    position = place * WORDS_PER_ROLL
    at_once = min(n, rules.at_once)
    ordered, position = below(key, position, rules.rolls[at_once])
    hand = np.int64(rules.hand_of_roll[np.uint64(rules.roll_start[at_once] + ordered)])
    for dice in range(at_once, n):
        face, position = below(key, position, rules.faces)
        hand = np.int64(rules.grown[rules.hand_start[dice] + hand, face])
    return hand


@compiled
def play_games(
    rules: Rules,
    policies: Policies,
    seed: np.uint64,
    games: Ints,
    unknown: int,
    winners: NDArray[np.int8],
    needed: Ints,
    totals: Ints,
    decided: Ints,
    trace: NDArray[np.int32],
    stop: Ints,
) -> None:
    """Play the games with these numbers and write down who won each.

    A game that comes to a cell not known yet is given up; `needed` says which cell. `totals` counts rounds and
    actions, `decided` the rounds each seat lost and won: [seat, own dice, whether it opened, whether it won]. Both also
    count what was played of games that are given up. If `trace` has room, every round's dice and actions are written.
    Somebody who sets `stop` does not want the rest.
    """
    seats = rules.dice.size
    dice = np.empty(seats, dtype=np.int64)
    hand = np.empty(seats, dtype=np.int64)
    row = np.empty(seats, dtype=np.int64)
    wins = np.empty(seats, dtype=np.int64)
    had_one = np.empty(seats, dtype=np.bool_)
    all_have_one = rules.dice.max() == 1
    kinds = rules.faces + 2
    written = 0
    for g in range(games.size):
        if stop[0] != 0:
            return
        dice_key = stream(seed, games[g], DICE)
        decision_key = stream(seed, games[g], DECISIONS)
        decisions, rounds, actions = 0, 0, 0
        alive, total = seats, 0
        for seat in range(seats):
            dice[seat] = rules.dice[seat]
            total += rules.dice[seat]
            wins[seat] = 0
            had_one[seat] = False
        opener = 0
        winner = MISSING
        needed[g] = -1
        playing = True
        while playing:
            palifico = 0
            if rules.palifico and alive > 2 and not all_have_one:
                for seat in range(seats):
                    if dice[seat] == 1 and not had_one[seat]:
                        palifico = 1
            size = rules.ladder_size[palifico, total]
            ladder = rules.ladder_start[palifico, total]
            if trace.size:
                trace[written] = NEW_ROUND
                written += 1
            for seat in range(seats):
                if dice[seat] > 0:
                    hand[seat] = roll(rules, dice[seat], dice_key, rounds * SEATS + seat)
                    start = policies.start[policies.seat_policy[seat], dice[seat], total - dice[seat], palifico * kinds]
                    row[seat] = start + hand[seat] * (size + 1)
                if trace.size:
                    trace[written] = hand[seat] if dice[seat] > 0 else -1
                    written += 1
            rung = np.int64(-1)
            turns = 0
            seat = opener
            bidder = -1
            while True:
                place = row[seat]
                if turns == rules.most_turns:
                    kind = palifico * kinds + kinds - 1
                    start = policies.start[policies.seat_policy[seat], dice[seat], total - dice[seat], kind]
                    place = start + hand[seat] * (size + 1)
                action = np.int64(
                    policies.cells[np.uint64(place + rung + 1)]
                )  # unsigned: no look whether it is below zero
                if action < 0:
                    if action == unknown:
                        needed[g] = place + rung + 1
                        playing = False
                        break
                    action = draw(policies.mixes, action, decision_key, decisions)
                    decisions += 1
                actions += 1
                if trace.size:
                    trace[written] = action
                    written += 1
                if action >= size:
                    break
                rung = action
                bidder = seat
                turns += 1
                if palifico and turns == 1:
                    kept = rules.face[ladder + rung]
                    for other in range(seats):
                        if dice[other] > 1:
                            start = policies.start[
                                policies.seat_policy[other], dice[other], total - dice[other], kinds + kept
                            ]
                            row[other] = start + hand[other] * (size + 1)
                seat = seat + 1 if seat + 1 < seats else 0
                while dice[seat] == 0:
                    seat = seat + 1 if seat + 1 < seats else 0
            if not playing:
                break
            rounds += 1
            if rounds == MOST_ROUNDS:
                needed[g] = ENDLESS
                break
            quantity, face = rules.quantity[ladder + rung], rules.face[ladder + rung]
            count = 0
            for other in range(seats):
                if dice[other] > 0:
                    count += rules.matches[palifico, rules.hand_start[dice[other]] + hand[other], face]
                    if dice[other] == 1:
                        had_one[other] = True
            exact = action > size
            right = count == quantity if exact else count < quantity
            winner, loser = (seat, bidder) if right else (bidder, seat)
            decided[winner, dice[winner], int(winner == opener), 1] += 1
            decided[loser, dice[loser], int(loser == opener), 0] += 1
            if rules.mode == 1:
                dice[loser] -= 1
                total -= 1
                if dice[loser] == 0:
                    alive -= 1
                    playing = alive > 1
                if exact and right and dice[seat] < rules.dice_cap:
                    dice[seat] += 1
                    total += 1
            else:
                wins[winner] += 1
                playing = wins[winner] < rules.wins_needed
            if rules.next_opener == 1:
                opener = winner
            else:
                opener = loser if rules.next_opener == 0 else (opener + 1) % seats
                while dice[opener] == 0:
                    opener = opener + 1 if opener + 1 < seats else 0
        if needed[g] != -1:
            winner = MISSING
        else:
            totals[0] += rounds
            totals[1] += actions
        winners[g] = winner
