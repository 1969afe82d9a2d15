"""Numbers that change while learning goes on."""

from __future__ import annotations

from math import isfinite

import msgspec

from ..core import BadValueError


class Schedule(msgspec.Struct, frozen=True):
    """From `start` to `end` in a straight line over the whole training.

    >>> Schedule(0.5, 0.1).at(0.5)
    0.3
    """

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (isfinite(self.start) and isfinite(self.end) and self.start >= 0 and self.end >= 0):
            raise BadValueError("schedule", (self.start, self.end), "two numbers from 0 up")

    def at(self, part: float) -> float:
        """Its value when this part of the training is over."""
        return self.start + (self.end - self.start) * part


def check_gamma(gamma: float) -> None:
    """γ is a part."""
    if not 0 <= gamma <= 1:
        raise BadValueError("gamma", gamma, "a number from 0 to 1")
