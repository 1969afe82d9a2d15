"""The notebooks of the documentation run, and print what they show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from run_notebooks import NOTEBOOKS, run, with_outputs

QUICK = {"train-against-the-optimum"}
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def test_they_are_there() -> None:
    assert {path.stem for path in PATHS} >= {"exploitability", "scout-an-opponent", "solve-your-variant"} | QUICK


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=[] if p.stem in QUICK else pytest.mark.slow) for p in PATHS]
)
def test_a_notebook_prints_what_it_shows(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert any(cell["cell_type"] == "markdown" for cell in notebook["cells"])
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert any(shown), "run tools/run_notebooks.py"
    assert with_outputs(notebook, run(notebook)) == notebook
