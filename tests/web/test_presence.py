"""Who counts as here, and when a bot plays for a player who is away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from studio_kit import EASY, ManualClock

from liars_dice.core import SPECTATOR
from liars_dice.web.errors import FullError
from liars_dice.web.presence import Presence
from liars_dice.web.room_document import SeatDoc

ANN, BEN = SeatDoc("person", "Ann", None, "hash"), SeatDoc("person", "Ben", None, "hash")
OWN_BOT, NETWORK_BOT = SeatDoc("bot", "optimal", "optimal"), SeatDoc("bot", "careful", None, "hash")


class Client:
    """A connection that listens to nothing."""

    def __init__(self, seat: int) -> None:
        self.seat = seat

    def tell(self, message: bytes) -> None: ...

    def happened(self, room: Any, news: Sequence[Any]) -> None: ...

    def begin_anew(self, room: Any) -> None: ...

    def leave(self, reason: str, *, stay_away: bool = False) -> None: ...


def test_a_person_is_here_while_connected_and_our_bots_always() -> None:
    presence, seats = Presence(2, EASY, ManualClock()), [ANN, OWN_BOT]
    ann = Client(0)
    assert [presence.is_here(seats, seat) for seat in (0, 1)] == [False, True]
    presence.join(ann)
    assert presence.is_here(seats, 0)
    assert presence.leave(ann)
    assert not presence.leave(ann)
    assert not presence.is_here(seats, 0)


def test_a_program_that_polls_is_here_for_a_while() -> None:
    clock = ManualClock()
    presence, seats = Presence(2, EASY, clock), [ANN, NETWORK_BOT]
    presence.polled(1, 15.0)
    clock.advance(14.9)
    assert presence.is_here(seats, 1)
    clock.advance(0.1)
    assert not presence.is_here(seats, 1)
    assert presence.seconds_until_stand_in(seats, 1, turn_began=0.0) == EASY.away_s


def test_a_bot_stands_in_only_while_another_person_is_here() -> None:
    clock = ManualClock()
    presence, seats = Presence(2, EASY, clock), [ANN, BEN]
    ann = Client(0)
    presence.join(ann)
    assert presence.seconds_until_stand_in(seats, 0, turn_began=0.0) is None
    clock.advance(20)
    assert presence.seconds_until_stand_in(seats, 1, turn_began=0.0) == EASY.away_s - 20
    presence.leave(ann)
    assert presence.seconds_until_stand_in(seats, 1, turn_began=0.0) is None


def test_a_network_bot_that_is_here_must_answer_in_time() -> None:
    clock = ManualClock()
    presence, seats = Presence(2, EASY, clock), [ANN, NETWORK_BOT]
    presence.join(Client(1))
    clock.advance(30)
    assert presence.seconds_until_stand_in(seats, 1, turn_began=10.0) == EASY.away_s - 20


def test_a_returning_player_takes_over_from_the_stand_in() -> None:
    presence = Presence(2, EASY, ManualClock())
    presence.stand_ins.add(1)
    presence.join(Client(1))
    assert not presence.stand_ins


def test_spectators_are_counted_and_limited() -> None:
    presence = Presence(2, EASY, ManualClock())
    for _ in range(EASY.spectators):
        presence.join(Client(SPECTATOR))
    assert presence.spectators == EASY.spectators
    with pytest.raises(FullError) as refused:
        presence.join(Client(SPECTATOR))
    assert refused.value.code == "too_many_spectators"
    presence.join(Client(0))


def test_a_room_is_deserted_some_time_after_its_last_visitor() -> None:
    clock = ManualClock()
    presence = Presence(2, EASY, clock)
    ann = Client(0)
    presence.join(ann)
    clock.advance(10 * EASY.linger_s)
    assert not presence.deserted
    presence.leave(ann)
    presence.touch()
    clock.advance(EASY.linger_s)
    assert not presence.deserted
    clock.advance(1)
    assert presence.deserted
