"""`matchup`, `tournament`, `exploit`: the contract's keys, the same JSON from the same seed, one line for mistakes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import answer, call
from pseudo_terminal import PseudoTerminal


def test_matchup_keeps_its_contract() -> None:
    found = answer("matchup", "optimal", "maniac", "--rules", "heads-up", "--exact")
    assert {"a", "b", "rules", "method", "win_rate", "win_rate_first", "win_rate_second", "games", "ci95"} <= set(found)
    assert (found["a"], found["b"], found["rules"], found["method"]) == ("optimal", "maniac", "heads-up", "exact")
    assert found["games"] is None
    assert found["ci95"] is None
    assert found["win_rate"] == pytest.approx(0.753563701971, abs=1e-12)
    assert found["expected_rounds"] == pytest.approx(7.087434795, abs=1e-6)
    assert sum(end["probability"] for end in found["final_dice"]) == pytest.approx(1)


def test_matchup_plays_games_from_a_seed() -> None:
    arguments = ("matchup", "optimal", "maniac", "--games", "2000", "--seed", "9")
    found = answer(*arguments)
    assert (found["method"], found["games"], found["seed"]) == ("compiled", 2000, 9)
    low, high = found["ci95"]
    assert low < found["win_rate"] < high
    assert found == answer(*arguments, "--workers", "1")


def test_matchup_is_for_two_also_in_perudo() -> None:
    found = answer("matchup", "sniper", "random", "--rules", "perudo", "--dice", "2")
    assert found["dice"] == [2, 2]
    assert found["method"] == "exact"


@pytest.mark.parametrize("games", [(), ("--games", "1000", "--seed", "1")])
def test_people_read_sentences(games: tuple[str, ...]) -> None:
    shown = call("matchup", "optimal", "maniac", *games).stdout
    assert ("no sampling error" in shown) == (not games)
    assert "the match" in shown
    assert ("optimal wins with 5 left" in shown) == (not games)
    shown = call("tournament", "optimal", "maniac", "random", *games).stdout
    assert shown.index("optimal") < shown.index("maniac") < shown.index("random ")


def test_tournament_keeps_its_contract() -> None:
    found = answer("tournament", "--field", "threshold-grid", "--rules", "heads-up", "--exact")
    assert {"method", "agents", "ranking", "matrix"} <= set(found)
    assert len(found["agents"]) == len(found["matrix"]) == len(found["ranking"]) == 81
    best = found["ranking"][0]
    assert (best["agent"], best["beats"], best["ties"], best["ci95"]) == ("threshold:0.35,0.15", 73, 1, None)
    assert best["win_rate"] == pytest.approx(0.5658536732414843, abs=1e-12)
    assert {"agent", "win_rate", "beats", "ties", "rating", "ci95"} <= set(best)
    assert best["rating"] > found["ranking"][-1]["rating"]


def test_a_tournament_of_names_and_a_field() -> None:
    found = answer("tournament", "truthful", "optimal", "--field", "personalities", "--games", "400", "--seed", "2")
    assert found["agents"] == ["truthful", "optimal", "maniac", "aggressive", "passive", "calling-station"]
    assert found["method"] == "compiled"
    assert all(entry["ci95"][0] <= entry["win_rate"] <= entry["ci95"][1] for entry in found["ranking"])


def test_exploit_keeps_its_contract() -> None:
    found = answer("exploit", "truthful", "--dice", "1", "1")
    assert (found["agent"], found["dice"]) == ("truthful", [1, 1])
    assert found["best_response_value_first"] == pytest.approx(2 / 3, abs=1e-12)
    assert found["exploitability"] == pytest.approx(
        (found["best_response_value_first"] + found["best_response_value_second"]) / 2, abs=1e-12
    )
    found = answer("exploit", "bluffer", "--dice", "2", "1", "--faces", "4", "--wild", "ones", "--ordering", "perudo")
    assert 0 < found["exploitability"] <= 1
    assert "wins 83.33% of the rounds" in call("exploit", "truthful", "--dice", "1", "1").stdout


@pytest.mark.parametrize(
    ("biddings", "least", "most"), [(50_000, 0.03, 0.05), pytest.param(None, 0.0365, 0.0375, marks=pytest.mark.slow)]
)
def test_exploit_bounds_what_nash_gives_up_with_a_short_memory(
    biddings: int | None, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if biddings is not None:
        monkeypatch.setattr("liars_dice.cli.exploit_command.MEASURED_BIDDINGS", biddings)
    found = answer("exploit", "nash", "--dice", "3", "4")
    assert least < found["exploitability_at_least"] <= found["exploitability"] < most
    mean = (found["best_response_value_first"] + found["best_response_value_second"]) / 2
    assert mean == pytest.approx(found["exploitability"])


def test_exploit_shows_where_a_bot_gives_most_away() -> None:
    told = answer("exploit", "truthful", "--dice", "1", "1")["against_perfect_play"]
    assert told["win_rate_first"] < told["possible_first"] == pytest.approx(4 / 9, abs=1e-4)
    assert [len(told["leaks"]), told["leaks"][0]["action"], told["leaks"][0]["best"]] == [5, "1x6", "2x5"]
    shown = call("exploit", "truthful", "--dice", "1", "1").stdout
    *_, why = shown.splitlines()
    assert why == "Why? liars-dice explain --dice 1 1 --hand 5 --bids 1x1,1x5 --action 1x6"
    assert "The costliest decisions" in shown
    assert "comes up" in shown
    assert call(*why.split()[2:]).exit_code == 0
    assert "no mistake worth listing" in call("exploit", "nash", "--dice", "1", "1").stdout
    assert answer("exploit", "truthful", "--dice", "1", "1", "--leaks", "0")["against_perfect_play"] is None
    assert answer("exploit", "truthful", "--dice", "1", "1", "--wild", "ones")["against_perfect_play"] is None


@pytest.mark.parametrize("bot", ["nash", "champion"])
def test_exploit_measures_one_round_of_a_match(bot: str) -> None:
    """A bot that would play for the match is told that it plays a round, so the figure is that of the solution."""
    found = answer("exploit", bot, "--dice", "2", "1", "--rules", "perudo")
    assert found["exploitability"] < 1e-3
    told = found["against_perfect_play"]
    assert told["possible_first"] - told["win_rate_first"] < 1e-3
    shown = call("exploit", "detective", "--dice", "1", "1", "--rules", "perudo").stdout
    *_, why = shown.splitlines()
    assert why.startswith("Why? liars-dice explain --dice 1 1 --rules perudo --hand ")
    assert call(*why.split()[2:]).exit_code == 0


@pytest.mark.parametrize("option", ["--pair", "--players 3", "--games 5"])
def test_options_of_a_training_are_refused_without_one(option: str) -> None:
    refused = call("exploit", "maniac", "--dice", "1", "1", *option.split())
    assert refused.exit_code == 2
    assert f"{option.split()[0]} belongs to --train, --updates or --exploiter-decisions" in refused.output


def test_exploit_announces_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("exploit", "detective", "--dice", "2", "2", "--leaks", "0")
    assert "questions" not in call(*asked).stderr
    monkeypatch.setattr("liars_dice.cli.exploit_command.MANY_QUESTIONS", 1000)
    assert re.findall(r"Asking detective about [\d,]+ questions; this may take minutes\.", call(*asked).stderr)
    assert "questions" not in call(*asked, "--json").stderr


def test_exploit_asks_a_bot_that_uses_the_bidding(tmp_path: Path) -> None:
    found = answer("exploit", "detective", "--dice", "1", "1")
    assert found["best_response_value_first"] == pytest.approx(1 / 6, abs=1e-12)
    assert found["best_response_value_second"] == pytest.approx(1 / 6, abs=1e-12)
    bot = tmp_path / "bot.py"
    for body, dice, message in (
        ("return self.rng.choice(view.legal_actions)", "1", "states no policy"),
        ("return view.legal_actions[0 if view.round_bids else 99]", "1", "IndexError"),
        ("return view.legal_actions[len(view.legal_actions) > len(view.round_bids) + 2]", "3", "questions"),
    ):
        bot.write_text(
            "from liars_dice.agents import Agent\n\n\nclass Bot(Agent):\n    def choose_action(self, view):\n"
            f"        {body}\n"
        )
        result = call("exploit", str(bot), "--dice", dice, dice)
        assert (result.exit_code, result.stdout) == (1, "")
        assert message in result.stderr
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("matchup", "optimal"), "Missing argument 'B'"),
        (("matchup", "optimal", "maniak"), "maniac"),
        (("matchup", "optimal", "detective", "--exact"), "detective does not declare `memoryless`"),
        (("matchup", "optimal", "maniac", "--exact", "--games", "10"), "cannot be combined"),
        (("matchup", "optimal", "maniac", "--games", "7"), "an even number"),
        (("matchup", "optimal", "maniac", "--games", "0"), "0 is not in the range"),
        (("matchup", "optimal", "maniac", "--rules", "heads-up", "--players", "3"), "expected 2"),
        (("matchup", "optimal", "maniac", "--rules", "classic", "--dice", "60", "--exact"), "--games N"),
        (("tournament",), "at least two agents"),
        (("tournament", "optimal", "optimal"), "each agent only once"),
        (("matchup", "cmd:'x", "random", "--games", "2"), "a command line"),
        (("tournament", "cmd:\udcff", "random", "--games", "2"), "a name of printable characters"),
        (("tournament", "optimal"), "at least two agents"),
        (("tournament", "--field", "personality"), "expected"),
        (("exploit", "optimal"), "Missing option '--dice'"),
        (("exploit", "optimal", "--dice", "0", "1"), "0 is not in the range"),
        (("exploit", "random", "--dice", "10", "10"), "GB"),
        (("exploit", "cmd:sh", "--dice", "1", "1"), "is a program"),
        (
            ("matchup", "cmd:no-such-program x", "optimal"),
            "a program that can be run here; no-such-program was not found",
        ),
        (("agents", "--folder", "missing"), "folder = 'missing': expected an existing folder"),
        (("train",), "Missing argument 'q|pg|champion|clone'. Expected q, pg, champion or clone."),
        (("train", "x"), "'x' is not one of 'q', 'pg', 'champion', 'clone'."),
        (("train", "--games", "9", "clone"), "'clone' comes first: liars-dice train clone OPTIONS."),
        (("train", "q", "--alpha", "-1", "2"), "Invalid value for '--alpha': -1.0 is not in the range"),
    ],
)
def test_a_mistake_gets_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code != 0
    assert result.stdout == ""
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bot_file_is_measured(tmp_path: Path) -> None:
    bot = tmp_path / "caller.py"
    bot.write_text(
        "from liars_dice.agents import Agent\n\n\nclass Caller(Agent):\n    memoryless = True\n\n"
        "    def choose_action(self, view):\n        return view.legal_actions[-1]\n"
    )
    assert answer("matchup", str(bot), "optimal", "--dice", "2")["method"] == "exact"
    assert answer("exploit", str(bot), "--dice", "1", "1")["exploitability"] > 0


def test_what_bots_print_is_not_part_of_the_answer(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Loud(Agent):\n    def choose_action(self, view):\n"
        "        print('hello')\n        return view.legal_actions[-1]\n"
    )
    bot = str(tmp_path / "loud.py")
    for words in (("matchup", bot, "random", "--games", "300"), ("tournament", bot, "random", "--games", "300")):
        done = subprocess.run(
            [sys.executable, "-m", "liars_dice", *words, "--seed", "1", "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout)["method"] == "engine"
        assert "hello" in done.stderr


def test_names_are_shown_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("[red]x.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Odd(Agent):\n    memoryless = True\n\n"
        "    def choose_action(self, view):\n        return view.legal_actions[-1]\n"
    )
    shown = call("tournament", "[red]x.py", "random", "--dice", "1").stdout.replace("\n", "")
    assert "[red]x.py" in shown.replace(" ", "")


def test_compiling_shows_a_clock_and_wrong_names_do_not_wait_for_it() -> None:
    with PseudoTerminal("exploit", "truthful", "--dice", "1", "1") as terminal:
        assert terminal.end() == 0
        assert "compiling (only the first run takes several seconds)" in terminal.text
        assert terminal.text.rstrip().endswith("--bids 1x1,1x5 --action 1x6")
    with PseudoTerminal("exploit", "nobody", "--dice", "1", "1") as terminal:
        assert terminal.end() == 1
        assert "compiling" not in terminal.text


def test_bench_measures_this_machine() -> None:
    found = answer("bench")
    assert {figure["unit"] for figure in found["figures"]} == {"games/s", "s"}
    assert all(figure["value"] > 0 for figure in found["figures"])
    shown = call("bench").output.rstrip("\n").split("\n")
    assert [line.split("  ")[0] for line in shown] == [figure["what"] for figure in found["figures"]]
