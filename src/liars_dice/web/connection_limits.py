"""Who may stay connected: nobody who does not finish asking, not too many, and not all of them from one address."""

from __future__ import annotations

import asyncio
from collections import Counter

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .safety import ServerLimits


class Doors:
    """The sockets that are open."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._open: Counter[str] = Counter()
        self._watching = 0

    def come(self, address: str) -> bool:
        """Whether one more from this address may come in, to say who they are; if so, they `go` some time."""
        limits = self._limits
        if self._open.total() >= limits.sockets or self._open[address] >= limits.sockets_per_address:
            return False
        self._open[address] += 1
        return True

    def go(self, address: str) -> None:
        """One of them is gone."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def watch(self) -> bool:
        """Whether one without a seat may stay: some place is kept for those who have one. If so, they `leave`."""
        if self._watching >= self._limits.sockets - self._limits.sockets // 5:
            return False
        self._watching += 1
        return True

    def leave(self) -> None:
        """One who watched is gone."""
        self._watching -= 1


def impatient(seconds: float) -> type[asyncio.Protocol]:
    """HTTP/1.1 as uvicorn speaks it, but for those who send half the head of a request and then nothing."""

    class Impatient(H11Protocol):
        _patience: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:  # the head is there
                self._wait_no_more()
            elif self._patience is None:
                self._wait()

        def connection_lost(self, exc: Exception | None) -> None:
            self._wait_no_more()
            super().connection_lost(exc)

        def _wait(self) -> None:
            self._patience = self.loop.call_later(seconds, self.transport.close)

        def _wait_no_more(self) -> None:
            if self._patience is not None:
                self._patience.cancel()
                self._patience = None

    return Impatient
