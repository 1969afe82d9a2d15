"""Player cards, and what others could know of you, on the page."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.kit import Open, Studio, needs_chromium
from browser.test_looking_back import lost_game

pytestmark = needs_chromium


def test_a_review_says_what_others_could_know_and_leads_to_the_card(studio: Studio, open_page: Open) -> None:
    page = lost_game(studio, open_page)
    page.get_by_text("What they could know of you").click()
    expect(page.locator(".known-of-you .player-card")).to_contain_text("of 1 game")
    page.get_by_role("link", name="From all finished games").click()
    expect(page.get_by_role("heading", name="Player card")).to_be_visible()
    expect(page.locator(".player-card")).to_contain_text("This rests on")
    page.get_by_label("Name").fill("maniac")
    page.get_by_role("button", name="Show the card").click()
    expect(page.get_by_role("heading", name="maniac")).to_be_visible()
