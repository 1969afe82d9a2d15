"""A studio and a Chromium for the tests of the page.

An error on the console of a page, or a request to anywhere but our own server, fails the test.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from browser.kit import CHROMIUM, HEIGHTS, Open, Studio
from patience import PATIENCE


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    made = Studio(tmp_path_factory.mktemp("studio"))
    yield made
    made.kill()


@pytest.fixture
def own_studio(tmp_path: Path) -> Iterator[Studio]:
    """A server for one test, with nothing in its store."""
    made = Studio(tmp_path)
    yield made
    made.kill()


@pytest.fixture(scope="package")  # its event loop must be gone when other tests start their own
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=1000 * PATIENCE)
        yield made
        made.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Opens pages, each in its own context, and checks afterwards that none had errors."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def open_page(
        studio: Studio, path: str, width: int = 1440, *, token: Any = None, allowed: str = "", **device: Any
    ) -> Page:
        """`token`: a seat as the API returned it. `allowed`: a regular expression for errors that this test expects."""
        seen: dict[str, Any] = {"viewport": {"width": width, "height": HEIGHTS[width]}, "reduced_motion": "reduce"}
        context = browser.new_context(**seen | device)
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        keys = {"set:quick": "on"} | ({f"seat:{token['room']}": token["token"]} if token else {})
        context.add_init_script(f"for (const [k, v] of Object.entries({json.dumps(keys)})) localStorage.setItem(k, v)")
        page = context.new_page()

        def note(text: str) -> None:
            if not (allowed and re.search(allowed, text)):
                wrong.append(text)

        page.on("console", lambda message: note(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: note(str(error)))
        page.on("request", lambda r: None if r.url.startswith((studio.url, "data:")) else note(f"request to {r.url}"))
        page.on("websocket", lambda s: None if f"127.0.0.1:{studio.port}" in s.url else note(f"socket to {s.url}"))
        page.goto(studio.url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
