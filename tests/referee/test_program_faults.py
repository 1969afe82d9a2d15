"""What authors of programs in other languages are told when their program does not play."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec
import pytest

from command_line import call, told
from liars_dice.agents import AgentNameError
from liars_dice.core import Player, preset
from liars_dice.referee import Referee, Seat, make_seat
from liars_dice.referee.named_seats import start_program
from patience import AMPLE
from support import Chooser

PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"
READY = 'import json, sys, time\nprint(json.dumps({"type": "ready", "name": "crasher"}), flush=True)\n'


def program(text: str) -> str:
    """The name of a program with this text."""
    return f"cmd:{PYTHON} -c {shlex.quote(text)}"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-program x", "no-such-program was not found on the PATH"),
        ("./nowhere.py", "there is no file ./nowhere.py"),
        ("README.txt", "README.txt was not found on the PATH"),
        ("./README.txt", "./README.txt is not executable: name the program that runs it, as in cmd:python3 ./README"),
        (f"{PYTHON} nowhere.py", "has ended with exit code 2 before its ready line; stderr: "),
        (f"{PYTHON} nowhere.py", "there is no file nowhere.py"),
        (f"{PYTHON} -c 1/0", "ZeroDivisionError: division by zero"),
        (f"{PYTHON} -c print(7)", "(print everything else to standard error): b'7'"),
    ],
)
def test_programs_that_do_not_start(
    command: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.txt").write_text("hello")
    if "print" not in command:
        refused = call("watch", f"cmd:{command}", "optimal")
        assert refused.exit_code == 1
        assert sentence in refused.stderr
    else:
        with pytest.raises(AgentNameError) as error:
            start_program(f"cmd:{command}", AMPLE)
        assert sentence in str(error.value)


def test_a_forgotten_flush_is_guessed() -> None:
    name = program(READY.replace(", flush=True", "") + "sys.stdin.read()\n")
    with pytest.raises(AgentNameError, match=r"no ready line within 0\.2 s: does it flush its output"):
        start_program(name, msgspec.structs.replace(AMPLE, load=0.2))
    name = program(READY + "sys.stdin.read()\n")
    seats: list[Player | Seat] = [make_seat(name, msgspec.structs.replace(AMPLE, decision=0.2)), Chooser()]
    fault, *_ = Referee(seats, preset("duel", dice=1), seed=1).play().faults
    assert fault.detail.startswith("no answer within 0.2")
    assert fault.detail.endswith("it took longer, or does it flush its output after every line?")


def test_a_crash_shows_the_last_lines_of_standard_error() -> None:
    fails = "print('x' * 200_000, file=sys.stderr)\nsys.stdin.readline()\nraise ValueError('no')\n"
    name = program(READY + fails)
    game = told("watch", name, "optimal", "--seed", "1")
    fault = game["faults"][0]
    assert game["agents"] == ["crasher", "optimal"]  # the name in its ready line
    assert fault["verdict"] == "died"
    assert fault["detail"].startswith("its program has ended")
    assert fault["detail"].endswith("ValueError: no")
    assert fault["traceback"].endswith("\nValueError: no")
    again = call("replay", "last", "--traceback").output
    assert "crasher faulted (died): its program has ended" in again
    assert "    ValueError: no" in again


def test_standard_error_never_holds_a_program_up() -> None:
    """It may write more than a pipe holds while it thinks, and more than we keep."""
    answer = '{"type": "action", "id": message["id"], "action": message["view"]["legal_actions"][-1]}'
    name = program(
        READY + "for line in sys.stdin:\n    message = json.loads(line)\n    print('x' * 300_000, file=sys.stderr)\n"
        f"    if message['type'] == 'choose':\n        print(json.dumps({answer}), flush=True)\n"
        "    elif message['type'] == 'game_end':\n"
        "        print(json.dumps({'type': 'done', 'id': message['id']}), flush=True)\n",
    )
    assert Referee([make_seat(name, AMPLE), Chooser()], preset("duel", dice=1), seed=1).play().faults == ()
