"""The rules of one round: a config compiled for the dice in play (rules 2, 3, 7), and how dice count (rule 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from .actions import Action, BidAction, CallExactAction, CallLiarAction
from .bid import Bid
from .config import GameConfig
from .ladder import Ladder


class _LegalAfter(dict[int, tuple[Action, ...]]):
    """The moves the ladder allows after each rung (-1: no bid yet), worked out when a rung is first reached."""

    def __init__(self, opening: tuple[Action, ...], moves: tuple[Action, ...]) -> None:
        super().__init__({-1: opening})
        self._moves = moves

    def __missing__(self, rung: int) -> tuple[Action, ...]:
        legal = self._moves[rung + 1 :]
        if len(self._moves) <= 1000:  # for longer ladders, the table would fill the memory
            self[rung] = legal
        return legal


class _Compiled:
    """What a round's rules compile to: plain attributes, set once, because every move looks up several of them.

    Bots can reach these tables through their views, so the public ones are immutable.
    """

    ladder: Ladder
    """This round's bids."""
    bids: tuple[Bid, ...]
    """The bid on each rung."""
    rungs: Mapping[Bid, int]
    """The rung of each bid."""
    faces: frozenset[int]
    """What a die can show."""
    wild_face: int | None
    """The face that counts as every other face, if any."""
    moves: tuple[Action, ...]
    """Every bid from the lowest rung up, then the calls: the entries after rung r are the moves that may follow it."""
    _rung_of: dict[Bid, int]
    """`rungs` as a plain dict, for speed."""
    _legal_after: dict[int, tuple[Action, ...]]
    """The part of `moves` that may follow each rung, -1 for an opening."""
    opening: tuple[BidAction, ...]
    """The bids that may open the round (rule 3.6)."""
    opening_rungs: frozenset[int]
    """Their rungs."""
    limits_raises: bool
    """Whether anything but the ladder limits raises."""


class RoundRules(_Compiled, msgspec.Struct, frozen=True, dict=True, repr_omit_defaults=True):
    """The rules that hold throughout one round. `config` has no seed: these rules are public."""

    config: GameConfig
    total_dice: int
    """How many dice are in play."""
    palifico: bool = False
    """Whether this is a palifico round."""

    def __post_init__(self) -> None:
        config = self.config
        ladder = config.ladder(self.total_dice, palifico=self.palifico)
        calls: tuple[Action, ...] = (CallLiarAction(), CallExactAction()) if config.exact_call else (CallLiarAction(),)
        least = min(config.opening_min_quantity, ladder.max_quantity)
        on_ones = config.open_on_ones or self.palifico
        opening = tuple(a for a in ladder.bid_actions if a.bid.quantity >= least and (on_ones or a.bid.face != 1))
        moves = ladder.bid_actions + calls
        self.__dict__.update(
            ladder=ladder,
            bids=ladder.bids,
            rungs=ladder.rungs,
            faces=frozenset(range(1, config.faces + 1)),
            wild_face=config.wild_face(palifico=self.palifico),
            moves=moves,
            _rung_of=dict(ladder.rungs),
            _legal_after=_LegalAfter(opening, moves),
            opening=opening,
            opening_rungs=frozenset(ladder.rungs[action.bid] for action in opening),
            limits_raises=self.palifico or config.max_turns is not None,
        )


@lru_cache(maxsize=256)
def round_rules(config: GameConfig, total_dice: int, palifico: bool) -> RoundRules:
    """The shared rules for such rounds, so that their tables are built once. `config` must have no seed."""
    return RoundRules(config, total_dice, palifico)


def count_matches(hands: Iterable[tuple[int, ...]], face: int, wild_face: int | None) -> int:
    """How many dice count for a bid on `face`: those that show it, and the wild ones unless it is the wild face."""
    has_wild = wild_face is not None and wild_face != face
    count = 0
    for hand in hands:
        count += hand.count(face)
        if has_wild:
            count += hand.count(wild_face)
    return count
