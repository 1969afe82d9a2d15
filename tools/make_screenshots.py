"""Make the pictures of the studio in docs/images again: `python tools/make_screenshots.py [NAME ...]`.

Each picture is a function that opens a page of a studio of its own and brings it into the state to be shown. Needs
Playwright (extra `dev`) and a Chromium on the PATH.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from liars_dice import GameEngine, preset
from liars_dice.agents import make_agent
from liars_dice.persistence import open_store, record_game

IMAGES = Path(__file__).parent.parent / "docs" / "images"
SIZE = {"width": 1440, "height": 900}
TIMEOUT_MS = 120_000

Shot = Callable[[Page, str, Path], None]


def recorded_game(store: Path, bots: list[str], rules: str, seed: int) -> str:
    """A finished game in which the first bot counts as the person Ann; its id."""
    agents = [make_agent(name) for name in bots]
    agents[0].agent_id, agents[0].player_type = "human:Ann", "Human"  # type: ignore[attr-defined]
    engine = GameEngine(preset(rules, players=len(bots)), agents, seed=seed, names=("Ann", *bots[1:]))
    with open_store(str(store)) as recorder:
        game = record_game(engine, recorder)
        engine.play()
    return game


def review(page: Page, url: str, store: Path) -> None:
    """Ann's worst decision in a game of six."""
    bots = ["optimal", "bluffer", "conservative", "champion", "maniac", "crawler"]
    game = recorded_game(store, bots, "perudo", 41)
    page.goto(f"{url}/review/{game}")
    page.locator(".curve path").first.wait_for()


def lab(page: Page, url: str, store: Path) -> None:
    """What perfect play does with two dice against three."""
    page.goto(f"{url}/lab")
    page.locator(".answers tbody tr").first.wait_for()


SHOTS: dict[str, Shot] = {"studio-review": review, "studio-lab": lab}


def make(names: list[str]) -> None:
    """Make these pictures, or all."""
    unknown = [name for name in names if name not in SHOTS]
    if unknown:
        sys.exit(f"{unknown[0]}: expected one of {', '.join(SHOTS)}")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("no Chromium on the PATH (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "games.sqlite"
        command = [sys.executable, "-m", "liars_dice", "serve", "--port", "0", "--db", str(store)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                url = next(word for word in server.stdout.readline().split() if word.startswith("http")).rstrip("/")
                browser = playwright.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox"] if os.geteuid() == 0 else []
                )
                for name in names or SHOTS:
                    context = browser.new_context(viewport=SIZE, reduced_motion="reduce")  # type: ignore[arg-type]
                    context.set_default_timeout(TIMEOUT_MS)
                    context.add_init_script(f"localStorage.setItem('set:name', {json.dumps('Ann')})")
                    page = context.new_page()
                    SHOTS[name](page, url, store)
                    page.wait_for_load_state("networkidle")
                    page.mouse.move(0, 0)
                    page.screenshot(path=IMAGES / f"{name}.png")
                    print(IMAGES / f"{name}.png")
                    context.close()
                browser.close()
            finally:
                server.terminate()


if __name__ == "__main__":
    make(sys.argv[1:])
