"""Proof that the dice of a recorded game are those that its seed gives: every roll is made again."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ..core import DiceCup, DiceRolled, Event, GameCreated, RoundStarted, SeatStream, SharedDiceRolled
from .errors import ReplayError

_SEED_INFO = re.compile(r"(\d{1,19})/(\d{1,9})/(\d{1,9})")


class RollsChecked(msgspec.Struct, frozen=True):
    """What rolling the dice of a game again has shown."""

    rolled_again: int
    """How many rolls are those that the seed gives."""
    without_seed: int
    """How many rolls could not be made again: the record does not say from which seed they come."""
    seeds: int
    """How many seeds the rolls come from: more than one if the game continues another."""


def check_dice(events: Sequence[Event]) -> RollsChecked:
    """Roll every roll of a game again; `ReplayError` at the first that its seed does not give.

    A game that continues another may begin with rolls from that game's seeds. Every later roll must come from its own.
    """
    created = events[0]
    if not isinstance(created, GameCreated):
        raise ReplayError("the first event must be GameCreated")
    seats = created.config.num_players
    branched = re.fullmatch(r".*@(\d{1,9})", created.branched_from or "")
    copied = int(branched[1]) if branched else 0
    cup = DiceCup(created.config.faces)
    _check_where_the_seed_begins(created, events, copied)
    round_index, rolled_again, without_seed = -1, 0, 0
    seeds: set[int] = set()
    for version, event in enumerate(events):
        if isinstance(event, RoundStarted):
            round_index = event.round_index
        if not isinstance(event, DiceRolled | SharedDiceRolled):
            continue
        first, rolls = (
            (event.player_id, [event.dice])
            if isinstance(event, DiceRolled)
            else (seats, [event.table_dice, event.hidden_dice])
        )
        where = f"event {version} ({type(event).__name__}) of round {round_index + 1}"
        seed = _recorded_seed(event.seed_info, round_index, first, where)
        own = _seed_of_game(created, round_index, new=version >= copied)
        if seed is not None and own is not None and seed != own:
            raise ReplayError(f"{where}: the dice come from another seed than the game's")
        seed = own if seed is None and created.fairness is not None else seed
        if seed is None:
            without_seed += 1
            continue
        seeds.add(seed)
        for seat, dice in enumerate(rolls, first):
            expected = tuple(sorted(cup.roll(len(dice), SeatStream(seed, round_index, seat))))
            if dice != expected:
                raise ReplayError(f"{where}: expected the dice {expected}, which the seed gives, found {dice}")
        rolled_again += 1
    return RollsChecked(rolled_again, without_seed, len(seeds))


def _check_where_the_seed_begins(created: GameCreated, events: Sequence[Event], copied: int) -> None:
    """A commitment is for every round that was not copied from another game."""
    if created.fairness is None:
        return
    began = next((event.round_index for event in events[copied:] if isinstance(event, RoundStarted)), None)
    if began is not None and began < created.fairness.first_round:
        raise ReplayError(f"round {began + 1} was dealt in this game, but the commitment leaves it out")


def _seed_of_game(created: GameCreated, round_index: int, *, new: bool) -> int | None:
    """The seed that a roll in this round must come from, if it is known. `new`: not copied from another game."""
    fairness = created.fairness
    if fairness is not None and fairness.secret is not None and round_index >= fairness.first_round:
        return fairness.seed
    return created.config.seed if new else None


def _recorded_seed(info: str | None, round_index: int, seat: int, where: str) -> int | None:
    """The seed that a roll names; None if it names none."""
    named = _SEED_INFO.fullmatch(info or "")
    if named is None:
        return None
    if (int(named[2]), int(named[3])) != (round_index, seat) or int(named[1]) >= 2**63:
        raise ReplayError(f"{where}: the seed is noted as {info}, for another round or seat")
    return int(named[1])
