"""Our four stores, and one of someone else's, pass the suite that any store can be checked with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from liars_dice.persistence import (
    GameRecorder,
    InMemoryRecorder,
    JSONLinesRecorder,
    PostgresRecorder,
    SQLiteRecorder,
    default_store,
    open_store,
)
from liars_dice.persistence.conformance import RecorderSuite

EXAMPLE = Path(__file__).parents[2] / "examples" / "document_store.py"


class TestMemory(RecorderSuite):
    remembers = False
    keeps_snapshots = True

    def open(self) -> GameRecorder:
        return InMemoryRecorder()


class TestJSONLines(RecorderSuite):
    keeps_snapshots = True

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "deep" / "games.jsonl"

    def open(self) -> GameRecorder:
        return JSONLinesRecorder(self.path)


class TestSQLite(RecorderSuite):
    keeps_snapshots = True

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "deep" / "games.sqlite"

    def open(self) -> GameRecorder:
        return SQLiteRecorder(self.path)


class TestDurable(RecorderSuite):
    keeps_snapshots = True

    @pytest.fixture(autouse=True, params=["games.sqlite", "games.jsonl"])
    def place(self, tmp_path: Path, request: pytest.FixtureRequest) -> None:
        self.path = tmp_path / request.param

    def open(self) -> GameRecorder:
        return open_store(self.path, durable=True)


class TestPostgres(RecorderSuite):
    keeps_snapshots = True

    @pytest.fixture(autouse=True)
    def place(self, postgres_url: str) -> None:
        self.url = postgres_url

    def open(self) -> GameRecorder:
        return PostgresRecorder(self.url)


def test_a_store_written_outside_the_package_passes_the_suite(tmp_path: Path) -> None:
    """The example, run as its first line says, in a folder of its own."""
    shutil.copy(EXAMPLE, tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", EXAMPLE.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    suite = [name for name in vars(RecorderSuite) if name.startswith("test_")]
    assert f"{len(suite)} passed" in done.stdout


def test_the_suite_notices_a_store_that_forgets_its_index(tmp_path: Path) -> None:
    broken = EXAMPLE.read_text(encoding="utf-8").replace("if events[0].version != stored:", "if False:")
    broken = broken.replace("if key in self.by_key:", "if False:")
    (tmp_path / EXAMPLE.name).write_text(broken, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", EXAMPLE.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "test_two_writers_of_one_game" in done.stdout


def test_open_store_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in (("x.jsonl", JSONLinesRecorder), ("x.db", SQLiteRecorder)):
        with open_store(tmp_path / name) as store:
            assert isinstance(store, kind)
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path / "mine.sqlite"))
    with open_store() as store:
        assert store.games() == []
    assert (tmp_path / "mine.sqlite").exists()
    monkeypatch.delenv("LIARS_DICE_DB")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert Path(default_store()) == tmp_path / "data" / "liars-dice" / "games.sqlite"
