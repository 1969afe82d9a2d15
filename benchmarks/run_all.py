"""Runs every script beside this one, or those named, and writes what they print into docs/benchmarks.md.

A section that this machine cannot measure stays as it was: `solver.py --device gpu` needs a GPU.
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
GPU = "solver.py --device gpu"
HELPERS = ("figures.py", "run_all.py")


def measured(script: str) -> str:
    """A section of the page: what the script measures in its own words, and what it found."""
    name, *arguments = script.split()
    doc = ast.get_docstring(ast.parse((HERE / name).read_text(encoding="utf-8"))) or ""
    print(f"== {script}", flush=True)
    lines = []
    command = [sys.executable, str(HERE / name), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        raise SystemExit(f"{script} failed")
    where = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    about = "" if arguments else f"{doc}\n\n"
    return f"## benchmarks/{script}\n\n{about}Measured with {where}.\n\n```text\n{''.join(lines)}```\n"


def sections() -> dict[str, str]:
    """What is on the page now, by script."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    parts = re.split(r"^## benchmarks/(.+)\n", text, flags=re.MULTILINE)
    return {name: f"## benchmarks/{name}\n{body}" for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def summary(page: dict[str, str]) -> str:
    """What was asked beside what was reached, what fell short first."""
    rows = [
        (script, found) for script, text in page.items() for line in text.split("\n") if (found := LINE.match(line))
    ]
    rows.sort(key=lambda row: ("MISSED" not in row[1]["verdict"], "not" not in row[1]["verdict"]))
    missed = sum(found["verdict"] == "MISSED" for _, found in rows)
    lines = [
        f"Of {len(rows)} figures that were asked for, {len(rows) - missed} are reached and {missed} are not.\n",
        "| figure | asked | reached | |",
        "|---|---|---|---|",
    ]
    for script, found in rows:
        verdict = f"**{found['verdict']}**" if found["verdict"] != "reached" else "reached"
        lines.append(f"| {found['what']} (`{script}`) | {found['asked']} | {found['reached']} | {verdict} |")
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Measure everything, or what is named, then write the page."""
    everything = sorted(path.name for path in HERE.glob("*.py") if path.name not in HELPERS)
    everything.insert(everything.index("solver.py") + 1, GPU)
    if unknown := set(names) - set(everything):
        raise SystemExit(f"{', '.join(sorted(unknown))}: expected some of {', '.join(everything)}")
    page = sections()
    here = [name for name in everything if name != GPU or importlib.util.find_spec("cupy")]
    page |= {script: measured(script) for script in names or here}
    page = {script: page[script] for script in everything if script in page}
    about = (
        "# Measured\n\n"
        "`make bench` runs every script in `benchmarks/` and writes this page. What is compared was measured in the\n"
        "same run, on one machine; ratios carry further than numbers.\n"
    )
    parts = [about, summary(page), *(text.rstrip() + "\n" for text in page.values())]
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    print(f"written: {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
