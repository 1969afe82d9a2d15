"""The rooms that are listed and counted. Any other room can still be opened by its link."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from .clock import StudioClock
from .messages import RoomListItem
from .room_document import RoomDoc
from .server_limits import ServerLimits


class RoomIndex:
    """Rooms that are waiting or playing, without those that have not been visited for a long time."""

    def __init__(self, limits: ServerLimits, clock: StudioClock, docs: Iterable[RoomDoc]) -> None:
        self._limits = limits
        self._clock = clock
        now = clock.utc_now()
        fresh = [doc for doc in docs if not doc.over and self._is_fresh(doc, now)]
        self._docs = {doc.id: doc for doc in heapq.nlargest(limits.rooms, fresh, key=_last_visit)}

    def _is_fresh(self, doc: RoomDoc, now: datetime) -> bool:
        seconds = self._limits.waiting_s if doc.solo or doc.game_id is None else self._limits.company_s
        return now - doc.last_visit < timedelta(seconds=seconds)

    def __len__(self) -> int:
        return len(self._docs)

    def update(self, doc: RoomDoc) -> None:
        """Add a room, or replace its document. A room whose game is over is removed."""
        if doc.over:
            self._docs.pop(doc.id, None)
        else:
            self._docs[doc.id] = doc

    def make_place(self, in_memory: Collection[str]) -> bool:
        """Make place for one more room; False if there is none. Rooms that are not in memory are removed, those visited
        longest ago first.
        """
        too_many = len(self._docs) - self._limits.rooms + 1
        if too_many > 0:
            stored = (doc for name, doc in self._docs.items() if name not in in_memory)
            for doc in heapq.nsmallest(too_many, stored, key=_last_visit):
                del self._docs[doc.id]
        return len(self._docs) < self._limits.rooms

    def list_items(self, in_memory: Collection[str]) -> list[RoomListItem]:
        """The list of rooms, newest first, without those where one person plays alone."""
        now = self._clock.utc_now()
        listed = ((name, doc) for name, doc in self._docs.items() if not doc.private)
        shown = [doc for name, doc in listed if name in in_memory or self._is_fresh(doc, now)]
        return [doc.list_item for doc in heapq.nlargest(self._limits.listed, shown, key=lambda doc: doc.created_utc)]


def _last_visit(doc: RoomDoc) -> datetime:
    return doc.last_visit
