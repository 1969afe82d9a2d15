"""Declared dependencies are those used, and every pinned version has hashes."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from hash_constraints import hashed_pins, is_of, normalized, plain_pins, problem

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
NAMES = {"pyspiel": "open-spiel", "cupy": "cupy-cuda13x", "torch": "torch"}
"""Distributions that are not called like their module."""
RUN = {
    "dev": {
        "mkdocs-material",
        "mkdocstrings-python",
        "pre-commit",
        "hatchling",
        "mypy",
        "pytest",
        "pytest-xdist",
        "ruff",
        "schemathesis",
        "ipykernel",
    },
    "audit": {"bandit", "pip-audit"},
    "docs": {"mkdocs-material", "mkdocstrings-python"},
}
"""What is started as a program, or loaded by pytest or Jupyter."""


def declared(lines: list[str]) -> set[str]:
    return {normalized(re.split(r"[\[<>=;! ]", line, maxsplit=1)[0]) for line in lines}


@cache
def imported(folder: str) -> dict[str, set[str]]:
    """The distributions that the files below this folder import, each with those files."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / folder).rglob("*.py"):
        if "bots" in path.parts and folder == "tests":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules = [node.module or ""]
            else:
                continue
            for module in modules:
                top = module.partition(".")[0]
                if top not in sys.stdlib_module_names and top != "liars_dice":
                    found.setdefault(normalized(NAMES.get(top, top)), set()).add(str(path.relative_to(ROOT)))
    return found


def test_the_package_declares_what_it_imports_and_nothing_else() -> None:
    used, base = set(imported("src")), declared(PROJECT["dependencies"])
    optional = {"plots", "postgres", "parquet", "gpu", "llm", "mcp", "ray", "rl", "textarena", "train"}
    extra = set().union(*(declared(EXTRAS[name]) for name in optional))
    assert used - base - extra == set(), "imported, but not declared"
    assert base - used == set(), "declared, but not imported"
    assert extra - used == set(), "an extra that nothing imports"


@pytest.mark.parametrize("extra", sorted(EXTRAS))
def test_every_extra_is_used(extra: str) -> None:
    folders = ("src", "tests", "benchmarks", "tools", "examples", "training")
    used = set().union(*(imported(folder) for folder in folders))
    assert declared(EXTRAS[extra]) - used - RUN.get(extra, set()) == set()


def test_every_pin_has_hashes_and_no_address_is_named() -> None:
    plain, hashed = ((ROOT / name).read_text() for name in ("constraints.txt", "constraints-hashed.txt"))
    assert problem(plain, hashed) is None
    assert "://" not in hashed
    assert set(hashed_pins(hashed)) == set(plain_pins(plain))
    pinned = {normalized(pin.partition("==")[0]) for pin in plain_pins(plain)}
    assert declared(PROJECT["dependencies"]) <= pinned


def test_a_changed_version_needs_new_hashes() -> None:
    hashed = "click==8.5.1 \\\n    --hash=sha256:" + "0" * 64 + "\n"
    assert problem("click==8.5.1\n", hashed) is None
    for plain, other in (("click==8.5.2\n", hashed), ("click==8.5.1\nrich==1.0\n", hashed), ("click==8.5.1\n", "")):
        assert "does not match" in (problem(plain, other) or "")
    assert "bad hashes" in (problem("click==8.5.1\n", hashed.replace("0" * 64, "00")) or "")


def test_files_of_an_index_are_told_apart() -> None:
    assert is_of("Jinja2-3.1.6.tar.gz", "jinja2", "3.1.6")
    assert is_of("typing_extensions-4.16.0-py3-none-any.whl", "typing-extensions", "4.16.0")
    assert is_of("numpy-2.4.6-cp312-cp312-win_amd64.whl", "numpy", "2.4.6")
    assert not is_of("numpy-2.4.60-cp312-cp312-win_amd64.whl", "numpy", "2.4.6")
    assert not is_of("numpy-2.4.6-cp39-cp39-win_amd64.whl", "numpy", "2.4.6")
    assert not is_of("numpy-2.4.6.tar.gz.asc", "numpy", "2.4.6")
