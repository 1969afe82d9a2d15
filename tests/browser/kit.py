"""A studio that can be killed, and helpers that play on its pages. Games are seeded where the server allows it."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from patience import PATIENCE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH (Debian: apt install chromium)")

HEIGHTS = {360: 740, 768: 1024, 1440: 900}
BOT = {"kind": "bot", "agent": "optimal"}
YOU = {"kind": "you", "name": "Ann"}
SERVE = """
import sys
from liars_dice.web import ServerLimits, serve
limits = ServerLimits(requests_per_s=1e4, new_rooms_per_s=1e3, cost_per_s=1.0, cost_burst_s=60.0)
serve("127.0.0.1", int(sys.argv[1]), sys.argv[2], lambda address, local: print(address, flush=True), limits=limits)
"""
"""The pages of all tests come from one address, one test after another: they may use more than one household does."""
expect.set_options(timeout=1000 * PATIENCE)


class Studio:
    """A server process that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "store.sqlite"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-c", SERVE, str(self.port), str(self.store)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline(), "the server did not start"  # its address, printed when it answers

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.url}/api{path}", timeout=PATIENCE) as answer:
            return json.load(answer)

    def post(self, path: str, body: object) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def room(self, *seats: dict[str, str], seed: int = 7, rules: str = "heads-up", **changes: Any) -> Any:
        wish = {"rules": rules, "changes": changes, "seats": seats, "seed": seed, "delay_ms": 0}
        return self.post("/rooms", wish)

    def recorded(self, seed: int = 3) -> str:
        """A finished game between two bots."""
        room = self.room(BOT, {"kind": "bot", "agent": "bluffer"}, seed=seed, dice=[2, 2])["room"]
        return self.finished(room)

    def finished(self, room: str) -> str:
        """Watch a game between bots to its end; its id."""
        address = f"ws://127.0.0.1:{self.port}/api/rooms/{room}/socket"
        with connect(address, max_size=None, open_timeout=PATIENCE, ping_interval=None) as watching:
            watching.send(json.dumps({"type": "hello"}))
            while (said := json.loads(watching.recv(timeout=PATIENCE)))["type"] != "over":
                pass
        game: str = said["game_id"]
        return game


Open = Callable[..., Page]


def sit(studio: Studio, open_page: Open, width: int = 1440, seed: int = 7, device: Any = None, **changes: Any) -> Page:
    """A page with a seat against one bot."""
    seat = studio.room(YOU, BOT, seed=seed, **changes)
    return open_page(studio, f"/room/{seat['room']}", width, token=seat, **device or {})


def until_over(page: Page, move: Callable[[Page], None]) -> None:
    """Make a move whenever it is our turn, until the game is over."""
    done = page.locator(".done")
    onward = page.get_by_role("button", name="Next round")
    mine = page.locator(".cell.legal")
    liar = page.get_by_role("button", name="Liar!")
    ready = "!!document.querySelector('.done:not([hidden]), .cell.legal, .acts:not([hidden]) button:not(:disabled)')"
    until = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < until, "the game does not end"
        page.wait_for_function(f"() => {ready}")
        if done.is_visible():
            return
        if onward.is_visible() or mine.count() or liar.is_enabled():
            move(page)


def by_mouse(page: Page) -> None:
    """Open with one two; call every other bid."""
    if page.get_by_role("button", name="Next round").is_visible():
        page.get_by_role("button", name="Next round").click()
    elif page.get_by_role("button", name="Liar!").is_enabled():
        page.get_by_role("button", name="Liar!").click()
        page.get_by_role("button", name="Call liar").click()
    elif page.locator('.cell.legal[data-bid="1x2"]').count():
        page.locator('.cell.legal[data-bid="1x2"]').click()
        page.get_by_role("button", name="Bid one two").click()


def by_keys(page: Page) -> None:
    """Open with the keys; call every other bid."""
    if page.get_by_role("button", name="Next round").is_visible():
        page.keyboard.press("Enter")
    elif page.locator(".cell.standing").count():
        page.keyboard.type("ll")
    else:
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
