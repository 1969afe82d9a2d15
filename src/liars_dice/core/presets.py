"""The named rule sets, and rules by name or file (rule 8)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .config import PLAYERS, GameConfig
from .errors import ConfigError, one_of

PRESETS: dict[str, GameConfig] = {
    "duel": GameConfig(),
    "classic": GameConfig(dice=(5, 5)),
    "heads-up": GameConfig(dice=(5, 5), mode="elimination"),
    "perudo": GameConfig(dice=(5,) * 6, wild="ones", bid_ordering="perudo", exact_call=True, mode="elimination"),
    "openspiel": GameConfig(dice=(1, 1), wild="top"),
}
"""What each name stands for when nothing else is said."""


Dice = int | Sequence[int] | None
"""So many for every seat, one number a seat, or whatever the rules say."""


def preset(name: str, *, players: int | None = None, dice: Dice = None, **changes: Any) -> GameConfig:
    """The rules called `name`, for this many players with this many dice each, with these fields changed.

    >>> preset("perudo", players=3, palifico=True).dice
    (5, 5, 5)
    >>> preset("classic", dice=2).dice
    (2, 2)
    """
    if name not in PRESETS:
        raise ConfigError("rules", name, one_of(name, (*PRESETS, "a .toml or .json file")))
    return _seated(PRESETS[name], players, dice).replace(**changes)


def load_rules(name_or_file: str, *, players: int | None = None, dice: Dice = None, **changes: Any) -> GameConfig:
    """Rules by preset name, or from a `.toml` or `.json` file, changed in the same ways."""
    if Path(name_or_file).suffix in (".toml", ".json"):
        return _seated(GameConfig.load(name_or_file), players, dice).replace(**changes)
    return preset(name_or_file, players=players, dice=dice, **changes)


def _seated(config: GameConfig, players: int | None, dice: Dice) -> GameConfig:
    if players is not None and players not in PLAYERS:
        raise ConfigError("players", players, f"a whole number from {PLAYERS[0]} to {PLAYERS[-1]}")
    if players is None:
        players = len(dice) if isinstance(dice, Sequence) else config.num_players
    if dice is None:
        if players == config.num_players:
            return config
        if len(set(config.dice)) > 1:
            raise ConfigError("players", players, f"{config.num_players}, unless dice are given")
        dice = config.dice[0]
    if isinstance(dice, int):
        dice = (dice,) * players
    if len(dice) != players:
        raise ConfigError("players", players, f"{len(dice)}, one for each number in dice = {dice}")
    return config.replace(dice=tuple(dice))
