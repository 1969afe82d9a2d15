"""The list of games: without abandoned games, without needless reads, and without making players wait."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from studio_kit import Json, first_legal, play, seats, studio

from liars_dice.persistence import GameRecorder, SQLiteRecorder
from liars_dice.persistence import sql_recorder as sql_module
from patience import PATIENCE

WISH: Json = {"seats": seats("you", "crawler"), "rules": "heads-up", "delay_ms": 0, "practice": True}


def test_games_abandoned_by_an_undo_are_not_listed() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", WISH)
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until("turn")
            for number in range(3):
                socket.say({"type": "act", "id": number, "turn": turn["turn"], "action": first_legal(turn)})
                await socket.until("answer")
                socket.say({"type": "undo", "id": "u"})
                await socket.until("welcome")
                turn = await socket.until("turn")
            assert len(one.rooms.store._writer._store.games()) == 4  # type: ignore[union-attr]
            now = (await one.get(f"/rooms/{made['room']}"))["game_id"]
            assert [game["id"] for game in (await one.get("/games?limit=1"))["games"]] == [now]
            assert [game["id"] for game in (await one.get("/games"))["games"]] == [now]

    asyncio.run(run())


def test_a_list_reads_no_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns are counted without reading the events, and once only."""
    counted: list[str] = []
    count = SQLiteRecorder._count_turns

    def spied(self: SQLiteRecorder, game_id: str) -> int:
        counted.append(game_id)
        return count(self, game_id)

    def unread(*_: object) -> Any:
        raise AssertionError("read")

    async def run() -> None:
        async with studio(tmp_path / "a.sqlite") as one:
            for seed in range(3):
                made = await one.post("/rooms", {"seats": seats("random", "random"), "delay_ms": 0, "seed": seed})
                await (await one.enter(made["room"])).until("over")
            monkeypatch.setattr(SQLiteRecorder, "_count_turns", spied)
            monkeypatch.setattr(sql_module, "decode_block", unread)
            first = await one.get("/games")
            assert await one.get("/games") == first
            assert all(game["turns"] > 0 for game in first["games"])

    asyncio.run(run())
    assert len(counted) == len(set(counted)) == 3


def test_players_do_not_wait_for_a_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listing, go_on = threading.Event(), threading.Event()
    games = GameRecorder.games

    def slow(self: GameRecorder, **wanted: Any) -> Any:
        listing.set()
        go_on.wait(PATIENCE)
        return games(self, **wanted)

    async def run() -> None:
        async with studio(tmp_path / "a.sqlite") as one:
            made = await one.post("/rooms", WISH)
        async with studio(tmp_path / "a.sqlite") as one:
            monkeypatch.setattr(GameRecorder, "games", slow)
            asked = asyncio.create_task(one.get("/games"))
            await asyncio.to_thread(listing.wait, PATIENCE)
            await play(await one.enter(made["room"], made["token"]), 0)
            assert not asked.done()
            go_on.set()
            await asked

    asyncio.run(run())
