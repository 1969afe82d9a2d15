"""What players tell each other beside the game: reactions, nudges and, where the host allows it, lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import socket_messages as m
from .errors import RoomError
from .rate_limits import TokenBucket
from .room_document import one_line

if TYPE_CHECKING:
    from .room import Room

REACTIONS_PER_S, REACTION_BURST = 0.5, 3.0
NUDGE_EVERY_S = 10.0
LINES_PER_S, LINE_BURST = 0.4, 4.0


class TableTalk:
    """Passes them on to everyone in a room, and keeps nothing. What is too much is dropped in silence."""

    def __init__(self, room: Room) -> None:
        self._room = room
        seats, now = range(len(room.doc.seats)), room.clock.now
        self._reactions = [TokenBucket(REACTIONS_PER_S, REACTION_BURST, now) for _ in seats]
        self._lines = [TokenBucket(LINES_PER_S, LINE_BURST, now) for _ in seats]
        self._nudges = [TokenBucket(1 / NUDGE_EVERY_S, 1.0, now) for _ in seats]

    def react(self, seat: int, what: m.Reactions) -> None:
        """Show everyone a small picture beside this seat."""
        if self._reactions[seat].take():
            self._tell(m.Reaction(seat, what))

    def nudge(self, seat: int) -> None:
        """Remind the player to move, on behalf of this seat."""
        player = self._room.to_move
        if player not in (None, seat) and self._nudges[seat].take():
            assert player is not None
            self._tell(m.Nudged(player, seat))

    def say(self, seat: int, text: str) -> None:
        """Show everyone a line of text from this seat, if the host allows it. Pages show it as text, never as HTML."""
        if not self._room.doc.chat:
            raise RoomError("the host has not allowed chat in this room", code="no_chat")
        line = one_line(text)
        if line and self._lines[seat].take():
            self._tell(m.Said(seat, line))

    def _tell(self, message: m.Reaction | m.Nudged | m.Said) -> None:
        told = m.encode(message)
        for one in tuple(self._room.presence.listeners):
            one.tell(told)
