"""W by sampling: how many of M games a policy wins as the opener."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core import derive_seed, play_game
from ..numeric import DECISIONS, DICE, Floats, compiled, fraction, stream
from .mdp import OpponentTable, RoundArrays, bid_holds, deal_hands, opponent_action
from .network import Network, add_bids, layers_of, network_softmax, sum_hand
from .policy import greedy_cells, softmax_chances
from .policy_gradient import sample

if TYPE_CHECKING:
    from .training import Trainer

CHUNK = 1_000_000
EVALUATION = 1 << 62
"""The number of the first evaluation game: no training uses such numbers."""


def sampled_wins(trainer: Trainer, games: int, *, greedy: bool = True) -> int:
    """How many of `games` games the greedy policy wins as the opener; without `greedy`, how many π_θ wins."""
    training, theta = trainer.model.training, trainer.model.theta
    if trainer.opponent is None:
        player = trainer.player(theta, greedy=greedy)
        seeds = (derive_seed(training.seed, "evaluation", number) for number in range(games))
        return sum(play_game([player, trainer.judge], trainer.config, seed=seed).winner == 0 for seed in seeds)
    seed = np.uint64(training.seed)
    if trainer.network is None:
        cells = greedy_cells(theta, trainer.basis)
        chances = np.empty((0, 0, 0)) if greedy else softmax_chances(theta, trainer.basis)
    won = 0
    for first in range(0, games, CHUNK):  # Ctrl-C takes effect between two chunks
        common = (trainer.round, trainer.opponent, seed, EVALUATION + first, min(CHUNK, games - first))
        if trainer.network is not None:
            won += network_games(theta, trainer.network, *common, 1.0, greedy)[0]
        else:
            won += _table_games(cells, chances, *common)
    return won


@compiled
def _table_games(
    cells: NDArray[np.int32],
    chances: Floats,
    game: RoundArrays,
    opponent: OpponentTable,
    seed: np.uint64,
    first: int,
    games: int,
) -> int:
    """How many games a policy wins that knows its hand and the last bid: one that mixes by `chances`, or, if these are
    empty, one that always takes the action in its cell.
    """
    won = 0
    for number in range(games):
        own, other = deal_hands(game, stream(seed, first + number, DICE))
        key = stream(seed, first + number, DECISIONS)
        rung = np.int64(-1)
        position = 0
        while True:
            if chances.size:
                action = np.int64(sample(chances[own, rung + 1], fraction(key, position)))
                position += 1
            else:
                action = np.int64(cells[own, rung + 1])
            if action == game.rungs:
                won += not bid_holds(game, own, other, rung)
                break
            rung = opponent_action(opponent, other, action, key, position)
            position += 1
            if rung == game.rungs:
                won += bid_holds(game, own, other, action)
                break
    return won


@compiled
def network_games(
    theta: Floats,
    network: Network,
    game: RoundArrays,
    opponent: OpponentTable,
    seed: np.uint64,
    first: int,
    games: int,
    gamma: float,
    is_greedy: bool,
) -> tuple[int, float]:
    """How many games π_θ of a network wins, or its greedy policy, and the sum of G over all games."""
    layer = layers_of(theta, network)
    sums, units = np.empty(network.hidden), np.empty(network.hidden)
    chances = np.empty(game.rungs + 1)
    won, returns = 0, 0.0
    for number in range(games):
        own, other = deal_hands(game, stream(seed, first + number, DICE))
        key = stream(seed, first + number, DECISIONS)
        rung = np.int64(-1)
        step = 0
        sum_hand(layer, network, own, sums)
        while True:
            network_softmax(layer, network, rung, sums, units, chances)
            action = np.argmax(chances) if is_greedy else sample(chances, fraction(key, 2 * step))
            if action == game.rungs:
                is_won = not bid_holds(game, own, other, rung)
                break
            rung = opponent_action(opponent, other, action, key, 2 * step + 1)
            if rung == game.rungs:
                is_won = bid_holds(game, own, other, action)
                break
            add_bids(layer, network, action, rung, sums)
            step += 1
        won += is_won
        returns += gamma**step * (1.0 if is_won else -1.0)
    return won, returns
