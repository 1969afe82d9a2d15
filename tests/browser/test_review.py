"""A review: your own mistakes, another try at each, an address for every move, and files to take away."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from browser.kit import YOU, Open, Studio, needs_chromium
from liars_dice.core import parse_game
from patience import PATIENCE

pytestmark = needs_chromium
PHONE = {"has_touch": True, "is_mobile": True, "device_scale_factor": 2, "viewport": {"width": 390, "height": 844}}
BOTS = [{"kind": "bot", "agent": name} for name in ("maniac", "bluffer", "optimal", "conservative", "random")]


@pytest.fixture(scope="module")
def game(studio: Studio) -> str:
    """A game of six that Ann, played badly, has lost; her browser is not ours."""
    seat = studio.room(YOU, *BOTS, rules="perudo", seed=5, dice=[2, 2, 2, 2, 2, 2])
    return lose(studio, seat)


def lose(studio: Studio, seat: dict[str, str]) -> str:
    """Bid as high as possible until the game is over; its id."""
    address = f"ws://127.0.0.1:{studio.port}/api/rooms/{seat['room']}/socket"
    with connect(address, max_size=None, open_timeout=PATIENCE, ping_interval=None) as socket:
        socket.send(json.dumps({"type": "hello", "token": seat["token"]}))
        while (said := json.loads(socket.recv(timeout=PATIENCE)))["type"] != "over":
            if said["type"] == "turn" and "legal" in said and said.get("bids"):
                quantity, face = said["bids"][-1]
                action = {"kind": "bid", "quantity": quantity, "face": face}
                socket.send(json.dumps({"type": "act", "id": said["turn"], "turn": said["turn"], "action": action}))
            elif said["type"] == "turn" and said.get("calls"):
                act = {"type": "act", "id": said["turn"], "turn": said["turn"], "action": {"kind": "liar"}}
                socket.send(json.dumps(act))
        return str(said["game_id"])


def reviewed(studio: Studio, open_page: Open, game: str, at: str = "", device: Any = None) -> Page:
    page = open_page(studio, f"/review/{game}{at}", **device or {})
    page.locator(".curve path").first.wait_for()
    return page


def turn(page: Page) -> int:
    return int(re.findall(r"Move (\d+) of", page.locator(".scrub output").inner_text())[0])


def test_mistakes_are_listed_and_one_follows_the_other(studio: Studio, open_page: Open, game: str) -> None:
    page = reviewed(studio, open_page, game)
    listed = [int(line.get_attribute("data-turn") or 0) for line in page.locator(".mistakes [data-turn]").all()]
    assert listed
    assert listed == sorted(listed)
    assert turn(page) in listed, "it opens on one of Ann's mistakes"
    expect(page.locator(".mistakes [aria-current]")).to_have_attribute("data-turn", str(turn(page)))
    page.locator(f".mistakes [data-turn='{listed[0]}']").click()
    assert turn(page) == listed[0]
    page.get_by_role("button", name="Next mistake").click()
    assert turn(page) == listed[1 % len(listed)]
    page.keyboard.press("p")
    assert turn(page) == listed[0]
    page.keyboard.press("n")
    assert turn(page) == listed[1 % len(listed)]
    expect(page.locator(".verdict small").last).to_contain_text("Measured against")
    dots = page.locator(".spot").count()
    assert dots == len(listed), "the chart marks the same decisions"
    page.get_by_label("Whose moves").select_option("all")
    assert page.locator(".spot").count() > dots


def test_the_chart_can_be_read_without_colours(studio: Studio, open_page: Open, game: str) -> None:
    page = reviewed(studio, open_page, game)
    expect(page.locator(".curve .plot .line.bold")).to_have_count(1)
    dashes = page.locator(".key .sample path").evaluate_all("all => all.map(p => p.getAttribute('stroke-dasharray'))")
    assert len(set(dashes)) == 6
    expect(page.locator(".curve figcaption")).to_contain_text("Chance to win the game")
    expect(page.locator(".curve figcaption")).to_contain_text("sees the bids but no dice")


def test_a_decision_can_be_tried_again(studio: Studio, open_page: Open, game: str) -> None:
    """By keys: the same dice and bids, hidden dice hidden, and then the coach's word on the new move."""
    page = reviewed(studio, open_page, game)
    here = turn(page)
    before = page.locator(".verdict .pick .number").first.inner_text()
    page.keyboard.press("t")
    page.locator(".cell.legal").first.wait_for()
    assert page.locator(".seat:not(.me) .die:not(.blank)").count() == 0, "the others' dice are hidden again"
    expect(page.locator(".verdict")).not_to_contain_text("Best")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict .pick").first).to_contain_text("You choose")
    expect(page.locator(".verdict")).to_contain_text("Measured against")
    best = page.locator(".verdict .pick .number").nth(0).inner_text()
    assert best != before or "In the game" not in page.locator(".verdict").inner_text()
    page.get_by_role("button", name="Back to the game").click()
    assert turn(page) == here
    expect(page.locator(".transport")).to_be_visible()


def test_a_decision_can_be_played_out_by_touch(studio: Studio, open_page: Open, game: str) -> None:
    page = reviewed(studio, open_page, game, device=PHONE)
    here = turn(page)
    page.get_by_role("button", name="Try again").tap()
    page.locator(".cell.legal").first.wait_for()
    page.locator(".cell.legal").last.tap()
    page.locator(".acts .primary").tap()
    page.get_by_role("button", name="Play it out").tap()
    page.wait_for_url("**/room/*")
    page.locator(".cell.legal").first.wait_for()
    room = studio.get(f"/rooms/{page.url.rpartition('/')[2]}")
    assert room["turn"] == here
    assert [seat["agent"] for seat in room["seats"]] == [None, *(bot["agent"] for bot in BOTS)], "the same table"
    page.locator(".cell.legal").last.tap()
    page.locator(".acts .primary").first.tap()
    expect(page.locator(".watch .pick").first).to_contain_text("You choose")
    expect(page.locator(".watch")).to_contain_text("Measured against")


def test_the_address_follows_the_move(studio: Studio, open_page: Open, game: str) -> None:
    page = open_page(studio, f"/replay/{game}#3")
    expect(page.locator(".scrub output")).to_have_text(re.compile("Move 3 of"))
    page.get_by_role("button", name="Next move").click()
    assert page.url.endswith(f"/replay/{game}#4")
    page.evaluate("location.hash = '#2'")
    expect(page.locator(".scrub output")).to_have_text(re.compile("Move 2 of"))
    other = reviewed(studio, open_page, game, "#2")
    assert turn(other) == 2, "the address is stronger than the worst move"
    page.evaluate("location.hash = '#99999'")
    assert turn(page) == 2


def test_a_link_can_be_copied(studio: Studio, open_page: Open, game: str) -> None:
    page = open_page(studio, f"/replay/{game}#3", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{studio.url}/replay/{game}#3"


def test_a_game_can_be_downloaded(studio: Studio, open_page: Open, game: str) -> None:
    page = open_page(studio, f"/replay/{game}")
    with page.expect_download() as notation:
        page.get_by_role("link", name="notation").click()
    state = parse_game(notation.value.path().read_text(encoding="utf-8"))
    assert state.public.names[0] == "Ann"
    assert notation.value.suggested_filename == f"{game}.txt"
    with page.expect_download() as lines:
        page.get_by_role("link", name="JSON lines").click()
    assert lines.value.path().read_text(encoding="utf-8").count("\n") == len(studio.get(f"/games/{game}")["events"])


def test_a_link_has_a_picture(studio: Studio, open_page: Open, game: str) -> None:
    page = open_page(studio, f"/review/{game}")
    address = page.locator("meta[property='og:image']").get_attribute("content") or ""
    with urllib.request.urlopen(address) as answer:
        assert answer.headers["content-type"] == "image/png"
        assert answer.read(8) == b"\x89PNG\r\n\x1a\n"
    title = page.locator("meta[property='og:title']").get_attribute("content") or ""
    assert title.endswith(" won")
