"""The guides, followed from top to bottom in an empty directory.

Files are saved as the guide shows them, commands run in a shell, and their output must be what the guide shows (`...`
stands for anything). Terminal sessions are typed into a real terminal. What the player's guide says about the browser
is done in Chromium: its bold words must be found on the pages. The researcher's model is a server of the tests, at the
address that the guide exports.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from chat_server import beginner, chat_server
from playwright.sync_api import Browser, Page, expect, sync_playwright

from patience import PATIENCE
from pseudo_terminal import PseudoTerminal
from test_docs import ROOT, blocks_of

expect.set_options(timeout=1000 * PATIENCE)

GUIDES = {path.stem: path for path in sorted((ROOT / "docs").glob("guide-*.md"))}
SETUP = ("make demo", ". .venv/bin/activate")
"""The first commands of every guide; `test_from_a_clean_clone` runs them."""
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(autouse=True)
def empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty directory with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LIARS_DICE_DB", str(tmp_path / "games.sqlite"))


def test_there_are_four() -> None:
    assert set(GUIDES) == {"guide-bot-author", "guide-llm-researcher", "guide-player", "guide-student"}
    for guide in GUIDES.values():
        language, code = blocks_of(guide)[0]
        assert (language, commands(code)) == ("console", [(word, "") for word in SETUP]), guide.name
        assert len(guide.read_text(encoding="utf-8").splitlines()) < 170, f"{guide.name} is longer than two screens"


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_from_top_to_bottom(name: str) -> None:
    walk(GUIDES[name], Path(sys.executable).parent)


def walk(guide: Path, programs: Path) -> None:
    """Follow a guide, with the programs of one installation."""
    with chat_server(beginner) as model:
        follow(guide, programs, model.url)


def follow(guide: Path, programs: Path, model_address: str) -> None:
    settings: dict[str, str] = {}
    for language, code in blocks_of(guide)[1:]:
        if language == "python":
            named = re.match(r"# (\w+\.py)\n", code)
            assert named, f"{guide.name}: a file needs its name in the first line"
            Path(named[1]).write_text(code, encoding="utf-8")
        elif language == "console":
            for command, shown in commands(code):
                if exported := re.fullmatch(r"export (\w+_URL)=http://localhost\S+", command):
                    settings[exported[1]] = model_address
                check_shown(command, run(command, programs, settings), shown)
        elif language == "json":
            for server in json.loads(code)["mcpServers"].values():
                run(" ".join([server["command"], *server["args"]]), programs, settings)  # it ends with its input
        else:
            assert language == "text", f"{guide.name} has a block of {language!r}, which no test runs"
            command, _, script = code.removeprefix("$ ").partition("\n")
            words = [str(programs / "liars-dice"), *command.split()[1:]]
            (serve_page if " serve" in command else type_session)(words, script)


def commands(code: str) -> list[tuple[str, str]]:
    """The commands of a block, each with the output shown."""
    parts = re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]
    return [(command, shown.strip()) for command, _, shown in (part.partition("\n") for part in parts)]


def run(command: str, programs: Path, settings: Mapping[str, str]) -> str:
    """Run a command in a shell that finds the programs and has these variables; return its output."""
    environment = {**os.environ, **settings, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    done = subprocess.run(
        ["sh", "-c", command], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check_shown(command: str, output: str, shown: str) -> None:
    """Check that the output is what the guide shows, apart from trailing spaces."""
    pattern = re.escape(shown).replace(r"\.\.\.", ".*")
    printed = "".join(f"{line.rstrip()}\n" for line in output.splitlines())
    assert re.search(pattern, printed, re.DOTALL), f"{command}\n{printed}"


def type_session(words: list[str], script: str) -> None:
    """Run a terminal session: type what follows a prompt, and expect everything else in this order."""
    path = f"{Path(words[0]).parent}{os.pathsep}{os.environ['PATH']}"
    with PseudoTerminal(program=words, environment={"NO_COLOR": "1", "PATH": path}) as terminal:
        awaited: list[str] = []
        for line in script.splitlines():
            typed = re.fullmatch(r"(\s*> |.*\? \(.*\) \[\w\] |\s*\(press Enter\))(.*)", line)
            if typed is None:
                awaited.append(line.strip())
                continue
            terminal.wait_for(typed[1].strip() + " ")
            terminal.enter(typed[2])
        terminal.wait_for(awaited[-1])
        place = 0
        for line in awaited:
            place = terminal.text.find(line, place)
            assert place >= 0, f"{line!r} did not come in its turn:\n{terminal.text}"


def serve_page(words: list[str], script: str) -> None:
    """Start a server on a free port, and check that it prints what the guide shows."""
    words = [word for word in words if word != "--open"] + ["--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            said = "".join(server.stdout.readline() for _ in script.splitlines())
        finally:
            server.kill()
    check_shown(" ".join(words), re.sub(r":\d+/", ":8000/", said), script.strip())


@pytest.mark.slow
def test_from_a_clean_clone(tmp_path: Path) -> None:
    """The guides work in a clean clone with only Python and make."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(["make", "demo"], cwd=clone, env=environment, check=True)
    assert (clone / SETUP[1].removeprefix(". ")).exists()
    bin_ = clone / ".venv" / "bin"
    subprocess.run(
        [bin_ / "python", "-m", "pip", "install", "--quiet", "liars-dice[rl,llm,mcp]"], env=environment, check=True
    )
    for name in ("guide-bot-author", "guide-student", "guide-llm-researcher"):
        walk(clone / "docs" / GUIDES[name].name, bin_)


# -- in the browser ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH (Debian: apt install chromium)")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=1000 * PATIENCE)
        yield made
        made.close()


@pytest.fixture
def address() -> Iterator[str]:
    command = [sys.executable, "-m", "liars_dice", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://\S+:\d+", server.stdout.readline())
            assert found
            yield found[0]
        finally:
            server.kill()


def open_page(browser: Browser, address: str) -> Page:
    context = browser.new_context(viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(1000 * PATIENCE)
    context.add_init_script("localStorage.setItem('set:quick', 'on')")
    page = context.new_page()
    page.goto(address)
    return page


def test_the_player_in_the_browser(browser: Browser, address: str) -> None:
    section = GUIDES["guide-player"].read_text(encoding="utf-8").partition("## In the browser")[2]
    named = set(re.findall(r"\*\*(.+?)\*\*", section))
    used = set()

    def word(text: str) -> str:
        """A bold word of the guide."""
        assert text in named, f"the guide does not say {text!r}"
        used.add(text)
        return text

    page = open_page(browser, address)
    expect(page.get_by_role("link", name=word("Learn by playing"))).to_be_visible()
    expect(page.get_by_role("button", name=word("Perudo with five bots"))).to_be_visible()
    page.get_by_role("button", name=word("Play now")).click()
    page.get_by_label(word("Odds")).check()
    expect(page.get_by_label(word("Sound"))).not_to_be_checked()
    page.get_by_role("button", name=word("Hint")).click()
    play_badly(page, word("Liar!"), word("Next round"))
    page.get_by_role("link", name=word("Review with the coach")).click()

    for said in ("chose", "Best was", "given away"):
        expect(page.locator(".verdict")).to_contain_text(said)
    expect(page.get_by_role("button", name=word("Next mistake"))).to_be_visible()
    page.get_by_role("button", name=word("Try again")).click()
    page.locator(".cell.legal").last.click()
    page.locator(".acts .primary").click()
    expect(page.get_by_role("button", name=word("Play it out"))).to_be_visible()
    page.get_by_role("button", name="Back to the game").click()
    page.get_by_text(word("Play on from here")).click()
    page.get_by_role("button", name="Play on", exact=True).click()
    expect(page.locator(".seat.me")).to_be_visible()
    expect(page.get_by_role("link", name=word("Puzzles"), exact=True)).to_be_visible()

    page.get_by_role("link", name=word("Play"), exact=True).click()
    page.get_by_role("combobox").filter(has_text="Bot: optimal").last.select_option(label=word("Open, for a friend"))
    page.get_by_role("button", name=word("Set up and invite")).click()
    link = page.get_by_label(word("Invite link")).input_value()
    friend = open_page(browser, link)
    friend.get_by_label("Your name").fill("Bob")
    friend.get_by_role("button", name=word("Take a seat")).click()
    expect(page.locator("#status")).to_contain_text("You open")
    expect(friend.locator("#status")).to_contain_text("Waiting for")

    page.get_by_role("link", name=word("Replays"), exact=True).click()
    expect(page.get_by_role("link", name=re.compile("optimal")).first).to_be_visible()
    assert named == used, f"the test does not look for {named - used}"


def play_badly(page: Page, liar: str, onward: str) -> None:
    """Bid the highest bid there is, until the game is lost."""
    until = time.monotonic() + PATIENCE
    ready = ".done:not([hidden]), .cell.legal, .acts:not([hidden]) button:not(:disabled)"
    while True:
        assert time.monotonic() < until, "the game does not end"
        page.wait_for_selector(ready)
        if page.locator(".done").is_visible():
            return
        if page.get_by_role("button", name=onward).is_visible():
            page.get_by_role("button", name=onward).click()
        elif page.locator(".cell.legal").count():
            bids = [bid or "" for bid in page.locator(".cell.legal").evaluate_all("all => all.map(c => c.dataset.bid)")]
            page.locator(f'[data-bid="{max(bids)}"]').dblclick()
            page.wait_for_selector(".cell.legal", state="detached")
        elif page.get_by_role("button", name=liar).is_enabled():
            page.get_by_role("button", name=liar).dblclick()
