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
import time
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

Json = dict[str, Any]


class _Server(uvicorn.Server):
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
    server = _Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    assert server.up.wait(20)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)


class Process:
    """`liars-dice serve` on this store."""

    def __init__(self, db: Path, port: int = 0, *options: str) -> None:
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", str(port), "--db", str(db), *options]
        began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.up_s = time.perf_counter() - began
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
        answer = httpx.post(f"{self.address}/api{path}", json=body)
        assert answer.status_code == 200, answer.text
        data: Json = answer.json()
        return data

    def get(self, path: str) -> Json:
        answer = httpx.get(f"{self.address}/api{path}", timeout=60)  # the coach may have to compile first
        assert answer.status_code == 200, answer.text
        data: Json = answer.json()
        return data

    @contextmanager
    def enter(self, room: str, token: str | None) -> Iterator[ClientConnection]:
        with connect(f"ws://127.0.0.1:{self.port}/api/rooms/{room}/socket", max_size=None) as socket:
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
        output, _ = self.process.communicate(timeout=20)
        return output
