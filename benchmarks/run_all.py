"""Runs every script beside this one and writes what they print into docs/benchmarks.md."""

from __future__ import annotations

import ast
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks.md"


def measured(script: Path) -> str:
    """A section of the page: what the script measures in its own words, and what it found."""
    doc = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    print(f"== {script.name}", flush=True)
    lines = []
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        raise SystemExit(f"{script.name} failed")
    return f"## benchmarks/{script.name}\n\n{doc}\n\n```text\n{''.join(lines)}```\n"


def main() -> None:
    """Measure everything, then write the page."""
    scripts = sorted(path for path in HERE.glob("*.py") if path != Path(__file__))
    sections = [measured(script) for script in scripts]
    about = (
        "# Measured\n\n"
        "`make bench` runs every script in `benchmarks/` and writes this page. What is compared was measured in the\n"
        f"same run, on one machine; ratios carry further than numbers. This run: Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}.\n"
    )
    PAGE.write_text("\n".join([about, *sections]), encoding="utf-8")
    print(f"written: {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
