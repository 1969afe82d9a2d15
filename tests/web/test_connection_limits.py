"""Limits on connections, and the names under which the studio can be reached."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import msgspec
import pytest
from live import Process, in_a_thread, patient
from studio_kit import EASY, Closed, Socket, seats, studio

from liars_dice.web import analysis
from liars_dice.web.room_bots import on_offer
from patience import PATIENCE

HASTY = msgspec.structs.replace(EASY, hello_s=0.1)
WISH = {"seats": seats("you", "optimal"), "rules": "duel", "delay_ms": 0}


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX:"])
def test_an_incomplete_request_is_cut_off(said: bytes) -> None:
    with in_a_thread(HASTY) as port, socket.create_connection(("127.0.0.1", port), PATIENCE) as half:
        half.sendall(said)
        assert half.recv(100) == b""


def answered(port: int, method: str, path: str, body: str = "", **headers: str) -> tuple[HTTPConnection, bytes]:
    """The connection and the answer to a whole request, sent again if a busy machine was too slow to send it."""
    for _ in range(50):
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        with contextlib.suppress(ConnectionError):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            if response.status != HTTPStatus.REQUEST_TIMEOUT:
                return connection, response.read()
        connection.close()
    raise AssertionError("whole requests are cut off")


def test_an_incomplete_second_request_is_cut_off_too() -> None:
    with in_a_thread(HASTY) as port:
        connection, answer = answered(port, "GET", "/api/rooms")
        assert json.loads(answer) == {"rooms": []}
        connection.sock.sendall(b"GET /api/rooms HTTP/1.1")
        assert connection.sock.recv(100) == b""
        connection.close()


def test_a_complete_request_may_wait_longer_for_its_answer() -> None:
    with in_a_thread(HASTY) as port:
        connection, made = answered(port, "POST", "/api/rooms", json.dumps(WISH | {"seats": seats("you", "open")}))
        connection.close()
        room, token = (json.loads(made)[key] for key in ("room", "token"))
        path = f"/api/rooms/{room}/next?wait={3 * HASTY.hello_s:g}"
        connection, answer = answered(port, "GET", path, authorization=f"Bearer {token}")
        connection.close()
        assert json.loads(answer) == {"type": "wait"}


async def refused(one: Socket) -> str:
    one.say({"type": "hello"})
    said = await one.next()
    with pytest.raises(Closed):
        await one.next()
    code: str = said["code"]
    return code


def test_spectators_leave_room_for_players() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, sockets=10)) as one:
            made = await one.post("/rooms", WISH)
            watching = [await one.enter(made["room"]) for _ in range(8)]
            assert await refused(one.socket(made["room"])) == "too_many_connections"
            player = await one.enter(made["room"], made["token"])
            await watching[0].hang_up()
            await one.enter(made["room"])
            player.say({"type": "ping"})
            await player.until("pong")

    asyncio.run(run())


def test_one_address_cannot_take_all_connections() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, sockets_per_address=2)) as one:
            made = await one.post("/rooms", WISH)
            first = await one.enter(made["room"])
            await one.enter(made["room"], made["token"])
            assert await refused(one.socket(made["room"])) == "too_many_connections"
            await first.hang_up()
            await one.enter(made["room"])

    asyncio.run(run())


def test_behind_a_proxy(tmp_path: Path) -> None:
    """The server is reached by its public name, and from its own pages."""
    with (
        Process(tmp_path / "a.sqlite", 0, "--public-name", "dice.example", "--behind-proxy") as server,
        patient() as asking,
    ):
        rooms = f"{server.address}/api/rooms"
        host = {"host": "dice.example", "x-forwarded-for": "203.0.113.1", "x-forwarded-proto": "https"}
        assert asking.get(rooms, headers=host).status_code == 200
        assert asking.get(rooms, headers=host | {"host": "evil.example"}).status_code == 403
        for ours in (host, {}):  # some proxies pass the host name on, some do not
            assert asking.post(rooms, json=WISH, headers=ours | {"origin": "https://dice.example"}).status_code == 200
            assert asking.post(rooms, json=WISH, headers=ours | {"origin": "https://evil.example"}).status_code == 403


@pytest.mark.parametrize("behind_proxy", [False, True])
def test_forwarded_addresses_are_trusted_only_behind_a_proxy(behind_proxy: bool) -> None:
    limits = msgspec.structs.replace(EASY, requests_per_s=0.001, request_burst=2)
    with in_a_thread(limits, behind_proxy=behind_proxy) as port, patient() as asking:

        def asked_by(address: str) -> int:
            return asking.get(f"http://127.0.0.1:{port}/api/agents", headers={"x-forwarded-for": address}).status_code

        assert [asked_by("203.0.113.1") for _ in range(3)] == [200, 200, 429]
        assert asked_by("203.0.113.2") == (200 if behind_proxy else 429)


def test_browsers_get_a_page_for_unknown_addresses() -> None:
    async def run() -> None:
        async with studio() as one:
            page = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
            index = await one.http.get("/", headers=page)
            for path in ("/nowhere", "/room/", "/replay/a/b", "/static/none.js"):
                answer = await one.http.get(path, headers=page)
                assert (answer.status_code, answer.text) == (404, index.text)
                assert (await one.http.get(path)).json()["code"] == "not_found"
            assert (await one.http.get("/api/nowhere", headers=page)).json()["code"] == "not_found"

    asyncio.run(run())


def test_offered_bots_do_not_reveal_their_paths() -> None:
    bots = ["cmd:node '/srv/ann/my bots/shark.js' --fast", "cmd:/opt/bots/shark", "mybots:Ears", "/srv/ann/ears.py"]
    bots += ["/srv/ann/ears.py:Ears", "mybots:optimal2", "cmd:", "/srv/ann/optimal.py"]
    assert list(on_offer(bots)) == ["shark", "shark#2", "Ears", "ears", "Ears#2", "optimal2", "bot", "optimal#2"]
    assert list(on_offer(bots).values()) == bots


def test_long_games_are_reviewed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(many: int) -> object:
        monkeypatch.setattr(analysis, "MANY_TURNS", many)
        async with studio() as one:
            made = await one.post("/rooms", {"seats": seats("optimal", "maniac"), "delay_ms": 0, "seed": 3})
            over = await (await one.enter(made["room"])).until("over")
            return (await one.get(f"/games/{over['game_id']}/review"))["moves"]

    assert asyncio.run(run(3)) == asyncio.run(run(500))
    assert analysis.MOST_TURNS >= 5000
