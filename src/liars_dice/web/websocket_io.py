"""One WebSocket: sending to its client, reading from it, and how a connection begins and ends."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..persistence import StoreError
from . import socket_messages as m
from .clock import StudioClock
from .connection_limits import ConnectionLimits
from .errors import FullError, RoomError
from .load import who_pays
from .presence import Listener
from .rate_limits import TokenBucket
from .room import Room
from .rooms import Rooms
from .server_limits import ServerLimits

GOING_AWAY, REFUSED, TRY_LATER, FAILED = 1001, 1008, 1013, 1011
"""Codes with which sockets are closed (RFC 6455)."""
TOO_SLOW = "The connection was too slow. Reconnect to continue."
DEBT_S = 0.25
"""How long a client whose address has used its share of the server's time waits at a time."""
CLOSE_S, FLUSH_S = 1.0, 2.0
"""How long closing a socket, and sending what is left before that, may take."""


A_FEW = 10
"""How many messages are sent to one client before others get a turn."""


class ClientConnection:
    """Sends messages to one client, through a bounded queue. A client that is too slow is dropped."""

    def __init__(self, socket: WebSocket, limits: ServerLimits, clock: StudioClock) -> None:
        self._socket = socket
        self._limits = limits
        self._clock = clock
        self._queue: asyncio.Queue[tuple[bytes, ...] | None] = asyncio.Queue()
        self._queued_bytes = 0
        self._account = who_pays.get()
        self._sending = False
        self._ending: tuple[int, str] | None = None
        self.gone: Callable[[], None] = _do_nothing
        """Called as soon as nothing more will be sent; closing the connection itself may take a while."""
        self.sender = asyncio.create_task(self._send())

    def tell(self, *messages: bytes) -> None:
        """Queue messages; never waits."""
        if self._ending is not None:
            return
        waiting, limits, size = self._queue.qsize(), self._limits, sum(map(len, messages))
        # one large batch in an empty queue does not make a client slow
        if waiting >= limits.queue or (waiting and self._queued_bytes + size > limits.queue_bytes):
            self.end(TRY_LATER, TOO_SLOW, at_once=True)
            return
        self._queued_bytes += size
        self._queue.put_nowait(messages)

    def end(self, code: int, reason: str, *, at_once: bool = False) -> None:
        """Close the connection, after everything in the queue was sent or at once."""
        if self._ending is not None:
            return
        self._ending = (code, reason)
        while at_once and not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)
        if at_once and self._sending:
            self.sender.cancel()

    async def _send(self) -> None:
        try:
            while True:
                messages = await self._queue.get()
                if messages is None:
                    break
                self._sending = True
                for number, message in enumerate(messages, 1):
                    self._queued_bytes -= len(message)
                    began = time.thread_time()
                    async with self._clock.timeout(self._limits.send_s):
                        await self._socket.send_text(message.decode())
                    if self._account is not None:
                        self._account.charge(max(0.0, time.thread_time() - began))
                    if number % A_FEW == 0:
                        await self._let_others_go_on()
                self._sending = False
        except TimeoutError:
            self._ending = self._ending or (TRY_LATER, TOO_SLOW)
        except asyncio.CancelledError:
            if self._ending is None:
                raise
        except (RuntimeError, WebSocketDisconnect):  # the client has left
            return
        self.gone()
        code, reason = self._ending or (GOING_AWAY, "")
        with contextlib.suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            async with self._clock.timeout(CLOSE_S):
                await self._socket.close(code, reason)

    async def _let_others_go_on(self) -> None:
        """There may be thousands of messages to send, and sending does not wait while there is room for them."""
        await asyncio.sleep(0)
        while self._account is not None and self._account.left_s < 0 and self._ending is None:
            await self._clock.sleep(DEBT_S)

    async def close(self) -> None:
        """The handler is done: send what is left, but not for long, and stop."""
        self.end(GOING_AWAY, "")
        with contextlib.suppress(TimeoutError):
            async with self._clock.timeout(FLUSH_S):
                await asyncio.wait([self.sender])
        if not self.sender.done():
            self.sender.cancel()


def _do_nothing() -> None:
    """The default when a connection ends."""


class MessageReader:
    """Reads one client's messages as text, no faster than the limits allow."""

    def __init__(self, socket: WebSocket, limits: ServerLimits, clock: StudioClock) -> None:
        self._socket = socket
        self._limits = limits
        self._clock = clock
        self._bucket = TokenBucket(limits.messages_per_s, limits.message_burst, clock.now)
        self._account = who_pays.get()
        self._warnings = 0
        self._task = asyncio.current_task()
        self._receiving = False
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Read no more. A message that is being handled is handled to its end."""
        self._stopped.set()
        if self._receiving and self._task is not None:
            self._task.cancel()

    async def __call__(self) -> str | None:
        """The next message; None at the end."""
        await asyncio.sleep(0)  # give other clients a turn, even if this one's next message is already here
        if self._stopped.is_set():
            return None
        self._receiving = True
        try:
            got = await self._socket.receive()
        except (RuntimeError, WebSocketDisconnect):
            return None
        except asyncio.CancelledError:
            if not self._stopped.is_set() or self._task is None:
                raise
            self._task.uncancel()
            return None
        finally:
            self._receiving = False
        if got["type"] == "websocket.disconnect" or not await self._within_rate():
            return None
        text: str | None = got.get("text")
        if text is None:
            text = (got.get("bytes") or b"").decode("utf-8", "replace")
        return text if len(text) <= self._limits.message_bytes else ""

    async def _within_rate(self) -> bool:
        """Slow down a client that sends too much or costs too much; disconnect one that does not stop."""
        while self._account is not None and self._account.left_s < 0 and not self._stopped.is_set():
            await self._clock.wait(self._stopped, DEBT_S)
        if self._bucket.take():
            if self._bucket.level > self._limits.message_burst / 2:
                self._warnings = 0
            return True
        self._warnings += 1
        if self._warnings > self._limits.message_burst:
            await refuse(self._socket, FullError("too many messages", code="too_many_messages"))
            return False
        await self._clock.sleep(1 / self._limits.messages_per_s)
        return True


@contextlib.asynccontextmanager
async def accept_socket(
    socket: WebSocket, rooms: Rooms, connections: ConnectionLimits
) -> AsyncIterator[MessageReader | None]:
    """Accept a socket and read from it; None if too many are open."""
    await socket.accept()
    address = "" if socket.client is None else socket.client.host
    if not connections.admit(address):
        await refuse_crowd(socket)
        yield None
        return
    try:
        yield MessageReader(socket, rooms.limits, rooms.clock)
    finally:
        connections.release(address)


def on_disconnect(room: Room, one: Listener, reader: MessageReader) -> Callable[[], None]:
    """What to do when nothing more will be sent to this client."""

    def gone() -> None:
        room.leave(one)
        reader.stop()

    return gone


async def receive_hello(
    socket: WebSocket, rooms: Rooms, receive: MessageReader, decode: Callable[[str], Any], kind: type
) -> tuple[Room | None, Any]:
    """Wait for a valid hello message. Anything else is answered with an error, and does not extend the time limit."""
    try:
        async with rooms.clock.timeout(rooms.limits.hello_s):
            while (text := await receive()) is not None:
                try:
                    said = decode(text)
                    if not isinstance(said, kind) or getattr(said, "type", "hello") != "hello":
                        raise m.BadMessageError('send {"type": "hello", "token": ...} first')
                    return await rooms.get(socket.path_params["room"]), said
                except m.BadMessageError as error:
                    await socket.send_text(m.encode(m.error_message(error)).decode())
    except TimeoutError:
        await refuse(socket, RoomError("no hello message received", code="no_hello"))
    except StoreError as error:
        await refuse(socket, error, FAILED)
    except RoomError as error:
        await refuse(socket, error)
    except (RuntimeError, WebSocketDisconnect):
        pass
    return None, None


async def refuse(socket: WebSocket, error: Exception, code: int = REFUSED) -> None:
    """Say why, and close."""
    message = m.error_message(error)
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text(m.encode(message).decode())
        await socket.close(code, message.error[:100])


async def refuse_crowd(socket: WebSocket) -> None:
    """Close a socket because too many are open."""
    await refuse(socket, FullError("too many connections; try again later", code="too_many_connections"), TRY_LATER)
