"""Other people's bots run in processes of their own: no command runs one in its own process, or is ended by one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import call
from liars_dice.agents import Agent, AgentNameError, PolicyError, ask_all, make_agent
from liars_dice.core import ConfigError, GameEngine, LiarsDiceError, preset
from liars_dice.exact.tables import PolicyTable
from liars_dice.referee import BotLimits, Referee, find_bots, load_agents, make_fitting_seat, make_seat
from liars_dice.referee.remote_agent import RemoteAgent
from liars_dice.tournament import backends, worker_process
from liars_dice.web.room_bots import on_offer
from patience import AMPLE, PATIENCE

HEAD = "import ctypes, os, threading, time\nfrom liars_dice.agents import Agent, RandomAgent\n"


def bot_file(folder: Path, name: str, body: str) -> Path:
    """A file with one bot, whose methods are `body`."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name.lower()}.py"
    path.write_text(f"{HEAD}\n\nclass {name}(RandomAgent):\n    name = '{name}'\n    memoryless = False\n{body}\n")
    return path


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder agents/ with a bot that writes down in which process its file runs."""
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o700)
    path = bot_file(tmp_path / "agents", "Marked", "    memoryless = True")
    mark = f"try: open({str(tmp_path / 'marks')!r}, 'a').write(f'{{os.getpid()}}\\n')\nexcept OSError: pass\n"
    path.write_text(path.read_text() + mark)
    return path


def marks(marked: Path) -> list[int]:
    """The processes in which the file ran and could write."""
    file = marked.parent.parent / "marks"
    return list(map(int, file.read_text().split())) if file.exists() else []


COMMANDS = [
    "matchup agents/marked.py random --dice 1",
    "tournament agents/marked.py random --dice 1 --games 2 --record none",
    "tournament agents.marked:Marked random --dice 1 --games 2 --record none",
    "watch agents/marked.py random --rules duel --games 2",
    "exploit agents/marked.py --dice 1 1",
    "check-bot agents/marked.py",
    "check-bot Marked",
    "games --loser agents/marked.py",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run_no_stranger_in_their_own_process(command: str, marked: Path) -> None:
    done = call(*command.split(), LIARS_DICE_DB=str(marked.parent / "store.db"))
    assert done.exit_code == 0, done.output
    assert marks(marked), "it did run somewhere"
    assert os.getpid() not in marks(marked)


def test_a_bot_found_by_name_is_checked_as_quickly_as_its_file(marked: Path) -> None:
    """All games of the check are played in one process."""
    counts = []
    for name in ("Marked", "agents/marked.py"):
        assert call("check-bot", name).exit_code == 0
        counts.append(len(marks(marked)))
        assert len(set(marks(marked))) == len(counts)
    assert counts[1] == 2 * counts[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="what is certain for root depends on the system for others")
@pytest.mark.parametrize(
    "command",
    [
        "tournament Marked random --isolate --dice 1 --games 2 --record none",
        "tournament Marked random --dice 1 --games 2 --record none",
        "tournament --field agents random --dice 1 --games 2 --record none",
        "simulate Marked random --dice 1 --players 2",
        "matchup Marked random --dice 1",
        "exploit Marked --dice 1 1",
        "watch Marked random --rules duel --games 2",
        "watch agents/marked.py random --rules duel --isolate",
        "agents",
    ],
)
def test_a_box_is_the_only_place_where_a_file_runs(command: str, marked: Path) -> None:
    done = call(*command.split(), LIARS_DICE_DB=str(marked.parent / "store.db"))
    assert done.exit_code == 0, done.output
    assert "arked" in done.output
    assert marks(marked) == []


def test_names_on_offer_are_found_without_running_files(marked: Path) -> None:
    assert on_offer(["Marked", "agents/marked.py"]) == {"Marked": "Marked", "marked": "agents/marked.py"}
    with pytest.raises(AgentNameError, match="Marked"):
        on_offer(["Markt"])
    assert marks(marked) == []


def test_what_a_bot_says_is_asked_through_its_process(tmp_path: Path) -> None:
    path = tmp_path / "picky.py"
    path.write_text(
        f"{HEAD}from liars_dice.core import ConfigError\n\n\nclass Picky(RandomAgent):\n"
        "    '''Plays without wild faces.\n\n    And so on.'''\n    name = 'the picky one'\n    players = (2, 3)\n"
        "    def check_rules(self, config):\n"
        "        if config.wild != 'none':\n            raise ConfigError('wild', config.wild, 'none')\n"
        "    def on_game_end(self, result): pass\n"
    )
    (agent,) = load_agents([str(path)], AMPLE)
    assert isinstance(agent, RemoteAgent)
    assert (agent.name, agent.player_type, agent.memoryless, agent.players) == ("the picky one", "Picky", True, (2, 3))
    assert agent.description.summary == "Plays without wild faces."
    agent.check_rules(preset("heads-up"))
    with pytest.raises(ConfigError, match="expected none"):
        agent.check_rules(preset("perudo", players=3))
    agent.close()
    for players in (3, 4):
        with pytest.raises((ConfigError, AgentNameError)):
            make_fitting_seat(str(path), preset("perudo", players=players), AMPLE, isolate=True)


def test_errors_of_loading_are_those_of_loading_it_here(tmp_path: Path) -> None:
    for name, text in {
        "typo": "def x(:\n",
        "none": "x = 1\n",
        "two": f"{HEAD}class A(RandomAgent): pass\nclass B(RandomAgent): pass\n",
        "args": f"{HEAD}class A(RandomAgent):\n    def __init__(self, x): pass\n",
        "raises": f"{HEAD}class A(RandomAgent):\n    def __init__(self): 1 / 0\n",
        "missing": None,
    }.items():
        path = tmp_path / f"{name}.py"
        if text is not None:
            path.write_text(text)
        with pytest.raises(LiarsDiceError) as here:
            make_agent(str(path))
        with pytest.raises(type(here.value)) as there:
            load_agents([str(path)], AMPLE)
        assert str(there.value) == str(here.value)


BODIES = {
    "Exits": "os._exit(3)",
    "Crashes": "ctypes.string_at(0)",
    "Stops": "os.kill(os.getpid(), 19)",
    "Swallows": (
        "\n        while True:\n            try:\n                time.sleep(1)\n            except BaseException: pass"
    ),
}


@pytest.mark.parametrize("bot", BODIES)
def test_a_bot_that_ends_its_process_costs_itself_the_game(
    bot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = bot in ("Exits", "Crashes")  # the others are late, and so may anyone be where the time is short
    limit = PATIENCE if ends else 0.3
    if bot == "Stops":  # noticed by its silence
        monkeypatch.setattr(worker_process, "SILENCE_SECONDS", 2 - BotLimits().load)
        monkeypatch.setattr(backends, "LOOK_SECONDS", 0.2)
    path = bot_file(tmp_path, bot, f"    def choose_action(self, view): {BODIES[bot]}")
    played = call("tournament", str(path), "random", "--games", "2", "--seed", "1", "--dice", "1", "--record", "none",
                  "--json", "--time-limit", str(limit))  # fmt: skip
    assert played.exit_code == 0, played.output
    rows = {row["agent"]: row["faults"] for row in json.loads(played.stdout)["ranking"]}
    assert ("died" if ends else "too_slow") in rows[str(path)]
    assert rows["random"].keys() <= (set() if ends else {"too_slow"})


def loaded(path: Path, limits: BotLimits = AMPLE) -> Agent:
    (agent,) = load_agents([str(path)], limits)
    assert agent is not None
    return agent


def test_tables_are_asked_for_elsewhere(tmp_path: Path) -> None:
    """The answers are those of the bot here; one that dies, lies or is late is an error of its own."""
    bot_file(tmp_path, "Honest", "    memoryless = True")
    honest = loaded(tmp_path / "honest.py")
    config = preset("heads-up", dice=1)
    assert (PolicyTable.of(honest, config, own=1, other=1).complete().cells
            == PolicyTable.of("random", config, own=1, other=1).complete().cells).all()  # fmt: skip
    engine = GameEngine(config, seed=1)
    engine.start_new_round()
    view = engine.get_view(0)
    for name, body in {
        "Dies": "        os._exit(0)",
        "Nonsense": "        return 7",
        "Illegal": "        return '99x1'",
        "Moody": "        self.n = getattr(self, 'n', 0) + 1\n        return view.legal_actions[self.n % 2]",
        "Fails": "        raise ValueError('\\x1b[2J')",
    }.items():
        bot_file(tmp_path, name, f"    def choose_action(self, view):\n{body}")
        agent = loaded(tmp_path / f"{name.lower()}.py")
        with pytest.raises(PolicyError, match=name):
            ask_all(agent, [view])
    bot_file(tmp_path, "Slow", "    def choose_action(self, view):\n        time.sleep(1000)")
    slow = loaded(tmp_path / "slow.py", BotLimits(decision=0.2, load=PATIENCE))
    with pytest.raises(PolicyError, match="too_slow"):
        ask_all(slow, [view])


def test_a_process_of_its_own_changes_nothing(tmp_path: Path) -> None:
    """A bot that remembers its games is one and the same in all of them."""
    body = (
        "    def choose_action(self, view):\n        self.n = getattr(self, 'n', 0) + 1\n"
        "        return view.legal_actions[self.n % len(view.legal_actions)]\n"
    )
    path = str(bot_file(tmp_path, "Counts", body))
    config = preset("heads-up", dice=2)
    games = []
    for apart in (False, True):
        seats = [make_seat(path, AMPLE, apart=apart), make_seat("random", AMPLE)]
        assert [seat.name for seat in seats] == ["Counts", "random"]
        assert seats[0].player_type == "Counts"
        games.append([Referee(seats, config, seed=seed).play().game for seed in range(4)])
        seats[0].dismiss()
    assert games[0] == games[1]
    anew = make_seat(path, AMPLE, apart=True, anew=True)
    again = [Referee([anew, make_seat("random")], config, seed=1).play().game for _ in range(2)]
    assert again[0] == again[1]
    anew.dismiss()


def test_a_bot_that_never_finishes_loading_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "never.py"
    path.write_text("while True:\n    try:\n        while True: pass\n    except BaseException: pass\n")
    hurried = BotLimits(load=0.5)
    with pytest.raises(AgentNameError, match="too_slow"):
        load_agents([str(path)], hurried)
    found = find_bots(tmp_path, hurried)
    assert found.bots == {}
    assert "too_slow" in str(found.problems[0])


def test_bots_of_a_folder_are_described_by_boxes(tmp_path: Path) -> None:
    fine = bot_file(tmp_path, "Fine", "")
    fine.write_text(fine.read_text().replace("    name =", "    '''Fine.'''\n    name ="))
    (tmp_path / "broken.py").write_text("x = 1 / 0\n")
    (tmp_path / "quits.py").write_text("import os\nos._exit(0)\n")
    found = find_bots(tmp_path, AMPLE)
    assert found.places == {"Fine": f"{tmp_path / 'fine.py'}:Fine"}
    assert found.bots["Fine"].summary == "Fine."
    assert sorted(str(problem).rpartition("/")[2] for problem in found.problems) == [
        "broken.py, line 1: ZeroDivisionError: division by zero",
        "quits.py: died, its process has ended",
    ]


def test_a_bot_cannot_lie_about_itself(tmp_path: Path) -> None:
    path = bot_file(tmp_path, "Liar", "    players = 'many'")
    with pytest.raises(Exception, match="players = 'many': expected"):
        load_agents([str(path)], AMPLE)
    cases = ["{'type': 'ready', 'bot': 7}", "{'type': 'ready'}", "{'type': 'ready', 'bot': {'class_name': 'x' * 9999}}"]
    for lie in cases:
        path.write_text(
            f"import json, os\nfor fd in range(3, 10):\n    try: os.write(fd, json.dumps({lie}).encode() + b'\\n')\n"
            "    except OSError: pass\n"
        )
        with pytest.raises(AgentNameError, match="garbage"):
            load_agents([str(path)], AMPLE)


@pytest.mark.skipif(sys.platform != "linux", reason="ending with another process")
def test_a_bot_without_a_box_ends_when_its_keeper_is_killed() -> None:
    code = (
        "import os, sys, time\n"
        "from liars_dice.referee.sandbox import keep\n"
        "keep(int(sys.argv[1]), lambda: (print('thinking', flush=True), time.sleep(10**6)), None)\n"
    )
    control, ours = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-c", code, str(control)], stdout=subprocess.PIPE, pass_fds=[control], text=True
    ) as keeper:
        assert keeper.stdout is not None
        assert keeper.stdout.readline() == "thinking\n"
        keeper.kill()
        assert keeper.communicate(timeout=PATIENCE)[0] == ""  # the output ends when the bot does
    os.close(control)
    os.close(ours)
