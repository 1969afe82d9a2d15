"""Bits flip in every kind of store: no traceback, one line about it, and everything that is not damaged goes on."""

from __future__ import annotations

import random
import shutil
import sqlite3
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from command_line import call
from liars_dice.core import GameConfig, LiarsDiceError, preset
from liars_dice.persistence import (
    CorruptEventError,
    GameRecorder,
    InMemoryRecorder,
    codec,
    final_state,
    latest_unfinished_game,
    open_store,
    state_at,
    utc_now,
    verify_game,
    without_abandoned,
)
from liars_dice.persistence.conformance import sample_game
from liars_dice.tournament import InProcess, Ledger, TournamentSettings, find_tournament, run_tournament, tournaments
from liars_dice.tournament.ledger import BLOCKS, DAMAGED, TOURNAMENTS
from liars_dice.web.room_document import RoomDoc, SeatDoc
from liars_dice.web.rooms import _all_rooms
from storekit import GAME, fill

GAMES = ("one", "two", "three", "four")
ROOMS = ("aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc")
CUP = TournamentSettings(
    kind="round-robin",
    agents=("optimal", "random"),
    rules="duel",
    config=preset("duel").to_dict(),
    seed=1,
    games=200,
    time_limit_seconds=60.0,
    record="none",
)


class _OneBlock(InProcess):
    """Ctrl-C after the first block."""

    def run(self, setup: Any, blocks: Any, on_played: Any) -> None:
        super().run(setup, blocks[:1], on_played)
        raise KeyboardInterrupt


def build(store: GameRecorder) -> None:
    """Fill a store with games, a snapshot, rooms and tournaments."""
    with store:
        for seed, name in enumerate(GAMES):
            fill(store, sample_game(name, "perudo" if seed % 2 else "heads-up", seed))
        fill(store, sample_game("open", "duel", 7)[:-3])
        events = store.events("one")
        store.save_snapshot("one", 12, final_state(events[:12]))
        for name in ROOMS:
            seats = [SeatDoc("person", "Ann", token="0" * 64), SeatDoc("open", "")]
            doc = RoomDoc(name, utc_now(), GameConfig(), seats)
            store.save_documents("room", {name: msgspec.json.encode(doc).decode()})
        for name in ("cup", "plate"):
            asked = msgspec.structs.replace(CUP, agents=("optimal", "detective"), games=80)
            run_tournament(asked, backend=_OneBlock(1), ledger=Ledger(store, asked, name))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an intact store of each kind."""
    folder = tmp_path_factory.mktemp("whole")
    for name in ("games.sqlite", "games.jsonl"):
        build(open_store(folder / name))
    return folder


def survey(store: GameRecorder) -> Counter[str]:
    """Read everything in all the ways that programs do; what can be read is counted."""
    found: Counter[str] = Counter()
    games = store.games()
    found["games"] = len(without_abandoned(store, games))
    found["events"] = len(store.events())
    latest_unfinished_game(store)
    for game in games:
        store.intact_events(game.game_id)
        try:
            state_at(store, game.game_id, 13)
            verify_game(store.events(game.game_id))
            found["verified"] += 1
        except LiarsDiceError:
            found["refused"] += 1
    found["rooms"] = len(_all_rooms(store))
    for entry in tournaments(store):
        found["tournaments"] += 1
        found["blocks"] += len(store.documents(BLOCKS, f"{entry.id}/"))
    return found


def look(db: str) -> Counter[str] | None:
    """What can still be read; None if the store is refused as a whole, in one line."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            with open_store(db) as store:
                return survey(store)
        except LiarsDiceError as error:
            refusal = str(error)
    assert "\n" not in refusal
    assert all("\n" not in str(one.message) for one in said)
    return None


def ask_commands(db: str, out: Path) -> None:
    """Every command that reads a store ends well or with one line."""
    for words in (
        ("games",),
        ("games", "stats"),
        ("games", "--json"),
        ("replay", "one"),
        ("replay", "last", "--verify"),
        ("export", "--out", str(out / "all.csv")),
        ("play", "--resume", "last"),
    ):
        result = call(*words, "--db", db, stdin="")
        crash = result.exception
        assert crash is None or isinstance(crash, SystemExit), (words, repr(crash))
        assert all(line.startswith(("Error: ", "Warning: ")) for line in result.stderr.splitlines()), result.stderr


def flipped(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def fuzz_files(whole: Path, folder: Path, kind: str, flips: int, seed: int) -> Counter[str]:
    """Flip bits of a store's files; returns how often what was still readable."""
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    files = sorted(path for path in whole.iterdir() if path.name.startswith("games.") and kind in path.name)
    expected = look(str(whole / f"games.{kind}"))
    assert expected is not None
    for number in range(flips):
        for path in whole.iterdir():
            if path.is_file() and kind in path.name:
                shutil.copyfile(path, folder / path.name)
        for stale in folder.glob(f"games.{kind}-*"):
            stale.unlink()
        target = folder / rng.choices(files, [path.stat().st_size for path in files])[0].name
        target.write_bytes(flipped(target.read_bytes(), rng))
        db = str(folder / f"games.{kind}")
        found = look(db)
        if number % 10 == 0:
            ask_commands(db, folder)
        outcomes["refused" if found is None else "whole" if found == expected else "in part"] += 1
        if kind == "jsonl" and found is not None:
            for what, most_lost in (("games", 8), ("rooms", 8), ("tournaments", 2), ("verified", 8)):
                assert found[what] >= max(0, expected[what] - most_lost), (what, found)
    return outcomes


@pytest.mark.parametrize(("kind", "flips"), [("sqlite", 150), ("jsonl", 150)])
def test_flipped_bits(whole: Path, tmp_path: Path, kind: str, flips: int) -> None:
    outcomes = fuzz_files(whole, tmp_path, kind, flips, seed=1)
    assert outcomes["in part"] + outcomes["whole"] > flips * 0.8, outcomes


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "flips"), [("sqlite", 3000), ("jsonl", 3000)])
def test_thousands_of_flipped_bits(whole: Path, tmp_path: Path, kind: str, flips: int) -> None:
    outcomes = fuzz_files(whole, tmp_path, kind, flips, seed=2)
    print(f"{kind}: {flips} flips: {dict(outcomes)}")
    assert outcomes["in part"] + outcomes["whole"] > flips * 0.8, outcomes


def fuzz_rows(store: GameRecorder, rows: Iterator[tuple[str, str, bytes]], flips: int) -> None:
    """Flip bits in documents and blocks one at a time; everything else stays readable."""
    expected = survey(store)
    for _ in range(flips):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            what = next(rows)
            found = survey(store)
            assert sum((expected - found).values()) <= 3 + expected["events"], what
            for count in ("games", "rooms", "tournaments", "verified"):
                assert found[count] >= expected[count] - 1, (count, what)


@pytest.mark.parametrize("flips", [100, pytest.param(2000, marks=pytest.mark.slow)])
def test_flipped_bits_in_postgresql(postgres_url: str, flips: int) -> None:
    """The server guards its own pages; what can be wrong is what they hold."""
    import psycopg

    build(open_store(postgres_url))
    rng = random.Random(3)

    def damage() -> Iterator[tuple[str, str, bytes]]:
        with psycopg.connect(postgres_url, autocommit=True) as db:
            documents = db.execute("SELECT kind, name, document FROM documents ORDER BY 1, 2").fetchall()
            blocks = db.execute("SELECT game_id, first_version, data FROM blocks ORDER BY 1, 2").fetchall()
            while True:
                if rng.random() < 0.5:
                    kind, name, text = rng.choice(documents)
                    bad = flipped(text.encode(), rng).decode("utf-8", "replace").replace("\0", " ")
                    query = "UPDATE documents SET document = %s WHERE kind = %s AND name = %s"
                    db.execute(query, (bad, kind, name))
                    yield kind, name, bad.encode()
                    db.execute(query, (text, kind, name))
                else:
                    game, first, data = rng.choice(blocks)
                    query = "UPDATE blocks SET data = %s WHERE game_id = %s AND first_version = %s"
                    worse = flipped(data, rng)
                    db.execute(query, (worse, game, first))
                    yield game, str(first), worse
                    db.execute(query, (data, game, first))

    with open_store(postgres_url) as store:
        fuzz_rows(store, damage(), flips)


def test_a_damaged_block_is_played_again_and_kept(tmp_path: Path) -> None:
    calm = InMemoryRecorder()
    asked = msgspec.structs.replace(CUP, agents=("optimal", "detective"), games=80)
    undisturbed = run_tournament(asked, backend=InProcess(1), ledger=Ledger(calm, asked, "cup"))
    with open_store(tmp_path / "games.sqlite") as store:
        run_tournament(asked, backend=_OneBlock(1), ledger=Ledger(store, asked, "cup"))
        ((name, text),) = store.documents(BLOCKS).items()
        bad = text.replace('"number":0', '"number":1')
        store.save_documents(BLOCKS, {name: bad})
        with pytest.warns(UserWarning, match=f"block {name}: .* it is played again"):
            assert run_tournament(asked, backend=InProcess(1), ledger=Ledger(store, asked, "cup")) == undisturbed
        assert store.documents(BLOCKS) == calm.documents(BLOCKS)
        assert store.documents(DAMAGED) == {f"{BLOCKS}/{name}": bad}


@pytest.mark.parametrize("damage", ["not json", '{"id": 3}', '{"schema": 99}', "newer"])
def test_a_damaged_tournament_concerns_itself_alone(tmp_path: Path, damage: str) -> None:
    build(open_store(tmp_path / "games.sqlite"))
    with open_store(tmp_path / "games.sqlite") as store:
        text = store.documents(TOURNAMENTS)["plate"]
        bad = text.replace('"schema":1', '"schema":2') if damage == "newer" else damage
        store.save_documents(TOURNAMENTS, {"plate": bad})
        with pytest.warns(UserWarning, match=r"tournament plate: .*; it is left out"):
            assert find_tournament(store, "last").id == "cup"
        with pytest.raises(LiarsDiceError, match="tournament plate: "):
            Ledger(store, CUP, "plate")
        assert store.documents(TOURNAMENTS)["plate"] == bad
    result = call("tournament", "--resume", "cup", "--db", str(tmp_path / "games.sqlite"), "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Warning: tournament plate: ")


def test_a_decompression_bomb_is_not_inflated() -> None:
    bomb = zlib.compress(b"\0" * (codec.LARGEST_BLOCK + 1))
    assert len(bomb) < 100_000
    with pytest.raises(CorruptEventError, match="more than it can hold"):
        codec.decode_block("one", bomb)
    with pytest.raises(CorruptEventError, match="more than it can hold"):
        codec.kinds_in_block("one", bomb)
    assert codec.decode_state(bomb) is None


def test_every_value_of_a_row_may_be_wrong(tmp_path: Path) -> None:
    """SQLite stores anything in any column; the other games are listed."""
    path = tmp_path / "games.sqlite"
    with open_store(path) as store:
        fill(store, GAME)
        fill(store, sample_game("two", seed=2))
    columns = ("created_utc", "rules", "names", "player_types", "events", "rounds", "winner")
    wrong = ("NULL", "-5", "'x'", "x'ff00'", "99999999999", "'[1]'", "'[\"a\"]'", "'9999-12-31T23:59:59-12:00'", "1.5")
    for column in columns:
        for value in wrong:
            shutil.copyfile(path, tmp_path / "bad.sqlite")
            with closing(sqlite3.connect(tmp_path / "bad.sqlite", isolation_level=None)) as db:
                db.execute("PRAGMA ignore_check_constraints = 1")
                try:
                    db.execute(f"UPDATE games SET {column} = {value} WHERE game_id = 'one'")
                except sqlite3.IntegrityError:
                    continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with open_store(tmp_path / "bad.sqlite") as store:
                    assert "two" in [game.game_id for game in store.games()], (column, value)
                    store.intact_events("one")
                    assert store.events("two") == sample_game("two", seed=2)
            assert call("games", "stats", "--db", str(tmp_path / "bad.sqlite")).exit_code == 0


def test_an_import_takes_what_is_whole(tmp_path: Path) -> None:
    """A damaged game, one against the rules and one from a later version are named; the others arrive."""
    file = tmp_path / "games.jsonl"
    lines = {name: [codec.encode_line(event) for event in sample_game(name, seed=n)] for n, name in enumerate(GAMES)}
    lines["one"][3] = b'{"game_id":"one", "oh'
    lines["two"] = [line for line in lines["two"] if b'"RoundEnded"' not in line]
    lines["three"][2] = lines["three"][2].replace(b'"schema":1', b'"schema":2')
    file.write_bytes(b"\n".join(line for game in lines.values() for line in game) + b"\n")
    db = str(tmp_path / "games.sqlite")
    result = call("import", str(file), "--db", db)
    assert result.exit_code == 1
    assert "1 game imported, 0 already" in result.stdout
    assert all(line.startswith("Not imported: ") for line in result.stderr.splitlines())
    for name in ("line 4: not JSON", "game one, event", "game two, event", "schema 2 is unknown"):
        assert name in result.stderr, result.stderr
    with open_store(db) as store:
        assert [game.game_id for game in store.games()] == ["four"]


@pytest.mark.parametrize(
    "change",
    [
        (b'"timestamp_utc":"', b'"timestamp_utc":"0001-01-01T00:00:00+23:59","x":"'),
        (b'"timestamp_utc":"', b'"timestamp_utc":"9999-12-31T23:59:59-23:59","x":"'),
        (b'"timestamp_utc":"', b'"timestamp_utc":"2026-01-01T00:00:00","x":"'),
        (b'"names":["', b'"names":["' + b"x" * 5000),
        (b'"names":["', b'"names":["a","b","c","'),
        (b'"dice":[', b'"dice":[NaN,'),
        (b'"dice":[', b'"dice":[1e999,'),
        (b'"faces":', b'"faces":99999999999999999999999'),
        (b'"game_id":"one"', b'"game_id":"one\\u001b[2J"'),
        (b'{"game_id"', b'{"x":"' + b"y" * (1 << 24) + b'","game_id"'),
    ],
    ids=lambda change: change[1][:40].decode(),
)
def test_what_is_imported_is_bounded(tmp_path: Path, change: tuple[bytes, bytes]) -> None:
    """Times, numbers, names and lines that no program of ours writes are refused in one line each."""
    file = tmp_path / "games.jsonl"
    first, *rest = (codec.encode_line(event) for event in sample_game("one"))
    if len(change[1]) < 1 << 20:  # one huge line is enough
        rest = [line.replace(*change) for line in rest]
    other = [codec.encode_line(event) for event in sample_game("two")]
    file.write_bytes(b"\n".join([first.replace(*change), *rest, *other]) + b"\n")
    for db in ("games.sqlite", "other.jsonl"):
        result = call("import", str(file), "--db", str(tmp_path / db))
        assert isinstance(result.exception, SystemExit), repr(result.exception)
        assert result.exit_code == 1
        assert "\x1b" not in result.output
        assert all(line.startswith(("Not imported: ", "Error: ")) for line in result.stderr.splitlines())
        assert result.stderr.count("\n") <= 11
        assert max(map(len, result.stderr.splitlines())) < 2000
