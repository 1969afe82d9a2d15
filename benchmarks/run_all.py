"""Run every benchmark script, or those named, and write what they print to docs/benchmarks.md.

The page is written after each script, so a script that fails costs only its own figures. The section of a script that
fails, is not named, or needs a GPU that this machine has not is kept, with the date on which it was measured.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import platform
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from figures import LINE
from speed_table import write_speed_tables

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"
ON_GPU = "solver.py --device gpu"
NEED_A_GPU = (ON_GPU, "gpu_solver.py")
ABOUT = """\
# Benchmarks: targets and results

`make bench` runs every script in `benchmarks/` and writes this page; `python benchmarks/run_all.py engine.py` runs one
and keeps the other sections, so each section says when it was measured. Where two programs are compared, both were
measured in the same run on the same machine, so the ratios say more than the absolute numbers. `gpu_solver.py` needs an
H200; its figures are in [solver.md](solver.md#on-a-gpu).
"""


def scripts() -> list[str]:
    """The scripts that have a section each. A script that another one imports is a helper and has none."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in HERE.glob("*.py")}
    helpers = {name for text in texts.values() for name in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)}
    measuring = [name for name in texts if name.removesuffix(".py") not in helpers and name != Path(__file__).name]
    return sorted([*measuring, ON_GPU])


def about(script: str) -> str:
    """What a script measures: its docstring."""
    return ast.get_docstring(ast.parse((HERE / script).read_text(encoding="utf-8"))) or ""


def measured(script: str) -> str:
    """Run a script and return its section of the page: its docstring and its output."""
    name, *arguments = script.split()
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
        raise subprocess.CalledProcessError(process.returncode, script)
    with_what = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    if script in NEED_A_GPU:
        with_what += f" and an {gpu_name()}"
    text = "" if arguments else f"{about(name)}\n\n"
    text += f"Measured on {date.today()} with {with_what}.\n\n```text\n{''.join(lines)}```\n"
    return f"## benchmarks/{script}\n\n{text}"


def gpu_name() -> str:
    """What the GPU of this machine is called."""
    import cupy  # type: ignore[import-not-found, unused-ignore]

    return str(cupy.cuda.runtime.getDeviceProperties(0)["name"].decode())


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


def write_page(page: dict[str, str], before: dict[str, str]) -> None:
    """Write these sections, below the table of targets and what the page before had besides."""
    lost = dropped(before, page)
    note = [f"The run before this one also had: {'; '.join(lost)}.\n"] if lost else []
    parts = [ABOUT, summary(page), *note, *(text.rstrip() + "\n" for text in page.values())]
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def measure(names: list[str]) -> list[str]:
    """Run these scripts, write the page after each, and return those that failed."""
    before = sections()
    page, failed = before, []
    for script in names:
        try:
            found = page | {script: measured(script)}
        except subprocess.CalledProcessError as error:
            print(f"{script} failed with {error.returncode}: its section is kept", flush=True)
            failed.append(script)
        else:
            page = {name: found[name] for name in scripts() if name in found}
            write_page(page, before)
    print("".join(f"no longer measured: {what}\n" for what in dropped(before, page)), end="")
    return failed


def main(names: list[str]) -> None:
    """Run all scripts, or those named; write the page, and the tables on other pages that are made from it."""
    everything = scripts()
    if unknown := set(names) - set(everything):
        raise SystemExit(f"{', '.join(sorted(unknown))}: expected some of {', '.join(everything)}")
    here = [name for name in everything if name not in NEED_A_GPU or importlib.util.find_spec("cupy")]
    failed = measure(names or here)
    write_speed_tables(sections())
    print(f"wrote {PAGE.relative_to(HERE.parent)}")
    if failed:
        raise SystemExit(f"failed, so their sections are older: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
