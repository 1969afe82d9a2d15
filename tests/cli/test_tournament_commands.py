"""`tournament`, `simulate` and `demo` as people and programs meet them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import ctrl_c
from command_line import answer, call
from liars_dice.core import BadValueError, preset
from liars_dice.persistence import InMemoryRecorder, open_store
from liars_dice.tournament import Ledger, TournamentSettings, simulation
from liars_dice.tournament import runner as tournament
from liars_dice.tournament.blocks import Worker

SMALL = ("tournament", "detective", "optimal", "random", "--dice", "1", "--games", "20", "--seed", "3")


def test_the_same_seed_gives_the_same_json() -> None:
    found = answer(*SMALL)
    assert {"method", "agents", "ranking", "matrix"} <= set(found)
    assert {"agent", "win_rate", "beats", "ties", "rating", "ci95"} <= set(found["ranking"][0])
    assert found == answer(*SMALL, "--workers", "1")
    assert found["matrix"][0][0] is None
    assert found["games"] == 60


def test_the_first_listed_sits_first() -> None:
    words = ("tournament", "optimal", "maniac", "--dice", "2")
    assert answer(*words)["seating"] == "both"
    listed = answer(*words, "--seating", "listed")
    assert listed["seating"] == "listed"
    assert listed["matrix"][0][1] == answer("matchup", "optimal", "maniac", "--dice", "2")["win_rate_first"]
    assert answer(*words, "--seating", "listed", "--games", "5", "--seed", "1")["games"] == 5
    assert "the agent listed first opens" in call(*words, "--seating", "listed").stdout
    refused = call(*words, "random", "--players", "3", "--seating", "listed")
    assert "seating = 'listed': expected both in a league" in refused.stderr


def test_run_facts_are_apart() -> None:
    told = json.loads(call(*SMALL, "--json").stdout)
    assert {"workers", "backend", "version", "tournament"} <= set(told["run"])
    assert told["elapsed_s"] > 0


def test_a_league() -> None:
    words = ("tournament", "--field", "personalities", "--rules", "perudo", "--players", "3", "--dice", "2")
    found = answer(*words, "--tables", "5", "--games", "30", "--seed", "1")
    assert found["kind"] == "league"
    assert found["games"] == 150
    shown = call(*words, "--tables", "5", "--games", "30", "--seed", "1").stdout
    assert "league at tables of 3; rules perudo" in shown
    assert "with 95% confidence for all agents at once" in " ".join(shown.split())
    assert "points apart or more differ significantly" in " ".join(shown.split())


def test_a_report_is_written(tmp_path: Path) -> None:
    result = call(*SMALL, "--report", str(tmp_path / "report"))
    assert result.exit_code == 0
    page = tmp_path / "report" / "index.html"
    assert str(page) in result.stdout.replace("\n", "")
    assert {"heatmap.png", "ratings.png", "significance.png", "result.json"} <= {p.name for p in page.parent.iterdir()}
    assert "detective" in page.read_text()


def test_games_are_recorded(tmp_path: Path) -> None:
    db = str(tmp_path / "games.sqlite")
    result = call(*SMALL, "--record", "all", "--db", db)
    assert f"liars-dice games --db {db}" in result.stdout.replace("\n", "")
    games = json.loads(call("games", "--db", db, "--limit", "100", "--json").stdout)["games"]
    assert len(games) == 60
    assert call("replay", games[0]["game_id"], "--verify", "--db", db).exit_code == 0


def test_it_says_which_games_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Faulty(Agent):\n"
        "    def choose_action(self, view):\n        return None\n"
    )
    db = ("--db", str(tmp_path / "games.sqlite"))

    def said(*words: str) -> str:
        result = call("tournament", "optimal", *words, "--games", "4", "--dice", "1", "--seed", "1")
        assert result.exit_code == 0, result.stderr
        return " ".join(result.stdout.split())

    def stored() -> int:
        return len(json.loads(call("games", *db, "--limit", "100", "--json").stdout)["games"])

    assert "no game was recorded, because there was no fault; use --record all" in said("random", *db)
    assert "no game was recorded; use --record all" in said("random", "--record", "none", *db)
    assert stored() == 0
    assert "games with a fault are recorded; to list them: liars-dice games" in said(str(tmp_path / "faulty.py"), *db)
    assert stored() == 4
    assert "the games are recorded; to list them: liars-dice games" in said("random", "--record", "all", *db)
    assert stored() == 8
    nowhere = call(*SMALL, LIARS_DICE_DB="/dev/null/games.sqlite")
    assert "no game was recorded: the store could not be opened" in " ".join(nowhere.stdout.split())


TIMED = """
import time
from pathlib import Path
from liars_dice.agents import Agent
from liars_dice.referee.time_guard import _Alarm

class Timed(Agent):
    def choose_action(self, view):
        self.note("decision")
        return view.legal_actions[-1 if view.current_bid else 0]

    def on_game_end(self, result):
        self.note("game_end")

    def note(self, what):
        left = _Alarm.due - time.monotonic()
        Path(__file__).with_name(what).write_text(str(left))
"""
"""A bot that writes down how many seconds it has left."""


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "timed.py", "random", "--games", "2"),
        ("matchup", "timed.py", "random", "--games", "2"),
        ("simulate", "timed.py", "random", "--players", "2", "--tables", "1", "--replications", "2"),
    ],
    ids=lambda words: words[0],
)
def test_the_time_limit_for_a_decision(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hook at the end of a game has twice as long."""
    monkeypatch.chdir(tmp_path)
    Path("timed.py").write_text(TIMED)
    result = call(
        *words, "--rules", "classic", "--dice", "1", "--seed", "1", "--time-limit", "500", stdin="1x6\nliar\n"
    )
    assert result.exit_code == 0, result.output
    assert 10 < float(Path("decision").read_text()) <= 500
    assert 500 < float(Path("game_end").read_text()) <= 1000


def test_a_late_bot_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Late(Agent):\n"
        "    def choose_action(self, view):\n        while True:\n            pass\n"
    )
    words = ("watch", str(tmp_path / "late.py"), "random", "--rules", "classic", "--dice", "1", "--seed", "1")
    fault = answer(*words, "--time-limit", "0.05")["faults"][0]
    assert (fault["verdict"], fault["detail"]) == ("too_slow", "took longer than 0.05 s")
    assert answer(*words, "--time-limit", "0.05", "--isolate")["faults"][0]["verdict"] == "too_slow"
    match = ("matchup", *words[1:-2], "--games", "2", "--time-limit", "0.05")
    assert "check-bot BOT --time-limit 0.05 shows what is wrong" in call(*match).output
    checked = call("check-bot", words[1], "--time-limit", "0.05")
    assert checked.exit_code == 1
    assert "took longer than 0.05 s" in checked.output


def test_the_time_limit_does_not_change_the_method() -> None:
    words = ("matchup", "optimal", "maniac", "--dice", "2", "--seed", "1")
    assert answer(*words, "--time-limit", "5") == answer(*words)


def test_a_folder_is_a_field(tmp_path: Path) -> None:
    for name in ("One", "Two"):
        (tmp_path / f"{name.lower()}.py").write_text(
            f"from liars_dice.agents import CrawlerAgent\n\n\nclass {name}(CrawlerAgent):\n    '''Crawls.'''\n"
        )
    found = answer("tournament", "--field", str(tmp_path), "random", "--dice", "1")
    assert len(found["agents"]) == 3
    assert found["method"] == "exact"
    (tmp_path / "empty").mkdir()
    assert "a folder that contains bots" in call("tournament", "--field", str(tmp_path / "empty")).stderr


def test_bots_of_a_folder_are_told_apart_and_those_that_do_not_load_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agents").mkdir()
    for name in ("One", "Two"):
        bot = f"from liars_dice.agents import CrawlerAgent\n\n\nclass {name}(CrawlerAgent):\n    '''Crawls.'''\n"
        Path(f"agents/{name.lower()}.py").write_text(bot)
    Path("agents/three.py").write_text("import nothing_of_the_kind\n")
    found = call("tournament", "--field", "agents", "random", "--dice", "1")
    assert {"agents/one.py:One", "agents/two.py:Two"} <= set(found.stdout.split())
    problem = "agents/three.py, line 1: ModuleNotFoundError: No module named 'nothing_of_the_kind'"
    assert found.stderr.count(f"Warning: not loaded: {problem}") == 1
    found = call("simulate", "--tables", "1", "--replications", "1", "--players", "2")
    assert found.stderr.count(f"Warning: not loaded: {problem}") == 1


def test_stop_and_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = str(tmp_path / "games.sqlite")
    monkeypatch.setattr(tournament, "BLOCK_DEALS", {True: 5, False: 2})
    played: list[int] = []
    real = Worker.play

    def play(self: Any, block: Any) -> Any:
        if len(played) == 4:
            raise KeyboardInterrupt
        played.append(block.number)
        return real(self, block)

    monkeypatch.setattr(Worker, "play", play)
    stopped = call(*SMALL, "--db", db)
    assert stopped.exit_code == 130
    assert "To continue: liars-dice tournament --resume" in stopped.stderr
    assert re.search(r"stopped after [\d,]+ of 60 games: not all agents have met yet", stopped.stdout)
    again = stopped.stderr.split("--resume ")[1].split()[0]
    monkeypatch.setattr(Worker, "play", real)
    for changed, message in (
        (("--games", "40"), "games was 20, now 40"),
        (("--seed", "4"), "seed was 3, now 4"),
        (("--dice", "2"), "config.dice was [1, 1], now [2, 2]"),
        (("--time-limit", "0.5"), "time_limit_seconds was 1.0, now 0.5"),
        (("maniac",), "agents was"),
    ):
        refused = call("tournament", *changed, "--resume", again, "--db", db)
        assert refused.exit_code == 1
        assert message in refused.stderr
    resumed = answer("tournament", "--resume", again, "--db", db)
    assert resumed == answer(*SMALL)
    assert answer("tournament", "--resume", "last", "--db", db) == resumed


def test_until_significant() -> None:
    found = answer("tournament", "optimal", "random", "--until-significant", "--games", "2000", "--seed", "1")
    assert found["games"] <= 2000
    assert found["ranking"][0]["beats"] == 1


def test_simulate_keeps_its_contract() -> None:
    words = ("simulate", "--players", "3", "--tables", "2", "--replications", "10", "--seed", "5")
    found = answer(*words)
    assert {"tables", "global_scores", "games"} <= set(found)
    assert found["games"] == sum(found["global_scores"].values()) == 20
    assert [sum(table["wins"]) for table in found["tables"]] == [10, 10]
    assert all(len(table["agents"]) == 3 for table in found["tables"])
    assert found == answer(*words, "--workers", "1")
    shown = call(*words).stdout
    assert "table 1:" in shown
    assert "95% interval" in shown


def test_simulate_tells_win_rates_with_intervals_and_adds_up_copies() -> None:
    words = ("simulate", "optimal", "random", "--players", "3", "--tables", "4", "--replications", "10", "--seed", "5")
    found = answer(*words)
    assert set(found["global_scores"]) == {"optimal", "random"}
    assert any("optimal#2" in table["agents"] for table in found["tables"])
    assert {one["agent"]: one["wins"] for one in found["ranking"]} == found["global_scores"]
    assert sum(one["games"] for one in found["ranking"]) == 3 * found["games"]
    for one in found["ranking"]:
        assert one["tables"] == 4
        assert one["win_rate"] == one["wins"] / one["games"]
        assert one["ci95"][0] <= one["win_rate"] <= one["ci95"][1]


def test_simulate_stopped_counts_the_games_that_were_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "BLOCK_GAMES", {True: 5, False: 5})
    ctrl_c.after_one_block(monkeypatch)
    words = ("optimal", "random", "--players", "2", "--tables", "1", "--replications", "50", "--seed", "5")
    stopped = call("simulate", *words, "--workers", "1")
    assert stopped.exit_code == 130
    rows = [line.split() for line in stopped.stdout.splitlines() if line.rstrip().endswith("%")]
    rates = [float(row[4][:-1]) for row in rows]
    assert len(rates) == 2
    assert sum(rates) == pytest.approx(100)


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("python3 bot.py --log bot.log", "bot.log"),
        ("python3 -u bot.py bot.log", "bot.log"),
        ("./bot.py --log bot.log", "bot.log"),
        ("python3 -m bot --log bot.log", "bot.log"),
    ],
)
def test_a_bot_may_write_to_the_files_of_its_command(
    command: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot, log = tmp_path / "bot.py", tmp_path / written
    bot.write_text("the bot", encoding="utf-8")
    log.write_text("an older game", encoding="utf-8")
    config = preset("heads-up", dice=1).to_dict()
    asked = TournamentSettings(
        kind="round-robin", agents=(f"cmd:{command}", "optimal"), rules="heads-up", config=config, seed=1
    )
    store = InMemoryRecorder()
    first = Ledger(store, asked)
    first.begin((), 2)
    log.write_text("another game", encoding="utf-8")
    assert Ledger(store, asked, first.id).entry == first.entry
    if "bot.py" in command:
        bot.write_text("a better bot", encoding="utf-8")
        with pytest.raises(BadValueError, match=r"with which it began: bot\.py changed since"):
            Ledger(store, asked, first.id)


def test_a_bot_that_changed_is_not_mixed_with_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = tmp_path / "mine.py"
    source = "from liars_dice.agents import RandomAgent\n\n\nclass Mine(RandomAgent):\n    pass\n"
    bot.write_text(source, encoding="utf-8")
    config = preset("heads-up", dice=1)
    asked = TournamentSettings(
        kind="round-robin", agents=("mine.py", "optimal"), rules="heads-up", config=config.to_dict(), games=4, seed=1
    )
    with open_store("games.sqlite") as store:
        Ledger(store, asked).begin((), 2)  # and then the machine lost power
    bot.write_text(f"{source}\n# better now\n", encoding="utf-8")
    refused = call("tournament", "--resume", "last", "--db", "games.sqlite")
    assert refused.exit_code == 1
    assert "mine.py changed since; put them back, or start anew" in refused.stderr
    bot.write_text(source, encoding="utf-8")
    assert call("tournament", "--resume", "last", "--db", "games.sqlite").exit_code == 0


def test_a_stopped_tournament_says_who_has_not_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ctrl_c.after_one_block(monkeypatch)
    words = ("detective", "sniper", "bluffer", "--games", "4", "--dice", "1", "--seed", "1", "--workers", "1")
    stopped = call("tournament", *words, "--db", str(tmp_path / "games.sqlite"))
    assert stopped.exit_code == 130
    (waiting,) = [line for line in stopped.stdout.splitlines() if "no games yet" in line]
    assert "exact" not in stopped.stdout
    assert "%" not in waiting
    assert "0 of 2" in waiting


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--games", "40"), "stopped after 20 of 40 games: the order may still change"),
        (("--games", "40", "--until-significant"), "stopped after 20 of at most 40 games: the order may still change"),
    ],
)
def test_a_stopped_tournament_does_not_say_that_agents_have_not_met_who_have(
    words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tournament, "BLOCK_DEALS", {True: 10, False: 10})
    ctrl_c.after_one_block(monkeypatch)
    asked = ("tournament", "optimal", "threshold:0.4,0.15", *words, "--seed", "1", "--db", str(tmp_path / "g.sqlite"))
    stopped = call(*asked)
    assert stopped.exit_code == 130
    assert told in stopped.stdout
    assert "met" not in stopped.stdout


def test_a_stopped_demo_says_how_to_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    played = ctrl_c.after_one_block(monkeypatch)
    words = ("demo", "--tables", "8", "--db", "games.sqlite")
    stopped = call(*words)
    assert stopped.exit_code == 130
    assert "the tables played so far are not a fair sample" in " ".join(stopped.stdout.split())
    again = stopped.stderr.split("To continue: liars-dice ")[1].split()
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    continued = call(*again)
    assert continued.exit_code == 0, continued.output
    assert "13 agents, league at tables of 6; rules perudo" in continued.stdout
    played.clear()
    ctrl_c.after_one_block(monkeypatch)
    told = call(*words, "--json")
    assert told.exit_code == 130
    assert json.loads(told.stdout)["league"]["complete"] is False


def test_demo_runs_both_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("demo", "--tables", "40", "--db", "games.sqlite")
    assert result.exit_code == 0, result.output
    assert "12 agents, round robin; rules heads-up" in result.stdout
    assert "13 agents, league at tables of 6; rules perudo" in result.stdout
    assert re.search(r"^ *1 .* champion ", result.stdout, re.MULTILINE)
    assert result.stdout.count("heatmap: demo-report/") == 2
    assert Path("demo-report/league/heatmap.png").exists()
    suggested = [line.split("liars-dice ")[1] for line in result.stdout.split("What next?")[1].splitlines() if line]
    assert len(suggested) == 3
    assert call(*suggested[0].split()).exit_code == 0
    assert call("games", "--db", "games.sqlite").exit_code == 0
    assert (
        json.loads(call("games", "--db", "games.sqlite", "--limit", "99", "--json").stdout)["games"][0]["rules"]
        == "perudo"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("tournament", "--field", "all", "--games", "0"), "0 is not in the range"),
        (("tournament", "optimal", "maniak"), "maniac"),
        (("tournament", "optimal", "random", "--players", "3", "--exact"), "2 with --exact"),
        (("tournament", "optimal", "random", "--report", "/dev/null/x"), "a directory that can be written"),
        (("tournament", "optimal", "random", "--backend", "spark"), "backend = 'spark'"),
        (("tournament", "--resume", "nothing"), "match"),
        (("tournament", "optimal", "random", "--exact", "--until-significant"), "cannot be combined"),
        (("tournament", "optimal", "random", "--time-limit", "0"), "0 is not a number of seconds above 0"),
        (("simulate", "--time-limit", "-1"), "-1 is not a number of seconds above 0"),
        (("matchup", "optimal", "random", "--time-limit", "nan"), "nan is not a number of seconds"),
        (("watch", "--time-limit", "inf"), "at most 86,400"),
        (("play", "--time-limit", "soon"), "'soon' is not a valid float"),
        (("simulate", "--players", "1"), "1 is not in the range"),
        (("simulate", "--tables", "0"), "0 is not in the range"),
        (("simulate", "nobody"), "agent = 'nobody'"),
        (("simulate", "--rules", "heads-up", "--players", "3", "--dice", "1", "cmd:'"), "a command line"),
        (("demo", "--report", "/dev/null/x"), "a directory that can be written"),
    ],
)
def test_a_mistake_gets_one_clear_line(words: tuple[str, ...], message: str) -> None:
    result = call(*words)
    assert result.exit_code != 0
    assert message in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize("columns", [120, 60, 40, 20])
def test_rankings_fit_the_terminal(columns: int) -> None:
    """Names are never cut off; the least important columns go first."""
    long_name = "threshold:0.3500000000,0.1500000000"
    words = ("tournament", long_name, "random", "--dice", "1", "--games", "2", "--seed", "1")
    shown = call(*words, COLUMNS=str(columns), FORCE_COLOR="1", NO_COLOR="1").output
    assert "…" not in shown
    table = re.sub(r"\x1b\[[0-9;]*m", "", shown.partition("agent")[2].partition("in brackets")[0])
    assert max(map(len, table.splitlines())) <= columns
    assert table.count("0") >= long_name.count("0")
    assert ("This terminal is too narrow to show: undecided" in " ".join(shown.split())) == (columns in (60, 40))
