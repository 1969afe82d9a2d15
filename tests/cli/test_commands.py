"""The command line as people and programs meet it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

import ctrl_c
from command_line import call
from liars_dice import __version__
from liars_dice.cli import COMMANDS, main
from liars_dice.cli.runtime import STOPPING, tells_that_it_stops
from liars_dice.core import parse_game
from liars_dice.referee import MatchResult, Referee


def test_bare_command_lists_every_command() -> None:
    result = call("--help")
    assert result.exit_code == 0
    for name, summary in COMMANDS.items():
        assert f"{name} " in result.output
        assert summary in result.output
    assert call("--version").output == f"liars-dice, version {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name: str) -> None:
    result = call(name, "--help")
    assert result.exit_code == 0
    assert f"Example: liars-dice {name}" in result.output
    assert "--json" in result.output
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help is not None


def test_the_bare_command_answers_at_once() -> None:
    """Under 0.3 s of the processor: the best of five starts, with bytecode cached as on a user's machine."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(5):
        before = os.times()
        subprocess.run([sys.executable, "-m", "liars_dice"], env=environment, capture_output=True, check=False)
        after = os.times()
        times.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert 0 < min(times) < 0.3


def test_heavy_modules_are_imported_late() -> None:
    heavy = ("numpy", "scipy", "rich", "numba", "matplotlib", "starlette")
    script = f"import sys, liars_dice.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_demo() -> None:
    result = call("watch", "--seed", "3")
    assert result.exit_code == 0
    assert "optimal against maniac; rules heads-up, seed 3" in result.output
    assert "●" in result.output
    assert "wins the game" in result.output
    assert "liars-dice play" in result.output
    assert call("watch", "--seed", "3").output == result.output
    assert call("watch").output != call("watch").output


def test_demo_json() -> None:
    result = call("watch", "random", "passive", "maniac", "--rules", "perudo", "--dice", "2", "--seed", "3", "--json")
    told = json.loads(result.stdout)
    assert result.stdout.count("\n") == 1
    assert told["agents"] == ["random", "passive", "maniac"]
    assert (told["rules"], told["seed"]) == ("perudo", 3)
    game = parse_game(told["game"])
    assert game.public.names[game.public.winner or 0] == told["winner"]
    assert len(game.public.resolutions) == told["rounds"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["watch", "--rules", "perdo"], "rules = 'perdo': expected one of"),
        (["watch", "--rules", "missing.toml"], "file = 'missing.toml': expected a readable text file"),
        (["watch", "nobody", "random"], "agent = 'nobody': expected one of random"),
        (["watch", "random"], "agents = 'random': expected one bot per seat"),
        (["watch", "--players", "3", "random", "random"], "agents = 2: expected 3, one per seat"),
        (["watch", "--dice", "0"], "0 is not in the range 1<=x<=60"),
        (["watch", "--players", "0"], "0 is not in the range 2<=x<=15"),
        (["rules", "--check"], "Name the rules"),
        (["watch", "--seed", "-1"], "-1 is not in the range"),
        (["play", "--rules", "duel", "--players", "5"], "players = 5: expected 2"),
        (["rules", "duell"], "did you mean duel?"),
        (["nonsense"], "No such command 'nonsense'"),
        (["mathcup", "nash", "random"], "No such command 'mathcup'; did you mean matchup?"),
    ],
    ids=" ".join,
)
def test_mistakes_get_one_clear_line(words: list[str], message: str) -> None:
    result = call(*words)
    assert result.exit_code != 0
    assert result.stdout == ""
    assert message in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.output


def test_play_to_the_end_from_a_pipe() -> None:
    """A player who bids low and then always calls."""
    result = call("play", "--dice", "1", "--seed", "5", "--json", stdin="1x1\nliar\n" * 20)
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["winner"] in told["agents"] == ["You", "optimal"]
    assert "╭─────╮" in result.stderr


def test_play_leaves_kindly() -> None:
    for stdin in ("", "?\nquit\n"):
        result = call("play", "maniac", "random", "--rules", "perudo", stdin=stdin)
        assert result.exit_code == 0
        assert "Until next time." in result.output
    assert json.loads(call("play", "--json", stdin="").stdout)["winner"] is None


def test_rules(tmp_path: Path) -> None:
    listed = call("rules").output
    assert (
        "perudo-tournament  dice (5, 5, 5, 5, 5, 5), elimination, wild ones, exact calls, palifico, no opening"
        in listed
    )
    named = {"duel", "classic", "heads-up", "perudo", "perudo-tournament", "openspiel"}
    assert {line.split()[0] for line in listed.split("\n\n")[0].splitlines()} == named
    assert set(json.loads(call("rules", "--json").stdout)["rules"]) == named
    shown = call("rules", "perudo", "--players", "3").output
    assert "# the first round has 90 possible bids" in shown
    path = tmp_path / "mine.toml"
    path.write_text(shown)
    checked = json.loads(call("rules", str(path), "--check", "--json").stdout)
    assert (checked["checked"], checked["config"]["dice"], checked["rungs"]) == (True, [5, 5, 5], 90)


def test_rule_files_are_taken_as_they_are(tmp_path: Path) -> None:
    """Seats and seed of a file count, and odd file names are only names."""
    path = tmp_path / "[red] three.toml"
    path.write_text('dice = [1, 2, 3]\nmode = "elimination"\nseed = 5\n')
    result = call("watch", "--rules", str(path))
    assert result.exit_code == 0
    assert "[red] three.toml, seed 5" in result.output
    assert f"--rules '{path}'" in result.output
    assert json.loads(call("watch", "--rules", str(path), "--json").stdout)["seed"] == 5
    assert json.loads(call("play", "--rules", str(path), "--json", stdin="").stdout)["agents"] == [
        "You",
        "optimal",
        "maniac",
    ]


def test_input_that_is_no_text() -> None:
    command = [sys.executable, "-m", "liars_dice", "play"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "NO_COLOR": "1"}
    done = subprocess.run(command, input=b"h\xc3\xa9llo\nquit\n", env=environment, capture_output=True, check=True)
    assert b"I do not understand" in done.stdout
    assert b"+-----+" in done.stdout
    assert b"\x1b[" not in done.stdout


def test_people_do_not_watch_themselves(tmp_path: Path) -> None:
    result = call("watch", "human", "optimal", "--db", str(tmp_path / "games.sqlite"))
    assert result.exit_code == 1
    assert "expected a bot; people sit down with liars-dice play" in result.output
    assert "Round" not in result.output


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("liars_dice.exact.response.best_response", ("exploit", "optimal", "--dice", "1", "1")),
        ("liars_dice.referee.check_bot_apart", ("check-bot", "optimal")),
        ("liars_dice.persistence.open_store", ("games",)),
        ("liars_dice.persistence.open_store", ("games", "stats")),
        ("liars_dice.tournament.matchup", ("matchup", "optimal", "random", "--games", "10")),
        ("liars_dice.tournament.run_tournament", ("demo",)),
    ],
)
def test_ctrl_c_ends_every_command_alike(
    place: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(place, interrupted)
    result = call(*words)
    assert result.exit_code == 130
    assert result.stderr.strip().splitlines()[-1] == "Stopped before the end."


def test_sigterm_ends_a_command_as_ctrl_c_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("liars_dice.persistence.open_store", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    stopped = call("games")
    assert (stopped.exit_code, stopped.stderr) == (130, "Stopped before the end.\n")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_slow_end_is_announced_once(capfd: pytest.CaptureFixture[str]) -> None:
    with tells_that_it_stops():
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    assert capfd.readouterr().err.encode() == STOPPING


def test_watching_many_games_counts_those_before_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[int] = []
    real = Referee.play

    def play(self: Referee) -> MatchResult:
        played.append(1)
        if len(played) == 4:
            raise KeyboardInterrupt
        return real(self)

    monkeypatch.setattr(Referee, "play", play)
    words = (
        "watch",
        "optimal",
        "random",
        "--games",
        "10",
        "--dice",
        "1",
        "--seed",
        "1",
        "--db",
        str(tmp_path / "s.db"),
    )
    stopped = call(*words)
    assert stopped.exit_code == 130
    assert "\n3 games:" in stopped.stdout
    assert stopped.stderr == "Stopped before the end: the counts are of the games played so far.\n"
    played.clear()
    stopped = call(*words, "--json")
    assert stopped.exit_code == 130
    assert sum(json.loads(stopped.stdout)["wins"].values()) == 3


def test_a_matchup_that_was_stopped_shows_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    played = ctrl_c.after_one_block(monkeypatch)
    words = ("matchup", "detective", "random", "--games", "200", "--dice", "1", "--workers", "1", "--seed", "1")
    stopped = call(*words)
    assert stopped.exit_code == 130
    assert "95% interval" in stopped.stdout
    assert stopped.stderr == "Stopped before the end: the result is of the games played so far.\n"
    played.clear()
    stopped = call(*words, "--json")
    assert (stopped.exit_code, stopped.stderr) == (130, "")
    assert json.loads(stopped.stdout)["complete"] is False


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("watch --starting-dice 5", "'--starting-dice'. Use --dice."),
        ("watch --num-players 3", "'--num-players'. Use --players."),
        ("tournament --rng-seed 4", "'--rng-seed'. Use --seed."),
        ("simulate --n-tables 3", "'--n-tables'. Use --tables."),
        ("solve 1 1 --ones-wild", "'--ones-wild'. Use --wild."),
        ("watch --wild-ones", 'Use --rules NAME,FIELD=VALUE with wild = "ones" or wild = "none".'),
        ("watch --max-turns 64", "'--max-turns'. Use --rules NAME,max_turns=VALUE."),
        ("rules perudo --wild-ones", 'Use --set FIELD=VALUE with wild = "ones" or wild = "none".'),
        ("rules perudo --palifico", "'--palifico'. Use --set palifico=VALUE."),
        ("watch --dice-distribution 2 3", "with dice = [2, 3], one number per seat."),
        ("simulate --n-replications 3", "'--n-replications'. Use --games."),
        ("watch --nothing", "No such option '--nothing'."),
    ],
)
def test_rules_and_old_names_as_options_get_a_hint(command: str, hint: str) -> None:
    result = call(*command.split())
    assert result.exit_code == 2
    assert result.stderr.rstrip().endswith(hint)
