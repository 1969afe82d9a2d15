"""`solve`: its keys, the same JSON every time, Ctrl-C, one line for mistakes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import command_line
from liars_dice.exact.solver import read_saved
from liars_dice.exact.solver.cpu_solver import CpuSolver
from patience import PATIENCE

KEYS = {
    "value", "lower", "upper", "exploitability", "iterations", "elapsed_s", "compile_s", "dice", "faces", "wild",
    "ordering", "exact_call", "nodes", "information_sets", "match", "target", "stopped", "run",
}  # fmt: skip


def call(*words: str) -> Result:
    return command_line.call("solve", *words)


def answer(*words: str) -> dict[str, Any]:
    return command_line.answer("solve", *words)


def test_it_keeps_its_contract() -> None:
    assert set(command_line.told("solve", "1", "1")) == KEYS
    found = answer("1", "1")
    assert found["lower"] <= -1 / 9 <= found["upper"]
    assert found["value"] == pytest.approx((found["lower"] + found["upper"]) / 2, abs=1e-15)
    assert found["exploitability"] == pytest.approx((found["upper"] - found["lower"]) / 2, abs=1e-15)
    assert found["exploitability"] <= found["target"] == 1e-4
    assert (found["dice"], found["faces"], found["wild"]) == ([1, 1], 6, "none")
    assert (found["ordering"], found["stopped"], found["information_sets"]) == ("quantity_then_face", "target", 24576)
    run = json.loads(call("1", "1", "--workers", "1", "--json").stdout)["run"]
    assert (run["workers"], run["device"]) == (1, "cpu")


def test_the_same_every_time() -> None:
    words = ("2", "1", "--faces", "4", "--wild", "top", "--target", "1e-3")
    assert answer(*words) == answer(*words, "--workers", "1") == answer(*words, "--workers", "2", "--memory", "1")


def test_rules_are_passed_on() -> None:
    found = answer("1", "1", "--faces", "5", "--wild", "top", "--ordering", "liars_dice_standard", "--target", "1e-5")
    assert found["value"] == pytest.approx(-1 / 25, abs=2e-5)
    assert (found["faces"], found["wild"], found["ordering"]) == (5, "top", "liars_dice_standard")


def test_rule_sets_are_solved_by_name() -> None:
    found = answer("1", "1", "--rules", "perudo", "--faces", "4", "--target", "1e-3")
    assert (found["faces"], found["wild"], found["ordering"], found["exact_call"]) == (4, "ones", "perudo", True)
    assert found["lower"] <= 0 <= found["upper"]


def test_a_whole_match() -> None:
    words = ("2", "1", "--rules", "perudo", "--faces", "3", "--match", "--target", "5e-3")
    found = answer(*words)
    assert [state["dice"] for state in found["states"]] == [[1, 1], [1, 2], [2, 1]]
    assert found["states"][-1] == {"dice": [2, 1], "lower": found["lower"], "upper": found["upper"]}
    assert 0.5 < found["lower"] < found["upper"] < found["lower"] + 2 * found["target"]
    assert "The player who opens wins" in call(*words).stdout


def test_people_read_a_table() -> None:
    result = call("1", "2", "--faces", "3", "--target", "1e-6")
    assert result.exit_code == 0
    assert result.stderr == ""
    for words in ("1 against 2 dice", "value", "bracket", "exploitability", "the opener wins       48.15%", "of 64"):
        assert words in result.stdout
    assert "exploit optimal --dice 1 2 --faces 3" in result.stdout.splitlines()[-1]


def test_save_and_resume(tmp_path: Path) -> None:
    file = str(tmp_path / "round.npz")
    stopped = call("--dice", "1", "2", "--iterations", "10", "--target", "1e-3", "--out", file)
    assert stopped.exit_code == 0
    assert "the target was not reached" in stopped.stderr
    assert f"solve --dice 1 2 --resume {file} --target 0.001" in stopped.stdout.splitlines()[-1]
    assert answer("1", "2", "--resume", file, "--target", "1e-3") == answer("1", "2", "--target", "1e-3")
    other = call("1", "1", "--resume", file)
    assert (other.exit_code, other.stdout) == (1, "")
    assert "by other rules" in other.stderr
    replaced = call("1", "1", "--out", file)
    assert replaced.exit_code == 1
    assert f"{file} holds the solution of another round" in replaced.stderr
    assert "1 against 2 dice, 6 faces, single round; name another file, or delete this one" in replaced.stderr
    Path(file).write_bytes(Path(file).read_bytes()[:500])
    damaged = call("1", "2", "--resume", file)
    assert (damaged.exit_code, damaged.stderr.count("\n")) == (1, 1)
    assert "damaged" in damaged.stderr


def test_a_resumed_solution_is_written_back(tmp_path: Path) -> None:
    file, other = tmp_path / "round.npz", tmp_path / "other.npz"
    call("--dice", "1", "2", "--iterations", "10", "--out", str(file))
    begun = file.read_bytes()
    resumed = ("--dice", "1", "2", "--target", "1e-4", "--resume", str(file))
    assert call(*resumed, "--out", str(other)).exit_code == 0
    assert file.read_bytes() == begun
    assert read_saved(other).iterations > 10
    result = call(*resumed)
    assert f"saved: {file}. To continue: " in result.stdout
    assert read_saved(file).iterations == read_saved(other).iterations


def test_a_file_of_something_else_is_kept(tmp_path: Path) -> None:
    text, model = tmp_path / "a.md", tmp_path / "q.npz"
    text.write_text("words")
    told = call("1", "1", "--out", str(text)).stderr
    assert told == f"Error: {text}: expected a new file, or an older one of the same kind; this is another file\n"
    assert text.read_text() == "words"
    trained = command_line.call("train", "q", "--dice", "1", "--games", "10", "--out", str(model))
    assert trained.exit_code == 0
    weights = model.read_bytes()
    told = call("1", "1", "--out", str(model)).stderr
    assert told.endswith("is not a file saved by solve, or is damaged; name another file, or delete this one\n")
    assert model.read_bytes() == weights


def test_rules_for_two_players_bring_their_dice() -> None:
    assert answer("--rules", "openspiel", "--target", "1e-3") == answer(
        "1", "1", "--rules", "openspiel", "--target", "1e-3"
    )
    assert "--dice N0 N1" in call("--rules", "perudo").stderr


def test_ctrl_c_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    iterate = CpuSolver.iterate

    def interrupted(solver: CpuSolver) -> None:
        iterate(solver)
        if solver.iterations == 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(CpuSolver, "iterate", interrupted)
    result = call("1", "2", "--json")
    assert (result.exit_code, result.stderr) == (130, "")
    found = json.loads(result.stdout)
    assert (found["stopped"], found["iterations"]) == ("interrupted", 20)
    assert found["lower"] <= -22 / 81 <= found["upper"]


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_real_ctrl_c(kind: signal.Signals) -> None:
    """Ctrl-C or SIGTERM while the bracket narrows on a terminal."""
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "liars_dice", "solve", "1", "2", "--target", "1e-12"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=follower, text=True) as process:
        seen = b""
        while b"exploitability" not in seen:
            seen += os.read(leader, 1000)
        process.send_signal(kind)
        while b"not reached" not in seen:
            seen += os.read(leader, 1000)
        shown, _ = process.communicate(timeout=PATIENCE)
    os.close(leader)
    os.close(follower)
    assert process.returncode == 130
    assert re.search(r"the opener wins +3\d\.\d", shown)
    assert b"Stopped early: the bracket is certified" in seen
    assert b"nodes" in seen
    assert b"Traceback" not in seen


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("1",), "number of dice of both players, the opener's first: --dice N0 N1"),
        (("0", "1"), "0 is not in the range"),
        (("1", "1", "--faces", "1"), "1 is not in the range"),
        (("1", "1", "--wild", "all"), "'all' is not one of"),
        (("1", "1", "--target", "1e-13"), "target 1e-13: expected a number from 1e-12 to 2"),
        (("1", "1", "--target", "0"), "target 0: expected a number from 1e-12 to 2"),
        (("1", "1", "--iterations", "0"), "iterations 0: at least one"),
        (("1", "1", "--workers", "0"), "0 is not in the range"),
        (("1", "1", "--memory", "-1"), "memory -1: expected"),
        (("5", "5"), "GB of memory; at most"),
        (("60", "60"), "720 rungs; 60 at most"),
        (("1", "1", "--save", "nowhere/x.npz"), "no file can be written there"),
        (("1", "1", "--resume", "nothing.npz"), "there is no such file"),
        (("1", "1", "--match"), "two players who lose dice"),
        (("1", "1", "--rules", "perudo", "--match", "--device", "gpu"), "device"),
        (("5", "5", "--rules", "perudo", "--match", "--memory", "9"), "a match with 5 dice in total would fit"),
        (("1", "1", "--rules", "perudo", "--match", "--target", "0"), "target 0: expected a number from 2e-05 to 2"),
        (("1", "1", "--rules", "perudo", "--match", "--target", "nan"), "target nan: expected a number"),
        (("1", "1", "--rules", "perudo", "--match", "--memory", "nan"), "memory nan: expected a number"),
        (("1", "1", "--rules", "perudo", "--match", "--memory", "-3"), "memory -3: expected a number"),
        (("2", "1", "--rules", "perudo", "--match", "--memory", "1e-3"), "a match with 2 dice in total would fit"),
    ],
    ids=" ".join,
)
def test_a_mistake_gets_one_clear_line(words: tuple[str, ...], message: str) -> None:
    result = call(*words)
    assert result.exit_code != 0
    assert result.stdout == ""
    assert message in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr
