"""Policy gradient with a baseline, for the network that sees the whole bidding.

The formulas are those of `policy_gradient`, with the f_θ of `network`:

    G = γ^T r_T,   b = mean of G over a batch of games
    ∇J = E[(G − b) ∇ log π_θ(a|o)],   ∂ log π_θ(a|o) / ∂f(a') = 1[a' = a] − π_θ(a'|o)
    θ ← θ + α ∇J
"""

from __future__ import annotations

import numpy as np

from ..numeric import DECISIONS, DICE, Floats, Int, Ints, compiled, fraction, inlined, stream
from .mdp import OpponentTable, RoundArrays, bid_holds, deal_hands, opponent_action
from .network import Layers, Network, add_bids, layers_of, network_softmax, sum_hand
from .policy_gradient import sample

LARGEST = 1e100
"""No weight may be larger: the sums of the network would overflow."""


@inlined
def add_log_gradient(
    target: Layers,
    scale: float,
    layer: Layers,
    network: Network,
    hand: Int,
    bids: Ints,
    made: Int,
    action: Int,
    units: Floats,
    chances: Floats,
    back: Floats,
) -> None:
    """Target ← target + scale · ∇ log π_θ(a|o), where o is the hand and the first `made` bids. `units` and `chances`
    are what `network_softmax` gives for o; `back` is overwritten.
    """
    back[:] = 0.0
    for other in range(network.rungs + 1):
        if chances[other] > 0.0:
            slope = scale * ((1.0 if other == action else 0.0) - chances[other])
            target.output_bias[other] += slope
            for unit in range(network.hidden):
                target.outputs[other, unit] += slope * units[unit]
                back[unit] += slope * layer.outputs[other, unit]
    for unit in range(network.hidden):
        back[unit] *= 1.0 - units[unit] * units[unit]
        target.input_bias[unit] += back[unit]
    faces = network.counts.shape[1]
    for face in range(faces):
        count = network.counts[hand, face]
        if count > 0.0:
            for unit in range(network.hidden):
                target.inputs[face, unit] += count * back[unit]
    for place in range(made):
        is_opponents = (made - place) % 2 == 1
        row = faces + bids[place] + (network.rungs if is_opponents else 0)
        for unit in range(network.hidden):
            target.inputs[row, unit] += back[unit]


@compiled
def learn(
    theta: Floats,
    network: Network,
    game: RoundArrays,
    opponent: OpponentTable,
    seed: np.uint64,
    first: int,
    games: int,
    alpha: Floats,
    batch: int,
    gamma: float,
) -> int:
    """Play games `first`, `first + 1`, ... in batches, with an update after each. Returns the number of games won, or
    -1 as soon as a weight is not finite or larger than `LARGEST`.
    """
    longest = game.rungs // 2 + 2
    hands = np.empty(batch, dtype=np.int64)
    bids = np.empty((batch, 2 * longest), dtype=np.int64)
    actions = np.empty((batch, longest), dtype=np.int64)
    units = np.empty((batch, longest, network.hidden))
    chances = np.empty((batch, longest, game.rungs + 1))
    steps = np.empty(batch, dtype=np.int64)
    returns = np.empty(batch)
    sums, back = np.empty(network.hidden), np.empty(network.hidden)
    gradient = np.empty_like(theta)
    layer, slopes = layers_of(theta, network), layers_of(gradient, network)
    won = 0
    start = 0
    while start < games:
        size = min(batch, games - start)
        for i in range(size):
            own, other = deal_hands(game, stream(seed, first + start + i, DICE))
            key = stream(seed, first + start + i, DECISIONS)
            position, step = 0, 0
            rung = np.int64(-1)
            sum_hand(layer, network, own, sums)
            while True:
                network_softmax(layer, network, rung, sums, units[i, step], chances[i, step])
                action = sample(chances[i, step], fraction(key, position))
                position += 1
                actions[i, step] = action
                step += 1
                if action == game.rungs:  # P1 calls
                    reward = -1.0 if bid_holds(game, own, other, rung) else 1.0
                    break
                rung = opponent_action(opponent, other, action, key, position)
                position += 1
                if rung == game.rungs:  # P2 calls
                    reward = 1.0 if bid_holds(game, own, other, action) else -1.0
                    break
                bids[i, 2 * step - 2], bids[i, 2 * step - 1] = action, rung
                add_bids(layer, network, action, rung, sums)
            hands[i], steps[i] = own, step
            returns[i] = gamma ** (step - 1) * reward
            won += reward > 0
        baseline = returns[:size].mean()
        rate = alpha[0] + (alpha[1] - alpha[0]) * start / games
        gradient[:] = 0.0
        for i in range(size):
            advantage = (returns[i] - baseline) / size
            if advantage == 0.0:
                continue
            for step in range(steps[i]):
                add_log_gradient(
                    slopes, advantage, layer, network, hands[i], bids[i], 2 * step, actions[i, step],
                    units[i, step], chances[i, step], back,
                )  # fmt: skip
        theta += rate * gradient
        start += size
        if not np.abs(theta).max() < LARGEST:
            return -1
    return won
