"""What a memoryless decision depends on besides the player's own dice and the current bid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
import numpy as np

from ...core import Bid, ConfigError, GameConfig, GameView, PublicState, RoundRules, round_rules
from ...numeric import Floats, Ints
from ..errors import OutOfReachError
from .hands import HandSet, number_of_hands

CALLS_ONLY = -1
"""The limit on raises once the rules allow no further bid."""
MOST_CELLS = 200_000_000
"""The most cells, of all agents' tables together, that are held in memory."""
ANY_RAISE = 0
"""The limit on raises when only the ladder limits them."""


class Situation(msgspec.Struct, frozen=True):
    """A kind of round as one player sees it: its rules, the player's number of dice, and what limits raises."""

    rules: RoundRules
    own: int
    """How many dice the player has."""
    limit: int = ANY_RAISE
    """`ANY_RAISE`; the face that must be kept in a palifico round; or `CALLS_ONLY`."""

    def __post_init__(self) -> None:
        check_own_dice_only(self.rules.config)

    @property
    def other(self) -> int:
        """How many dice the other players have together."""
        return self.rules.total_dice - self.own

    def view(self, hand: tuple[int, ...], rung: int) -> GameView | None:
        """What the player sees with this hand after a bid on this rung (-1: none yet), with the shortest past that
        leads there; None if nothing does.
        """
        past = self._past(rung)
        if past is None:
            return None
        history = tuple(self.rules.bids[r] for r in past)
        seats = self.rules.config.num_players
        in_play = [self.own, *_spread(self.other, seats - 1)]
        alive = len([n for n in in_play if n])
        opener = -len(history) % alive
        names = tuple(f"player-{seat}" for seat in range(seats))
        public = PublicState(self.rules, names, tuple(in_play), opener, 0, history, rung, "BIDDING", ())
        return GameView(0, hand, public)

    def arises(self, rung: int) -> bool:
        """Whether a player can come to decide after a bid on this rung (-1: none yet) in this situation."""
        return self._past(rung) is not None

    def _past(self, rung: int) -> tuple[int, ...] | None:
        """The rungs of the shortest bidding that leads to this rung, if any does."""
        rules, most = self.rules, self.rules.config.max_turns
        if rung < 0:
            return () if self.limit == ANY_RAISE else None
        if self.limit == ANY_RAISE and rules.palifico and self.own > 1:
            return None  # the face is fixed from the first bid on
        lowest = _lowest_opening(rules, max(self.limit, ANY_RAISE))
        if lowest is None or lowest > rung:
            return None
        if self.limit == CALLS_ONLY:
            assert most is not None
            between = range(lowest, rung)[: most - 1]
            return (*between, rung) if len(between) == most - 1 else None
        opens = rung in rules.opening_rungs and self.limit in (ANY_RAISE, rules.bids[rung].face)
        past = (rung,) if opens else (lowest, rung)
        return None if most is not None and len(past) >= most else past


@lru_cache(maxsize=4096)
def _lowest_opening(rules: RoundRules, face: int) -> int | None:
    """The lowest rung that may open a round, on this face or (0) on any."""
    return min((rung for rung in rules.opening_rungs if face in (0, rules.bids[rung].face)), default=None)


def check_own_dice_only(config: GameConfig) -> None:
    """Raise `OutOfReachError` if there are dice that belong to no player: a table lists a player's own dice only."""
    if config.shared_dice:
        raise OutOfReachError(
            f"table_dice = {config.table_dice}, hidden_dice = {config.hidden_dice}: results are computed for games in "
            "which every die belongs to a player; the engine plays the others (--games N)"
        )


_SAME_ROUNDS = (
    "faces",
    "wild",
    "bid_ordering",
    "wild_bids",
    "opening_min_quantity",
    "open_on_ones",
    "max_quantity",
    "table_dice",
    "hidden_dice",
)


def check_same_rounds(config: GameConfig, known: GameConfig, whose: str, *also: str) -> None:
    """Raise `ConfigError` if rounds by these rules differ from those an agent knows, other than in the number of dice;
    `also` names further fields that matter to it, and `whose` ends the sentence.
    """
    for field in (*_SAME_ROUNDS, *also):
        if getattr(config, field) != getattr(known, field):
            raise ConfigError(field, getattr(config, field), f"{getattr(known, field)!r}, {whose}")


def situation_of(view: GameView) -> Situation:
    """The situation in which a player has to decide."""
    return situation_after(view.public.rules, len(view.my_dice), view.public.bid_history)


def situation_after(rules: RoundRules, own: int, bids: Sequence[Bid]) -> Situation:
    """The situation of a player with this many dice once these bids have been made (rules 3.7, 7.4)."""
    most = rules.config.max_turns
    if most is not None and len(bids) >= most:
        return Situation(rules, own, CALLS_ONLY)
    keeps_face = rules.palifico and own > 1 and len(bids) > 0
    return Situation(rules, own, bids[0].face if keeps_face else ANY_RAISE)


def _spread(dice: int, seats: int) -> list[int]:
    """These dice in this many hands, as evenly as possible; hands without dice come last."""
    return [dice // seats + (seat < dice % seats) for seat in range(seats)]


def situations(config: GameConfig) -> Iterator[Situation]:
    """Every situation that can arise in a game by these rules (and some that cannot)."""
    rules = config.without_seed
    for own, other in dice_states(config):
        yield from _of_round(round_rules(rules, own + other, False), own)
        if config.palifico:
            yield from _of_round(round_rules(rules, own + other, True), own)


def _of_round(rules: RoundRules, own: int) -> Iterator[Situation]:
    yield Situation(rules, own)
    if rules.palifico and own > 1:
        yield from (Situation(rules, own, face) for face in range(1, rules.config.faces + 1))
    if rules.config.max_turns is not None:
        yield Situation(rules, own, CALLS_ONLY)


def dice_states(config: GameConfig) -> list[tuple[int, int]]:
    """The (own, other) numbers of dice a player can come to face (rules 6.2, 6.3)."""
    total = config.most_in_play
    if config.mode != "elimination":
        return sorted({(n, total - n) for n in config.dice})
    most = config.dice_cap
    others = most * (config.num_players - 1)
    return [(own, other) for own in range(1, most + 1) for other in range(1, min(others, total - own) + 1)]


def ladder_arrays(rules: RoundRules) -> tuple[Ints, Ints]:
    """The quantity and the face of every rung."""
    return np.array([bid.quantity for bid in rules.bids]), np.array([bid.face for bid in rules.bids])


def showdowns(rules: RoundRules, own: HandSet, theirs: HandSet) -> tuple[Floats, Floats]:
    """[rung, their hand, own hand]: whether the bid is true (1 or 0), and whether it is exactly right."""
    own_matches, their_matches = (hands.matches(rules.wild_face) for hands in (own, theirs))
    quantity, face = ladder_arrays(rules)
    count = their_matches.T[face][:, :, None] + own_matches.T[face][:, None, :]
    true = (count >= quantity[:, None, None]).astype(np.float64)
    right = (count == quantity[:, None, None]).astype(np.float64)
    return true, right


def count_rungs(config: GameConfig, total_dice: int, *, palifico: bool = False) -> int:
    """How many rungs a round's ladder has, found without building it."""
    highest = total_dice if config.max_quantity == "total" else config.max_quantity
    barred = config.wild_bids == "forbidden" and config.wild_face(palifico=palifico) is not None
    return highest * (config.faces - barred)


def cells_needed(config: GameConfig) -> int:
    """The number of cells in all tables of one agent."""
    total = 0
    for own, other in dice_states(config):
        for palifico in (False, True) if config.palifico else (False,):
            kinds = 1 + (config.faces if palifico and own > 1 else 0) + (config.max_turns is not None)
            columns = count_rungs(config, own + other, palifico=palifico) + 1
            total += kinds * columns * number_of_hands(own, config.faces)
    return total
