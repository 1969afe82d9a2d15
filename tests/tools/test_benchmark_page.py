"""The page of benchmarks: every script has a section, no figure disappears silently, other pages repeat its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

import run_all
from run_all import PAGE, about, dropped, figures_in, scripts, sections
from speed_table import PAGES, rounded, speed_table, with_table

MET = "rounds per second, 1,000 rounds: 12 (target: at least 10) met"
OTHER = "compared with a peer: 2 times (target: at least 1) met"
ELSEWHERE = {"gpu_solver.py"}
"""Scripts whose figures are on another page, as the page's first lines say."""


def test_figures_are_recognised_whatever_their_numbers() -> None:
    assert (
        figures_in(f"words\n{MET}\n{OTHER}\n").keys() == figures_in(f"{OTHER}\n{MET.replace('1,000', '2,000')}").keys()
    )


def test_a_dropped_figure_is_named() -> None:
    before = {"a.py": f"{MET}\n{OTHER}\n", "b.py": MET}
    assert dropped(before, before) == []
    lost = dropped(before, {"a.py": MET})
    assert lost == ["compared with a peer (`a.py`)", "rounds per second, 1,000 rounds (`b.py`)"]


def test_every_script_has_its_section() -> None:
    assert list(sections()) == [name for name in scripts() if name not in ELSEWHERE]
    head = PAGE.read_text(encoding="utf-8").partition("## ")[0]
    assert all(f"`{name}`" in head for name in ELSEWHERE)


@pytest.mark.parametrize("script", [name for name in scripts() if name not in ELSEWHERE and " " not in name])
def test_a_section_says_what_the_script_says(script: str) -> None:
    said = sections()[script].partition("\n\n")[2].partition("\n\nMeasured on ")[0]
    assert said == about(script), f"run {script} again, or copy its docstring if it measures the same as before"


def test_what_a_run_has_measured_is_kept_when_a_script_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_all, "HERE", tmp_path)
    monkeypatch.setattr(run_all, "PAGE", tmp_path / "page.md")
    texts = {"first": f"print('{MET}')", "second": "print('half')\nraise ValueError", "third": f"print('{OTHER}')"}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(f'"""About the {name}."""\n{text}\n')
    (tmp_path / "page.md").write_text("## benchmarks/second.py\n\nFrom an earlier run.\n")
    assert run_all.measure(["first.py", "second.py"]) == ["second.py"]
    assert run_all.measure(["third.py"]) == []
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Benchmarks")
    assert "2 of 2 targets are met" in page
    first, second, third = (page.index(f"## benchmarks/{name}.py") for name in texts)
    assert "About the first.\n\nMeasured on 20" in page[first:second]
    assert page[second:third] == "## benchmarks/second.py\n\nFrom an earlier run.\n\n"
    assert MET in page[first:second]
    assert OTHER in page[third:]
    assert "second.py failed" in capsys.readouterr().out


def test_a_script_that_another_imports_has_no_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_all, "HERE", tmp_path)
    (tmp_path / "speed.py").write_text("from clock import tick\n")
    (tmp_path / "clock.py").write_text("")
    assert scripts() == ["solver.py --device gpu", "speed.py"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_table_of_speed_is_that_of_the_page(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == with_table(text, speed_table(sections())), f"{page.name}: write it with benchmarks/run_all.py"


def test_numbers_are_rounded_as_people_read_them() -> None:
    shown = [rounded(number) for number in ("14,639,596", "376,042", "166", "39.5", "0.220", "1,004.2")]
    assert shown == ["14.6 million", "376,000", "166", "39.5", "0.22", "1,000"]
