"""The dice of a finished game are checked in the browser, by code that shares nothing with the server's."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from playwright.sync_api import Page, expect

from browser.kit import YOU, Open, Studio, by_mouse, needs_chromium, until_over

pytestmark = needs_chromium


def test_the_hashes_are_those_of_the_standards(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/rules")
    rng = random.Random(5)
    texts = ["", "abc", "Grüße 🎲", *("x" * n for n in (55, 56, 63, 64, 65, 119, 120, 200))]
    found = page.evaluate(
        """async (texts) => {
          const { sha256 } = await import("/static/fair_check.js");
          return texts.map((text) => [...sha256(text)]);
        }""",
        texts,
    )
    assert [bytes(one) for one in found] == [hashlib.sha256(text.encode()).digest() for text in texts]
    pairs = [(rng.randbytes(size), rng.randbytes(8)) for size in (0, 1, 16, 127, 128)]
    found = page.evaluate(
        """async (pairs) => {
          const { blake2b } = await import("/static/fair_check.js");
          return pairs.map(([message, key]) => [...blake2b(new Uint8Array(message), new Uint8Array(key))]);
        }""",
        [[list(message), list(key)] for message, key in pairs if message],
    )
    assert [bytes(one) for one in found] == [hashlib.blake2b(m, key=key).digest() for m, key in pairs if m]


def finished(studio: Studio, open_page: Open, words: str) -> tuple[Page, Any]:
    """A page at the end of a game, and the game."""
    wish = {"rules": "perudo", "seats": [YOU, {"kind": "bot", "agent": "maniac"}], "delay_ms": 0, "hold": True}
    seat = studio.post("/rooms", wish | {"changes": {"dice": [2, 2], "table_dice": 1, "hidden_dice": 2}})
    studio.post(f"/rooms/{seat['room']}/entropy", {"token": seat["token"], "entropy": words})
    studio.post(f"/rooms/{seat['room']}/start", {"token": seat["token"]})
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    until_over(page, by_mouse)
    page.get_by_text("Fair dice").click()
    return page, studio.get(f"/games/{studio.get('/rooms/' + seat['room'])['game_id']}")


def test_every_roll_is_made_again(studio: Studio, open_page: Open) -> None:
    page, game = finished(studio, open_page, 'Anns "Hund" – grüß 🎲')
    page.get_by_role("button", name="Check all dice in this browser").click()
    rolls = sum(e["type"] == "DiceRolled" for e in game["events"])
    rolls += 2 * sum(e["type"] == "SharedDiceRolled" for e in game["events"])
    expect(page.locator(".fair-dice")).to_contain_text(f"All {rolls} rolls follow from the secret")
    expect(page.locator(".fair-dice")).to_contain_text("no one changed a die afterwards")


def test_a_changed_die_and_a_changed_secret_are_found(studio: Studio, open_page: Open) -> None:
    page, game = finished(studio, open_page, "")
    rolled = next(e for e in game["events"] if e["type"] == "DiceRolled")
    rolled["dice"][0] = rolled["dice"][0] % 6 + 1
    page.route("**/api/games/*", lambda route: route.fulfill(json=game))
    page.get_by_role("button", name="Check all dice in this browser").click()
    expect(page.locator(".fair-dice")).to_contain_text("the dice of round 1 are not those that the secret gives")
    game["fairness"]["secret"] = "00" * 32
    page.get_by_role("button", name="Check all dice in this browser").click()
    expect(page.locator(".fair-dice")).to_contain_text("the secret does not belong to the fingerprint")
