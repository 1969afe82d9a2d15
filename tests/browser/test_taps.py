"""Choosing and confirming: nothing moves under the finger; a bid and a call both take two taps, or one."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.kit import BOT, YOU, Open, Studio, needs_chromium, sit

pytestmark = needs_chromium

PHONE: Any = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}
TOP = "element => element.getBoundingClientRect().top"


def six_at_a_table(studio: Studio, open_page: Open, width: int = 1440, **device: Any) -> Page:
    seat = studio.room(YOU, *[BOT] * 5, rules="perudo", seed=5)
    page = open_page(studio, f"/room/{seat['room']}", width, token=seat, **device)
    page.locator(".cell.legal").first.wait_for()
    return page


@pytest.mark.parametrize("width", [1440, 360])
def test_two_taps_on_one_spot_bid_what_is_there(studio: Studio, open_page: Open, width: int) -> None:
    """On a board of thirty rows, at the upper and the lower edge of what is in sight."""
    for edge in (0.25, 0.9):
        page = six_at_a_table(studio, open_page, width, **PHONE if width == 360 else {})
        page.locator(".board-grid").evaluate("grid => (grid.scrollTop = grid.scrollHeight - grid.clientHeight - 400)")
        box = page.locator(".board-grid").bounding_box()
        assert box is not None
        at = (box["x"] + box["width"] * 0.6, box["y"] + box["height"] * edge)
        tap = page.touchscreen.tap if width == 360 else page.mouse.click
        tap(*at)
        cell = page.locator(".cell.chosen")
        bid = cell.get_attribute("data-bid")
        top = cell.evaluate(TOP)
        there = page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('[data-bid]').dataset.bid", list(at))
        assert there == bid, "the chosen cell has stayed where it is"
        assert cell.evaluate(TOP) == top
        tap(*at)
        expect(page.locator(f'.cell.made[data-bid="{bid}"]')).to_be_visible()


def test_more_rows_appear_without_moving_the_chosen_cell(studio: Studio, open_page: Open) -> None:
    """A board of more than forty rows shows those around the bid."""
    page = sit(studio, open_page, dice=[30, 30])
    page.locator('[data-bid="12x3"]').scroll_into_view_if_needed()
    cell = page.locator('[data-bid="12x3"]')
    top = cell.evaluate(TOP)
    cell.click()
    expect(page.locator('[data-bid="25x3"]')).to_have_count(1)
    assert abs(cell.evaluate(TOP) - top) < 1
    cell.click()
    expect(page.locator('.cell.made[data-bid="12x3"]')).to_be_visible()


def test_arrows_keep_the_chosen_cell_in_sight(studio: Studio, open_page: Open) -> None:
    page = six_at_a_table(studio, open_page)
    for _ in range(20):
        page.keyboard.press("ArrowUp")
        expect(page.locator(".cell.chosen")).to_be_in_viewport()
    box, cell = page.locator(".board-grid").bounding_box(), page.locator(".cell.chosen").bounding_box()
    assert box is not None
    assert cell is not None
    assert box["y"] < cell["y"]
    assert cell["y"] + cell["height"] <= box["y"] + box["height"] + 1


def answered(studio: Studio, open_page: Open) -> Page:
    """A duel in which the bot has raised, so that we can call."""
    page = sit(studio, open_page, seed=11)
    page.locator('[data-bid="1x1"]').dblclick()
    expect(page.get_by_role("button", name="Liar!")).to_be_enabled()
    return page


def test_a_call_takes_two_taps(studio: Studio, open_page: Open) -> None:
    page = answered(studio, open_page)
    liar, confirm = page.get_by_role("button", name="Liar!"), page.get_by_role("button", name="Call liar")
    liar.click()
    expect(liar).to_have_attribute("aria-pressed", "true")
    expect(confirm).to_be_enabled()
    page.keyboard.press("Escape")
    expect(liar).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("button", name="Choose a bid")).to_be_visible()
    page.locator('[data-bid="4x4"]').click()
    liar.click()
    expect(page.locator(".cell.chosen")).to_have_count(0)
    expect(page.locator(".history")).not_to_contain_text("You call liar")
    confirm.click()
    expect(page.locator(".history")).to_contain_text("You call liar")


@pytest.mark.parametrize("second", ["l", "Enter"])
def test_a_call_takes_two_keys(studio: Studio, open_page: Open, second: str) -> None:
    page = answered(studio, open_page)
    page.keyboard.press("l")
    expect(page.get_by_role("button", name="Call liar")).to_be_enabled()
    expect(page.locator(".history")).not_to_contain_text("You call liar")
    page.keyboard.press(second)
    expect(page.locator(".history")).to_contain_text("You call liar")


def test_one_tap_if_you_like(studio: Studio, open_page: Open) -> None:
    page = sit(studio, open_page, seed=11)
    page.get_by_label("One tap").check()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".cell.chosen")).to_have_count(1)
    page.locator('[data-bid="1x1"]').click()  # the cell that the arrow has chosen
    expect(page.locator('.cell.made[data-bid="1x1"]')).to_be_visible()
    page.get_by_role("button", name="Liar!").click()
    expect(page.locator(".history")).to_contain_text("You call liar")
    page.reload()
    expect(page.get_by_label("One tap")).to_be_checked()
