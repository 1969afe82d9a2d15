"""Memoryless bots in batched games: the simulator's tables, read for all games at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...agents import Agent
from ...core import ConfigError, GameConfig
from ...exact.tables import hand_set
from ...simulator import Simulator
from .game_arrays import Array, BatchBackend, BotArrays

MOST_CODES = 5_000_000
"""The most entries of `BotArrays.hand_number`."""


class TableBots:
    """One agent, ready to decide in every game of a batch."""

    def __init__(self, agent: Agent, configs: Sequence[GameConfig], games: BatchBackend) -> None:
        self._games = games
        self._simulators = [Simulator([agent], config) for config in configs]
        self._arrays = [self._read(rule) for rule in range(len(configs))]

    def _read(self, rule: int) -> BotArrays:
        return self._games.as_bot(bot_arrays(self._simulators[rule]))

    def actions(self) -> Array:
        """[N]: what the agent does in each game in place of the player to move."""
        actions = None
        for rule, simulator in enumerate(self._simulators):
            while True:
                chosen, lacking = self._games.bot_actions(rule, self._arrays[rule], simulator.unknown, actions)
                if not lacking.size:
                    break
                simulator.fill(np.unique(lacking))
                self._arrays[rule] = self._read(rule)
            actions = chosen
        return actions


def bot_arrays(simulator: Simulator) -> BotArrays:
    """The tables of a simulator's agents."""
    config, policies = simulator.config, simulator.policies()
    most = config.dice_cap if config.mode == "elimination" else max(config.dice)
    if (most + 1) ** config.faces > MOST_CODES:
        expected = (
            f"dice whose hands have at most {MOST_CODES:,} codes, (dice + 1) ** faces, where bots play in batches"
        )
        raise ConfigError("dice", config.dice, expected)
    power = (most + 1) ** np.arange(config.faces)
    hand_number = np.zeros((most + 1) ** config.faces, dtype=np.int32)
    for dice in range(1, most + 1):
        hands = hand_set(dice, config.faces)
        hand_number[hands.counts @ power] = np.arange(len(hands))
    mixes = policies.mixes
    ranges, entries = np.stack([mixes.start, mixes.size], 1), np.stack([mixes.action, mixes.keep, mixes.alias], 1)
    return BotArrays(
        start=policies.start[policies.seat_policy[0]],
        cells=policies.cells,
        mix_range=np.vstack([ranges, np.zeros((1, 2), dtype=np.int64)]),  # so that neither array is empty
        mixes=np.vstack([entries, np.zeros((1, 3))]),
        hand_number=hand_number,
        power=power,
    )
