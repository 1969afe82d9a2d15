"""Files that commands write and stores that can only be read."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command_line import call
from liars_dice.persistence import open_store
from liars_dice.persistence.conformance import sample_game
from patience import PATIENCE
from storekit import fill


@pytest.fixture
def db(tmp_path: Path) -> str:
    path = tmp_path / "games.sqlite"
    with open_store(path) as store:
        fill(store, sample_game("one", "heads-up"))
    return str(path)


WRITERS: dict[str, tuple[str, Callable[[str, str], list[str]]]] = {
    "export jsonl": (".jsonl", lambda out, db: ["export", "--db", db, "--out", out]),
    "export csv": (".csv", lambda out, db: ["export", "--db", db, "--out", out]),
    "review": (".png", lambda out, db: ["review", "one", "--db", db, "--png", out]),
    "explain": (".png", lambda out, db: ["explain", "--dice", "1", "1", "--hand", "3", "--png", out]),
    "train model": (".npz", lambda out, db: ["train", "q", "--dice", "1", "--games", "10", "--out", out]),
    "train curve": (".csv", lambda out, db: ["train", "q", "--dice", "1", "--games", "10", "--curve", out]),
    "solve": (".npz", lambda out, db: ["solve", "1", "1", "--faces", "2", "--save", out]),
    "rules": (".toml", lambda out, db: ["rules", "perudo", "--out", out]),
}


def in_the_way(folder: Path, ending: str) -> Iterator[tuple[Path, str]]:
    """Things that are not plain files."""
    directory = folder / f"folder{ending}"
    directory.mkdir()
    yield directory, "a folder"
    pipe = folder / f"pipe{ending}"
    os.mkfifo(pipe)
    yield pipe, "a pipe"
    listening = socket.socket(socket.AF_UNIX)
    here = os.open(".", os.O_RDONLY)
    os.chdir(folder)  # the path of a socket must be short
    listening.bind(f"s{ending}")
    os.fchdir(here)
    os.close(here)
    yield folder / f"s{ending}", "a pipe or socket"
    listening.close()
    for name, target, kind in (
        ("device", "/dev/null", "a device"),
        ("to-folder", str(directory), "a folder"),
        ("nothing", str(folder / "missing"), "a link to nothing"),
        ("circle", str(folder / f"circle{ending}"), ""),
    ):
        link = folder / f"{name}{ending}"
        link.symlink_to(target)
        yield link, kind


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links")
@pytest.mark.parametrize("writer", WRITERS)
def test_only_plain_files_are_written(writer: str, db: str, tmp_path: Path) -> None:
    ending, words = WRITERS[writer]
    for path, kind in in_the_way(tmp_path, ending):
        before = path.lstat()
        result = call(*words(str(path), db))
        assert isinstance(result.exception, SystemExit), (path, repr(result.exception))
        assert result.exit_code in (1, 2), (path, result.output)
        line = result.stderr.strip().splitlines()[-1]
        assert "expected" in line, line
        assert kind in line, line
        after = path.lstat()  # reading a link changes the time of its last use
        assert (after.st_ino, after.st_mode, after.st_size, after.st_mtime_ns) == (
            before.st_ino,
            before.st_mode,
            before.st_size,
            before.st_mtime_ns,
        )
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_file_is_replaced_whole_and_a_link_to_it_stays(db: str, tmp_path: Path) -> None:
    real = tmp_path / "real.csv"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    assert call("export", "--db", db, "--out", str(link)).exit_code == 0
    assert link.is_symlink()
    assert real.read_text().startswith("game_id,")
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert {path.name for path in tmp_path.iterdir()} == {"games.sqlite", "real.csv", "link.csv"}


def test_a_failed_export_leaves_the_old_file(db: str, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    with open_store(db) as store:
        store._db.execute("UPDATE blocks SET data = x'00'")  # type: ignore[attr-defined]
    assert call("export", "one", "--db", db, "--out", str(out)).exit_code == 1
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.sqlite", "out.csv"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "-1"])
def test_numbers_that_are_none(number: str) -> None:
    for words in (
        ("watch", "--delay", number),
        ("watch", "--time-limit", number),
        ("train", "q", "--alpha", number),
        ("train", "q", "--gamma", number),
        ("solve", "1", "1", "--target", number),
        ("solve", "1", "1", "--memory", number),
        ("matchup", f"threshold:{number},0.1", "optimal"),
    ):
        result = call(*words)
        assert isinstance(result.exception, SystemExit), (words, repr(result.exception))
        assert result.exit_code in (1, 2), (words, result.output)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", "dice = [nan, 2]"),
        ("a.toml", "seed = inf"),
        ("a.toml", "faces = 99999999999999999999999999"),
        ("a.toml", f"dice = [{'9' * 5000}]"),
        ("a.json", '{"dice": [1e999, 2]}'),
        ("a.json", '{"dice": [NaN, 2]}'),
        ("a.json", "[" * 100_000),
        ("a.toml", "a = " + "[" * 100_000),
        ("a.toml", "#" * (1 << 21)),
        ("a.toml", 'mode = "\x7f\\u001b[2J"'),
    ],
)
def test_files_of_rules_are_bounded(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    result = call("rules", str(tmp_path / name))
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (1, 2)
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 2000


READING = """
import os, sys
from click.testing import CliRunner
from liars_dice.cli import main
from liars_dice.persistence import StoreError, open_store

def read(path):
    for words in (["games"], ["replay", "one"], ["review", "one"], ["export", "one"], ["games", "stats"]):
        result = CliRunner().invoke(main, [*words, "--db", path], catch_exceptions=False)
        assert result.exit_code == 0, result.output

protected, copy = sys.argv[1:]
read(copy)  # loads all that the other user may not be allowed to load
if os.geteuid() == 0:
    os.setgroups([])
    os.setegid(65534)
    os.seteuid(65534)
read(protected)
with open_store(protected) as store:
    assert store.documents("room") == {"a": "b"}
    try:
        store.save_documents("room", {"a": "c"})
    except StoreError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="users")
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("jsonl", marks=pytest.mark.slow)])
def test_a_store_that_can_only_be_read(kind: str) -> None:
    """Neither the file nor its folder can be written; root is not refused anything, so another user reads."""
    with tempfile.TemporaryDirectory() as own:  # no folder above it is closed to other users
        place = Path(own)
        place.chmod(0o755)
        folder = place / "shelf"
        folder.mkdir()
        path = folder / f"games.{kind}"
        with open_store(path) as store:
            fill(store, sample_game("one", "heads-up"))
            store.save_documents("room", {"a": "b"})
        copy = shutil.copytree(folder, place / "copy") / path.name
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        command = [sys.executable, "-c", READING, str(path), str(copy)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        folder.chmod(0o755)
        assert done.returncode == 0, done.stderr
        assert "read-only" in done.stdout or "cannot be written" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("train", "q", "--dice", "1", "--games", "10"),
        ("train", "clone", "--player", "random"),
        ("solve", "--dice", "1", "1"),
    ],
    ids=" ".join,
)
def test_a_model_never_replaces_a_file_of_another_kind(words: tuple[str, ...], tmp_path: Path) -> None:
    """`train q --out mybot.py` is a slip of the hand, and the bot would be lost."""
    bot = tmp_path / "mybot.py"
    bot.write_text("# a week of work\n")
    result = call(*words, "--out", str(bot))
    assert result.exit_code == 1
    assert "expected a new file, or an older one of the same kind" in result.stderr
    assert bot.read_text() == "# a week of work\n"


@pytest.mark.parametrize(
    "words", [("train", "q", "--dice", "1", "--games", "10"), ("solve", "--dice", "1", "1", "--target", "0.1")]
)
def test_what_is_made_again_replaces_an_older_one_and_an_empty_file(tmp_path: Path, words: tuple[str, ...]) -> None:
    made = tmp_path / "made"
    made.touch()
    for _ in range(2):
        assert call(*words, "--out", str(made)).exit_code == 0
