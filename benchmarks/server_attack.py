"""What strangers do to the studio while others play: everything that is expensive, from eight addresses at once.

Started by `server.py` with a port and a number of seconds. Prints a line when it has begun, and at the end how often
each status was answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from liars_dice.core import Action, GameConfig, GameEngine, GameView
from liars_dice.persistence import open_store, record_game

LONG_GAME = "the-long-game"
ADDRESSES = 8
EACH = 4
"""How many times each address does everything at the same time."""
MANY_BIDS = {"dice": [60, 60], "faces": 20}

Json = dict[str, Any]
answered: Counter[str] = Counter()


class Lowest:
    """Bids as low as it can, so that games become long."""

    name = "lowest"

    def choose_action(self, view: GameView) -> Action:
        """The lowest bid; now and then a call."""
        return view.legal_actions[0] if random.random() < 0.999 else view.legal_actions[-1]


def store_long_game(db: Path) -> None:
    """Put a finished game of thousands of events into a new store."""
    random.seed(1)
    config = GameConfig(dice=(5, 5), mode="best_of", rounds=99, seed=1)
    engine = GameEngine(config, [Lowest(), Lowest()])
    with open_store(db) as store:
        record_game(engine, store, game_id=LONG_GAME)
        engine.play()
        store.flush()


async def ask(port: int, address: str, method: str, path: str, body: Json | None = None) -> Json:
    """One request on its own connection; the answer, or nothing."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        writer.write(head.encode() + data)
        said = await reader.read()
        writer.close()
    except OSError:
        answered["connection lost"] += 1
        return {}
    first, _, rest = said.partition(b"\r\n\r\n")
    answered[first.split(b" ")[1].decode() if first else "nothing"] += 1
    with contextlib.suppress(ValueError):
        found = json.loads(rest)
        if isinstance(found, dict):
            return found
    return {}


async def on_socket(port: int, address: str, room: str, kind: str, hello: Json, messages: Iterator[Json]) -> None:
    """Say hello in a room, and then one message after another as fast as they are answered."""
    where = f"ws://localhost:{port}/api/rooms/{room}/{kind}"
    with contextlib.suppress(OSError, WebSocketException, TimeoutError):
        async with connect(where, local_addr=(address, 0), host="127.0.0.1", max_size=None) as socket:
            await socket.send(json.dumps({"type": "hello"} | hello))
            for message in messages:
                await socket.send(json.dumps(message))
                await _hear(socket)


async def _hear(socket: ClientConnection) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(1):
            said = json.loads(await socket.recv())
            answered[f"{said['type']} on a socket" if said["type"] != "error" else said["code"]] += 1


def attacks(port: int, address: str) -> list[Callable[[], Awaitable[object]]]:
    """Everything that one address does, again and again."""
    game = f"/api/games/{LONG_GAME}"
    seats = [{"kind": "you"}, {"kind": "bot", "agent": "random"}]
    bots = [{"kind": "bot", "agent": "random"}] * 2

    def get(path: str) -> Callable[[], Awaitable[object]]:
        return lambda: ask(port, address, "GET", path)

    def post(path: str, body: Json) -> Callable[[], Awaitable[Json]]:
        return lambda: ask(port, address, "POST", path, body)

    async def undo_a_long_game() -> None:
        made = await post(f"{game}/branch", {"turn": 4000, "seat": 0})()
        if "room" in made:
            undos: Iterator[Json] = ({"type": "undo", "id": n} for n in range(50))
            await on_socket(port, address, made["room"], "socket", {"token": made["token"]}, undos)

    async def catch_up_again_and_again() -> None:
        made = await post(f"{game}/branch", {"turn": 4000, "seat": 0})()
        if "room" in made:
            ready: Iterator[Json] = ({"type": "ready", "events": True} for _ in range(50))
            await on_socket(port, address, made["room"], "bot", {"token": made["token"]}, ready)

    async def odds_on_a_long_ladder() -> None:
        wish = {"rules": "heads-up", "changes": MANY_BIDS, "seats": seats, "delay_ms": 0}
        made = await post("/api/rooms", wish)()
        if "room" in made:
            asks: Iterator[Json] = ({"type": "ask", "id": n, "what": "odds"} for n in range(200))
            await on_socket(port, address, made["room"], "socket", {"token": made["token"]}, asks)

    numbers = itertools.count(1)
    return [
        lambda: ask(port, address, "GET", f"/api/lab/odds?dice_total=150&hand={next(numbers) % 6 + 1}&rules=perudo"),
        get("/api/openapi.json"),
        get("/api/games?limit=100"),
        get(game),
        get(f"{game}/review"),
        get("/api/rooms"),
        get("/api/lab/matchups?rules=heads-up"),
        get("/api/lab/explain?dice=3,3&hand=1,2,3"),
        get("/static/stage.css"),
        post("/api/rules", {"preset": "heads-up", "changes": MANY_BIDS}),
        post(f"{game}/branch", {"turn": 4000, "seat": 0}),
        post("/api/rooms", {"rules": "heads-up", "seats": bots, "delay_ms": 0}),
        undo_a_long_game,
        catch_up_again_and_again,
        odds_on_a_long_ladder,
    ]


async def repeat(attack: Callable[[], Awaitable[object]]) -> None:
    """Do this without end."""
    while True:
        await attack()
        await asyncio.sleep(0.01)


async def main(port: int, seconds: float) -> None:
    """Attack for this long."""
    print("begun", flush=True)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for number in range(ADDRESSES):
                for attack in attacks(port, f"127.0.200.{number + 1}") * EACH:
                    group.create_task(repeat(attack))
    print(", ".join(f"{n:,}× {what}" for what, n in answered.most_common(8)), flush=True)


if __name__ == "__main__":
    os.nice(10)  # the players of this machine are not to be slowed down by the attackers' own work
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
