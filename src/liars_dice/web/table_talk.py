"""What players show each other without words: reactions and nudges, a few at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import messages as m
from .rate_limits import TokenBucket

if TYPE_CHECKING:
    from .room import Room

REACTIONS_PER_S, REACTION_BURST = 0.5, 3.0
NUDGE_EVERY_S = 10.0


class TableTalk:
    """Passes reactions and nudges on to everyone in a room. What is too much is dropped in silence."""

    def __init__(self, room: Room) -> None:
        self._room = room
        seats, now = range(len(room.doc.seats)), room.clock.now
        self._reactions = [TokenBucket(REACTIONS_PER_S, REACTION_BURST, now) for _ in seats]
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

    def _tell(self, message: m.Reaction | m.Nudged) -> None:
        told = m.encode(message)
        for one in tuple(self._room.presence.listeners):
            one.tell(told)
