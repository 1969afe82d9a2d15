"""Every code block of the README and of docs/ runs.

Python runs, a file's blocks one after another in one namespace; `pycon` is a doctest; `console` lines that begin with
`$ liars-dice` run and must succeed, and where output is shown it must be the real output (`...` stands for anything);
`make` lines must name real targets; TOML must be rules and JSON must be JSON. A block that begins with the name of an
example is that file; one that begins with a file name is written for the blocks behind it. `text` is only looked at.
"""

from __future__ import annotations

import doctest
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from liars_dice.cli import main
from liars_dice.core import GameConfig

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
REFERENCE = [page for page in PAGES if not page.name.startswith("guide-")]
"""Guides are walked, in a shell of their own, by test_guides.py."""
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks_of(page: Path) -> list[tuple[str, str]]:
    text = page.read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert text.count("```") == 2 * len(blocks), f"{page.name} has a code block that is not read"
    return blocks


@pytest.mark.parametrize("page", REFERENCE, ids=lambda page: page.name)
def test_code_blocks(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "docs"}
    for language, code in blocks_of(page):
        if named := re.match(r"(?:#|//) (examples/\S+):", code):
            assert (ROOT / named[1]).read_text(encoding="utf-8") == code, f"{named[1]} is not what {page.name} shows"
        elif named := re.match(r"# ((?:\w+/)*\w+\.py)\n", code):
            Path(named[1]).parent.mkdir(parents=True, exist_ok=True)
            Path(named[1]).write_text(code, encoding="utf-8")
        elif language == "python":
            exec(compile(code, page.name, "exec"), namespace)
        elif language == "pycon":
            run_doctest(code, page.name, namespace)
        elif language == "console":
            run_console(code)
        elif language == "toml":
            GameConfig.from_toml(code)
            Path("my.toml").write_text(code)
        elif language == "json":
            assert json.loads(code) is not None
        else:
            assert language == "text", f"{page.name} has a block of {language!r}, which nobody checks"


def run_doctest(code: str, name: str, namespace: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(code, namespace, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, clear_globs=False)
    assert runner.failures == 0
    namespace.update(test.globs)


def run_console(code: str) -> None:
    for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        words = shlex.split(command, comments=True)
        if words[0] == "make":
            dry = subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, capture_output=True, check=False)
            assert dry.returncode == 0, command
            continue
        assert words[0] == "liars-dice", f"nobody runs {command!r}"
        result = CliRunner().invoke(main, words[1:])
        assert result.exit_code == 0, (command, result.output)
        if shown.strip():
            pattern = re.escape(shown.strip()).replace(r"\.\.\.", ".*")
            output = "\n".join(line.rstrip() for line in result.output.splitlines())
            assert re.search(pattern, output.strip(), re.DOTALL), (command, result.output)


def test_every_page_is_read() -> None:
    assert {page.name for page in PAGES} >= {"README.md", "rules.md", "architecture.md"}
    assert sum(len(blocks_of(page)) for page in PAGES) >= 5


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_files_that_are_named_exist() -> None:
    places = (ROOT, ROOT / "src" / "liars_dice")
    for page in PAGES:
        for named in re.findall(r"`([a-z_\d/]+/[a-z_\d]+\.py)`", page.read_text(encoding="utf-8")):
            assert any((place / named).exists() for place in places), f"{page.name} names {named}"


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split("\n")) <= 151
