"""The studio under load: 500 rooms with 1,000 scripted players on one server process, which is killed in the middle.

Each player has its own WebSocket, from its own address, and thinks for about two seconds before a move. Measured is the
time from sending a move until its event has reached each player of the room. Players and server share one machine; the
processor time of other programs is printed, because everything waits when no processor is free. After the kill all
players reconnect, and the store is searched for every acknowledged move. Games are best of 99 rounds, so that none ends
early.

Then ATTACKED rooms play on while strangers from eight addresses ask for everything that is expensive, all at once
(`server_attack.py`, a process of its own).
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gzip
import json
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures import figure
from liars_dice.core import BidPlaced, Event
from liars_dice.persistence import open_store, verify_game
from server_attack import store_long_game

ROOMS = int(os.environ.get("ROOMS", "500"))
ATTACKED = int(os.environ.get("ATTACKED", "100"))
THINKS_S = 2.0
PHASE_S = 15.0
STATIC = Path(__file__).parent.parent / "src" / "liars_dice" / "web" / "static"

Json = dict[str, Any]


class Server:
    """`liars-dice serve` as a process."""

    def __init__(self, db: Path, port: int = 0) -> None:
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", str(port), "--db", str(db)]
        began = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r":(\d+)/", self.process.stdout.readline())
        assert found is not None
        self.up_s = time.perf_counter() - began
        self.port = int(found[1])

    def memory_kb(self) -> int:
        """Its resident memory now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        assert found is not None
        return int(found[1])

    def busy_s(self) -> float:
        """The processor time it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


async def post(port: int, path: str, body: Json, address: str) -> Json:
    """A POST request on its own connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    data = json.dumps(body).encode()
    head = f"POST /api{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + data)
    answer = await reader.read()
    writer.close()
    found: Json = json.loads(answer.split(b"\r\n\r\n", 1)[1])
    assert "error" not in found, found
    return found


class Player(asyncio.Protocol):
    """A player with a minimal WebSocket client, so that it costs little."""

    def __init__(self, room: Room, seat: int, token: str, address: str) -> None:
        self.room, self.seat, self.token, self.address = room, seat, token, address
        self.known = 0
        self.here = False
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._think: asyncio.TimerHandle | None = None

    async def connect(self, port: int) -> None:
        """Connect, for the first time or again."""
        self._buffer, self.here = b"", False
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self, "127.0.0.1", port, local_addr=(self.address, 0))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the handshake."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /api/rooms/{self.room.id}/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        self.here = False
        if self._think is not None:
            self._think.cancel()

    def say(self, message: Json) -> None:
        """Send a text frame, masked with zeros."""
        data = json.dumps(message).encode()
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
        assert self._transport is not None
        if not self._transport.is_closing():
            self._transport.write(b"\x81" + size + b"\0\0\0\0" + data)

    def data_received(self, data: bytes) -> None:
        """Read frames."""
        self._buffer += data
        if not self.here:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head, head
            self.here, self._buffer = True, rest
            self.say({"type": "hello", "token": self.token, "from": self.known})
        while len(self._buffer) >= 2:
            size, start = self._buffer[1] & 127, 2
            if size >= 126:
                start = 4 if size == 126 else 10
                size = int.from_bytes(self._buffer[2:start], "big")
            if len(self._buffer) < start + size:
                return
            kind, frame = self._buffer[0] & 15, self._buffer[start : start + size]
            self._buffer = self._buffer[start + size :]
            if kind == 1:
                self._hear(json.loads(frame))
            elif kind == 9 and self._transport is not None:
                self._transport.write(b"\x8a" + bytes([0x80 | len(frame)]) + b"\0\0\0\0" + frame)

    def _hear(self, said: Json) -> None:
        if said["type"] == "event":
            self.known = said["n"] + 1
            if said["event"]["type"] in ("BidPlaced", "LiarCalled"):
                self.room.seen(said["n"])
        elif said["type"] == "welcome":
            self.room.welcomed += 1
            if said["events"]:
                self.known = said["events"][-1]["n"] + 1
        elif said["type"] == "turn" and said["seat"] == self.seat:
            thinks = random.uniform(0.5, 1.5) * THINKS_S
            self._think = asyncio.get_running_loop().call_later(thinks, self._move, said)
        elif said["type"] == "answer":
            self.room.acknowledged[said["to"]] = self.room.sent[said["to"]]
        elif said["type"] == "error":
            raise AssertionError(said)

    def _move(self, turn: Json) -> None:
        action: Json = {"kind": "liar"}
        if not turn["calls"] or (turn["bids"] and random.random() < 0.7):
            quantity, face = turn["bids"][min(random.randrange(4), len(turn["bids"]) - 1)]
            action = {"kind": "bid", "quantity": quantity, "face": face}
        self.room.sent[turn["turn"]] = action
        self.room.began = time.perf_counter()
        self.say({"type": "act", "id": turn["turn"], "turn": turn["turn"], "action": action})


class Room:
    """A room from its players' side."""

    def __init__(self, room_id: str) -> None:
        self.id = room_id
        self.players: list[Player] = []
        self.sent: dict[int, Json] = {}
        self.acknowledged: dict[int, Json] = {}
        self.latencies: list[float] = []
        self.began = 0.0
        self.welcomed = 0

    def seen(self, n: int) -> None:
        """A move has reached one more player."""
        if self.began:
            self.latencies.append(time.perf_counter() - self.began)


async def make_room(port: int, number: int) -> Room:
    """A room with two players, each with its own address."""
    addresses = [f"127.0.{1 + number // 100}.{1 + 2 * (number % 100) + seat}" for seat in (0, 1)]
    changes = {"mode": "best_of", "rounds": 99}
    wish = {"rules": "classic", "changes": changes, "seats": [{"kind": "you"}, {"kind": "open"}]}
    made = await post(port, "/rooms", wish, addresses[0])
    joined = await post(port, f"/rooms/{made['room']}/seats", {"name": "two"}, addresses[1])
    room = Room(made["room"])
    tokens = (made["token"], joined["token"])
    room.players = [Player(room, seat, tokens[seat], addresses[seat]) for seat in (0, 1)]
    return room


async def connect_all(port: int, rooms: list[Room]) -> None:
    """Connect all players."""
    for room in rooms:
        room.welcomed = 0
        for player in room.players:
            await player.connect(port)
    async with asyncio.timeout(60):
        while any(room.welcomed < 2 for room in rooms):
            await asyncio.sleep(0.05)


def machine_busy_s() -> float:
    """The processor time that all programs on this machine have used."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    return (sum(fields[:8]) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


async def main() -> None:
    """Measure."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    players = 2 * ROOMS
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "games.sqlite"
        ups = []
        for _ in range(5):
            server = Server(db)
            ups.append(server.up_s)
            server.kill()
        server = Server(db)
        try:
            await asyncio.sleep(1)
            empty = server.memory_kb()
            rooms = [await make_room(server.port, number) for number in range(ROOMS)]
            await connect_all(server.port, rooms)
            print(f"{ROOMS} rooms, {players:,} players, each move after about {THINKS_S:g} s of thought\n")
            for room in rooms:
                room.latencies.clear()
            moves = sum(len(room.acknowledged) for room in rooms)
            used, ours, all_used = server.busy_s(), time.process_time(), machine_busy_s()
            await asyncio.sleep(PHASE_S)
            used, ours = (server.busy_s() - used) / PHASE_S, (time.process_time() - ours) / PHASE_S
            others = max(0.0, (machine_busy_s() - all_used) / PHASE_S - used - ours)
            full = server.memory_kb()
            before = [len(room.acknowledged) for room in rooms]
            rate = (sum(before) - moves) / PHASE_S
            seconds = [latency for room in rooms for latency in room.latencies]
            cuts = statistics.quantiles(seconds, n=100)
            server.kill()
            began = time.perf_counter()
            await asyncio.sleep(0)
            server = Server(db, server.port)
            for room in rooms:
                room.began = 0.0
            await connect_all(server.port, rooms)
            back_s = time.perf_counter() - began
            known = [len(room.acknowledged) for room in rooms]
            async with asyncio.timeout(60):
                while any(len(room.acknowledged) <= n for room, n in zip(rooms, known, strict=True)):
                    await asyncio.sleep(0.1)
            await asyncio.sleep(PHASE_S / 3)
        finally:
            server.kill()
        calm, attacked, answers, waited, loop = await under_attack(Path(folder) / "attacked.sqlite")
        lost, games = check(db, rooms)
        p99 = cuts[98] * 1000
        figure("99 of 100 moves reach all players within", p99, "ms", most=100)
        figure("the same while the server is attacked", attacked * 1000, "ms", most=100)
        per_player = (full - empty) / players
        figure("memory per player", per_player, "kB", most=200)
        figure("games that continue after the kill", games, least=ROOMS)
        total = sum(len(room.acknowledged) for room in rooms)
        figure(f"of {total:,} acknowledged moves, lost", lost, most=0)
        figure("server up within", statistics.median(ups), "s", most=0.5)
        sent = {path: len(gzip.compress(path.read_bytes())) / 1000 for path in STATIC.rglob("*") if path.is_file()}
        sounds = sum(weight for path, weight in sent.items() if path.suffix == ".wav")
        figure("all files of the page, as they are sent, without sounds", sum(sent.values()) - sounds, "kB", most=150)
        print(f"  sounds, which are sent only if they are switched on: {sounds:.0f} kB")
        print(
            f"\nhalf of the moves reach all players within {cuts[49] * 1000:.1f} ms; {rate:.0f} moves per second, "
            f"{len(seconds):,} updates measured;\n"
            f"of {os.cpu_count()} processors the server used {used:.2f}, the players {ours:.2f}, "
            f"other programs {others:.2f};\n"
            f"all players are back {back_s:.1f} s after the kill;\n"
            f"without the attack: {calm * 1000:.1f} ms; the attack was answered with {answers};\n"
            f"meanwhile the event loop ran for {loop * 1000:.0f} ms per second, and waited for a free processor for "
            f"{waited * 1000:.0f} ms"
        )


def waited_s(pid: int) -> float:
    """How long a process has waited for a processor while it could have run."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def loop_s(pid: int) -> float:
    """The processor time that the main thread of a process has used: that of its event loop."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


async def p99_of(rooms: list[Room], seconds: float) -> float:
    """Let the rooms play for this long; the time within which 99 of 100 moves reach all players."""
    for room in rooms:
        room.latencies.clear()
    await asyncio.sleep(seconds)
    return statistics.quantiles([one for room in rooms for one in room.latencies], n=100)[98]


async def under_attack(db: Path) -> tuple[float, float, str, float, float]:
    """The 99th percentile before and during an attack, the answers to it, and how long, per second, the event loop
    waited for a processor and had one.
    """
    store_long_game(db)
    server = Server(db)
    try:
        rooms = [await make_room(server.port, number) for number in range(ATTACKED)]
        await connect_all(server.port, rooms)
        calm = await p99_of(rooms, PHASE_S)
        command = [sys.executable, str(Path(__file__).parent / "server_attack.py"), str(server.port), str(PHASE_S + 5)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attack:
            assert attack.stdout is not None
            await asyncio.to_thread(attack.stdout.readline)  # it has begun
            waited, used = waited_s(server.process.pid), loop_s(server.process.pid)
            attacked = await p99_of(rooms, PHASE_S)
            waited = (waited_s(server.process.pid) - waited) / PHASE_S
            used = (loop_s(server.process.pid) - used) / PHASE_S
            answers = await asyncio.to_thread(attack.stdout.readline)
    finally:
        server.kill()
    return calm, attacked, answers.strip(), waited, used


def as_sent(move: Event) -> Json:
    """A stored move as players send it."""
    if isinstance(move, BidPlaced):
        return {"kind": "bid", "quantity": move.bid.quantity, "face": move.bid.face}
    return {"kind": "liar"}


def check(db: Path, rooms: list[Room]) -> tuple[int, int]:
    """How many acknowledged moves are not in the store, and how many games are complete."""
    lost = games = 0
    with open_store(db) as store:
        docs = {name: json.loads(text) for name, text in store.documents("room").items()}
        for room in rooms:
            events = store.events(docs[room.id]["game_id"])
            with contextlib.suppress(Exception):
                verify_game(events)
                games += 1
            moves = [e.payload for e in events if e.event_type in ("BidPlaced", "LiarCalled")]
            for turn, action in room.acknowledged.items():
                lost += turn > len(moves) or as_sent(moves[turn - 1]) != action
    return lost, games


if __name__ == "__main__":
    asyncio.run(main())
