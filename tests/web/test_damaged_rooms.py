"""A room whose document or game is damaged is closed; the others go on."""

from __future__ import annotations

import asyncio
import warnings

import msgspec
import pytest
from studio_kit import first_legal, seats, studio

from liars_dice.persistence import InMemoryRecorder

WISH = {"seats": seats("you", "crawler"), "rules": "heads-up"}


@pytest.mark.parametrize("damage", ["document", "newer", "game", "rules"])
def test_a_damaged_room_concerns_itself_alone(damage: str) -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = [await one.post("/rooms", WISH) for _ in range(2)]
            for room in made:
                socket = await one.enter(room["room"], room["token"])
                await socket.until("turn")
        bad, good = made
        text = store.documents("room")[bad["room"]]
        if damage == "game":
            game_id = msgspec.json.decode(text)["game_id"]
            store._games[game_id] = store._games[game_id][1:]
        else:
            changes = {"document": ('"seats":', '"sets":'), "newer": ('"schema":1', '"schema":7'), "rules": ("[", "")}
            store.save_documents("room", {bad["room"]: text.replace(*changes[damage])})
        kept = store.documents("room")[bad["room"]]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            async with studio(store) as one:
                for _ in range(2):
                    refused = one.socket(bad["room"])
                    refused.say({"type": "hello", "token": bad["token"]})
                    assert (await refused.next())["code"] == "room_damaged"
                    answer = await one.http.get(f"/api/rooms/{bad['room']}")
                    assert (answer.status_code, answer.json()["code"]) == (409, "room_damaged")
                socket = await one.enter(good["room"], good["token"])
                turn = await socket.until("turn")
                socket.say({"type": "act", "id": 1, "turn": turn["turn"], "action": first_legal(turn)})
                assert (await socket.until("answer"))["ok"]
                await one.post("/rooms", WISH)
        assert any(bad["room"] in str(one.message) for one in said)
        assert store.documents("room")[bad["room"]] == kept

    asyncio.run(run())
