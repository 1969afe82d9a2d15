"""W, J and Bellman errors over all hands, without sampling, against an opponent whose policy is a table.

W is the chance to win, and J = E[G] with G = γ^T r_T, where T is the number of the learner's decisions before its last.
Without a discount G is +1 or −1, so W = (1 + J) / 2.
"""

from __future__ import annotations

import numpy as np

from ..numeric import Floats, Int, compiled, inlined
from .features import Basis
from .mdp import OpponentTable, RoundArrays, bid_holds
from .network import Network, add_bids, layers_of, network_softmax, sum_hand
from .q_learning import greedy


@inlined
def _entries(opponent: OpponentTable, cell: Int) -> tuple[Int, Int]:
    """Where a distribution begins and ends in the opponent's mixes; one entry for a certain action."""
    if cell >= 0:
        return 0, 1
    start = opponent.mixes.start[-1 - cell]
    return start, start + opponent.mixes.size[-1 - cell]


@inlined
def _entry(opponent: OpponentTable, cell: Int, entry: Int) -> tuple[np.int64, float]:
    """One of the opponent's answers, and how likely it is."""
    if cell >= 0:
        return np.int64(cell), 1.0
    return np.int64(opponent.mixes.action[entry]), opponent.mixes.chance[entry]


@compiled
def table_return(
    chances: Floats,
    game: RoundArrays,
    opponent: OpponentTable,
    own_weights: Floats,
    other_weights: Floats,
    gamma: float,
) -> float:
    """J of a policy that knows its hand and the last bid: `chances[hand, rung + 1, action]`.

    From the top rung down, for each of the learner's hands and all of the opponent's at once,

        U(a) = r if the opponent calls the bid a, else γ V(its answer)
        V(b) = Σ π(a|b) U(a), where the U of a call is r
    """
    rungs, others = game.rungs, other_weights.size
    after_bid = np.empty((rungs, others))  # U
    to_move = np.empty((rungs + 1, others))  # V, by rung + 1
    total = 0.0
    for own in range(own_weights.size):
        for column in range(rungs, -1, -1):
            rung = column - 1
            value = to_move[column]
            value[:] = 0.0
            for action in range(column, rungs):
                chance = chances[own, column, action]
                if chance > 0.0:
                    for other in range(others):
                        value[other] += chance * after_bid[action, other]
            if rung < 0:
                break
            for other in range(others):
                value[other] += chances[own, column, rungs] * (-1.0 if bid_holds(game, own, other, rung) else 1.0)
                cell = opponent.cells[other, column]
                start, end = _entries(opponent, cell)
                mean = 0.0
                for entry in range(start, end):
                    answer, chance = _entry(opponent, cell, entry)
                    if answer == rungs:
                        mean += chance * (1.0 if bid_holds(game, own, other, rung) else -1.0)
                    else:
                        mean += chance * gamma * to_move[answer + 1, other]
                after_bid[rung, other] = mean
        total += own_weights[own] * (to_move[0] * other_weights).sum()
    return total


@compiled
def network_return(
    theta: Floats,
    network: Network,
    game: RoundArrays,
    opponent: OpponentTable,
    own_weights: Floats,
    other_weights: Floats,
    gamma: float,
    is_greedy: bool,
    most: int,
) -> tuple[float, float]:
    """W and J of a network's policy, or of its greedy policy; NaN if it has more than `most` decisions.

    Depth first over all biddings that can come up, for each of the learner's hands: level k is its k-th decision.
    """
    rungs, others = game.rungs, other_weights.size
    depth = rungs // 2 + 2
    layer = layers_of(theta, network)
    sums = np.empty((depth, network.hidden))
    units = np.empty(network.hidden)
    chances = np.empty((depth, rungs + 1))
    reach = np.empty((depth, others))  # the probability of coming here, with each of the opponent's hands
    answers = np.empty((depth, rungs, others))  # and of each answer to the bid that is being looked at
    is_given = np.zeros((depth, rungs), dtype=np.bool_)  # whether any of the opponent's hands gives this answer
    rung = np.empty(depth, dtype=np.int64)
    bid = np.empty(depth, dtype=np.int64)  # the learner's bid that is being looked at
    answer = np.empty(depth, dtype=np.int64)  # and the opponent's answer
    decisions = 0
    wins, objective = 0.0, 0.0
    for own in range(own_weights.size):
        sum_hand(layer, network, own, sums[0])
        reach[0] = own_weights[own] * other_weights
        rung[0] = -1
        level, is_new = 0, True
        while level >= 0:
            discount = gamma**level
            if is_new:
                is_new = False
                decisions += 1
                if decisions > most:
                    return np.nan, np.nan
                network_softmax(layer, network, rung[level], sums[level], units, chances[level])
                if is_greedy:
                    best = np.argmax(chances[level])
                    chances[level] = 0.0
                    chances[level, best] = 1.0
                if chances[level, rungs] > 0.0:  # P1 calls
                    for other in range(others):
                        chance = reach[level, other] * chances[level, rungs]
                        is_won = not bid_holds(game, own, other, rung[level])
                        wins += chance if is_won else 0.0
                        objective += discount * (chance if is_won else -chance)
                bid[level], answer[level] = rung[level], rungs
            answer[level] += 1
            if answer[level] >= rungs:  # on to the next bid
                bid[level] += 1
                while bid[level] < rungs and chances[level, bid[level]] == 0.0:
                    bid[level] += 1
                if bid[level] >= rungs:
                    level -= 1
                    continue
                made = bid[level]
                answer[level] = made
                is_given[level] = False
                for other in range(others):
                    here = reach[level, other] * chances[level, made]
                    if here == 0.0:
                        continue
                    cell = opponent.cells[other, made + 1]
                    start, end = _entries(opponent, cell)
                    for entry in range(start, end):
                        action, chance = _entry(opponent, cell, entry)
                        if action == rungs:  # P2 calls
                            is_won = bid_holds(game, own, other, made)
                            wins += here * chance if is_won else 0.0
                            objective += discount * here * (chance if is_won else -chance)
                        else:
                            if not is_given[level, action]:
                                is_given[level, action] = True
                                answers[level, action] = 0.0
                            answers[level, action, other] += here * chance
                continue
            if is_given[level, answer[level]]:
                reach[level + 1] = answers[level, answer[level]]
                rung[level + 1] = answer[level]
                sums[level + 1] = sums[level]
                add_bids(layer, network, bid[level], answer[level], sums[level + 1])
                level, is_new = level + 1, True
    return wins, objective


@compiled
def bellman_error(
    theta: Floats,
    basis: Basis,
    game: RoundArrays,
    opponent: OpponentTable,
    own_weights: Floats,
    other_weights: Floats,
    gamma: float,
) -> float:
    """The mean of |E[δ | o, a]| over the decisions of the greedy policy, each as likely as it comes up in play.

    A single δ also contains the luck of the dice. This mean does not: it is 0 if Q satisfies the Bellman equation.
    """
    rungs, others = game.rungs, other_weights.size
    reach = np.empty((rungs + 1, others))  # by rung + 1: the probability that the learner is to move there
    actions = np.empty(rungs + 1, dtype=np.int64)
    values = np.empty(rungs + 1)  # max over a of Q(o, a)
    errors, decisions = 0.0, 0.0
    for own in range(own_weights.size):
        for column in range(rungs + 1):
            actions[column], values[column] = greedy(theta, basis, own, column - 1)
        reach[0] = own_weights[own] * other_weights
        reach[1:] = 0.0
        for column in range(rungs + 1):
            bid = actions[column]
            delta = 0.0
            for other in range(others):
                here = reach[column, other]
                if here == 0.0:
                    continue
                decisions += here
                target = 0.0
                if bid == rungs:  # P1 calls
                    target = -1.0 if bid_holds(game, own, other, column - 1) else 1.0
                else:
                    cell = opponent.cells[other, bid + 1]
                    start, end = _entries(opponent, cell)
                    for entry in range(start, end):
                        answer, chance = _entry(opponent, cell, entry)
                        if answer == rungs:  # P2 calls
                            target += chance * (1.0 if bid_holds(game, own, other, bid) else -1.0)
                        else:
                            target += chance * gamma * values[answer + 1]
                            reach[answer + 1, other] += here * chance
                delta += here * (target - values[column])
            errors += abs(delta)
    return errors / decisions
