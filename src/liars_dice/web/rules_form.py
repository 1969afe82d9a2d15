"""Rules as clients choose them: every field with its allowed values, and a rule set from a request."""

from __future__ import annotations

from typing import get_args

import msgspec

from ..core import (
    DICE_PER_SEAT,
    FACES,
    PLAYERS,
    PRESETS,
    SHARED_DICE,
    BidOrdering,
    ConfigError,
    ExactPayer,
    GameConfig,
    Mode,
    NextOpener,
    Wild,
    WildBids,
    changed_preset,
)
from . import messages as m

_CHOICES = {
    "wild": Wild,
    "bid_ordering": BidOrdering,
    "wild_bids": WildBids,
    "mode": Mode,
    "exact_payer": ExactPayer,
    "next_opener": NextOpener,
}
_NUMBERS = {
    "table_dice": (SHARED_DICE[0], SHARED_DICE[-1]),
    "hidden_dice": (SHARED_DICE[0], SHARED_DICE[-1]),
    "faces": (FACES[0], FACES[-1]),
    "max_quantity": (1, 900),
    "rounds": (1, 99),
    "max_dice": (DICE_PER_SEAT[0], DICE_PER_SEAT[-1]),
    "opening_min_quantity": (1, 900),
    "max_turns": (1, 999_999),
}
_ABOUT = {
    "dice": f"how many dice each of the {PLAYERS[0]} to {PLAYERS[-1]} seats starts with; the first seat opens",
    "table_dice": "how many dice, rolled in every round, lie open on the table and belong to no player",
    "hidden_dice": "how many dice, rolled in every round, lie covered on the table and belong to no player",
    "faces": "how many faces a die has",
    "wild": "the face that counts as every other face",
    "bid_ordering": "how bids are ordered from low to high",
    "wild_bids": "whether the wild face itself may be bid",
    "max_quantity": 'the highest quantity that may be bid; "total" is all dice in play',
    "exact_call": "whether a player may call a bid exactly right",
    "mode": "one round, elimination until one player has dice left, or the best of N rounds",
    "rounds": "how many rounds a best-of game has at most",
    "max_dice": "the most dice a player can reach by a correct exact call",
    "exact_payer": "who loses a die when an exact call is right",
    "next_opener": "who opens the next round",
    "opening_min_quantity": "the lowest quantity allowed in a round's first bid",
    "open_on_ones": "whether a round's first bid may be on ones",
    "palifico": "whether a player's first round with one die is a palifico round",
    "max_turns": "the number of bids after which a round allows only calls",
}


def rule_fields() -> list[m.RuleField]:
    """Every field of the rules that clients may set."""
    defaults = GameConfig().to_dict()
    fields = []
    for name, about in _ABOUT.items():
        default = defaults[name]
        if name in _CHOICES:
            fields.append(m.RuleField(name, "choice", default, list(get_args(_CHOICES[name])), about=about))
        elif name in _NUMBERS:
            low, high = _NUMBERS[name]
            fields.append(m.RuleField(name, "number", default, None, low, high, default is None, about))
        elif name == "dice":
            fields.append(m.RuleField(name, "dice", default, None, DICE_PER_SEAT[0], DICE_PER_SEAT[-1], about=about))
        else:
            fields.append(m.RuleField(name, "flag", default, about=about))
    return fields


def public_rules(config: GameConfig) -> m.Json:
    """The rules without the seed, which no client may know."""
    fields: m.Json = msgspec.to_builtins(config.without_seed)
    return fields


def requested_config(rules: str | m.Json, changes: m.Json, players: int | None) -> GameConfig:
    """The rules a client asks for. They cannot contain a seed."""
    if "seed" in changes or (isinstance(rules, dict) and "seed" in rules):
        raise ConfigError("seed", "...", "no seed among the rules")
    changes = dict(changes)
    if isinstance(rules, str):
        dice = changes.pop("dice", None)
        if isinstance(dice, list):
            dice = tuple(dice)
        elif dice is not None and (isinstance(dice, bool) or not isinstance(dice, int)):
            raise ConfigError("dice", dice, "a whole number, or one per seat")
        if rules not in PRESETS:
            raise ConfigError("rules", rules, f"one of {', '.join(PRESETS)}")
        return changed_preset(rules, changes, players=players, dice=dice)
    config = GameConfig.from_dict({**rules, **changes})
    if players is not None and config.num_players != players:
        raise ConfigError("dice", config.dice, f"one number per seat, for {players} seats")
    return config
