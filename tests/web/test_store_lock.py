"""Only one studio serves a store, whatever kind of store it is and however the last server died."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from live import Process
from studio_kit import seats

from liars_dice.persistence import StoreError, open_store
from liars_dice.persistence.conformance import sample_game
from liars_dice.web.store_worker import StoreWorker
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
    worker = StoreWorker(tmp_path / "a.sqlite")
    with pytest.raises(StoreError, match="another studio"):
        StoreWorker(tmp_path / "b.sqlite")
    worker.close()
    StoreWorker(tmp_path / "b.sqlite").close()


def test_a_database_has_one_studio(postgres_url: str) -> None:
    worker = StoreWorker(postgres_url)
    with pytest.raises(StoreError, match="another studio"):
        StoreWorker(postgres_url)
    worker.close()
    StoreWorker(postgres_url).close()


def test_a_store_that_cannot_be_locked_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        StoreWorker(tmp_path / "file" / "a.sqlite")
    with pytest.raises(StoreError, match="PostgreSQL"):
        StoreWorker("postgresql://localhost:1/none")


def test_a_studio_that_loses_its_database_to_another_stops_writing(postgres_url: str) -> None:
    """The server ends its connections, as a restart does; the other studio is faster to come back."""
    game = sample_game("one")

    async def play() -> None:
        first = StoreWorker(postgres_url)
        await first.write(game[:5])
        with psycopg.connect(postgres_url, autocommit=True) as database:
            database.execute(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        second = StoreWorker(postgres_url)
        await second.write(game[5:10])
        for _ in range(3):  # the first attempt finds its connection gone
            with pytest.raises(StoreError):
                await first.write(game[10:])
        with pytest.raises(StoreError, match="taken over"):
            await first.save("room", "a", "{}")
        with pytest.warns(UserWarning, match="another studio has taken over this store"):
            await first.keep_claim()
        await first.keep_claim()  # said once
        await second.keep_claim()
        await second.write(game[10:])
        assert await second.read(lambda store: store.events("one")) == game
        first.close()
        second.close()

    asyncio.run(play())
