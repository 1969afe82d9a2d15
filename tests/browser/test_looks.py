"""Every page in every state is accessible, fits every screen, and is small."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.kit import BOT, HEIGHTS, YOU, Open, Studio, needs_chromium, sit
from patience import PATIENCE

pytestmark = needs_chromium

HERE = Path(__file__).parent
STATIC = HERE.parents[1] / "src" / "liars_dice" / "web" / "static"
MOST_BYTES, MOST_MS = 100_000, 1000
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
MANY_BOTS = [{"kind": "bot", "agent": name} for name in ("optimal", "bluffer", "conservative", "nash", "maniac")]

# -- the states --------------------------------------------------------------------------------------------------------

State = Callable[[Studio, Open], Page]


def plain(path: str, ready: str = "h1") -> State:
    """A page that only has to be opened."""

    def open_it(studio: Studio, open_page: Open) -> Page:
        page = open_page(studio, path, allowed="404" if "nothing" in path else "")
        page.locator(ready).first.wait_for(state="attached")
        return page

    return open_it


def of_a_game(path: str, ready: str) -> State:
    """A page about a recorded game."""
    return lambda studio, open_page: plain(path + studio.recorded(), ready)(studio, open_page)


def lobby(studio: Studio, open_page: Open) -> Page:
    seat = studio.post("/rooms", {"rules": "perudo", "seats": [YOU, {"kind": "open"}, BOT], "delay_ms": 0})
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.get_by_label("Invite link").wait_for()
    return page


def invited(studio: Studio, open_page: Open) -> Page:
    seat = studio.post("/rooms", {"rules": "duel", "seats": [YOU, {"kind": "open"}], "delay_ms": 0})
    page = open_page(studio, f"/room/{seat['room']}")
    page.get_by_role("button", name="Take a seat").wait_for()
    return page


def my_turn(studio: Studio, open_page: Open) -> Page:
    seat = studio.room(YOU, *MANY_BOTS, rules="perudo", seed=5)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.get_by_label("Odds").check()
    page.locator('[data-bid="5x3"]').click()
    expect(page.get_by_role("button", name="Bid five threes")).to_be_enabled()
    return page


def reveal(studio: Studio, open_page: Open) -> Page:
    page = my_turn(studio, open_page)
    page.keyboard.press("Enter")
    page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .acts:not([hidden]) .primary:not(:disabled)')
    if page.locator(".cell.legal").count():
        page.keyboard.type("ll")
    page.get_by_role("button", name="Next round").wait_for()
    return page


def over(studio: Studio, open_page: Open) -> Page:
    page = sit(studio, open_page, rules="duel")
    page.locator('[data-bid="5x6"]').dblclick()
    page.locator(".done").wait_for()
    return page


def watching(studio: Studio, open_page: Open) -> Page:
    room = studio.post("/rooms", {"rules": "perudo", "seats": MANY_BOTS, "seed": 5, "delay_ms": 2000})["room"]
    page = open_page(studio, f"/room/{room}")
    page.locator(".cell.made").first.wait_for()
    return page


def answered(studio: Studio, open_page: Open) -> Page:
    page = plain("/puzzles?of=perudo", ".cell.legal")(studio, open_page)
    page.locator(".cell.legal").first.dblclick()
    page.get_by_text("All", exact=False).locator("visible=true").first.wait_for()
    return page


STATES: dict[str, tuple[State, str]] = {
    "home": (plain("/"), "Play now"),
    "setting up": (plain("/play", ".seat-list li"), "Start"),
    "lobby": (lobby, "Start now with bots in the open seats"),
    "invited": (invited, "Take a seat"),
    "my turn": (my_turn, "Bid five threes"),
    "reveal": (reveal, "Next round"),
    "over": (over, "Play again"),
    "setting up bots": (plain("/watch", ".seat-list li"), "Start the game"),
    "watching": (watching, "Pause"),
    "replays": (plain("/replays"), "Play a bot game and replay it"),
    "puzzle of the day": (plain("/puzzles", ".cell.legal"), "Choose your move"),
    "puzzle answered": (answered, "Try again"),
    "replay": (of_a_game("/replay/", ".curve path"), "Play"),
    "review": (of_a_game("/review/", ".curve path"), "Play"),
    "explorer": (plain("/lab", ".answers tbody tr"), ""),
    "odds": (plain("/lab?tab=odds", ".cell.shaded"), ""),
    "match-ups": (plain("/lab?tab=matchups&rules=duel", ".heatmap"), ""),
    "tournaments": (plain("/lab?tab=tournaments", "h2"), ""),
    "rules": (plain("/rules"), ""),
    "first lessons": (plain("/learn", ".lesson p"), "Go on"),
    "no such room": (plain("/room/nothing", "[role=alert]"), ""),
}
"""Each with its most important button."""
AT_ONCE = ("my turn", "reveal", "home")
"""Where that button is visible without scrolling."""


def main_action(page: Page, name: str) -> Locator:
    return page.locator("main").get_by_role("button", name=re.compile(f"^{name}")).first


# -- accessibility and layout ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def axe() -> str:
    return (HERE / "vendor" / "axe.min.js").read_text(encoding="utf-8")


def serious(page: Page, axe: str) -> list[str]:
    """The violations that axe-core calls serious or critical."""
    page.evaluate(axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = page.evaluate("tags => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", tags)
    return [
        f"{page.url}: {v['id']}: {v['nodes'][0]['html'][:200]}"
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]


BADLY_PLACED = """() => {
  const wrong = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) wrong.push(`the page is ${wide}px too wide`);
  for (const e of document.querySelectorAll("body *")) {
    const style = getComputedStyle(e);
    const cuts = ["hidden", "clip"].includes(style.overflowX) && !e.title && !e.closest(".unseen, svg, input");
    if (cuts && e.clientWidth && e.scrollWidth > e.clientWidth + 1) wrong.push(`cut off: ${e.outerHTML.slice(0, 90)}`);
  }
  for (const e of document.querySelectorAll("main :is(button, a[href], select, input, summary)")) {
    if (!e.checkVisibility() || e.closest(".heatmap-box, .board-scroll, .history-box")) continue;
    e.scrollIntoView({ block: "center" });
    const box = e.getBoundingClientRect();
    const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    const same = there && (e.contains(there) || there.contains(e) || there.closest("label")?.contains(e));
    if (!same) wrong.push(`${e.outerHTML.slice(0, 90)} is covered by ${there?.outerHTML.slice(0, 90)}`);
    if (box.left < -0.5 || box.right > innerWidth + 0.5) wrong.push(`${e.outerHTML.slice(0, 90)} sticks out`);
  }
  scrollTo(0, 0);
  return wrong;
}"""
"""Everything that is cut off, sticks out sideways, or is covered."""


@pytest.mark.parametrize("state", STATES)
def test_every_state(studio: Studio, open_page: Open, axe: str, state: str) -> None:
    """Accessible in light and dark; from a small phone to a wide screen nothing is cut off or covered."""
    go, action = STATES[state]
    page = go(studio, open_page)
    scheme: Any
    for width, height in HEIGHTS.items():
        page.set_viewport_size({"width": width, "height": height})
        if action and state in AT_ONCE:
            expect(main_action(page, action)).to_be_in_viewport(ratio=1)
        elif action:
            expect(main_action(page, action)).to_be_visible()
        assert page.evaluate(BADLY_PLACED) == [], width
        for scheme in {360: ("dark",), 768: (), 1440: ("light",)}[width]:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert serious(page, axe) == []


@pytest.mark.parametrize("tab", ["explore", "odds"])
def test_the_board_of_the_lab_is_whole_and_beside_its_settings(studio: Studio, open_page: Open, tab: str) -> None:
    page = open_page(studio, f"/lab?tab={tab}", 768)
    page.locator(".lab-grid .cell.legal").first.wait_for()
    settings, board = (page.locator(f".lab-grid > {part}").first.bounding_box() for part in (".panel", ".board"))
    assert settings is not None
    assert board is not None
    assert board["x"] >= settings["x"] + settings["width"]
    assert abs(board["y"] - settings["y"]) < 1
    assert page.locator(".lab-grid .board-grid").evaluate("e => e.scrollWidth - e.clientWidth") == 0


def test_a_turn_at_twice_the_size(studio: Studio, open_page: Open) -> None:
    """A screen of 1440 by 900 at a zoom of 200%."""
    zoomed = {"viewport": {"width": 720, "height": 450}, "device_scale_factor": 2}
    page = sit(studio, open_page, device=zoomed, dice=[5, 5])
    page.locator(".cell.legal").first.wait_for()
    assert page.evaluate(BADLY_PLACED) == []
    page.locator('[data-bid="1x2"]').click()
    bid = page.get_by_role("button", name="Bid one two")
    bid.scroll_into_view_if_needed()
    expect(bid).to_be_in_viewport(ratio=1)
    expect(page.locator('[data-bid="1x2"]')).to_be_in_viewport(ratio=1)
    assert page.evaluate(BADLY_PLACED) == []
    bid.click()
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    for path in ("/", "/play", "/lab", "/rules", f"/review/{studio.recorded()}"):
        page.goto(studio.url + path)
        page.locator("h1").first.wait_for()
        assert page.evaluate(BADLY_PLACED) == [], path


def test_a_round_by_touch(studio: Studio, open_page: Open) -> None:
    phone = {"has_touch": True, "is_mobile": True, "device_scale_factor": 3}
    page = sit(studio, open_page, 360, device=phone, dice=[3, 3])
    liar = page.get_by_role("button", name="Liar!")
    onward = page.get_by_role("button", name="Next round")
    page.locator('[data-bid="1x2"]').tap()
    page.get_by_role("button", name="Bid one two").tap()
    until = time.monotonic() + PATIENCE
    while not onward.is_visible():
        assert time.monotonic() < until, "the round does not end"
        page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .acts:not([hidden]) .primary:not(:disabled)')
        if liar.is_visible() and liar.is_enabled():
            liar.tap()
            page.get_by_role("button", name="Call liar").tap()
    onward.tap()
    expect(page.locator(".where")).to_contain_text("Round 2")
    page.get_by_label("Odds").tap()
    expect(page.get_by_label("Odds")).to_be_checked()
    page.touchscreen.tap(10, 10)
    assert page.evaluate(BADLY_PLACED) == []


# -- small -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "state",
    [
        *("home", "my turn", "review"),
        *(
            pytest.param(state, marks=pytest.mark.slow)
            for state in ("setting up", "first lessons", "replay", "explorer", "match-ups", "rules")
        ),
    ],
)
def test_a_page_is_small_and_soon_there(studio: Studio, open_page: Open, state: str) -> None:
    """What is sent for a page, without sounds, is less than 200 kB: in fact less than half of that."""
    page = STATES[state][0](studio, open_page)
    page.wait_for_load_state("networkidle")
    sizes = dict(
        page.evaluate(
            """performance.getEntries().filter(e => e.encodedBodySize && !e.name.includes("/api/"))
            .map(e => [new URL(e.name).pathname, e.encodedBodySize])"""
        )
    )
    total = sum(sizes.values())
    assert total < MOST_BYTES, sizes
    assert "/static/pages/" in "".join(sizes), "its module was loaded"
    paints = [page.evaluate(FIRST_PAINT)]
    while paints[-1] >= MOST_MS and len(paints) < 3:  # a busy machine is not a slow page
        page.reload(wait_until="networkidle")
        paints.append(page.evaluate(FIRST_PAINT))
    assert paints[-1] < MOST_MS, paints


# -- the files ---------------------------------------------------------------------------------------------------------


def texts() -> list[Path]:
    return [path for path in STATIC.rglob("*.*") if path.suffix != ".wav"]


def test_modules_are_plain() -> None:
    """No build step, nothing inline, nothing from other servers."""
    index = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\sstyle=|<style|<script(?![^>]*src=)|\son\w+=", index)
    for path in texts():
        words = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://", words), path.name


def test_nothing_in_the_static_files_is_dead() -> None:
    """Every file is used, every export is imported, every class in a style sheet is given to an element."""
    files = {path: path.read_text(encoding="utf-8") for path in texts()}
    code = "\n".join(text for path, text in files.items() if path.suffix in (".js", ".html"))
    assert [path.name for path in files if f'/{path.name}"' not in code] == ["index.html"]
    imported = {name.strip() for names in re.findall(r"^import \{(.*?)\}", code, re.M) for name in names.split(",")}
    later = re.findall(r"const \{(.*?)\} = await import\(\"", code)
    imported |= {name.strip() for names in later for name in names.split(",")} | {
        "blake2b",
        "sha256",
    }  # for their tests
    exported = set(re.findall(r"^export (?:async )?(?:const|function|class) (\w+)", code, re.M))
    assert exported - imported == {"page"}, "each page's, for the router"
    for path, text in files.items():
        selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", text, flags=re.S) if path.suffix == ".css" else ""
        for name in set(re.findall(r"\.([a-z][\w-]*)", selectors)):
            assert name in code or re.match(r"(seat|kind)-", name), f"{path.name} has .{name} for nothing"
