"""Solved rounds that come with the package: two players, six faces, and one of three games. Rounds without wilds, with
bids ordered by quantity; rounds by the rules of `perudo`; and the rounds of a `perudo` match, with payoffs that are the
chances to win the match afterwards.

A file is a zip archive. `index.json` lists the rounds, with proved bounds on what their strategies are worth as they
are in the file: after leaving out what hardly ever happens, and after rounding. The strategies are columns, see
`strategy_columns`; probabilities are multiples of 1/65535. `tools/build_tablebase.py` makes the files.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, Literal, get_args
from zipfile import ZipFile

import msgspec
import numpy as np

from ...core import GameConfig, NextOpener, PublicState, RoundOutcome, RoundRules, after_round, preset, rules_in_short
from ..errors import DataError, OutOfReachError
from .cfr_traversal import Pool
from .public_tree import ONE_ROUND, Bracket, Payoffs, PublicTree
from .strategy import Strategy, pool_of
from .strategy_columns import COLUMNS, strategy_from

TABLEBASE_DICE = 6
"""The most dice in total that the package's solved rounds without wilds have."""
FACES = 6
FORMAT = 2
"""The version of the file format."""
SolvedGame = Literal["heads-up", "perudo", "perudo match"]
"""The games whose rounds come with the package. A match is played until a player has no dice left."""
FILES: dict[SolvedGame, str] = {
    "heads-up": "tablebase.zip",
    "perudo": "perudo.zip",
    "perudo match": "perudo-match.zip",
}
RULES: dict[SolvedGame, GameConfig] = {
    "heads-up": GameConfig(faces=FACES),
    "perudo": preset("perudo", players=2, mode="single_round"),
    "perudo match": preset("perudo", players=2),
}
"""The rules of each game, for any number of dice."""


class IndexedRound(msgspec.Struct, frozen=True):
    """A round's entry in the index."""

    dice: tuple[int, int]
    lower: float
    upper: float
    iterations: int
    cut: float = 0.0
    """As in `PublicTree`."""
    payoffs: Payoffs = ONE_ROUND

    @property
    def value(self) -> float:
        """The middle of the bracket."""
        return (self.lower + self.upper) / 2


class Index(msgspec.Struct, frozen=True):
    """The contents of the file."""

    format: int
    rounds: list[IndexedRound]
    rules: dict[str, Any] = {}
    """The rules by which they are played, but for the dice; by default six faces and no wilds."""


class SolvedRound(Bracket, frozen=True, dict=True):
    """An equilibrium of one round, with its proof: the opener is sure of `lower` and cannot get more than `upper`."""

    tree: PublicTree
    strategies: tuple[Strategy, Strategy]

    @property
    def pool(self) -> Pool:
        """Both strategies as a pool, for the traversal. Pools are large, so only the latest are kept."""
        return _LATEST_POOLS.of(self)


class LatestPools:
    """The pools that were asked for last, as many as fit into the memory they may take."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self._kept: dict[int, tuple[SolvedRound, Pool]] = {}
        self._lock = Lock()

    def of(self, solved: SolvedRound) -> Pool:
        """The pool of a round, which is now the latest."""
        with self._lock:
            kept = self._kept.pop(id(solved), None)
            pool = pool_of(solved.strategies, self.most_bytes) if kept is None else kept[1]
            self._kept[id(solved)] = solved, pool  # the round, too: its identity must not be given to another
            while self.bytes > self.most_bytes and len(self._kept) > 1:
                del self._kept[next(iter(self._kept))]
            return pool

    @property
    def bytes(self) -> int:
        """How much memory they take."""
        return sum(part.nbytes for _, pool in self._kept.values() for part in pool)


_LATEST_POOLS = LatestPools(most_bytes=1 << 30)


class Tablebase:
    """The solved rounds of a file.

    >>> round(Tablebase.shipped().round(1, 1).value, 4)
    -0.1111
    """

    def __init__(self, data: bytes, name: str = "tablebase") -> None:
        self._name = name
        try:
            self._file = ZipFile(BytesIO(data))
            raw = self._file.read("index.json")
            version = msgspec.json.decode(raw).get("format")
            if version != FORMAT:
                raise DataError(f"{name} is a tablebase of format {version}; this version reads {FORMAT}")
            index = msgspec.json.decode(raw, type=Index)
            config = GameConfig.from_dict(index.rules) if index.rules else GameConfig(faces=FACES)
        except DataError:
            raise
        except Exception as error:  # a damaged archive can make its readers raise anything
            raise self._damaged(error) from None
        if any(not -1 <= entry.lower <= entry.upper <= 1 for entry in index.rounds):
            raise DataError(f"{name} is damaged or not a tablebase: bounds that are no bracket between -1 and 1")
        self.config = config
        """The rules by which the rounds are played; the dice are those of no round in particular."""
        self.entries = {entry.dice: entry for entry in index.rounds}
        """The rounds in the file, by the opener's dice and the other player's."""
        self._solved: dict[tuple[int, int], SolvedRound] = {}

    def __repr__(self) -> str:
        return f"<Tablebase: {len(self.entries)} rounds in {self._name}>"

    @staticmethod
    @cache
    def shipped(game: SolvedGame = "heads-up") -> Tablebase:
        """The tablebase of a game that comes with the package."""
        name = "the package's tablebase" + ("" if game == "heads-up" else f" of {game}")
        base = Tablebase(files(__package__).joinpath("data", FILES[game]).read_bytes(), name)
        if base.config != RULES[game]:
            raise DataError(f"{name} is one of another game: {rules_in_short(base.config)}")
        return base

    @classmethod
    def read(cls, path: Path) -> Tablebase:
        """The tablebase in a file."""
        try:
            return cls(path.read_bytes(), str(path))
        except OSError as error:
            raise DataError(f"{path}: no tablebase can be read there ({error.strerror})") from None

    def entry(self, opener: int, other: int) -> IndexedRound:
        """The index entry of the round with these dice; its strategies are not read."""
        if (opener, other) not in self.entries:
            most = max(map(sum, self.entries), default=0)
            raise OutOfReachError(f"{opener} against {other} dice: {self._name} has up to {most} dice in total")
        return self.entries[opener, other]

    def round(self, opener: int, other: int) -> SolvedRound:
        """The round in which the opener and the other player have these numbers of dice."""
        dice = (opener, other)
        if dice not in self._solved:
            entry = self.entry(opener, other)
            tree = PublicTree(self.config.replace(dice=dice), payoffs=entry.payoffs, cut=entry.cut)
            strategies = (self._strategy(tree, 0), self._strategy(tree, 1))
            self._solved[dice] = SolvedRound(entry.lower, entry.upper, tree, strategies)
        return self._solved[dice]

    def _strategy(self, tree: PublicTree, seat: int) -> Strategy:
        folder = "{}v{}".format(*tree.config.dice)
        try:
            columns = {
                name: np.load(BytesIO(self._file.read(f"{folder}/{seat}/{name}.npy")), allow_pickle=False)
                for name in COLUMNS
            }
            return strategy_from(tree, seat, columns)
        except Exception as error:  # as above
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> DataError:
        return DataError(f"{self._name} is damaged or not a tablebase ({type(error).__name__}: {error})")


# -- what it covers ----------------------------------------------------------------------------------------------------


_PERUDO = preset("perudo", players=2).to_dict()
_BETWEEN_ROUNDS = {"mode", "rounds", "max_dice", "next_opener", "exact_payer"}
"""The rules that say what happens between rounds, and not how a round is played."""


@lru_cache(maxsize=256)
def solved_game(rules: RoundRules) -> SolvedGame | None:
    """The game by whose rules a round is played, if the package has solved rounds of it."""
    if has_tablebase_rules(rules):
        return "heads-up"
    different = {name for name, value in rules.config.to_dict().items() if value != _PERUDO[name]}
    different -= {"dice", "palifico"}
    if rules.palifico or different - _BETWEEN_ROUNDS:
        return None
    if rules.config.mode == "elimination":
        return None if different else "perudo match"
    return "perudo"


def solved_round(public: PublicState, *, or_round: bool = False) -> tuple[SolvedGame, SolvedRound] | None:
    """The round being played and the game it belongs to, if the package has it solved; with `or_round`, in a match that
    is not solved, the same round by itself.
    """
    in_play = sum(n > 0 for n in public.dice_counts)
    game = solved_game(public.rules) if in_play == 2 else None
    opener = public.dice_counts[public.opener]
    dice = (opener, sum(public.dice_counts) - opener)
    if or_round and game == "perudo match" and dice not in Tablebase.shipped(game).entries:
        game = "perudo"
    if game is None or dice not in Tablebase.shipped(game).entries:
        return None
    return game, Tablebase.shipped(game).round(*dice)


@lru_cache(maxsize=256)
def has_tablebase_rules(rules: RoundRules) -> bool:
    """Whether a round is played by the rules for which the tablebase was made."""
    config = rules.config
    return (
        config.faces == FACES
        and not config.shared_dice
        and rules.wild_face is None
        and config.bid_ordering == "quantity_then_face"
        and not rules.palifico
        and not config.exact_call
        and config.max_turns is None
        and rules.ladder.max_quantity == rules.total_dice
        and len(rules.opening_rungs) == len(rules.bids)
    )


def in_tablebase(public: PublicState) -> bool:
    """Whether the tablebase has the round being played: two players, its rules, few enough dice."""
    in_play = len(public.dice_counts) - public.dice_counts.count(0)
    return in_play == 2 and public.rules.total_dice <= TABLEBASE_DICE and has_tablebase_rules(public.rules)


# -- matches -----------------------------------------------------------------------------------------------------------


def match_bracket(
    opener: int, other: int, next_opener: NextOpener = "loser", base: Tablebase | None = None
) -> tuple[float, float]:
    """Proved bounds on the chance that the player who opens first wins an elimination match.

    Every round has two outcomes and its loser loses a die, so the best play of a round is the best play of the match as
    long as winning a round is worth more than losing it, which is checked for every state.
    """
    base = base or Tablebase.shipped()
    if next_opener not in get_args(NextOpener) or min(opener, other) < 1:
        raise OutOfReachError(
            f"{opener} v {other} dice, {next_opener} opens: expected dice, and loser, winner or alternate"
        )

    base.entry(opener, other)
    match = GameConfig(dice=(opener, other), faces=FACES, mode="elimination", next_opener=next_opener)

    def after(dice: tuple[int, int], outcome: RoundOutcome) -> tuple[float, float]:
        """The chances of the player who opened a round with these dice, once it has been decided."""
        (own, others), opens = after_round(match, dice, 0, outcome)
        if own == 0 or others == 0:
            return (float(others == 0), float(others == 0))
        if opens == 0:
            return chance(own, others)
        low, high = chance(others, own)
        return 1 - high, 1 - low

    @cache
    def chance(a: int, b: int) -> tuple[float, float]:
        """Of a player who has `a` dice and opens, against one who has `b`."""
        won, lost = (after((a, b), RoundOutcome(winner, 1 - winner)) for winner in (0, 1))
        if won[0] <= lost[1]:
            raise OutOfReachError(f"{a} against {b} dice: winning a round is not proved to be better than losing it")
        entry = base.entry(a, b)
        low, high = ((1 + value) / 2 for value in (entry.lower, entry.upper))
        return low * won[0] + (1 - low) * lost[0], high * won[1] + (1 - high) * lost[1]

    return chance(opener, other)
