"""Rooms that everyone has left do not count against the limits, and can still be opened by their link."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
from studio_kit import EASY, Json, ManualClock, Studio, play, seats, studio

TWO_ROOMS = msgspec.structs.replace(EASY, rooms=2)
DAY_S = 86_400.0


def room_for(*words: str, **more: Any) -> Json:
    return {"seats": seats(*words), "rules": "heads-up", "delay_ms": 0} | more


async def all_leave_memory(one: Studio) -> None:
    await one.advance(EASY.linger_s + 1)
    assert not one.rooms._live


async def listed(one: Studio) -> list[str]:
    return [item["room"] for item in (await one.get("/rooms"))["rooms"]]


def test_abandoned_rooms_make_place_and_can_be_reopened() -> None:
    async def run() -> None:
        async with studio(limits=TWO_ROOMS) as one:
            first = await one.post("/rooms", room_for("you", "optimal"))
            await all_leave_memory(one)
            made = []
            for _ in range(4):
                made.append((await one.post("/rooms", room_for("you", "open")))["room"])
                await all_leave_memory(one)
            assert await listed(one) == made[:1:-1]
            await play(await one.enter(first["room"], first["token"]), 0)

    asyncio.run(run())


def test_rooms_with_people_in_them_stay_in_memory() -> None:
    async def run() -> None:
        async with studio(limits=TWO_ROOMS) as one:
            made = [await one.post("/rooms", room_for("you", "optimal")) for _ in range(2)]
            inside = [await one.enter(room["room"], room["token"]) for room in made]
            await one.advance(10 * EASY.linger_s)
            await one.post("/rooms", room_for("you", "optimal"), 429)
            await inside[0].hang_up()
            await one.advance(EASY.linger_s + 1)
            assert list(one.rooms._live) == [made[1]["room"]]
            await one.post("/rooms", room_for("you", "optimal"))
            await play(inside[1], 0)

    asyncio.run(run())


def test_a_room_that_everyone_left_is_listed_for_a_day_and_a_game_of_people_for_longer(tmp_path: Path) -> None:
    clock = ManualClock()

    async def run() -> list[str]:
        async with studio(tmp_path / "a.sqlite", clock=clock) as one:
            solo = await one.post("/rooms", room_for("you", "optimal"))
            waiting = await one.post("/rooms", room_for("you", "open"))
            company = await one.post("/rooms", room_for("you", "open"))
            await one.post(f"/rooms/{company['room']}/seats", {"name": "Ben"})
            assert set(await listed(one)) == {company["room"], waiting["room"]}  # one person's game is never listed
            await all_leave_memory(one)
            assert set(await listed(one)) == {company["room"], waiting["room"]}
            await one.advance(DAY_S)
            assert await listed(one) == [company["room"]]
            return [room["room"] for room in (company, solo, waiting)]

    async def later(company: str, *others: str) -> None:
        async with studio(tmp_path / "a.sqlite", clock=clock) as one:
            assert await listed(one) == [company]
            for room in others:
                assert (await one.get(f"/rooms/{room}"))["status"] in ("waiting", "playing")
            assert await listed(one) == [company]  # to look at a room is not to open it
            for room in others:
                await one.enter(room)
            assert set(await listed(one)) == {company, others[1]}
            await one.advance(31 * DAY_S)
            assert company not in await listed(one)

    asyncio.run(later(*asyncio.run(run())))
