"""The page in a real Chromium: whole games by mouse and by keyboard, rooms, a restart, replay, review, lab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from browser.kit import BOT, HEIGHTS, YOU, Open, Studio, by_keys, by_mouse, needs_chromium, sit, until_over

pytestmark = needs_chromium


# -- playing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", HEIGHTS)
def test_a_whole_game_by_mouse(studio: Studio, open_page: Open, width: int) -> None:
    page = sit(studio, open_page, width, dice=[2, 2])
    expect(page.locator("#status")).to_contain_text("You open")
    expect(page.locator(".seat.me .die")).to_have_count(2)
    assert page.locator(".others .hand.open").count() == 0, "the other's dice are under the cup"
    until_over(page, by_mouse)
    expect(page.locator("#status")).to_contain_text("the game")
    expect(page.get_by_role("link", name="Review with the coach")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [360, 1440])
def test_a_whole_game_by_keyboard_only(studio: Studio, open_page: Open, width: int) -> None:
    page = sit(studio, open_page, width, seed=8, dice=[2, 2])
    expect(page.locator(".cell.legal").first).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator('.cell.chosen[data-bid="1x1"]')).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator('.cell.chosen[data-bid="2x1"]')).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator('.cell.chosen[data-bid="1x2"]')).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    until_over(page, by_keys)


def test_only_legal_bids_can_be_chosen(studio: Studio, open_page: Open) -> None:
    page = sit(studio, open_page, seed=11)
    page.locator('[data-bid="2x3"]').click()
    page.keyboard.press("Enter")
    page.wait_for_selector('.stage[data-mood="yours"] .cell.legal, .stage[data-mood="reveal"]')
    standing = page.locator(".cell.standing").get_attribute("data-bid")
    assert standing is not None
    assert standing >= "2x3"
    page.locator('[data-bid="1x1"]').click(force=True)
    assert page.locator('.cell.chosen[data-bid="1x1"]').count() == 0


def test_odds_hints_and_taking_back(studio: Studio, open_page: Open) -> None:
    wish = {"rules": "duel", "changes": {}, "seats": [YOU, BOT], "seed": 5, "practice": True, "delay_ms": 0}
    seat = studio.post("/rooms", wish)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.get_by_label("Odds").check()
    expect(page.locator(".cell.shaded").first).to_be_visible()
    dice = [int(die) for die in re.findall(r"\d", page.locator(".seat.me .hand").get_attribute("aria-label") or "")]
    expect(page.locator(f'[data-bid="1x{dice[0]}"]')).to_have_text("100")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hint")).to_contain_text("The coach would")
    expect(page.locator(".hint")).to_contain_text("Knowing the others’ habits: ")
    page.locator(f'[data-bid="1x{dice[0]}"]').dblclick()
    expect(page.locator(".history .move").first).to_be_visible()
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#status")).to_contain_text("You open")
    expect(page.locator(".cell.made")).to_have_count(0)


def test_play_now_is_one_click(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/")
    page.get_by_role("button", name="Play now").click()
    expect(page.locator(".cell.legal").first).to_be_visible()
    assert "/room/" in page.url


def test_two_people_in_a_room(studio: Studio, open_page: Open) -> None:
    ann = open_page(studio, "/play?open=1")
    ann.get_by_label("Your name").fill("Ann")
    ann.get_by_label("Duel").check()
    ann.get_by_role("button", name="Set up and invite").click()
    expect(ann.get_by_label("Invite link")).to_have_value(re.compile(r"/room/"))
    bob = open_page(studio, ann.get_by_label("Invite link").input_value().removeprefix(studio.url), 360)
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Take a seat").click()
    expect(ann.locator("#status")).to_contain_text("You open")
    expect(bob.locator("#status")).to_contain_text("Waiting for Ann")
    for page, own, other in ((ann, 2, 3), (bob, 3, 2)):
        expect(page.locator(".seat.me .hand.open .die")).to_have_count(own)
        expect(page.locator(".others .hand.covered .die.blank")).to_have_count(other)
    ann.locator('[data-bid="1x4"]').dblclick()
    expect(bob.locator("#status")).to_contain_text("Your turn")
    bob.keyboard.press("ArrowRight")
    bob.keyboard.press("Enter")
    expect(ann.locator("#status")).to_contain_text("Your turn")
    ann.keyboard.type("ll")
    for page in (ann, bob):
        expect(page.locator(".done")).to_be_visible()
        expect(page.locator(".hand.open .die")).to_have_count(5)
    assert {page.locator(".done h2").inner_text() for page in (ann, bob)} == {"Won", "Lost"}


def test_players_cannot_use_the_name_of_a_bot(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/play", allowed="409")
    page.get_by_label("Your name").fill("Optimal")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_have_text("Optimal is the name of a bot; choose another name.")


def test_a_restart_of_the_server_loses_nothing(own_studio: Studio, open_page: Open) -> None:
    seat = own_studio.room(YOU, BOT, seed=7, dice=[2, 2])
    refused = "ERR_CONNECTION|WebSocket connection|Failed to load"
    page = open_page(own_studio, f"/room/{seat['room']}", token=seat, allowed=refused)
    page.locator('[data-bid="1x2"]').click()
    page.keyboard.press("Enter")
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    own_studio.kill()
    expect(page.get_by_role("alert").filter(has_text="Reconnecting")).to_be_visible()
    own_studio.start()
    expect(page.get_by_role("alert").filter(has_text="Reconnecting")).to_be_hidden()
    expect(page.locator('.cell.made[data-bid="1x2"]')).to_be_visible()
    page.reload()  # reloading is the same as reconnecting
    expect(page.locator(".history").get_by_text("You bid one two.").first).to_be_visible()
    until_over(page, by_mouse)


def test_watching_bots(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/watch", 768)
    page.get_by_role("button", name="Start the game").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    expect(page.get_by_role("button", name="Step")).to_be_enabled()
    before = page.locator(".history-list li").count()
    page.get_by_label("Instant").check()
    for _ in range(4):
        page.get_by_role("button", name="Step").click()
    assert page.locator(".history-list li").count() > before
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".done")).to_be_visible()


def test_a_room_that_does_not_exist(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/room/nothing", allowed="404")
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("link", name="Go to the home page").click()
    expect(page.get_by_role("button", name="Play now")).to_be_visible()


# -- looking back ------------------------------------------------------------------------------------------------------


def test_replay(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, f"/replay/{studio.recorded()}")
    expect(page.locator(".curve path").first).to_be_visible()
    expect(page.get_by_text(re.compile("^Move 0 of"))).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile("^Move 1 of"))).to_be_visible()
    assert page.locator(".hand.open").count() == 2, "all dice are shown"
    page.get_by_label("Show all dice").uncheck()
    assert page.locator(".hand.open").count() == 0
    slider = page.get_by_label("Position in the game")
    slider.fill(slider.get_attribute("max") or "")
    expect(page.locator("#status")).to_contain_text("wins the game")
    expect(page.locator(".cell.filled, .cell.held, .cell.false").first).to_be_visible()
    page.locator(".history .move button").first.click()
    expect(page.get_by_text(re.compile("^Move 1 of"))).to_be_visible()
    page.get_by_text("Play on from here").click()
    page.get_by_role("button", name="Play on", exact=True).click()
    expect(page.locator(".seat.me")).to_be_visible()
    assert "/room/" in page.url


def test_review(studio: Studio, open_page: Open) -> None:
    game = studio.recorded()
    page = open_page(studio, f"/review/{game}", 768)
    expect(page.locator(".scores li")).to_have_count(2)
    allowed = studio.get(f"/games/{game}/review")["habits_accuracy"]
    assert allowed
    for name, percent in allowed.items():
        told = page.locator(".scores li").filter(has_text=re.compile(rf"^.{{0,3}}{name}\b", re.IGNORECASE))
        expect(told).to_contain_text(f"{round(percent)}% by what the others’ habits allowed")
    expect(page.locator(".history .note").first).to_be_visible()
    spots = page.locator(".spot")
    assert spots.count(), "this game has a decision that cost something"
    spots.last.click()
    verdict = page.locator(".verdict")
    expect(verdict).to_contain_text("chose")
    expect(verdict).to_contain_text("Best was")
    expect(verdict).to_contain_text("given away")
    expect(verdict).to_contain_text(re.compile(r"Measured against .+\."))
    expect(verdict).to_contain_text(re.compile("Given how .* plays, this wins"))


def test_waiting_for_the_coach(studio: Studio, open_page: Open) -> None:
    """While the coach reviews a game, the page shows its progress and stays usable."""
    held: list[Route] = []
    looked_at = {"done": 0, "turns": 0}
    page = open_page(studio, "/rules")
    page.route("**/review", lambda route: held.append(route))  # Playwright cannot look into builtins
    page.route("**/review/progress", lambda route: route.fulfill(json=looked_at))
    page.goto(f"{studio.url}/review/{studio.recorded()}")
    waiting = page.locator(".waiting")
    expect(waiting).to_contain_text("getting ready")
    looked_at |= {"done": 3, "turns": 7}
    expect(waiting).to_contain_text("3 of 7 moves")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile("^Move 1 of"))).to_be_visible()
    for route in held:
        route.continue_()
    expect(page.locator(".scores li")).to_have_count(2)
    expect(waiting).to_be_hidden()


def test_no_games_yet_plays_one(own_studio: Studio, open_page: Open) -> None:
    page = open_page(own_studio, "/replays")
    expect(page.get_by_role("heading", name="No games yet")).to_be_visible()
    page.get_by_role("button", name="Play a bot game").click()
    page.wait_for_url("**/replay/*")
    expect(page.get_by_label("Position in the game")).to_be_visible()


# -- the lab -----------------------------------------------------------------------------------------------------------


def test_a_likely_bid_is_no_bluff(studio: Studio, open_page: Open) -> None:
    """With wild ones, one six is more likely true than false, even for someone who holds none."""
    page = open_page(studio, "/lab?rules=perudo&dice=2,2&hand=3,4")
    page.get_by_label("Rules").select_option("perudo")
    expect(page.locator(".answers")).to_contain_text("By the rules of perudo")
    expect(page.locator(".lab-words")).to_contain_text("Perfect play: ")
    expect(page.locator(".lab-words")).not_to_contain_text("bluff")


def test_a_seat_keeps_the_focus_while_a_bot_is_chosen(studio: Studio, open_page: Open) -> None:
    for path, place in (("/play", 2), ("/watch", 1)):
        page = open_page(studio, path)
        seat = page.get_by_label(f"Seat {place}")
        seat.focus()
        before = seat.input_value()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(seat).not_to_have_value(before)
        expect(seat).to_be_focused()


def test_lab(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/lab")
    expect(page.locator(".lab-words")).to_contain_text("One six is a bluff.")
    expect(page.locator(".answers tbody tr").first).to_be_visible()
    page.locator('[data-bid="1x6"]').dblclick()
    expect(page.locator(".chip")).to_have_text(re.compile("1×6"))
    expect(page.locator(".answers")).to_contain_text("The opener may hold")
    page.get_by_role("button", name="Take back").click()
    expect(page.locator(".lab-words")).to_contain_text("One six is a bluff.")
    page.get_by_role("link", name="Odds").click()
    page.locator('[data-bid="2x4"]').click()
    expect(page.locator(".lab-words")).to_contain_text("Two fours: holds 100.0% of the time.")
    page.get_by_role("link", name="Tournaments").click()
    expect(page.get_by_role("heading", name="No tournaments yet")).to_be_visible()


def test_the_lab_switches_between_the_rules(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/lab")
    expect(page.locator(".answers")).to_contain_text("By the rules of heads-up")
    page.get_by_label("Rules").select_option("perudo")
    expect(page.locator(".answers")).to_contain_text("By the rules of perudo")
    expect(page.locator(".answers")).to_contain_text("with 2 v 2 dice: this is proved")
    page.locator('[data-bid="1x1"]').dblclick()
    expect(page.locator(".answers th", has_text="Call exact")).to_be_visible()
    assert page.url.endswith("/lab?rules=perudo")
    page.get_by_label("Dice of opener and responder").select_option("3,1")
    expect(page.locator(".answers")).to_contain_text("with 3 v 1 dice")
    shipped = {",".join(map(str, round_["dice"])) for round_ in studio.get("/lab/solved")["rules"]["perudo"]}
    offered = page.get_by_label("Dice of opener and responder").locator("option")
    assert {option.get_attribute("value") for option in offered.all()} == shipped
    page.get_by_label("Dice of opener and responder").select_option("5,4")
    expect(page.locator(".answers")).to_contain_text("Rounds with 5 v 4 dice are not solved")
    expect(page.locator(".lab-words")).to_contain_text("The best strategy known: ")
    page.reload()
    expect(page.get_by_label("Rules")).to_have_value("perudo")


def test_matchups(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/lab?tab=matchups&rules=duel", 360)
    page.locator(".heatmap").wait_for()
    page.get_by_role("button", name=re.compile("^optimal against random")).click()
    expect(page.get_by_role("heading", name="optimal against random")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_player_has_a_say_in_the_dice_and_checks_them_at_the_end(studio: Studio, open_page: Open) -> None:
    """By keyboard alone: words before the start, the fingerprint during the game, the secret after it."""
    page = open_page(studio, "/play")
    page.get_by_label("Duel").check()
    page.get_by_text("Have a say in the dice").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("ann's dog")
    page.get_by_role("button", name="Start").press("Enter")
    expect(page.locator("#status")).to_be_visible()
    room = studio.get(f"/rooms/{page.url.rpartition('/')[2]}")["fairness"]
    assert (room["entropy"], room["secret"]) == (["ann's dog", ""], None)
    page.get_by_text("Fair dice").focus()
    page.keyboard.press("Enter")
    fair = page.locator(".fair-dice")
    expect(fair).to_contain_text(room["commitment"])
    expect(fair).to_contain_text("ann's dog")
    expect(fair).not_to_contain_text("Secret")
    until_over(page, by_mouse)
    secret = studio.get(f"/rooms/{page.url.rpartition('/')[2]}")["fairness"]["secret"]
    expect(fair).to_contain_text(secret)
    expect(fair).to_contain_text("The secret belongs to the fingerprint that this browser saw before the end.")
    expect(fair.get_by_role("link", name="save the game")).to_be_visible()


def test_friends_add_their_words_while_they_wait(studio: Studio, open_page: Open) -> None:
    ann = open_page(studio, "/play?open=1")
    ann.get_by_role("button", name="Set up and invite").click()
    ann.get_by_label("Your words for the dice").last.fill("one")
    ann.get_by_role("button", name="Add", exact=True).click()
    expect(ann.get_by_text("Added: one")).to_be_visible()
    bob = open_page(studio, ann.get_by_label("Invite link").input_value().removeprefix(studio.url), 360)
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_label("Your words for the dice").first.fill("two")
    bob.get_by_role("button", name="Take a seat").click()
    expect(bob.locator("#status")).to_contain_text("Waiting for")
    room = studio.get(f"/rooms/{ann.url.rpartition('/')[2]}")
    assert room["fairness"]["entropy"] == ["one", "two"]
