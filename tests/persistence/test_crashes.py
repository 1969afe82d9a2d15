"""Nothing acknowledged is lost when a process is killed; many writers and readers do not disturb each other."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from liars_dice.persistence import open_store
from store_worker import game_of

WORKER = Path(__file__).parent.parent / "store_worker.py"
STORES = ["jsonl", "sqlite", "postgres"]


@pytest.fixture(params=STORES)
def store_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return str(tmp_path / f"games.{request.param}")


def worker(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), *arguments]
    environment = {"PYTHONPATH": str(WORKER.parent), "PATH": "/usr/bin:/bin"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def acknowledged(lines: list[str]) -> dict[str, int]:
    """The last version acknowledged of each game; a line cut short by the kill acknowledges nothing."""
    versions: dict[str, int] = {}
    for line in lines:
        if line.endswith("\n"):
            game_id, version = line.split()
            versions[game_id] = int(version)
    return versions


@pytest.mark.parametrize("kills", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_writers_lose_nothing_acknowledged(store_address: str, kills: int) -> None:
    """SIGKILL after a random number of acknowledgements: no acknowledged event lost, no gap, no incomplete event."""
    rng = random.Random(kills)
    total = 0
    for kill in range(kills):
        address = (
            store_address if "//" in store_address else f"{store_address}-{kill // 10}{Path(store_address).suffix}"
        )
        writer = worker("write", address, f"kill{kill}", "1000000")
        assert writer.stdout is not None
        read = [writer.stdout.readline() for _ in range(rng.randint(1, 60))]
        writer.send_signal(signal.SIGKILL)
        acks = acknowledged([*read, *writer.stdout.readlines()])
        writer.communicate()
        assert writer.returncode == -signal.SIGKILL
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a line cut short is expected here
            store = open_store(address)
        with store:
            for game_id, version in acks.items():
                events = store.events(game_id)
                assert len(events) >= version
                assert list(events) == game_of(game_id)[: len(events)]
        total += sum(acks.values())
    assert total > 0


@pytest.mark.parametrize("total", [6_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_ten_writers_and_two_readers(store_address: str, total: int) -> None:
    """Nothing lost, order per game kept, and readers only ever see whole prefixes."""
    readers = [worker("read", store_address) for _ in range(2)]
    writers = [worker("write", store_address, f"w{n}", str(total // 10)) for n in range(10)]
    acks: dict[str, int] = {}
    for writer in writers:
        out, _ = writer.communicate()
        assert writer.returncode == 0
        acks |= acknowledged(out.splitlines(keepends=True))
    for reader in readers:
        out, _ = reader.communicate("")
        assert reader.returncode == 0
        assert int(out) > 0
    with open_store(store_address) as store:
        assert {game.game_id: game.events for game in store.games()} == acks
        assert sum(acks.values()) >= total
        for game_id in acks:
            assert list(store.events(game_id)) == game_of(game_id)
