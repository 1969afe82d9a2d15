"""Rooms that nobody comes back to are in nobody's way, and are still there for whoever does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
from studio_kit import EASY, Json, Studio, play, seats, studio

BRIEF = msgspec.structs.replace(EASY, rooms=2, linger_s=0.02)


def room_for(*words: str, **more: Any) -> Json:
    return {"seats": seats(*words), "rules": "heads-up", "delay_ms": 0} | more


async def all_asleep(one: Studio) -> None:
    async with asyncio.timeout(5):
        while one.rooms._live:
            await asyncio.sleep(0.01)


async def listed(one: Studio) -> list[str]:
    return [line["room"] for line in (await one.get("/rooms"))["rooms"]]


def test_abandoned_rooms_make_place_and_can_be_come_back_to() -> None:
    async def run() -> None:
        async with studio(limits=BRIEF) as one:
            first = await one.post("/rooms", room_for("you", "optimal"))
            await all_asleep(one)
            made = []
            for _ in range(4):
                made.append((await one.post("/rooms", room_for("you", "open")))["room"])
                await all_asleep(one)
            assert await listed(one) == made[:1:-1]
            await play(await one.enter(first["room"], first["token"]), 0)

    asyncio.run(run())


def test_rooms_with_people_in_them_are_never_put_aside() -> None:
    async def run() -> None:
        async with studio(limits=BRIEF) as one:
            made = [await one.post("/rooms", room_for("you", "optimal")) for _ in range(2)]
            inside = [await one.enter(room["room"], room["token"]) for room in made]
            await asyncio.sleep(0.1)
            await one.post("/rooms", room_for("you", "optimal"), 429)
            await inside[0].hang_up()
            async with asyncio.timeout(5):
                while len(one.rooms._live) > 1:
                    await asyncio.sleep(0.01)
            await one.post("/rooms", room_for("you", "optimal"))
            await play(inside[1], 0)

    asyncio.run(run())


def test_a_room_left_for_long_is_listed_no_more(tmp_path: Path) -> None:
    limits = msgspec.structs.replace(EASY, linger_s=0.02, waiting_s=0.0)

    async def run() -> list[str]:
        async with studio(tmp_path / "a.sqlite", limits=limits) as one:
            solo = await one.post("/rooms", room_for("you", "optimal"))
            waiting = await one.post("/rooms", room_for("you", "open"))
            company = await one.post("/rooms", room_for("you", "open"))
            await one.post(f"/rooms/{company['room']}/seats", {"name": "Ben"})
            assert await listed(one) == [company["room"], waiting["room"]]  # who plays alone is not looked at
            await all_asleep(one)
            assert await listed(one) == [company["room"]]
            return [room["room"] for room in (company, solo, waiting)]

    async def later(company: str, *others: str) -> None:
        async with studio(tmp_path / "a.sqlite", limits=limits) as one:
            assert await listed(one) == [company]
            for room in others:
                assert (await one.get(f"/rooms/{room}"))["status"] in ("waiting", "playing")
            assert set(await listed(one)) == {company, others[1]}

    asyncio.run(later(*asyncio.run(run())))
