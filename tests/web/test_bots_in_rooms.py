"""Bots at tables: what they hear, what they cannot hold up, and moves that are taken back while they think."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from studio_kit import EASY, Closed, Json, Socket, Studio, first_legal, play, seats, studio

from liars_dice.agents import Heard
from liars_dice.core import Action, AgentFaulted, Event, GameCreated, GameResult, GameView
from liars_dice.persistence import InMemoryRecorder
from liars_dice.referee.isolated_seat import IsolatedSeat
from liars_dice.referee.limits import BotFault
from liars_dice.referee.named_seats import make_seat
from liars_dice.referee.referee import Referee
from liars_dice.web.room_bots import HouseBots
from liars_dice.web.room_document import RoomDoc
from patience import AMPLE, PATIENCE

BOTS = '''
from hashlib import sha256

import msgspec

from liars_dice.agents import Agent
from liars_dice.core import CallLiarAction


class Ears(Agent):
    """Says with every move what it has heard, and chooses by it and by chance."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def on_game_start(self, config, player_id):
        self.heard.append(f"start {player_id}")

    def on_event(self, event):
        if type(event).__name__ != "GameCreated":  # at another table others have other names
            self.heard.append(f"event {event}")

    def on_round_end(self, resolution):
        self.heard.append(f"round {resolution}")

    def on_game_end(self, result):
        raise ValueError(f"{len(self.heard)} {sha256(repr(self.heard).encode()).hexdigest()} {result.winner}")

    def choose_action(self, view):
        self.heard.append(f"asked {view.my_dice}")
        number = int(sha256("\\n".join(self.heard).encode()).hexdigest(), 16) + self.rng.randrange(100)
        actions = view.legal_actions[:6] if view.current_bid is None else [CallLiarAction(), *view.legal_actions[:2]]
        return msgspec.structs.replace(actions[number % len(actions)], reasoning=f"{len(self.heard)} {number % 10**9}")


class Plain(Agent):
    """Does the first thing that is legal."""

    def choose_action(self, view):
        return view.legal_actions[0]
'''


@pytest.fixture
def strangers(tmp_path: Path) -> Callable[[str], str]:
    """Bots of a file that is no part of the package."""
    file = tmp_path / "strangers.py"
    file.write_text(BOTS)
    return lambda name: f"{file}:{name}"


def room_for(*words: str, **more: Any) -> Json:
    return {"seats": seats(*words), "rules": "heads-up", "delay_ms": 0} | more


async def offered(one: Studio) -> str:
    """The only bot here that is a stranger."""
    name: str = (await one.get("/agents"))["agents"][-1]["name"]
    return name


def moved(seat: int) -> Callable[[Json], bool]:
    return lambda said: (
        said["type"] == "event" and said["event"].get("player_id") == seat and said["event"]["type"] != "DiceRolled"
    )


async def act(socket: Socket, turn: Json, number: int) -> None:
    """The lowest bid, acknowledged."""
    socket.say({"type": "act", "id": number, "turn": turn["turn"], "action": first_legal(turn)})
    await socket.until(lambda said: said["type"] == "answer" and said["to"] == number)


# -- what cannot hang a room -------------------------------------------------------------------------------------------


def test_a_move_taken_back_while_a_bot_takes_its_time() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal", practice=True, delay_ms=150))
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until("turn")
            await act(socket, turn, 1)
            await one.advance(0.1)
            socket.say({"type": "undo", "id": 2})
            await socket.until("welcome")
            await one.advance(1)
            await act(socket, turn, 3)
            await one.advance(1)
            await socket.until(moved(1))

    asyncio.run(run())


def test_somebody_returns_and_moves_while_the_stand_in_takes_its_time() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "open", delay_ms=300))
            joined = await one.post(f"/rooms/{made['room']}/seats", {"name": "Ben"})
            second = await one.enter(made["room"], joined["token"])
            await one.advance(EASY.away_s)
            await second.until(lambda m: m["type"] == "seats" and m["seats"][0]["played_by"] == "optimal")
            first = await one.enter(made["room"], made["token"])
            await act(first, await first.until("turn"), 1)
            turn = await second.until(lambda m: m["type"] == "turn" and m["seat"] == 1)
            await one.advance(1)
            second.say({"type": "act", "id": 2, "turn": turn["turn"], "action": {"kind": "liar"}})
            await second.until(lambda m: m["type"] == "answer" and m["to"] == 2)
            await one.advance(1)
            await second.until(lambda m: m["type"] == "event" and m["event"]["type"] == "RoundStarted")

    asyncio.run(run())


@pytest.mark.parametrize("trouble", [StopIteration, RuntimeError])
def test_a_driver_that_fails_says_so_and_the_room_comes_back(
    trouble: type[Exception], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> Any:
        raise trouble

    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until("turn")
            with monkeypatch.context() as patched:
                patched.setattr(HouseBots, "choose", broken)
                await act(socket, turn, 1)
                with pytest.raises(Closed):
                    await socket.until("over")
            await play(await one.enter(made["room"], made["token"]), 0)

    with caplog.at_level(logging.ERROR):
        asyncio.run(run())
    assert "was closed after an error" in caplog.text


def test_a_move_taken_back_when_the_game_has_just_ended(
    strangers: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot still learns from the game that ended, and nobody waits for it."""
    learned = threading.Event()
    tell = IsolatedSeat.tell

    def slowly(self: IsolatedSeat, heard: Heard) -> None:
        if isinstance(heard, GameResult):
            learned.wait(PATIENCE)
        tell(self, heard)

    monkeypatch.setattr(IsolatedSeat, "tell", slowly)

    async def run() -> None:
        async with studio(agents=[strangers("Plain")]) as one:
            bot = await offered(one)
            made = await one.post("/rooms", room_for(bot, "you", rules="duel", practice=True))
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until(lambda m: m["type"] == "turn" and m["seat"] == 1)
            socket.say({"type": "act", "id": 1, "turn": turn["turn"], "action": {"kind": "liar"}})
            await socket.until("over")
            socket.say({"type": "undo", "id": 2})
            await socket.until("welcome")
            await act(socket, turn, 3)
            await socket.until(moved(0))
            learned.set()

    asyncio.run(run())


# -- threads -----------------------------------------------------------------------------------------------------------


def test_boxes_never_fall_on_the_thread_that_serves_everybody(
    strangers: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed_in: list[threading.Thread] = []
    close = IsolatedSeat.close

    def spied(self: IsolatedSeat) -> None:
        closed_in.append(threading.current_thread())
        close(self)

    monkeypatch.setattr(IsolatedSeat, "close", spied)

    async def run() -> None:
        async with studio(agents=[strangers("Ears")]) as one:
            bot = await offered(one)
            made = await one.post("/rooms", room_for("you", bot, practice=True))
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until("turn")
            for number in range(2):
                await act(socket, turn, number)
                await socket.until(moved(1))
                socket.say({"type": "undo", "id": "u"})
                await socket.until("welcome")
                turn = await socket.until("turn")
            await act(socket, turn, 9)
            await socket.until(moved(1))

    asyncio.run(run())
    assert len(closed_in) >= 3
    assert threading.main_thread() not in closed_in


def test_who_waits_for_strangers_keeps_no_bot_of_ours_waiting(
    strangers: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    awake = threading.Event()
    choose = IsolatedSeat.choose_action

    def asleep(self: IsolatedSeat, view: GameView) -> Action:
        awake.wait(PATIENCE)
        return choose(self, view)

    monkeypatch.setattr(IsolatedSeat, "choose_action", asleep)

    async def run() -> None:
        async with studio(agents=[strangers("Plain")]) as one:
            bot = await offered(one)
            slow = [await one.post("/rooms", room_for(bot, "optimal")) for _ in range(5)]
            watchers = [await one.enter(made["room"]) for made in slow]
            for watcher in watchers:
                await watcher.until("turn")
            await one.settle()
            made = await one.post("/rooms", room_for("you", "optimal"))
            socket = await one.enter(made["room"], made["token"])
            await act(socket, await socket.until("turn"), 1)
            await socket.until(moved(1))
            turns = [(await one.get(f"/rooms/{made['room']}"))["turn"] for made in slow]
            assert turns == [1] * len(watchers)
            awake.set()

    asyncio.run(run())


# -- what bots hear ----------------------------------------------------------------------------------------------------


def test_bots_hear_in_rooms_what_the_referee_tells_them(
    strangers: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same moves, chosen by what was heard, and the same to learn from in the end."""
    bot = strangers("Ears")
    store = InMemoryRecorder()
    learned: list[str] = []
    tell = IsolatedSeat.tell

    def spied(self: IsolatedSeat, heard: Heard) -> None:
        try:
            tell(self, heard)
        except BotFault as fault:
            if isinstance(heard, GameResult):
                learned.append(fault.detail)
            raise

    monkeypatch.setattr(IsolatedSeat, "tell", spied)

    async def run() -> None:
        async with studio(store, agents=[bot]) as one:
            name = await offered(one)
            wish = room_for(name, name, rules="perudo", changes={"dice": 2})
            watcher = await one.enter((await one.post("/rooms", wish))["room"])
            await watcher.until("over")
            async with asyncio.timeout(PATIENCE):
                while len(learned) < 2:  # bots are told of the end after everyone else
                    await asyncio.sleep(0.01)

    asyncio.run(run())
    (game,) = store.games()
    recorded = [event.payload for event in store.events(game.game_id)]
    in_the_room, learned = learned, []
    created = recorded[0]
    assert isinstance(created, GameCreated)
    referee = Referee([make_seat(bot, AMPLE, isolate=True) for _ in range(2)], created.config)
    expected: list[Event] = []
    referee.engine.subscribe(expected.append)
    referee.play()
    assert recorded[1:] == [event for event in expected if not isinstance(event, GameCreated | AgentFaulted)]
    assert len(in_the_room) == 2
    assert in_the_room == learned


@pytest.mark.parametrize("turns", [1, 3])
def test_a_bot_with_a_memory_does_not_notice_a_restart(
    strangers: Callable[[str], str], tmp_path: Path, turns: int
) -> None:
    bot = strangers("Ears")

    async def until(store: InMemoryRecorder, made: Json, turns: int | None) -> Json:
        async with studio(store, agents=[bot]) as one:
            name = await offered(one)
            wish = room_for("you", name, "detective", rules="perudo", changes={"dice": 2})
            made = made or await one.post("/rooms", wish)
            await play(await one.enter(made["room"], made["token"]), 0, turns=turns)
            return made

    calm, restarted = InMemoryRecorder(), InMemoryRecorder()
    made = asyncio.run(until(restarted, {}, turns))
    asyncio.run(until(restarted, made, None))
    room = msgspec.json.decode(restarted.documents("room")[made["room"]], type=RoomDoc)
    room.game_id, room.over = None, False
    calm.save_documents("room", {room.id: msgspec.json.encode(room).decode()})  # the same secret, so the same dice
    asyncio.run(until(calm, made, None))
    assert [e.payload for e in calm.events()] == [e.payload for e in restarted.events()]
