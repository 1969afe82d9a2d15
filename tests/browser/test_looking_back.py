"""Reviews begin with your own moves, and games continue from the move under review."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from browser.kit import YOU, Open, Studio, needs_chromium, until_over

pytestmark = needs_chromium


def play_badly(page: Page) -> None:
    """Bid the highest bid there is, or call what cannot be raised."""
    if page.get_by_role("button", name="Next round").is_visible():
        page.get_by_role("button", name="Next round").click()
    elif page.locator(".cell.legal").count():
        page.locator(".cell.legal").first.dblclick()
        page.wait_for_selector(".cell.legal", state="detached")
    else:
        page.get_by_role("button", name="Liar!").dblclick()


def lost_game(studio: Studio, open_page: Open) -> Page:
    """The review of a game that we lost against two bots, the second of which plays at random."""
    bots = [{"kind": "bot", "agent": name} for name in ("maniac", "random")]
    seat = studio.room(YOU, *bots, rules="perudo", seed=5, dice=[1, 2, 2])
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.locator(".cell.legal").first.wait_for()
    page.evaluate(
        """async ([room, token]) => (await import("/static/api.js")).keepToken(room, token, 0)""",
        [seat["room"], seat["token"]],
    )
    page.reload()
    until_over(page, play_badly)
    page.get_by_role("link", name="Review with the coach").click()
    page.locator(".curve path").first.wait_for()
    return page


def test_a_review_begins_with_my_worst_move(studio: Studio, open_page: Open) -> None:
    page = lost_game(studio, open_page)
    expect(page.locator(".verdict h2")).to_be_visible()
    expect(page.locator(".verdict .pick").first).to_contain_text("You chose")
    other = open_page(studio, page.url.removeprefix(studio.url))  # someone else's browser: the only person is meant
    expect(other.locator(".verdict .pick").first).to_contain_text("Ann chose")


def test_playing_on_begins_before_the_move_with_the_same_opponents(studio: Studio, open_page: Open) -> None:
    page = lost_game(studio, open_page)
    turn = int(re.findall(r"Move (\d+) of", page.locator(".scrub output").inner_text())[0])
    page.get_by_text("Play on from here").click()
    expect(page.locator(".branch")).to_contain_text(f"before move {turn} (Ann’s)")
    expect(page.get_by_label("Play as")).to_have_value("0")
    expect(page.get_by_label("maniac is played by")).to_have_value("maniac")
    expect(page.get_by_label("random is played by")).to_have_value("random")
    page.get_by_role("button", name="Play on", exact=True).click()
    page.locator(".cell.legal").first.wait_for()
    room = studio.get(f"/rooms/{page.url.rpartition('/')[2]}")
    assert room["turn"] == turn, "the move under review is ours to make again"
    assert [seat["agent"] for seat in room["seats"]] == [None, "maniac", "random"]
