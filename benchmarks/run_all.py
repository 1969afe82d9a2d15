"""Run every benchmark script, or those named, and write what they print to docs/benchmarks.md.

A section that this machine cannot measure is kept: two need a GPU.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

from figures import LINE

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
ON_GPU = "solver.py --device gpu"
NEED_A_GPU = (ON_GPU, "gpu_solver.py")
HELPERS = ("figures.py", "reader.py", "run_all.py")


def measured(script: str) -> str:
    """Run a script and return its section of the page: its docstring and its output."""
    name, *arguments = script.split()
    doc = ast.get_docstring(ast.parse((HERE / name).read_text(encoding="utf-8"))) or ""
    print(f"== {script}", flush=True)
    lines = []
    command = [sys.executable, str(HERE / name), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            if not line.startswith("\x1b"):  # a library's warning in colour
                lines.append(line)
    if process.returncode:
        raise SystemExit(f"{script} failed")
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    about = "" if arguments else f"{doc}\n\n"
    return f"## benchmarks/{script}\n\n{about}Measured with {where}.\n\n```text\n{''.join(lines)}```\n"


def sections() -> dict[str, str]:
    """The sections of the current page, by script."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    parts = re.split(r"^## benchmarks/(.+)\n", text, flags=re.MULTILINE)
    return {name: f"## benchmarks/{name}\n{body}" for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def summary(page: dict[str, str]) -> str:
    """A table of all targets and results, missed targets first."""
    rows = [
        (script, found) for script, text in page.items() for line in text.split("\n") if (found := LINE.match(line))
    ]
    rows.sort(key=lambda row: ("MISSED" not in row[1]["verdict"], "not" not in row[1]["verdict"]))
    missed = sum(found["verdict"] == "MISSED" for _, found in rows)
    lines = [
        f"{len(rows) - missed} of {len(rows)} targets are met; {missed} are missed.\n",
        "| figure | target | result | |",
        "|---|---|---|---|",
    ]
    for script, found in rows:
        verdict = f"**{found['verdict']}**" if found["verdict"] != "met" else "met"
        lines.append(f"| {found['what']} (`{script}`) | {found['target']} | {found['result']} | {verdict} |")
    return "\n".join(lines) + "\n"


def figures_in(text: str) -> dict[str, str]:
    """What a section measures; figures that differ in nothing but numbers are the same."""
    found = (LINE.match(line) for line in text.split("\n"))
    return {re.sub(r"\d[\d,.]*", "#", one["what"]): one["what"] for one in found if one}


def dropped(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The figures that the page had before and has no more: no package to compare with, or no script any more."""
    lost = []
    for script, text in before.items():
        left = figures_in(after.get(script, ""))
        lost += [f"{what} (`{script}`)" for key, what in figures_in(text).items() if key not in left]
    return lost


def main(names: list[str]) -> None:
    """Run all scripts, or those named, then write the page."""
    everything = sorted(path.name for path in HERE.glob("*.py") if path.name not in HELPERS)
    everything.insert(everything.index("solver.py") + 1, ON_GPU)
    if unknown := set(names) - set(everything):
        raise SystemExit(f"{', '.join(sorted(unknown))}: expected some of {', '.join(everything)}")
    before = sections()
    page = dict(before)
    here = [name for name in everything if name not in NEED_A_GPU or importlib.util.find_spec("cupy")]
    page |= {script: measured(script) for script in names or here}
    page = {script: page[script] for script in everything if script in page}
    about = (
        "# Benchmarks: targets and results\n\n"
        "`make bench` runs every script in `benchmarks/` and writes this page. Where two programs are compared, both\n"
        "were measured in the same run on the same machine, so the ratios say more than the absolute numbers.\n"
    )
    lost = dropped(before, page)
    note = [f"The run before this one also had: {'; '.join(lost)}.\n"] if lost else []
    parts = [about, summary(page), *note, *(text.rstrip() + "\n" for text in page.values())]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    print("\n".join(f"no longer measured: {what}" for what in lost))
    print(f"wrote {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
