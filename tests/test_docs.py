"""Every code block of the README and of docs/ runs.

The Python blocks of a page run one after another in one namespace; `pycon` blocks are doctests; `console` lines that
begin with `$ liars-dice` must succeed, and output that is shown must be the real output (`...` stands for anything);
`make` lines must name real targets; TOML must be valid rules and JSON must be valid. A block that begins with the name
of an example must equal that file; one that begins with a file name is saved for the blocks after it. `text` blocks are
not run.
"""

from __future__ import annotations

import ast
import doctest
import functools
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line import call
from liars_dice.agents import AGENTS
from liars_dice.cli import COMMANDS, main
from liars_dice.core import GameConfig
from liars_dice.exact.solver import Tablebase
from test_house import LAYERS

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
            assert language == "text", f"{page.name} has a block of {language!r}, which no test checks"


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
        assert words[0] == "liars-dice", f"no test runs {command!r}"
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


PLACE = re.compile(r"`([\w/.-]+\.(?:py|js|html))`(?: \(((?:`[\w.]+`(?:, )?)+)\))?")
"""A file, and names in it: `core/rules.py` (`count_matches`, `RoundRules`)."""


def test_the_table_of_changes_names_what_exists() -> None:
    """Every file in the table "to change X, go to Y" exists, and every name behind a file is defined there."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition("## To change something")[2].partition("\n## ")[0]
    table = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    places = [place for place in PLACE.findall(table) if "NAME" not in place[0]]
    assert len(places) > 30
    for path, names in places:
        file = ROOT / path if path.startswith(("tests/", "tools/", "training/")) else ROOT / "src" / "liars_dice" / path
        assert file.is_file(), f"architecture.md sends people to {path}, which does not exist"
        for name in re.findall(r"[\w.]+", names):
            assert name in defined_names(file), f"architecture.md looks for {name} in {path}"
    for folder in re.findall(r"`([\w/]+/)`", table):
        assert (ROOT / "src" / "liars_dice" / folder).is_dir() or (ROOT / folder).is_dir(), folder


def defined_names(file: Path) -> set[str]:
    """The top-level names of a Python file, and the members of its classes as `Class.member`."""
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.ClassDef):
            members = [one for one in node.body if isinstance(one, ast.FunctionDef)]
            found |= {f"{node.name}.{member.name}" for member in members}
    return found


def test_the_rooms_of_the_page_are_the_rooms_of_the_package() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.partition("## Rooms")[2].partition("![")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == LAYERS


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split("\n")) <= 151


NOT_OURS = {"--editable", "--require-hashes", "--rng-seed"}
"""Two options of pip, and an old name that gets an error."""


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


@functools.cache
def options_of(command: str) -> set[str]:
    """What a command takes, by its help."""
    calls = [(command,)] + [("train", kind) for kind in ("champion", "clone") if command == "train"]
    return options_in("".join(call(*words, "--help").output for words in calls))


@functools.cache
def options_anywhere() -> set[str]:
    """What some command takes, or a script of this repository."""
    places = ("src", "benchmarks", "tools", "training")
    scripts = [path.read_text(encoding="utf-8") for place in places for path in (ROOT / place).rglob("*.py")]
    literal = {name for text in scripts for name in re.findall(r'"(--[a-z][a-z-]*)', text)}
    return NOT_OURS.union(literal, *map(options_of, COMMANDS))


@pytest.mark.parametrize("page", [*PAGES, ROOT / "SECURITY.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_options_that_are_named_exist(page: Path) -> None:
    """`serve --bot`, in a sentence or in a block that is not run, is an option of that command; `--bot`, of some."""
    text = page.read_text(encoding="utf-8")
    spans = re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))
    shown = [line for language, code in BLOCK.findall(text) if language == "text" for line in code.split("\n")]
    for span in spans + [line for line in shown if "liars-dice " in line]:
        words = span.partition("#")[0].rpartition("liars-dice ")[2].split()
        if words and words[0] in COMMANDS:
            missing = options_in(" ".join(words)) - options_of(words[0])
        else:
            missing = options_in(span) - options_anywhere() if span.startswith("--") else set()
        assert not missing, f"{page.name} has {span!r}: there is no {', '.join(missing)}"


def test_the_readme_counts_the_bots() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    bots = [name for name in AGENTS if ":" not in name]  # the levels of the champion are told with it
    assert f"**Bots**: {len(bots)} built in" in text


def test_the_readme_says_how_good_nash_is() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    claimed = re.search(r"at most (\S+) per round averaged over both seats, and at most (\S+) from either seat", text)
    assert claimed
    solved = [Tablebase.shipped().round(own, 5 - own - left) for left in range(4) for own in range(1, 5 - left)]
    half = max(found.exploitability for found in solved)
    whole = max(found.upper - found.lower for found in solved)
    assert 0.8 * float(claimed[1]) < half <= float(claimed[1])
    assert 0.8 * float(claimed[2]) < whole <= float(claimed[2])
    assert f"gains at most {claimed[1]} per round" in (ROOT / "docs" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_strength_of_the_champion_is_what_was_measured(page: str) -> None:
    text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
    measured = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for claim, figure in {
        "wins {} of its games in a league of nine": "league of nine, perudo: champion wins",
        "{} of games between two players": "the best of 3 exploiters, 2 players: wins",
    }.items():
        (share,) = re.findall(rf"^{figure}: (\S+) %", measured, re.MULTILINE)
        assert claim.format(f"{share}%") in text
