"""The clock that rooms, limits and timeouts go by. Tests pass one that they move by hand."""

from __future__ import annotations

import asyncio
import contextlib
import time
from contextlib import AbstractAsyncContextManager
from datetime import datetime

from ..persistence import utc_now


class StudioClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since an arbitrary moment; never goes back."""
        return time.monotonic()

    def utc_now(self) -> datetime:
        """The date and time, for what is stored."""
        return utc_now()

    async def sleep(self, seconds: float) -> None:
        """Wait for this long."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        """Like `asyncio.timeout`: raises `TimeoutError` when its body takes longer than this."""
        return asyncio.timeout(seconds)

    async def wait(self, event: asyncio.Event, seconds: float | None) -> None:
        """Wait until the event is set, but no longer than this."""
        with contextlib.suppress(TimeoutError):
            async with self.timeout(seconds):
                await event.wait()
