"""The rooms that are listed and counted. A room that is not among them is not lost: its link opens it."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from ..persistence import utc_now
from .messages import RoomLine
from .room_document import RoomDoc
from .safety import ServerLimits


class Lobby:
    """Rooms that wait or play, those aside that nobody has visited for long."""

    def __init__(self, limits: ServerLimits, docs: Iterable[RoomDoc]) -> None:
        self._limits = limits
        now = utc_now()
        fresh = [doc for doc in docs if not doc.over and self._is_fresh(doc, now)]
        self._docs = {doc.id: doc for doc in heapq.nlargest(limits.rooms, fresh, key=_last_visit)}

    def _is_fresh(self, doc: RoomDoc, now: datetime) -> bool:
        seconds = self._limits.waiting_s if doc.solo or doc.game_id is None else self._limits.company_s
        return now - doc.last_visit < timedelta(seconds=seconds)

    def __len__(self) -> int:
        return len(self._docs)

    def keep(self, doc: RoomDoc) -> None:
        """This is how a room stands now."""
        if doc.over:
            self._docs.pop(doc.id, None)
        else:
            self._docs[doc.id] = doc

    def make_place(self, awake: Collection[str]) -> bool:
        """Make place for one more; whether that was possible. Rooms that sleep leave, those first that were not visited
        for the longest time.
        """
        too_many = len(self._docs) - self._limits.rooms + 1
        if too_many > 0:
            asleep = (doc for name, doc in self._docs.items() if name not in awake)
            for doc in heapq.nsmallest(too_many, asleep, key=_last_visit):
                del self._docs[doc.id]
        return len(self._docs) < self._limits.rooms

    def lines(self, awake: Collection[str]) -> list[RoomLine]:
        """The newest rooms first, but not where one person plays alone."""
        now = utc_now()
        listed = ((name, doc) for name, doc in self._docs.items() if not doc.private)
        shown = [doc for name, doc in listed if name in awake or self._is_fresh(doc, now)]
        return [doc.line for doc in heapq.nlargest(self._limits.listed, shown, key=lambda doc: doc.created_utc)]


def _last_visit(doc: RoomDoc) -> datetime:
    return doc.last_visit
