"""Rooms commit to their dice before the first roll, let players have a say in them, and show the secret at the end."""

from __future__ import annotations

import asyncio
import json
from hashlib import sha256

import msgspec
import pytest
from studio_kit import EASY, Json, first_legal, play, seats, studio

from liars_dice.core import GameCreated
from liars_dice.persistence import InMemoryRecorder, RecordedEvent, check_dice, verify_game
from liars_dice.tournament import Ledger, round_robin
from liars_dice.web.room_document import RoomDoc


def room_for(*who: str, **more: object) -> Json:
    return {"seats": seats(*who), "rules": "heads-up", "changes": {"dice": 2}, "delay_ms": 0, **more}


def commitment_to(secret: str) -> str:
    return sha256(f"liars-dice:{secret}".encode()).hexdigest()


def seed_from(secret: str, *entropy: str) -> int:
    """As the docs say: recomputed here without our own code."""
    text = json.dumps([secret, *entropy], separators=(",", ":"))
    return int(sha256(text.encode()).hexdigest()[:16], 16) >> 1


def created_in(record: list[RecordedEvent]) -> GameCreated:
    created = record[0].payload
    assert isinstance(created, GameCreated)
    return created


def test_the_commitment_comes_first_then_the_entropy_then_the_dice_and_last_the_secret() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "open"))
            before = (await one.get(f"/rooms/{made['room']}"))["fairness"]
            assert len(before["commitment"]) == 64
            assert (before["secret"], before["entropy"]) == (None, ["", ""])
            assert before["commitment"] in store.documents("room")[made["room"]], "stored before anything is rolled"
            ask = {"token": made["token"], "entropy": "first thought"}
            await one.post(f"/rooms/{made['room']}/entropy", ask)
            changed = await one.post(f"/rooms/{made['room']}/entropy", ask | {"entropy": "ann's dog"})
            assert changed["fairness"]["entropy"] == ["ann's dog", ""]
            assert not store.games(), "nothing is rolled yet"
            wish = {"name": "bob", "entropy": "été"}
            bob = await one.post(f"/rooms/{made['room']}/seats", wish)
            late = await one.post(f"/rooms/{made['room']}/entropy", ask, 409)
            assert late["code"] == "already_started"
            sockets = [await one.enter(made["room"], token) for token in (made["token"], bob["token"])]
            await asyncio.gather(*(play(socket, seat) for seat, socket in enumerate(sockets)))
            over = sockets[0].heard[-1]
            assert over["type"] == "over"
            shown = over["fairness"]
            assert shown["commitment"] == before["commitment"] == commitment_to(shown["secret"])
            assert shown["entropy"] == ["ann's dog", "été"]
            assert (await one.get(f"/rooms/{made['room']}"))["fairness"] == shown
            assert (await one.get(f"/games/{over['game_id']}"))["fairness"] == shown
            record = store.events(over["game_id"])
            created = created_in(record)
            assert created.config.seed == seed_from(shown["secret"], "ann's dog", "été")
            checked = check_dice([event.payload for event in record])
            assert checked.rolled_again > 0
            assert (checked.without_seed, checked.seeds) == (0, 1)

    asyncio.run(run())


def test_a_room_against_bots_can_wait_until_you_have_seen_the_commitment() -> None:
    store = InMemoryRecorder()

    async def run(made: Json) -> Json:
        async with studio(store) as one:
            if not made:
                return await one.post("/rooms", room_for("you", "crawler", hold=True))
            room = await one.get(f"/rooms/{made['room']}")
            assert (room["status"], room["game_id"]) == ("waiting", None), "a restart does not start it either"
            await one.post(f"/rooms/{made['room']}/entropy", {"token": made["token"], "entropy": "mine"})
            started = await one.post(f"/rooms/{made['room']}/start", {"token": made["token"]})
            assert started["fairness"] == room["fairness"] | {"entropy": ["mine", ""]}
            await play(await one.enter(made["room"], made["token"]), 0)
            return made

    asyncio.run(run(asyncio.run(run({}))))


def test_bad_wishes_about_the_dice_are_refused_in_one_line() -> None:
    async def run() -> None:
        async with studio(agents=["cmd:python bot.py"]) as one:
            made = await one.post("/rooms", room_for("you", "open"))
            where = f"/rooms/{made['room']}/entropy"
            token = {"token": made["token"]}
            assert (await one.post(where, token | {"entropy": "two\nlines"}, 400))["field"] == "entropy"
            await one.post(where, token | {"entropy": "x" * 101}, 422)
            await one.post(where, {"token": "nonsense", "entropy": "x"}, 403)
            assert (await one.post("/rooms", room_for("crawler", "crawler", hold=True), 400))["field"] == "hold"
            seeded = await one.post("/rooms", room_for("you", "crawler", hold=True, seed=5))
            wish = {"token": seeded["token"], "entropy": "x"}
            assert (await one.post(f"/rooms/{seeded['room']}/entropy", wish, 409))["code"] == "seed_given"
            assert (await one.get(f"/rooms/{seeded['room']}"))["fairness"] is None

    asyncio.run(run())


def test_no_typed_seed_where_strangers_sit() -> None:
    async def run() -> None:
        async with studio(agents=["cmd:python bot.py"]) as one:
            for who in (("you", "open"), ("you", "bot"), ("bot", "crawler")):
                error = await one.post("/rooms", room_for(*who, seed=5), 400)
                assert error["field"] == "seed"
            await one.post("/rooms", room_for("crawler", "crawler", seed=5))

    asyncio.run(run())


@pytest.mark.parametrize("over", [False, True])
def test_an_undo_goes_on_with_dice_that_no_revealed_secret_tells(over: bool) -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "crawler", practice=True))
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0, first_legal, turns=None if over else 1)
            if not over:
                await socket.until(lambda m: m["type"] == "turn" and m["seat"] == 0)
            before = await one.get(f"/rooms/{made['room']}")
            socket.say({"type": "undo", "id": 7})
            welcome = await socket.until("welcome")
            after = welcome["room"]["fairness"]
            assert after["commitment"] != before["fairness"]["commitment"]
            assert after["secret"] is None
            await socket.until("answer")
            again = await one.enter(made["room"], made["token"])
            await play(again, 0)
            first, second = (store.events(game) for game in (before["game_id"], welcome["game_id"]))
            assert created_in(first).config.seed != created_in(second).config.seed
            verify_game(second)
            checked = check_dice([event.payload for event in second])
            assert checked.without_seed == 0
            shown = again.heard[-1]["fairness"]
            assert shown["commitment"] == after["commitment"] == commitment_to(shown["secret"])
            abandoned = await one.get(f"/games/{before['game_id']}")
            assert (abandoned["fairness"]["secret"] is None) == (not over), "an abandoned game is never over"

    asyncio.run(run())


def test_a_branch_of_a_finished_game_has_a_commitment_of_its_own() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            watcher = await one.enter((await one.post("/rooms", room_for("crawler", "crawler")))["room"])
            over = await watcher.until("over")
            made = await one.post(f"/games/{over['game_id']}/branch", {"turn": 1, "seat": 0, "delay_ms": 0})
            room = await one.get(f"/rooms/{made['room']}")
            assert room["fairness"]["secret"] is None
            assert room["fairness"]["commitment"] != over["fairness"]["commitment"]
            assert room["fairness"]["first_round"] == 1, "the round on the table stays as it was dealt"
            await play(await one.enter(made["room"], made["token"]), 0)
            record = store.events(room["game_id"])
            assert check_dice([event.payload for event in record]).without_seed == 0

    asyncio.run(run())


def test_a_game_that_became_too_long_shows_its_secret_too() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, events=5)) as one:
            watcher = await one.enter((await one.post("/rooms", room_for("crawler", "crawler")))["room"])
            over = await watcher.until("over")
            assert over["ended"] == "too_long"
            assert commitment_to(over["fairness"]["secret"]) == over["fairness"]["commitment"]
            assert (await one.get(f"/games/{over['game_id']}"))["fairness"] == over["fairness"]

    asyncio.run(run())


def test_rooms_stored_before_commitments_existed_open_as_before() -> None:
    store = InMemoryRecorder()

    async def run(room_id: str) -> str:
        async with studio(store) as one:
            if not room_id:
                return str((await one.post("/rooms", room_for("you", "open", hold=True)))["room"])
            room = await one.get(f"/rooms/{room_id}")
            assert (room["fairness"], room["status"]) == (None, "waiting")
            bob = await one.post(f"/rooms/{room_id}/seats", {"name": "bob"})
            await (await one.enter(room_id, bob["token"])).until(lambda m: m["type"] == "event")
            return room_id

    made = asyncio.run(run(""))
    document = json.loads(store.documents("room")[made])
    for new in ("fairness", "hold"):
        del document[new]
    for seat in document["seats"]:
        del seat["entropy"]
    document["config"]["seed"] = 5
    assert msgspec.convert(document, RoomDoc).hold is False
    store.save_documents("room", {made: json.dumps(document)})
    asyncio.run(run(made))
    assert created_in(store.events(store.games()[0].game_id)).config.seed == 5


def test_the_seed_of_a_tournament_is_not_told_before_its_last_game() -> None:
    store = InMemoryRecorder()
    result = round_robin(["maniac", "passive"], "duel", games=2, seed=123456789)
    Ledger(store, result.settings, "under-way").begin((), 20)
    Ledger(store, result.settings, "done").close(result)

    async def run() -> None:
        async with studio(store) as one:
            for name, told in (("under-way", False), ("done", True)):
                said = await one.get(f"/lab/tournaments/{name}")
                assert ("123456789" in json.dumps(said)) == told

    asyncio.run(run())
