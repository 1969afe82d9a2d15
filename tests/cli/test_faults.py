"""What authors are told about the faults of their bots: the message, the line, a hint, and the traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import call, told
from liars_dice.agents import AgentNameError, BotFileError, make_agent
from liars_dice.core import PRESETS, view_of
from liars_dice.persistence import fallback_turns, open_store
from liars_dice.referee import InProcessSeat
from liars_dice.referee.limits import BotFault
from liars_dice.referee.seats import action_from
from patience import AMPLE
from support import dealt

VIEW = view_of(dealt(PRESETS["duel"], (1, 2), (3, 4, 5)), 0)
START = "from liars_dice import Bid, BidAction, CallLiarAction\nfrom liars_dice.agents import Agent\n\n\n"
FAILS = START + (
    "class Boom(Agent):\n"
    "    def choose_action(self, view):\n"
    "        print('hello')\n"
    "        return self.helper(view) if view.round_number == 2 else view.legal_actions[0]\n\n"
    "    def helper(self, view):\n"
    "        return view.my_hand[0]\n"
)
LINE = "AttributeError: 'GameView' object has no attribute 'my_hand' (boom.py, line 11); did you mean my_dice?"
TRACEBACK = "line 11, in helper\n        return view.my_hand[0]"


@pytest.fixture
def boom(tmp_path: Path) -> str:
    path = tmp_path / "boom.py"
    path.write_text(FAILS)
    return str(path)


@pytest.mark.parametrize(
    "words",
    [
        ("watch", "BOT", "optimal"),
        ("watch", "BOT", "optimal", "--isolate"),
        ("matchup", "BOT", "optimal", "--games", "4"),
        ("tournament", "BOT", "optimal", "--games", "4"),
        ("simulate", "BOT", "--players", "2", "--tables", "1", "--replications", "2"),
    ],
    ids=lambda words: " ".join(words),
)
def test_faults_are_told_where_they_happen(words: tuple[str, ...], boom: str) -> None:
    words = (*(boom if word == "BOT" else word for word in words), "--seed", "1")
    plain = call(*words).stdout
    assert LINE in plain
    assert "GameView has config, current_bid," in plain
    assert "Traceback" not in plain
    with_all = call(*words, "--traceback").stdout
    assert LINE in with_all
    assert TRACEBACK in with_all
    if words[0] == "watch":
        assert LINE in call("replay", "last").stdout
        assert TRACEBACK in call("replay", "last", "--traceback").stdout


def test_programs_get_the_tracebacks_too(boom: str, tmp_path: Path) -> None:
    (fault, *_) = told("watch", boom, "optimal", "--seed", "1")["faults"]
    assert fault["fallback"] == "1x1"
    assert "in helper" in fault["traceback"]
    found = told("matchup", boom, "optimal", "--games", "4", "--seed", "1")
    (example,) = found["fault_examples"]
    assert example["count"] == found["faults"] > 1
    report = tmp_path / "report"
    ranking = told("tournament", boom, "optimal", "--games", "4", "--seed", "1", "--report", str(report))["ranking"]
    assert [one["detail"][:14] for standing in ranking for one in standing["fault_examples"]] == ["AttributeError"]
    page = (report / "index.html").read_text()
    assert "(boom.py, line 11)" in page
    assert "in helper" in page


def test_workers_change_no_fault(boom: str) -> None:
    words = ("tournament", boom, "optimal", "random", "--games", "60", "--seed", "1")
    one, two = (told(*words, "--workers", workers)["ranking"] for workers in ("1", "2"))
    assert one == two


def test_a_review_does_not_blame_the_fallback_on_the_bot(boom: str) -> None:
    game = told("watch", boom, "optimal", "--seed", "1")["run"]["game_id"]
    with open_store(None) as store:
        turns = fallback_turns(store.events(game))
    moves = {move["turn"]: move for move in told("review", game)["moves"]}
    assert turns
    for turn, move in moves.items():
        assert (move["kind"] == "fallback") == (turn in turns)
    assert {moves[turn]["loss"] for turn in turns} == {0}
    assert {moves[turn]["player"] for turn in turns} == {"Boom"}
    assert "liar was played in Boom's place, which does not count" in " ".join(call("review", game).output.split())


def test_public_pages_do_not_quote_the_code_of_bots(boom: str) -> None:
    from liars_dice.web.game_api import _game_record

    with open_store(None) as store:
        told("watch", boom, "optimal", "--seed", "1")
        (game,) = [summary.game_id for summary in store.games()]
        shown = bytes(_game_record(store.events(game), 10_000)).decode()
    assert "AttributeError" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("return view.legal_action[0]", "did you mean legal_actions?"),
        ("return view.my_hand", "did you mean my_dice?"),
        ("return BidAction(Bid(3, 4).count)", "did you mean quantity? Bid has face, "),
        ("return self.rgn.random()", "did you mean rng?"),
        ("return CallExactAction()", "write: from liars_dice import CallExactAction"),
        ("return Bid(3)", "moves are made like this: BidAction(Bid(3, 4)), CallLiarAction()"),
        ("return BidAction(3, 4)", "write BidAction(Bid(3, 4))"),
        ("return CallLiarAction", "write CallLiarAction()"),
        ("pass", "does every path through choose_action return a move?"),
    ],
)
def test_typical_mistakes_get_a_hint(body: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(f"{START}class MyBot(Agent):\n    def choose_action(self, view):\n        {body}\n")
    with pytest.raises(BotFault) as fault:
        action_from(InProcessSeat(make_agent(str(path)), AMPLE).choose_action(VIEW))
    assert hint in fault.value.detail


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("class MyBot(Agent):\n    def chose_action(self, view): pass\n", "did you mean choose_action?"),
        ("class MyBot(Agent):\n    def play(self, view): pass\n", "no method choose_action(self, view), only play"),
        ("from liars_dice import BidActoin\n", "did you mean BidAction?"),
        ("class MyBot(Agent):\n    def choose_action(self, view): pass\n    def __init__(self, depth): pass\n",
         "give them defaults: def __init__(self, depth=...)"),
    ],
)  # fmt: skip
def test_bots_that_do_not_load_get_a_hint(text: str, hint: str, tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(START + text)
    with pytest.raises((AgentNameError, BotFileError)) as error:
        make_agent(str(path))
    assert hint in str(error.value)


def test_a_base_class_of_bots_needs_no_choose_action(tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(
        f"{START}class Base(Agent):\n    def choose(self, view): return view.legal_actions[0]\n\n\n"
        "class MyBot(Base):\n    def choose_action(self, view): return self.choose(view)\n"
    )
    assert type(make_agent(str(path))).__name__ == "MyBot"


def test_a_type_error_inside_a_constructor_is_not_about_arguments(tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(
        f"{START}class MyBot(Agent):\n    def __init__(self): len(3)\n    def choose_action(self, view): pass\n"
    )
    with pytest.raises(AgentNameError, match=r"can be made \(TypeError: object of type 'int' has no len") as error:
        make_agent(str(path))
    assert error.value.problem == "raises_when_made"


def test_prints_of_bots_never_break_json(tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(
        f"import os\n{START}print('loading')\nclass Loud(Agent):\n    memoryless = True\n"
        "    def choose_action(self, view):\n        print('hello')\n        os.write(1, b'raw')\n"
        "        return view.legal_actions[0]\n"
    )
    loud = str(path)
    for words in (
        ("watch", loud, "optimal", "--seed", "1"),
        ("matchup", loud, "optimal", "--dice", "1"),
        ("tournament", loud, "optimal", "--games", "2", "--seed", "1", "--dice", "1"),
        ("simulate", loud, "--players", "2", "--tables", "1", "--games", "2", "--dice", "1"),
        ("exploit", loud, "--dice", "1", "1"),
        ("check-bot", loud, "--rules", "duel"),
    ):
        run = subprocess.run(
            [sys.executable, "-m", "liars_dice", *words, "--json"], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        assert json.loads(run.stdout), words
