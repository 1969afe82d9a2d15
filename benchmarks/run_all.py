"""Runs every script beside this one, or those named, and writes what they print into docs/benchmarks.md."""

from __future__ import annotations

import ast
import platform
import re
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


def sections() -> dict[str, str]:
    """What is on the page now, by script."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    parts = re.split(r"^## benchmarks/(\S+)\n", text, flags=re.MULTILINE)
    return {name: f"## benchmarks/{name}\n{body}" for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def main(names: list[str]) -> None:
    """Measure everything, or what is named, then write the page."""
    scripts = sorted(path for path in HERE.glob("*.py") if path != Path(__file__))
    page = sections() if names else {}
    page |= {script.name: measured(script) for script in scripts if not names or script.name in names}
    about = (
        "# Measured\n\n"
        "`make bench` runs every script in `benchmarks/` and writes this page. What is compared was measured in the\n"
        f"same run, on one machine; ratios carry further than numbers. This run: Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}.\n"
    )
    kept = [page[script.name].rstrip() + "\n" for script in scripts if script.name in page]
    PAGE.write_text("\n".join([about, *kept]), encoding="utf-8")
    print(f"written: {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
