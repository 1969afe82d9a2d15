"""Who is in a room: connections, players who are away, and when a bot plays for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..core import SPECTATOR
from ..persistence import RecordedEvent
from .clock import StudioClock
from .errors import FullError
from .room_document import SeatDoc
from .server_limits import ServerLimits

if TYPE_CHECKING:
    from .room import Room


class Listener(Protocol):
    """A connection to a room: a page, a bot, or a request that waits for the next question."""

    seat: int
    """The seat it belongs to, or `SPECTATOR`."""

    def tell(self, message: bytes) -> None:
        """Take a message; never waits."""

    def happened(self, room: Room, news: Sequence[RecordedEvent]) -> None:
        """New events were stored."""

    def begin_anew(self, room: Room) -> None:
        """The room's game now continues from an earlier moment."""

    def leave(self, reason: str, *, stay_away: bool = False) -> None:
        """The room is closed. The client can reconnect, and should do so by itself unless it is told to stay away."""


class Presence:
    """The connections of one room, and what follows from them."""

    def __init__(self, seats: int, limits: ServerLimits, clock: StudioClock) -> None:
        self.listeners: dict[Listener, None] = {}
        """Everyone who is connected, in the order they came."""
        self.stand_ins: set[int] = set()
        """Seats that a bot plays for now."""
        self._limits = limits
        self._clock = clock
        self._last_seen = self._last_played = clock.now()
        self._left = [self._last_seen] * seats
        self._polled_until = [float("-inf")] * seats

    @property
    def spectators(self) -> int:
        """How many connections have no seat."""
        return sum(one.seat == SPECTATOR for one in self.listeners)

    def is_here(self, seats: Sequence[SeatDoc], seat: int) -> bool:
        """Whether this seat's player is connected. The studio's own bots always are."""
        if seats[seat].token is None:
            return seats[seat].kind == "bot"
        return any(one.seat == seat for one in self.listeners) or self._clock.now() < self._polled_until[seat]

    def touch(self) -> None:
        """The room was visited now."""
        self._last_seen = self._clock.now()

    def played(self) -> None:
        """A player came or did something now. Looking on is not enough to keep a room for long."""
        self._last_played = self._clock.now()

    @property
    def deserted(self) -> bool:
        """Whether no one is connected, and no one has been for a while."""
        return not self.listeners and self._clock.now() - self._last_seen > self._limits.linger_s

    @property
    def idle(self) -> bool:
        """Whether no one has played or come for a long time, though pages may be open."""
        return self._clock.now() - self._last_played > self._limits.idle_s

    # -- coming and going ----------------------------------------------------------------------------------------------

    def join(self, listener: Listener) -> None:
        """Someone connects. If a bot played for them, it stops."""
        if listener.seat == SPECTATOR and self.spectators >= self._limits.spectators:
            raise FullError("this room has too many spectators", code="too_many_spectators")
        self.listeners[listener] = None
        self.returned(listener.seat)

    def leave(self, listener: Listener) -> bool:
        """Someone disconnects; False if they had already."""
        if listener not in self.listeners:
            return False
        del self.listeners[listener]
        if listener.seat != SPECTATOR:
            self.left(listener.seat)
        return True

    def polled(self, seat: int, seconds: float) -> None:
        """A program without a socket made a request; count it as connected for this long."""
        now = self._clock.now()
        self._last_seen = now
        self._polled_until[seat] = self._left[seat] = now + seconds
        self.returned(seat)

    def left(self, seat: int) -> None:
        """The player of this seat is away from now on."""
        self._left[seat] = self._clock.now()

    def returned(self, seat: int) -> None:
        """The player of this seat is back, and plays again."""
        self.stand_ins.discard(seat)

    # -- players who are away ------------------------------------------------------------------------------------------

    def seconds_until_stand_in(self, seats: Sequence[SeatDoc], seat: int, turn_began: float) -> float | None:
        """Seconds until a bot moves for this seat; None if none will.

        A bot stands in only while another person is here, so that a game that everyone has left waits for them.
        """
        doc = seats[seat]
        if doc.token is None:
            return None
        now, away_s = self._clock.now(), self._limits.away_s
        others = any(
            other != seat and one.token is not None and one.kind == "person" and self.is_here(seats, other)
            for other, one in enumerate(seats)
        )
        if not others and doc.kind == "person":
            return None
        if not self.is_here(seats, seat):
            return self._left[seat] + away_s - now
        return turn_began + away_s - now if doc.kind == "bot" else None
