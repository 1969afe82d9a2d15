"""No client holds up the moves of others: costs are counted, long work runs apart, and load is shed."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial
from typing import Any

import msgspec
import pytest
from studio_kit import EASY, ManualClock, Studio, first_legal, play, seats, studio

from liars_dice.web import ServerLimits, game_api, load, room
from liars_dice.web.errors import BusyError, FullError, RoomError
from liars_dice.web.load import Account, Metered
from liars_dice.web.rooms import Rooms
from liars_dice.web.sandbox_places import SandboxPlaces
from liars_dice.web.schema import openapi_json
from patience import PATIENCE

WISH = {"seats": seats("you", "optimal"), "rules": "duel", "delay_ms": 0}
BIG = {"preset": "heads-up", "changes": {"dice": [60, 60], "faces": 20}}


def work(seconds: float) -> None:
    """Use this much processor time."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_an_address_pays_for_what_its_work_costs_on_the_loop() -> None:
    clock = ManualClock()
    account = Account("ann", msgspec.structs.replace(EASY, cost_burst_s=1.0, cost_per_s=0.5), clock.now)

    async def run() -> None:
        async def serve() -> str:
            work(0.02)
            await asyncio.sleep(0)
            work(0.02)
            return "done"

        assert await Metered(serve(), account) == "done"
        assert 0.5 < account.left_s < 0.961
        task = asyncio.ensure_future(Metered(asyncio.Event().wait(), account))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    account.charge(1000)
    assert account.left_s == -2.0  # what it has to wait for is bounded
    clock.advance(5)
    assert account.left_s == 0.5


def test_budgets_count_cost_and_not_requests() -> None:
    async def run() -> None:
        limits = msgspec.structs.replace(EASY, cost_burst_s=0.05, cost_per_s=0.001)
        async with studio(limits=limits) as one:
            answers = []
            for _ in range(1000):
                answers.append(await one.http.post("/api/rules", json=BIG))
                if answers[-1].status_code != 200:
                    break
            assert answers[-1].status_code == 429
            assert answers[-1].json()["code"] == "share_used"
            assert len(answers) > 1
            await one.advance(100)
            assert (await one.http.get("/api/agents")).status_code == 200

    asyncio.run(run())


def test_who_asks_too_often_waits_for_the_refusal() -> None:
    """Otherwise a client that does not stop asking keeps the loop busy with refusals."""

    async def run() -> None:
        limits = msgspec.structs.replace(
            EASY, request_burst=1, requests_per_s=1e-9, refusal_pause_s=2.0, refusals_per_address=1
        )
        async with studio(limits=limits) as one:
            assert (await one.http.get("/api/agents")).status_code == 200
            asked = {asyncio.create_task(one.http.get("/api/agents")) for _ in range(2)}
            (at_once,), (waits,) = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            assert (at_once.result().status_code, at_once.result().headers["connection"]) == (429, "close")
            await one.advance(6)  # three times the pause at most
            refused = await waits
            assert refused.status_code == 429
            assert "connection" not in refused.headers

    asyncio.run(run())


def test_of_what_is_no_move_one_thing_begins_at_a_time() -> None:
    """However many ask at once, the loop comes around, and moves have a turn, before the next is served."""

    async def run() -> None:
        one = load.ServerLoad(EASY)
        rounds, began = 0, []

        async def ask() -> None:
            await one.turn()
            began.append(rounds)

        asked = [asyncio.create_task(ask()) for _ in range(20)]
        while not all(task.done() for task in asked):
            rounds += 1
            await asyncio.sleep(0)
        assert len(set(began)) == 20

    asyncio.run(run())


def test_the_more_an_address_has_used_the_sooner_it_is_refused() -> None:
    async def run() -> None:
        limits = msgspec.structs.replace(EASY, in_line=4, cost_burst_s=1.0, cost_per_s=0.0)
        one = load.ServerLoad(limits)
        account = Account("ann", limits, ManualClock().now)
        load.who_pays.set(account)
        waiting = [asyncio.create_task(one.turn()) for _ in range(3)]
        await asyncio.sleep(0)
        one.refuse_if_busy()
        account.charge(0.5)
        with pytest.raises(BusyError):  # three wait, and with half of its share left it may not be the fourth
            await one.turn()
        await asyncio.gather(*waiting)
        await one.turn()

    asyncio.run(run())


def test_an_address_without_share_still_gets_the_pages_files() -> None:
    """Without one of its modules a page does not work; a player may have used the share for a review."""
    limits = msgspec.structs.replace(EASY, cost_burst_s=0.001, cost_per_s=0.0001)

    async def run() -> None:
        async with studio(limits=limits) as one:
            while (await one.http.get("/api/rules")).status_code == 200:
                pass
            assert (await one.http.get("/api/rules")).json()["code"] == "share_used"
            for path in ("/", "/static/app.js", "/static/pages/review.js", "/puzzles"):
                assert (await one.http.get(path)).status_code == 200, path
            for path in ("/api/games", "/replay/nothing"):
                assert (await one.http.get(path)).status_code == 429, path

    asyncio.run(run())


def test_what_runs_beside_the_loop_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """After work of a tenth of a second, a thread leaves the interpreter to the loop for five times as long."""
    now, used = 100.0, 0.0
    slept: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(time, "thread_time", lambda: used)
    monkeypatch.setattr(time, "sleep", slept.append)
    unhurried = load.Unhurried()

    def work(seconds: float) -> str:
        nonlocal now, used
        now, used = now + seconds, used + seconds
        return "done"

    for seconds in (0.1, 10.0):
        result, used_now = unhurried(partial(work, seconds))
        assert result == "done"
        assert used_now == pytest.approx(seconds)
    now += 1.0
    unhurried(partial(work, 0.1))
    assert slept == [0.0, pytest.approx(load.REST * 0.1), pytest.approx(load.LONGEST_REST_S - 1.0)]
    with pytest.raises(ZeroDivisionError):
        unhurried(lambda: work(0.1) and 1 / 0)
    unhurried(partial(work, 0.0))
    assert slept[-1] == pytest.approx(load.REST * 0.1)  # work that failed has taken time, too


def test_while_the_loop_is_behind_only_moves_are_accepted() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH | {"seats": seats("you", "open")})
            other = await one.post(f"/rooms/{made['room']}/seats", {"bot": True})
            player = await one.enter(made["room"], made["token"])
            turn = await player.until(lambda said: said["type"] == "turn" and said["seat"] == 0)
            one.rooms.load._limits = msgspec.structs.replace(EASY, behind_s=-1.0)
            refused = await one.http.get("/api/lab/odds")
            assert (refused.status_code, refused.json()["code"]) == (503, "busy")
            assert refused.headers["retry-after"] == "1"
            player.say({"type": "ask", "id": 1, "what": "odds"})
            assert (await player.until(lambda said: said.get("to") == 1))["code"] == "busy"
            player.say({"type": "act", "id": 2, "turn": turn["turn"], "action": first_legal(turn)})
            assert (await player.until("answer"))["to"] == 2
            bot = {"authorization": f"Bearer {other['token']}"}
            asked = await one.get(f"/rooms/{made['room']}/next", **bot)
            await one.post(f"/rooms/{made['room']}/act", {"id": asked["id"], "action": "liar"}, 200, **bot)
            watcher = one.socket(made["room"])
            watcher.say({"type": "hello"})
            assert (await watcher.next())["code"] == "busy"

    asyncio.run(run())


def test_other_programs_do_not_count_as_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with something else makes the loop late, and no one is refused for that."""

    async def run() -> None:
        one = load.ServerLoad(ServerLimits())
        one.start()
        now = time.monotonic()
        monkeypatch.setattr(time, "monotonic", lambda: now + 10)
        one.refuse_if_busy()
        one.close()

    asyncio.run(run())


def test_the_loop_notices_what_holds_it_up() -> None:
    async def run() -> None:
        one = load.ServerLoad(ServerLimits())
        one.start()
        work(0.1)
        with pytest.raises(RoomError) as refused:
            one.refuse_if_busy()
        assert refused.value.code == "busy"
        before = one.behind_s
        async with asyncio.timeout(PATIENCE):
            while one.behind_s >= before:
                await asyncio.sleep(load.BEAT_S)
        one.close()

    asyncio.run(run())


async def a_practice_game(one: Studio) -> tuple[str, list[Any]]:
    """What a player, a spectator and a returning player are told of a game in which a move is taken back."""
    made = await one.post("/rooms", WISH | {"practice": True, "seed": 5, "rules": "heads-up"})
    player, watcher = await one.enter(made["room"], made["token"]), await one.enter(made["room"])
    assert await play(player, 0, first_legal, turns=1) == 1
    player.say({"type": "undo", "id": "back"})
    heard = [await player.until("welcome"), await watcher.until("welcome")]
    await play(player, 0)
    late = one.socket(made["room"])
    late.say({"type": "hello", "token": made["token"], "from": 3})
    said = await late.next()
    record = await one.get(f"/games/{said['game_id']}")
    assert [event["n"] for event in record["events"]] == list(range(len(record["events"])))
    bids, told = ([e["bid"] for e in events if "bid" in e] for events in (record["events"], said["events"]))
    assert bids[-len(told) :] == told != []
    return record["id"], heard


def moves(heard: list[Any]) -> list[Any]:
    """What the welcomes say of the game, without what is drawn anew for each game."""
    return [[(event["n"], event["type"], event.get("bid")) for event in welcome["events"]] for welcome in heard]


def test_long_games_are_handled_in_a_thread_with_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, set[str]] = {}

    def watched(where: Any, name: str) -> None:
        real = getattr(where, name)

        def noting(*arguments: Any, **more: Any) -> Any:
            threads.setdefault(name, set()).add(threading.current_thread().name.partition("_")[0])
            return real(*arguments, **more)

        monkeypatch.setattr(where, name, noting)

    async def run() -> list[Any]:
        async with studio() as one:
            game, heard = await a_practice_game(one)
            branched = await one.post(f"/games/{game}/branch", {"turn": 2, "seat": 0})
            await one.enter(branched["room"], branched["token"])
            return heard

    expected = asyncio.run(run())
    monkeypatch.setattr(load, "MANY_EVENTS", 1)
    monkeypatch.setattr(room, "MANY_EVENTS", 1)
    for where, name in ((room, "branch"), (room, "final_state"), (game_api, "branch"), (game_api, "_game_record")):
        watched(where, name)
    found = asyncio.run(run())
    assert threads == {name: {"apart"} for name in ("branch", "final_state", "_game_record")}
    assert moves(found) == moves(expected)


def test_one_address_cannot_fill_the_queue_of_long_work() -> None:
    async def run() -> None:
        one = load.ServerLoad(msgspec.structs.replace(EASY, questions=3, questions_per_address=2))
        ann, ben = (Account(name, EASY, time.monotonic) for name in ("ann", "ben"))
        wait = threading.Event()

        def asked_by(account: Account) -> asyncio.Task[bool]:
            load.who_pays.set(account)
            return asyncio.create_task(one.apart(wait.wait))

        tasks = [asked_by(ann), asked_by(ann)]
        await asyncio.sleep(0)
        with pytest.raises(RoomError):
            await asked_by(ann)
        tasks.append(asked_by(ben))
        await asyncio.sleep(0)
        with pytest.raises(RoomError):
            await asked_by(ben)
        wait.set()
        assert await asyncio.gather(*tasks) == [True] * 3
        one.close()

    asyncio.run(run())


def test_bots_in_many_rooms_move_more_slowly() -> None:
    async def run() -> None:
        async with studio(limits=msgspec.structs.replace(EASY, bot_moves_per_s=100, min_delay_s=0.01)) as one:
            rooms: Rooms = one.rooms
            with rooms.pacing() as shortest_s:
                assert shortest_s() == 0.01
                with rooms.pacing(), rooms.pacing():
                    assert shortest_s() == 0.03
                assert shortest_s() == 0.01

    asyncio.run(run())


def test_sandboxes_are_counted_per_room_per_address_and_in_all() -> None:
    limits = msgspec.structs.replace(EASY, sandboxes=5, sandboxes_per_address=3, sandboxes_per_room=2)
    places = SandboxPlaces(limits)
    with pytest.raises(FullError, match="3 bots of others in one room; this server allows 2"):
        places.take("a", "ann", 3)
    places.take("a", "ann", 2)
    with pytest.raises(FullError, match="too many bots of others"):
        places.take("b", "ann", 2)
    places.take("b", "ben", 2)
    with pytest.raises(FullError):
        places.take("c", "cat", 2)
    places.give_back("a")
    places.take("c", "cat", 2)


def test_rooms_with_too_many_bots_of_others_are_refused() -> None:
    async def run() -> None:
        limits = msgspec.structs.replace(EASY, sandboxes_per_address=2)
        async with studio(limits=limits, agents=["cmd:stranger"]) as one:
            wish = WISH | {"seats": seats("you", "open", "stranger"), "rules": "perudo"}
            made = [await one.post("/rooms", wish) for _ in range(2)]
            refused = await one.post("/rooms", wish, 429)
            assert refused["code"] == "too_many_sandboxes"
            await one.advance(EASY.linger_s + 1)  # both rooms have left memory
            await one.post("/rooms", wish)
            await one.enter(made[0]["room"], made[0]["token"])
            again = one.socket(made[1]["room"])
            again.say({"type": "hello", "token": made[1]["token"]})
            assert (await again.next())["code"] == "too_many_sandboxes"

    asyncio.run(run())


def test_the_schema_is_made_once() -> None:
    assert openapi_json() is openapi_json()
