"""Nothing that a bot, a player, a record or a file name says reaches the terminal as a command to it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import msgspec
import pytest

from command_line import call
from liars_dice.core import GameCreated, one_line, without_controls
from liars_dice.persistence import RecordedEvent, open_store
from liars_dice.persistence.conformance import sample_game
from pseudo_terminal import PseudoTerminal
from storekit import fill

EVIL = (
    "\x1b[2J\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x1bP+q\x1b\\\x9b31m\r\x08\x00\u202egnirts\u2066\u2028\ud83d\x7fEnd"
)
"""Clear the screen, set the title, fill the clipboard, turn the writing around; and half a character."""

BOT = f"""
from liars_dice.agents import Agent
from liars_dice.core import BidAction

EVIL = {EVIL.encode("unicode_escape").decode()!r}.encode().decode("unicode_escape")


class Evil(Agent):
    name = EVIL + "x" * 1_000_000

    def choose_action(self, view):
        print(EVIL)
        self.asked = getattr(self, "asked", 0) + 1
        if self.asked == 3:
            raise ValueError(EVIL * 1000)
        action = view.legal_actions[0]
        return BidAction(action.bid, reasoning=EVIL + "\\n" + "y" * 1_000_000) if hasattr(action, "bid") else action


Evil.__doc__ = EVIL + "z" * 1_000_000
"""
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What must not arrive: control characters, and those that change the direction of writing."""
STYLES = re.compile(r"\x1b\[[0-9;]*m")
"""Our own colours."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "evil.py").write_text(BOT)
    return tmp_path


def evil_game() -> list[RecordedEvent]:
    """A game whose every text is hostile, as far as the rules of records allow."""
    found = []
    for event in sample_game("one", "heads-up"):
        changed = event
        if hasattr(event.payload, "reasoning"):
            long = EVIL.replace("\ud83d", "") + "\n" + "w" * 100_000
            changed = msgspec.structs.replace(event, payload=msgspec.structs.replace(event.payload, reasoning=long))
        if event.player_type is not None:
            changed = msgspec.structs.replace(changed, player_type=EVIL.replace("\ud83d", ""))
        if isinstance(event.payload, GameCreated):
            named = msgspec.structs.replace(event.payload, agent_ids=(EVIL.replace("\ud83d", ""), None))
            changed = msgspec.structs.replace(changed, payload=named)
        found.append(changed)
    return found


@pytest.mark.parametrize("colours", [False, True])
def test_every_command_that_repeats_what_others_say(folder: Path, colours: bool) -> None:
    bot, db = str(folder / "evil.py"), str(folder / "games.sqlite")
    with open_store(db) as store:
        fill(store, evil_game())
        store.save_documents("tournament", {f"cup{EVIL.replace(chr(0xD83D), '').replace(chr(0), '')}": "{"})
    odd = folder / "od\x1b]0;d\x07\nd.jsonl"
    odd.write_text(f'{{"game_id":"{EVIL[:5]}"}}\n', encoding="utf-8")
    environment = {"FORCE_COLOR": "1", "TERM": "xterm-256color"} if colours else {}
    commands = [
        ("watch", bot, "optimal", "--seed", "1", "--db", db),
        ("replay", "one", "--db", db),
        ("review", "one", "--db", db),
        ("games", "--db", db),
        ("games", "stats", "--db", db),
        ("games", "--agent", EVIL.replace("\x00", "").replace("\ud83d", ""), "--db", db),
        ("check-bot", bot),
        ("agents", "--folder", str(folder)),
        ("matchup", bot, "optimal", "--games", "4", "--rules", "duel"),
        ("tournament", bot, "optimal", "--games", "4", "--rules", "duel", "--record", "all", "--db", db),
        ("tournament", "--resume", "nothing", "--db", db),
        ("simulate", "--players", "2", "--tables", "1", "--replications", "2", "--agents", f"{bot},optimal"),
        ("import", str(odd), "--db", db),
        ("import", f"{odd}{EVIL[:30]}".replace("\x00", ""), "--db", db),
        ("rules", EVIL.replace("\x00", "").replace("\ud83d", "")),
        ("play", bot, "--rules", "duel", "--db", db),
        ("export", "--db", db, "--out", str(folder / "no\x1b[2J" / "x.csv")),
    ]
    for words in commands:
        result = call(*words, stdin="1 1\nliar\nq\n", **environment)
        assert result.exception is None or isinstance(result.exception, SystemExit), (words, repr(result.exception))
        for printed in (result.stdout, result.stderr):
            plain = STYLES.sub("", printed) if colours else printed
            found = OBEYED.search(plain)
            assert found is None, (words[0], plain[max(0, found.start() - 80) : found.end() + 20])
        assert max(map(len, result.output.splitlines()), default=0) < 3500, words[0]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_on_a_real_terminal(folder: Path) -> None:
    db = str(folder / "games.sqlite")
    with open_store(db) as store:
        fill(store, evil_game())
    for words in (("replay", "one"), ("export",), ("export", "--format", "csv")):
        with PseudoTerminal(*words, "--db", db) as terminal:
            terminal.end()
        shown = terminal.output
        for forbidden in ("\x1b[2J", "\x1b]0", "\x1b]52", "\x07", "\u202e", "\x9b", "\x1bP"):
            assert forbidden not in shown, (words, forbidden)


def test_data_in_a_pipe_stays_as_it_is(folder: Path) -> None:
    db = str(folder / "games.sqlite")
    with open_store(db) as store:
        fill(store, evil_game())
        expected = store.events("one")
    out = folder / "out.jsonl"
    out.write_bytes(call("export", "--db", db).stdout_bytes)
    again = str(folder / "again.sqlite")
    assert call("import", str(out), "--db", again).exit_code == 0
    with open_store(again) as store:
        assert store.events("one") == expected


def test_what_is_shown_of_a_text() -> None:
    assert without_controls("plain\ttext\n") == "plain\ttext\n"
    assert without_controls("a\x1b[1m\u202e\r") == r"a\x1b[1m\u202e\r"
    assert one_line(EVIL).isprintable()
    assert one_line(EVIL * 10**5, 100).isprintable()
    assert len(one_line(EVIL * 10**5, 100)) <= 100
    assert one_line("é ⚂ 日本") == "é ⚂ 日本"


def test_only_one_place_opens_consoles() -> None:
    """Everything else would print past it."""
    source = Path(__file__).parent.parent.parent / "src" / "liars_dice"
    for room in ("cli", "terminal"):
        for path in (source / room).glob("*.py"):
            opened = re.findall(r"(?<![\w.])(?:rich\.console\.)?Console\(", path.read_text(encoding="utf-8"))
            assert path.name == "output.py" or not opened, path
    assert os.environ.get("FORCE_COLOR") is None
