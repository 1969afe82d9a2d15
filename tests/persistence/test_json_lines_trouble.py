"""Damaged lines, foreign files and full disks: one clear error each, and what was there stays."""

from __future__ import annotations

import errno
import os
import resource
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from liars_dice.persistence import (
    CorruptEventError,
    JSONLinesRecorder,
    ReplayError,
    StoreError,
    UnknownSchemaError,
    final_state,
    jsonlines,
    read_lines,
    state_at,
)
from liars_dice.persistence.conformance import sample_game
from storekit import GAME, failed, fill


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    with JSONLinesRecorder(path) as store:
        fill(store, GAME[:10])
    return path


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_a_truncated_last_line_is_the_only_loss(lines: Path, cut: int) -> None:
    """With a warning that names the line; and writing goes on behind it."""
    lines.write_bytes(lines.read_bytes()[: -cut - 1])
    with pytest.warns(UserWarning, match=r"games.jsonl, line 10: this line was cut short and is ignored"):
        assert list(read_lines(lines)) == GAME[:9]
    with pytest.warns(UserWarning, match="line 10: this line was cut short"):
        store = JSONLinesRecorder(lines)
    with store:
        assert store.events("one") == GAME[:9]
        fill(store, GAME[9:])
    with JSONLinesRecorder(lines) as store:
        assert store.events("one") == GAME


def test_a_last_line_without_its_newline_is_whole(lines: Path) -> None:
    lines.write_bytes(lines.read_bytes()[:-1])
    assert list(read_lines(lines)) == GAME[:10]
    with JSONLinesRecorder(lines) as store:
        fill(store, GAME[10:])
    assert list(read_lines(lines)) == GAME


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda line: line[:50], CorruptEventError, "line 3: not JSON"),
        (lambda line: b"[1, 2]", CorruptEventError, "line 3: not an event of Liar's Dice"),
        (lambda line: b'{"schema": 99, "event_type": "x"}', UnknownSchemaError, "line 3: schema 99 is unknown"),
        (lambda line: line.replace(b'"dice":[', b'"dice":["x",'), CorruptEventError, "line 3: not an event"),
        (lambda line: line.replace(b'"DiceRolled","pay', b'"BidPlaced","pay'), CorruptEventError, "the payload is a"),
        (lambda line: line.replace(b'"version":2', b'"version":7'), CorruptEventError, "expected an event with"),
        (lambda line: b"\xff\xfe\x00", CorruptEventError, "line 3: not JSON"),
    ],
)  # fmt: skip
def test_a_damaged_line_concerns_its_game_alone(
    lines: Path, change: Callable[[bytes], bytes], error: type[StoreError], message: str
) -> None:
    content = lines.read_bytes().split(b"\n")
    content[2] = change(content[2])
    lines.write_bytes(b"\n".join(content))
    before = lines.read_bytes()
    other = sample_game("other", seed=2)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        store = JSONLinesRecorder(lines)
    assert message in str(said[0].message)
    with store:
        with pytest.raises(error if b'"game_id"' in content[2] else CorruptEventError, match=r"line [34]: "):
            store.events("one")
        with pytest.raises(StoreError, match=r"line [34]: "):
            fill(store, GAME[10:20])
        store.discard()
        with pytest.raises(StoreError, match=r"line [34]: "):
            store.find("on")
        fill(store, other)  # everything else goes on
        assert store.events("other") == other
        assert [game.game_id for game in store.games()] == ["other"]
        assert store.events() == other
    assert lines.read_bytes().startswith(before)  # it stays where it is


def test_snapshots_live_beside_the_games(tmp_path: Path) -> None:
    """Files without snapshots load; a damaged or missing snapshot costs only time."""
    path, beside = tmp_path / "games.jsonl", tmp_path / "games.snapshots.jsonl"
    with JSONLinesRecorder(path) as store:
        fill(store, GAME)
        assert store.load_snapshot("one", 20) is None
        assert not beside.exists()
        store.save_snapshot("one", 12, final_state(GAME[:12]))
        store.save_snapshot("one", 20, final_state(GAME[:20]))
    whole = beside.read_bytes()
    second = whole.index(b"\n") + 1
    for damaged, found in (
        (whole[:-1], 12),  # a crash cut the last line short
        (whole[:-30], 12),
        (whole[: second + 1], 12),
        (b"nonsense\n" + whole, 20),
        (b"\xff\n" + whole, 20),
        (whole.replace(b'"one",20', b'"one",-1'), 12),
        (b"", None),
    ):
        beside.write_bytes(damaged)
        with JSONLinesRecorder(path) as store:
            at = store.load_snapshot("one", 20)
            assert at == (None if found is None else (found, final_state(GAME[:found])))
            assert state_at(store, "one", 20) == final_state(GAME[:20])
            store.save_snapshot("one", 15, final_state(GAME[:15]))
            store.save_snapshot("one", 19, final_state(GAME[:19]))
            assert store.load_snapshot("one", 18) == (15, final_state(GAME[:15]))
            assert store.load_snapshot("one", 19) == (19, final_state(GAME[:19]))


def test_a_snapshot_of_lost_events_is_not_used(tmp_path: Path) -> None:
    """After a power failure the events may be gone and the snapshot still there; then the game goes another way."""
    path = tmp_path / "games.jsonl"
    other = sample_game("one", seed=5)
    with JSONLinesRecorder(path) as store:
        fill(store, GAME)
        store.save_snapshot("one", 20, final_state(GAME[:20]))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:15]))
    with JSONLinesRecorder(path) as store:
        assert store.load_snapshot("one", 20) is None
        with pytest.raises(ReplayError, match="version = 20: expected 1 to 15"):
            state_at(store, "one", 20)
    path.unlink()
    with JSONLinesRecorder(path) as store:
        fill(store, other)
        assert state_at(store, "one", 20) == final_state(other[:20])


def test_a_snapshot_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    (tmp_path / "games.snapshots.jsonl").mkdir()
    with JSONLinesRecorder(path) as store:
        fill(store, GAME)
        with pytest.raises(StoreError, match="cannot be written"):
            store.save_snapshot("one", 20, final_state(GAME[:20]))


def test_foreign_and_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text("hello\nworld\n")
    with pytest.raises(CorruptEventError, match="line 1: not JSON"):
        JSONLinesRecorder(tmp_path / "other.jsonl")
    with pytest.raises(StoreError, match="cannot be opened"):
        JSONLinesRecorder(tmp_path)
    with pytest.raises(StoreError, match="cannot be read"):
        list(read_lines(tmp_path / "missing.jsonl"))


class FailingOS:
    """The operating system's calls, the n-th of which fails; a failing write may have written half."""

    def __init__(self, fail_at: int, code: int) -> None:
        self.calls = 0
        self.fail_at = fail_at
        self.code = code

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in ("write", "fsync", "pread", "fstat"):
            return real

        def call(*arguments: Any) -> Any:
            self.calls += 1
            if self.calls == self.fail_at:
                if name == "write":
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                raise OSError(self.code, os.strerror(self.code))
            return real(*arguments)

        return call


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_every_failing_call_leaves_all_or_nothing_in_json_lines(
    lines: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = 0
    for fail_at in range(1, 30):
        path = lines.with_name(f"{fail_at}.jsonl")
        path.write_bytes(lines.read_bytes())
        with JSONLinesRecorder(path, durable=True) as store:
            failing = FailingOS(fail_at, code)
            with monkeypatch.context() as patch:
                patch.setattr(jsonlines, "os", failing)
                failures += failed(store, GAME[10:20], os.strerror(code))
            with JSONLinesRecorder(path) as other:
                stored = other.events("one")
            assert stored in (GAME[:10], GAME[:20])
            store.discard()
        if failing.calls < fail_at:
            break
    assert failures >= 4


def test_a_file_that_really_cannot_grow(lines: Path) -> None:
    """A real limit of the system: the write that crosses it is cut short, and taken back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with JSONLinesRecorder(lines) as store:
        size = lines.stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1500, hard))
        try:
            with pytest.raises(StoreError, match=r"File too large.*; nothing was stored"):
                fill(store, GAME[10:40])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert lines.stat().st_size == size
        store.flush()
    assert list(read_lines(lines)) == GAME[:40]


def test_odd_lines_have_clear_errors(tmp_path: Path) -> None:
    created = (Path(__file__).parent.parent / "data" / "stores" / "schema-1.jsonl").read_bytes().split(b"\n")[0]
    for line in (
        b'{"event_type":"x","schema":[1]}',
        b'{"event_type":"GameCreatedEvent","game_id":"g","payload":[1]}',
        b'{"event_type":"GameCreatedEvent","game_id":"g","payload":{"config":[1]}}',
        b"[" * 200_000,
        created.replace(b'"GameCreated"', b'"GameEnded"').replace(b'"version":0', b'"version":0'),
    ):
        path = tmp_path / "odd.jsonl"
        path.write_bytes(created + b"\n" + line + b"\n")
        for _ in range(2):
            with pytest.warns(UserWarning, match=r"odd\.jsonl, line 2: "), JSONLinesRecorder(path) as store:
                store.games()
