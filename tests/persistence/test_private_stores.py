"""New stores can be read by their owner alone: they hold seeds, secrets and hidden dice."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liars_dice.core import GameEngine
from liars_dice.persistence import open_store, record_game

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


def fill(store_file: Path) -> None:
    """Write everything that a store can hold: events, documents, snapshots."""
    with open_store(store_file) as store:
        engine = GameEngine("duel", names="ab")
        record_game(engine, store, game_id="g", live=True)
        engine.start_new_round()
        store.save_documents("room", {"a": "secret"})
        store.save_snapshot("g", 3, engine.state)


@pytest.fixture(params=["games.sqlite", "games.jsonl"])
def store_file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    before = os.umask(0o022)
    yield tmp_path / str(request.param)
    os.umask(before)


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_a_new_store_and_the_files_beside_it_belong_to_their_owner(store_file: Path) -> None:
    with open_store(store_file):
        fill(store_file)
        assert modes(store_file.parent) == {0o600}, "the write-ahead log of SQLite, too"


def test_the_mode_of_an_existing_store_is_left_alone(store_file: Path) -> None:
    store_file.touch(0o640)
    fill(store_file)
    assert modes(store_file.parent) == {0o640}, "its group may be meant to read it"
