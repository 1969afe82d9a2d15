"""What contributors and servers read: workflows, templates, hooks, the citation, and the pages for contributors."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import liars_dice
from absolute_links import with_absolute_links
from test_house import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
YAML_FILES = sorted([*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml", ROOT / "CITATION.cff"])
PAGES = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", YAML_FILES, ids=lambda path: path.name)
def test_yaml_can_be_read(path: Path) -> None:
    assert isinstance(read(path), dict)


def test_the_pythons_that_are_claimed_are_those_that_are_checked() -> None:
    claimed = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    jobs = read(ROOT / ".github" / "workflows" / "check.yml")["jobs"]
    assert jobs["test"]["strategy"]["matrix"]["python"] == claimed
    assert any(step.get("run") == ".ci/run" for step in jobs["test"]["steps"])
    assert PROJECT["requires-python"] == f">={claimed[0]}"
    guides = sorted((ROOT / "docs").glob("guide-*.md"))
    for page in (*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "Makefile", "docs/install.md")), *guides):
        named = set(re.findall(r"3\.\d+(?: to 3\.\d+| or newer|\+)", page.read_text(encoding="utf-8")))
        assert named == {f"{claimed[0]} to {claimed[-1]}"}, f"{page.name} names other Pythons than are tested"


def test_workflows_run_what_exists() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for targets in re.findall(r"run: make (.+)", path.read_text(encoding="utf-8")):
            subprocess.run(["make", "-n", *targets.split()], cwd=ROOT, capture_output=True, check=True)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100, ".ci/run can be run"


def test_bots_can_be_isolated_wherever_the_tests_run() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for job in read(path)["jobs"].values():
            commands = [step.get("run", "") for step in job["steps"]]
            if ".ci/run" in commands:
                before = commands[: commands.index(".ci/run")]
                assert any("apparmor_restrict_unprivileged_userns=0" in command for command in before), path.name


@pytest.mark.parametrize(
    ("urls", "cited", "said"),
    [
        ("", "", "pyproject.toml has no [project.urls]\n"),
        ("[project.urls]\n", "", "CITATION.cff has no repository-code\n"),
        ("[project.urls]\n", "repository-code: x\n", ""),
    ],
)
def test_a_release_needs_the_address_of_the_repository(urls: str, cited: str, said: str, tmp_path: Path) -> None:
    steps = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["build"]["steps"]
    (check,) = [step["run"] for step in steps if step.get("name") == "The repository's address is known"]
    (tmp_path / "pyproject.toml").write_text(f"[project]\n{urls}")
    (tmp_path / "CITATION.cff").write_text(f"title: x\n{cited}")
    done = subprocess.run(["bash", "-ec", check], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (bool(said), said)


def test_the_readme_of_a_release_has_absolute_links() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    absolute = with_absolute_links(text, "https://host/one", "v1")
    assert (
        "![A game of Perudo between three bots, move by move](https://host/one/raw/v1/docs/images/game.svg)" in absolute
    )
    assert "[Install](https://host/one/blob/v1/docs/install.md)" in absolute
    assert re.findall(r"\]\((?!https:)[^)]*\)", absolute) == []
    assert with_absolute_links("[a](#b) [c](https://d)", "https://host/one", "v1") == "[a](#b) [c](https://d)"


def test_the_authors_have_one_name() -> None:
    ((author,), (cited,)) = PROJECT["authors"], read(ROOT / "CITATION.cff")["authors"]
    assert author["name"] == cited["name"]
    assert author["name"] in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_the_citation_is_of_this_version() -> None:
    cited = read(ROOT / "CITATION.cff")
    assert cited["version"] == liars_dice.__version__
    assert cited["license"] == PROJECT["license"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_names_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert target.startswith("http") or (ROOT / target).exists(), f"{page.name} links to {target}"
    for named in re.findall(r"`(\w+/[\w/]+\.(?:py|md|js))`", text):
        places = (ROOT, ROOT / "src" / "liars_dice")
        assert "NAME" in named or any((place / named).exists() for place in places), f"{page.name} names {named}"


def test_commands_for_contributors_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = {word for words in re.findall(r"(?:`|\$ )make ([a-z -]+)", text) for word in words.split()}
    assert targets >= {"dev", "test", "check", "docs", "bench"}
    subprocess.run(["make", "-n", *sorted(targets)], cwd=ROOT, capture_output=True, check=True)
    (test,) = re.findall(r"(tests/\S+\.py)::(\w+)`", text)
    assert f"def {test[1]}(" in (ROOT / test[0]).read_text(encoding="utf-8")
