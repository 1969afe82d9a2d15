"""The rules of a game as data: one frozen, validated value that round-trips through JSON and TOML (rule 1)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from .bid import BidOrdering
from .errors import ConfigError, one_of, reason_of
from .ladder import Ladder, shared_ladder
from .old_names import OLD_NAMES

Wild = Literal["none", "ones", "top"]
WildBids = Literal["natural", "forbidden"]
Mode = Literal["single_round", "elimination", "best_of"]
NextOpener = Literal["loser", "winner", "alternate"]
ExactPayer = Literal["bidder", "nobody"]

PLAYERS = range(2, 16)
DICE_PER_SEAT = range(1, 61)
SHARED_DICE = range(61)
FACES = range(2, 21)
SEEDS = range(2**63)
LARGEST_FILE = 1 << 20
"""Bytes in a file of rules."""


class _NamedFields(msgspec.StructMeta):
    """Explains an unknown field, where msgspec would raise a bare `TypeError`."""

    if not TYPE_CHECKING:

        def __call__(self, *values, **fields):
            check_names(fields)
            return super().__call__(*values, **fields)


class GameConfig(
    msgspec.Struct,
    metaclass=_NamedFields,
    frozen=True,
    cache_hash=True,
    dict=True,
    kw_only=True,
    forbid_unknown_fields=True,
    repr_omit_defaults=True,
):
    """The rules of one game. A combination that makes no sense raises `ConfigError` at once.

    >>> GameConfig(dice=(5, 5), faces=6, mode="elimination")
    GameConfig(dice=(5, 5), mode='elimination')
    >>> GameConfig(faces=1)
    Traceback (most recent call last):
    liars_dice.core.errors.ConfigError: faces = 1: expected a whole number from 2 to 20
    """

    dice: tuple[int, ...] = (2, 3)
    """How many dice each seat starts with; seat 0 opens the first round."""
    table_dice: int = 0
    """How many dice lie open on the table: rolled in every round, they belong to no player and everyone sees them."""
    hidden_dice: int = 0
    """How many dice lie covered on the table: rolled in every round, no player sees them until they are revealed."""
    faces: int = 6
    """How many faces a die has."""
    wild: Wild = "none"
    """The wild face, which counts as every other face: none, ones, or the top (highest) face."""
    bid_ordering: BidOrdering = "quantity_then_face"
    """Which bids are higher than which."""
    wild_bids: WildBids = "natural"
    """Whether the wild face itself may be bid; if so, only dice that show it count."""
    max_quantity: Literal["total"] | int = "total"
    """The highest quantity that may be bid: the number of dice in play, or a fixed number."""
    exact_call: bool = False
    """Whether a player may claim that the current bid is exactly right."""
    mode: Mode = "single_round"
    """One round; rounds until one player has dice left; or the first to win more than half of `rounds`."""
    rounds: int | None = None
    """The N of "best of N"."""
    max_dice: int | None = None
    """The most dice a player can reach by correct exact calls; by default the most that any seat started with."""
    exact_payer: ExactPayer = "bidder"
    """Who loses a die to a correct exact call in an elimination game: the bidder, or nobody."""
    next_opener: NextOpener = "loser"
    """Who opens the next round: the loser (the next seat if the loser is out), the winner, or each seat in turn."""
    opening_min_quantity: int = 1
    """The least quantity of a round's first bid, or the highest quantity allowed if that is less."""
    open_on_ones: bool = True
    """Whether a round's first bid may be on ones."""
    palifico: bool = False
    """Whether a player's first round with one die is played by the palifico rules."""
    max_turns: int | None = None
    """After this many bids in a round only calls remain."""
    seed: int | None = None
    """Makes the dice repeatable; without it they are different every time. Players never see it."""

    def __post_init__(self) -> None:
        dice: object = self.dice
        if isinstance(dice, list):
            msgspec.structs.force_setattr(self, "dice", tuple(dice))
        _check_fields(self)
        _check_combinations(self)

    # -- what follows from the fields --------------------------------------------------------------------------------

    @property
    def num_players(self) -> int:
        """How many seats there are."""
        return len(self.dice)

    @property
    def total_dice(self) -> int:
        """How many dice are in play in the first round."""
        return self.in_play(self.dice)

    def in_play(self, dice_counts: tuple[int, ...]) -> int:
        """How many dice are in play when the seats have these: theirs, and those that belong to no player."""
        return sum(dice_counts) + self.shared_dice

    @property
    def shared_dice(self) -> int:
        """How many dice on the table belong to no player."""
        return self.table_dice + self.hidden_dice

    @property
    def dice_cap(self) -> int:
        """The most dice a player can reach."""
        return max(self.dice) if self.max_dice is None else self.max_dice

    @property
    def most_in_play(self) -> int:
        """The most dice that can come to be in play: only exact calls that nobody pays for add dice to the first."""
        if self.mode == "elimination" and self.exact_call and self.exact_payer == "nobody":
            return self.in_play((self.dice_cap,) * self.num_players)
        return self.total_dice

    @property
    def wins_needed(self) -> int:
        """How many rounds a player must win to win a best-of match."""
        return 1 if self.rounds is None else self.rounds // 2 + 1

    @cached_property
    def without_seed(self) -> GameConfig:
        """These rules as players may see them."""
        return self if self.seed is None else self.replace(seed=None)

    @property
    def one_round(self) -> GameConfig:
        """One round of these rules by itself, with the dice of the first; not a palifico round."""
        if self.mode == "single_round":
            return self
        return self.replace(
            mode="single_round", rounds=None, max_dice=None, palifico=False, next_opener="loser", exact_payer="bidder"
        )

    def wild_face(self, *, palifico: bool = False) -> int | None:
        """The face that counts as every other face, or None if such a round has no wild face."""
        if palifico or self.wild == "none":
            return None
        return 1 if self.wild == "ones" else self.faces

    def ladder(self, total_dice: int | None = None, *, palifico: bool = False) -> Ladder:
        """The ladder of a round with this many dice in play (by default, all dice of the game)."""
        in_play = self.total_dice if total_dice is None else total_dice
        return shared_ladder(
            "quantity_then_face" if palifico else self.bid_ordering,
            self.faces,
            in_play if self.max_quantity == "total" else self.max_quantity,
            self.wild_face(palifico=palifico) if self.wild_bids == "forbidden" else None,
        )

    def replace(self, **changes: Any) -> GameConfig:
        """A copy with these fields changed."""
        return GameConfig.from_dict(self.to_dict() | changes)

    # -- files -------------------------------------------------------------------------------------------------------

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> GameConfig:
        """Rules from a mapping of field names; the error for an unknown name suggests a known one."""
        check_names(fields)
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return msgspec.structs.asdict(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> GameConfig:
        """Rules from a JSON object; with a `base`, as `from_toml` has it."""
        return _based(_json_fields(text))

    def to_json(self) -> str:
        """These rules as a JSON object."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_toml(cls, text: str) -> GameConfig:
        r"""Rules from TOML text; fields that are left out take their defaults, or what the rule set `base` says.

        >>> GameConfig.from_toml('base = "perudo"\nplayers = 3\npalifico = true').dice
        (5, 5, 5)
        """
        return _based(_toml_fields(text))

    def to_toml(self) -> str:
        """These rules as TOML: every field that is not None."""
        return "".join(f"{name} = {json.dumps(value)}\n" for name, value in self.to_dict().items() if value is not None)

    @classmethod
    def load(cls, path: str | Path) -> GameConfig:
        """Rules from a `.toml` or `.json` file."""
        return _based(fields_in_file(path))

    def save(self, path: str | Path) -> None:
        """Write these rules to a `.toml` or `.json` file."""
        path = Path(path)
        writer = {".toml": self.to_toml, ".json": self.to_json}.get(path.suffix)
        if writer is None:
            raise ConfigError("file", str(path), "a name that ends in .toml or .json")
        path.write_text(writer(), encoding="utf-8")


def fields_in_file(path: str | Path) -> dict[str, Any]:
    """What a `.toml` or `.json` file says: fields of the rules, and perhaps a `base`."""
    path = Path(path)
    reader = {".toml": _toml_fields, ".json": _json_fields}.get(path.suffix)
    if reader is None:
        raise ConfigError("file", str(path), "a name that ends in .toml or .json")
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise ConfigError("file", str(path), f"at most {LARGEST_FILE:,} bytes; rules need a few hundred")
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("file", str(path), f"a readable text file ({reason_of(error)})") from error
    return reader(text)


def _json_fields(text: str | bytes) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError("JSON", _shortened(text), f"a JSON object of rules ({error})") from error
    if not isinstance(fields, dict):
        raise ConfigError("JSON", _shortened(text), "a JSON object of rules")
    return fields


def _toml_fields(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # tomllib raises more than TOMLDecodeError
        raise ConfigError("TOML", _shortened(text), f"a TOML table of rules ({error})") from error


def _based(fields: Mapping[str, Any]) -> GameConfig:
    """The rules in a file: changes of a named rule set if it has a `base`, else of the default rules."""
    if "base" not in fields:
        return GameConfig.from_dict(fields)
    from .presets import changed_base  # which is made of rules

    return changed_base(fields)


def check_names(names: Iterable[object]) -> None:
    """Check that these are fields of the rules; if not, say what to write instead."""
    for name in names:
        if name not in GameConfig.__struct_fields__:
            today = OLD_NAMES.get(str(name))
            known = one_of(str(name), GameConfig.__struct_fields__)
            raise ConfigError("field", name, f"{today.in_python} (an earlier design's {name})" if today else known)


def _check_fields(config: GameConfig) -> None:
    """Check each field by itself."""
    dice: object = config.dice
    if not isinstance(dice, tuple) or len(dice) not in PLAYERS or not all(is_whole(n, DICE_PER_SEAT) for n in dice):
        raise ConfigError("dice", dice, f"{_span(PLAYERS)} numbers, one per seat, each from {_span(DICE_PER_SEAT)}")
    for name, choices in (
        ("wild", get_args(Wild)),
        ("bid_ordering", get_args(BidOrdering)),
        ("wild_bids", get_args(WildBids)),
        ("mode", get_args(Mode)),
        ("exact_payer", get_args(ExactPayer)),
        ("next_opener", get_args(NextOpener)),
    ):
        if getattr(config, name) not in choices:
            raise ConfigError(name, getattr(config, name), _or_list([repr(choice) for choice in choices]))
    for name in ("exact_call", "open_on_ones", "palifico"):
        if not isinstance(getattr(config, name), bool):
            raise ConfigError(name, getattr(config, name), "True or False")
    most = PLAYERS[-1] * DICE_PER_SEAT[-1] + 2 * SHARED_DICE[-1]
    for name, allowed, alternative in (
        ("table_dice", SHARED_DICE, ()),
        ("hidden_dice", SHARED_DICE, ()),
        ("faces", FACES, ()),
        ("max_quantity", range(1, most + 1), ("total",)),
        ("rounds", range(1, 10_000), (None,)),
        ("max_dice", DICE_PER_SEAT, (None,)),
        ("opening_min_quantity", range(1, most + 1), ()),
        ("max_turns", range(1, 1_000_000), (None,)),
        ("seed", SEEDS, (None,)),
    ):
        value = getattr(config, name)
        if not is_whole(value, allowed) and value not in alternative:
            others = [repr(other) for other in alternative]
            raise ConfigError(name, value, _or_list([f"a whole number from {_span(allowed)}", *others]))


def _check_combinations(config: GameConfig) -> None:
    """Check for fields that contradict each other, or that ask for something that can never happen."""
    if config.mode == "best_of" and (config.rounds is None or config.rounds % 2 == 0):
        raise ConfigError("rounds", config.rounds, "an odd number when mode is 'best_of'")
    if config.mode != "best_of" and config.rounds is not None:
        raise ConfigError("rounds", config.rounds, f"None when mode is {config.mode!r}; rounds belong to 'best_of'")
    if config.mode == "single_round" and config.next_opener != "loser":
        raise ConfigError("next_opener", config.next_opener, "'loser' when mode is 'single_round'")
    if config.palifico and config.mode != "elimination":
        raise ConfigError(
            "palifico",
            True,
            f"mode = 'elimination' as well, not {config.mode!r}: a palifico round begins when a player is down to one "
            "die, and only elimination takes dice away",
        )
    if config.max_dice is not None:
        if config.mode != "elimination" or not config.exact_call:
            raise ConfigError("max_dice", config.max_dice, "None unless mode is 'elimination' with exact_call")
        if config.max_dice < max(config.dice):
            raise ConfigError("max_dice", config.max_dice, f"at least {max(config.dice)}, which a seat starts with")
    if config.exact_payer != "bidder" and (config.mode != "elimination" or not config.exact_call):
        raise ConfigError("exact_payer", config.exact_payer, "'bidder' unless mode is 'elimination' with exact_call")
    if config.wild_bids == "forbidden" and config.wild == "none":
        raise ConfigError("wild_bids", config.wild_bids, "'natural' when wild is 'none': no face is wild")
    ladder = config.ladder()
    if config.opening_min_quantity > ladder.max_quantity:
        raise ConfigError("opening_min_quantity", config.opening_min_quantity, f"at most {ladder.max_quantity}")
    if not config.open_on_ones and all(face in (1, ladder.barred_face) for face in range(1, config.faces + 1)):
        raise ConfigError("open_on_ones", False, "True here, because only ones may be bid")


def is_whole(value: object, allowed: range) -> bool:
    """Whether this is a whole number (not a float, not a bool) in that range."""
    return isinstance(value, int) and not isinstance(value, bool) and value in allowed


def _span(numbers: range) -> str:
    return f"{numbers[0]} to {numbers[-1]}"


def _or_list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _shortened(text: str | bytes) -> str:
    shown = text if isinstance(text, str) else text.decode(errors="replace")
    return shown if len(shown) <= 60 else shown[:57] + "..."
