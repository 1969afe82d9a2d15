"""Who is let in, who may stay, and under which names the studio can be reached."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
import uvicorn
from live import Process
from studio_kit import EASY, Closed, Socket, seats, studio

from liars_dice.persistence import InMemoryRecorder
from liars_dice.web import ServerLimits, create_app
from liars_dice.web import analysis as lab
from liars_dice.web.room_bots import on_offer
from liars_dice.web.server import server_config

HASTY = msgspec.structs.replace(EASY, hello_s=0.3)
WISH = {"seats": seats("you", "optimal"), "rules": "duel", "delay_ms": 0}


@contextmanager
def served(limits: ServerLimits, *, behind_proxy: bool = False) -> Iterator[int]:
    """A server as `liars-dice serve` runs it, within these limits; its port."""
    server = uvicorn.Server(
        server_config(create_app(InMemoryRecorder(), limits=limits), limits, behind_proxy=behind_proxy)
    )
    server.config.port = 0
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(20)


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX:"])
def test_half_a_request_is_not_waited_for(said: bytes) -> None:
    with served(HASTY) as port, socket.create_connection(("127.0.0.1", port), 10) as half:
        half.sendall(said)
        assert half.recv(100) == b""


def test_half_a_second_request_is_not_waited_for_either() -> None:
    whole = b"GET /api/rooms HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served(HASTY) as port, socket.create_connection(("127.0.0.1", port), 10) as half:
        half.sendall(whole)
        assert b"200" in half.recv(10_000)
        half.sendall(whole[:20])
        began = time.monotonic()
        while half.recv(10_000):
            pass
        assert time.monotonic() - began < 4  # the time connections are kept otherwise is longer


def test_who_asks_in_time_may_take_longer_to_listen() -> None:
    with served(HASTY) as port:
        made = httpx.post(f"http://127.0.0.1:{port}/api/rooms", json=WISH | {"seats": seats("you", "open")}).json()
        path = f"http://127.0.0.1:{port}/api/rooms/{made['room']}/next?wait=1"
        answer = httpx.get(path, headers={"authorization": f"Bearer {made['token']}"})
        assert answer.json() == {"type": "wait"}


async def refused(one: Socket) -> str:
    one.say({"type": "hello"})
    said = await one.next()
    with pytest.raises(Closed):
        await one.next()
    error: str = said["error"]
    return error


def test_spectators_leave_place_for_those_who_play() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, sockets=10)) as one:
            made = await one.post("/rooms", WISH)
            watching = [await one.enter(made["room"]) for _ in range(8)]
            assert "too many connections" in await refused(one.socket(made["room"]))
            player = await one.enter(made["room"], made["token"])
            await watching[0].hang_up()
            await one.enter(made["room"])
            player.say({"type": "ping"})
            await player.until("pong")

    asyncio.run(run())


def test_one_address_does_not_take_all_places() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, sockets_per_address=2)) as one:
            made = await one.post("/rooms", WISH)
            first = await one.enter(made["room"])
            await one.enter(made["room"], made["token"])
            assert "too many connections" in await refused(one.socket(made["room"]))
            await first.hang_up()
            await one.enter(made["room"])

    asyncio.run(run())


def test_behind_a_proxy(tmp_path: Path) -> None:
    """Reached by its public name, and from its own pages."""
    with Process(tmp_path / "a.sqlite", 0, "--public-name", "dice.example", "--behind-proxy") as server:
        rooms = f"{server.address}/api/rooms"
        host = {"host": "dice.example", "x-forwarded-for": "203.0.113.1", "x-forwarded-proto": "https"}
        assert httpx.get(rooms, headers=host).status_code == 200
        assert httpx.get(rooms, headers=host | {"host": "evil.example"}).status_code == 403
        for ours in (host, {}):  # proxies hand on the name they were called by, or do not
            assert httpx.post(rooms, json=WISH, headers=ours | {"origin": "https://dice.example"}).status_code == 200
            assert httpx.post(rooms, json=WISH, headers=ours | {"origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("behind_proxy", [False, True])
def test_a_proxy_is_believed_who_asks_if_there_is_one(behind_proxy: bool) -> None:
    limits = msgspec.structs.replace(EASY, requests_per_s=0.001, request_burst=2)
    with served(limits, behind_proxy=behind_proxy) as port:

        def asked_by(address: str) -> int:
            return httpx.get(f"http://127.0.0.1:{port}/api/agents", headers={"x-forwarded-for": address}).status_code

        assert [asked_by("203.0.113.1") for _ in range(3)] == [200, 200, 429]
        assert asked_by("203.0.113.2") == (200 if behind_proxy else 429)


def test_browsers_get_a_page_where_there_is_nothing() -> None:
    async def run() -> None:
        async with studio() as one:
            page = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
            index = await one.http.get("/", headers=page)
            for path in ("/nowhere", "/room/", "/replay/a/b", "/static/none.js"):
                answer = await one.http.get(path, headers=page)
                assert (answer.status_code, answer.text) == (404, index.text)
                assert (await one.http.get(path)).json() == {"error": "there is nothing here"}
            assert (await one.http.get("/api/nowhere", headers=page)).json() == {"error": "there is nothing here"}

    asyncio.run(run())


def test_bots_of_strangers_do_not_say_where_they_lie() -> None:
    bots = ["cmd:node '/srv/ann/my bots/shark.js' --fast", "cmd:/opt/bots/shark", "mybots:Ears", "/srv/ann/ears.py"]
    bots += ["/srv/ann/ears.py:Ears", "optimal2", "cmd:", "/srv/ann/optimal.py"]
    assert list(on_offer(bots)) == ["shark", "shark#2", "Ears", "ears", "Ears#2", "optimal2", "bot", "optimal#2"]
    assert list(on_offer(bots).values()) == bots


def test_long_games_are_reviewed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(many: int) -> object:
        monkeypatch.setattr(lab, "MANY_TURNS", many)
        async with studio() as one:
            made = await one.post("/rooms", {"seats": seats("optimal", "maniac"), "delay_ms": 0, "seed": 3})
            over = await (await one.enter(made["room"])).until("over")
            return (await one.get(f"/games/{over['game_id']}/review"))["moves"]

    assert asyncio.run(run(3)) == asyncio.run(run(500))
    assert lab.MOST_TURNS >= 5000
