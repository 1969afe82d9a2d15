"""Programs in other languages, and the kit that tells a bot's author what is wrong."""

from __future__ import annotations

import gc
import itertools
import json
import shutil
import time
from pathlib import Path

import msgspec
import pytest

from command_line import call
from liars_dice.agents import AGENTS
from liars_dice.core import PRESETS, preset
from liars_dice.exact.solver import short_memory
from liars_dice.exact.solver.short_memory import ShortKey, ShortStrategy
from liars_dice.referee import BotLimits, bot_check, check_bot_apart
from liars_dice.referee.bot_check import check_bot
from liars_dice.referee.named_seats import make_seat
from liars_dice.referee.referee import Referee
from patience import AMPLE

ROOT = Path(__file__).parent.parent.parent
BOTS = ROOT / "tests" / "bots"
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else "python3"


@pytest.mark.parametrize("command", [f"{PYTHON} examples/protocol_bot.py", "node examples/protocol_bot.js"])
def test_example_bots_play(command: str) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed (Debian: apt-get install nodejs)")
    name = f"cmd:{command.replace('examples', str(ROOT / 'examples'))}"
    for rules in ("heads-up", "perudo"):
        players = [name, "optimal", *(["random"] if rules == "perudo" else [])]
        seats = [make_seat(player, AMPLE) for player in players]
        result = Referee(seats, preset(rules, players=len(seats)), seed=3).play()
        assert result.faults == ()
        assert result.winner is not None


def test_programs_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_check, "GAMES", 2)  # each starts the program
    good = list(check_bot(f"cmd:{PYTHON} {ROOT / 'examples' / 'protocol_bot.py'}", AMPLE))
    assert [check.ok for check in good] == [True] * (len(PRESETS) + 3)  # it loads, is fast, legal and repeatable
    assert good[0].detail == "a program, called careful"
    *_, bad = check_bot(f"cmd:{PYTHON} {BOTS / 'cmd_prints_garbage.py'}", AMPLE)
    assert not bad.ok
    assert "garbage" in bad.detail


def test_both_examples_play_the_same() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed (Debian: apt-get install nodejs)")
    games = []
    for command in (f"{PYTHON} {ROOT}/examples/protocol_bot.py", f"node {ROOT}/examples/protocol_bot.js"):
        seats = [make_seat(player, AMPLE) for player in (f"cmd:{command}", "maniac")]
        result = Referee(seats, preset("heads-up"), seed=5).play()
        assert result.game is not None
        games.append(result.game.resolutions)
    assert games[0] == games[1]


@pytest.mark.parametrize("name", AGENTS)
def test_our_own_bots_are_fit_to_play(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And fast enough for the usual limits of any bot, in processor time. To unpack a strategy may take longer, because
    our own bots have the time for loading; that is measured by itself.
    """
    unpacking = []
    unpack = ShortStrategy.__init__

    def measured(strategy: ShortStrategy, key: ShortKey, steps: int, data: bytes) -> None:
        begun = time.thread_time()
        unpack(strategy, key, steps, data)
        unpacking.append(time.thread_time() - begun)

    def clock() -> float:
        return AMPLE.decision / BotLimits().decision * (time.thread_time() - sum(unpacking))

    monkeypatch.setattr(ShortStrategy, "__init__", measured)
    gc.freeze()  # else the collector may search all that earlier tests left behind, during a decision
    try:
        checks = list(check_bot(name, AMPLE, clock=clock))
    finally:
        gc.unfreeze()
    assert [check for check in checks if not check.ok] == []
    assert any(check.name.startswith("memoryless") for check in checks) == AGENTS[name].memoryless


def test_strategies_are_unpacked_in_half_of_the_time_of_our_own_bots() -> None:
    book = short_memory.load()
    largest = max(book, key=lambda key: len(book.block(key)[1]))
    begun = time.thread_time()
    ShortStrategy(largest, *book.block(largest))
    assert time.thread_time() - begun < BotLimits().for_ours.decision / 2


def test_the_kit_finds_what_is_wrong(tmp_path: Path) -> None:
    bots = {
        "illegal": ("return BidAction(Bid(99, 9))", "legal in duel"),
        "forgetful": ("return random.choice(view.legal_actions)", "deterministic under a seed"),
        "liar": ("return view.legal_actions[len(view.round_bids) % len(view.legal_actions)]", "memoryless, as it says"),
        "first_or_last": ("return view.legal_actions[-(len(view.round_bids) % 2)]", "memoryless, as it says"),
        "history": ("return view.legal_actions[0 if view.resolutions else -1]", "memoryless, as it says"),
        "seated": ("return view.legal_actions[view.player_id % len(view.legal_actions)]", "memoryless, as it says"),
        "endless": ("while True: pass", "fast enough"),
        "crashes": ("return 1 / 0", "legal in duel"),
        "unpicklable": ("self.door = lambda: 0; return view.legal_actions[0]", None),
    }
    for name, (body, expected) in bots.items():
        path = tmp_path / f"{name}.py"
        path.write_text(
            "import random\nfrom liars_dice import Bid, BidAction\nfrom liars_dice.agents import Agent\n"
            f"class Bot(Agent):\n    memoryless = {expected == 'memoryless, as it says'}\n"
            f"    def choose_action(self, view):\n        {body}\n"
        )
        limits = msgspec.structs.replace(AMPLE, decision=0.2) if name == "endless" else AMPLE
        failed = [check for check in check_bot(str(path), limits) if not check.ok]
        assert (expected in [check.name for check in failed]) if expected else failed == [], name
        assert all(check.fix for check in failed)
    path.write_text(path.read_text() + "    def __init__(self):\n        self.door = lambda: 0\n")
    assert "picklable" in [check.name for check in check_bot(str(path), AMPLE) if not check.ok]


@pytest.mark.parametrize(("share", "ok"), [(0.4, True), (0.6, False)])
def test_a_bot_may_use_half_of_its_time(share: float, ok: bool) -> None:
    """By a clock that moves on by this share of a decision's limit whenever it is looked at."""
    times = itertools.count(step=share * AMPLE.decision)
    checks = check_bot("crawler", AMPLE, clock=lambda: next(times))
    check = next(check for check in checks if check.name == "fast enough")
    assert check.ok is ok
    slowest, most = 1000 * share * AMPLE.decision, AMPLE.decision / 2
    assert check.detail.startswith(f"slowest decision {slowest:.1f} ms; at most {most:g} s, half of the ")
    assert "Do less work" in check.fix


def test_the_first_failure_is_the_last_check() -> None:
    times = itertools.count(step=0.6 * AMPLE.decision)
    *passed, failed = check_bot("crawler", AMPLE, clock=lambda: next(times))
    assert all(check.ok for check in passed)
    assert failed.name == "fast enough"  # and no game was played at that speed


def test_a_check_ends_when_its_time_is_up() -> None:
    """Each part decides once at least; none of them waits for a whole game."""
    checks = {check.name: check for check in check_bot("crawler", AMPLE, seconds=0)}
    assert all(check.ok for check in checks.values())
    assert "without a fault; then its share of the 0 s for all checks was up" in checks["legal in perudo"].detail
    assert set(checks) >= {"deterministic under a seed", "memoryless, as it says", "survives being cut off"}


def test_a_bot_is_checked_under_the_rules_that_are_given() -> None:
    words = ("check-bot", "crawler", "--rules", "perudo-tournament", "--players", "3", "--json")
    checks = {check["name"]: check["detail"] for check in json.loads(call(*words).stdout)["checks"]}
    (legal,) = (name for name in checks if name.startswith("legal"))
    assert legal == "legal in perudo-tournament"
    assert "decisions in palifico rounds" in checks[legal]
    assert " 0 decisions in palifico" not in checks[legal]
    assert "--players needs --rules" in call("check-bot", "crawler", "--players", "3").stderr


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        ("def choose_action(view)", "choose_action cannot be called with a view (too many positional arguments)"),
        ("def choose_action(self, view, bid)", "cannot be called with a view (missing a required argument: 'bid')"),
        ("async def choose_action(self, view)", "choose_action is `async def`"),
    ],
)
def test_a_method_that_cannot_be_asked_is_named_before_a_game(head: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        f"from liars_dice.agents import Agent\nclass Mine(Agent):\n    {head}:\n        return view.legal_actions[0]\n"
    )
    loads, last, *_ = check_bot(str(file), AMPLE)
    assert loads.ok
    assert (last.name, last.ok, last.fix) == ("methods", False, "Write: def choose_action(self, view):")
    assert problem in last.detail


def test_methods_that_are_never_called_are_found(tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(
        "from liars_dice.agents import RandomAgent\nclass Bot(RandomAgent):\n    def on_game_over(self, result): pass\n"
    )
    *_, check = check_bot(str(path), AMPLE)
    assert not check.ok
    assert check.detail == "on_game_over is never called: did you mean on_game_end?"


def test_prints_are_counted_not_shown(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(
        "import os\nfrom liars_dice.agents import Agent\nprint('loading')\nclass Bot(Agent):\n"
        "    def choose_action(self, view):\n        os.write(1, b'raw')\n        print('x' * 10_000)\n"
        "        return view.legal_actions[0]\n"
    )
    *_, prints = check_bot_apart(str(path), AMPLE, rules={"duel": PRESETS["duel"]})
    assert prints.name == "prints"
    assert prints.detail.endswith("lines, hidden here; the first: loading")
    assert capfd.readouterr() == ("", "")


def test_the_command() -> None:
    good = call("check-bot", "optimal")
    assert good.exit_code == 0
    assert "optimal is fit to play" in good.output
    bad = call("check-bot", str(BOTS / "illegal_bid.py"), "--json")
    told = json.loads(bad.stdout)
    assert bad.exit_code == 1
    assert told["ok"] is False
    assert any("legal_actions" in check["fix"] for check in told["checks"])
    broken = call("check-bot", str(BOTS / "has_a_typo.py"))
    assert broken.exit_code == 1
    assert "has_a_typo.py, line 3: SyntaxError" in broken.output
    missing = call("check-bot", "nowhere.py")
    assert "a bot file that can be read (No such file or directory)" in missing.output


def test_advice_for_a_bot_that_does_not_load(tmp_path: Path) -> None:
    start = "from liars_dice.agents import Agent, RandomAgent\n"
    bots = {
        "typo": ("def f(:\n", "syntax"),
        "raises": ("1 / 0\n", "when the file is loaded"),
        "nothing": ("", "inherits from liars_dice.agents.Agent"),
        "undecided": ("class A(Agent):\n    pass\n", "has a method choose_action"),
        "two": ("class A(RandomAgent):\n    pass\nclass B(RandomAgent):\n    pass\n", "FILE:CLASS"),
        "wants": ("class A(RandomAgent):\n    def __init__(self, x):\n        pass\n", "a default"),
        "fails": ("class A(RandomAgent):\n    def __init__(self):\n        1 / 0\n", "error in __init__"),
    }
    for name, (text, advice) in bots.items():
        path = tmp_path / f"{name}.py"
        path.write_text(start + text)
        (check,) = check_bot(str(path), AMPLE)
        assert not check.ok
        assert advice in check.fix, name
    for name, advice in (
        ("nowhere.py", "name of the file"),
        ("optimul", "one of these names"),
        ("nosuchmodule:Bot", "name of the module"),
        ("liars_dice:Bot", "name of the class"),
        ("collections:Counter", "choose_action"),
    ):
        (check,) = check_bot(name, AMPLE)
        assert advice in check.fix, name
        assert "BotFault" not in check.detail


def test_where_a_bot_fails_is_told(tmp_path: Path) -> None:
    path = tmp_path / "mybot.py"
    path.write_text(
        "import json\nfrom liars_dice.agents import Agent\n\n\nclass Bot(Agent):\n    memoryless = True\n\n"
        "    def choose_action(self, view):\n        return self.read('{')\n\n"
        "    def read(self, text):\n        return json.loads(text)\n"
    )
    for words in (("check-bot", str(path)), ("exploit", str(path), "--dice", "1", "1")):
        failed = call(*words)
        assert failed.exit_code == 1
        assert "(char 1) (mybot.py, line 12)" in failed.output, words
        assert f"{path}, line" not in failed.output


def test_demo_with_walls_and_faults(tmp_path: Path) -> None:
    told = json.loads(call("watch", "optimal", "random", "--isolate", "--seed", "1", "--dice", "2", "--json").stdout)
    assert told["faults"] == []
    walled = told["game"].replace('agents ["optimal", "random"]', "")
    free = json.loads(call("watch", "optimal", "random", "--seed", "1", "--dice", "2", "--json").stdout)["game"]
    assert walled == free.replace('agents ["optimal", "random"]', "")
    shown = call("watch", str(BOTS / "crash_on_turn.py"), "random", "--dice", "1", "--seed", "1").output
    assert "faulted (exception): ZeroDivisionError: " in shown
    assert "(crash_on_turn.py, line " in shown
    assert "; played instead: one one" in shown
