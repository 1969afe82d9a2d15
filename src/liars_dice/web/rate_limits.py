"""Token buckets: how many requests a client may make per second."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

KEPT_ADDRESSES = 1000
"""Buckets of addresses that have been quiet the longest are dropped beyond this number."""


class TokenBucket:
    """Allows `rate` requests per second, and `burst` at once."""

    __slots__ = ("_burst", "_now", "_rate", "_then", "level")

    def __init__(self, rate: float, burst: float, now: Callable[[], float]) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self.level = burst
        self._then = now()

    def take(self) -> bool:
        """Whether one more request is allowed now."""
        now = self._now()
        self.level = min(self._burst, self.level + (now - self._then) * self._rate)
        self._then = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class AddressRates:
    """A token bucket per client address."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float]) -> None:
        self._rate, self._burst, self._now = rate, burst, now
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether this address may make one more request now."""
        bucket = self._buckets.pop(address, None) or TokenBucket(self._rate, self._burst, self._now)
        self._buckets[address] = bucket
        if len(self._buckets) > KEPT_ADDRESSES:
            self._buckets.popitem(last=False)
        return bucket.take()
