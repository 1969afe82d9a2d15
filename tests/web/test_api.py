"""The JSON API keeps to its schema, whatever it is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from live import in_a_thread
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from studio_kit import Json, seats, studio

from liars_dice.agents import AGENTS
from liars_dice.core import PRESETS, GameConfig
from liars_dice.persistence import InMemoryRecorder, open_store
from liars_dice.tournament import Ledger, round_robin
from liars_dice.web.api import ENDPOINTS
from liars_dice.web.schema import openapi
from patience import PATIENCE

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with in_a_thread() as port:
        yield f"http://127.0.0.1:{port}"


schema = schemathesis.openapi.from_dict(openapi())


@schema.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_api_keeps_to_its_schema(case: Any, address: str) -> None:
    case.call_and_validate(base_url=address, checks=CHECKS, timeout=PATIENCE)


def test_the_schema_names_every_endpoint_and_every_message() -> None:
    document = openapi()
    operations = {(method, path) for path, by in document["paths"].items() for method in by}
    assert operations == {(e.method.lower(), f"/api{e.path}") for e in ENDPOINTS}
    for name in ("Hello", "Act", "Ask", "Undo", "Speed", "Ping", "Welcome", "EventNote", "Turn", "Seats", "Over"):
        assert name in document["components"]["schemas"]
    assert all(endpoint.about for endpoint in ENDPOINTS)


def test_the_document_is_served(address: str) -> None:
    assert httpx.get(f"{address}/api/openapi.json", timeout=PATIENCE).json() == openapi()


def test_rules_and_bots() -> None:
    async def run() -> None:
        async with studio() as one:
            listed = {agent["name"] for agent in (await one.get("/agents"))["agents"]}
            assert listed == {info.field_name for info in AGENTS.values()}
            book = await one.get("/rules")
            assert set(book["presets"]) == set(PRESETS)
            named = {field["name"] for field in book["fields"]}
            assert named == set(GameConfig.__struct_fields__) - {"seed"}
            ladder = await one.post("/rules", {"preset": "duel"})
            assert ladder["bids"][0] == {"quantity": 1, "face": 1}
            assert len(ladder["bids"]) == 30
            changed = await one.post("/rules", {"preset": "perudo", "changes": {"dice": [2, 2]}})
            assert changed["config"]["dice"] == [2, 2]
            old = await one.post("/rules", {"preset": "duel", "changes": {"ones_wild": True}}, 400)
            assert 'expected wild = "ones"' in old["error"]
            error = await one.post("/rules", {"preset": "duel", "changes": {"faces": 1}}, 400)
            assert error["error"] == "faces = 1: expected a whole number from 2 to 20"
            assert (error["field"], error["expected"]) == ("faces", "a whole number from 2 to 20")
            assert error["code"]
            assert "did you mean" in (await one.post("/rules", {"config": {"fases": 6}}, 400))["error"]

    asyncio.run(run())


def test_the_lab() -> None:
    async def run() -> None:
        async with studio() as one:
            found = await one.get("/lab/explain?dice=2,3&hand=1,4")
            assert abs(sum(action["probability"] for action in found["actions"]) - 1) < 1e-6
            assert (found["source"], found["of"]) == ("equilibrium", "round")
            refused = await one.http.get("/api/lab/explain?dice=6,1&hand=1,1,1,1,1,1")
            assert (refused.status_code, "two numbers from 1 to 5" in refused.text) == (400, True)
            rounds = (await one.get("/lab/solved"))["rules"]
            assert [2, 2] in [round_["dice"] for round_ in rounds["perudo"]]
            assert {"heads-up", "perudo"} == set(rounds)
            perudo = await one.get("/lab/explain?rules=perudo&dice=2,2&hand=1,4&bids=1x6")
            assert "exact" in [action["action"] for action in perudo["actions"]]
            known = next(round_ for round_ in rounds["perudo"] if round_["dice"] == [2, 2])
            assert (perudo["lower"], perudo["upper"]) == (known["lower"], known["upper"])
            for rules in rounds:
                assert {tuple(round_["dice"]) for round_ in rounds[rules]} == {
                    (own, other) for own in range(1, 6) for other in range(1, 6)
                }
            assert {round_["lower"] for round_ in rounds["perudo"] if sum(round_["dice"]) > 5} == {None}
            larger = await one.get("/lab/explain?rules=perudo&dice=4,2&hand=1,4&bids=2x4")
            assert (larger["source"], larger["lower"], larger["upper"]) == ("short-memory strategy", None, None)
            assert set(perudo) == set(larger)
            assert abs(sum(action["probability"] for action in larger["actions"]) - 1) < 1e-6
            assert abs(sum(hand["probability"] for hand in larger["belief"]) - 1) < 1e-6
            assert larger["value"] == max(action["value"] for action in larger["actions"])
            refused = await one.http.get("/api/lab/explain?rules=perudo&dice=4,2&hand=1,4&bids=2x4,1x4")
            assert (refused.status_code, "expected 4 dice" in refused.text) == (400, True)
            refused = await one.http.get("/api/lab/explain?rules=perudo&dice=4,2&hand=1,4&bids=3x4,2x4,4x4")
            assert (refused.status_code, "each must be higher" in refused.text) == (400, True)
            other = await one.http.get("/api/lab/explain?rules=classic&dice=1,1&hand=1")
            assert (other.status_code, "one of heads-up, perudo" in other.text) == (400, True)
            odds = (await one.get("/lab/odds?hand=1,4&dice_total=5"))["bids"]
            assert odds[0]["chance"] == 1.0
            table = await one.get("/lab/matchups?rules=duel")
            assert len(table["matrix"]) == len(table["agents"])
            assert table["matrix"][0][0] is None
            assert abs(table["matrix"][0][1] + table["matrix"][1][0] - 1) < 1e-12
            assert (await one.http.get("/api/lab/matchups?rules=perudo")).status_code == 400
            assert (await one.get("/lab/tournaments"))["tournaments"] == []

    asyncio.run(run())


def test_tournaments_in_the_store_are_shown(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from liars_dice.cli import main

    db = str(tmp_path / "a.sqlite")
    done = CliRunner().invoke(main, ["tournament", "optimal", "maniac", "--rules", "duel", "--db", db, "--save", "t"])
    if done.exit_code:
        done = CliRunner().invoke(main, ["tournament", "optimal", "maniac", "--rules", "duel", "--db", db])
    assert done.exit_code == 0, done.output

    async def run() -> None:
        async with studio(Path(db)) as one:
            listed = (await one.get("/lab/tournaments"))["tournaments"]
            with open_store(db) as store:
                assert len(listed) == len(store.documents("tournament"))
            for line in listed:
                assert line["ranking"] == ["optimal", "maniac"]
                assert (await one.get(f"/lab/tournaments/{line['name']}"))["id"] == line["name"]
            assert (await one.http.get("/api/lab/tournaments/none")).status_code == 404

    asyncio.run(run())


def test_the_address_of_a_tournaments_models_and_the_files_of_its_bots_are_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("mine/__init__.py", "mine/secret.py"):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text("", encoding="utf-8")
    store = InMemoryRecorder()
    result = round_robin(["maniac", "passive"], "duel", games=2, seed=1)
    asked = msgspec.structs.replace(result.settings, agents=("mine:Bot", "passive"), base_url="http://inside/v1")
    Ledger(store, asked, "under-way").begin((), 20)
    Ledger(store, asked, "done").close(msgspec.structs.replace(result, settings=asked))

    async def run() -> None:
        async with studio(store) as one:
            for name in ("under-way", "done"):
                said = json.dumps(await one.get(f"/lab/tournaments/{name}"))
                assert "mine:Bot" in said
                assert "inside" not in said
                assert "secret" not in said

    asyncio.run(run())


def test_games_are_listed_page_by_page() -> None:
    async def run() -> None:
        async with studio() as one:
            for seed in range(7):
                wish: Json = {"seats": seats("random", "random"), "rules": "duel", "delay_ms": 0, "seed": seed}
                watcher = await one.enter((await one.post("/rooms", wish))["room"])
                await watcher.until("over")
            whole = [game["id"] for game in (await one.get("/games"))["games"]]
            assert len(whole) == 7
            pages: list[str] = []
            after = ""
            while True:
                page = [game["id"] for game in (await one.get(f"/games?limit=3{after}"))["games"]]
                if not page:
                    break
                pages += page
                after = f"&after={page[-1]}"
            assert pages == whole
            assert (await one.http.get("/api/games?after=none")).status_code == 404
            assert (await one.http.get("/api/games?limit=1000")).status_code == 422

    asyncio.run(run())


def test_a_review_is_the_coachs() -> None:
    async def run() -> None:
        async with studio() as one:
            wish: Json = {"seats": seats("random", "random"), "rules": "duel", "delay_ms": 0, "seed": 4}
            watcher = await one.enter((await one.post("/rooms", wish))["room"])
            game = (await watcher.until("over"))["game_id"]
            review = await one.get(f"/games/{game}/review")
            turns = (await one.get("/games"))["games"][0]["turns"]
            assert len(review["moves"]) == turns
            assert {move["seat"] for move in (await one.get(f"/games/{game}/review?seat=1"))["moves"]} <= {1}

    asyncio.run(run())


def test_a_hint_is_the_coachs() -> None:
    async def run() -> None:
        async with studio() as one:
            made = await one.post("/rooms", {"seats": seats("you", "optimal"), "rules": "duel", "delay_ms": 0})
            socket = await one.enter(made["room"], made["token"])
            await socket.until("turn")
            socket.say({"type": "ask", "id": 1, "what": "hint"})
            hint = (await socket.until("answer"))["hint"]
            assert hint["best"] == hint["choices"][0]["action"]
            assert hint["why"]
            assert (hint["given"], hint["source"]) == ("against perfect play", "equilibrium")
            assert (hint["habits"]["given"], hint["habits"]["habits"]) == ("given how optimal plays", None)

    asyncio.run(run())
