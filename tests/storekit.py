"""What tests of trouble in stores share."""

from __future__ import annotations

from liars_dice.persistence import GameRecorder, RecordedEvent, StoreError
from liars_dice.persistence.conformance import sample_game

GAME = sample_game("one")


def fill(store: GameRecorder, events: list[RecordedEvent]) -> None:
    for event in events:
        store.record(event)
    store.flush()


def failed(store: GameRecorder, events: list[RecordedEvent], message: str) -> bool:
    """Whether storing failed; if it did, with this message."""
    try:
        fill(store, events)
    except StoreError as error:
        if message not in str(error):
            raise
        return True
    return False
