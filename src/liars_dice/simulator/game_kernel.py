"""The rules of play again, compiled: whole games between policy tables (rules 2 to 7).

`core.transition` has the rules; this is a fast copy. Tests compare the two move by move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..exact.tables import MixArrays, draw_action
from ..numeric import DECISIONS, DICE, Int, Ints, Truths, below, compiled, inlined, stream

WORDS_PER_ROLL = 256
"""How many positions of the dice stream belong to one seat in one round."""
SEATS = 16
MISSING = -1
"""Instead of a winner: the game needs a cell that is not there yet."""
ENDLESS, MOST_ROUNDS = -2, 100_000
"""Instead of a missing cell: the game was not over after this many rounds. No best-of match is that long."""
NEW_ROUND = -1
"""The mark in a trace before each round's dice."""


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
    exact_is_free: bool
    """Whether nobody pays for a right exact call (rule 6.3)."""
    palifico: bool
    most_turns: int
    faces: int
    at_once: int
    """How many dice are rolled with one random number; further dice are added one by one."""
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
    """The tables of all seats' agents, one after the other."""

    seat_policy: Ints
    """[lineup, seat]: which policy the seat plays."""
    counted_as: Ints
    """[lineup, seat]: where in `decided` the seat's rounds are counted."""
    start: Ints
    """[policy, own dice, other dice, kind of situation]: where a table begins in `cells`; -1 where there is none."""
    cells: NDArray[np.int16 | np.int32]
    mixes: MixArrays


@inlined
def roll(rules: Rules, n: int, key: np.uint64, place: int) -> np.int64:
    """The hand of n dice at a place of the dice stream."""
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
    lineups: Ints,
    unknown: int,
    winners: NDArray[np.int8],
    needed: Ints,
    totals: Ints,
    decided: Ints,
    trace: NDArray[np.int32],
    stop: Ints,
) -> None:
    """Play the games with these numbers, each with its lineup, and write down who won each.

    A game that comes to an unknown cell is given up; `needed` says which cell. `totals` counts rounds and
    actions, `decided` the rounds each seat lost and won: [as what it is counted, own dice, whether it opened, whether
    it won]. `decided` also counts rounds of games that are given up. If `trace` has room, every round's dice and
    actions are written. Once another thread sets `stop[0]`, no further game is begun.
    """
    seats = rules.dice.size
    dice = np.empty(seats, dtype=np.int64)
    hand = np.empty(seats, dtype=np.int64)
    row = np.empty(seats, dtype=np.int64)  # where each seat's part of its table begins
    wins = np.empty(seats, dtype=np.int64)
    had_one = np.empty(seats, dtype=np.bool_)
    may_be_palifico = rules.palifico and rules.dice.max() > 1
    kinds = rules.faces + 2
    written = 0
    for g in range(games.size):
        if stop[0] != 0:
            return
        lineup = lineups[g]
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
            palifico = int(may_be_palifico and alive > 2 and _has_first_single_die(dice, had_one))
            size = rules.ladder_size[palifico, total]
            ladder = rules.ladder_start[palifico, total]
            for seat in range(seats):
                if dice[seat] > 0:
                    hand[seat] = roll(rules, dice[seat], dice_key, rounds * SEATS + seat)
                    row[seat] = _row(policies, lineup, seat, dice[seat], total, palifico * kinds, hand[seat], size)
            if trace.size:
                written = _trace_deal(trace, written, dice, hand)
            rung = np.int64(-1)
            turns = 0
            seat = opener
            bidder = -1
            while True:
                place = row[seat]
                if turns == rules.most_turns:
                    calls_only = palifico * kinds + kinds - 1
                    place = _row(policies, lineup, seat, dice[seat], total, calls_only, hand[seat], size)
                action = np.int64(policies.cells[np.uint64(place + rung + 1)])  # unsigned: it is not below zero
                if action < 0:
                    if action == unknown:
                        needed[g] = place + rung + 1
                        playing = False
                        break
                    action = draw_action(policies.mixes, action, decision_key, decisions)
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
                if palifico and turns == 1:  # from now on, all with more than one die must keep the face (rule 7.4)
                    kept_face = kinds + rules.face[ladder + rung]
                    for other in range(seats):
                        if dice[other] > 1:
                            row[other] = _row(policies, lineup, other, dice[other], total, kept_face, hand[other], size)
                seat = _next_in_play(seat + 1, dice)
            if not playing:
                break
            rounds += 1
            if rounds == MOST_ROUNDS:
                needed[g] = ENDLESS
                break
            count = _count_matches(rules, palifico, dice, hand, rules.face[ladder + rung])
            quantity = rules.quantity[ladder + rung]
            exact = action > size
            right = count == quantity if exact else count < quantity
            winner, loser = (seat, bidder) if right else (bidder, seat)
            counted_as = policies.counted_as[lineup]
            decided[counted_as[winner], dice[winner], int(winner == opener), 1] += 1
            decided[counted_as[loser], dice[loser], int(loser == opener), 0] += 1
            if may_be_palifico:
                for other in range(seats):
                    had_one[other] |= dice[other] == 1
            if rules.mode == 1:
                by_exact = exact and right
                total += _move_dice(dice, winner, loser, by_exact, rules.dice_cap, rules.exact_is_free)
                alive -= int(dice[loser] == 0)
                playing = alive > 1
            else:
                wins[winner] += 1
                playing = wins[winner] < rules.wins_needed
            if rules.next_opener == 1:
                opener = winner
            else:
                opener = _next_in_play(loser if rules.next_opener == 0 else opener + 1, dice)
        if needed[g] != -1:
            winner = MISSING
        else:
            totals[0] += rounds
            totals[1] += actions
        winners[g] = winner


@inlined
def _has_first_single_die(dice: Ints, had_one: Truths) -> bool:
    """Whether some seat begins its first round with one die (rule 7.1)."""
    found = False
    for seat in range(dice.size):
        if dice[seat] == 1 and not had_one[seat]:
            found = True
    return found


@inlined
def _row(policies: Policies, lineup: Int, seat: Int, own: Int, total: Int, kind: Int, hand: Int, size: Int) -> Int:
    """Where the cells of a seat's hand begin in its table for a kind of situation."""
    start: np.int64 = policies.start[policies.seat_policy[lineup, seat], own, total - own, kind]
    return start + hand * (size + 1)


@inlined
def _trace_deal(trace: NDArray[np.int32], written: int, dice: Ints, hand: Ints) -> int:
    """Write a round's dice; returns where the trace goes on."""
    trace[written] = NEW_ROUND
    written += 1
    for seat in range(dice.size):
        trace[written] = hand[seat] if dice[seat] > 0 else -1
        written += 1
    return written


@inlined
def _next_in_play(seat: int, dice: Ints) -> int:
    """This seat, or the next one that has dice; behind the last comes the first."""
    if seat >= dice.size:
        seat = 0
    while dice[seat] == 0:
        seat = seat + 1 if seat + 1 < dice.size else 0
    return seat


@inlined
def _count_matches(rules: Rules, palifico: Int, dice: Ints, hand: Ints, face: Int) -> Int:
    """How many dice in play count for a bid on this face (rule 4)."""
    count = 0
    for seat in range(dice.size):
        if dice[seat] > 0:
            count += rules.matches[palifico, rules.hand_start[dice[seat]] + hand[seat], face]
    return count


@inlined
def _move_dice(dice: Ints, winner: Int, loser: Int, by_exact: bool, cap: int, exact_is_free: bool) -> int:
    """`core.round_outcome.dice_after` for an elimination game; returns by how much the dice in play change.

    It gets two numbers instead of `rules`: with those handed on here, too, games take three times as long.
    """
    change = 0
    if not (by_exact and exact_is_free):
        dice[loser] -= 1
        change -= 1
    if by_exact and dice[winner] < cap:
        dice[winner] += 1
        change += 1
    return change
