"""One socket: the way out to its client, the way in from it, and how both begin and end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ..persistence import StoreError
from . import messages as m
from .connection_limits import Doors
from .errors import RoomError
from .room import Listener, Room
from .rooms import Rooms
from .safety import Bucket, ServerLimits

GOING_AWAY, REFUSED, TOO_SLOW, TROUBLE = 1001, 1008, 1013, 1011
TOO_MANY = "too many connections; try again later"


class Line:
    """The way out to one client: a bounded queue, and a task that empties it. Who reads too slowly is dropped."""

    def __init__(self, socket: WebSocket, limits: ServerLimits) -> None:
        self._socket = socket
        self._limits = limits
        self._queue: asyncio.Queue[tuple[bytes, ...] | None] = asyncio.Queue()
        self._weight = 0
        self._sending = False
        self._ending: tuple[int, str] | None = None
        self.gone: Callable[[], None] = _nothing
        """What to do as soon as nothing more will be sent: the end of the connection itself may take a while."""
        self.sender = asyncio.create_task(self._send())

    def tell(self, *messages: bytes) -> None:
        """Take messages; never waits."""
        if self._ending is not None:
            return
        waiting, limits, weight = self._queue.qsize(), self._limits, sum(map(len, messages))
        # much at once, by itself, is not a slow client
        if waiting >= limits.queue or (waiting and self._weight + weight > limits.queue_bytes):
            self.end(TOO_SLOW, "you read too slowly; come again", at_once=True)
            return
        self._weight += weight
        self._queue.put_nowait(messages)

    def end(self, code: int, reason: str, *, at_once: bool = False) -> None:
        """Close the connection when everything was sent, or at once."""
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
                for message in messages:
                    self._weight -= len(message)
                    async with asyncio.timeout(self._limits.send_s):
                        await self._socket.send_text(message.decode())
                self._sending = False
        except TimeoutError:
            self._ending = self._ending or (TOO_SLOW, "you read too slowly; come again")
        except asyncio.CancelledError:
            if self._ending is None:
                raise
        except (RuntimeError, WebSocketDisconnect):  # the client has left
            return
        self.gone()
        code, reason = self._ending or (GOING_AWAY, "")
        with contextlib.suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._socket.close(code, reason)

    async def close(self) -> None:
        """The handler is done: send what is left, shortly, and stop."""
        self.end(GOING_AWAY, "")
        done, _ = await asyncio.wait([self.sender], timeout=2.0)
        if not done:
            self.sender.cancel()


def _nothing() -> None:
    """Nobody minds."""


class Ear:
    """The way in from one client: its messages as text, one by one, no faster than allowed."""

    def __init__(self, socket: WebSocket, limits: ServerLimits) -> None:
        self._socket = socket
        self._limits = limits
        self._bucket = Bucket(limits.messages_per_s, limits.message_burst)
        self._warnings = 0
        self._task = asyncio.current_task()
        self._listening = False
        self._stopped = asyncio.Event()

    def stop(self) -> None:
        """Listen no more. What is being done for the client now is done to its end."""
        self._stopped.set()
        if self._listening and self._task is not None:
            self._task.cancel()

    async def __call__(self) -> str | None:
        """The next message; None at the end."""
        await asyncio.sleep(0)  # messages that are here already must not keep everybody else waiting
        if self._stopped.is_set():
            return None
        self._listening = True
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
            self._listening = False
        if got["type"] == "websocket.disconnect" or not await self._in_time():
            return None
        text: str | None = got.get("text")
        if text is None:
            text = (got.get("bytes") or b"").decode("utf-8", "replace")
        return text if len(text) <= self._limits.message_bytes else ""

    async def _in_time(self) -> bool:
        """Slow down who says too much; whoever goes on and on is shown the door."""
        if self._bucket.take():
            if self._bucket.level > self._limits.message_burst / 2:
                self._warnings = 0
            return True
        self._warnings += 1
        if self._warnings > self._limits.message_burst:
            await refuse(self._socket, "too many messages")
            return False
        await asyncio.sleep(1 / self._limits.messages_per_s)
        return True


@contextlib.asynccontextmanager
async def accepted(socket: WebSocket, rooms: Rooms, doors: Doors) -> AsyncIterator[Ear | None]:
    """An open socket as the way to its messages; None if there are too many already."""
    await socket.accept()
    address = "" if socket.client is None else socket.client.host
    if not doors.come(address):
        await refuse(socket, TOO_MANY, TOO_SLOW)
        yield None
        return
    try:
        yield Ear(socket, rooms.limits)
    finally:
        doors.go(address)


def when_gone(room: Room, one: Listener, ear: Ear) -> Callable[[], None]:
    """What to do when nothing more will be sent to this client."""

    def gone() -> None:
        room.leave(one)
        ear.stop()

    return gone


async def hello(
    socket: WebSocket, rooms: Rooms, receive: Ear, decode: Callable[[str], Any], kind: type
) -> tuple[Room | None, Any]:
    """Wait for a proper hello. Everything else gets an error, and the clock goes on."""
    try:
        async with asyncio.timeout(rooms.limits.hello_s):
            while (text := await receive()) is not None:
                try:
                    said = decode(text)
                    if not isinstance(said, kind) or getattr(said, "type", "hello") != "hello":
                        raise m.BadMessageError('say {"type": "hello", "token": ...} first')
                    return await rooms.get(socket.path_params["room"]), said
                except m.BadMessageError as error:
                    await socket.send_text(m.encode(m.Complaint(str(error))).decode())
    except TimeoutError:
        await refuse(socket, "nobody said hello")
    except StoreError:
        await refuse(socket, m.STORE_TROUBLE, TROUBLE)
    except RoomError as error:
        await refuse(socket, m.plain(error))
    except (RuntimeError, WebSocketDisconnect):
        pass
    return None, None


async def refuse(socket: WebSocket, line: str, code: int = REFUSED) -> None:
    """Say why, and close."""
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):
        await socket.send_text(m.encode(m.Complaint(line)).decode())
        await socket.close(code, line[:100])
