"""One writer per name, and a writer that was replaced without its knowledge stores nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liars_dice.persistence import ClaimLostError, ClaimTakenError, GameRecorder, StoreError, final_state, open_store
from patience import PATIENCE
from pg_server import PostgresServer, why_not
from storekit import GAME, fill


@pytest.fixture(params=["sqlite", "jsonl", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return str(tmp_path / f"games.{request.param}")


def test_a_name_has_one_writer(address: str) -> None:
    with open_store(address) as first, open_store(address) as second:
        first.claim("studio")
        first.claim("studio")
        first.claim("tournament-one/../two")
        for name in ("studio", "tournament-one/../two"):
            with pytest.raises(ClaimTakenError, match=name):
                second.claim(name)
        second.claim("tournament-three")
        fill(second, GAME[:5])  # others write freely under other names
        fill(first, GAME[5:10])
    with open_store(address) as third:
        third.claim("studio")
        fill(third, GAME[10:20])
        assert third.events("one") == GAME[:20]


def test_a_claim_ends_with_its_process(address: str) -> None:
    script = (
        "import sys; from liars_dice.persistence import open_store; store = open_store(sys.argv[1]); "
        "store.claim('studio'); print('claimed', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"claimed\n"
        with open_store(address) as store, pytest.raises(ClaimTakenError):
            store.claim("studio")
        holder.kill()
        holder.wait(PATIENCE)
    with open_store(address) as store:
        for _ in range(int(PATIENCE * 100)):  # a database needs a moment to notice
            try:
                store.claim("studio")
                break
            except ClaimTakenError:
                assert address.startswith("postgresql")
        fill(store, GAME)


def lose_every_way_of_writing(store: GameRecorder) -> None:
    """Nothing that writes gets through, however often it is tried."""
    for _ in range(2):
        with pytest.raises(ClaimLostError, match="another program has taken over"):
            fill(store, GAME[10:20])
        store.discard()
        with pytest.raises(ClaimLostError):
            store.save_documents("room", {"a": "old"})
        with pytest.raises(ClaimLostError):
            store.save_snapshot("one", 10, final_state(GAME[:10]))
        with pytest.raises(ClaimLostError):
            store.check_claims()
        with pytest.raises(ClaimLostError):
            store.claim("something else")


@pytest.mark.parametrize("kind", ["sqlite", "jsonl"])
def test_a_removed_lock_file_does_not_make_two_writers(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"games.{kind}"
    with open_store(path) as first, open_store(path) as second:
        first.claim("studio")
        fill(first, GAME[:10])
        (tmp_path / f"games.{kind}.studio").unlink()
        first.check_claims()
        second.claim("studio")
        second.save_documents("room", {"a": "new"})
        lose_every_way_of_writing(first)
        fill(second, GAME[10:])
        assert second.events("one") == GAME
        assert second.documents("room") == {"a": "new"}


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """A server that the test may restart."""
    if reason := why_not():
        pytest.skip(reason)
    server = PostgresServer("fsync=off")
    yield server
    server.stop()


def patiently(store: GameRecorder) -> None:
    """The first call after a restart finds the connection broken; the next one opens another."""
    with pytest.raises(StoreError, match="PostgreSQL"):
        store.check_claims()
    store.check_claims()


def test_a_restarted_database_fences_off_the_writer_that_lost_its_lock(own_server: PostgresServer) -> None:
    url = own_server.url()
    with open_store(url) as first, open_store(url) as second:
        first.claim("studio")
        fill(first, GAME[:10])

        own_server.restart()
        patiently(first)  # no one else came: it has its lock again and goes on
        with pytest.raises(StoreError, match="PostgreSQL"):
            second.claim("studio")
        with pytest.raises(ClaimTakenError):
            second.claim("studio")
        first.save_documents("room", {"a": "first"})

        own_server.restart()
        with pytest.raises(StoreError, match="PostgreSQL"):
            second.claim("studio")
        second.claim("studio")  # before the first has noticed anything
        second.save_documents("room", {"a": "new"})
        with pytest.raises(StoreError, match="PostgreSQL"):
            fill(first, GAME[10:20])
        first.discard()
        lose_every_way_of_writing(first)
        fill(second, GAME[10:])

    with open_store(url) as third:
        assert third.events("one") == GAME
        assert third.documents("room") == {"a": "new"}


def test_a_connection_that_the_server_still_holds_is_waited_for(postgres_url: str) -> None:
    """A broken network: the server does not know yet, and its old connection still has the lock."""
    with open_store(postgres_url) as store:
        store.claim("studio")
        old, store._db = store._db, None  # type: ignore[attr-defined]
        with pytest.raises(StoreError, match="another connection holds studio; try again"):
            store.check_claims()
        old.close()
        for _ in range(int(PATIENCE * 100)):
            try:
                store.check_claims()
                break
            except ClaimLostError:
                raise
            except StoreError:
                continue
        fill(store, GAME)
