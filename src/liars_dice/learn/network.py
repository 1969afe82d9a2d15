"""A small network f_θ that sees the whole bidding D, for policy gradient.

    x(o) = COUNT(H, v) for each face v; for each rung, 1 if the learner has bid it; for each rung, 1 if the opponent has
    h = tanh(W₁ᵀ x + b₁)
    f_θ(φ(o, a)) = W₂[a] · h + b₂[a]

φ(o, a) is x(o) together with the action. θ is one array: W₁ [input, unit], b₁, W₂ [action, unit] and b₂, in this
order. D is the rungs bid so far, lowest first. The bids of two players alternate, and the last one is the opponent's,
so D also says who made which.

The functions for players use numpy; those for compiled code compute the same, bid by bid.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..numeric import Floats, Int, Truths, inlined
from .features import Basis


class Network(NamedTuple):
    """The shape of a network, for compiled code. `rungs` is also the number of the action "liar"."""

    rungs: int
    hidden: int
    """The number of hidden units."""
    opens: Truths
    """Which rungs may open the round."""
    counts: Floats
    """[hand, face - 1]: COUNT(H, v)."""


class Layers(NamedTuple):
    """θ taken apart; each part is a view of it."""

    inputs: Floats
    """W₁ [input, unit]. The inputs are the faces, the learner's bids and the opponent's bids."""
    input_bias: Floats
    outputs: Floats
    """W₂ [action, unit]."""
    output_bias: Floats


def make_network(basis: Basis, hidden: int) -> Network:
    """A network with this many hidden units, for the game that a basis is for."""
    return Network(basis.rungs, hidden, basis.opens, basis.counts)


def network_size(network: Network) -> int:
    """The number of weights."""
    inputs = network.counts.shape[1] + 2 * network.rungs
    return int((inputs + 1) * network.hidden + (network.rungs + 1) * (network.hidden + 1))


def first_weights(network: Network, seed: int) -> Floats:
    """Random weights into the hidden units and zeros out of them: at first, all legal actions are equally likely."""
    theta = np.zeros(network_size(network))
    inputs = layers(theta, network).inputs
    inputs[:] = np.random.default_rng(seed).normal(size=inputs.shape) * 2 / np.sqrt(network.counts.shape[1])
    return theta


def layers(theta: Floats, network: Network) -> Layers:
    """W₁, b₁, W₂ and b₂."""
    hidden = network.hidden
    inputs = network.counts.shape[1] + 2 * network.rungs
    outputs = (inputs + 1) * hidden
    output_bias = outputs + (network.rungs + 1) * hidden
    return Layers(
        theta[: inputs * hidden].reshape((inputs, hidden)),
        theta[inputs * hidden : outputs],
        theta[outputs:output_bias].reshape((network.rungs + 1, hidden)),
        theta[output_bias:],
    )


# -- for players -------------------------------------------------------------------------------------------------------


def network_chances(theta: Floats, network: Network, hand: int, bids: Sequence[int]) -> Floats:
    """π_θ(·|o) after these bids; 0 for illegal actions."""
    return _forward(theta, network, hand, bids)[2]


def log_gradient(theta: Floats, network: Network, hand: int, bids: Sequence[int], action: int) -> Floats:
    """∇ log π_θ(a|o)."""
    x, h, chances = _forward(theta, network, hand, bids)
    slope = -chances
    slope[action] += 1.0
    back = (slope @ layers(theta, network).outputs) * (1 - h * h)
    return np.concatenate([np.outer(x, back).ravel(), back, np.outer(slope, h).ravel(), slope])


def _forward(theta: Floats, network: Network, hand: int, bids: Sequence[int]) -> tuple[Floats, Floats, Floats]:
    """x(o), h and π_θ(·|o)."""
    layer, faces = layers(theta, network), network.counts.shape[1]
    x = np.zeros(len(layer.inputs))
    x[:faces] = network.counts[hand]
    for place, bid in enumerate(reversed(bids)):
        x[faces + bid + (network.rungs if place % 2 == 0 else 0)] = 1.0
    h: Floats = np.tanh(x @ layer.inputs + layer.input_bias)
    scores: Floats = layer.outputs @ h + layer.output_bias
    legal = np.arange(network.rungs + 1) > bids[-1] if bids else np.append(network.opens, False)
    chances = np.where(legal, np.exp(scores - scores[legal].max(), where=legal, out=np.zeros_like(scores)), 0.0)
    return x, h, chances / chances.sum()


# -- for compiled code -------------------------------------------------------------------------------------------------

layers_of = inlined(layers)


@inlined
def sum_hand(layer: Layers, network: Network, hand: Int, sums: Floats) -> None:
    """W₁ᵀ x + b₁ before the first bid, written into `sums`."""
    sums[:] = layer.input_bias
    for face in range(network.counts.shape[1]):
        count = network.counts[hand, face]
        if count > 0.0:
            for unit in range(network.hidden):
                sums[unit] += count * layer.inputs[face, unit]


@inlined
def add_bids(layer: Layers, network: Network, bid: Int, answer: Int, sums: Floats) -> None:
    """W₁ᵀ x + b₁ after two more bids: one of the learner's, and the opponent's answer."""
    faces = network.counts.shape[1]
    for unit in range(network.hidden):
        sums[unit] += layer.inputs[faces + bid, unit] + layer.inputs[faces + network.rungs + answer, unit]


@inlined
def network_softmax(layer: Layers, network: Network, rung: Int, sums: Floats, units: Floats, chances: Floats) -> None:
    """H = tanh(sums), written into `units`, and π_θ(·|o), written into `chances`; 0 for illegal actions."""
    for unit in range(network.hidden):
        units[unit] = np.tanh(sums[unit])
    most = -np.inf
    for action in range(network.rungs + 1):
        chances[action] = -np.inf
        if (rung >= 0 and action > rung) or (rung < 0 and action < network.rungs and network.opens[action]):
            score = layer.output_bias[action]
            for unit in range(network.hidden):
                score += layer.outputs[action, unit] * units[unit]
            chances[action] = score
            most = max(most, score)
    total = 0.0
    for action in range(network.rungs + 1):
        chances[action] = np.exp(chances[action] - most)
        total += chances[action]
    for action in range(network.rungs + 1):
        chances[action] /= total
