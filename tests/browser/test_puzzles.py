"""Puzzles: the position of the day by mouse, keys and touch, the streak, and puzzles from one's own games."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from browser.kit import YOU, Open, Studio, needs_chromium
from browser.test_review import PHONE, lose

pytestmark = needs_chromium


def best(studio: Studio, rules: str) -> tuple[str, list[str]]:
    """The best answer today, and all answers."""
    puzzle: Any = studio.get("/puzzles/daily")["puzzles"][rules]
    return puzzle["best"], [choice["action"] for choice in puzzle["choices"]]


def answer(page: Page, action: str, *, touch: bool = False) -> None:
    """Choose and confirm an action."""
    page.locator(".cell.legal").first.wait_for()
    if action in ("liar", "exact"):
        chosen = page.get_by_role("button", name=re.compile(f"^{action}", re.I))
    else:
        chosen = page.locator(f'[data-bid="{action}"]')
    confirm = page.locator(".acts .primary")
    for one in (chosen, confirm):
        if touch:
            one.tap()
        else:
            one.click()


def test_the_position_of_the_day_is_solved_and_counted(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/puzzles")
    expect(page.get_by_text("No days in a row yet")).to_be_visible()
    answer(page, best(studio, "heads-up")[0])
    expect(page.locator(".verdict h2")).to_contain_text("Best move")
    expect(page.locator(".verdict")).to_contain_text("nothing is better")
    expect(page.locator(".verdict")).to_contain_text("perfect play")
    expect(page.locator(".streak")).to_contain_text("1 day in a row")
    page.reload()
    expect(page.locator(".streak")).to_contain_text("1 day in a row")
    expect(page.locator(".streak")).to_contain_text("solved")


def test_a_wrong_answer_is_told_the_best_and_does_not_count(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/puzzles?of=perudo", **PHONE)
    right, every = best(studio, "perudo")
    wrong = next(action for action in reversed(every) if action not in (right, "liar", "exact"))
    answer(page, wrong, touch=True)
    expect(page.locator(".verdict")).to_contain_text("Best is")
    expect(page.locator(".streak")).to_contain_text("No days in a row yet")
    page.get_by_role("button", name="Try again").tap()
    answer(page, right, touch=True)
    expect(page.locator(".verdict h2")).to_contain_text("Best move")
    expect(page.locator(".streak")).to_contain_text("No days in a row yet")  # the first answer counts


def test_a_puzzle_by_keys(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/puzzles")
    page.locator(".cell.legal").first.wait_for()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    expect(page.locator(".acts .primary")).to_be_disabled()
    page.keyboard.press("l")
    expect(page.locator(".acts .primary")).to_have_text(re.compile("Call liar"))
    page.keyboard.press("Enter")
    expect(page.locator(".verdict .pick").first).to_contain_text("Call liar")
    page.get_by_text(re.compile(r"All \d+ answers")).click()
    rows = page.locator(".answers-table tbody tr")
    expect(rows).to_have_count(len(best(studio, "heads-up")[1]))


def test_puzzles_come_from_my_own_games(studio: Studio, open_page: Open) -> None:
    """A game that this browser played badly gives a puzzle; solving it brings the next, or none."""
    me = YOU | {"name": "Zoe"}
    game = lose(studio, studio.room(me, {"kind": "bot", "agent": "optimal"}, rules="heads-up", seed=4, dice=[2, 2]))
    page = open_page(studio, "/puzzles?of=mine")
    expect(page.get_by_text("Play a game first")).to_be_visible()
    page.evaluate("localStorage.setItem('set:name', 'Zoe')")
    page.reload()
    page.locator(".cell.legal, .acts button:not(:disabled)").first.wait_for()
    href = page.get_by_role("link", name="See it in the review").get_attribute("href") or ""
    assert href.startswith(f"/review/{game}#")
    turn = href.partition("#")[2]
    puzzle = studio.get(f"/games/{game}/turns/{turn}")
    answer(page, puzzle["best"])
    expect(page.locator(".verdict h2")).to_contain_text("Best move")
    page.get_by_role("button", name="Next").click()
    page.wait_for_function(
        "id => !document.querySelector('.stage:not([hidden])') || !document.querySelector(`a[href$='#${id}']`)",
        arg=turn,
    )
