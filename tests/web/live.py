"""Real servers: in a thread, and `liars-dice serve` as a process that can be killed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from studio_kit import EASY
from websockets.sync.client import ClientConnection, connect

from liars_dice.persistence import InMemoryRecorder
from liars_dice.web import ServerLimits, create_app
from liars_dice.web.server import server_config
from patience import PATIENCE

Json = dict[str, Any]


class Announced(uvicorn.Server):
    """Says when it is up."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.up.set()


@contextmanager
def in_a_thread(limits: ServerLimits = EASY, *, behind_proxy: bool = False) -> Iterator[int]:
    """A server in this process, as `liars-dice serve` runs it; its port."""
    config = server_config(create_app(InMemoryRecorder(), limits=limits), limits, behind_proxy=behind_proxy)
    config.port = 0
    config.timeout_keep_alive = int(PATIENCE)
    server = Announced(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert server.up.wait(PATIENCE)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(PATIENCE)


def patient() -> httpx.Client:
    """Asks, and waits for the answer for as long as it takes."""
    return httpx.Client(timeout=PATIENCE)


def websocket(port: int, room: str, **options: Any) -> ClientConnection:
    """A connection to a room that no load of the machine ends."""
    patient: Json = {"open_timeout": PATIENCE, "close_timeout": PATIENCE, "ping_interval": None, "max_size": None}
    return connect(f"ws://127.0.0.1:{port}/api/rooms/{room}/socket", **patient | options)


class Process:
    """`liars-dice serve` on this store."""

    def __init__(self, db: Path, port: int = 0, *options: str) -> None:
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", str(port), "--db", str(db), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        assert found, line + self.process.stdout.read()
        self.port = int(found[1])
        self.address = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def post(self, path: str, body: Json) -> Json:
        answer = httpx.post(f"{self.address}/api{path}", json=body, timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        data: Json = answer.json()
        return data

    def get(self, path: str) -> Json:
        answer = httpx.get(f"{self.address}/api{path}", timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        data: Json = answer.json()
        return data

    @contextmanager
    def enter(self, room: str, token: str | None) -> Iterator[ClientConnection]:
        with websocket(self.port, room) as socket:
            socket.send(json.dumps({"type": "hello", "token": token}))
            yield socket

    def kill(self) -> str:
        """Kill it with SIGKILL; returns what it had printed."""
        return self._end(signal.SIGKILL)

    def stop(self) -> str:
        """Stop it as Ctrl-C does."""
        return self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> str:
        os.kill(self.process.pid, how)
        output, _ = self.process.communicate(timeout=PATIENCE)
        return output
