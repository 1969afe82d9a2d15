"""docs/file-formats.md: what it says is in each file is there when the product writes it, and nothing else is.

Files are written by the commands that write them for users. A key such as `result.ranking[].agent` is one of each
value in a list. A key that is named without any key below it stands for all of them.
"""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from command_line import call
from liars_dice.bridges.position_answers import Answer
from liars_dice.core import GameConfig, new_game
from liars_dice.learn.champion.player import SHIPPED
from liars_dice.persistence import open_store
from liars_dice.web.room_document import RoomDoc
from test_house import ROOT

NAMED_FIRST = ("key", "array", "column", "file", "table")
"""What stands above the first column of a table that names what is in a file."""


@cache
def tables(heading: str) -> list[list[str]]:
    """The names in the first columns of the tables below a heading of the page."""
    page = (ROOT / "docs" / "file-formats.md").read_text(encoding="utf-8")
    section = re.split(rf"^#+ {re.escape(heading)}$", page, flags=re.MULTILINE)[1]
    lines = re.split(r"^#", section, flags=re.MULTILINE)[0].splitlines()
    found: list[list[str]] = []
    for line in lines:
        first = line.split("|")[1].strip() if line.startswith("|") else ""
        if first in NAMED_FIRST:
            found.append([])
        elif first.startswith("`") and found:
            found[-1] += re.findall(r"`([^`]+)`", first)
    assert found, heading
    return found


def names(heading: str) -> list[str]:
    """The names in the only table below a heading."""
    (found,) = tables(heading)
    return found


def keys_in(value: object, place: str = "") -> Iterator[str]:
    """The keys of a JSON value and of those inside it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (here := f"{place}.{key}" if place else key)
            yield from keys_in(inner, here)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_in(inner, f"{place}[]")


def above(key: str) -> str:
    return key.rpartition(".")[0].rstrip("[]")


def check(named: Iterable[str], values: Iterable[object]) -> None:
    """Check that the page names the keys of these values, each at least where it stops going deeper."""
    named = set(named)
    found = {key for value in values for key in keys_in(value)}
    assert named - found == set(), "the page names keys that are in no file"
    known = set(named)
    for key in named:
        while key := above(key):
            known.add(key)
    entered = {above(key) for key in known}
    for key in found - known:
        place = key
        while place and place not in known:
            place = above(place)
        assert place, f"the page does not name {key}"
        assert place not in entered, f"the page names some keys in {place}, but not {key}"


def lines(path: str) -> list[Any]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def written(*words: str) -> None:
    done = call(*words)
    assert done.exit_code == 0, done.output


@pytest.fixture(autouse=True)
def empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIARS_DICE_DB", "games.jsonl")


def test_the_check_can_fail() -> None:
    real: dict[str, object] = {"a": [{"b": 1, "c": 2}], "d": {"e": 3}}
    check(["a", "d"], [real])
    check(["a[].b", "a[].c", "d"], [real])
    for wrong in (["a"], ["a", "d", "x"], ["a[].b", "d"]):
        with pytest.raises(AssertionError, match="the page"):
            check(wrong, [real])


def test_rules() -> None:
    named = names("Rules")
    written("rules", "perudo", "--out", "r.json")
    in_bases = {"base", "players"}
    check(set(named) - in_bases, [json.loads(Path("r.json").read_text())])
    assert in_bases < set(named)
    assert GameConfig.from_toml('base = "perudo"\nplayers = 3\ndice = 2').dice == (2, 2, 2)
    written("rules", "perudo", "--out", "r.toml")
    assert GameConfig.load("r.toml") == GameConfig.load("r.json")


def test_games_and_documents() -> None:
    """Recorded games, what is kept beside them, and the report of the tournament that recorded them."""
    words = ("tournament", "maniac", "optimal", "random", "--rules", "classic", "--dice", "1", "--games", "8")
    written(*words, "--seed", "1", "--record", "all", "--report", "report", "--chart-format", "svg")
    written("review", "last")
    written("export", "last", "--out", "one.jsonl")
    for path in ("games.jsonl", "one.jsonl"):
        check(names("Games as JSON lines"), lines(path))
    game_id = lines("one.jsonl")[0]["game_id"]
    with open_store() as store:
        store.save_snapshot(game_id, 1, new_game(GameConfig()))
    page = (ROOT / "docs" / "file-formats.md").read_text(encoding="utf-8")
    beside = {path.name for path in Path().glob("games.*")} - {"games.jsonl"}
    assert beside == set(re.findall(r"`(games\.\w+\.jsonl?)`", page))

    documents = lines("games.documents.jsonl")
    assert {len(document) for document in documents} == {3}
    for kind in ("tournament", "tournament-block", "review"):
        check(names(f"`{kind}`"), [json.loads(text) for one, _, text in documents if one == kind])

    files, keys = tables("Reports")
    assert {path.name for path in Path("report").iterdir() if path.suffix != ".svg"} == set(files)
    check(keys, [json.loads(Path("report/result.json").read_text())])

    written("train", "clone", "--player", "maniac", "--out", "maniac.json")
    clone = json.loads(Path("maniac.json").read_text())
    check(names("Clones"), [clone])
    assert clone["schema"] == 1


def test_rooms() -> None:
    room = RoomDoc("abc", datetime(2026, 1, 1, tzinfo=UTC), GameConfig(), [])
    check(names("`room`"), [json.loads(msgspec.json.encode(room))])


def test_a_store() -> None:
    named = names("Stores")
    with open_store("games.sqlite") as store:
        store.save_documents("kind", {"name": "text"})
        store.claim("studio")
        assert Path("games.sqlite.studio").exists()
    database = sqlite3.connect("games.sqlite")
    found = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    (version,) = database.execute("PRAGMA user_version").fetchone()
    database.close()
    assert found == set(named)
    assert version == 1


@pytest.mark.parametrize("algorithm", ["q", "pg"])
def test_learners(algorithm: str) -> None:
    arrays, keys = tables("Learners")
    few = ("--dice", "1", "--games", "200", "--evaluation-games", "0")
    written("train", algorithm, *few, "--out", "model.npz", "--curve", "curve.csv")
    with np.load("model.npz") as model:
        assert set(model.files) == set(arrays)
        about = json.loads(model["about"].tobytes())
    check(keys, [about])
    assert about["version"] == 1
    points = [key.removeprefix("curve[].") for key in keys if key.startswith("curve[].")]
    with Path("curve.csv").open(newline="") as file:
        assert next(csv.reader(file)) == ["model", *points]


def test_solutions() -> None:
    named = names("Solutions")
    written("solve", "1", "1", "--target", "1e-2", "--out", "solution.npz")
    with np.load("solution.npz") as solution:
        assert set(solution.files) == set(named)
        assert solution["format"] == 1
        assert len(solution["regret"]) == len(solution["average"]) == len(solution["first"])
        assert msgspec.json.decode(solution["config"].tobytes(), type=GameConfig).dice == (1, 1)


def test_champions() -> None:
    named = names("Champions")
    with np.load(SHIPPED) as champion:
        assert {champion[name].dtype for name in champion.files} == {np.dtype(np.float16)}
        of_both = [name.partition(".") for name in champion.files]
    assert {network for network, _, _ in of_both} == {"many", "two"}
    assert {re.sub(r"blocks\.\d+", "blocks.N", name) for _, _, name in of_both} == set(named)


def test_positions_and_answers() -> None:
    written("positions", "--out", "positions.jsonl")
    check(names("Positions"), lines("positions.jsonl"))
    written("bench-llm", "random", "--positions", "1", "--games", "2", "--out", "answers.jsonl")
    rare = Answer("no-wilds-001", {"liar": 1.0}, belief=0.5, corrected=True, illegal=True)
    check(names("Answers"), [*lines("answers.jsonl"), json.loads(msgspec.json.encode(rare))])
    assert set(lines("answers.jsonl")[0]) == {"player", "positions_version", "pool_version"}


def test_trajectories() -> None:
    records, chats = tables("Trajectories")
    for shape, named in (("records", records), ("chat", chats)):
        written("trajectories", "--player", "nash", "--games", "2", "--shape", shape, "--out", f"{shape}.jsonl")
        check(named, lines(f"{shape}.jsonl"))


def test_exported_events() -> None:
    named = names("Tables")
    written("watch", "maniac", "optimal", "--dice", "1", "--seed", "1")
    written("export", "last", "--out", "events.csv")
    with Path("events.csv").open(newline="") as file:
        assert set(next(csv.reader(file))) == set(named)
