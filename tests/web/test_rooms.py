"""The life of rooms: taking seats, playing, leaving, returning, restarts, practice, branches."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from studio_kit import EASY, Closed, Json, Studio, first_legal, play, scripted, seats, studio

from liars_dice.coach.opponent_models import model_of
from liars_dice.core import GameCreated, GameEnded
from liars_dice.persistence import InMemoryRecorder, RecordedEvent, open_store, verify_game
from liars_dice.web import ServerLimits
from patience import PATIENCE


def room_for(*words: str, **more: Any) -> Json:
    return {"seats": seats(*words), "rules": "heads-up", "delay_ms": 0} | more


def test_a_game_against_a_bot_is_recorded_and_verified() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "maniac"))
            socket = await one.enter(made["room"], made["token"])
            welcome = socket.heard[0]
            assert welcome["seat"] == 0
            assert welcome["room"]["status"] == "playing"
            assert await play(socket, 0) > 0
            (line,) = (await one.get("/games"))["games"]
            assert line["finished"]
            assert line["names"] == ["Player 1", "maniac"]
            record = await one.get(f"/games/{line['id']}")
            assert record["events"][0]["type"] == "GameCreated"
            assert record["events"][-1]["type"] == "GameEnded"
            assert sum(e["type"] in ("BidPlaced", "LiarCalled") for e in record["events"]) == line["turns"]
            assert (await one.get("/rooms"))["rooms"] == []
            assert (await one.get(f"/rooms/{made['room']}"))["status"] == "over"

    asyncio.run(run())
    (game,) = store.games()
    events = store.events(game.game_id)
    verify_game(events)
    assert {e.player_type for e in events if e.player_type} == {"Human", "maniac"}


def test_bots_by_any_spelling_of_their_names() -> None:
    """They sit down and are recorded under their own names; an unknown name is guessed."""
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            wish = room_for("MANIAC", "CALLING_STATION", "threshold-best", "RandomAgent", rules="perudo")
            watcher = await one.enter((await one.post("/rooms", wish))["room"])
            await watcher.until("over")
            error = await one.post("/rooms", room_for("you", "MANIACS"), 400)
            assert error["error"].endswith("(did you mean maniac?)")

    asyncio.run(run())
    (game,) = store.games()
    assert game.names == ("maniac", "calling-station", "threshold-best", "random")
    assert game.player_types == ("maniac", "calling-station", "threshold-best", "RandomAgent")


def test_two_people_and_a_spectator_see_the_same_game() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open"))
            assert (await one.get("/rooms"))["rooms"][0]["open_seats"] == 1
            first = await one.enter(made["room"], made["token"])
            watcher = await one.enter(made["room"])
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            assert joined["seat"] == 1
            second = await one.enter(made["room"], joined["token"])
            await asyncio.gather(play(first, 0), play(second, 1), watcher.until("over"))
            told = [[m["event"]["type"] for m in s.heard if m["type"] == "event"] for s in (first, watcher)]
            assert [t for t in told[0] if t != "DiceRolled"] == told[1]
            await one.post(f"/rooms/{made['room']}/seats", {"name": "late"}, 409)

    asyncio.run(run())


@pytest.mark.parametrize("name", ["optimal", "Optimal", " nash ", "optimal#2", "threshold:0.4"])
def test_players_cannot_use_the_name_of_a_bot(name: str) -> None:
    async def run() -> None:
        async with studio() as one:
            you = [{"kind": "you", "name": name}, {"kind": "open"}]
            made = await one.post("/rooms", room_for("you", "open"))
            taken = f"/rooms/{made['room']}/seats"
            wishes = [
                ("/rooms", room_for() | {"seats": you}),
                (taken, {"name": name}),
                (taken, {"name": name, "bot": True}),
            ]
            answers = [await one.post(path, wish, 409) for path, wish in wishes]
            line = f"{name.strip()} is the name of a bot; choose another name"
            assert {(answer["code"], answer["error"]) for answer in answers} == {("name_of_bot", line)}
            await one.post(taken, {"name": "Optima"})

    asyncio.run(run())


def test_the_record_says_who_is_a_person() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "open", "bluffer", rules="perudo"))
            await one.post(f"/rooms/{made['room']}/seats", {"name": "careful", "bot": True})
            game = (await one.get(f"/rooms/{made['room']}"))["game_id"]
            socket = await one.enter(made["room"], made["token"])
            await socket.until("turn")
            created = store.events(game)[0].payload
            assert isinstance(created, GameCreated)
            assert created.agent_ids == ("human:Player 1", "remote:careful", "bluffer")
            assert [model_of(agent_id or "").known for agent_id in created.agent_ids] == [False, False, True]

    asyncio.run(run())


def test_start_fills_open_seats_and_needs_a_token_of_the_room() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open", "open", rules="perudo"))
            await one.post(f"/rooms/{made['room']}/start", {"token": "wrong"}, 403)
            view = await one.post(f"/rooms/{made['room']}/start", {"token": made["token"]})
            assert [seat["kind"] for seat in view["seats"]] == ["person", "bot", "bot"]
            assert [seat["name"] for seat in view["seats"]] == ["Player 1", "optimal", "maniac"]
            await one.post(f"/rooms/{made['room']}/start", {"token": made["token"]}, 409)

    asyncio.run(run())


def test_a_wrong_token_opens_nothing() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = one.socket(made["room"])
            socket.say({"type": "hello", "token": "x" * 32})
            assert (await socket.next())["code"] == "wrong_token"
            with pytest.raises(Closed) as closed:
                await socket.next()
            assert closed.value.code == 1008
            missing = one.socket("nowhere")
            missing.say({"type": "hello"})
            assert (await missing.next())["code"] == "not_found"

    asyncio.run(run())


def test_nothing_is_heard_before_hello_and_bad_messages_are_survived() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = one.socket(made["room"])
            for bad in ('{"type":"ping"}', "nonsense", "[" * 1000, '{"type":"hello","from":-1}', b"\xff\x00"):
                socket.say(bad)
                assert (await socket.next())["type"] == "error"
            socket.say({"type": "hello", "token": made["token"]})
            assert (await socket.next())["type"] == "welcome"
            turn = await socket.until("turn")
            for bad_message in (
                {"type": "hello"},
                {"type": "act", "id": 1, "turn": turn["turn"] + 1, "action": {"kind": "liar"}},
                {"type": "act", "id": 2, "turn": turn["turn"], "action": {"kind": "liar"}},
                {"type": "act", "id": 3, "turn": turn["turn"], "action": {"kind": "bid", "quantity": 99, "face": 1}},
                {"type": "act", "id": 4, "turn": turn["turn"], "action": {"kind": "dance"}},
                {"type": "ask", "id": 5, "what": "dice"},
                {"type": "undo", "id": 6},
            ):
                socket.say(bad_message)
                error = await socket.until("error")
                assert error.get("to") == bad_message.get("id")
            socket.say({"type": "ping"})
            await socket.until("pong")
            assert await play_on(socket, turn)

    async def play_on(socket: Any, turn: Json) -> bool:
        socket.say({"type": "act", "id": "a", "turn": turn["turn"], "action": first_legal(turn)})
        return bool((await socket.until("answer"))["ok"])

    asyncio.run(run())


def test_spectators_only_watch() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            watcher = await one.enter(made["room"])
            for wish in ({"type": "act", "id": 1, "turn": 1, "action": {"kind": "liar"}}, {"type": "undo", "id": 2}):
                watcher.say(wish)
                assert (await watcher.until("error"))["code"] == "spectator"
            watcher.say({"type": "speed", "delay_ms": 5})
            assert (await watcher.until("error"))["code"] == "others_play"

    asyncio.run(run())


def test_bots_play_by_themselves_and_can_be_hurried() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("optimal", "maniac", delay_ms=9000, seed=5))
            assert made["token"] is None
            watcher = await one.enter(made["room"])
            watcher.say({"type": "speed", "delay_ms": 0})
            assert (await watcher.until("over"))["winner"] in (0, 1)

    asyncio.run(run())


def test_odds_are_told_to_the_player() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal", rules="duel"))
            socket = await one.enter(made["room"], made["token"])
            await socket.until("turn")
            socket.say({"type": "ask", "id": 1, "what": "odds"})
            answer = await socket.until("answer")
            assert len(answer["bids"]) == 30
            dice = socket.heard[0]["you"]["dice"] or next(
                m["event"]["dice"] for m in socket.heard if m["type"] == "event" and m["event"]["type"] == "DiceRolled"
            )
            sure = next(b for b in answer["bids"] if (b["quantity"], b["face"]) == (1, dice[0]))
            assert sure["chance"] == 1.0

    asyncio.run(run())


# -- leaving and returning ---------------------------------------------------------------------------------------------


def test_reconnecting_continues_where_the_player_left() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0, turns=2)
            known = 1 + max([m["n"] for m in socket.heard if m["type"] == "event"], default=-1)
            await socket.hang_up()
            again = await one.enter(made["room"], made["token"], known)
            assert all(event["n"] >= known for event in again.heard[0]["events"])
            whole = await one.enter(made["room"], made["token"])
            assert whole.heard[0]["events"][0]["type"] == "GameCreated"
            assert "seed" not in json.dumps(whole.heard[0]["events"][0]["config"]) or (
                whole.heard[0]["events"][0]["config"].get("seed") is None
            )
            await play(whole, 0)

    asyncio.run(run())


def test_a_bot_plays_for_a_player_who_is_away_and_hands_back() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open"))
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            first = await one.enter(made["room"], made["token"])
            turn = await first.until("turn")
            first.say({"type": "act", "id": 1, "turn": turn["turn"], "action": first_legal(turn)})
            await first.until("answer")
            await one.advance(EASY.away_s - 1)
            assert (await one.get(f"/rooms/{made['room']}"))["seats"][1]["played_by"] is None
            await one.advance(1)
            played = await first.until(lambda m: m["type"] == "event" and m["event"].get("player_id") == 1)
            assert played["event"]["type"] in ("BidPlaced", "LiarCalled")
            assert played["event"]["stand_in"] == "optimal"
            own = next(m for m in first.heard if m["type"] == "event" and m["event"].get("player_id") == 0)
            assert "stand_in" not in own["event"]
            shown = await one.get(f"/rooms/{made['room']}")
            assert shown["seats"][1]["played_by"] == "optimal"
            assert not shown["seats"][1]["present"]
            second = await one.enter(made["room"], joined["token"])
            moves = [e for e in second.heard[0]["events"] if "Called" in e["type"] or e["type"] == "BidPlaced"]
            assert [e.get("stand_in") for e in moves][:2] == [None, "optimal"]
            assert (await one.get(f"/rooms/{made['room']}"))["seats"][1]["played_by"] is None
            await asyncio.gather(play(first, 0), play(second, 1))

    asyncio.run(run())


def test_a_move_sent_twice_is_made_once() -> None:
    """A page whose connection was lost sends its move again: in the same turn, and of the same game."""

    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open"))
            await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            first = await one.enter(made["room"], made["token"])
            turn = await first.until("turn")
            game = (await one.get(f"/rooms/{made['room']}"))["game_id"]
            move = {"type": "act", "id": 1, "turn": 1, "action": first_legal(turn)}
            first.say(move | {"game_id": "another"})
            assert (await first.until("error"))["code"] == "wrong_turn"
            for _ in range(2):
                first.say(move | {"game_id": game})
            await first.until("answer")
            assert (await first.until("error"))["code"] == "wrong_turn"
            assert (await one.get(f"/rooms/{made['room']}"))["turn"] == 2

    asyncio.run(run())


def test_no_bot_plays_for_a_player_while_no_one_else_is_there() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            await one.advance(EASY.linger_s - 1)
            assert (await one.get(f"/rooms/{made['room']}"))["turn"] == 1

    asyncio.run(run())


def test_a_deserted_room_leaves_the_memory_and_is_found_again() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0, turns=1)
            await socket.hang_up()
            await one.advance(EASY.linger_s + 1)
            assert not one.rooms._live
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0)

    asyncio.run(run())


def test_bots_do_not_play_for_ever_when_no_one_watches() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("optimal", "maniac", delay_ms=1000))
            await one.advance(EASY.linger_s + 1)
            async with asyncio.timeout(PATIENCE):
                while one.rooms._live:  # a room that is just storing a move is left alone until the next look at it
                    await one.advance(15)
            watcher = await one.enter(made["room"])
            watcher.say({"type": "speed", "delay_ms": 0})
            await watcher.until("over")

    asyncio.run(run())


# -- restarts ----------------------------------------------------------------------------------------------------------


def payloads(store: Path) -> list[Any]:
    with open_store(store) as opened:
        (game,) = opened.games()
        events: list[RecordedEvent] = opened.events(game.game_id)
    verify_game(events)
    return [event.payload for event in events]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a crash closes nothing
@pytest.mark.parametrize("killed_after", [0, 1, 3])
def test_a_game_goes_on_after_a_crash_as_if_nothing_had_happened(tmp_path: Path, killed_after: int) -> None:
    """Same dice and same bots' moves, whether the server dies in the middle or not."""
    wish = room_for("you", "random", "bluffer", rules="perudo", changes={"dice": 2}, seed=77)

    async def undisturbed() -> None:
        async with studio(tmp_path / "a.sqlite") as one:
            made = await one.post("/rooms", wish)
            await play(await one.enter(made["room"], made["token"]), 0)

    async def crashed() -> tuple[Json, int]:
        leaving = studio(tmp_path / "b.sqlite")  # never closed: its loop just ends
        one = await leaving.__aenter__()
        made = await one.post("/rooms", wish)
        socket = await one.enter(made["room"], made["token"])
        return made, await play(socket, 0, turns=killed_after)

    async def resumed(made: Json) -> None:
        async with studio(tmp_path / "b.sqlite") as one:
            await play(await one.enter(made["room"], made["token"]), 0)

    asyncio.run(undisturbed())
    made, acknowledged = asyncio.run(crashed())
    gc.collect()  # the lock on the store goes with the server
    with open_store(tmp_path / "b.sqlite") as opened:
        games = opened.games()
        moves = [e for e in opened.events(games[0].game_id) if e.player_type == "Human"] if games else []
    assert sum(e.event_type != "DiceRolled" for e in moves) >= acknowledged
    asyncio.run(resumed(made))
    assert payloads(tmp_path / "a.sqlite") == payloads(tmp_path / "b.sqlite")


def test_waiting_rooms_survive_a_restart(tmp_path: Path) -> None:
    async def before() -> Json:
        async with studio(tmp_path / "a.sqlite") as one:
            return await one.post("/rooms", room_for("you", "open"))

    async def after(made: Json) -> None:
        async with studio(tmp_path / "a.sqlite") as one:
            assert [line["room"] for line in (await one.get("/rooms"))["rooms"]] == [made["room"]]
            first = await one.enter(made["room"], made["token"])
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            second = await one.enter(made["room"], joined["token"])
            await asyncio.gather(play(first, 0), play(second, 1))

    asyncio.run(after(asyncio.run(before())))


def test_a_store_that_fails_loses_nothing_that_was_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move that cannot be stored is not acknowledged, and the room comes back from the store."""
    from liars_dice.persistence import StoreError

    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0, turns=1)
            turn = await socket.until(lambda m: m["type"] == "turn" and m["seat"] == 0)
            before = (await one.get(f"/rooms/{made['room']}"))["turn"]

            def full(batch: object) -> None:
                raise StoreError("the disk is full")

            with monkeypatch.context() as broken:
                broken.setattr(store, "_append", full)
                socket.say({"type": "act", "id": 9, "turn": turn["turn"], "action": first_legal(turn)})
                with contextlib.suppress(Closed):
                    while True:
                        assert (await socket.next())["type"] != "answer"
            assert (await one.get(f"/rooms/{made['room']}"))["turn"] == before
            await play(await one.enter(made["room"], made["token"]), 0)

    asyncio.run(run())


# -- practice and branches ---------------------------------------------------------------------------------------------


def test_undo_goes_back_to_your_last_decision_with_the_same_dice() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "crawler", practice=True))
            socket = await one.enter(made["room"], made["token"])
            await play(socket, 0, first_legal, turns=2)
            turn = await socket.until(lambda m: m["type"] == "turn" and m["seat"] == 0)
            dice = [m["event"]["dice"] for m in socket.heard if m.get("event", {}).get("type") == "DiceRolled"]
            socket.say({"type": "undo", "id": 7})
            welcome = await socket.until("welcome")
            assert welcome["room"]["turn"] == turn["turn"] - 2
            assert welcome["you"]["dice"] == (dice or [welcome["you"]["dice"]])[-1]
            assert (await socket.until("answer"))["to"] == 7
            await one.enter(made["room"], made["token"])
            await socket.hang_up()
            again = await one.enter(made["room"], made["token"])
            await play(again, 0)

    asyncio.run(run())
    for game in store.games():
        verify_game(store.events(game.game_id))


def test_no_undo_with_other_people_and_no_seed_with_open_seats() -> None:
    async def run() -> None:
        async with studio() as one:
            await one.post("/rooms", room_for("you", "open", practice=True), 400)
            await one.post("/rooms", room_for("you", "open", seed=1), 400)
            await one.post("/rooms", room_for("you", "optimal", changes={"seed": 1}), 400)
            await one.post("/rooms", room_for("you", "you"), 400)
            await one.post("/rooms", room_for("you", "nobody"), 400)
            await one.post("/rooms", room_for("you", "optimal", rules="chess"), 400)
            await one.post("/rooms", room_for("you", "optimal", changes={"self": 1}), 400)
            await one.post("/rooms", room_for("you", "optimal", changes={"dice": 60, "max_dice": 60}), 400)

    asyncio.run(run())


def test_play_on_from_a_finished_game() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("optimal", "maniac", seed=3))
            watcher = await one.enter(made["room"])
            over = await watcher.until("over")
            whole = await one.get(f"/games/{over['game_id']}")
            moves = [e for e in whole["events"] if e["type"] in ("BidPlaced", "LiarCalled")]
            at = 4
            branch = await one.post(
                f"/games/{over['game_id']}/branch", {"turn": at, "seat": moves[at - 1]["player_id"], "delay_ms": 0}
            )
            socket = await one.enter(branch["room"], branch["token"])
            turn = await socket.until("turn")
            assert turn["turn"] == at
            assert turn["seat"] == branch["seat"]
            created = socket.heard[0]["events"][0]
            assert "@" in created["branched_from"]
            assert created["agent_ids"][branch["seat"]] == f"human:Player {branch['seat'] + 1}"
            assert created["agent_ids"][1 - branch["seat"]] == ("optimal", "maniac")[1 - branch["seat"]]
            await play(socket, branch["seat"], turns=0)
            socket.say({"type": "act", "id": 1, "turn": at, "action": scripted(turn)})
            await play(socket, branch["seat"])
            last = len(moves)
            await one.post(f"/games/{over['game_id']}/branch", {"turn": last + 1, "seat": 0}, 400)
            await one.post(f"/games/{over['game_id']}/branch", {"turn": 1, "seat": 5}, 400)

    asyncio.run(run())


def test_running_games_cannot_be_branched_or_reviewed() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            await (await one.enter(made["room"], made["token"])).until("turn")
            game = (await one.get(f"/rooms/{made['room']}"))["game_id"]
            await one.post(f"/games/{game}/branch", {"turn": 1, "seat": 0}, 409)
            assert (await one.http.get(f"/api/games/{game}/review")).status_code == 409
            events = (await one.get(f"/games/{game}"))["events"]
            assert all(event["type"] != "DiceRolled" for event in events)

    asyncio.run(run())


def test_an_endless_game_is_given_up() -> None:
    limits = msgspec.structs.replace(EASY, events=40)

    async def run() -> None:
        async with studio(limits=limits) as one:
            made = await one.post("/rooms", room_for("optimal", "optimal"))
            watcher = await one.enter(made["room"])
            over = await watcher.until("over")
            assert (over["winner"], over["ended"]) == (None, "too_long")
            assert (await one.get(f"/rooms/{made['room']}"))["ended"] == "too_long"
            record = await one.get(f"/games/{over['game_id']}")
            assert (record["finished"], record["ended"]) == (False, "too_long")
            await one.post(f"/games/{over['game_id']}/branch", {"turn": 1, "seat": 0}, 409)

    asyncio.run(run())


# -- bots over the network ---------------------------------------------------------------------------------------------


async def remote_bot(one: Studio, room: str, token: str) -> list[Json]:
    """The whole of docs/bot-protocol.md's careful bot, over a socket."""
    socket = one.socket(room, "bot")
    socket.say({"type": "hello", "token": token})
    socket.say({"type": "ready", "name": "careful", "events": True})
    while True:
        said = await socket.next()
        if said["type"] == "choose":
            socket.say({"type": "action", "id": said["id"], "action": "9x9"})
            assert (await socket.until("error"))["error"]
            legal = said["view"]["legal_actions"]
            action = "liar" if "liar" in legal and len(said["view"]["bids"]) > 2 else legal[0]
            socket.say({"type": "action", "id": said["id"], "action": action, "reasoning": "why not"})
        if said["type"] == "game_end":
            socket.say({"type": "done", "id": said["id"]})
            return socket.heard


async def polling_bot(one: Studio, room: str, token: str) -> int:
    """The same without sockets."""
    moves = 0
    while True:
        said = await one.get(f"/rooms/{room}/next?wait=5", authorization=f"Bearer {token}")
        if said["type"] == "game_end":
            return moves
        if said["type"] == "choose":
            legal = said["view"]["legal_actions"]
            action = "liar" if "liar" in legal and len(said["view"]["bids"]) > 2 else legal[0]
            body = {"type": "action", "id": said["id"], "action": action}
            await one.post(f"/rooms/{room}/act", body, authorization=f"Bearer {token}")
            moves += 1


def test_bots_play_over_sockets_and_over_http() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("open", "open", "you", rules="perudo", changes={"dice": 2}))
            room = made["room"]
            tokens = [(await one.post(f"/rooms/{room}/seats", {"name": "bot", "bot": True}))["token"] for _ in "ab"]
            person = await one.enter(room, made["token"])
            heard, polled, _ = await asyncio.gather(
                remote_bot(one, room, tokens[0]), polling_bot(one, room, tokens[1]), play(person, 2)
            )
            assert polled > 0
            kinds = {message["type"] for message in heard}
            assert kinds == {"start", "event", "choose", "round_end", "game_end", "error"}
            assert (await one.get(f"/rooms/{room}"))["seats"][0]["kind"] == "bot"
            answer = await one.http.get(f"/api/rooms/{room}/next")
            assert answer.status_code == 401
            answer = await one.http.get(f"/api/rooms/{room}/next", headers={"authorization": "Bearer x"})
            assert answer.status_code == 403

    asyncio.run(run())


def test_the_record_knows_when_a_bot_stood_in() -> None:
    limits = msgspec.structs.replace(EASY, away_s=0.0)
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store, limits=limits) as one:
            made = await one.post("/rooms", room_for("you", "open"))
            await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            await play(await one.enter(made["room"], made["token"]), 0)

    asyncio.run(run())
    (game,) = store.games()
    events = store.events(game.game_id)
    assert isinstance(events[-1].payload, GameEnded)
    moved = {e.player_type for e in events if getattr(e.payload, "player_id", 0) == 1 and e.event_type == "BidPlaced"}
    assert moved <= {"optimal"}


def test_other_bots_play_in_a_sandbox_and_only_if_the_server_offers_them() -> None:
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"
    bot = f"cmd:{python} {Path(__file__).parents[2] / 'examples' / 'protocol_bot.py'}"
    store = InMemoryRecorder()

    async def run() -> None:
        wish = room_for("protocol_bot", "optimal", rules="duel")
        async with studio() as one:
            await one.post("/rooms", wish, 400)
        async with studio(store, agents=[bot]) as one:
            assert (await one.get("/agents"))["agents"][-1]["name"] == "protocol_bot"
            watcher = await one.enter((await one.post("/rooms", wish))["room"])
            await watcher.until("over")

    asyncio.run(run())
    assert "AgentFaulted" not in {event.event_type for event in store.events()}
    created = store.events()[0].payload
    assert isinstance(created, GameCreated)
    assert created.agent_ids[0] == "protocol_bot"


def test_two_servers_on_one_store_do_not_tear_a_game_apart() -> None:
    """The second one is disconnected, and finds the game as it is stored."""
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one, studio(store) as other:
            made = await one.post("/rooms", room_for("you", "crawler"))
            here = await one.enter(made["room"], made["token"])
            first = await here.until("turn")
            there = await other.enter(made["room"], made["token"])
            same = await there.until("turn")
            assert same["turn"] == first["turn"]
            here.say({"type": "act", "id": 1, "turn": first["turn"], "action": first_legal(first)})
            assert (await here.until("answer"))["ok"]
            there.say({"type": "act", "id": 1, "turn": first["turn"], "action": first_legal(first)})
            with contextlib.suppress(Closed):
                while True:
                    assert (await there.next())["type"] != "answer"
            again = await other.enter(made["room"], made["token"])
            assert again.heard[0]["room"]["turn"] > first["turn"]

    asyncio.run(run())


def test_a_room_that_was_about_to_start_starts_later() -> None:
    store = InMemoryRecorder()

    async def run() -> None:
        async with studio(store) as one:
            made = await one.post("/rooms", room_for("you", "open"))
        (text,) = store.documents("room").values()
        doc = json.loads(text)
        doc["seats"][1] = {"kind": "bot", "name": "optimal", "agent": "optimal", "token": None}
        store.save_documents("room", {made["room"]: json.dumps(doc)})
        async with studio(store) as one:
            await play(await one.enter(made["room"], made["token"]), 0)

    asyncio.run(run())


def test_limits_are_plain_data() -> None:
    assert msgspec.json.decode(msgspec.json.encode(ServerLimits()), type=ServerLimits) == ServerLimits()
