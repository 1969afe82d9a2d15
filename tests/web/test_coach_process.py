"""The coach's process: its progress reports, its errors, and what happens when it or the server dies."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from pathlib import Path

import msgspec
import pytest
from live import Process
from studio_kit import Json, seats, studio

from liars_dice.agents import make_agent
from liars_dice.core import GameConfig, GameEngine
from liars_dice.persistence import InMemoryRecorder, RecordedEvent, record_game
from liars_dice.web.analysis import pickled
from liars_dice.web.coach_client import CoachClient, CoachError, RefusedError
from liars_dice.web.errors import RoomError
from patience import PATIENCE

BOTS = ("optimal", "bluffer")


def played(config: GameConfig) -> list[RecordedEvent]:
    """A game between bots, as it is recorded."""
    store = InMemoryRecorder()
    engine = GameEngine(config, [make_agent(BOTS[seat % 2]) for seat in range(config.num_players)])
    game = record_game(engine, store)
    engine.play()
    return store.events(game)


def test_a_review_says_how_far_it_is() -> None:
    heard: list[tuple[int, int]] = []

    async def run() -> Json:
        coach = CoachClient(16, 16)
        try:
            events = played(GameConfig(dice=(2, 2), seed=3))
            found = await coach.ask("review", pickled(events), None, progress=lambda *at: heard.append(at))
            review: Json = msgspec.json.decode(found)
            return review
        finally:
            coach.close()

    turns = len(asyncio.run(run())["moves"])
    assert heard == [(turn, turns) for turn in range(1, turns + 1)]


def test_a_question_that_cannot_be_answered_gets_one_line() -> None:
    async def run() -> None:
        coach = CoachClient(16, 16)
        try:
            with pytest.raises(RefusedError, match="hand"):
                await coach.ask("explain", "heads-up", (1, 1), (1, 2, 3), [])
            with pytest.raises(CoachError, match="the coach failed"):
                await coach.ask("explain", "heads-up", (1, 1), (3,), None)
            assert (await coach.ask("explain", "heads-up", (1, 1), (3,), []))["actions"]
        finally:
            coach.close()
        with pytest.raises(RoomError):
            await coach.ask("explain", "heads-up", (1, 1), (3,), [])

    asyncio.run(run())


def test_a_coach_that_dies_is_replaced() -> None:
    async def run() -> None:
        coach = CoachClient(16, 16)

        def die(*_: int) -> None:
            assert coach.process is not None
            coach.process.kill()

        try:
            with pytest.raises(CoachError, match="ask again"):
                await coach.ask("review", pickled(played(GameConfig(dice=(5, 5, 5, 5), seed=3))), None, progress=die)
            assert (await coach.ask("explain", "heads-up", (1, 1), (3,), []))["actions"]
        finally:
            coach.close()

    asyncio.run(run())


def test_a_review_that_many_wait_for_is_asked_for_once() -> None:
    async def run() -> None:
        async with studio() as one:
            wish: Json = {"seats": seats(*BOTS), "rules": "duel", "delay_ms": 0, "seed": 4}
            watcher = await one.enter((await one.post("/rooms", wish))["room"])
            game = (await watcher.until("over"))["game_id"]
            assert await one.get(f"/games/{game}/review/progress") == {"done": 0, "turns": 0}
            first, second = await asyncio.gather(*(one.get(f"/games/{game}/review") for _ in range(2)))
            assert first == second
            assert next(one.app.state.coach.numbers) == 1

    asyncio.run(run())


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_the_coach_ends_when_the_server_is_killed(tmp_path: Path) -> None:
    with Process(tmp_path / "a.sqlite") as server:
        assert server.get("/lab/explain?dice=1,1&hand=3")["actions"]
        threads = Path(f"/proc/{server.process.pid}/task")
        (coach,) = [pid for task in threads.iterdir() for pid in (task / "children").read_text().split()]
        ended = os.pidfd_open(int(coach))
        try:
            server.kill()
            assert select.select([ended], [], [], PATIENCE)[0], "the coach is still there"
        finally:
            os.close(ended)
