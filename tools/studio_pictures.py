"""Takes the pictures of the studio's table for the docs: python tools/studio_pictures.py [--only NAME].

It starts a studio with an empty store, plays seeded games in the Chromium on the PATH, and writes docs/images/NAME.png.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ASK_MS = 60_000
OTHERS = ("conservative", "probabilistic", "maniac", "calling-station", "bluffer")


@contextmanager
def studio() -> Iterator[str]:
    """A running studio; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", str(port), "--db", f"{folder}/games.sqlite"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            server.stdout.readline()  # its address, printed when it answers
            try:
                yield f"http://127.0.0.1:{port}"
            finally:
                server.terminate()


def six_at_a_table(browser: Browser, url: str, width: int, height: int, scheme: Any = "light") -> Page:
    """A page on which it is Ann's turn, with the odds on."""
    seats = [{"kind": "you", "name": "Ann"}, *({"kind": "bot", "agent": name} for name in OTHERS)]
    wish = {"rules": "perudo", "seats": seats, "seed": 9, "delay_ms": 0}
    request = urllib.request.Request(
        f"{url}/api/rooms", json.dumps(wish).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=ASK_MS / 1000) as answer:
        seat = json.load(answer)
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", device_scale_factor=1
    )
    context.set_default_timeout(ASK_MS)
    kept = {"set:odds": "on", "set:quick": "on", f"seat:{seat['room']}": seat["token"]}
    context.add_init_script(f"for (const [k, v] of Object.entries({json.dumps(kept)})) localStorage.setItem(k, v)")
    page = context.new_page()
    page.goto(f"{url}/room/{seat['room']}")
    page.locator('.legal[data-bid="1x2"]').dblclick()
    page.locator('.stage[data-mood="yours"] .cell.legal').first.wait_for()
    return page


def play(browser: Browser, url: str) -> Page:
    """Six players on a desktop, with a hint."""
    page = six_at_a_table(browser, url, 1440, 900)
    page.get_by_role("button", name="Hint").click()
    page.locator(".hint b").wait_for()
    return page


def phone(browser: Browser, url: str) -> Page:
    """The same on a phone, in the dark."""
    return six_at_a_table(browser, url, 390, 844, "dark")


def learn(browser: Browser, url: str) -> Page:
    """The second lesson."""
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    page.goto(f"{url}/learn")
    page.get_by_role("button", name="Go on").click()
    page.locator('.legal[data-bid="2x5"]').click()
    return page


PICTURES: dict[str, Callable[[Browser, str], Page]] = {
    "studio-play": play,
    "studio-phone": phone,
    "studio-learn": learn,
}


def main(names: list[str]) -> None:
    """Take these pictures."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with studio() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for name in names:
            page = PICTURES[name](browser, url)
            page.mouse.move(0, 0)
            taken = Image.open(io.BytesIO(page.screenshot()))
            taken.convert("RGB").quantize(256).save(IMAGES / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Take the pictures of the studio's table for the docs.")
    parser.add_argument("--only", action="append", choices=list(PICTURES), help="take this one (may be repeated)")
    main(parser.parse_args().only or list(PICTURES))
