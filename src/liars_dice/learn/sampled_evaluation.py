"""W by sampling: how many of M games the greedy policy wins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core import derive_seed, play_game
from ..numeric import DECISIONS, DICE, compiled, stream
from .engine_learners import GreedyPlayer
from .mdp import OpponentTable, RoundArrays, bid_holds, deal_hands, opponent_action
from .policy import greedy_cells
from .training import Trainer

CHUNK = 1_000_000
EVALUATION = 1 << 62
"""The number of the first evaluation game: no training uses such numbers."""


def sampled_wins(trainer: Trainer, games: int) -> int:
    """How many of `games` games the greedy policy wins as the opener."""
    if trainer.opponent is None:
        player = GreedyPlayer(trainer.model.theta, trainer.basis, trainer.config)
        seeds = (derive_seed(trainer.model.training.seed, "evaluation", number) for number in range(games))
        return sum(play_game([player, trainer.judge], trainer.config, seed=seed).winner == 0 for seed in seeds)
    cells = greedy_cells(trainer.model.theta, trainer.basis)
    seed = np.uint64(trainer.model.training.seed)
    won = 0
    for first in range(0, games, CHUNK):  # Ctrl-C takes effect between two chunks
        won += _play(cells, trainer.round, trainer.opponent, seed, EVALUATION + first, min(CHUNK, games - first))
    return won


@compiled
def _play(
    cells: NDArray[np.int32], game: RoundArrays, opponent: OpponentTable, seed: np.uint64, first: int, games: int
) -> int:
    won = 0
    for number in range(games):
        own, other = deal_hands(game, stream(seed, first + number, DICE))
        key = stream(seed, first + number, DECISIONS)
        rung = np.int64(-1)
        position = 0
        while True:
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
