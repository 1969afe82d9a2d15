"""What clients are told: enough to continue after any interruption, and nothing twice."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from studio_kit import EASY, Json, first_legal, play, seats, studio

from liars_dice.core import visible_to
from liars_dice.persistence import InMemoryRecorder


def room_for(*words: str, **more: Any) -> Json:
    return {"seats": seats(*words), "rules": "heads-up", "delay_ms": 0} | more


def test_a_client_with_events_of_another_game_is_told_everything() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "crawler", practice=True))
            socket = await one.enter(made["room"], made["token"])
            assert socket.heard[0]["game_id"] == socket.heard[0]["room"]["game_id"]
            await play(socket, 0, first_legal, turns=2)
            before = socket.heard[0]["game_id"]
            socket.say({"type": "undo", "id": 7})
            again = await socket.until("welcome")
            assert again["from"] == 0
            assert again["game_id"] != before
            known = len(again["events"])

            async def come_back(**hello: object) -> Json:
                back = one.socket(made["room"])
                back.say({"type": "hello", "token": made["token"]} | hello)
                return await back.next()

            other = await come_back(**{"from": 3, "game_id": before})
            assert (other["from"], other["events"][0]["n"]) == (0, 0)
            same = await come_back(**{"from": 3, "game_id": again["game_id"]})
            assert (same["from"], same["game_id"]) == (3, again["game_id"])
            assert all(event["n"] >= 3 for event in same["events"])
            assert (await come_back(**{"from": 99}))["from"] == 0
            assert len((await come_back())["events"]) == known

    asyncio.run(run())


@pytest.mark.parametrize("name", ["", "You", " yOU "])
def test_no_player_is_called_you(name: str) -> None:
    async def run() -> None:
        async with studio() as one:
            wish = room_for("open", "open", "open", "open", rules="perudo")
            wish["seats"][1] = {"kind": "you", "name": name}
            wish["seats"][3] = {"kind": "bot", "agent": "optimal", "name": name}
            made = await one.post("/rooms", wish)
            await one.post(f"/rooms/{made['room']}/seats", {"name": name, "seat": 2})
            shown = await one.get(f"/rooms/{made['room']}")
            bot = "Player 4" if name else "optimal"
            assert [seat["name"] for seat in shown["seats"]] == ["Seat 1", "Player 2", "Player 3", bot]

    asyncio.run(run())


def test_seats_are_sent_only_when_they_changed() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open"))
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "careful", "bot": True})
            first = await one.enter(made["room"], made["token"])
            path, header = f"/rooms/{made['room']}/next", f"Bearer {joined['token']}"
            for _ in range(5):
                assert (await one.get(path, authorization=header))["type"] == "wait"
            first.say({"type": "ping"})
            await first.until("pong")
            told = [message for message in first.heard if message["type"] == "seats"]
            assert len(told) <= 2
            assert told[-1]["seats"][1]["present"]
            assert all(before != after for before, after in pairwise(told))

    asyncio.run(run())


def test_a_bot_that_comes_late_hears_what_it_missed() -> None:
    """The same as one that was there all the time, however much that is."""
    limits = msgspec.structs.replace(EASY, queue=8)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", room_for("you", "open"))
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "careful", "bot": True})
            socket = await one.enter(made["room"], made["token"])
            header = f"Bearer {joined['token']}"
            room = await one.rooms.get(made["room"])

            async def moves() -> None:
                turn = room.turn
                if room.state.public.current_player == 1:
                    view = (await one.get(f"/rooms/{made['room']}/next?wait=5", authorization=header))["view"]
                    action = "liar" if "liar" in view["legal_actions"] else view["legal_actions"][0]
                    body = {"id": turn, "action": action}
                    await one.post(f"/rooms/{made['room']}/act", body, authorization=header)
                else:
                    said = await socket.until(lambda m: m["type"] == "turn" and m["turn"] == turn)
                    socket.say({"type": "act", "id": turn, "turn": turn, "action": first_legal(said)})
                    await socket.until("answer")

            while len(room.state.public.resolutions) < 3 or room.state.public.current_player != 1:
                await moves()
                await one.settle()
                assert room.state.public.status == "BIDDING"
            late = one.socket(made["room"], "bot")
            late.say({"type": "hello", "token": joined["token"]})
            late.say({"type": "ready", "name": "careful", "events": True})
            await late.until("choose")
            kinds = [said["event"]["event_type"] if said["type"] == "event" else said["type"] for said in late.heard]
            assert kinds[:3] == ["start", "GameCreated", "RoundStarted"]
            assert kinds.count("round_end") == len(room.state.public.resolutions)
            seen = [event.event_type for event in room.record if visible_to(event.payload, 1) is not None]
            assert [kind for kind in kinds if kind[0].isupper()] == seen
            assert len(seen) > 2 * limits.queue

    asyncio.run(run())


def test_players_are_told_how_long_they_wait_for_a_player_who_left() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open"))
            ann = await one.enter(made["room"], made["token"])
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            ben = await one.enter(made["room"], joined["token"])
            turn = await ben.until("turn")
            assert (turn["seat"], turn.get("deadline_s")) == (0, None)
            await ann.hang_up()
            turn = await ben.until(lambda message: message["type"] == "turn" and message.get("deadline_s") is not None)
            assert turn["seat"] == 0
            assert turn["deadline_s"] == EASY.away_s
            await one.enter(made["room"], made["token"])
            await ben.until(lambda message: message["type"] == "turn" and message.get("deadline_s") is None)

    asyncio.run(run())


def test_one_spectator_sets_the_speed_of_a_game_between_bots() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("optimal", "maniac", delay_ms=9000))
            first, second = await one.enter(made["room"]), await one.enter(made["room"])
            second.say({"type": "speed", "delay_ms": 0})
            assert (await second.until("error"))["code"] == "not_first_spectator"
            first.say({"type": "speed", "delay_ms": 5000})
            first.say({"type": "ping"})
            await first.until("pong")
            (text,) = store.documents("room").values()
            assert msgspec.json.decode(text)["delay_ms"] == 5000
            await first.hang_up()
            second.say({"type": "speed", "delay_ms": 0})
            await second.until("over")

    asyncio.run(run())


def test_taking_the_last_seat_and_starting_are_one_write(monkeypatch: pytest.MonkeyPatch) -> None:
    store = InMemoryRecorder()
    saved: list[Json] = []
    save = store.save_documents

    def spied(kind: str, documents: Any) -> None:
        saved.extend(msgspec.json.decode(text) for text in documents.values())
        save(kind, documents)

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "open"))
            with monkeypatch.context() as patched:
                patched.setattr(store, "save_documents", spied)
                await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})

    asyncio.run(run())
    (doc,) = saved
    assert doc["game_id"]
    assert doc["seats"][1]["name"] == "Ben"


def test_hints_and_undos_are_limited() -> None:
    limits = msgspec.structs.replace(EASY, questions=0, undos=1)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", room_for("you", "crawler", practice=True))
            socket = await one.enter(made["room"], made["token"])
            await socket.until("turn")
            socket.say({"type": "ask", "id": 1, "what": "hint"})
            assert (await socket.until("error"))["code"] == "coach_busy"
            for undone in (True, False):
                turn = (await one.get(f"/rooms/{made['room']}"))["turn"]
                socket.say({"type": "act", "id": 2, "turn": turn, "action": {"kind": "bid", "quantity": 1, "face": 2}})
                await socket.until(lambda m: m.get("to") == 2)
                socket.say({"type": "undo", "id": 3})
                said = await socket.until(lambda m: m.get("to") == 3)
                assert said["type"] == ("answer" if undone else "error")
            assert said["code"] == "too_many_undos"

    asyncio.run(run())


def test_a_network_bot_hears_that_a_game_was_too_long() -> None:
    limits = msgspec.structs.replace(EASY, events=4)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", room_for("you", "open"))
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "careful", "bot": True})
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until("turn")
            socket.say({"type": "act", "id": 1, "turn": turn["turn"], "action": first_legal(turn)})
            assert (await socket.until("over"))["ended"] == "too_long"
            header = f"Bearer {joined['token']}"
            said = await one.get(f"/rooms/{made['room']}/next?wait=5", authorization=header)
            assert (said["type"], said["winner"]) == ("game_end", None)

    asyncio.run(run())
