"""The documentation site: every page has a place, everything in it comes from here, and the wheel carries it."""

from __future__ import annotations

import importlib
import importlib.util
import re
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import click
import pytest
import yaml

from command_line import call, told
from draw_game import game
from liars_dice.cli import COMMANDS, main
from site_hooks import FACES, MODULES, PROJECT_PAGES, command_line
from test_house import ROOT
from test_wheel import MOST_BYTES, build_wheel

DOCS = ROOT / "docs"
MOST_BYTES_OF_DOCS = 3_000_000
WRITTEN = {"reference/command-line.md", "reference/python.md", "reference/schemas.md"}
"""Pages that are made from the product."""


def pages_in(section: object) -> Iterator[str]:
    """The pages below a section of the site, in order."""
    if isinstance(section, str):
        yield section
    elif isinstance(section, dict):
        for below in section.values():
            yield from pages_in(below)
    else:
        assert isinstance(section, list)
        for below in section:
            yield from pages_in(below)


def test_every_page_is_in_one_section() -> None:
    nav = list(pages_in(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    assert len(nav) == len(set(nav)), "a page is in two sections"
    texts = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    notebooks = {f"notebooks/{path.stem}.md" for path in DOCS.rglob("*.ipynb")}
    python = {f"reference/{name}.md" for name in (*FACES, *MODULES)}
    expected = texts | notebooks | WRITTEN | set(PROJECT_PAGES.values()) | python
    assert expected - set(nav) == set(), "pages in no section: give each a line under `nav` in mkdocs.yml"
    assert set(nav) - expected == set(), "sections name pages that do not exist"


def test_what_is_stable_has_a_page() -> None:
    text = (DOCS / "five-tasks.md").read_text(encoding="utf-8").partition("## What is stable")[2]
    listed = re.findall(r"`([a-z]+(?:\.\w+)*)`", text.partition("- the commands")[0])
    assert {"liars_dice"} | {f"liars_dice.{name}" for name in listed} == {*FACES, *MODULES}


def test_the_moving_picture_is_the_game_that_it_says() -> None:
    assert (DOCS / "images" / "game.svg").read_text(encoding="utf-8") == game()


class Read(HTMLParser):
    """What a page loads, where it leads, and its places."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        if tag in ("script", "img", "iframe", "source") and "src" in found:
            self.loads.append(found["src"])
        if tag == "link" and found.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(found.get("href", ""))
        if tag == "a" and "href" in found:
            self.leads.append(found["href"])
        self.places |= {found[name] for name in ("id", "name") if name in found}


def check_pages(site: Path) -> None:
    """Nothing is loaded from elsewhere, and every link leads to a page and to a place on it."""
    read = {page.resolve(): Read(page) for page in site.rglob("*.html")}
    assert len(read) > 35
    for page, found in read.items():
        for address in found.loads:
            assert not re.match(r"(?:https?:)?//", address), f"{page.name} loads {address}"
            assert (page.parent / unquote(address.partition("?")[0])).exists(), f"{page.name} loads {address}"
        for address in found.leads:
            if re.match(r"https?:|mailto:|javascript:", address):
                continue
            path, place = urldefrag(unquote(address))
            target = (page.parent / path).resolve() if path not in ("", ".") else page
            assert target.exists(), f"{page.name} leads to {address}"
            if target in read and not place.startswith("__"):
                assert place in read[target].places, f"{page.name} leads to {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style.name


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="no MkDocs here (the extra docs has it)")
def test_the_wheel_carries_the_site(tmp_path: Path) -> None:
    """Built strictly: a page in no section, a dead link or an unknown place on a page fails the build."""
    wheel = build_wheel(tmp_path)
    assert wheel.stat().st_size <= MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        pages = [entry for entry in archive.infolist() if entry.filename.startswith("liars_dice/offline_docs/")]
        assert sum(entry.compress_size for entry in pages) <= MOST_BYTES_OF_DOCS
        archive.extractall(tmp_path, pages)
    site = tmp_path / "liars_dice" / "offline_docs"
    check_pages(site)
    assert (site / "images" / "game.svg").exists()
    assert 'src="images/game.svg"' in (site / "index.html").read_text(encoding="utf-8")
    commands = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert all(f"<code>liars-dice {name}</code>" in commands for name in COMMANDS)
    python = (site / "reference" / "liars_dice.html").read_text(encoding="utf-8")
    assert all(f'id="liars_dice.{name}"' in python for name in ("GameEngine", "play_game", "matchup", "solve"))
    assert '"BidPlaced"' in (site / "schemas" / "event.json").read_text(encoding="utf-8")
    assert (site / "search" / "search_index.js").exists(), "search works without a server"


def test_the_command_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_browser(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", open_browser)
    module = importlib.import_module("liars_dice.cli.docs_command")
    monkeypatch.setattr(module, "FRONT_PAGE", tmp_path / "index.html")
    missing = call("docs")
    assert missing.exit_code == 1
    assert missing.stderr.count("\n") == 1
    assert "`make docs` builds them" in missing.stderr
    (tmp_path / "index.html").write_text("<h1>Liar's Dice</h1>")
    address = (tmp_path / "index.html").as_uri()
    assert call("docs", "--print").stdout == f"{address}\n"
    assert told("docs") == {"address": address}
    assert opened == []
    assert call("docs").exit_code == 0
    assert opened == [address]


def test_the_reference_of_commands_explains_everything() -> None:
    """Every option has its text in a table, and every argument is in the text above it."""
    page = command_line()
    assert not re.search(r"^\| .*\| +\|$", page, re.MULTILINE), "a row without a text"
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        shown = [param.make_metavar(context) for param in command.params if isinstance(param, click.Argument)]
        unexplained = set(re.findall(r"[A-Z]{2,}", " ".join(shown))) - set(re.findall(r"\w+", command.help or ""))
        assert not unexplained, f"the help of {name} does not say what {', '.join(unexplained)} is"
