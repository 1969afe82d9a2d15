"""Playing, watching, replaying and reviewing in a real terminal: wide and narrow, with colours and without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from liars_dice.core import DiceRolled, Event
from liars_dice.persistence import decisions, open_store, verify_game
from liars_dice.terminal.dice_art import draw_hand
from patience import PATIENCE
from pseudo_terminal import PseudoTerminal

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="whether a program waits for a line is read in /proc")
SCREENS = [
    pytest.param(80, {}, id="80-colour"),
    pytest.param(40, {}, id="40-colour"),
    pytest.param(80, {"NO_COLOR": "1"}, id="80-plain"),
    pytest.param(40, {"NO_COLOR": "1"}, id="40-plain"),
]
REVIEW = "Review the game? "
SKIP = "skip to the end: "
COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3[0-8]|9[0-7])[;m]")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of the test's own, which the programs it starts use too."""
    path = tmp_path / "games.sqlite"
    monkeypatch.setenv("LIARS_DICE_DB", str(path))
    return path


def playing(*words: str, **how: Any) -> PseudoTerminal:
    """`liars-dice play WORDS` with bots that are never late, however busy the machine is."""
    return PseudoTerminal("play", *words, "--time-limit", f"{PATIENCE:.0f}", **how)


def stored(path: Path, number: int = 0) -> list[Event]:
    """The events of a game, the latest first, without the one that names it."""
    with open_store(path) as games:
        events = games.events(games.games()[number].game_id)
    verify_game(events)
    return [event.payload for event in events[1:]]


def flat(text: str) -> str:
    """The words, wherever lines were broken."""
    return " ".join(text.split())


def play_on(terminal: PseudoTerminal, shown: str, until: str = REVIEW, turns: int = 1000) -> str:
    """Open with a pair of threes, raise once to five fours, call everything else, and when out, skip to the end."""
    for _ in range(turns):
        if shown.endswith(until):
            break
        if shown.endswith(SKIP):
            shown = terminal.answer("end", until)
            break
        face = re.findall(r"You open: make a bid|bid \w+ (\w+)\. (?:Raise|Nothing)", flat(shown))[-1]
        word = "two 3s" if not face else "5 fours" if face == "fours" else "liar"
        shown = terminal.answer(word, "> ", until, SKIP)
        if "Possible:" in shown:
            shown = terminal.answer("liar", "> ", until, SKIP)
    return shown


def check_screen(terminal: PseudoTerminal, environment: dict[str, str]) -> None:
    """Nothing is wider than the screen, and colours are there exactly if they are wanted."""
    assert terminal.longest_line() <= terminal.columns
    assert bool(COLOUR.search(terminal.output)) is ("NO_COLOR" not in environment)
    assert "Traceback" not in terminal.output


@pytest.mark.parametrize(("columns", "environment"), SCREENS)
def test_sit_down_play_and_learn(
    columns: int, environment: dict[str, str], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.parent)
    Path("small.toml").write_text("dice = [2, 2]\n")
    with playing("--seed", "5", columns=columns, environment=environment) as terminal:
        terminal.wait_for("Opponents [optimal]: ")
        listed = terminal.answer("?", "Opponents [optimal]: ")
        assert "calling-station" in listed
        assert "human" in listed
        assert "did you mean optimal?" in flat(terminal.answer("optimsl", "Opponents [optimal]: "))
        terminal.answer("", "Rules [heads-up]: ")
        assert "perudo" in terminal.answer("?", "Rules [heads-up]: ")
        assert "expected one of" in flat(terminal.answer("chess", "Rules [heads-up]: "))
        terminal.answer("small.toml", "0 opens [0]: ")
        assert "a seat from 0 to 1" in flat(terminal.answer("2", "0 opens [0]: "))
        shown = terminal.answer("")
        assert "You open" in shown
        shown += terminal.answer("odds") + terminal.answer("history")
        assert "2x3" in shown
        play_on(terminal, shown)
        review = terminal.answer("y", "replay last")
        assert "accuracy" in review
        assert terminal.end() == 0
        assert "the game" in terminal.text
        check_screen(terminal, environment)
    with PseudoTerminal("review", "last", columns=columns, environment=environment) as terminal:
        assert terminal.end() == 0
        assert "optimal: accuracy" in terminal.text
        check_screen(terminal, environment)


@pytest.mark.parametrize(("columns", "environment"), SCREENS)
def test_watch_and_replay_step_by_step(columns: int, environment: dict[str, str], store: Path) -> None:
    options = ("--rules", "perudo", "--players", "3", "--dice", "2", "--seed", "3")
    with PseudoTerminal("watch", *options, "--step", columns=columns, environment=environment) as terminal:
        terminal.wait_for("Enter continues, q quits")
        assert "opens" in terminal.output
        shown = ""
        while "bid" not in shown:
            terminal.enter("")
            shown = terminal.wait_for("\r\n  ")
        terminal.enter("q")
        assert terminal.end() == 0
        assert "wins the game" not in terminal.output
        check_screen(terminal, environment)
    with PseudoTerminal(
        "watch", *options, "--delay", "0.001", "--games", "3", columns=columns, environment=environment
    ) as terminal:
        assert terminal.end() == 0
        assert "3 games:" in terminal.text
        assert "of the time" in flat(terminal.text), "bots say why"
        check_screen(terminal, environment)
    with PseudoTerminal("replay", "last", "--step", columns=columns, environment=environment) as terminal:
        terminal.wait_for("Enter continues, q quits")
        for _ in range(200):
            terminal.enter("")
        assert terminal.end() == 0
        assert "wins the game" in terminal.text
        check_screen(terminal, environment)


def test_a_whole_game(store: Path) -> None:
    with playing("optimal", "maniac", "--rules", "perudo", "--seat", "1", "--seed", "8") as terminal:
        play_on(terminal, terminal.wait_for("> ", REVIEW))
        terminal.answer("no", "replay last")
        assert terminal.end() == 0
    events = stored(store)
    assert type(events[-1]).__name__ == "GameEnded"
    assert {e.player_id for e in events if isinstance(e, DiceRolled)} == {0, 1, 2}


@needs_linux
@pytest.mark.parametrize("bot", ["bluffer", pytest.param("detective", marks=pytest.mark.slow)])
def test_interrupted_and_resumed_it_is_the_same_game(bot: str, store: Path) -> None:
    """Also against a bot that draws lots, and one that remembers what was bid."""
    table = (bot, "--rules", "heads-up", "--dice", "3", "--seed", "11")
    with playing(*table) as terminal:
        play_on(terminal, terminal.wait_for("> "))
        assert terminal.interrupt() == 130
        assert "replay last" in terminal.text
    whole = stored(store)
    with playing(*table, "--ascii") as terminal:
        play_on(terminal, terminal.wait_for("> "), turns=3)
        assert terminal.interrupt() == 130
        assert "The game is saved. To resume it:" in terminal.text
        assert "liars-dice play --resume last --ascii" in terminal.text
    with playing("--resume", "last") as terminal:
        shown = terminal.wait_for("> ")
        assert "Dice: You" in shown
        play_on(terminal, shown, turns=1)
        terminal.press("d")
        assert terminal.end() == 0
        assert "play --resume last" in terminal.text
    with playing("--resume", "last") as terminal:
        play_on(terminal, terminal.wait_for("> "))
        terminal.enter("")
        assert terminal.end() == 0
    assert stored(store) == whole
    with open_store(store) as games:
        assert len(games.games()) == 2


def test_every_kind_of_bad_input(store: Path) -> None:
    answers = {
        "liar": "There is no bid to call yet",
        "exact": "exact",
        "hello": "I do not understand 'hello'",
        "": "You open: make a bid.",
        "34": "I do not understand '34'",
        "9 9": "9x9 is not a bid of this round",
        "0 3": "0x3 is not a bid of this round",
        "99 3": "quantities are 1 to 10",
        "9999999999 3": "I do not understand",
        "-1 3": "I do not understand",
        "\x1b[A\x1b[B": "I do not understand",
        "h\xe9llo \u2603": "I do not understand",
        "x" * 3000: "I do not understand",
        "[red]3 4[/red]": "I do not understand '[red]3 4[/red]'",
        "undo": "started with --practice",
        "three fours five": "I do not understand",
    }
    with playing("--seed", "2", "optimal") as terminal:
        terminal.wait_for("> ")
        for text, reply in answers.items():
            shown = terminal.answer(text)
            assert reply in flat(shown), text
        terminal.answer("3 3")
        too_low = terminal.answer("2 6")
        assert "2x6 is not higher than" in too_low
        assert "Possible: " in too_low
        assert "or liar" in flat(too_low)
        terminal.enter("quit")
        assert terminal.end() == 0
        assert "To resume it:" in terminal.text
        assert terminal.longest_line(but=len("  > ") + 3000) <= 80


def test_every_command_is_answered(store: Path) -> None:
    answers = {
        "?": "Possible now:", "odds": "Given your dice alone", "history": "Round 1:", "dice": "You open",
        "nonsense": "I do not understand 'nonsense'", "1 9": "not a bid of this round", "hint": "A strong player would",
    }  # fmt: skip
    with playing("optimal", "calling-station", "--rules", "perudo", "--seed", "4") as terminal:
        terminal.wait_for("> ")
        for text, reply in answers.items():
            assert reply in flat(terminal.answer(text)), text


def dice_drawn(screen: str) -> list[str]:
    return [line for line in screen.splitlines() if "│" in line]


def test_practice(store: Path) -> None:
    with playing("bluffer", "--dice", "2", "--seed", "3", "--practice") as terminal:
        terminal.wait_for("> ")
        assert "You have not made a decision yet" in terminal.answer("undo")
        first = terminal.answer("1 3")
        again = terminal.answer("undo")
        assert "You open: make a bid." in again
        assert dice_drawn(again) == dice_drawn(first) != [], "the dice on the table stay"
        play_on(terminal, terminal.answer("1 6", "> ", REVIEW))
        shown = terminal.answer("undo", "> ")
        assert "Dice: You" in shown
        play_on(terminal, shown)
        assert "Type y for a review, undo to go back, or n to leave." in terminal.answer("perhaps", REVIEW)
        terminal.enter("n")
        assert terminal.end() == 0
    with open_store(store) as games:
        listed = games.games()
        assert len(listed) == 3
        created = games.events(listed[0].game_id)[0].payload
        assert f"'{listed[1].game_id}@" in repr(created)
        assert listed[0].winner is not None


def test_several_people_share_a_screen(store: Path) -> None:
    """Between two wipes of the screen only one player's dice are ever shown, and none while it is passed on."""
    words = ("human:Bob", "--name", "Ann", "--dice", "4", "--rules", "classic", "--seed", "6")
    with playing(*words) as terminal:
        terminal.wait_for("Pass to Ann")
        for name, bid in (("Ann", "1 2"), ("Bob", "2 2"), ("Ann", "3 2"), ("Bob", "4 2")):
            terminal.answer("", f"{name} > ")
            terminal.answer("odds", f"{name} > ")
            terminal.answer(bid, "Pass to")
        assert "●" not in terminal.output.rsplit("\x1b[3J", 1)[1]
        terminal.answer("", "Ann > ")
        terminal.enter("liar")
        terminal.wait_for(REVIEW)
        terminal.enter("")
        assert terminal.end() == 0
    hands = {e.player_id: e.dice for e in stored(store) if isinstance(e, DiceRolled)}
    assert hands[0] != hands[1]
    drawn = {seat: "\n".join(f"  {line}" for line in draw_hand(dice)) for seat, dice in hands.items()}
    screens = [
        re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part).replace("\r", "") for part in terminal.output.split("\x1b[3J")
    ]
    assert len(screens) == 5
    for number, screen in enumerate(screens[:-1]):
        assert drawn[number % 2] in screen
        assert drawn[1 - number % 2] not in screen
        passed, _, rest = screen.partition("press Enter.")
        assert "●" not in passed
        assert "Round 1" in passed
        assert rest
    assert drawn[0] in screens[-1]
    assert drawn[1] in screens[-1], "the reveal shows all"


def test_leaving_hides_dice_others_may_not_see(store: Path) -> None:
    with playing("human", "--dice", "3", "--seed", "6") as terminal:
        terminal.wait_for("Pass to Player 1")
        terminal.answer("", "Player 1 > ")
        terminal.enter("quit")
        assert terminal.end() == 0
        last = terminal.output.rsplit("\x1b[3J", 1)[1]
        assert "●" not in last
        assert "--resume last" in last
    with playing("--resume", "last") as terminal:
        terminal.wait_for("Pass to Player 1")
        assert "●" not in terminal.output


@needs_linux
@pytest.mark.parametrize("environment", [{"TERM": "dumb"}, {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}])
def test_terminals_that_can_do_little(environment: dict[str, str], store: Path) -> None:
    with playing("human", "--dice", "3", "--seed", "6", environment=environment) as terminal:
        terminal.wait_for("Pass to Player 1")
        shown = terminal.answer("", "Player 1 > ")
        assert "+-----+" in shown
        terminal.answer("odds", "Player 1 > ")
        passed = terminal.answer("1 2", "Pass to Player 2")
        assert "\x1b[3J" in passed or passed.count("\n") > 50
        terminal.answer("", "Player 2 > ")
        assert terminal.interrupt() == 130
        assert terminal.output.isascii()
        assert ("\x1b" in terminal.output) is ("TERM" not in environment)


def test_play_on_from_a_recorded_game(store: Path) -> None:
    subprocess.run([sys.executable, "-m", "liars_dice", "watch", "--seed", "3"], check=True, capture_output=True)
    with open_store(store) as games:
        events = games.events(games.find("last"))
        place = decisions(events)[7]
    with PseudoTerminal("replay", "last", "--at", "8") as terminal:
        assert terminal.end() == 0
        assert "Play on from here: liars-dice play --from last --at 8" in terminal.text
    with playing("--from", "last", "--at", "8") as terminal:
        terminal.wait_for("> ")
        terminal.enter("quit")
        assert terminal.end() == 0
    with open_store(store) as games:
        new = games.events(games.find("last"))
        assert [e.payload for e in new[1:place]] == [e.payload for e in events[1:place]]
        assert f"{events[0].game_id}@{place}" in repr(new[0].payload)
        assert "You" in repr(new[0].payload)


def test_a_pipe_and_closed_input(store: Path) -> None:
    """Without a terminal nothing is asked, nothing is wiped in colour, and a game that is left can be resumed."""
    command = [sys.executable, "-m", "liars_dice", "play"]
    done = subprocess.run(
        [*command, "--dice", "1", "--seed", "5"], input="1x1\n", capture_output=True, text=True, check=True
    )
    assert "Opponents" not in done.stdout
    assert "\x1b" not in done.stdout
    assert "To resume it:" in done.stdout
    more = "liar\n1 1\n" * 10
    done = subprocess.run(
        [*command, "--resume", "last", "--review"], input=more, capture_output=True, text=True, check=True
    )
    assert "the game" in done.stdout
    assert "accuracy" in done.stdout
    for closed in (subprocess.DEVNULL, None):
        redirect = "<&-" if closed is None else "</dev/null"
        script = f'exec "{sys.executable}" -m liars_dice play --seed 5 {redirect}'
        ended = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False, env=os.environ)
        assert ended.returncode == 0, ended.stderr
        assert "To resume it:" in ended.stdout


def test_leaving_while_the_coach_gets_ready(store: Path) -> None:
    with playing("optimal") as terminal:
        terminal.wait_for("> ")
        terminal.enter("quit")
        assert terminal.end() == 0
        assert "Traceback" not in terminal.text
