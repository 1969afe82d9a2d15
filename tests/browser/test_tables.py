"""Tables of every kind: full ones, long names, phones on their side, players who are away, and reveals."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from browser.kit import BOT, YOU, Open, Studio, needs_chromium, sit
from browser.test_details import SEEN
from browser.test_looks import BADLY_PLACED, MANY_BOTS

pytestmark = needs_chromium

OPEN = {"kind": "open"}
LONG = "Bartholomew Featherstone"
LYING = [(844, 390), (667, 375), (568, 320)]
MOVING: Any = {"reduced_motion": "no-preference"}


COVERED = """all => {
  const boxes = all.map(e => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width && b.height);
  const apart = (a, b) => a.right < b.left + 1 || b.right < a.left + 1 || a.bottom < b.top + 1 || b.bottom < a.top + 1;
  return boxes.flatMap(([e, a], i) => boxes.slice(i + 1).filter(([, b]) => !apart(a, b)).map(([f]) => [e, f]))
    .map(pair => pair.map(e => `${e.className} of ${e.closest("[data-seat]")?.dataset.seat}`).join(" and "));
}"""
"""Which of these elements cover each other."""


def bots(*names: str) -> list[dict[str, str]]:
    return [{"kind": "bot", "agent": name} for name in names]


# -- sizes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", LYING)
@pytest.mark.parametrize("others", [pytest.param([BOT], marks=pytest.mark.slow), MANY_BOTS])
def test_a_phone_on_its_side(studio: Studio, open_page: Open, size: tuple[int, int], others: list[Any]) -> None:
    """Dice, bid, board and buttons are on the screen at once."""
    seat = studio.room(YOU, *others, rules="heads-up" if len(others) == 1 else "perudo", seed=5)
    phone = {"viewport": {"width": size[0], "height": size[1]}, "has_touch": True}
    page = open_page(studio, f"/room/{seat['room']}", token=seat, **phone)
    page.locator(".cell.legal").first.wait_for()
    page.locator('[data-bid="1x2"]').tap()
    for what in ("#status", ".seat.me .hand", ".middle", '[data-bid="1x2"]', ".acts .primary", ".calls button"):
        assert page.locator(what).first.evaluate(SEEN), what
    assert page.evaluate("scrollY") == 0
    page.get_by_role("button", name="Bid one two").tap()
    expect(page.locator(".cell.made").first).to_be_visible()
    assert page.evaluate(BADLY_PLACED) == []


@pytest.mark.parametrize("size", [(1440, 900), (768, 1024), (390, 844), (360, 640), (844, 390)])
def test_fifteen_players_with_long_names(studio: Studio, open_page: Open, size: tuple[int, int]) -> None:
    """Half of them away; nothing overlaps or sticks out, and your own dice are on the screen."""
    guests: list[Any] = [OPEN] * 7
    seats = [{"kind": "you", "name": LONG}, *guests, *bots(*["calling-station"] * 7)]
    ann = studio.post("/rooms", {"rules": "perudo", "seats": seats, "delay_ms": 0})
    for _ in guests:
        studio.post(f"/rooms/{ann['room']}/seats", {"name": LONG})
    width, height = size
    page = open_page(studio, f"/room/{ann['room']}", token=ann, viewport={"width": width, "height": height})
    page.locator('[data-bid="1x2"]').dblclick()
    expect(page.locator(".seat.turn .until")).to_contain_text(re.compile(r"optimal moves in \d+"))
    assert page.locator(".others .who-text").evaluate_all(COVERED) == []
    outside = (
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1 || e.querySelector('strong').title === '').length"
    )
    assert page.locator(".seat").evaluate_all(outside) == 0
    assert page.evaluate(BADLY_PLACED) == []
    assert page.locator(".seat.me .hand").evaluate(SEEN)


# -- who is who --------------------------------------------------------------------------------------------------------


def test_tokens_and_names_of_copies_agree(studio: Studio, open_page: Open) -> None:
    seat = studio.room({"kind": "you", "name": "Olga"}, *bots(*["optimal"] * 3, "maniac"), rules="perudo", seed=5)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.locator(".cell.legal").first.wait_for()
    shown = page.locator(".others .seat").evaluate_all(
        "all => all.map(e => [e.querySelector('.token').textContent, e.querySelector('strong').textContent])"
    )
    assert shown == [["Op", "optimal"], ["O2", "optimal 2"], ["O3", "optimal 3"], ["M", "maniac"]]
    expect(page.locator(".seat.me .token")).to_have_text("Ol")
    assert "#" not in page.locator("main").inner_text()


def test_the_default_table_is_mixed(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/play")
    page.get_by_role("spinbutton", name="Players").fill("6")
    page.get_by_role("spinbutton", name="Players").blur()
    seats = page.locator(".seat-list select")
    expect(seats).to_have_count(6)
    chosen = seats.evaluate_all("all => all.map(e => e.value)")
    assert chosen[0] == "you"
    assert len(set(chosen)) == 6
    ann = studio.post("/rooms", {"rules": "perudo", "seats": [YOU, *[OPEN] * 5]})
    view = studio.post(f"/rooms/{ann['room']}/start", {"token": ann["token"]})
    assert len({seat["agent"] for seat in view["seats"]}) == 6, "nor are open seats filled with copies"


def test_a_move_of_a_stand_in_is_told_as_such(studio: Studio, open_page: Open) -> None:
    """When you come back, the page does not claim that you bid."""
    seat = studio.room(YOU, BOT, seed=7)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)

    def through(line: WebSocketRoute) -> None:
        server = line.connect_to_server()

        def told(message: str | bytes) -> None:
            said = json.loads(message)
            if said["type"] == "event" and said["event"].get("player_id") == 0:
                said["event"]["stand_in"] = "optimal"
            line.send(json.dumps(said))

        server.on_message(told)

    page.route_web_socket(re.compile("/socket"), through)
    page.reload()
    page.locator('[data-bid="1x2"]').dblclick()
    expect(page.locator(".history")).to_contain_text("Optimal bids one two for you.")
    expect(page.locator(".history")).not_to_contain_text("You bid")


# -- the reveal --------------------------------------------------------------------------------------------------------


def called(studio: Studio, open_page: Open, **device: Any) -> Page:
    """Six dice each, a bid that is called at once; the time of the page is ours."""
    page = sit(studio, open_page, seed=7, dice=[6, 6], device=device)
    page.locator(".cell.legal").first.wait_for()
    page.get_by_label("Quick").uncheck()
    return page


SPOILERS = ".cell.held, .cell.false, .die.dim, .history .end"


def reveal_with_count(studio: Studio, open_page: Open) -> Page:
    """A page in which the dice of a reveal are about to be counted."""
    page = called(studio, open_page, **MOVING)
    page.clock.install()
    page.locator('[data-bid="12x2"]').dblclick()
    page.clock.pause_at(page.evaluate("Date.now() + 100"))
    for _ in range(200):
        if page.locator(".hand.revealed").count():
            break
        page.clock.run_for(50)
    expect(page.locator(".hand.revealed")).to_have_count(2)
    return page


def test_a_reveal_does_not_spoil_itself(studio: Studio, open_page: Open) -> None:
    """Dice are counted one by one, then comes the verdict: within two seconds."""
    page = reveal_with_count(studio, open_page)
    number = page.locator(".middle .claim .big")
    seen = [int(number.inner_text())]
    for _ in range(40):
        if page.locator(".caption .false").inner_text():
            break
        assert page.locator(SPOILERS).count() == 0
        page.clock.run_for(50)
        seen.append(int(number.inner_text()))
    assert seen == sorted(seen)
    assert seen[0] < seen[-1]
    assert set(range(seen[0], seen[-1] + 1)) == set(seen), "no die is left out"
    expect(page.locator(".caption .false")).to_have_text("The bid was false.")
    expect(page.locator(".cell.false")).to_have_count(1)
    assert page.locator(".die.counts").count() == seen[-1]


def test_cups_lift_one_after_another(studio: Studio, open_page: Open) -> None:
    """Each later than the one before, all before the first die is counted; without motion there are no such cups."""
    names = ("maniac", "optimal", "bluffer", "sniper", "passive")
    for motion in ("no-preference", "reduce"):
        seat = studio.room(YOU, *bots(*names), rules="perudo", seed=5)
        page = open_page(studio, f"/room/{seat['room']}", token=seat, reduced_motion=motion)
        page.locator(".cell.legal").first.wait_for()
        page.evaluate(
            """() => {
              window.lifts = [];
              document.addEventListener("animationstart", (event) => {
                if (event.animationName === "lift") {
                  const seat = event.target.closest("[data-seat]");
                  const { delay } = event.target.getAnimations()[0].effect.getTiming();
                  window.lifts.push([Number(seat.dataset.seat), delay]);
                }
              });
            }"""
        )
        page.locator('[data-bid="30x6"]').dblclick()
        page.get_by_role("button", name="Next round").wait_for()
        if motion == "reduce":
            assert page.evaluate("window.lifts") == []
        else:
            page.wait_for_function("window.lifts.length >= 5")
            lifts = page.evaluate("window.lifts")
            assert [seat for seat, _ in lifts] == [1, 2, 3, 4, 5]
            delays = [delay for _, delay in lifts]
            assert delays == sorted(set(delays))
            assert delays[-1] < 600, "then the count begins"


def test_the_count_can_be_skipped(studio: Studio, open_page: Open) -> None:
    page = reveal_with_count(studio, open_page)
    expect(page.locator(".caption .false")).to_have_text("")
    page.get_by_role("button", name="Skip the count").click()
    expect(page.locator(".caption .false")).to_have_text("The bid was false.")


def test_an_exact_call_that_fails_is_not_green(studio: Studio, open_page: Open) -> None:
    """There were more dice than bid: the bid held, but the caller of exact has lost."""
    page = open_page(studio, "/rules")
    said = page.evaluate(
        """async () => {
          const { Stage } = await import("/static/stage.js");
          const { Timeline } = await import("/static/timeline.js");
          const { DUEL } = await import("/static/ladder.js");
          const stage = new Stage();
          document.getElementById("main").replaceChildren(stage.element);
          const timeline = new Timeline((t) => stage.show(t, { me: 0 }));
          timeline.reset([
            { type: "GameCreated", config: { ...DUEL, dice: [2, 2], exact_call: true }, names: ["Ann", "Bob"] },
            { type: "RoundStarted", round_index: 0, opener: 1, dice_counts: [2, 2], palifico: false },
            { type: "BidPlaced", player_id: 1, bid: { quantity: 1, face: 3 } },
            { type: "ExactCalled", player_id: 0 },
            { type: "DiceRevealed", dice: [[3, 3], [1, 5]] },
            { type: "RoundEnded", winner: 1, loser: 0, last_bid: { quantity: 1, face: 3 }, match_count: 2,
              was_true: true, dice_counts: [1, 2] },
          ]);
          return stage.status.textContent;
        }"""
    )
    assert said == "You called exact. There were two threes: not exact. You lose a die."
    expect(page.locator(".caption b")).to_have_text("Not exact.")
    expect(page.locator(".caption b")).to_have_class("false")
    expect(page.locator(".cell.false")).to_have_count(1)
    expect(page.locator(".cell.held")).to_have_count(0)


# -- six at a table ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [3, 6, 15, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 4, 8))])
def test_players_sit_around_the_table(studio: Studio, open_page: Open, players: int) -> None:
    """On a desktop nothing important is below the fold, hints included, and no seat covers another or the bid."""
    names = ("optimal", "maniac", "calling-station", "bluffer", "conservative", "sniper", "passive") * 2
    seat = studio.room(YOU, *bots(*names[: players - 1]), rules="perudo", seed=5)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.locator('[data-bid="1x6"]').dblclick()
    page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .acts:not([hidden]) .primary:not(:disabled)')
    parts = ".seat .who, .seat .hand, .middle .claim, .middle .caption"
    assert page.locator(parts).evaluate_all(COVERED) == []
    table, bid = page.locator(".table").bounding_box(), page.locator(".middle").bounding_box()
    assert table is not None
    assert bid is not None
    assert table["width"] > 600
    assert table["height"] > 600, "the table uses the room that there is"
    assert abs(bid["x"] + bid["width"] / 2 - table["x"] - table["width"] / 2) < 2, "the bid is in the middle"
    expect(page.locator(".table .avatar")).to_have_count(players)
    if page.locator(".cell.legal").count():
        page.get_by_role("button", name="Hint").click()
        expect(page.locator(".hint")).to_contain_text("The coach would")
        for what in (".seat.me .hand", ".middle", ".hint", ".acts .primary", ".calls button", "#status"):
            expect(page.locator(what).first).to_be_in_viewport(ratio=1)
        page.keyboard.type("ll")
    page.get_by_role("button", name="Next round").wait_for()
    assert page.locator(parts).evaluate_all(COVERED) == []
    expect(page.get_by_role("button", name="Next round")).to_be_in_viewport(ratio=1)
    assert page.evaluate(BADLY_PLACED) == []


@pytest.mark.parametrize("players", [6, 15, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 8))])
def test_no_seat_covers_another_on_any_screen(studio: Studio, open_page: Open, players: int) -> None:
    """Laptops, tablets and large screens, with cups and with all dice shown."""
    names = ("optimal", "maniac", "calling-station", "bluffer", "conservative", "sniper", "passive") * 2
    seat = studio.room(YOU, *bots(*names[: players - 1]), rules="perudo", seed=5, dice=[5] * players)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.locator(".cell.legal").first.wait_for()
    for reveal in (False, True):
        if reveal:
            page.set_viewport_size({"width": 1440, "height": 900})
            page.locator(".cell.legal").first.dblclick()
            page.get_by_role("button", name="Next round").wait_for()
        for width, height in ((1366, 768), (1280, 720), (1024, 768), (1920, 1080), (768, 1024), (820, 1180)):
            page.set_viewport_size({"width": width, "height": height})
            parts = ".seat .who, .seat .hand:not(:empty), .middle .claim, .middle .caption"
            assert page.locator(parts).evaluate_all(COVERED) == [], (width, height)
            expect(page.locator(".seat.me .who")).to_be_in_viewport(ratio=1)


def test_hints_fit_on_a_phone(studio: Studio, open_page: Open) -> None:
    """Six players on 390 by 844: your dice, the bid, the advice and all buttons at once."""
    seat = studio.room(YOU, *bots("conservative", "truthful", "passive", "bluffer", "optimal"), rules="perudo", seed=9)
    page = open_page(studio, f"/room/{seat['room']}", token=seat, viewport={"width": 390, "height": 844})
    page.locator(".cell.legal").first.wait_for()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_contain_text("The coach would")
    for what in (".seat.me .hand", ".middle", ".hint", ".acts .primary", ".calls button", "#status", ".cell.chosen"):
        expect(page.locator(what).first).to_be_in_viewport(ratio=1)
    assert page.evaluate(BADLY_PLACED) == []


def test_how_likely_the_standing_bid_is(studio: Studio, open_page: Open) -> None:
    """With the odds on, the table says how often the bid holds, and is exact: as the server computes it."""
    page = sit(studio, open_page, seed=11)
    page.locator('[data-bid="1x1"]').dblclick()
    expect(page.get_by_role("button", name="Liar!")).to_be_enabled()
    expect(page.locator(".odds")).to_be_hidden()
    page.get_by_label("Odds").check()
    standing = page.locator(".cell.standing").get_attribute("data-bid")
    assert standing is not None
    quantity, face = map(int, standing.split("x"))
    hand = re.findall(r"\d", page.locator(".seat.me .hand").get_attribute("aria-label") or "")
    odds = studio.get(f"/lab/odds?hand={','.join(hand)}&dice_total=10&rules=heads-up")["bids"]
    line = next(bid for bid in odds if (bid["quantity"], bid["face"]) == (quantity, face))
    said = re.fullmatch(r"holds (\S+)% · exact (\S+)%", page.locator(".odds").inner_text())
    assert said is not None
    for text, chance in zip(said.groups(), (line["chance"], line["exact"]), strict=True):
        assert abs(float(text.strip("<>")) - 100 * chance) <= 1
