"""A game night: nobody can freeze a game, seats change hands, and everyone can have another game."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from studio_kit import Closed, Socket, Studio, first_legal, play, seats, studio

from liars_dice.web.turn_clock import FREE_S, REVEAL_S, TurnClock, TurnLimit

Json = dict[str, Any]


async def table(one: Studio, *names: str, **more: Any) -> tuple[str, list[Socket], list[Json]]:
    """A room with Ann, who set it up, and these guests; all of them connected, and their seats."""
    wish: Json = {"seats": seats("you", *["open"] * len(names)), "rules": "perudo", "delay_ms": 0} | more
    wish["seats"][0]["name"] = "Ann"
    made = await one.post("/rooms", wish)
    granted = [made] + [await one.post(f"/rooms/{made['room']}/seats", {"name": name}) for name in names]
    return made["room"], [await one.enter(made["room"], seat["token"]) for seat in granted], granted


async def ask(socket: Socket, **message: Any) -> Json:
    """Send a message, and wait for its answer or error."""
    socket.say({"id": 77, **message})
    return await socket.until(lambda said: said.get("to") == 77)


def moved(seat: int, kinds: tuple[str, ...] = ("BidPlaced", "LiarCalled", "ExactCalled")) -> Any:
    return lambda m: m["type"] == "event" and m["event"].get("player_id") == seat and m["event"]["type"] in kinds


# -- clocks ------------------------------------------------------------------------------------------------------------


def test_the_time_that_is_left() -> None:
    turns = TurnClock(TurnLimit(15), 2)
    assert turns.allowed(0, after_reveal=False) == 15
    assert turns.allowed(0, after_reveal=True) == 15 + REVEAL_S
    turns.moved(0, 60, after_reveal=False)
    assert turns.allowed(0, after_reveal=False) == 15, "each turn has its own time"
    bank = TurnClock(TurnLimit(60, bank=True), 2)
    assert bank.allowed(0, after_reveal=False) == FREE_S + 60
    bank.moved(0, FREE_S + 20, after_reveal=False)
    bank.moved(1, FREE_S - 1, after_reveal=False)
    assert [bank.allowed(seat, after_reveal=False) for seat in (0, 1)] == [FREE_S + 40, FREE_S + 60]
    bank.moved(0, 1000, after_reveal=False)
    assert bank.allowed(0, after_reveal=False) == FREE_S
    assert TurnClock(None, 2).allowed(0, after_reveal=True) is None


def test_a_bot_moves_for_a_player_whose_time_is_up_in_that_turn_only() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), _ = await table(one, "Bob", turn_limit={"seconds": 15})
            assert (await ann.until("turn"))["deadline_s"] == 15
            assert (await bob.until("turn"))["deadline_s"] == 15, "everyone sees the time"
            await one.advance(14)
            assert (await one.get(f"/rooms/{room}"))["turn"] == 1
            await one.advance(1)
            assert (await bob.until(moved(0)))["event"]["stand_in"] == "optimal"
            assert (await one.get(f"/rooms/{room}"))["seats"][0]["played_by"] is None
            turn = await bob.until(lambda m: m["type"] == "turn" and m["seat"] == 1)
            answer = await ask(bob, type="act", turn=turn["turn"], action=first_legal(turn))
            assert answer["type"] == "answer"
            turn = await ann.until(lambda m: m["type"] == "turn" and m["turn"] == 3)
            answer = await ask(ann, type="act", turn=3, action=first_legal(turn))
            assert answer["type"] == "answer", "Ann plays herself again"

    asyncio.run(run())


def test_without_anyone_there_the_clock_stands_still() -> None:
    async def run() -> None:
        async with studio() as one:
            wish = {"seats": seats("you", "optimal"), "rules": "duel", "delay_ms": 0, "turn_limit": {"seconds": 15}}
            made = await one.post("/rooms", wish)
            await one.advance(60)
            assert (await one.get(f"/rooms/{made['room']}"))["turn"] == 1
            ann = await one.enter(made["room"], made["token"])
            await one.advance(15)
            await ann.until(moved(0))

    asyncio.run(run())


def test_bad_limits_are_refused() -> None:
    async def run() -> None:
        async with studio() as one:
            wish = {"seats": seats("you", "open"), "turn_limit": {"seconds": 7}}
            assert (await one.post("/rooms", wish, 422))["code"] == "invalid_request"

    asyncio.run(run())


# -- nudges and reactions ----------------------------------------------------------------------------------------------


def test_nudges_and_reactions_reach_everyone_but_not_too_many() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), _ = await table(one, "Bob")
            watcher = await one.enter(room)
            await bob.until("turn")
            for _ in range(9):
                bob.say({"type": "react", "what": "👏"})
                bob.say({"type": "nudge"})
            ann.say({"type": "nudge"})  # it is her own turn
            watcher.say({"type": "react", "what": "👏"})
            assert (await watcher.until("error"))["code"] == "spectator"
            bob.say({"type": "react", "what": "<b>"})
            assert (await bob.until("error"))["code"] == "bad_message"
            await one.settle()
            ann.say({"type": "ping"})
            await ann.until("pong")
            assert [m for m in ann.heard if m["type"] == "nudged"] == [{"type": "nudged", "seat": 0, "by": 1}]
            assert [m for m in ann.heard if m["type"] == "reaction"] == [
                {"type": "reaction", "seat": 1, "what": "👏"}
            ] * 3

    asyncio.run(run())


def test_players_write_to_each_other_only_where_the_host_allows_it() -> None:
    async def run() -> None:
        async with studio() as one:
            _, (ann, bob), _ = await table(one, "Bob")
            bob.say({"type": "say", "text": "hello"})
            assert (await bob.until("error"))["code"] == "no_chat"
            room, (ann, bob), _ = await table(one, "Bob", chat=True)
            assert (await one.get(f"/rooms/{room}"))["chat"] is True
            watcher = await one.enter(room)
            watcher.say({"type": "say", "text": "hello"})
            assert (await watcher.until("error"))["code"] == "spectator"
            bob.say({"type": "say", "text": "x" * 201})
            assert (await bob.until("error"))["code"] == "bad_message"
            bob.say({"type": "say", "text": " <b>hi</b>\n\u202eyou\x07 "})
            for _ in range(9):
                bob.say({"type": "say", "text": "again"})
            await one.settle()
            for hearer in (ann, watcher):
                hearer.say({"type": "ping"})
                await hearer.until("pong")
                said = [m for m in hearer.heard if m["type"] == "said"]
                assert said[0] == {"type": "said", "seat": 1, "text": "<b>hi</b> you"}, "one line, printable"
                assert len(said) == 4, "too many are dropped"

    asyncio.run(run())


# -- seats change hands ------------------------------------------------------------------------------------------------


def test_the_host_gives_a_seat_to_a_bot_and_the_player_takes_it_back() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), _ = await table(one, "Bob")
            assert (await ask(bob, type="give", seat=0))["code"] == "not_away"
            assert (await ask(ann, type="give", seat=0))["code"] == "no_such_player"
            assert (await ask(ann, type="give", seat=1))["type"] == "answer"
            view = (await one.get(f"/rooms/{room}"))["seats"][1]
            assert (view["left"], view["played_by"]) == ("given", "optimal")
            turn = next(m for m in ann.heard if m["type"] == "turn")
            await ask(ann, type="act", turn=1, action=first_legal(turn))
            assert (await ann.until(moved(1)))["event"]["stand_in"] == "optimal"
            assert (await ask(bob, type="act", turn=2, action=first_legal(turn)))["code"] == "seat_left"
            assert (await ask(bob, type="return"))["type"] == "answer"
            assert (await one.get(f"/rooms/{room}"))["seats"][1]["played_by"] is None

    asyncio.run(run())


def test_most_of_the_others_give_away_the_seat_of_a_player_who_is_away() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob, cas, dan), _ = await table(one, "Bob", "Cas", "Dan")
            await ann.hang_up()
            for voter, left in ((bob, ""), (bob, ""), (cas, "given")):
                assert (await ask(voter, type="give", seat=0))["type"] == "answer"
                assert (await one.get(f"/rooms/{room}"))["seats"][0]["left"] == left
            await dan.until(moved(0))

    asyncio.run(run())


def test_who_resigns_is_played_for_to_the_end() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), _ = await table(one, "Bob", changes={"dice": [2, 2]})
            assert (await ask(bob, type="resign"))["type"] == "answer"
            assert (await ask(bob, type="return"))["code"] == "not_given"
            await play(ann, 0)
            assert (await one.get(f"/rooms/{room}"))["status"] == "over"
            events = (await one.get(f"/games/{ann.heard[-1]['game_id']}"))["events"]
            assert {e.get("stand_in") for e in events if e["type"] == "BidPlaced" and e["player_id"] == 1} <= {
                "optimal"
            }

    asyncio.run(run())


def test_leaving_before_the_game_opens_the_seat() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), _ = await table(one, "Bob", ready_check=True)
            assert (await ask(ann, type="resign"))["type"] == "answer"
            view = await one.get(f"/rooms/{room}")
            assert [seat["kind"] for seat in view["seats"]] == ["open", "person"]
            assert view["host"] == 1, "the next player is the host"
            assert (await ask(bob, type="ready", ready=True))["type"] == "answer"
            assert (await one.get(f"/rooms/{room}"))["status"] == "waiting"

    asyncio.run(run())


def test_who_leaves_before_the_game_sees_nothing_of_the_next_player() -> None:
    """All connections of the seat end: a page that stayed would be told the next player's dice."""

    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), granted = await table(one, "Bob", ready_check=True)
            second_tab = await one.enter(room, granted[1]["token"])
            waiting = asyncio.create_task(
                one.get(f"/rooms/{room}/next?wait=30", authorization=f"Bearer {granted[1]['token']}")
            )
            assert (await ask(bob, type="resign"))["type"] == "answer"
            for gone in (bob, second_tab):
                with pytest.raises(Closed):
                    await gone.until("never")
            cas = await one.post(f"/rooms/{room}/seats", {"name": "Cas"})
            assert cas["seat"] == 1
            seated = await one.enter(room, cas["token"])
            for player in (ann, seated):
                assert (await ask(player, type="ready", ready=True))["type"] == "answer"
            await seated.until(lambda m: m["type"] == "event" and m["event"].get("dice"))
            assert (await waiting) == {"type": "wait"}
            for gone in (bob, second_tab):
                assert not [said for said in gone.heard if said["type"] == "event"]

    asyncio.run(run())


@pytest.mark.parametrize("ban", [False, True])
def test_the_host_removes_a_player(ban: bool) -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob, cas), granted = await table(one, "Bob", "Cas", ready_check=True)
            assert (await ask(bob, type="remove", seat=2))["code"] == "not_host"
            assert (await ask(ann, type="remove", seat=1, ban=ban))["type"] == "answer"
            with pytest.raises(Closed) as closed:
                await bob.until("never")
            assert closed.value.code == 1008
            view = await one.get(f"/rooms/{room}")
            assert [seat["kind"] for seat in view["seats"]] == ["person", "open", "person"]
            again = await one.http.post(f"/api/rooms/{room}/seats", json={"name": "Bob"})
            assert again.status_code == (403 if ban else 200)
            old = one.socket(room)
            old.say({"type": "hello", "token": granted[1]["token"]})
            assert (await old.until("error"))["code"] == "wrong_token"
            assert (await ask(cas, type="ready"))["type"] == "answer", "the others stay"

    asyncio.run(run())


def test_a_player_removed_during_the_game_is_played_for() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, _), _ = await table(one, "Bob", changes={"dice": [1, 1]})
            assert (await ask(ann, type="remove", seat=1))["type"] == "answer"
            turn = next(m for m in ann.heard if m["type"] == "turn")
            assert (await ask(ann, type="act", turn=1, action=first_legal(turn)))["type"] == "answer"
            assert (await ann.until(moved(1)))["event"]["stand_in"] == "optimal"
            await play(ann, 0)
            assert (await one.get(f"/rooms/{room}"))["status"] == "over"

    asyncio.run(run())


# -- before and after --------------------------------------------------------------------------------------------------


def test_everyone_is_ready_before_the_game_starts() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), _ = await table(one, "Bob", ready_check=True)
            assert (await one.get(f"/rooms/{room}"))["status"] == "waiting"
            for ready in (True, False):
                await ask(ann, type="ready", ready=ready)
            await ask(bob, type="ready")
            assert (await one.get(f"/rooms/{room}"))["status"] == "waiting"
            await ask(ann, type="ready")
            await ask(bob, type="ready", ready=False) if (await one.get(f"/rooms/{room}"))[
                "status"
            ] == "waiting" else None
            assert (await one.get(f"/rooms/{room}"))["status"] == "playing"
            assert (await ask(ann, type="ready"))["code"] == "already_started"

    asyncio.run(run())


def test_no_odds_and_hints_where_the_host_wants_none() -> None:
    async def run() -> None:
        async with studio() as one:
            _, (ann, _), _ = await table(one, "Bob", help=False)
            for what in ("odds", "hint"):
                assert (await ask(ann, type="ask", what=what))["code"] == "no_help"

    asyncio.run(run())


def test_a_rematch_in_the_same_room() -> None:
    """Everyone is asked; the dice come from the secret that was committed to before, and the players' words."""

    async def run() -> None:
        async with studio() as one:
            room, (ann, bob), granted = await table(one, "Bob", changes={"dice": [1, 1]})
            assert (await ask(bob, type="rematch"))["code"] == "game_not_over"
            await asyncio.gather(play(ann, 0), play(bob, 1))
            before = await one.get(f"/rooms/{room}")
            promised = before["next_commitment"]
            assert promised not in (None, before["fairness"]["commitment"])
            assert (await ask(ann, type="rematch", entropy="ann's"))["type"] == "answer"
            assert (await bob.until(lambda m: m["type"] == "seats" and m["rematch"] == [0]))[
                "next_commitment"
            ] == promised
            await ask(bob, type="rematch", entropy="bob's")
            welcome = await ann.until("welcome")
            now = await one.get(f"/rooms/{room}")
            assert (now["status"], welcome["game_id"]) == ("playing", now["game_id"])
            assert now["game_id"] != before["game_id"]
            assert [s["name"] for s in now["seats"]] == ["Ann", "Bob"]
            assert now["fairness"]["commitment"] == promised
            assert now["fairness"]["entropy"] == ["ann's", "bob's"]
            assert now["fairness"]["secret"] is None
            await asyncio.gather(play(ann, 0), play(bob, 1))
            late = await one.enter(room, granted[1]["token"])
            assert late.heard[0]["room"]["status"] == "over"

    asyncio.run(run())


def test_the_host_starts_a_rematch_without_those_who_do_not_answer() -> None:
    async def run() -> None:
        async with studio() as one:
            room, (ann, bob, cas), _ = await table(one, "Bob", "Cas", changes={"dice": [1, 1, 1]})
            await asyncio.gather(play(ann, 0), play(bob, 1), play(cas, 2))
            assert (await ask(bob, type="rematch", now=True))["code"] == "not_host"
            assert (await ask(bob, type="rematch"))["type"] == "answer"
            assert (await ask(ann, type="rematch", now=True))["type"] == "answer"
            now = await one.get(f"/rooms/{room}")
            assert [seat["kind"] for seat in now["seats"]] == ["person", "person", "bot"]
            assert now["status"] == "playing"
            with pytest.raises(Closed):
                await cas.until("never")

    asyncio.run(run())


def test_a_given_seat_and_a_limit_survive_a_restart(tmp_path: Any) -> None:
    async def run() -> None:
        async with studio(tmp_path / "games.sqlite") as one:
            room, (ann, _), granted = await table(one, "Bob", turn_limit={"seconds": 30})
            await ask(ann, type="give", seat=1)
        async with studio(tmp_path / "games.sqlite") as two:
            view = await two.get(f"/rooms/{room}")
            assert view["seats"][1]["left"] == "given"
            assert view["turn_limit"] == {"seconds": 30, "bank": False}
            again = await two.enter(room, granted[0]["token"])
            assert (await again.until("turn"))["deadline_s"] == 30

    asyncio.run(run())
