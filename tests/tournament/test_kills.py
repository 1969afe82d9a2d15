"""A tournament that records all games is killed around every write. Once resumed, its store is as if it never was."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liars_dice.core import BidPlaced, preset
from liars_dice.persistence import GameRecorder, JSONLinesRecorder, PostgresRecorder, SQLiteRecorder, jsonlines
from liars_dice.tournament import InProcess, Ledger, TournamentSettings, run_tournament
from liars_dice.tournament import ledger as ledger_module
from liars_dice.tournament.ledger import BLOCKS, TOURNAMENTS
from patience import PATIENCE

ASKED = TournamentSettings(
    kind="round-robin",
    agents=("optimal", "detective"),
    rules="heads-up",
    config=preset("heads-up", dice=2).to_dict(),
    seed=3,
    games=60,
    time_limit_seconds=60.0,
    record="all",
)
BATCH = 70
"""Events per flush: most flushes end in the middle of a game."""


class Countdown:
    """Kills this process, as SIGKILL from outside would, when it has been asked `left` times."""

    def __init__(self, left: int) -> None:
        self.left = left

    def tick(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def mortal_sqlite(path: str, countdown: Countdown) -> GameRecorder:
    """Dies before or after any of its statements."""

    class Connection(sqlite3.Connection):
        def execute(self, *arguments: Any) -> Any:
            countdown.tick()
            done = super().execute(*arguments)
            countdown.tick()
            return done

        def executemany(self, *arguments: Any) -> Any:
            countdown.tick()
            return super().executemany(*arguments)

    class Mortal(SQLiteRecorder):
        def _connect(self, wait: float) -> sqlite3.Connection:
            return sqlite3.connect(self.path, timeout=wait, isolation_level=None, factory=Connection)

    return Mortal(path)


def mortal_lines(path: str, countdown: Countdown) -> GameRecorder:
    """Dies before, in the middle of, or after any write, and around the replacement of its documents."""

    class MortalOS:
        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        def write(self, file: int, data: bytes) -> int:
            countdown.tick()
            part = os.write(file, data[: len(data) // 2])
            countdown.tick()
            written = part + os.write(file, data[part:])
            countdown.tick()
            return written

        def getpid(self) -> int:
            countdown.tick()
            return os.getpid()

    vars(jsonlines)["os"] = MortalOS()
    return JSONLinesRecorder(path)


def mortal_postgres(url: str, countdown: Countdown) -> GameRecorder:
    """Dies before or after any table of a batch is written, and around the whole batch."""

    class Mortal(PostgresRecorder):
        def _append(self, batch: Any) -> None:
            countdown.tick()
            super()._append(batch)
            countdown.tick()

        @staticmethod
        def _copy(db: Any, table: str, rows: Any) -> None:
            countdown.tick()
            PostgresRecorder._copy(db, table, rows)
            countdown.tick()

        def save_documents(self, kind: str, documents: Any) -> None:
            countdown.tick()
            super().save_documents(kind, documents)
            countdown.tick()

    return Mortal(url)


def play(store: GameRecorder) -> None:
    store.batch_size = BATCH
    with store:
        run_tournament(ASKED, backend=InProcess(1), ledger=Ledger(store, ASKED, "cup"))


def play_in(make_store: Callable[[], GameRecorder]) -> None:
    play(make_store())


def in_child(work: Callable[[], None]) -> bool:
    """Do something in a forked process; whether it came to the end, rather than being killed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.waitstatus_to_exitcode(status) == 0
    return True


def content(store: GameRecorder) -> dict[str, Any]:
    """Everything in the store except times."""
    with store:
        games = {
            game.game_id: [(e.version, e.round_index, e.turn_index, e.payload, e.player_type) for e in events]
            for game in store.games()
            if (events := store.events(game.game_id))
        }
        entry = msgspec.json.decode(store.documents(TOURNAMENTS)["cup"])
        return {
            "games": games,
            "winners": {game.game_id: game.winner for game in store.games()},
            "blocks": store.documents(BLOCKS),
            "entry": entry | {"created_utc": None},
        }


KINDS: dict[str, tuple[Callable[[str, Countdown], GameRecorder], Callable[[str], GameRecorder]]] = {
    "sqlite": (mortal_sqlite, SQLiteRecorder),
    "jsonl": (mortal_lines, JSONLinesRecorder),
    "postgres": (mortal_postgres, PostgresRecorder),
}


@pytest.fixture(autouse=True)
def _write_every_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "WRITE_EVERY", 0.0)


@pytest.fixture
def addresses(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Iterator[str]]:
    """Addresses of new, empty stores of a kind."""

    def generate(kind: str) -> Iterator[str]:
        if kind != "postgres":
            yield from (str(tmp_path / f"{number}.{kind}") for number in range(10**6))
        import psycopg

        url = request.getfixturevalue("postgres_url")
        for number in range(10**6):
            name = f"kill_{number}"
            with psycopg.connect(url, autocommit=True) as db:
                db.execute(f"CREATE SCHEMA {name}".encode())
            yield f"{url}&options=-csearch_path%3D{name}"

    return generate


def kill_everywhere(kind: str, addresses: Iterator[str], step: int) -> int:
    """Kill a tournament at every `step`-th point, twice each, and resume it; returns the number of kills."""
    mortal, plain = KINDS[kind]
    calm = next(addresses)
    play(plain(calm))
    expected = content(plain(calm))
    kills, point = 0, 1
    while True:
        store = next(addresses)
        for after in (point, point // 2 + 1):  # the second time, while it is being resumed
            if in_child(partial(play_in, partial(mortal, store, Countdown(after)))):
                break
            kills += 1
        else:
            after = 0
        assert in_child(partial(play_in, partial(plain, store)))
        assert content(plain(store)) == expected, f"killed at point {point}"
        if after == point:
            return kills
        point += step


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.filterwarnings("ignore:.*cut short", "ignore:.*fork")
@pytest.mark.parametrize(("kind", "step"), [("sqlite", 61), ("jsonl", 13), ("postgres", 41)])
def test_a_killed_tournament_has_all_its_games(kind: str, step: int, addresses: Callable[[str], Iterator[str]]) -> None:
    assert kill_everywhere(kind, addresses(kind), step) > 5


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="forks")
@pytest.mark.filterwarnings("ignore:.*cut short", "ignore:.*fork")
@pytest.mark.parametrize(("kind", "step"), [("sqlite", 3), ("jsonl", 1), ("postgres", 1)])
def test_hundreds_of_kills(kind: str, step: int, addresses: Callable[[str], Iterator[str]]) -> None:
    kills = kill_everywhere(kind, addresses(kind), step)
    print(f"{kind}: {kills} kills")
    assert kills > 100


def test_a_game_that_went_another_way_is_stored_beside_its_beginning(tmp_path: Path) -> None:
    """A bot with a clock or dice of its own does not play the same game twice; the block counts the second one."""
    with SQLiteRecorder(tmp_path / "games.sqlite") as store:
        play_once = SQLiteRecorder(tmp_path / "whole.sqlite")
        play(play_once)
        with SQLiteRecorder(tmp_path / "whole.sqlite") as whole:
            game = whole.events(whole.games()[0].game_id)
        at = next(n for n, event in enumerate(game) if isinstance(event.payload, BidPlaced))
        other = msgspec.structs.replace(game[at], player_type="Other")
        for event in [*game[:at], other]:
            store.record(event)
        ledger = Ledger(store, ASKED, "cup")
        ledger._records = [game]
        ledger.write()
        assert len(store.events(game[0].game_id)) == at + 1
        again = store.events(f"{game[0].game_id}-again")
        assert [event.payload for event in again] == [event.payload for event in game]


@pytest.mark.parametrize("kind", ["sqlite", "jsonl"])
def test_the_second_program_that_resumes_a_tournament_is_told_so(tmp_path: Path, kind: str) -> None:
    db = str(tmp_path / f"games.{kind}")
    plain = KINDS[kind][1]
    with plain(db) as store:
        Ledger(store, ASKED, "cup").begin((), 20)
        command = [sys.executable, "-m", "liars_dice", "tournament", "--resume", "last", "--db", db]
        second = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr == "Error: tournament cup is being played by another program; wait for it\n"
    assert in_child(partial(play_in, partial(plain, db)))
    assert list(tmp_path.glob("*.tournament-*")) == []
