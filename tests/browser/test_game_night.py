"""A game night in real browsers: clocks, reactions, nudges, seats that change hands, and another game."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, WebSocketRoute, expect

from browser.kit import Open, Studio, needs_chromium

pytestmark = needs_chromium

QUICK_GAME = {"dice": [1, 1]}


def friends(studio: Studio, open_page: Open, *names: str, **more: Any) -> list[Page]:
    """Pages of Ann, who set up the room, and of these guests."""
    seats: list[Any] = [{"kind": "you", "name": "Ann"}, *[{"kind": "open"}] * len(names)]
    wish = {"rules": "heads-up" if len(names) == 1 else "perudo", "seats": seats, "delay_ms": 0} | more
    made = studio.post("/rooms", wish)
    granted = [made] + [studio.post(f"/rooms/{made['room']}/seats", {"name": name}) for name in names]
    return [open_page(studio, f"/room/{made['room']}", token=seat) for seat in granted]


def room_of(page: Page) -> str:
    return page.url.rpartition("/")[2]


# -- clocks ------------------------------------------------------------------------------------------------------------


def test_the_time_runs_visibly_and_a_bot_moves_when_it_is_up(studio: Studio, open_page: Open) -> None:
    ann, bob = friends(studio, open_page, "Bob", turn_limit={"seconds": 15})
    expect(ann.locator(".countdown")).to_have_text(re.compile(r"^1[0-5]\ss$"))
    expect(bob.locator(".seat.turn .until")).to_have_text(re.compile(r"^\d+\ss left$"))
    expect(bob.locator(".countdown")).to_be_hidden()
    expect(ann.locator(".history")).to_contain_text("Optimal bids")  # after fifteen seconds
    expect(ann.locator(".history")).to_contain_text("for you.")
    expect(bob.locator("#status")).to_contain_text("Your turn")
    expect(bob.locator(".countdown")).to_be_visible()


def test_the_host_chooses_the_time_and_the_manners(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/play?open=1")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Time to think").select_option(label="30 seconds per turn")
    page.get_by_label("Hints and odds are allowed").uncheck()
    page.get_by_label("Private: only people with the link").check()
    page.get_by_label("Ask everyone whether they are ready").check()
    page.get_by_role("button", name="Set up and invite").click()
    expect(page.locator(".lobby")).to_contain_text("30 seconds per turn · no hints and odds · private")
    expect(page.get_by_label("Invite link")).to_have_value(re.compile("#.+"))
    link = page.get_by_label("Invite link").input_value()
    guest = open_page(studio, link.removeprefix(studio.url))
    guest.get_by_label("Your name").fill("Bob")
    guest.get_by_role("button", name="Take a seat").click()
    expect(page.locator(".lobby-seats")).to_contain_text("not ready yet")
    assert room_of(page).partition("#")[0] not in str(studio.get("/rooms"))
    for one in (page, guest):
        one.get_by_label("I am ready").check()
    for one in (page, guest):
        one.locator(".board .cell").first.wait_for()
        expect(one.get_by_label("Odds")).to_be_hidden()
        expect(one.get_by_role("button", name="Hint")).to_be_hidden()


def test_the_link_of_a_private_room_waits_for_its_invitation(studio: Studio, open_page: Open) -> None:
    """A link without the invitation would let no one in, so there is none until the page is told it."""
    seats: list[Any] = [{"kind": "you", "name": "Ann"}, {"kind": "open"}, {"kind": "open"}]
    made = studio.post("/rooms", {"rules": "perudo", "seats": seats, "closed": True})
    room = f"{studio.url}/room/{made['room']}"
    guest = studio.post(f"/rooms/{made['room']}/seats", {"name": "Bob", "invite": made["invite"]})
    bob = open_page(studio, f"/room/{made['room']}", token=guest)
    expect(bob.get_by_label("Invite link")).to_have_value(f"{room}#{made['invite']}")

    ann = open_page(studio, "/rules", token=made)
    held: list[tuple[WebSocketRoute, str | bytes]] = []

    def hold(socket: WebSocketRoute) -> None:
        socket.connect_to_server().on_message(lambda said: held.append((socket, said)))

    ann.route_web_socket("**/socket", hold)
    ann.goto(room)
    expect(ann.locator(".lobby")).to_contain_text("private")
    expect(ann.get_by_label("Invite link")).to_have_value("")
    expect(ann.get_by_role("button", name="Copy link")).to_be_disabled()
    while not held:
        ann.wait_for_timeout(20)
    socket, welcome = held[0]
    socket.send(welcome)
    expect(ann.get_by_label("Invite link")).to_have_value(f"{room}#{made['invite']}")
    expect(ann.get_by_role("button", name="Copy link")).to_be_enabled()

    access = f"/rooms/{made['room']}/access"
    studio.post(access, {"token": made["token"], "closed": False})
    expect(bob.get_by_label("Invite link")).to_have_value(room)
    anew = studio.post(access, {"token": made["token"], "closed": True})["invite"]
    expect(bob.get_by_label("Invite link")).to_have_value(f"{room}#{anew}")


# -- each other --------------------------------------------------------------------------------------------------------


def test_reactions_and_nudges(studio: Studio, open_page: Open) -> None:
    ann, bob = friends(studio, open_page, "Bob")
    expect(bob.locator("#status")).to_contain_text("Waiting for Ann")
    for page in (ann, bob):
        page.clock.install()
        page.reload()
        expect(page.locator("#status")).to_contain_text(re.compile("You open|Waiting for Ann"))
        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    bob.get_by_role("button", name="Applause").click()
    for page in (ann, bob):
        expect(page.locator('[data-seat="1"] .bubble')).to_have_attribute("data-reaction", "👏")
        page.clock.run_for(4500)
        expect(page.locator(".bubble")).to_have_count(0)
    bob.get_by_role("button", name="Nudge Ann").click()
    expect(ann.get_by_role("alert").filter(has_text="Bob waits for you")).to_be_visible()
    expect(bob.get_by_text("You nudged Ann.")).to_be_visible()
    ann.get_by_label("Reactions").first.uncheck()
    bob.get_by_role("button", name="Hooray").click()
    expect(bob.locator(".bubble")).to_have_attribute("data-reaction", "🎉")
    expect(ann.locator(".bubble")).to_have_count(0)


def test_chat_where_the_host_allows_it(studio: Studio, open_page: Open) -> None:
    """Off by default; what is written is text, whatever it looks like, and anyone can be muted."""
    ann, bob = friends(studio, open_page, "Bob")
    expect(ann.locator(".seat.me .hand")).to_be_visible()
    expect(ann.get_by_label("Write to everyone")).to_have_count(1)
    expect(ann.get_by_label("Write to everyone")).to_be_hidden()
    ann, bob = friends(studio, open_page, "Bob", chat=True)
    bob.get_by_label("Write to everyone").fill("<img src=x onerror=alert(1)> liar?")
    bob.get_by_role("button", name="Send").click()
    expect(ann.locator(".chat-lines")).to_contain_text("Bob: <img src=x onerror=alert(1)> liar?")
    expect(ann.locator(".chat-lines img")).to_have_count(0)
    ann.get_by_role("button", name="Mute Bob").click()
    expect(ann.locator(".chat-lines li")).to_have_count(0)
    bob.get_by_label("Write to everyone").fill("hello?")
    bob.keyboard.press("Enter")
    expect(bob.locator(".chat-lines")).to_contain_text("You: hello?")
    ann.get_by_label("Write to everyone").fill("l x")  # letters are text here, not calls
    ann.keyboard.press("Enter")
    expect(bob.locator(".chat-lines")).to_contain_text("Ann: l x")
    expect(ann.locator(".chat-lines li")).to_have_count(1)
    bob.get_by_label("Chat", exact=True).first.uncheck()
    expect(bob.locator(".chat-lines")).to_be_hidden()


def test_a_seat_is_given_to_a_bot_and_taken_back(studio: Studio, open_page: Open) -> None:
    ann, bob = friends(studio, open_page, "Bob")
    ann.locator(".company summary").click()
    ann.get_by_role("button", name="Give the seat to a bot").click()
    ann.get_by_role("button", name="Really?").click()
    expect(bob.get_by_text("The others have given your seat to a bot.")).to_be_visible()
    expect(ann.locator(".company")).to_contain_text("a bot plays")
    bob.get_by_role("button", name="Take your seat back").click()
    expect(bob.get_by_text("The others have given your seat to a bot.")).to_be_hidden()
    ann.locator('[data-bid="1x2"]').dblclick()
    expect(bob.locator("#status")).to_contain_text("Your turn")


def test_leaving_and_watching_to_the_end(studio: Studio, open_page: Open) -> None:
    """Alone with bots, the rest is skipped."""
    bots: list[Any] = [{"kind": "bot", "agent": name} for name in ("maniac", "optimal")]
    seat = studio.room({"kind": "you", "name": "Ann"}, *bots, rules="perudo", seed=5, dice=[2, 2, 2])
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.locator(".cell.legal").first.wait_for()
    page.locator(".company summary").click()
    page.get_by_role("button", name="Leave the game").click()
    page.get_by_role("button", name="Really leave?").click()
    expect(page.get_by_label("Watch fast")).to_be_visible()
    expect(page.locator(".cell.legal")).to_have_count(0)
    skip = page.get_by_role("button", name="Skip to the end")
    if skip.is_visible():
        skip.click()
    expect(page.locator(".done")).to_be_visible()
    places = page.locator(".places li").all_inner_texts()
    assert [place[:3] for place in places] == ["1. ", "2. ", "3. "]
    assert sorted(place[3:] for place in places) == ["You", "maniac", "optimal"]
    won = studio.get(f"/rooms/{seat['room']}")["winner"]
    assert places[0] == f"1. {('You', 'maniac', 'optimal')[won]}"


def test_the_host_removes_a_guest(studio: Studio, open_page: Open) -> None:
    ann, bob = friends(studio, open_page, "Bob", ready_check=True)
    expect(ann.locator(".lobby-seat").nth(1)).to_contain_text("here")
    ann.get_by_role("button", name="Remove", exact=True).click()
    seen = bob.get_by_text("The host has removed you from this room.").filter(visible=True)
    expect(seen).to_have_count(1)  # the page has a place for it at the table and one in the lobby
    expect(ann.locator(".lobby-seats")).to_contain_text("waiting for a player")


def test_a_guest_gives_up_a_seat_before_the_game_and_takes_one_again(studio: Studio, open_page: Open) -> None:
    ann, bob = friends(studio, open_page, "Bob", ready_check=True)
    bob.get_by_role("button", name="Leave your seat").click()
    expect(bob.get_by_role("heading", name="A seat is free")).to_be_visible()
    expect(ann.locator(".lobby-seats")).to_contain_text("waiting for a player")
    expect(bob.locator(".offline")).to_be_hidden()
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Take a seat").click()
    expect(ann.locator(".lobby-seat").nth(1)).to_contain_text("here")


def test_spectators_are_counted(studio: Studio, open_page: Open) -> None:
    ann, _ = friends(studio, open_page, "Bob")
    open_page(studio, f"/room/{room_of(ann)}")
    expect(ann.locator(".where")).to_contain_text("1 watching")


# -- another game ------------------------------------------------------------------------------------------------------


def test_a_rematch_in_the_same_room(studio: Studio, open_page: Open) -> None:
    ann, bob = friends(studio, open_page, "Bob", changes=QUICK_GAME)
    first = studio.get(f"/rooms/{room_of(ann)}")["game_id"]
    ann.locator('[data-bid="2x6"]').dblclick()
    expect(bob.get_by_role("button", name="Liar!")).to_be_enabled()
    bob.keyboard.type("ll")
    for page in (ann, bob):
        expect(page.locator(".done")).to_be_visible()
    ann.get_by_role("button", name="Rematch").click()
    expect(bob.locator(".wants")).to_have_text("Ann wants another game (1 of 2).")
    expect(ann.get_by_role("button", name="Waiting for the others…")).to_be_disabled()
    address = ann.url
    bob.get_by_role("button", name="Rematch").click()
    for page in (ann, bob):
        expect(page.locator(".done")).to_be_hidden()
        expect(page.locator("#status")).to_contain_text(re.compile("You open|Waiting for"))
    assert ann.url == address
    assert studio.get(f"/rooms/{room_of(ann)}")["game_id"] != first
    opener, caller = (ann, bob) if ann.get_by_text("You open.").count() else (bob, ann)
    opener.locator('.legal[data-bid="2x6"]').dblclick()
    expect(caller.get_by_role("button", name="Liar!")).to_be_enabled()
    caller.keyboard.type("ll")
    for page in (ann, bob):
        expect(page.locator(".done")).to_be_visible()
        page.get_by_text("Fair dice").click()
        expect(page.locator(".fair-dice")).to_contain_text(
            "The secret belongs to the fingerprint that this browser saw"
        )
