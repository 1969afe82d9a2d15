"""Settings that change during training."""

from __future__ import annotations

from math import isfinite

import msgspec

from ..core import BadValueError


class Schedule(msgspec.Struct, frozen=True):
    """A value that goes linearly from `start` to `end` over the whole training.

    >>> Schedule(0.5, 0.1).at(0.5)
    0.3
    """

    start: float
    end: float

    def __post_init__(self) -> None:
        if not (isfinite(self.start) and isfinite(self.end) and self.start >= 0 and self.end >= 0):
            raise BadValueError("schedule", (self.start, self.end), "two finite numbers from 0 up")

    def at(self, part: float) -> float:
        """The value when this fraction of the training is done."""
        return self.start + (self.end - self.start) * part


def check_schedule(name: str, value: object) -> None:
    """Raise `BadValueError` unless this is a schedule."""
    if not isinstance(value, Schedule):
        raise BadValueError(name, value, "a schedule, such as Schedule(0.2, 0.005); Schedule(0.1, 0.1) stays the same")


def check_gamma(gamma: float) -> None:
    """Raise `BadValueError` unless γ is from 0 to 1."""
    if not 0 <= gamma <= 1:
        raise BadValueError("gamma", gamma, "a number from 0 to 1")
