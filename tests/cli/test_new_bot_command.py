"""`new-bot`: what it writes works as it is, and nothing that exists is changed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import call, told


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)


def test_a_new_bot_passes_its_own_tests() -> None:
    assert told("new-bot", "sly-fox") == {
        "name": "SlyFox",
        "bot": "sly_fox.py",
        "files": ["sly_fox.py", "test_sly_fox.py"],
    }
    assert "mybot" not in Path("sly_fox.py").read_text().lower()
    tested = subprocess.run([sys.executable, "test_sly_fox.py"], capture_output=True, text=True, check=False)
    assert tested.stdout.count(": passed\n") == 3, tested.stderr
    game = told("watch", "sly_fox.py", "optimal", "--seed", "1")
    assert game["agents"] == ["SlyFox", "optimal"]
    assert game["faults"] == []


@pytest.mark.parametrize("protocol", ["js", "python"])
def test_a_new_program_plays(protocol: str) -> None:
    new = told("new-bot", "fox", "--protocol", protocol)
    program = "node" if protocol == "js" else "python3"
    (file,) = new["files"]
    assert new["bot"] == f"cmd:{program} {file}"
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    # in a box the file is read by a user who may not enter the folder of the tests
    said = subprocess.run([program, file], input="", capture_output=True, text=True, check=True).stdout
    assert said.replace(" ", "") == '{"type":"ready","name":"Fox"}\n'


def test_what_is_printed_can_be_typed() -> None:
    shown = call("new-bot", "fox").output
    assert "Fox is in fox.py, its tests are in test_fox.py." in shown
    assert "liars-dice check-bot fox.py" in shown
    assert "python test_fox.py" in shown


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("random", "random is a Python module"),
        ("numpy", "numpy is a Python module"),
        ("class", "class is a word of Python's own"),
        ("none", "None is a word of Python's own"),
        ("3 x", "a name of letters, digits and hyphens"),
        ("../fox", "a name of letters, digits and hyphens"),
        ("wolf", "test_wolf.py is there already"),
    ],
)
def test_names_that_cannot_be_used(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "test_wolf.py").write_text("mine")
    refused = call("new-bot", name)
    assert refused.exit_code == 1
    assert message in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["test_wolf.py"]
    assert (tmp_path / "test_wolf.py").read_text() == "mine"
