"""Games in several processes, started from wherever people write Python: a script, a pipe, a prompt, a notebook."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from liars_dice.core import preset
from liars_dice.tournament.blocks import Block, WorkerSetup
from liars_dice.tournament.worker_process import WorkerDiedError, WorkerLostError, WorkerProcess
from patience import PATIENCE
from pseudo_terminal import PseudoTerminal

BOT = """
from liars_dice.agents import Agent

class Mine(Agent):
    def choose_action(self, view):
        return view.legal_actions[-1 if view.current_bid else 0]
"""
"""A bot that is not part of the package, so its games are always played in other processes."""

PROGRAM = """
from liars_dice import preset
from liars_dice.tournament import Simulation, matchup, round_robin

print("this is printed once")
rules = preset("perudo", dice=1, players=3)
simulation = Simulation(3, 2, 5, agents=["mine:Mine", "optimal", "random"], config=rules, seed=1)
print("wins:", sum(simulation.start(verbose=True).values()))
print("games:", round_robin(["mine.py", "detective"], preset("heads-up", dice=1), games=6, seed=1).games)
print("games:", matchup("mine.py", "detective", preset("heads-up", dice=1), games=4, seed=1).games)
"""
"""What a reader types: no function, and no check of `__name__`."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "plain_script.py").write_text(PROGRAM)
    return tmp_path


def test_a_bot_file_may_be_called_like_a_module_of_python(folder: Path) -> None:
    (folder / "enum.py").write_text(BOT)
    words = ("matchup", "enum.py", "random", "--dice", "1", "--games", "2", "--json")
    done = subprocess.run(
        [sys.executable, "-P", "-m", "liars_dice", *words], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (("plain_script.py",), ""),
        pytest.param(("-m", "plain_script"), "", marks=pytest.mark.slow),
        pytest.param(("-c", PROGRAM), "", marks=pytest.mark.slow),
        (("-",), PROGRAM),
    ],
    ids=["script", "module", "-c", "standard input"],
)
def test_a_plain_program_plays_in_several_processes(words: tuple[str, ...], stdin: str) -> None:
    done = subprocess.run([sys.executable, *words], input=stdin, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("this is printed once") == 1
    assert done.stdout.count("5 replications have been finished. Scores at this table:") == 2
    assert done.stdout.endswith("wins: 10\ngames: 6\ngames: 4\n")
    assert done.stderr == ""


OWN_CLASS = """
from liars_dice import preset
from liars_dice.agents import Agent
from liars_dice.tournament import Simulation, matchup, round_robin

class Mine(Agent):
    def choose_action(self, view):
        return view.legal_actions[-1 if view.current_bid else 0]

Simulation(2, 1, 220, agents=[Mine, "detective"], config=preset("heads-up", dice=1), seed=1).start()
print(round_robin([Mine, "detective"], preset("heads-up", dice=1), games=6, seed=1).games, "games")
"""


@pytest.mark.usefixtures("folder")
def test_a_bot_that_is_defined_in_the_script_itself() -> None:
    done = subprocess.run([sys.executable, "-c", OWN_CLASS], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "All games are played in this process, because these agents were not given by name: Mine" in done.stdout
    assert "220 replications have been finished" in done.stdout
    assert done.stdout.endswith("6 games\n")


def test_a_script_that_names_itself_as_a_bot_is_told_what_to_do(folder: Path) -> None:
    (folder / "own.py").write_text(OWN_CLASS.replace("agents=[Mine,", "agents=['own.py:Mine',"))
    done = subprocess.run([sys.executable, "own.py"], capture_output=True, text=True, timeout=PATIENCE)
    assert (
        "own.py: it starts games of its own bots when it is loaded; give their classes" in done.stderr.splitlines()[-1]
    )


SLOW = """
import sys
from liars_dice.agents import Agent

class Slow(Agent):
    def choose_action(self, view):
        print("thinking", file=sys.stderr, flush=True)
        import threading
        threading.Event().wait()
"""


def test_at_the_prompt_in_a_terminal(folder: Path) -> None:
    """The prompt of Python: bars, scores, Ctrl-C, and life after it."""
    (folder / "slow.py").write_text(SLOW)
    environment = {"PYTHON_BASIC_REPL": "1", "TERM": "xterm"}
    with PseudoTerminal("-i", "-q", program=(sys.executable,), environment=environment) as python:
        python.wait_for(">>> ")
        python.answer("from liars_dice.tournament import Simulation", ">>> ")
        python.answer("small = dict(agents=['mine.py', 'detective'], config='heads-up', seed=1)", ">>> ")
        python.enter("sum(Simulation(2, 2, 30, **small).start(verbose=True).values())")
        python.wait_for("30 replications have been finished")
        python.wait_for("Global scores:")
        python.wait_for("60")
        python.wait_for(">>> ")
        assert "5/30" in python.text  # a bar of a table in progress, after 5 or 25 games
        python.enter(
            "Simulation(2, 1, 5, agents=['slow.py', 'random'], config='heads-up', time_limit_seconds=99).start()"
        )
        python.wait_for("thinking")
        python.press("c")
        python.wait_for("KeyboardInterrupt")
        python.wait_for(">>> ")
        python.answer("print(sum(Simulation(2, 2, 3, **small).start(verbose=False).values()), 'games')", "6 games")
        python.enter("exit()")
        assert python.end() == 0


def test_in_a_notebook(folder: Path) -> None:
    """A real Jupyter kernel, where no cell is a file."""
    pytest.importorskip("ipykernel")
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(startup_timeout=PATIENCE, cwd=str(folder))
    try:
        assert "wins: 10\ngames: 6\ngames: 4\n" in _run_cell(client, PROGRAM)
        said = _run_cell(client, OWN_CLASS)
        assert "All games are played in this process" in said
        assert said.endswith("6 games\n")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _run_cell(client: Any, code: str) -> str:
    """What a cell prints; an error if it raises."""
    printed: list[str] = []

    def hear(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream":
            printed.append(message["content"]["text"])

    reply = client.execute_interactive(code, timeout=PATIENCE, output_hook=hear)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(printed)


# -- one worker --------------------------------------------------------------------------------------------------------

BLOCK = Block(number=0, table=(0, 1), seed=3, first=0, deals=2, rotations=2, compiled=False)


def worker(*agents: str) -> WorkerProcess:
    return WorkerProcess(WorkerSetup(agents=agents, config=preset("heads-up", dice=1)))


def test_a_worker_answers_until_it_is_finished() -> None:
    one = worker("random", "detective")
    assert [result.games for result, _ in one.play([BLOCK, BLOCK])[0]] == [4, 4]
    one.finish()
    one.close(timeout=PATIENCE)


def test_an_error_in_a_worker_is_raised_here() -> None:
    one = worker("random", "no-such-agent")
    with pytest.raises(ValueError, match="agent = 'no-such-agent'") as caught:
        one.play([BLOCK])
    assert "In a worker process:" in caught.value.__notes__[0]
    one.kill()
    one.close(timeout=PATIENCE)


def test_a_killed_worker_is_lost() -> None:
    one = worker("random", "detective")
    one.play([BLOCK])
    one.kill()
    with pytest.raises(WorkerLostError):
        one.play([BLOCK])
    one.close(timeout=PATIENCE)


def test_a_python_that_does_not_start_is_not_blamed_on_the_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    one = worker("random", "detective")
    with pytest.raises(WorkerDiedError, match="a worker process could not be started: /bin/false ended with code 1"):
        one.play([BLOCK])
    one.close(timeout=PATIENCE)
