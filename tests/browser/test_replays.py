"""The list of replays: mine, filters, a search, and unfinished games out of the way."""

from __future__ import annotations

from playwright.sync_api import expect

from browser.kit import BOT, YOU, Open, Studio, needs_chromium
from browser.test_review import lose

pytestmark = needs_chromium


def test_my_games_filters_and_search(own_studio: Studio, open_page: Open) -> None:
    studio = own_studio
    lost = lose(studio, studio.room(YOU, BOT, rules="duel", seed=4))
    others = studio.recorded(seed=5)
    unfinished = studio.room(YOU, BOT, seed=6)
    page = open_page(studio, "/replays")
    games = page.locator(".games").first.locator("li")
    expect(games).to_have_count(2)
    expect(page.get_by_label("Result")).to_be_disabled()
    page.evaluate("localStorage.setItem('set:name', 'Ann')")
    page.reload()
    expect(games).to_have_count(1)
    expect(games.first.locator(".outcome")).to_have_text("Lost")
    expect(games.first.get_by_role("link").first).to_have_attribute("href", f"/replay/{lost}")
    page.get_by_label("Result").select_option("won")
    expect(page.locator("main").get_by_text("No games like this.").first).to_be_visible()
    page.get_by_label("Result").select_option("lost")
    expect(games).to_have_count(1)
    page.get_by_label("Whose games").select_option("all")
    expect(games).to_have_count(2)
    page.get_by_label("Search").fill("bluf")
    expect(games).to_have_count(1)
    expect(games.first.get_by_role("link").first).to_have_attribute("href", f"/replay/{others}")
    assert "search=bluf" in page.url
    page.reload()
    expect(games).to_have_count(1)
    expect(page.get_by_label("Search")).to_have_value("bluf")
    page.get_by_label("Search").fill("")
    page.get_by_label("Rules").select_option("duel")
    expect(games).to_have_count(1)
    page.get_by_label("Rules").select_option("")
    page.get_by_text("Unfinished games").click()
    waiting = page.locator(".unfinished .games li")
    expect(waiting).to_have_count(1)
    game = studio.get(f"/rooms/{unfinished['room']}")["game_id"]
    expect(waiting.get_by_role("link")).to_have_attribute("href", f"/replay/{game}")


def test_this_browser_remembers_its_games_without_a_name(own_studio: Studio, open_page: Open) -> None:
    game = lose(own_studio, own_studio.room({"kind": "you"}, BOT, rules="duel", seed=4))
    own_studio.recorded(seed=5)
    page = open_page(own_studio, "/rules")
    page.evaluate(
        "game => localStorage.setItem('rooms', JSON.stringify([{ room: 'a', seat: 0, when: 1, games: [game] }]))", game
    )
    page.goto(own_studio.url + "/replays")
    games = page.locator(".games").first.locator("li")
    expect(games).to_have_count(1)
    expect(games.first.locator(".outcome")).to_have_text("Lost")
