"""Details that people notice: phones, lost connections, lost seats, missing names, rare rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from browser.kit import BOT, YOU, Open, Studio, by_mouse, needs_chromium, sit, until_over

pytestmark = needs_chromium

SMALL: Any = {"viewport": {"width": 360, "height": 640}}
OPEN = {"kind": "open"}


def practice(studio: Studio, **changes: Any) -> Any:
    wish = {"rules": "heads-up", "changes": changes, "seats": [YOU, BOT], "seed": 5, "practice": True, "delay_ms": 0}
    return studio.post("/rooms", wish)


def two_people(studio: Studio, rules: str = "duel") -> tuple[Any, Any]:
    """Ann and Bob in a room; Ann opens."""
    ann = studio.post("/rooms", {"rules": rules, "seats": [YOU, OPEN], "delay_ms": 0})
    return ann, studio.post(f"/rooms/{ann['room']}/seats", {"name": "Bob"})


SEEN = """element => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [[x + width / 2, y + 2], [x + width / 2, y + height / 2], [x + width / 2, y + height - 3]]
    .every(([a, b]) => element.contains(document.elementFromPoint(a, b)));
}"""
"""Whether an element is on the screen and not covered."""


# -- phones ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dice", [pytest.param([3, 3], marks=pytest.mark.slow), [5, 5]])
def test_a_game_on_a_small_phone(studio: Studio, open_page: Open, dice: list[int]) -> None:
    page = sit(studio, open_page, 360, device=SMALL, dice=dice)
    page.locator(".cell.legal").first.wait_for()
    for what in ('[data-bid="1x1"]', '[data-bid="1x6"]', '[data-bid="2x3"]', ".table", "#status", "text=Choose a bid"):
        assert page.locator(what).first.evaluate(SEEN), what
    page.locator('[data-bid="1x2"]').click()
    page.get_by_role("button", name="Bid one two").click()
    page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .acts:not([hidden]) .primary:not(:disabled)')
    if page.get_by_role("button", name="Liar!").is_visible():
        page.keyboard.type("ll")
    onward = page.get_by_role("button", name="Next round")
    for element in (onward, page.locator("#status"), page.locator(".middle"), page.locator(".seat.me")):
        expect(element).to_be_in_viewport(ratio=1)
        assert element.evaluate(SEEN)
    expect(page.locator("#status")).to_contain_text("the bid")
    until_over(page, by_mouse)
    for name in ("Play again", "Review with the coach", "Replay"):
        expect(page.locator(".done").get_by_text(name, exact=True)).to_be_in_viewport(ratio=1)


def test_a_reveal_among_many_is_on_the_screen(studio: Studio, open_page: Open) -> None:
    seats = [YOU, *({"kind": "bot", "agent": name} for name in ("optimal", "bluffer", "conservative", "maniac"))]
    seat = studio.room(*seats, rules="perudo", seed=5)
    page = open_page(studio, f"/room/{seat['room']}", 360, token=seat, **SMALL)
    page.locator('[data-bid="1x2"]').wait_for()
    assert page.locator('[data-bid="1x2"]').evaluate(SEEN), "the board is scrolled into view on your turn"
    page.locator('[data-bid="9x6"]').dblclick()
    onward = page.get_by_role("button", name="Next round")
    for element in (onward, page.locator("#status"), page.locator(".middle")):
        expect(element).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("height", [640, 740])
@pytest.mark.parametrize("kind", ["replay", "review"])
def test_a_recorded_game_on_a_small_phone(studio: Studio, open_page: Open, kind: str, height: int) -> None:
    """The bid and the coach's verdict are visible above the step buttons."""
    game = studio.recorded()
    page = open_page(studio, f"/{kind}/{game}", 360, viewport={"width": 360, "height": height})
    page.locator(".curve path").first.wait_for()
    what = [".cell.standing", "#status", ".transport .primary"]
    what += [".middle"] if kind == "replay" else [".verdict h2", ".verdict p"]
    if kind == "replay":
        page.get_by_role("button", name="Next move").click()
    for one in what:
        page.locator(one).wait_for()
        assert page.locator(one).evaluate(SEEN), one


@pytest.mark.parametrize("height", [640, 740])
def test_what_the_coach_would_bid_is_on_the_screen(studio: Studio, open_page: Open, height: int) -> None:
    page = sit(studio, open_page, 360, device={"viewport": {"width": 360, "height": height}}, dice=[3, 3])
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_contain_text("The coach would bid")
    chosen = page.locator(".cell.chosen").element_handle()
    page.wait_for_function(SEEN, arg=chosen)


def test_a_board_of_many_faces_keeps_its_heads(studio: Studio, open_page: Open) -> None:
    page = sit(studio, open_page, 360, faces=20, dice=[6, 6])
    page.locator(".cell.legal").first.wait_for()
    grid = page.locator(".board-grid")
    grid.evaluate("grid => grid.scrollTo(9999, 0)")

    def place(what: str) -> Any:
        return page.locator(what).first.bounding_box()

    head, cell = place(".board-head [role=columnheader]:last-child"), place('[data-bid="12x20"]')
    assert abs(head["x"] + head["width"] / 2 - cell["x"] - cell["width"] / 2) < 2
    assert head["y"] + head["height"] <= cell["y"] + 1
    box = grid.bounding_box()
    assert box is not None
    assert abs(place(".board-row .quantity")["x"] - box["x"]) < 2, "the row says how many"
    cut = "all => all.filter(e => e.firstElementChild?.offsetWidth > e.clientWidth).map(e => e.textContent)"
    assert page.locator(".cell").evaluate_all(cut) == []


# -- lost connections --------------------------------------------------------------------------------------------------


def cuttable(page: Page, room: str) -> Callable[[bool], None]:
    """A function that cuts the page's connection to the room, or lets it come back."""
    lines: list[WebSocketRoute] = []
    down = False

    def through(line: WebSocketRoute) -> None:
        if down:
            line.close(code=1001)
            return
        lines.append(line)
        line.connect_to_server()

    def cut(now: bool) -> None:
        nonlocal down
        down = now
        if now:
            lines[-1].close(code=1001)

    page.route_web_socket(re.compile(f"/rooms/{room}/socket"), through)
    page.reload()
    return cut


def test_a_move_taken_back_elsewhere(studio: Studio, open_page: Open) -> None:
    """A page that reconnects shows the game as it is now."""
    seat = practice(studio, dice=[2, 2])
    here = open_page(studio, f"/room/{seat['room']}", token=seat)
    cut = cuttable(here, seat["room"])
    here.locator('[data-bid="1x2"]').dblclick()
    expect(here.locator(".history .move")).not_to_have_count(0)
    cut(True)
    expect(here.locator(".offline")).to_be_visible()
    there = open_page(studio, f"/room/{seat['room']}", token=seat)
    there.get_by_role("button", name="Take back").click()
    expect(there.locator("#status")).to_contain_text("You open")
    there.locator('[data-bid="1x3"]').dblclick()
    expect(there.locator(".history").get_by_text("You bid one three.")).to_be_visible()
    cut(False)
    expect(here.locator(".offline")).to_be_hidden()
    expect(here.locator(".history").get_by_text("You bid one three.")).to_be_visible()
    expect(here.locator(".history").get_by_text("You bid one two.")).to_have_count(0)


def test_a_token_that_opens_nothing(studio: Studio, open_page: Open) -> None:
    room = studio.post("/rooms", {"rules": "duel", "seats": [YOU, OPEN]})["room"]
    page = open_page(studio, f"/room/{room}", token={"room": room, "token": "wrong"})
    expect(page.get_by_role("heading", name="This seat is not yours")).to_be_visible()
    expect(page.locator(".offline")).to_be_hidden()
    page.get_by_role("button", name="Continue without the seat").click()
    page.get_by_label("Your name").fill("Bob")
    page.get_by_role("button", name="Take a seat").click()
    expect(page.locator("#status")).to_contain_text("Waiting for Ann")
    expect(page.get_by_role("heading", name="This seat is not yours")).to_be_hidden()


def test_a_refusal_costs_no_seat(studio: Studio, open_page: Open) -> None:
    """Only a token that belongs to no seat is thrown away."""
    seat = practice(studio)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    refusing = True

    def through(line: WebSocketRoute) -> None:
        if refusing:
            line.send(json.dumps({"type": "error", "error": "too many messages", "code": "too_many_messages"}))
            line.close(code=1008, reason="too many messages")
        else:
            line.connect_to_server()

    page.route_web_socket(re.compile("/socket"), through)
    page.reload()
    expect(page.get_by_text("The server says: Too many messages. Your seat is kept.")).to_be_visible()
    expect(page.get_by_text("This seat is not yours")).to_have_count(0)
    refusing = False
    page.get_by_role("button", name="Try again").click()
    page.locator(".cell.legal").first.wait_for()


def test_a_page_asks_again_while_the_server_has_no_time(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/", allowed="status of (429|503)")
    answers = [(429, "share_used"), (503, "busy")]

    def busy_twice(route: Route) -> None:
        if answers:
            status, code = answers.pop(0)
            route.fulfill(status=status, json={"error": "wait a moment", "code": code})
        else:
            route.continue_()

    page.route("**/api/rooms", busy_twice)
    page.get_by_role("button", name="Play now").click()
    page.locator(".cell.legal").first.wait_for()
    assert answers == []


def test_a_game_without_a_winner_ends(studio: Studio, open_page: Open) -> None:
    """A game that becomes too long is ended by the server."""
    seat = studio.room(YOU, BOT, seed=7)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    lines: list[WebSocketRoute] = []

    def through(line: WebSocketRoute) -> None:
        line.connect_to_server()
        lines.append(line)

    page.route_web_socket(re.compile("/socket"), through)
    page.reload()
    page.locator(".cell.legal").first.wait_for()
    game = studio.get(f"/rooms/{seat['room']}")["game_id"]
    lines[-1].send(json.dumps({"type": "over", "winner": None, "game_id": game, "ended": "too_long"}))
    expect(page.locator("#status")).to_have_text("The game ended without a winner.")
    expect(page.locator(".done")).to_contain_text("It became too long.")
    expect(page.locator(".seat.turn")).to_have_count(0)
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    expect(page.locator(".cell.legal")).to_have_count(0)


def test_a_finished_room_opened_anew(studio: Studio, open_page: Open) -> None:
    seat = practice(studio, dice=[1, 1])
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    until_over(page, by_mouse)
    won = studio.get(f"/rooms/{seat['room']}")["winner"]
    words = "You won." if won == seat["seat"] else "You lost this one."
    expect(page.locator(".done")).to_contain_text(words)
    page.reload()
    expect(page.locator(".done")).to_contain_text(words)
    expect(page.get_by_role("link", name="Review with the coach")).to_be_visible()
    expect(page.get_by_text("without a winner")).to_have_count(0)
    watcher = open_page(studio, f"/room/{seat['room']}")
    expect(watcher.locator(".done")).to_contain_text("Ann won." if won == seat["seat"] else "optimal won.")


# -- seats -------------------------------------------------------------------------------------------------------------


def test_seats_are_remembered(studio: Studio, open_page: Open) -> None:
    """Up to 200; those of finished games are dropped first."""
    page = open_page(studio, "/rules")
    left = page.evaluate(
        """async () => {
          const { keepToken, markOver, token } = await import("/static/api.js");
          for (let i = 0; i < 205; i++) {
            keepToken(`room${i}`, `secret${i}`, 0);
            if (i >= 10 && i < 14) markOver(`room${i}`, true);
          }
          return Array.from({ length: 205 }, (_, i) => i).filter((i) => token(`room${i}`) === null);
        }"""
    )
    assert left == [0, 10, 11, 12, 13]


def test_your_own_game_is_found_again(own_studio: Studio, open_page: Open) -> None:
    page = open_page(own_studio, "/")
    page.get_by_role("button", name="Play now").click()
    page.locator(".cell.legal").first.wait_for()
    room = page.url
    page.get_by_role("link", name="Liar’s Dice").click()
    page.get_by_role("link", name="You and optimal").click()
    page.locator(".cell.legal").first.wait_for()
    assert page.url == room
    other = open_page(own_studio, "/")
    expect(other.get_by_text("No one is playing.")).to_be_visible()  # other people's practice games are not listed


def test_a_game_that_goes_on_after_its_end_is_found_again(own_studio: Studio, open_page: Open) -> None:
    page = open_page(own_studio, "/")
    page.get_by_role("button", name="Play now").click()
    until_over(page, by_mouse)
    room = page.url
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".done")).to_be_hidden()
    page.get_by_role("link", name="Liar’s Dice").click()
    page.get_by_role("link", name="You and optimal").click()
    page.locator(".cell.legal, .acts button:not(:disabled)").first.wait_for()
    assert page.url == room


def test_without_storage(studio: Studio, browser: Browser) -> None:
    """You can play even if the browser blocks storage."""
    context = browser.new_context(reduced_motion="reduce")
    context.add_init_script(
        'Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } })'
    )
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(studio.url)
    page.get_by_role("button", name="Play now").click()
    page.locator('[data-bid="1x2"]').dblclick()
    expect(page.locator(".history").get_by_text("You bid one two.")).to_be_visible()
    context.close()
    assert errors == []


def test_no_player_is_called_you(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/")

    def own_seat(button: str) -> Any:
        """Your seat as the page requests it."""
        with page.expect_request(lambda r: r.method == "POST" and r.url.endswith("/rooms")) as asked:
            page.get_by_role("button", name=button, exact=True).click()
        return json.loads(asked.value.post_data or "")["seats"][0]

    assert own_seat("Play now") == {"kind": "you"}
    page.goto(f"{studio.url}/play")
    page.get_by_label("Your name").fill(" you ")
    assert own_seat("Start") == {"kind": "you"}
    ann, _ = two_people(studio)
    ann_page = open_page(studio, f"/room/{ann['room']}", token=ann)
    watcher = open_page(studio, f"/room/{ann['room']}")
    ann_page.locator('[data-bid="1x4"]').dblclick()
    expect(ann_page.locator(".history").get_by_text("You bid one four.")).to_be_visible()
    expect(watcher.locator(".history").get_by_text("Ann bids one four.")).to_be_visible()
    expect(ann_page.locator(".caption")).to_contain_text("You claim one four")


def test_a_guest_may_take_their_time(studio: Studio, open_page: Open) -> None:
    """What a guest is typing stays when others come and go."""
    ann = studio.post("/rooms", {"rules": "perudo", "changes": {"dice": [3, 3, 3]}, "seats": [YOU, OPEN, OPEN]})
    guest = open_page(studio, f"/room/{ann['room']}")
    expect(guest.get_by_text("away")).to_be_visible()
    guest.get_by_label("Your name").focus()
    guest.keyboard.type("Ber")
    host = open_page(studio, f"/room/{ann['room']}", token=ann)
    expect(guest.get_by_text("here · 3 dice")).to_be_visible()
    guest.keyboard.type("ta")
    studio.post(f"/rooms/{ann['room']}/seats", {"name": "Carl"})
    expect(guest.locator(".lobby-seats").get_by_text("Carl")).to_be_visible()
    expect(guest.get_by_label("Your name")).to_have_value("Berta")
    guest.keyboard.press("Enter")
    expect(host.locator(".table").get_by_text("Berta")).to_be_visible()


def test_the_page_says_who_is_away_and_when_a_bot_moves(studio: Studio, open_page: Open) -> None:
    ann, _ = two_people(studio)  # Bob never comes
    page = open_page(studio, f"/room/{ann['room']}", token=ann)
    page.locator('[data-bid="1x4"]').dblclick()
    away = page.locator(".seat.gone .until")
    expect(away).to_have_text(re.compile(r"^optimal moves in \d+\ss$"))
    assert away.get_attribute("aria-hidden") == "true", "screen readers do not read every second"


def test_the_speed_is_as_the_room_has_it(studio: Studio, open_page: Open) -> None:
    room = studio.post("/rooms", {"rules": "heads-up", "seats": [BOT, BOT], "delay_ms": 10_000})["room"]
    page = open_page(studio, f"/room/{room}")
    expect(page.get_by_label("Slow")).to_be_checked()
    other = open_page(studio, f"/room/{room}")
    expect(other.get_by_label("Slow")).to_be_checked()
    other.get_by_label("Fast", exact=True).click()
    expect(other.locator(".stage .error")).to_have_text("Only the spectator who has watched longest can set the speed.")
    expect(other.get_by_label("Slow")).to_be_checked()
    page.get_by_label("Normal").check()
    page.wait_for_function(f"async () => (await (await fetch('/api/rooms/{room}')).json()).delay_ms === 900")
    page.reload()
    expect(page.get_by_label("Normal")).to_be_checked()


def test_people_set_up_another_room_together(studio: Studio, open_page: Open) -> None:
    ann, bob = two_people(studio)
    pages = [open_page(studio, f"/room/{ann['room']}", token=seat) for seat in (ann, bob)]
    watcher = open_page(studio, f"/room/{ann['room']}")
    expect(watcher.get_by_role("button", name="Pause")).to_be_visible()
    expect(watcher.get_by_label("Fast", exact=True)).to_be_hidden()  # people play at their own speed
    pages[0].locator('[data-bid="5x6"]').dblclick()
    expect(pages[1].locator("#status")).to_contain_text("Your turn")
    pages[1].keyboard.type("ll")
    expect(watcher.locator(".done")).to_be_visible()
    expect(watcher.get_by_text("Watch another")).to_have_count(0)
    pages[1].evaluate(
        "([room, seat]) => import('/static/api.js').then(({ keepToken, token }) => keepToken(room, token(room), seat))",
        [bob["room"], bob["seat"]],
    )
    pages[1].get_by_role("link", name="Set up another room").click()
    expect(pages[1].get_by_label("As before")).to_be_checked()
    expect(pages[1].get_by_label("Seat 1", exact=True)).to_have_value("open")
    expect(pages[1].get_by_label("Seat 2", exact=True)).to_have_value("you")
    pages[1].get_by_role("button", name="Set up and invite").click()
    expect(pages[1].get_by_text("2, 3 dice · one round.")).to_be_visible()
    expect(pages[1].get_by_text("This link works only on this computer.")).to_be_visible()


# -- keys --------------------------------------------------------------------------------------------------------------


def test_enter_does_what_the_button_says(studio: Studio, open_page: Open) -> None:
    seat = practice(studio, dice=[3, 3])
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_contain_text("The coach would bid")
    assert not re.search(r"\dx\d", page.locator(".hint").inner_text()), "bids are told in words"
    chosen = page.locator(".cell.chosen").get_attribute("data-bid")
    page.keyboard.press("Enter")
    expect(page.locator(f'.cell.made[data-bid="{chosen}"]')).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".cell.made")).to_have_count(0)
    expect(page.get_by_text("You open. Make a bid.")).to_be_visible()
    expect(page.get_by_role("button", name="Hint")).to_be_enabled()  # it is your turn again
    page.keyboard.press("ArrowUp")
    expect(page.locator(".cell.chosen")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator('.cell.made[data-bid="1x1"]')).to_be_visible()


NOTE_PAUSES = """() => {
  const later = window.setTimeout;
  window.pauses = [];
  window.setTimeout = (call, pause = 0, ...rest) => { pauses.push(pause); return later(call, pause, ...rest); };
}"""
"""Note every pause that the page makes, in milliseconds, however long it takes on this machine."""


def test_the_next_round_comes_at_once(studio: Studio, open_page: Open) -> None:
    seat = practice(studio, dice=[3, 3])
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    cell = page.locator('[data-bid="6x6"]')
    cell.wait_for()  # the page's first socket is open, so the next one is that of the reloaded page
    with page.expect_event("websocket") as opened:
        page.reload()
    cell.wait_for()
    with opened.value.expect_event("framereceived", lambda frame: "RoundStarted" in frame):  # the next round's
        cell.dblclick()
    page.get_by_role("button", name="Next round").wait_for()
    page.get_by_label("Quick").uncheck()
    page.evaluate(NOTE_PAUSES)
    page.get_by_role("button", name="Next round").click()
    expect(page.locator(".where")).to_contain_text("Round 2")
    assert sum(page.evaluate("pauses")) < 1500


def test_to_the_content(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/play")
    page.get_by_label("Your name").fill("Ann")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.evaluate("history.pushState(null, '', '#main'); history.back()")
    expect(page.get_by_label("Your name")).to_have_value("Ann")  # the page was not rebuilt


# -- rules and odds ----------------------------------------------------------------------------------------------------


def test_every_rule_can_be_chosen(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/play", allowed="400")
    page.get_by_role("spinbutton", name="Players").fill("8")
    page.get_by_text("All rules").click()
    page.get_by_label("Dice per seat").fill("2, 3, 4")
    page.get_by_label("Most bids per round").fill("6")
    page.get_by_label("Highest quantity").fill("5")
    page.get_by_label("Faces per die").fill("7")
    page.get_by_label("Best of how many rounds").fill("3")
    page.get_by_label("Faces per die").focus()
    wrong = page.locator("#rule-rounds")
    expect(wrong).to_contain_text("best of several rounds")
    expect(page.get_by_label("Best of how many rounds")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Length of the game").select_option("best_of")
    expect(wrong).to_be_hidden()
    expect(page.locator(".seat-list li")).to_have_count(3)
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator(".board").wait_for()
    config = studio.get(f"/rooms/{page.url.rsplit('/', 1)[1]}")["config"]
    wish = {"dice": [2, 3, 4], "max_turns": 6, "max_quantity": 5, "faces": 7, "mode": "best_of", "rounds": 5}
    assert {name: config[name] for name in wish} == wish


@pytest.mark.parametrize("path", ["/watch", "/play"])
def test_too_few_players(studio: Studio, open_page: Open, path: str) -> None:
    page = open_page(studio, path, allowed="400")
    players = page.get_by_role("spinbutton", name="Players")
    for few in ("1", "0"):
        players.fill(few)
        players.press("Tab")
        expect(page.locator(".seat-list li")).to_have_count(int(few))
        expect(page.locator("#rule-dice")).to_be_visible()
    players.fill("2")
    players.press("Tab")
    expect(page.locator(".seat-list li")).to_have_count(2)
    expect(page.locator("#rule-dice")).to_be_hidden()
    page.locator(".setup-right .primary").click()
    page.locator(".board").wait_for()


def test_odds_are_numbers(studio: Studio, open_page: Open) -> None:
    seat = studio.room(YOU, BOT, seed=7, faces=2, wild="ones", dice=[3, 3])
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.get_by_label("Odds").check()
    expect(page.locator('[data-bid="6x2"]')).to_have_text("100")
    assert "NaN" not in page.locator(".board").inner_text()
    page = sit(studio, open_page)
    page.get_by_label("Odds").check()
    expect(page.locator(".cell.legal").get_by_text("<1", exact=True).first).to_be_visible()


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_the_lab_says_that_it_is_computing(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/rules")
    held: list[Any] = []
    page.route("**/api/lab/explain*", lambda route: held.append(route))
    page.goto(f"{studio.url}/lab")
    expect(page.locator(".lab-words")).to_have_text("Computing…")
    held[0].continue_()
    expect(page.locator(".lab-words")).to_contain_text("Perfect play")


def test_replay_of_a_game_that_was_given_up(studio: Studio, open_page: Open) -> None:
    seat = studio.room(YOU, BOT, seed=7)
    game = studio.get(f"/rooms/{seat['room']}")["game_id"]
    page = open_page(studio, "/rules")
    record = studio.get(f"/games/{game}") | {"ended": "too_long"}
    page.route("**/api/games/*", lambda route: route.fulfill(json=record))
    page.goto(f"{studio.url}/replay/{game}")
    expect(page.locator("#status")).to_have_text("The game ended without a winner.")
    expect(page.locator(".seat.turn")).to_have_count(0)
    expect(page.locator(".waiting")).to_contain_text("too long")


def test_who_can_play_on(studio: Studio, open_page: Open) -> None:
    """Only bots that can play with this many players are offered."""
    room = studio.room(BOT, *[{"kind": "bot", "agent": "bluffer"}] * 2, rules="perudo", dice=[1, 1, 1])["room"]
    game = studio.finished(room)
    page = open_page(studio, "/rules")
    bots = [{"name": name, "summary": "", "players": [2, most]} for name, most in (("optimal", 15), ("duellist", 2))]
    page.route("**/api/agents", lambda route: route.fulfill(json={"agents": bots}))
    page.goto(f"{studio.url}/replay/{game}")
    page.get_by_text("Play on from here").click()
    expect(page.get_by_label("is played by").first.locator("option")).to_have_text(["optimal"])


def test_replay_of_a_game_that_has_just_begun(studio: Studio, open_page: Open) -> None:
    seat = studio.room(YOU, BOT, seed=7)
    game = studio.get(f"/rooms/{seat['room']}")["game_id"]
    page = open_page(studio, f"/replay/{game}")
    expect(page.locator("#status")).to_have_text("Ann is to move.")
    expect(page.locator(".board .cell").first).to_be_visible()


def test_dice_on_the_table(studio: Studio, open_page: Open) -> None:
    """Open dice are shown to all and count in the odds; covered ones only at the reveal."""
    page = sit(studio, open_page, 1440, dice=[2, 2], table_dice=2, hidden_dice=1)
    page.locator(".cell.legal").first.wait_for()
    shared = page.locator(".shared")
    expect(shared).to_contain_text("2 dice for all to see · 1 die covered")
    expect(shared.get_by_role("img", name="1 die, covered")).to_be_visible()
    expect(page.locator(".where")).to_contain_text("7 dice")
    page.locator('[data-bid="7x6"]').click()
    page.get_by_role("button", name="Bid seven sixes").click()
    page.get_by_role("button", name="Next round").wait_for()
    expect(shared.get_by_role("img", name=re.compile(r"Covered dice: \d"))).to_be_visible()
    shown = page.locator(".table .die.counts").count()
    expect(page.locator(".claim .big")).to_have_text(str(shown))


def test_the_tournament_form_of_perudo_is_one_choice(studio: Studio, open_page: Open) -> None:
    """Without wild ones the form drops the order in which ones count double; without exact calls, the cap."""
    page = open_page(studio, "/play")
    page.get_by_label("Perudo as most people know it").check()
    page.get_by_text("All rules").click()
    expect(page.get_by_role("checkbox", name="Palifico rounds")).to_be_checked()
    expect(page.get_by_role("checkbox", name="May open on ones")).not_to_be_checked()
    expect(page.get_by_label("Most dice per player")).to_have_value("5")
    page.get_by_label(re.compile("^Wild face")).select_option("none")
    expect(page.get_by_label("Order of bids")).to_have_value("quantity_then_face")
    page.get_by_label("A right exact call costs a die").select_option("nobody")
    page.get_by_role("checkbox", name="Exact calls").uncheck()
    expect(page.get_by_label("Most dice per player")).to_have_value("")
    expect(page.get_by_label("A right exact call costs a die")).to_have_value("bidder")
    expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)
