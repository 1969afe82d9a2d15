"""What the studio tells about recorded games: filters, puzzles, downloads, cards and previews; nothing hidden leaks."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from studio_kit import EASY, Json, Studio, first_legal, seats, studio

from liars_dice import GameEngine, preset
from liars_dice.agents import make_agent
from liars_dice.core import parse_game
from liars_dice.persistence import InMemoryRecorder, import_games, read_lines, record_game
from liars_dice.web import game_list

RUNNING: Json = {"seats": seats("you", "optimal"), "rules": "heads-up", "delay_ms": 0, "seed": 3}


def recorded(store: InMemoryRecorder, *names: str, rules: str = "duel", seed: int = 1, steps: int | None = None) -> str:
    """A game of these bots, the first of which counts as the person Ann; its id."""
    agents = [make_agent(name) for name in names]
    agents[0].agent_id, agents[0].player_type = "human:Ann", "Human"  # type: ignore[attr-defined]
    engine = GameEngine(preset(rules, players=len(names)), agents, seed=seed, names=("Ann", *names[1:]))
    game = record_game(engine, store)
    if steps is None:
        engine.play()
    else:
        engine.start_new_round()
        for _ in range(steps):
            engine.step()
    store.flush()
    return game


async def ids(one: Studio, query: str) -> list[str]:
    return [game["id"] for game in (await one.get(f"/games?{query}"))["games"]]


def test_games_can_be_filtered() -> None:
    store = InMemoryRecorder()
    first = recorded(store, "random", "optimal", seed=1)
    second = recorded(store, "optimal", "bluffer", rules="heads-up", seed=2)
    open_game = recorded(store, "optimal", "conservative", rules="heads-up", seed=3, steps=2)

    async def run() -> None:
        async with studio(store) as one:
            assert await ids(one, "") == [open_game, second, first]
            assert await ids(one, "state=finished") == [second, first]
            assert await ids(one, "state=unfinished") == [open_game]
            assert await ids(one, "rules=duel") == [first]
            assert await ids(one, "search=BLUFF") == [second]
            assert await ids(one, f"search={first[:20]}") == [first] or first[:20] == second[:20]
            assert await ids(one, "player=ann&state=finished") == [second, first]
            won = await ids(one, "player=Ann&result=won")
            lost = await ids(one, "player=Ann&result=lost")
            assert sorted(won + lost) == sorted([first, second])
            assert await ids(one, f"mine={first}@1&state=finished") == [first]
            flipped = await ids(one, f"mine={first}@1&result=won")
            assert (first in flipped) != (first in won)
            listed: Any = (await one.get(f"/games?mine={first}@1"))["games"][0]
            assert listed["seat"] == 1
            for bad in ("result=won", f"mine={first}", "mine=@1", "mine=a@x", "state=lost", "search=" + "a" * 101):
                answer = await one.http.get(f"/api/games?{bad}")
                assert answer.status_code in (400, 422), bad

    asyncio.run(run())


def test_a_search_looks_at_a_limited_number_of_games(monkeypatch: pytest.MonkeyPatch) -> None:
    store = InMemoryRecorder()
    oldest = recorded(store, "random", "crawler", seed=0)
    for seed in range(1, 8):
        recorded(store, "random", "optimal", seed=seed)
    monkeypatch.setattr(game_list, "MOST_SEARCHED", 3)

    async def run() -> None:
        async with studio(store) as one:
            asked, after = 0, ""
            while True:
                found = await one.get(f"/games?search=crawler{after}")
                asked += 1
                if found["games"] or found["more"] is None:
                    break
                after = f"&after={found['more']}"
            assert [game["id"] for game in found["games"]] == [oldest]
            assert asked == 3

    asyncio.run(run())


def test_pages_do_not_overlap() -> None:
    store = InMemoryRecorder()
    games = [recorded(store, "random", "optimal", seed=seed) for seed in range(7)][::-1]

    async def run() -> None:
        async with studio(store) as one:
            first = await one.get("/games?limit=3&state=finished")
            second = await one.get(f"/games?limit=3&state=finished&after={first['more']}")
            third = await one.get(f"/games?limit=3&state=finished&after={second['more']}")
            assert [game["id"] for page in (first, second, third) for game in page["games"]] == games
            assert third["more"] is None

    asyncio.run(run())


def test_downloads_can_be_read_again_and_hold_no_seed(tmp_path: Path) -> None:
    store = InMemoryRecorder()
    game = recorded(store, "random", "optimal", rules="heads-up", seed=987654321)

    async def run() -> None:
        async with studio(store) as one:
            lines = await one.http.get(f"/api/games/{game}/events.jsonl")
            text = await one.http.get(f"/api/games/{game}/notation.txt")
            assert lines.headers["content-disposition"] == f'attachment; filename="{game}.jsonl"'
            assert "987654321" not in lines.text + text.text
            copy, file = InMemoryRecorder(), tmp_path / "game.jsonl"
            file.write_bytes(lines.content)
            assert [done[0] for done in import_games(read_lines(file), copy)] == [game]
            assert copy.games()[0].winner == store.games()[0].winner
            assert parse_game(text.text).public.winner == store.games()[0].winner

    asyncio.run(run())


def test_a_card_and_a_preview_for_links() -> None:
    store = InMemoryRecorder()
    game = recorded(store, "random", "optimal", seed=1)
    names = ('"><script>alert(1)</script>', "optimal")
    engine = GameEngine(preset("duel"), [make_agent("random"), make_agent("optimal")], seed=2, names=names)
    hostile = record_game(engine, store)
    engine.play()

    async def run() -> None:
        async with studio(store) as one:
            card = await one.http.get(f"/api/games/{game}/card.png")
            assert card.headers["content-type"] == "image/png"
            assert card.content.startswith(b"\x89PNG")
            assert len(card.content) < 300_000
            assert (await one.http.get(f"/api/games/{game}/card.png")).content == card.content
            page = (await one.http.get(f"/review/{game}")).text
            assert f'property="og:image" content="http://test/api/games/{game}/card.png"' in page.replace(
                str(one.http.base_url).rstrip("/"), "http://test"
            )
            page = (await one.http.get(f"/replay/{hostile}")).text
            assert "<script>alert" not in page
            assert "og:title" in page
            assert "og:" not in (await one.http.get("/replay/nothing")).text

    asyncio.run(run())


def test_of_a_running_game_nothing_is_told() -> None:
    """No card, no file, no puzzle, no review and no preview, whoever asks."""

    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", RUNNING)
            socket = await one.enter(made["room"], made["token"])
            turn = await socket.until("turn")
            socket.say({"type": "act", "id": 1, "turn": turn["turn"], "action": first_legal(turn)})
            await socket.until("answer")
            game = (await one.get(f"/rooms/{made['room']}"))["game_id"]
            for path in ("card.png", "events.jsonl", "notation.txt", "turns/1", "puzzles?seat=0", "review"):
                answer = await one.http.get(f"/api/games/{game}/{path}")
                assert (answer.status_code, answer.json()["code"]) == (409, "game_not_over"), path
            for page in ("replay", "review"):
                assert "og:" not in (await one.http.get(f"/{page}/{game}")).text

    asyncio.run(run())


def test_puzzles_of_a_game_and_of_the_day() -> None:
    store = InMemoryRecorder()
    game = recorded(store, "maniac", "optimal", rules="heads-up", seed=1)

    async def run() -> None:
        async with studio(store) as one:
            found = (await one.get(f"/games/{game}/puzzles?seat=0"))["puzzles"]
            assert found
            turn = found[0]["id"].partition("/")[2]
            assert await one.get(f"/games/{game}/turns/{turn}") == found[0]
            played = next(choice for choice in found[0]["choices"] if choice["action"] == found[0]["played"])
            assert played["kind"] in ("mistake", "blunder")
            today = one.rooms.clock.utc_now().date()
            daily = await one.get("/puzzles/daily")
            assert daily["day"] == today.isoformat()
            assert set(daily["puzzles"]) == {"heads-up", "perudo"}
            assert await one.get(f"/puzzles/daily?day={today}") == daily
            early = today - timedelta(days=3)
            assert (await one.get(f"/puzzles/daily?day={early}"))["day"] == early.isoformat()
            for path, status in (
                (f"/puzzles/daily?day={today + timedelta(days=1)}", 404),
                ("/puzzles/daily?day=1000-01-01", 404),
                ("/puzzles/daily?day=yesterday", 422),
                (f"/games/{game}/turns/0", 400),
                (f"/games/{game}/turns/9999", 400),
                (f"/games/{game}/turns/-1", 400),
                (f"/games/{game}/turns/٣", 400),
                (f"/games/{game}/puzzles?seat=7", 400),
                ("/games/nothing/turns/1", 404),
                ("/games/%00/card.png", 404),
                (f"/games/{'x' * 300}/events.jsonl", 404),
            ):
                assert (await one.http.get(f"/api{path}")).status_code == status, path

    asyncio.run(run())


def test_work_on_games_is_charged_to_who_asks() -> None:
    """An address that asks for many positions is refused after a while, and the server goes on."""
    store = InMemoryRecorder()
    game = recorded(store, "random", "optimal", rules="heads-up", seed=1)
    strict = msgspec.structs.replace(EASY, cost_burst_s=0.02, cost_per_s=0.001)

    async def run() -> None:
        async with studio(store, limits=strict) as one:
            answers = [await one.http.get(f"/api/games/{game}/turns/{turn}") for turn in range(1, 40)]
            codes = {answer.status_code for answer in answers}
            assert 429 in codes
            assert {answer.json().get("code") for answer in answers if answer.status_code == 429} == {"share_used"}

    asyncio.run(run())
