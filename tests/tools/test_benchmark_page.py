"""The page of benchmarks: every script is run, and no figure disappears without a word."""

from __future__ import annotations

from run_all import HELPERS, HERE, dropped, figures_in, sections

MET = "rounds per second, 1,000 rounds: 12 (target: at least 10) met"
OTHER = "compared with a peer: 2 times (target: at least 1) met"


def test_figures_are_recognised_whatever_their_numbers() -> None:
    assert (
        figures_in(f"words\n{MET}\n{OTHER}\n").keys() == figures_in(f"{OTHER}\n{MET.replace('1,000', '2,000')}").keys()
    )


def test_a_dropped_figure_is_named() -> None:
    before = {"a.py": f"{MET}\n{OTHER}\n", "b.py": MET}
    assert dropped(before, before) == []
    lost = dropped(before, {"a.py": MET})
    assert lost == ["compared with a peer (`a.py`)", "rounds per second, 1,000 rounds (`b.py`)"]


def test_every_section_has_its_script() -> None:
    scripts = {path.name for path in HERE.glob("*.py")} - set(HELPERS)
    assert {name.split()[0] for name in sections()} <= scripts
