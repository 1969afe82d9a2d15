"""Lineups and seats. A lineup says who sits in each seat: `human` or `human:NAME`, or the name of a bot."""

from __future__ import annotations

from collections.abc import Sequence

from ..agents import HumanAgent
from ..core import LONGEST_NAME, BadValueError, GameConfig
from ..persistence import PERSON, is_person
from ..referee import BotLimits, InProcessSeat, Seat, make_fitting_seat
from .human_player import TerminalPlayer


def make_lineup(opponents: Sequence[str], seat: int = 0, name: str | None = None) -> tuple[str, ...]:
    """The lineup with you in this seat and the opponents, in their order, in the others."""
    if not 0 <= seat <= len(opponents):
        raise BadValueError("seat", seat, f"a seat from 0 to {len(opponents)}")
    if name is not None and not name.strip():
        raise BadValueError("name", name, "a name that is not blank")
    you = PERSON if name is None else f"{PERSON}:{name}"
    return (*opponents[:seat], you, *opponents[seat:])


def make_seats(
    lineup: Sequence[str],
    player: TerminalPlayer,
    config: GameConfig,
    limits: BotLimits | None = None,
    *,
    isolate: bool = False,
) -> list[Seat]:
    """The players of a lineup. One person is called You; several are numbered, unless they have names."""
    seats: list[Seat] = []
    people = sum(map(is_person, lineup))
    number = 0
    for entry in lineup:
        if is_person(entry):
            number += 1
            name = entry.partition(":")[2] or ("You" if people == 1 else f"Player {number}")
            if not name.isprintable() or len(name) > LONGEST_NAME:
                raise BadValueError("name", name, f"printable names of at most {LONGEST_NAME} characters")
            seat: Seat = InProcessSeat(HumanAgent(player.choose_action, name=name), BotLimits())
            seat.agent_id = PERSON if name == "You" else f"{PERSON}:{name}"
        else:
            seat = make_fitting_seat(entry, config, limits, isolate=isolate)
            seat.agent_id = entry
        seats.append(seat)
    return seats


def replace_bots(lineup: Sequence[str], opponents: Sequence[str]) -> tuple[str, ...]:
    """The same lineup with these opponents in place of its bots, in their order."""
    bots = len(lineup) - sum(map(is_person, lineup))
    if len(opponents) != bots:
        raise BadValueError("opponents", " ".join(opponents), f"{bots}, one name for each bot in the game")
    given = iter(opponents)
    return tuple(entry if is_person(entry) else next(given) for entry in lineup)


def take_seat(lineup: Sequence[str], seat: int, name: str | None = None) -> tuple[str, ...]:
    """The same lineup with you in this seat, and `optimal` in place of other people."""
    if not 0 <= seat < len(lineup):
        raise BadValueError("seat", seat, f"a seat from 0 to {len(lineup) - 1}")
    others = ["optimal" if is_person(entry) else entry for entry in lineup]
    return make_lineup([*others[:seat], *others[seat + 1 :]], seat, name)
