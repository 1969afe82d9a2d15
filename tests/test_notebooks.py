"""The notebooks of the documentation run, and print what they show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from run_notebooks import NOTEBOOKS, run, with_outputs
from test_house import ROOT

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def test_they_are_there() -> None:
    named = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert PATHS
    assert {path.name for path in PATHS} == set(re.findall(r"\(notebooks/(\S+\.ipynb)\)", named))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert any(cell["cell_type"] == "markdown" for cell in notebook["cells"])
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert any(shown), "run tools/run_notebooks.py"
    assert with_outputs(notebook, run(notebook)) == notebook
