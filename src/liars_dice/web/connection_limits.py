"""Limits on connections: how many sockets may be open, and how a request's head may look and how long it may take."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from .server_limits import ServerLimits
from .strict_http import StrictConnection


class ConnectionLimits:
    """Counts open sockets, in all, per address, and of spectators."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._open: Counter[str] = Counter()
        self._spectators = 0

    def admit(self, address: str) -> bool:
        """Count one more socket from this address if the limits allow it. Pair each success with `release`."""
        limits = self._limits
        if self._open.total() >= limits.sockets or self._open[address] >= limits.sockets_per_address:
            return False
        self._open[address] += 1
        return True

    def release(self, address: str) -> None:
        """A socket from this address has closed."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]

    def admit_spectator(self) -> bool:
        """Count one more spectator if sockets remain reserved for players. Pair it with `release_spectator`."""
        if self._spectators >= self._limits.sockets - self._limits.sockets // 5:
            return False
        self._spectators += 1
        return True

    def release_spectator(self) -> None:
        """A spectator has left."""
        self._spectators -= 1


def guarded_protocol(seconds: float) -> type[asyncio.Protocol]:
    """Uvicorn's HTTP/1.1 protocol, which also closes connections whose request head does not arrive in time, and those
    with an ambiguous request.
    """

    class GuardedProtocol(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def __init__(self, *settings: Any, **more: Any) -> None:
            super().__init__(*settings, **more)
            self.conn = StrictConnection(h11.SERVER)

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._start_timer()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:  # the head is complete
                self._stop_timer()
            elif self._timer is None:
                self._start_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                super().send_400_response(msg)
            else:  # an answer is on its way, and no second one may follow it
                self.transport.close()

        def _start_timer(self) -> None:
            self._timer = self.loop.call_later(seconds, self.transport.close)

        def _stop_timer(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return GuardedProtocol
