"""A recorded game cut into the steps in which it was played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core import AgentFaulted, Event, GameState
from ..persistence import RecordedEvent, Replay


class RecordedSteps:
    """Groups the events of a record as they happened together, and finds the state after each group.

    A step is a deal, or a move with the faults before it and everything that follows from it. Feed a record piece by
    piece; each piece must end where a step ends.
    """

    def __init__(self) -> None:
        self._replay = Replay()

    def feed(self, record: Iterable[RecordedEvent]) -> Iterator[tuple[list[Event], GameState]]:
        """The steps of the next piece of the record, each with the state after it."""
        step: list[Event] = []
        for recorded in record:
            event = recorded.payload
            step.append(event)
            self._replay.feed(event)
            if not isinstance(event, AgentFaulted) and not self._replay.between_moves:
                yield step, self._replay.state
                step = []
        if step:
            yield step, self._replay.state
