"""Hostile and broken clients: sizes, rates, counts, origins, paths, slow readers, random frames."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from studio_kit import EASY, Closed, Json, ManualClock, Studio, first_legal, play, seats, studio

from liars_dice.persistence import InMemoryRecorder, StoreError
from liars_dice.web import create_app
from liars_dice.web.http_guard import LOOPBACK
from liars_dice.web.rate_limits import TokenBucket
from liars_dice.web.websocket_io import CLOSE_S

WISH: Json = {"seats": seats("you", "optimal"), "delay_ms": 0}


async def closed_by(socket: Any) -> Closed:
    """How the server closes this connection, after anything else it sends."""
    try:
        while True:
            await socket.next()
    except Closed as closed:
        return closed


def test_headers_of_every_answer(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html><title>x</title>")
    (tmp_path / "app.js").write_text("1")

    async def run() -> None:
        async with studio(static=tmp_path) as one:
            for path in ("/", "/play", "/room/abc", "/static/app.js", "/api/agents", "/nothing", "/api/games/none"):
                headers = (await one.http.get(path)).headers
                policy = headers["content-security-policy"]
                assert "default-src 'self'" in policy
                assert "unsafe" not in policy
                assert "frame-ancestors 'none'" in policy
                assert headers["x-content-type-options"] == "nosniff"
            first = await one.http.get("/static/app.js")
            again = await one.http.get("/static/app.js", headers={"if-none-match": first.headers["etag"]})
            assert (first.status_code, again.status_code) == (200, 304)

    asyncio.run(run())


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/....//app.py",
        "/static//etc/passwd",
        "/static/%00",
        "/static/" + "a" * 5000,
        "/static/secret",
        "/room/../../etc/passwd",
    ],
)
def test_no_way_out_of_the_static_files(tmp_path: Path, path: str) -> None:
    inside = tmp_path / "static"
    inside.mkdir()
    (tmp_path / "app.py").write_text("SECRET")
    (tmp_path / "secret.txt").write_text("SECRET")
    (inside / "secret").symlink_to(tmp_path / "secret.txt")

    async def run() -> None:
        from urllib.parse import unquote

        app = create_app(InMemoryRecorder(), limits=EASY, static=inside)
        for raw in (path, unquote(path)):
            sent: list[Any] = []
            scope = {
                "type": "http",
                "method": "GET",
                "path": raw,
                "raw_path": path.encode(),
                "query_string": b"",
                "headers": [(b"host", b"testserver")],
                "root_path": "",
                "scheme": "http",
                "client": ("127.0.0.1", 1),
                "server": ("testserver", 80),
                "http_version": "1.1",
                "state": {},
            }

            async def receive() -> Any:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any, sent: list[Any] = sent) -> None:
                sent.append(message)

            await app(scope, receive, send)
            assert sent[0]["status"] == 404
            assert b"SECRET" not in b"".join(message.get("body", b"") for message in sent)

    asyncio.run(run())


def test_only_our_own_pages_may_connect_or_change_things() -> None:
    async def run() -> None:
        async with studio(hosts=LOOPBACK) as one:
            here = {"host": "localhost:8000"}
            made = (await one.http.post("/api/rooms", json=WISH, headers=here)).json()
            for origin, host, allowed in (
                ("http://localhost:8000", "localhost:8000", True),
                ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
                ("http://evil.example", "localhost:8000", False),
                ("http://localhost:9999", "localhost:8000", False),
                ("null", "localhost:8000", False),
                ("http://[", "localhost:8000", False),
                ("http://evil.example:8000", "evil.example:8000", False),  # DNS rebinding
            ):
                headers = {"origin": origin, "host": host}
                socket = one.socket(made["room"], headers=headers)
                socket.say({"type": "hello"})
                if allowed:
                    assert (await socket.next())["type"] == "welcome"
                else:
                    assert (await closed_by(socket)).code == 1008
                status = (await one.http.post("/api/rooms", json=WISH, headers=headers)).status_code
                assert status == (200 if allowed else 403), origin
            assert (await one.http.get("/api/agents", headers={"host": "evil.example"})).status_code == 403
            assert (await one.http.get("/api/agents", headers={"host": "[::1]:80"})).status_code == 200
            assert (await one.http.get("/api/agents", headers={"host": "[["})).status_code in (400, 403)

    asyncio.run(run())


def test_sizes_are_bounded() -> None:
    async def run() -> None:
        async with studio() as one:
            answer = await one.http.post("/api/rooms", content=b"[" + b"1," * 40_000 + b"1]")
            assert answer.status_code == 413
            deep = await one.http.post("/api/rooms", content=b'{"changes":' + b"[" * 30_000)
            assert deep.status_code in (400, 422)
            made = await one.post("/rooms", WISH)
            socket = await one.enter(made["room"], made["token"])
            socket.say('{"type":"ping","x":"' + "a" * 70_000 + '"}')
            assert (await socket.until("error"))["error"]
            await one.post("/rooms", WISH | {"seats": seats(*["optimal"] * 16)}, 422)
            await one.post("/rooms", WISH | {"seats": [{"kind": "you", "name": "x" * 41}, {"kind": "open"}]}, 422)

    asyncio.run(run())


def test_rates_are_bounded() -> None:
    async def run() -> None:
        limits = msgspec.structs.replace(EASY, messages_per_s=1000.0, message_burst=5)
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", WISH)
            flood = await one.enter(made["room"])
            quiet = await one.enter(made["room"], made["token"])
            for _ in range(10_000):
                flood.say({"type": "ping"})
            closed = asyncio.create_task(closed_by(flood))
            assert (await one.pass_time_until(closed, 1 / limits.messages_per_s)).code == 1008
            await play(quiet, 0, turns=1)
        limits = msgspec.structs.replace(EASY, requests_per_s=1.0, request_burst=3)
        async with studio(limits=limits) as one:
            for _ in range(3):
                await one.post("/rooms", WISH)
            assert (await one.post("/rooms", WISH, 429))["code"] == "too_many_requests"
            assert (await one.http.get("/api/rooms")).status_code == 429
            assert (await one.http.get("/static/none")).status_code == 404
            await one.advance(1)
            await one.post("/rooms", WISH)
            await one.post("/rooms", WISH, 429)

    asyncio.run(run())


def test_new_rooms_from_an_address_are_bounded() -> None:
    async def run() -> None:
        limits = msgspec.structs.replace(EASY, new_room_burst=2)
        async with studio(limits=limits) as one:
            made = [await one.post("/rooms", WISH) for _ in range(2)]
            assert (await one.post("/rooms", WISH, 429))["code"] == "too_many_new_rooms"
            await one.post("/games/any/branch", {"turn": 1, "seat": 0}, 429)
            assert (await one.get(f"/rooms/{made[0]['room']}"))["room"] == made[0]["room"]
            await one.get("/rooms")

    asyncio.run(run())


def test_counts_are_bounded() -> None:
    limits = msgspec.structs.replace(EASY, rooms=2, spectators=1, sockets=3)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = [await one.post("/rooms", WISH) for _ in range(2)]
            await one.post("/rooms", WISH, 429)
            await one.enter(made[0]["room"])
            second = one.socket(made[0]["room"])
            second.say({"type": "hello"})
            assert (await closed_by(second)).code in (1001, 1008)
            await one.enter(made[0]["room"], made[0]["token"])
            await one.enter(made[1]["room"], made[1]["token"])
            refused = one.socket(made[1]["room"])
            assert (await refused.next())["code"] == "too_many_connections"

    asyncio.run(run())


def test_questions_to_the_coach_are_bounded() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, questions=0)) as one:
            assert (await one.http.get("/api/lab/explain?dice=1,1&hand=1")).status_code == 429

    asyncio.run(run())


def test_a_body_that_does_not_arrive_times_out() -> None:
    async def run() -> None:
        async with studio() as one:
            sent: list[Any] = []
            calls = iter([{"type": "http.request", "body": b"{", "more_body": True}])

            async def receive() -> Any:
                for call in calls:
                    return call
                return await asyncio.Event().wait()

            async def send(message: Any) -> None:
                sent.append(message)

            scope: Json = {"type": "http", "method": "POST", "path": "/api/rooms", "raw_path": b"/api/rooms"}
            scope |= {"headers": [(b"host", b"testserver")], "query_string": b"", "root_path": "", "scheme": "http"}
            scope |= {"client": ("x", 1), "server": ("x", 1), "http_version": "1.1", "state": {}}
            request = asyncio.create_task(one.app(scope, receive, send))
            await one.advance(EASY.hello_s - 1)
            assert not request.done()
            await one.advance(1)
            await request
            assert sent[0]["status"] == 408

    asyncio.run(run())


def test_errors_of_the_store_name_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    store = InMemoryRecorder()

    def broken(*_: object) -> Any:
        raise StoreError("/srv/ann/games.sqlite: the disk is full")

    async def run() -> None:
        async with studio(store) as one:
            monkeypatch.setattr(store, "_read", broken)
            answer = await one.http.get("/api/games/some-game")
            assert answer.status_code == 503
            assert "sqlite" not in answer.text
            assert answer.json()["code"] == "store_unavailable"

    asyncio.run(run())


def test_a_bucket_fills_again() -> None:
    clock = ManualClock()
    bucket = TokenBucket(2.0, 3, clock.now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    clock.advance(0.5)
    assert [bucket.take() for _ in range(2)] == [True, False]
    clock.advance(60)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_slow_clients_are_dropped_and_no_one_waits_for_them() -> None:
    limits = msgspec.structs.replace(EASY, queue=8)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", WISH)
            slow = await one.enter(made["room"])
            slow.stop_reading()
            player = await one.enter(made["room"], made["token"])
            await play(player, 0)
            await one.settle()
            assert (await one.get(f"/rooms/{made['room']}"))["spectators"] == 0
            await one.pass_time_until(slow.task, CLOSE_S)

    asyncio.run(run())


def test_a_client_that_asks_a_lot_at_once_is_answered_or_told_why() -> None:
    """No client is dropped silently because it asked faster than answers could be sent."""
    limits = msgspec.structs.replace(EASY, queue=8)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", WISH)
            await (await one.enter(made["room"], made["token"])).until("turn")
            for reads in (True, False):
                socket = one.socket(made["room"])
                socket.say({"type": "hello", "token": made["token"]})
                if not reads:
                    await socket.next()
                    socket.stop_reading()
                for n in range(50):
                    socket.say({"type": "ask", "id": n, "what": "odds"})
                if reads:
                    assert [(await socket.until("answer"))["to"] for _ in range(50)] == list(range(50))
                else:
                    await one.pass_time_until(socket.task)

    asyncio.run(run())


def test_a_client_that_sends_no_hello_is_disconnected() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH)
            for kind in ("socket", "bot"):
                socket = one.socket(made["room"], kind)
                await one.advance(EASY.hello_s)
                assert (await closed_by(socket)).code == 1008

    asyncio.run(run())


def test_tokens_are_long_hashed_and_in_no_answer_but_their_own(tmp_path: Path) -> None:
    async def run() -> Json:
        async with studio(tmp_path / "a.sqlite") as one:
            made = await one.post("/rooms", WISH)
            assert len(made["token"]) == 32
            shown = json.dumps([await one.get(f"/rooms/{made['room']}"), await one.get("/rooms")])
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0, turns=1)
            assert made["token"] not in shown + json.dumps(socket.heard)
            return made

    made = asyncio.run(run())
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert made["token"].encode() not in stored


# -- noise -------------------------------------------------------------------------------------------------------------

VALID: list[Json] = [
    {"type": "hello", "token": None, "from": 0},
    {"type": "act", "id": 1, "turn": 1, "action": {"kind": "bid", "quantity": 1, "face": 1}},
    {"type": "act", "id": 1, "turn": 1, "action": {"kind": "liar"}},
    {"type": "ask", "id": 2, "what": "odds"},
    {"type": "undo", "id": "x"},
    {"type": "speed", "delay_ms": 10},
    {"type": "ping"},
    {"type": "ready", "name": "b", "events": True},
    {"type": "action", "id": 1, "action": "1x1", "reasoning": "?"},
    {"type": "done", "id": 1},
]

junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


def mutated(message: Json, rng: random.Random, value: Any) -> Json:
    """The message with one thing in it changed, gone or new."""
    changed: Json = json.loads(json.dumps(message))
    place = changed
    while True:
        key = rng.choice([*place, "extra"])
        if isinstance(place.get(key), dict) and rng.random() < 0.7:
            place = place[key]
            continue
        if rng.random() < 0.3:
            place.pop(key, None)
        else:
            place[key] = value
        return changed


frames = st.one_of(
    junk.map(json.dumps),
    st.text(max_size=50),
    st.binary(max_size=50),
    st.sampled_from(
        ["[" * 50_000, "{" * 100, '{"a":' * 20_000, "x" * 70_000, "9" * 60_000, '{"type":' + "1" * 5000 + "}"]
    ),
    st.builds(mutated, st.sampled_from(VALID), st.randoms(use_true_random=False), junk).map(json.dumps),
)


async def survive(one: Studio, kind: str, noise: list[str | bytes]) -> None:
    """Send noise into one room; that connection lives or is closed with a reason, and another room plays on."""
    made = await one.post("/rooms", WISH | {"practice": True})
    other = await one.post("/rooms", WISH)
    socket = one.socket(made["room"], kind)
    socket.say({"type": "hello", "token": made["token"]})
    for frame in noise:
        socket.say(frame)
    socket.say({"type": "ping"} if kind == "socket" else {"type": "no such thing"})
    try:
        if kind == "socket":
            await socket.until("pong")
        else:
            await socket.until(lambda m: m["type"] == "error" and "no such thing" in m["error"])
    except Closed as closed:
        if not closed.reason:
            raise
    neighbour = await one.enter(other["room"], other["token"])
    turn = await neighbour.until("turn")
    neighbour.say({"type": "act", "id": 1, "turn": turn["turn"], "action": first_legal(turn)})
    assert (await neighbour.until("answer"))["ok"]
    assert not socket.task.done() or socket.task.exception() is None
    again = await one.enter(made["room"], made["token"])
    assert again.heard


@pytest.mark.parametrize("kind", ["socket", "bot"])
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(noise=st.lists(frames, min_size=1, max_size=12))
def test_noise_on_sockets_harms_no_one(kind: str, noise: list[str | bytes]) -> None:
    async def run() -> None:
        async with studio() as one:
            await survive(one, kind, noise)

    asyncio.run(run())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["socket", "bot"])
@settings(max_examples=2000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(noise=st.lists(frames, min_size=1, max_size=30))
def test_much_noise_on_sockets_harms_no_one(kind: str, noise: list[str | bytes]) -> None:
    async def run() -> None:
        async with studio() as one:
            await survive(one, kind, noise)

    asyncio.run(run())
