"""Who sits where: a word a seat, `human` or `human:NAME` for people, a bot's name for bots."""

from __future__ import annotations

from collections.abc import Sequence

from ..agents import HumanAgent
from ..core import BadValueError, GameConfig
from ..persistence import PERSON, is_person
from ..referee import BotLimits, InProcessSeat, Seat, make_fitting_seat
from .human_player import TerminalPlayer


def make_lineup(opponents: Sequence[str], seat: int = 0, name: str | None = None) -> tuple[str, ...]:
    """The lineup for all seats: you in this one, the opponents around you in their order."""
    if not 0 <= seat <= len(opponents):
        raise BadValueError("seat", seat, f"a seat from 0 to {len(opponents)}")
    if name is not None and not name.strip():
        raise BadValueError("name", name, "a name that is not blank")
    you = PERSON if name is None else f"{PERSON}:{name}"
    return (*opponents[:seat], you, *opponents[seat:])


def make_seats(lineup: Sequence[str], player: TerminalPlayer, config: GameConfig, *, isolate: bool) -> list[Seat]:
    """Everybody at the table. One person is called You; several are numbered, unless they have names."""
    seats: list[Seat] = []
    people = sum(map(is_person, lineup))
    number = 0
    for word in lineup:
        if is_person(word):
            number += 1
            name = word.partition(":")[2] or ("You" if people == 1 else f"Player {number}")
            seat: Seat = InProcessSeat(HumanAgent(player.choose_action, name=name), BotLimits())
            seat.agent_id = PERSON if name == "You" else f"{PERSON}:{name}"
        else:
            seat = make_fitting_seat(word, config, isolate=isolate)
            seat.agent_id = word
        seats.append(seat)
    return seats


def replace_bots(lineup: Sequence[str], opponents: Sequence[str]) -> tuple[str, ...]:
    """The same seats with these opponents in the bots' places, in their order."""
    bots = len(lineup) - sum(map(is_person, lineup))
    if len(opponents) != bots:
        raise BadValueError("opponents", " ".join(opponents), f"{bots}, one for each bot of the game")
    given = iter(opponents)
    return tuple(word if is_person(word) else next(given) for word in lineup)


def take_seat(lineup: Sequence[str], seat: int, name: str | None = None) -> tuple[str, ...]:
    """The same seats with you alone in this one; where other people sat there is `optimal` now."""
    if not 0 <= seat < len(lineup):
        raise BadValueError("seat", seat, f"a seat from 0 to {len(lineup) - 1}")
    others = ["optimal" if is_person(word) else word for word in lineup]
    return make_lineup([*others[:seat], *others[seat + 1 :]], seat, name)
