"""One round between two tables, exactly: every pair of hands, weighted by how likely it is.

There are two ways to sum the same numbers. If both tables are deterministic, the bids so far split each player's hands
into those that would have made them and those that would not, and the remaining pairs are always a product of two sets;
so the bidding is played once for sets of hands (`_play_hand_sets`). If a table mixes, each pair of hands is followed
rung by rung, with the probability of getting there (`_play_hand_pairs`).
"""

from __future__ import annotations

from collections.abc import Sequence
from os import cpu_count

import numpy as np
from numpy.typing import NDArray

from ...core import GameConfig, RoundRules, round_rules
from ...numeric import Floats, Ints, Truths, compiled, in_threads
from ..tables import ANY_RAISE, CALLS_ONLY, UNKNOWN, HandSet, MixArrays, PolicyBook, Situation, hand_set, ladder_arrays

Cells = NDArray[np.int32]
OUTCOMES = 4
"""The opener loses; the other player loses; the opener's exact call is right; the other player's is."""
OPENER_LOSES, OTHER_LOSES, OPENER_EXACT, OTHER_EXACT = range(OUTCOMES)


class StackedTables:
    """The tables of one or more agents in one situation, stacked; equal ones are kept once."""

    def __init__(self, books: list[PolicyBook], rules: RoundRules, own: int) -> None:
        self.mixes = [book.mixes for book in books]
        stacked = self._stack(books, Situation(rules, own, ANY_RAISE))
        capped = most_turns(rules) is not None
        calls = self._stack(books, Situation(rules, own, CALLS_ONLY)) if capped else stacked[:, :0]
        self.is_mixed = np.array([_mixes(cells) or _mixes(last) for cells, last in zip(stacked, calls, strict=True)])
        keys = [
            (cells.tobytes(), last.tobytes(), id(mixes) if mixed else 0)
            for cells, last, mixes, mixed in zip(stacked, calls, self.mixes, self.is_mixed, strict=True)
        ]
        first = {key: i for i, key in reversed(list(enumerate(keys)))}
        self.kept = sorted(first.values())
        place = {i: k for k, i in enumerate(self.kept)}
        self.which: Ints = np.array([place[first[key]] for key in keys])
        """The place of each agent's table among those that are kept."""
        self.cells = stacked
        self.calls = calls
        hands = hand_set(own, rules.config.faces)
        self.weights = hands.weights
        self.matches = hands.matches(rules.wild_face)

    @staticmethod
    def _stack(books: list[PolicyBook], situation: Situation) -> Cells:
        return np.stack([book[situation].complete().cells for book in books])


def _mixes(cells: Cells) -> bool:
    return bool((cells[cells != UNKNOWN] < 0).any())


def most_turns(rules: RoundRules) -> int | None:
    """How many bids may be made in a round; None if that is no fewer than the ladder has."""
    most = rules.config.max_turns
    return None if most is None or most >= len(rules.bids) else most


def round_outcomes(
    openers: StackedTables, others: StackedTables, rules: RoundRules, meets: Truths, workers: int | None = None
) -> Floats:
    """The probabilities of the four outcomes of a round, for every opener [i] and other agent [j] who meet."""
    quantity, face = ladder_arrays(rules)
    most = most_turns(rules)
    last_turn = len(rules.bids) + 1 if most is None else most
    stop = np.zeros(1, dtype=np.int64)
    outcomes = np.zeros((len(openers.kept), len(others.kept), OUTCOMES))
    wanted = np.zeros(outcomes.shape[:2], dtype=bool)
    np.logical_or.at(wanted, np.ix_(openers.which, others.which), meets)

    def fill(row: int) -> None:
        i = openers.kept[row]
        for column, j in enumerate(others.kept):
            if not wanted[row, column] or stop[0]:
                continue
            first = (openers.cells[i], openers.calls[i], openers.weights, openers.matches)
            second = (others.cells[j], others.calls[j], others.weights, others.matches)
            if openers.is_mixed[i] or others.is_mixed[j]:
                turns = 2 if most is None else last_turn + 1
                mixes = (openers.mixes[i].arrays(), others.mixes[j].arrays())
                _play_hand_pairs(*first, *second, *mixes, quantity, face, last_turn, turns, outcomes[row, column], stop)
            else:
                _play_hand_sets(*first, *second, quantity, face, last_turn, outcomes[row, column])

    in_threads(workers or cpu_count() or 1, fill, range(len(openers.kept)), stop)
    totals = outcomes.sum(axis=-1, keepdims=True)
    # they add up to 1 apart from rounding, which a long match would amplify
    np.divide(outcomes, totals, out=outcomes, where=totals > 0)
    every: Floats = outcomes[np.ix_(openers.which, others.which)]
    return every


def round_win_chance(
    opener: Cells, other: Cells, mixes: MixArrays, hands: Sequence[HandSet], config: GameConfig
) -> float:
    """The opener's exact chance in one round: its deterministic cells against the other's, which may mix."""
    rules = round_rules(config.without_seed, config.total_dice, False)
    quantity, face = ladder_arrays(rules)
    own, theirs = hands
    first = (opener, opener[:0], own.weights, own.matches(rules.wild_face))
    second = (other, other[:0], theirs.weights, theirs.matches(rules.wild_face))
    outcomes = np.zeros(OUTCOMES)
    if _mixes(other):
        stop = np.zeros(1, dtype=np.int64)
        _play_hand_pairs(*first, *second, mixes, mixes, quantity, face, len(quantity) + 1, 2, outcomes, stop)
    else:
        _play_hand_sets(*first, *second, quantity, face, len(quantity) + 1, outcomes)
    return float(outcomes[OTHER_LOSES] / outcomes.sum())


def outcomes_from_bid(
    bidder: tuple[Cells, Cells, HandSet, Floats],
    actor: tuple[Cells, Cells, HandSet, Floats],
    rules: RoundRules,
    rung: int,
    made: int,
) -> Floats:
    """The probabilities of the four outcomes once `made` bids have been made, the last of them on this rung, between
    deterministic tables; the last bidder stands in the opener's place.

    Each player is the cells, those when only calls remain, the hands, and how likely each is by now.
    """
    quantity, face = ladder_arrays(rules)
    most = most_turns(rules)
    cells = bidder[0].copy()
    cells[:, 0] = rung  # the round begins with the bid that was made
    first = (cells, bidder[1], bidder[3], bidder[2].matches(rules.wild_face))
    second = (actor[0], actor[1], actor[3], actor[2].matches(rules.wild_face))
    outcomes = np.zeros(OUTCOMES)
    last_turn = len(rules.bids) + 1 if most is None else most - made + 1
    _play_hand_sets(*first, *second, quantity, face, last_turn, outcomes)
    settled: Floats = outcomes / outcomes.sum()
    return settled


@compiled
def _play_hand_sets(
    cells0: Cells,
    calls0: Cells,
    weights0: Floats,
    matches0: Ints,
    cells1: Cells,
    calls1: Cells,
    weights1: Floats,
    matches1: Ints,
    quantity: Ints,
    face: Ints,
    most_turns: int,
    outcomes: Floats,
) -> None:
    """Play the biddings of two deterministic tables. A node is a rung and, for each player, a segment of a list of
    hands: those that make the bids that led there. Deeper nodes only reorder hands within their own segments.
    """
    rungs = quantity.size
    order0, order1 = np.arange(weights0.size), np.arange(weights1.size)
    most = matches1.max() + 1
    exactly = np.empty(most + 1)
    at_least = np.empty(most + 1)
    stack = np.empty(((rungs + 2) * (rungs + 1), 6), dtype=np.int64)
    stack[0] = (-1, 0, 0, weights0.size, 0, weights1.size)
    depth = 1
    while depth > 0:
        depth -= 1
        rung, turn, low0, high0, low1, high1 = stack[depth]
        first_moves = turn % 2 == 0
        if first_moves:
            order, low, high = order0, low0, high0
            cells = calls0 if turn == most_turns else cells0
        else:
            order, low, high = order1, low1, high1
            cells = calls1 if turn == most_turns else cells1
        while low < high:
            action = np.int64(cells[order[low], rung + 1])
            middle = low + 1
            for i in range(low + 1, high):
                if cells[order[i], rung + 1] == action:
                    order[i], order[middle] = order[middle], order[i]
                    middle += 1
            if first_moves:
                low0, high0 = low, middle
            else:
                low1, high1 = low, middle
            low = middle
            if action < rungs:
                stack[depth] = (action, turn + 1, low0, high0, low1, high1)
                depth += 1
                continue
            quantity_called, face_called = quantity[rung], face[rung]
            exactly[:] = 0.0
            for i in range(low1, high1):
                exactly[matches1[order1[i], face_called]] += weights1[order1[i]]
            at_least[most] = exactly[most]
            for count in range(most - 1, -1, -1):
                at_least[count] = at_least[count + 1] + exactly[count]
            all_pairs, true, right = 0.0, 0.0, 0.0
            for i in range(low0, high0):
                weight = weights0[order0[i]]
                missing = quantity_called - matches0[order0[i], face_called]
                all_pairs += weight * at_least[0]
                true += weight * at_least[min(max(missing, 0), most)]
                right += weight * exactly[missing] if 0 <= missing <= most else 0.0
            caller = turn % 2
            if action == rungs:
                outcomes[caller] += true
                outcomes[1 - caller] += all_pairs - true
            else:
                outcomes[2 + caller] += right
                outcomes[caller] += all_pairs - right


@compiled
def _play_hand_pairs(
    cells0: Cells,
    calls0: Cells,
    weights0: Floats,
    matches0: Ints,
    cells1: Cells,
    calls1: Cells,
    weights1: Floats,
    matches1: Ints,
    mixes0: MixArrays,
    mixes1: MixArrays,
    quantity: Ints,
    face: Ints,
    most_turns: int,
    turns: int,
    outcomes: Floats,
    stop: Ints,
) -> None:
    """Follow every pair of hands up the rungs. `reach[rung + 1, t]` is the probability of being there with t bids
    made; where nothing depends on their number, t is only whose turn it is.
    """
    rungs = quantity.size
    reach = np.zeros((rungs + 1, turns))
    against_all = np.zeros(4)  # summed hand by hand: one sum of a million small numbers would be less exact
    of_pair = np.zeros(4)
    for hand0 in range(weights0.size):
        if stop[0] != 0:
            return
        against_all[:] = 0.0
        for hand1 in range(weights1.size):
            of_pair[:] = 0.0
            reach[:] = 0.0
            reach[0, 0] = 1.0
            for column in range(rungs + 1):
                for turn in range(turns):
                    here = reach[column, turn]
                    if here == 0.0:
                        continue
                    caller = turn % 2
                    if caller == 0:
                        cell = calls0[hand0, column] if turn == most_turns else cells0[hand0, column]
                        mixes = mixes0
                    else:
                        cell = calls1[hand1, column] if turn == most_turns else cells1[hand1, column]
                        mixes = mixes1
                    after = turn + 1 if turns > 2 else 1 - turn
                    entry, last = 0, 1
                    if cell < 0:
                        entry = mixes.start[-1 - cell]
                        last = entry + mixes.size[-1 - cell]
                    while entry < last:
                        action, chance = cell, here
                        if cell < 0:
                            action = mixes.action[entry]
                            chance = here * mixes.chance[entry]
                        entry += 1
                        if action < rungs:
                            reach[action + 1, after] += chance
                            continue
                        count = matches0[hand0, face[column - 1]] + matches1[hand1, face[column - 1]]
                        if action == rungs:
                            loser = caller if count >= quantity[column - 1] else 1 - caller
                            of_pair[loser] += chance
                        elif count == quantity[column - 1]:
                            of_pair[2 + caller] += chance
                        else:
                            of_pair[caller] += chance
            against_all += weights1[hand1] * of_pair
        outcomes += weights0[hand0] * against_all
