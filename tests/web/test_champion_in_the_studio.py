"""The champion in the studio: hints and reviews by its values, and what it plays by rules it was not made for."""

from __future__ import annotations

import asyncio

import pytest
from studio_kit import Json, seats, studio

PERUDO: Json = {"rules": "perudo", "changes": {"dice": [2, 2, 2]}, "delay_ms": 0}


@pytest.mark.parametrize(
    ("wish", "detectives"),
    [
        ({"preset": "perudo"}, 0),
        ({"preset": "perudo-tournament", "changes": {"dice": [3] * 6}}, 0),
        ({"preset": "perudo", "changes": {"dice": [5] * 7}}, 4),
        ({"preset": "openspiel"}, 4),
    ],
    ids=str,
)
def test_rules_name_the_bots_that_are_not_made_for_them(wish: Json, detectives: int) -> None:
    async def run() -> None:
        async with studio() as one:
            plays_as = (await one.post("/rules", wish))["plays_as"]
            assert len(plays_as) == detectives
            if detectives:
                assert plays_as["champion"] == "detective"
                assert plays_as["champion:easy"] == "detective or aggressive"

    asyncio.run(run())


def test_a_hint_at_a_table_of_three_is_by_its_values() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", PERUDO | {"seats": seats("you", "optimal", "maniac")})
            socket = await one.enter(made["room"], made["token"])
            await socket.until("turn")
            socket.say({"type": "ask", "id": 1, "what": "hint"})
            hint = (await socket.until("answer"))["hint"]
            assert (hint["given"], hint["source"]) == ("if everybody plays on as champion", "champion")

    asyncio.run(run())


def test_a_review_of_a_table_of_three_is_by_its_values() -> None:
    async def run() -> None:
        async with studio() as one:
            wish = PERUDO | {"seats": seats("random", "optimal", "maniac"), "seed": 4}
            watcher = await one.enter((await one.post("/rooms", wish))["room"])
            game = (await watcher.until("over"))["game_id"]
            review = await one.get(f"/games/{game}/review")
            assert review["moves"][0]["source"] == "champion"
            assert review["curve_source"].startswith("champion")

    asyncio.run(run())
