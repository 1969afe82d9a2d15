"""Networks as they are: connections that die without a word, slow ones, and none at all."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.kit import BOT, YOU, Open, Studio, needs_chromium

pytestmark = needs_chromium

OPEN = {"kind": "open"}


class FreezingProxy:
    """Forwards connections to a studio until it is frozen: then they stay open, and nothing comes through any more."""

    def __init__(self, studio: Studio) -> None:
        self._to = studio.port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._frozen: dict[str, threading.Event] = {}
        self._open: list[socket.socket] = []
        self.thaw()
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self, *ways: str) -> None:
        """From now on nothing goes `up` to the server, or `down` to the page."""
        for way in ways:
            self._frozen[way].set()

    def thaw(self) -> None:
        """New connections come through. Those that were frozen stay so."""
        self._frozen = {"up": threading.Event(), "down": threading.Event()}

    def close(self) -> None:
        for one in (self._listening, *self._open):
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                page, _ = self._listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            self._open += [page, server]
            for way, source, sink in (("up", page, server), ("down", server, page)):
                threading.Thread(target=self._forward, args=(source, sink, self._frozen[way]), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket, frozen: threading.Event) -> None:
        try:
            while data := source.recv(65_536):
                if frozen.is_set():
                    return  # and neither end hears that the other is gone
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return


@pytest.fixture
def proxy(studio: Studio) -> Iterator[FreezingProxy]:
    made = FreezingProxy(studio)
    yield made
    made.close()


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_dead_connection_is_noticed_and_the_move_made_once(
    studio: Studio, proxy: FreezingProxy, open_page: Open, way: str
) -> None:
    """Whether the server has heard of the move or not: after ten seconds the page says that the connection is lost."""
    ann = studio.post("/rooms", {"rules": "duel", "seats": [YOU, OPEN], "delay_ms": 0})
    studio.post(f"/rooms/{ann['room']}/seats", {"name": "Bob"})
    page = open_page(proxy, f"/room/{ann['room']}", token=ann, allowed="WebSocket")
    page.locator(".cell.legal").first.wait_for()
    page.clock.install()
    page.reload()
    page.locator('[data-bid="1x4"]').click()
    proxy.freeze(way)
    page.get_by_role("button", name="Bid one four").click()
    expect(page.get_by_role("button", name="Sending…")).to_be_disabled()
    page.clock.run_for(10_000)
    expect(page.locator(".offline")).to_contain_text("Your move is sent again as soon as it is back.")
    expect(page.locator("#status")).to_have_text("No connection to the table.")
    expect(page.get_by_text("Not your turn")).to_have_count(0)
    assert studio.get(f"/rooms/{ann['room']}")["turn"] == (1 if way == "up" else 2)
    proxy.thaw()
    page.clock.run_for(20_000)
    expect(page.locator(".offline")).to_be_hidden()
    expect(page.locator(".history").get_by_text("You bid one four.")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("Waiting for Bob.")
    assert studio.get(f"/rooms/{ann['room']}")["turn"] == 2
    expect(page.locator(".error:visible")).to_have_count(0)


def test_a_connection_that_dies_while_you_wait(studio: Studio, proxy: FreezingProxy, open_page: Open) -> None:
    ann = studio.post("/rooms", {"rules": "duel", "seats": [YOU, OPEN], "delay_ms": 0})
    bob = studio.post(f"/rooms/{ann['room']}/seats", {"name": "Bob"})
    page = open_page(proxy, f"/room/{ann['room']}", token=bob, allowed="WebSocket")
    expect(page.locator("#status")).to_have_text("Waiting for Ann.")
    page.clock.install()
    page.reload()
    expect(page.locator("#status")).to_have_text("Waiting for Ann.")
    proxy.freeze("up", "down")
    page.clock.run_for(10_000)
    expect(page.locator(".offline")).to_contain_text("Your seat is kept, and nothing is lost.")
    proxy.thaw()
    page.clock.run_for(20_000)
    expect(page.locator(".offline")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("Waiting for Ann.")


# -- slow, and none ----------------------------------------------------------------------------------------------------


def slow(page: Page, latency_ms: float = 600) -> None:
    """From now on every answer takes this long."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    conditions = {"offline": False, "latency": latency_ms, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", conditions)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "Play now"),
        ("/play?open=1", "Set up and invite"),
        pytest.param("/play", "Start", marks=pytest.mark.slow),
        pytest.param("/watch", "Start", marks=pytest.mark.slow),
    ],
)
def test_three_taps_make_one_room(studio: Studio, open_page: Open, path: str, name: str) -> None:
    page = open_page(studio, path)
    button = page.get_by_role("button", name=name)
    button.wait_for()
    made: list[str] = []
    page.on("request", lambda r: made.append(r.url) if r.method == "POST" and r.url.endswith("/api/rooms") else None)
    slow(page)
    for _ in range(3):
        button.click()
    expect(button).to_have_attribute("aria-busy", "true")  # which is seen as a turning circle
    page.wait_for_url("**/room/*")
    page.locator(".board .cell, .lobby-seat").first.wait_for()
    assert len(made) == 1


def test_a_slow_network_shows_that_something_happens(studio: Studio, open_page: Open) -> None:
    seat = studio.room(YOU, BOT, seed=7)
    page = open_page(studio, f"/room/{seat['room']}", token=seat)
    page.locator('[data-bid="1x2"]').click()
    page.get_by_role("link", name="Rules").hover()
    slow(page, 2000)
    page.get_by_role("link", name="Rules").click()
    expect(page.locator("#loading")).to_be_visible()
    expect(page.get_by_role("heading", name="Rules", exact=False).first).to_be_visible()
    expect(page.locator("#loading")).to_be_hidden()


def test_no_connection_at_all(studio: Studio, open_page: Open) -> None:
    page = open_page(studio, "/", allowed="ERR_INTERNET_DISCONNECTED|Failed to load")
    page.get_by_role("button", name="Play now").wait_for()
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.get_by_role("button", name="Play now").click()
    said = "The server does not answer. Check your connection, and try again."
    expect(page.get_by_role("alert")).to_have_text(said)
    page.get_by_role("link", name="Lab", exact=True).click()
    expect(page.get_by_role("heading", name="No connection")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_text(said)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Still no connection.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.locator(".answers tbody tr").first).to_be_visible()  # by itself, when the network is back
    assert page.url == f"{studio.url}/lab"
