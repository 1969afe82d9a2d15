"""Only one studio serves a store, whatever kind of store it is and however the last server died."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from live import Process
from studio_kit import seats

from liars_dice.persistence import StoreError, open_store
from liars_dice.web.store_lock import StoreLock
from patience import PATIENCE

WISH = {"seats": seats("you", "open"), "rules": "duel"}


@pytest.mark.parametrize("name", ["a.sqlite", "a.jsonl"])
def test_a_second_server_on_one_store_says_so_in_one_line(tmp_path: Path, name: str) -> None:
    db = tmp_path / name
    with Process(db) as first:
        first.post("/rooms", WISH)
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", "0", "--db", str(db)]
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        assert second.returncode == 1
        assert second.stdout == ""
        assert second.stderr.count("\n") == 1
        assert "another studio is already serving this store" in second.stderr
        with open_store(db) as store:  # everything else can use the store meanwhile
            assert store.documents("room")


def test_the_lock_ends_with_its_server(tmp_path: Path) -> None:
    db = tmp_path / "a.sqlite"
    port = 0
    for _ in range(3):
        with Process(db, port) as server:
            port = server.port
            server.post("/rooms", WISH)
            server.kill()
    with Process(db, port) as server:
        assert len(server.get("/rooms")["rooms"]) == 3


def test_another_name_of_the_same_file_is_the_same_store(tmp_path: Path) -> None:
    (tmp_path / "b.sqlite").symlink_to(tmp_path / "a.sqlite")
    lock = StoreLock(tmp_path / "a.sqlite")
    with pytest.raises(StoreError, match="another studio"):
        StoreLock(tmp_path / "b.sqlite")
    lock.release()
    StoreLock(tmp_path / "b.sqlite").release()


def test_a_database_has_one_studio(postgres_url: str) -> None:
    lock = StoreLock(postgres_url)
    with pytest.raises(StoreError, match="another studio"):
        StoreLock(postgres_url)
    lock.release()
    StoreLock(postgres_url).release()


def test_a_store_that_cannot_be_locked_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        StoreLock(tmp_path / "file" / "a.sqlite")
    with pytest.raises(StoreError, match="PostgreSQL"):
        StoreLock("postgresql://localhost:1/none")
