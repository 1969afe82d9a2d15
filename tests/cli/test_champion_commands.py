"""`train champion` and `exploit --train`: their keys, files and errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from command_line import answer, call
from liars_dice.agents import warn_once
from liars_dice.learn.champion.player import SHIPPED

SMALL = ("--players", "2", "--dice", "1")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("exploit", "crawler"), "Missing option '--dice'"),
        (("exploit", "crawler", "--train", "1", "--updates", "1"), "exclude each other"),
        (("exploit", "crawler", "--exploiter-decisions", "9", "--updates", "1"), "exclude each other"),
        (("exploit", "crawler", "--exploiter-decisions", "0"), "not in the range"),
        (("exploit", "crawler", "--train", "0"), "not in the range"),
        (("exploit", "crawler", "--updates", "1", "--players", "7"), "not in the range"),
        (("train", "champion", "--players", "1-3", "--out", "m.npz"), "a range such as 2-6"),
        (("train", "champion", "--dice", "few", "--out", "m.npz"), "a range such as 1-5"),
        (("train", "champion"), "Missing option '--out'"),
    ],
)
def test_mistakes_get_one_line(words: tuple[str, ...], problem: str) -> None:
    result = call(*words)
    assert result.exit_code == 2
    assert problem in result.stderr.splitlines()[-1]


def test_without_pytorch_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for words in (("exploit", "crawler", "--updates", "1"), ("train", "champion", "--out", "m.npz")):
        result = call(*words)
        assert result.exit_code == 1
        assert "pip install 'liars-dice[train]'" in result.stderr


GAMES = ("--db", "games.sqlite")
ONCE = ("--tables", "1")


@pytest.mark.parametrize(
    ("words", "seated"),
    [
        (("play", "champion", "--json", *GAMES), ("champion",)),
        (("watch", "champion", "sniper", "champion:easy", "--json", *GAMES), ("champion", "champion:easy")),
        (("matchup", "champion:file.npz", "sniper", "--games", "2", "--json"), ("champion:file.npz",)),
        (("tournament", "champion", "optimal", "sniper", "--players", "3", *ONCE, "--json", *GAMES), ("champion",)),
        (("simulate", "champion", "sniper", "--players", "2", "--tables", "1", "--json"), ("champion",)),
    ],
    ids=lambda given: given[0],
)
def test_it_is_said_up_front_what_the_champion_plays_by_rules_it_was_not_made_for(
    words: tuple[str, ...], seated: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    warn_once.cache_clear()
    copyfile(SHIPPED, "file.npz")
    result = call(*words, "--rules", "perudo,faces=8", "--seed", "1")
    told = [line for line in result.stderr.splitlines() if line.startswith("Warning: champion")]
    assert [line.partition(" is not made for these rules, so it plays as detective")[0] for line in told] == [
        f"Warning: {name}" for name in seated
    ]
    assert all(line.endswith(", or as aggressive") == ("easy" in line) for line in told)
    assert "not made for" not in result.stdout
    assert not result.stdout or json.loads(result.stdout)
    known = call(*words, "--rules", "perudo", "--seed", "1")
    assert "not made for" not in known.stderr


def test_hints_and_reviews_at_a_table_of_three_are_by_its_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    small = ("--rules", "perudo", "--dice", "2", "--seed", "1", *GAMES)
    hint = call("play", "optimal", "maniac", *small, stdin="hint\nquit\n").stdout
    assert "A strong player would" in hint
    assert "(champion)" in hint
    call("watch", "random", "optimal", "maniac", *small)
    review = json.loads(call("review", "last", "--json", *GAMES).stdout)
    assert review["moves"][0]["source"] == "champion"
    assert review["curve_source"].startswith("champion")


def repeats_itself(agent: str, *options: str) -> None:
    """The same command says the same, but for what depends on time; another seed gives another result."""
    words = ("exploit", agent, "--rules", "perudo,dice=2", "--updates", "2", *options, "--json", "--seed")
    first, again, other = (json.loads(call(*words, seed).stdout) for seed in ("1", "1", "2"))
    assert first.pop("run")["elapsed_s"] > 0
    again.pop("run")
    assert first == again
    assert first["decisions"] != other["decisions"]


class TestWithTorch:
    """What needs PyTorch."""

    @pytest.fixture(autouse=True)
    def _needs_torch(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")
        from liars_dice.learn.champion import settings

        monkeypatch.chdir(tmp_path)
        monkeypatch.setitem(settings.SMALL, "games", 128)  # updates take an eighth of the time

    @pytest.fixture
    def tiny(self) -> str:
        """A champion that knows nothing, whose exploiters learn fast."""
        from liars_dice.learn.champion.network import PolicyNetwork
        from liars_dice.learn.champion.player import save_weights

        save_weights(PolicyNetwork(16, 16, 1).state_dict(), Path("tiny.npz"))
        return "champion:tiny.npz"

    @pytest.mark.parametrize(
        ("words", "problem"),
        [
            (("exploit", "crawler", "--updates", "1", "--rules", "duel"), "does not support these rules"),
            (("exploit", "crawler", "--updates", "1", "--pair"), "three or more"),
            (("exploit", "nobody", "--updates", "1"), "nobody"),
            (("train", "champion", "--rules", "classic", "--players", "2", "--out", "m.npz"), "does not support"),
            (("train", "champion", "--out", "m.txt"), ".npz"),
            (("train", "champion", "--resume", "--out", "m.npz"), "a run to continue"),
        ],
    )
    def test_what_cannot_be_trained_is_said_in_one_line(self, words: tuple[str, ...], problem: str) -> None:
        result = call(*words)
        assert result.exit_code in (1, 2)
        assert problem in result.stderr.splitlines()[-1]

    def test_a_champion_is_trained_and_resumed(self) -> None:
        found = answer("train", "champion", *SMALL, "--updates", "2", "--out", "m.npz", "--curve", "c.csv")
        assert {"rules", "players", "updates", "decisions"} <= set(found)
        assert (found["rules"], found["players"], found["updates"], found["complete"]) == ("perudo", "2", 2, True)
        assert 0 < found["exploitability"]["exploit_1v1_exact"] < 1
        assert len(Path("c.csv").read_text().splitlines()) == 3
        again = call("train", "champion", *SMALL, "--updates", "3", "--out", "m.npz")
        assert "--resume" in again.stderr
        more = call("train", "champion", *SMALL, "--updates", "3", "--out", "m.npz", "--resume", "--curve", "c.png")
        assert "3 updates" in more.stdout
        assert Path("c.png").read_bytes()[:4] == b"\x89PNG"
        for other in (("--seed", "5"), ("--variants",), ("--rules", "perudo-tournament")):
            changed = call("train", "champion", *SMALL, "--updates", "4", "--out", "m.npz", "--resume", *other)
            assert changed.exit_code == 1
            assert "expected the settings its training was started with: " in changed.stderr
        over = answer("train", "champion", *SMALL, "--updates", "3", "--out", "m.npz", "--resume")
        assert (over["updates"], over["complete"]) == (3, True)
        from liars_dice.learn.champion.network import load_policy

        assert load_policy("m.npz").shape == {"face_width": 32, "table_width": 64, "blocks": 2}

    def test_ctrl_c_keeps_what_was_learned_and_the_rest_is_trained_later(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from liars_dice.learn.champion.train import Trainer

        learn = Trainer.learn

        def stopped(trainer: Trainer, *lesson: Any) -> dict[str, float]:
            if trainer.updates == 2:
                raise KeyboardInterrupt
            return learn(trainer, *lesson)

        words = ("train", "champion", *SMALL, "--updates", "4", "--out", "m.npz", "--json")
        monkeypatch.setattr(Trainer, "learn", stopped)
        first = call(*words)
        assert first.exit_code == 130
        assert "run the same command with --resume" in first.stderr
        found = json.loads(first.stdout)
        assert (found["updates"], found["complete"]) == (2, False)
        one_die = ("--rules", "perudo", "--dice", "1", "--games", "2")
        assert call("matchup", "champion:m.npz", "sniper", *one_die).exit_code == 0
        monkeypatch.setattr(Trainer, "learn", learn)
        second = call(*words, "--resume")
        assert second.exit_code == 0
        assert "Continuing after 2 of 4 updates." in second.stderr
        rest = json.loads(second.stdout)
        assert (rest["updates"], rest["complete"]) == (4, True)
        assert rest["decisions"] > found["decisions"]
        assert rest["run"]["trained_s"] > found["run"]["trained_s"]
        assert rest["run"]["elapsed_s"] == rest["elapsed_s"]

    def test_minutes_count_what_was_trained_before(self) -> None:
        """A run that has had its minutes is over; it is not begun anew with the same number of minutes."""
        words = ("train", "champion", *SMALL, "--out", "m.npz", "--minutes")
        whole = answer(*words, "0.01")
        again = call(*words, "0.01", "--resume", "--json")
        assert json.loads(again.stdout)["updates"] == whole["updates"]
        assert "of 0.01 minutes of training: a larger --minutes trains for longer." in again.stderr

    def test_an_exploiter_has_a_budget_of_decisions(self, tiny: str) -> None:
        words = ("exploit", tiny, "--games", "100", "--exploiter-decisions")
        one, two = (answer(*words, number) for number in ("1", "3000"))
        assert one["updates"] == 1
        assert one["decisions"] < 3000 <= two["decisions"]
        assert two["updates"] > 1

    def test_an_exploiter_of_a_network_repeats_itself(self, tiny: str) -> None:
        repeats_itself(tiny, "--games", "100")

    @pytest.mark.slow
    @pytest.mark.parametrize("agent", ["optimal", "maniac"])
    def test_an_exploiter_of_a_rule_bot_repeats_itself(self, agent: str) -> None:
        """One that is compiled, and one that is asked move by move."""
        repeats_itself(agent, "--games", "50")

    def test_a_table_of_any_bot_is_exploited(self) -> None:
        words = ("exploit", "maniac", "--players", "3", "--updates", "1", "--games", "5", "--seed", "2", "--pair")
        found = answer(*words)
        assert {"agent", "players", "rules", "updates", "fair_share", "win_rate", "ci95", "games"} <= set(found)
        assert (found["agent"], found["players"], found["rules"]) == ("maniac", 3, "perudo")
        assert found["fair_share"] == pytest.approx(2 / 3)
        assert (found["updates"], found["games"], found["seed"], found["bound"]) == (1, 5, 2, "lower")
        assert found["ci95"][0] <= found["win_rate"] <= found["ci95"][1]

    def test_a_rule_bot_is_exploited_at_full_speed(self) -> None:
        shown = call("exploit", "optimal", "--updates", "1", "--games", "100").stdout
        assert "a fair share is 50.00%" in shown
        assert "lower bound" in shown


@pytest.mark.slow
def test_a_student_trains_a_player_that_is_hard_to_exploit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One die each: playing anything loses 0.59 to a perfect adversary; docs/learning.md states the bound."""
    pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")
    monkeypatch.chdir(tmp_path)
    found = answer("train", "champion", *SMALL, "--updates", "120", "--out", "m.npz")
    assert found["exploitability"]["exploit_1v1_exact"] <= 0.15
