"""`debug`: a bot lives through a recorded game again, and is asked at its turns."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from command_line import call, told
from pseudo_terminal import PseudoTerminal

BOT = """
    from liars_dice.agents import Agent


    class Counter(Agent):
        '''Bids by how often it was asked, and by chance.'''

        def on_game_start(self, config, player_id):
            self.asked = 0

        def choose_action(self, view):
            self.asked += 1
            if view.current_bid and self.asked % 2 == 0:
                return "liar"
            return self.rng.choice([action for action in view.legal_actions if hasattr(action, "bid")][:3])
"""


@pytest.fixture
def bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "counter.py"
    path.write_text(dedent(BOT), encoding="utf-8")
    told("watch", "optimal", "counter.py", "--rules", "heads-up", "--dice", "3", "--seed", "5")
    return path


def turns_of(*words: str) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = told("debug", "counter.py", "last", *words)["turns"]
    return turns


def test_the_same_bot_decides_the_same(bot: Path) -> None:
    """With its memory and its random numbers."""
    turns = turns_of()
    assert len(turns) > 2
    assert [one["now"] for one in turns] == [one["did"] for one in turns]
    assert "It decides as in the record at all" in call("debug", "counter.py", "last").output
    assert turns_of("--at", str(turns[2]["turn"])) == [turns[2]]


def test_where_a_changed_bot_decides_otherwise(bot: Path) -> None:
    before = turns_of()
    bot.write_text(bot.read_text().replace('return "liar"', 'print("calling"); return "exact?"'), encoding="utf-8")
    turns = turns_of()
    called = [one["turn"] for one in before if one["did"] == "liar"]
    assert [one["turn"] for one in turns if one["fault"]] == called
    assert all("wrong_type" in one["fault"] for one in turns if one["fault"])
    shown = call("debug", "counter.py", "last").output
    assert f"liars-dice debug counter.py last --at {called[0]} --pdb" in shown


def test_any_bot_in_any_seat(bot: Path) -> None:
    assert {one["turn"] % 2 for one in turns_of("--seat", "0") if one["round"] == 1} == {1}
    (one,) = told("debug", "sniper", "last", "--at", "1")["turns"]
    assert (one["turn"], one["bids"]) == (1, [])
    assert told("debug", "optimal", "last")["seat"] == 0


def test_a_failing_bot_shows_its_traceback(bot: Path) -> None:
    bot.write_text(bot.read_text().replace("self.asked += 1", "self.missing += 1"), encoding="utf-8")
    command = [sys.executable, "-m", "liars_dice", "debug", "counter.py", "last", "--at", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert 'counter.py", line 12, in choose_action' in done.stderr
    assert "Turn 2, round 1: Counter (seat 1) holds" in done.stdout
    assert "counter.py now: error: AttributeError: 'Counter' object has no attribute 'missing'" in done.stdout
    bot.write_text(bot.read_text().replace("self.missing += 1", "import os; os._exit(7)"), encoding="utf-8")
    ended = call("debug", "counter.py", "last")
    assert "counter.py ended its process with code 7 before it had answered" in ended.stderr


def test_in_the_debugger(bot: Path) -> None:
    with PseudoTerminal("debug", "counter.py", "last", "--at", "4", "--pdb") as terminal:
        terminal.wait_for("(Pdb) ")
        assert "bids so far:" in terminal.text
        terminal.enter("p 'asked', self.asked")
        terminal.wait_for("('asked', 1)")
        terminal.enter("c")
        terminal.wait_for("counter.py now:")
        assert terminal.end() == 0
    with PseudoTerminal("debug", "counter.py", "last", "--at", "4", "--pdb") as terminal:
        terminal.wait_for("(Pdb) ")
        terminal.enter("q")
        assert terminal.end() == 130


def test_bad_input(bot: Path) -> None:
    for words, message in (
        (["--at", "99"], "at = 99: expected a turn from 1 to "),
        (["--at", "1", "--seat", "1"], "at = 1: expected a turn of seat 1: 2"),
        (["--seat", "2"], "seat = 2: expected a seat from 0 to 1"),
        (["--pdb"], "--pdb needs --at TURN"),
    ):
        result = call("debug", "counter.py", "last", *words)
        assert result.exit_code != 0
        assert message in result.stderr
    program = call("debug", "cmd:cat", "last", "--at", "1", "--pdb").stderr
    assert "bot = 'cmd:cat': expected a Python bot that is named by its file, such as mybot.py, with --pdb" in program
    stranger = call("debug", "sniper", "last").stderr
    assert "bot = 'sniper': expected a player of this game, or --seat N (seat 0: optimal; seat 1: Counter)" in stranger
