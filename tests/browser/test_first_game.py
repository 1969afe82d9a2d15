"""The guided first game, and what people choose from before a game: bots with faces and ratings, and Perudo."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.kit import Open, Studio, needs_chromium, until_over
from browser.test_looks import BADLY_PLACED
from liars_dice.agents import AGENTS, RATING
from liars_dice.core import LESSONS, TEACHER

pytestmark = needs_chromium

PHONE: Any = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}


def bid(page: Page, cell: str, name: str) -> None:
    page.locator(f'[data-bid="{cell}"]').click()
    page.get_by_role("button", name=f"Bid {name}").click()


@pytest.mark.parametrize("device", [pytest.param({}, marks=pytest.mark.slow), PHONE], ids=["desktop", "phone"])
def test_the_rules_are_learned_by_playing(studio: Studio, open_page: Open, device: Any) -> None:
    page = open_page(studio, "/", **device)
    page.get_by_role("link", name="Learn by playing").click()
    title = page.get_by_role("heading", level=1)
    for number, lesson in enumerate(LESSONS, 1):
        expect(title).to_have_text(f"{number} of {len(LESSONS)}: {lesson.title}")
        expect(page.locator(".lesson-words")).to_contain_text(lesson.text[0])
        expect(page.get_by_role("link", name="Leave the lessons")).to_be_visible()
        assert page.evaluate(BADLY_PLACED) == []
        match lesson.move:
            case "2x5":
                bid(page, "1x5", "one five")
                expect(page.get_by_role("alert")).to_have_text("That is possible, too. For now, try two fives.")
                bid(page, "2x5", "two fives")
                continue
            case "3x6":
                page.locator('[data-bid="3x6"].legal').wait_for()
                page.locator('[data-bid="3x4"]').click(force=True)
                expect(page.get_by_role("alert")).to_have_text("Three fours is not higher than three fives.")
                bid(page, "3x6", "three sixes")
            case "liar":
                page.get_by_role("button", name="Liar!").click()
                page.get_by_role("button", name="Call liar").click()
                expect(page.locator("#status")).to_contain_text("There were no sixes: the bid was false.")
        if lesson.after:
            expect(page.locator(".lesson-words")).to_have_text(lesson.after)
        page.get_by_role("button", name="Go on").or_(page.get_by_role("button", name="Play your first game")).click()
    page.wait_for_url("**/room/*")
    expect(page.locator(".others strong")).to_have_text(TEACHER)
    expect(page.locator(".guide")).to_contain_text("that bid is certain to be true")
    page.locator('[data-bid="5x1"]').dblclick()
    expect(page.locator(".guide")).to_contain_text(re.compile("Coach: .*It is better to"))
    expect(page.get_by_role("button", name="Next round")).to_be_enabled()


def test_the_guided_game_can_be_played_without_the_guide(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/learn")
    page.get_by_role("button", name="Skip to the game").click()
    page.get_by_role("button", name="No more tips").click()
    expect(page.locator(".guide")).to_have_count(0)

    def move(page: Page) -> None:
        if page.get_by_role("button", name="Next round").is_visible():
            page.keyboard.press("Enter")
        elif page.locator(".cell.standing").count():
            page.keyboard.type("ll")
        elif page.locator(".cell.legal").count():
            page.locator(".cell.legal").last.dblclick()

    until_over(page, move)
    expect(page.locator(".guide")).to_have_count(0)


def test_leaving_the_lessons(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/learn")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("link", name="Leave the lessons").click()
    expect(page.get_by_role("button", name="Play now")).to_be_visible()


# -- who to play with --------------------------------------------------------------------------------------------------


def test_bots_have_faces_and_ratings_from_easy_to_hard(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/watch")
    seat = page.get_by_label("Seat 1")
    expect(seat.locator("optgroup")).to_have_count(4)
    groups = seat.locator("optgroup").evaluate_all("all => all.map(g => [g.label, [...g.children].map(o => o.value)])")
    assert [label for label, _ in groups] == ["Easy", "Medium", "Hard", "Champion and perfect play"]
    assert groups[-1][1] == ["champion:easy", "champion:medium", "champion:hard", "champion", "reader", "nash"]
    ratings = [RATING[AGENTS[name].name] for _, names in groups[:-1] for name in names]
    assert ratings == sorted(ratings), "easy ones first"
    faces = set()
    for name in (name for _, names in groups for name in names):
        seat.select_option(name)
        line = page.locator(".seat-list li").first
        expect(line.locator("small")).to_contain_text(f"Rating {RATING[AGENTS[name].name]}.")
        faces.add(line.locator(".avatar").inner_html())
    assert len(faces) == len(AGENTS), "each has its own face"
    expect(page.get_by_text("Ratings were measured in our own leagues")).to_be_visible()


def test_rules_that_the_champion_is_not_made_for_say_what_it_plays_as(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/watch")
    page.get_by_label("Seat 1").select_option("champion")
    line = page.locator(".seat-list li").first
    expect(line).to_contain_text("Rating")
    page.locator("label.choice", has_text="One die").click()
    expect(line).to_contain_text("It is not made for these rules: it plays as detective.")
    page.locator("label.choice", has_text="Heads-up").click()
    expect(line).to_contain_text("Rating")


def test_perudo_as_people_know_it_is_one_tap_away(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/")
    page.get_by_role("button", name="Perudo with five bots").click()
    page.wait_for_url("**/room/*")
    room = studio.get(f"/rooms/{page.url.rpartition('/')[2]}")
    assert (room["config"]["palifico"], room["config"]["open_on_ones"]) == (True, False)
    assert len({seat["agent"] for seat in room["seats"]}) == 6
    page.goto(f"{studio.url}/play")
    page.locator(".choice").first.wait_for()
    first = page.locator(".choice strong").all_inner_texts()[:2]
    assert "Perudo as most people know it" in first


# -- sounds ------------------------------------------------------------------------------------------------------------


def test_sounds_are_off_until_asked_for(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/play")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/sounds/" in request.url else None)
    page.get_by_role("button", name="Start").click()
    page.locator(".cell.legal").first.wait_for()
    page.locator('[data-bid="1x2"]').dblclick()
    expect(page.locator(".cell.made").first).to_be_visible()
    assert asked == []
    with page.expect_response("**/static/sounds/*.wav") as answer:
        page.get_by_label("Sound").check()
    assert answer.value.headers["content-type"].startswith("audio/")
    frames = page.evaluate(
        """async () => {
          const all = ["dice", "bid", "call", "lift", "count", "turn", "round", "won", "lost"];
          const context = new OfflineAudioContext(1, 1, 44100);
          const load = async (name) => (await fetch(`/static/sounds/${name}.wav`)).arrayBuffer();
          return Promise.all(all.map(async (name) => (await context.decodeAudioData(await load(name))).duration));
        }"""
    )
    assert all(0.1 < seconds < 1.2 for seconds in frames)
