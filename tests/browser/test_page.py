"""The page in a real Chromium: whole games by mouse and by keyboard, rooms, a restart, replay, review, lab.

Every page that a test opens is watched: an error on its console, or a request to anywhere but our own server, fails the
test. Games are seeded wherever the server allows it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH (Debian: apt install chromium)")

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "src" / "liars_dice" / "web" / "static"
HEIGHTS = {360: 740, 768: 1024, 1440: 900}
MOST_BYTES = 150_000
BOT = {"kind": "bot", "agent": "optimal"}
YOU = {"kind": "you", "name": "Ann"}
expect.set_options(timeout=20_000)  # the coach's first words can take a while on a busy machine


class Studio:
    """A server of our own that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store.sqlite"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", str(self.port), "--db", str(self.store)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 30
        while True:
            try:
                self.get("/agents")
                return
            except OSError:
                assert time.monotonic() < until, "the server does not come up"
                assert self.process.poll() is None, "the server died"
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api{path}", timeout=60) as answer:
            return json.load(answer)

    def post(self, path: str, body: object) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def room(self, *seats: dict[str, str], seed: int = 7, rules: str = "heads-up", **changes: Any) -> Any:
        wish = {"rules": rules, "changes": changes, "seats": seats, "seed": seed, "delay_ms": 0}
        return self.post("/rooms", wish)

    def recorded(self, seed: int = 3) -> str:
        """A finished game between two bots."""
        room = self.room(BOT, {"kind": "bot", "agent": "bluffer"}, seed=seed, dice=[2, 2])["room"]
        until = time.monotonic() + 30
        while (found := self.get(f"/rooms/{room}"))["status"] != "over":
            assert time.monotonic() < until
            time.sleep(0.05)
        game: str = found["game_id"]
        return game


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    made = Studio(tmp_path_factory.mktemp("studio"))
    yield made
    made.kill()


@pytest.fixture
def own_studio(tmp_path: Path) -> Iterator[Studio]:
    """A server for one test, with nothing in its store."""
    made = Studio(tmp_path)
    yield made
    made.kill()


@pytest.fixture(scope="module")  # its event loop must be gone when other tests start their own
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield made
        made.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages in contexts of their own, and afterwards asks what went wrong on them."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_page(studio: Studio, path: str, width: int = 1440, *, token: Any = None, allowed: str = "") -> Page:
        """`token`: a seat as the API gave it. `allowed`: errors that this test expects, as a regular expression."""
        context = browser.new_context(viewport={"width": width, "height": HEIGHTS[width]}, reduced_motion="reduce")
        context.set_default_timeout(20_000)
        contexts.append(context)
        keys = {"set:quick": "on"} | ({f"seat:{token['room']}": token["token"]} if token else {})
        context.add_init_script(f"for (const [k, v] of Object.entries({json.dumps(keys)})) localStorage.setItem(k, v)")
        page = context.new_page()

        def note(text: str) -> None:
            if not (allowed and re.search(allowed, text)):
                wrong.append(text)

        page.on("console", lambda message: note(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: note(str(error)))
        page.on("request", lambda r: None if r.url.startswith((studio.url, "data:")) else note(f"request to {r.url}"))
        page.on("websocket", lambda s: None if f"127.0.0.1:{studio.port}" in s.url else note(f"socket to {s.url}"))
        page.goto(studio.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def sit(studio: Studio, open_page: Open, width: int = 1440, seed: int = 7, **changes: Any) -> Page:
    seat = studio.room(YOU, BOT, seed=seed, **changes)
    return open_page(studio, f"/room/{seat['room']}", width, token=seat)


def until_over(page: Page, move: Callable[[Page], None]) -> None:
    """Makes a move whenever it is our turn, until the game is over."""
    done = page.locator(".done")
    onward = page.get_by_role("button", name="Next round")
    mine = page.locator(".cell.legal")
    liar = page.get_by_role("button", name="Liar!")
    ready = "!!document.querySelector('.done:not([hidden]), .cell.legal, .acts:not([hidden]) button:not(:disabled)')"
    until = time.monotonic() + 60
    while True:
        assert time.monotonic() < until, "the game does not end"
        page.wait_for_function(f"() => {ready}")
        if done.is_visible():
            return
        if onward.is_visible() or mine.count() or liar.is_enabled():
            move(page)


def by_mouse(page: Page) -> None:
    """Lets nothing but the opening stand: the lowest bid, else a call."""
    if page.get_by_role("button", name="Next round").is_visible():
        page.get_by_role("button", name="Next round").click()
    elif page.get_by_role("button", name="Liar!").is_enabled():
        page.get_by_role("button", name="Liar!").click()
    elif page.locator('.cell.legal[data-bid="1x2"]').count():
        page.locator('.cell.legal[data-bid="1x2"]').click()
        page.get_by_role("button", name="Bid one two").click()


def by_keys(page: Page) -> None:
    """Raises the quantity once, then calls."""
    if page.get_by_role("button", name="Next round").is_visible():
        page.keyboard.press("Enter")
    elif page.locator(".cell.standing").count():
        page.keyboard.press("l")
    else:
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")


# -- playing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", HEIGHTS)
def test_a_whole_game_by_mouse(studio: Studio, open_page: Open, width: int) -> None:
    page = sit(studio, open_page, width, dice=[2, 2])
    expect(page.locator("#status")).to_contain_text("You open")
    expect(page.locator(".seat.me .die")).to_have_count(2)
    assert page.locator(".others .hand.open").count() == 0, "the other's dice are under the cup"
    until_over(page, by_mouse)
    expect(page.locator("#status")).to_contain_text("the game")
    expect(page.get_by_role("link", name="Review with the coach")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [360, 1440])
def test_a_whole_game_by_keyboard_only(studio: Studio, open_page: Open, width: int) -> None:
    page = sit(studio, open_page, width, seed=8, dice=[2, 2])
    expect(page.locator(".cell.legal").first).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator('.cell.chosen[data-bid="1x1"]')).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator('.cell.chosen[data-bid="2x1"]')).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator('.cell.chosen[data-bid="1x2"]')).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    until_over(page, by_keys)


def test_only_legal_bids_can_be_chosen(studio: Studio, open_page: Open) -> None:
    page = sit(studio, open_page, seed=11)
    page.locator('[data-bid="2x3"]').click()
    page.keyboard.press("Enter")
    page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .stage[data-mood="reveal"]')
    standing = page.locator(".cell.standing").get_attribute("data-bid")
    assert standing is not None
    assert standing >= "2x3"
    page.locator('[data-bid="1x1"]').click(force=True)
    assert page.locator('.cell.chosen[data-bid="1x1"]').count() == 0


def test_odds_hints_and_taking_back(studio: Studio, open_page: Open) -> None:
    wish = {"rules": "duel", "changes": {}, "seats": [YOU, BOT], "seed": 5, "practice": True, "delay_ms": 0}
    seat = studio.post("/rooms", wish)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.get_by_label("Odds").check()
    expect(page.locator(".cell.shaded").first).to_be_visible()
    dice = [int(die) for die in re.findall(r"\d", page.locator(".seat.me .hand").get_attribute("aria-label") or "")]
    expect(page.locator(f'[data-bid="1x{dice[0]}"]')).to_have_text("100")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_contain_text("The coach would")
    page.locator(f'[data-bid="1x{dice[0]}"]').dblclick()
    expect(page.locator(".history .move").first).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#status")).to_contain_text("You open")
    expect(page.locator(".cell.made")).to_have_count(0)


def test_play_now_is_one_click(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator(".cell.legal").first).to_be_visible()
    assert "/room/" in page.url


def test_two_people_in_a_room(studio: Studio, open_page: Open) -> None:
    ann = open_page(studio, "/play?open=1")
    ann.get_by_label("Your name").fill("Ann")
    ann.get_by_label("Duel").check()
    ann.get_by_role("button", name="Set up and invite").click()
    expect(ann.get_by_label("Invite link")).to_have_value(re.compile(r"/room/"))
    bob = open_page(studio, ann.get_by_label("Invite link").input_value().removeprefix(studio.url), 360)
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Take a seat").click()
    expect(ann.locator("#status")).to_contain_text("You open")
    expect(bob.locator("#status")).to_contain_text("Waiting for Ann")
    for page, own, other in ((ann, 2, 3), (bob, 3, 2)):
        expect(page.locator(".seat.me .hand.open .die")).to_have_count(own)
        expect(page.locator(".others .hand.covered .die.blank")).to_have_count(other)
    ann.locator('[data-bid="1x4"]').dblclick()
    expect(bob.locator("#status")).to_contain_text("Your turn")
    bob.keyboard.press("ArrowRight")
    bob.keyboard.press("Enter")
    expect(ann.locator("#status")).to_contain_text("Your turn")
    ann.keyboard.press("l")
    for page in (ann, bob):
        expect(page.locator(".done")).to_be_visible()
        expect(page.locator(".hand.open .die")).to_have_count(5)
    assert {page.locator(".done h2").inner_text() for page in (ann, bob)} == {"Won", "Lost"}


def test_a_restart_of_the_server_loses_nothing(own_studio: Studio, open_page: Open) -> None:
    seat = own_studio.room(YOU, BOT, seed=7, dice=[2, 2])
    refused = "ERR_CONNECTION|WebSocket connection|Failed to load"
    page = open_page(own_studio, f"/room/{seat['room']}", token=seat, allowed=refused)
    page.locator('[data-bid="1x2"]').click()
    page.keyboard.press("Enter")
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    own_studio.kill()
    expect(page.get_by_role("alert").filter(has_text="Reconnecting")).to_be_visible()
    own_studio.start()
    expect(page.get_by_role("alert").filter(has_text="Reconnecting")).to_be_hidden()
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    page.reload()  # leaving and coming back is the same as a break
    expect(page.locator(".history").get_by_text("You bid one two.").first).to_be_visible()
    until_over(page, by_mouse)


def test_watching_bots(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/watch", 768)
    page.get_by_role("button", name="Start the game").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    expect(page.get_by_role("button", name="Step")).to_be_enabled()
    before = page.locator(".history-list li").count()
    page.get_by_label("At once").check()
    for _ in range(4):
        page.get_by_role("button", name="Step").click()
    assert page.locator(".history-list li").count() > before
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".done")).to_be_visible()


def test_what_is_not_there(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/room/nothing", allowed="404")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="Back to the start").click()
    expect(page.get_by_role("button", name="Play now")).to_be_visible()


# -- looking back ------------------------------------------------------------------------------------------------------


def test_replay(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, f"/replay/{studio.recorded()}")
    expect(page.locator(".curve path").first).to_be_visible()
    expect(page.get_by_text(re.compile("^Move 0 of"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile("^Move 1 of"))).to_be_visible()
    assert page.locator(".hand.open").count() == 2, "everybody's dice are shown"
    page.get_by_label("Show all dice").uncheck()
    assert page.locator(".hand.open").count() == 0
    slider = page.get_by_label("Moment of the game")
    slider.fill(slider.get_attribute("max") or "")
    expect(page.locator("#status")).to_contain_text("wins the game")
    expect(page.locator(".cell.filled, .cell.held, .cell.false").first).to_be_visible()
    page.locator(".history .move button").first.click()
    expect(page.get_by_text(re.compile("^Move 1 of"))).to_be_visible()
    page.get_by_text("Play on from here").click()
    page.get_by_role("button", name="Play on", exact=True).click()
    expect(page.locator(".seat.me")).to_be_visible()
    assert "/room/" in page.url


def test_review(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, f"/review/{studio.recorded()}", 768)
    expect(page.locator(".scores li")).to_have_count(2)
    expect(page.locator(".history .note").first).to_be_visible()
    spots = page.locator(".spot")
    assert spots.count(), "this game has a decision that cost something"
    spots.last.click()
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("chose")
    expect(verdict).to_contain_text("Best was")
    expect(verdict).to_contain_text("given away")


def test_no_games_yet_plays_one(own_studio: Studio, open_page: Open) -> None:
    page = open_page(own_studio, "/replays")
    expect(page.get_by_role("heading", name="No games yet")).to_be_visible()
    page.get_by_role("button", name="Play a bot game").click()
    page.wait_for_url("**/replay/*")
    expect(page.get_by_label("Moment of the game")).to_be_visible()


# -- the lab -----------------------------------------------------------------------------------------------------------


def test_lab(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/lab")
    expect(page.locator(".lab-words")).to_contain_text("That is a bluff.")
    expect(page.locator(".answers tbody tr").first).to_be_visible()
    page.locator('[data-bid="1x6"]').dblclick()
    expect(page.locator(".chip")).to_have_text(re.compile("1×6"))
    expect(page.locator(".answers")).to_contain_text("The opener probably holds")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".lab-words")).to_contain_text("That is a bluff.")
    page.get_by_role("link", name="Odds").click()
    page.locator('[data-bid="2x4"]').click()
    expect(page.locator(".lab-words")).to_contain_text("Two fours: holds 100.0 % of the time.")
    page.get_by_role("link", name="Tournaments").click()
    expect(page.get_by_role("heading", name="No tournaments yet")).to_be_visible()


def test_matchups(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/lab?tab=matchups&rules=duel", 360)
    page.locator(".heatmap").wait_for(timeout=60_000)
    page.get_by_role("button", name=re.compile("^optimal against random")).click()
    expect(page.get_by_role("heading", name="optimal against random")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# -- looks -------------------------------------------------------------------------------------------------------------

PAGES = ("/", "/play", "/watch", "/replays", "/lab", "/lab?tab=odds", "/lab?tab=tournaments", "/rules")


@pytest.fixture(scope="session")
def axe() -> str:
    return (HERE / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def serious(page: Page, axe: str) -> list[str]:
    """What axe-core finds that is serious or worse."""
    page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = page.evaluate("tags => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", tags)
    return [
        f"{page.url}: {v['id']}: {v['nodes'][0]['html'][:200]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1440)])
def test_anybody_can_use_every_page(studio: Studio, open_page: Open, axe: str, scheme: Any, width: int) -> None:
    game = studio.recorded()
    page = open_page(studio, "/rules", width)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for path in (*PAGES, f"/review/{game}"):
        page.goto(studio.url + path)
        page.locator("h1").first.wait_for()
        if game in path:
            page.locator(".curve path").first.wait_for()
        assert serious(page, axe) == []


def test_every_page_fits(studio: Studio, open_page: Open) -> None:
    """From a small phone (or a wide screen at a zoom of 400 %) to a wide screen nothing is cut off sideways."""
    game = studio.recorded()
    page = open_page(studio, "/rules")
    for path in (*PAGES, f"/replay/{game}", f"/review/{game}"):
        page.goto(studio.url + path)
        page.locator("h1").first.wait_for()
        for width, height in HEIGHTS.items():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, f"{path} at {width}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anybody_can_use_the_table(studio: Studio, open_page: Open, axe: str, scheme: Any) -> None:
    bots = [{"kind": "bot", "agent": name} for name in ("optimal", "bluffer", "conservative", "nash", "maniac")]
    seat = studio.room(YOU, *bots, rules="perudo", seed=5)
    page = open_page(studio, f"/room/{seat['room']}", 360, token=seat)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.get_by_label("Odds").check()
    page.locator('[data-bid="5x3"]').click()
    assert serious(page, axe) == []
    page.keyboard.press("Enter")
    page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .acts:not([hidden]) .primary:not(:disabled)')
    assert serious(page, axe) == []
    if page.locator(".cell.legal").count():
        page.keyboard.press("l")
    page.get_by_role("button", name="Next round").wait_for()
    assert serious(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("path", ["/", "/play", "room", "review", "/lab"])
def test_a_page_is_small(studio: Studio, open_page: Open, path: str) -> None:
    token = None
    if path == "room":
        token = studio.room(YOU, BOT)
        path = f"/room/{token['room']}"
    elif path == "review":
        path = f"/review/{studio.recorded()}"
    page = open_page(studio, path, token=token)
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate("performance.getEntriesByType('resource').map(e => [e.name, e.decodedBodySize])")
    assert sum(size for name, size in sizes if "/api/" not in name) < MOST_BYTES
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert paint < 1000


def test_modules_are_plain() -> None:
    """Nothing is built, nothing inline, nothing from elsewhere."""
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|<style|<script(?![^>]*src=)|\son\w+=", index)
    for path in STATIC.rglob("*.*"):
        words = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", words), path.name
