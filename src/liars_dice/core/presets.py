"""The named rule sets, and rules by name or file (rule 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .config import PLAYERS, GameConfig, check_names, fields_in_file, is_whole
from .errors import ConfigError, one_of

_PERUDO = GameConfig(dice=(5,) * 6, wild="ones", bid_ordering="perudo", exact_call=True, max_dice=5, mode="elimination")

PRESETS: dict[str, GameConfig] = {
    "duel": GameConfig(),
    "classic": GameConfig(dice=(5, 5)),
    "heads-up": GameConfig(dice=(5, 5), mode="elimination"),
    "perudo": _PERUDO,
    "perudo-tournament": _PERUDO.replace(palifico=True, open_on_ones=False),
    "openspiel": GameConfig(dice=(1, 1), wild="top"),
}
"""Each named rule set, with its usual number of players and dice."""


Dice = int | Sequence[int] | None
"""That many for every seat, one number per seat, or None for what the rule set says."""


def preset(name: str, *, players: int | None = None, dice: Dice = None, **changes: Any) -> GameConfig:
    """The rules called `name`, for this many players with this many dice each, with these fields changed.

    What follows from a change is changed with it, unless you say otherwise: the ladder in which ones count double
    needs wild ones, and the cap on dice needs exact calls and is never below what a seat starts with (rule 8.7).

    >>> preset("perudo", players=3, palifico=True).dice
    (5, 5, 5)
    >>> preset("perudo", wild="none").bid_ordering
    'quantity_then_face'
    >>> preset("classic", dice=2).dice
    (2, 2)
    """
    return changed_preset(name, changes, players=players, dice=dice)


def changed_preset(
    name: str, changes: Mapping[str, Any], *, players: int | None = None, dice: Dice = None
) -> GameConfig:
    """`preset` with the changes as a mapping, which may hold any names."""
    given: object = name
    if not isinstance(given, str) or given not in PRESETS:
        raise ConfigError("rules", given, one_of(str(given), (*PRESETS, "a .toml or .json file")))
    named = PRESETS[name]
    seated = _seated(named.replace(max_dice=None), players, dice)
    fields = seated.to_dict() | dict(changes)
    if named.max_dice is not None and "max_dice" not in changes:
        wins_dice = fields["mode"] == "elimination" and fields["exact_call"] is True
        fields["max_dice"] = max(named.max_dice, *seated.dice) if wins_dice else None
    if named.bid_ordering == "perudo" and fields["wild"] != "ones" and "bid_ordering" not in changes:
        fields["bid_ordering"] = "quantity_then_face"
    return GameConfig.from_dict(fields)


def changed_base(fields: Mapping[str, Any], *, players: int | None = None, dice: Dice = None) -> GameConfig:
    """The rules of a file with a `base`: `preset` of that name, with the file's `players`, `dice` and other fields.

    `players` and `dice` then change the seats of those rules.
    """
    changes = dict(fields)
    base: object = changes.pop("base")
    if not isinstance(base, str) or base not in PRESETS:
        raise ConfigError("base", base, one_of(str(base), PRESETS))
    in_file = _seated(PRESETS[base].replace(max_dice=None), changes.pop("players", None), changes.pop("dice", None))
    return changed_preset(base, changes, dice=_seated(in_file, players, dice).dice)


def load_rules(rules: str, *, players: int | None = None, dice: Dice = None, **changes: Any) -> GameConfig:
    """Rules from a text: a preset's name or a `.toml` or `.json` file, and perhaps changes behind commas.

    >>> load_rules("perudo,palifico,faces=8", players=3) == preset("perudo", players=3, palifico=True, faces=8)
    True
    """
    named, *parts = split_rules(rules)
    said = dict(map(read_change, parts))
    players = _given_once("players", players, said.pop("players", None))
    dice = _given_once("dice", dice, said.pop("dice", None))
    changes = said | changes
    if not is_file(named):
        return changed_preset(named, changes, players=players, dice=dice)
    fields = fields_in_file(named)
    if "base" in fields:
        return changed_base(fields | changes, players=players, dice=dice)
    return _seated(GameConfig.from_dict(fields), players, dice).replace(**changes)


def _given_once(name: str, given: Any, said: Any) -> Any:
    """What was given as an argument or said in the text of the rules; `ConfigError` if both were, and differ."""
    if given is None or said is None or given == said:
        return said if given is None else given
    raise ConfigError(name, said, f"{given}, which was given beside the rules")


def is_file(rules: str) -> bool:
    """Whether this names a file of rules, not a preset."""
    return Path(rules).suffix in (".toml", ".json")


def split_rules(rules: str) -> list[str]:
    """The name or file that a text of rules begins with, and the changes behind it.

    >>> split_rules("perudo,palifico,dice=2,3")
    ['perudo', 'palifico', 'dice=2,3']
    """
    given: object = rules
    if not isinstance(given, str):
        raise ConfigError("rules", given, one_of(str(given), (*PRESETS, "a .toml or .json file")))
    parts = given.split(",")
    files = [number for number, part in enumerate(parts) if is_file(part)]
    first = files[-1] + 1 if files else 1  # the name of a file may have commas
    split = [",".join(parts[:first])]
    for part in parts[first:]:
        if part.strip(" ]").isdecimal() and len(split) > 1:  # another number of a list
            split[-1] += f",{part}"
        else:
            split.append(part)
    return split


def read_change(text: str) -> tuple[str, Any]:
    """A change of the rules as text: the name of a field (or `players`) and its value. A rule alone is switched on.

    >>> read_change("palifico"), read_change("wild=none"), read_change("max_dice=6"), read_change("dice=2,3")
    (('palifico', True), ('wild', 'none'), ('max_dice', 6), ('dice', (2, 3)))
    """
    written, equals, value = (part.strip() for part in text.partition("="))
    name = written.replace("-", "_")
    if name == "players":
        return name, _number(value)
    check_names([name])
    default = getattr(GameConfig(), name)
    if isinstance(default, bool):
        return name, {"true": True, "false": False}.get(value.lower(), value) if equals else True
    if not equals:
        raise ConfigError("rules", text, f"a value: {name}=VALUE")
    if name == "dice" and not value.isdecimal():
        return name, tuple(_number(part) for part in value.strip("[]").split(","))
    return name, None if default is None and value.lower() == "none" else _number(value)


def _number(text: str) -> int | str:
    """The number in a text, or the text if there is none: the rules then say what they expect."""
    return int(text) if text.strip().isdecimal() else text


def without_effect(config: GameConfig) -> str | None:
    """A sentence about a rule that can never matter in these rules; None if there is no such rule."""
    if config.palifico and config.num_players == 2:
        return "palifico changes nothing with two players: a palifico round needs at least three (rule 7.1)"
    return None


def rules_in_short(config: GameConfig) -> str:
    """What sets these rules apart, in a few words.

    >>> rules_in_short(PRESETS["perudo-tournament"])
    'elimination, wild ones, exact calls, palifico, no opening on ones'
    """
    extras = {
        f"wild {'ones' if config.wild == 'ones' else 'highest face'}": config.wild != "none",
        "exact calls": config.exact_call,
        "palifico": config.palifico,
        "no opening on ones": not config.open_on_ones,
    }
    return ", ".join([config.mode.replace("_", " "), *(extra for extra, on in extras.items() if on)])


def rules_text(config: GameConfig) -> str:
    """A text that `load_rules` reads as these rules if it is given their dice: the nearest preset, and what differs.

    >>> rules_text(load_rules("classic,wild=ones", dice=2))
    'classic,wild=ones'
    """
    wanted, is_even = config.without_seed, len(set(config.dice)) == 1
    texts = []
    for name, usual in PRESETS.items():
        fields = changed_preset(name, {}, dice=config.dice).to_dict()
        changes = [f"{field}={value}".lower() for field, value in wanted.to_dict().items() if value != fields[field]]
        text = ",".join((name, *changes))
        if load_rules(text, dice=config.dice) == wanted:  # a change of one field may change another (`preset`)
            texts.append((len(changes), is_even != (len(set(usual.dice)) == 1), text))
    return min(texts)[-1]


RulesLike = GameConfig | str
"""Rules, or what names them: a preset, or a `.toml` or `.json` file."""


def as_config(rules: RulesLike | None, *, players: int | None = None) -> GameConfig:
    """The rules that `rules` stands for: themselves, a preset or file by name, or the default rules for None.

    A named rule set is seated for `players`, if that is given; a `GameConfig` is never changed.

    >>> as_config("perudo", players=3).dice
    (5, 5, 5)
    """
    if rules is None:
        return GameConfig()
    if isinstance(rules, GameConfig):
        return rules
    if isinstance(rules, str):
        return load_rules(rules, players=players)
    raise ConfigError("rules", rules, f"a GameConfig, a file, or a name: {', '.join(PRESETS)}")


def _seated(config: GameConfig, players: int | None, dice: Dice) -> GameConfig:
    if players is not None and not is_whole(players, PLAYERS):
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
    given: object = dice
    if not isinstance(given, Sequence):
        raise ConfigError("dice", given, "a whole number, or one for each seat")
    if len(dice) != players:
        raise ConfigError("players", players, f"{len(dice)}, one for each number in dice = {dice}")
    return config.replace(dice=tuple(dice))
