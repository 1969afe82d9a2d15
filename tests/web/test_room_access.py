"""Rooms that no one plays in leave memory though pages are open, and rooms can be closed to strangers."""

from __future__ import annotations

import asyncio

import pytest
from studio_kit import EASY, Closed, Socket, first_legal, play, seats, studio

WISH = {"seats": seats("you", "open"), "rules": "heads-up", "delay_ms": 0}


async def end_of(socket: Socket) -> Closed:
    with pytest.raises(Closed) as closed:
        await socket.until("never")
    return closed.value


def test_looking_does_not_keep_a_room_in_memory() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH)
            watcher = await one.enter(made["room"])
            for _ in range(31):
                assert made["room"] in one.rooms._live
                await one.get(f"/rooms/{made['room']}")
                await one.advance(60)
            assert not one.rooms._live
            closed = await end_of(watcher)
            assert closed.code == 1008  # a page does not reconnect by itself
            assert "asleep" in closed.reason
            assert (await one.get(f"/rooms/{made['room']}"))["status"] == "waiting"
            assert not one.rooms._live
            await one.enter(made["room"], made["token"])
            assert made["room"] in one.rooms._live

    asyncio.run(run())


def test_looking_at_a_room_without_visitors_does_not_keep_it_either() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH)
            for _ in range(4):
                await one.advance(EASY.linger_s / 3)
                await one.get(f"/rooms/{made['room']}")
            assert not one.rooms._live

    asyncio.run(run())


def test_a_room_in_which_someone_plays_stays() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH | {"seats": seats("you", "optimal")})
            player = await one.enter(made["room"], made["token"])
            for _ in range(3):
                await play(player, 0, first_legal, turns=1)
                await one.advance(EASY.idle_s * 0.9)
                assert made["room"] in one.rooms._live

    asyncio.run(run())


def test_a_closed_room_lets_in_only_those_with_its_link() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH | {"seats": seats("you", "open", "open"), "rules": "perudo"})
            name, access = made["room"], f"/rooms/{made['room']}/access"
            guest = await one.post(f"/rooms/{name}/seats", {"name": "Ben"})
            stranger = await one.enter(name)
            refused = await one.post(access, {"token": guest["token"], "closed": True}, 403)
            assert refused["code"] == "not_host"
            invite = (await one.post(access, {"token": made["token"], "closed": True}))["invite"]
            assert (await end_of(stranger)).code == 1008
            assert (await one.get("/rooms"))["rooms"] == []
            assert (await one.http.get(f"/api/rooms/{name}")).json()["code"] == "closed_room"
            for wrong in (None, "", "wrong", invite[:-1], made["room"]):
                refused = await one.post(f"/rooms/{name}/seats", {"invite": wrong}, 403)
                assert refused["code"] == "closed_room"
                socket = one.socket(name)
                socket.say({"type": "hello", "invite": wrong})
                assert (await socket.next())["code"] == "closed_room"
            for secret in (invite, made["token"], guest["token"]):
                shown = await one.get(f"/rooms/{name}", authorization=f"Bearer {secret}")
                assert (shown["closed"], shown["host"]) == (True, 0)
                assert invite not in str(shown)
            watcher = one.socket(name)
            watcher.say({"type": "hello", "invite": invite})
            assert (await watcher.next())["invite"] is None
            host = one.socket(name)
            host.say({"type": "hello", "token": made["token"]})
            assert (await host.next())["invite"] == invite
            await one.post(access, {"token": made["token"], "closed": False})
            await host.until(lambda said: said["type"] == "seats" and not said["closed"])
            assert [room["room"] for room in (await one.get("/rooms"))["rooms"]] == [name]
            second = (await one.post(access, {"token": made["token"], "closed": True}))["invite"]
            assert second != invite
            await one.post(f"/rooms/{name}/seats", {"invite": invite}, 403)
            told = await host.until(lambda said: said["type"] == "seats" and said["closed"])
            assert told["invite"] == second
            onlooker = one.socket(name)
            onlooker.say({"type": "hello", "invite": second})
            assert (await onlooker.next())["invite"] is None
            await one.post(f"/rooms/{name}/seats", {"invite": second})
            assert (await onlooker.until("seats"))["invite"] is None

    asyncio.run(run())


def test_a_room_can_be_closed_from_the_start() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH | {"closed": True})
            assert (await one.get("/rooms"))["rooms"] == []
            await one.post(f"/rooms/{made['room']}/seats", {}, 403)
            await one.post(f"/rooms/{made['room']}/seats", {"invite": made["invite"]})

    asyncio.run(run())
