"""What a bot in a room hears: the same, and in the same order, whether it sits here, comes late, or comes back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core import Event, GameEnded, RoundEnded, RoundResolution, visible_to
from ..persistence import RecordedEvent


def feed(
    news: Sequence[RecordedEvent], seat: int, resolutions: Sequence[RoundResolution]
) -> Iterator[Event | RoundResolution]:
    """The events of `news` that this seat may see and, when everything about a round is told, how it ended.

    `resolutions` are those of all rounds until the end of the news.
    """
    due = iter(resolutions[len(resolutions) - sum(isinstance(sealed.payload, RoundEnded) for sealed in news) :])
    ended = False
    for sealed in news:
        event = sealed.payload
        if ended and not isinstance(event, GameEnded):
            ended = False
            yield next(due)
        seen = visible_to(event, seat)
        if seen is not None:
            yield seen
        ended = ended or isinstance(event, RoundEnded)
    if ended:
        yield next(due)
