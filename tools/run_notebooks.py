"""Runs the notebooks of the documentation and keeps what they print in them.

    python tools/run_notebooks.py [NAME ...] [--check]

With `--check` nothing is written; it fails if a notebook prints something else than is kept in it.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

NOTEBOOKS = Path(__file__).parent.parent / "docs" / "notebooks"
PATIENCE = 600.0


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run all cells of a notebook in a kernel of its own, in an empty directory; the outputs of each code cell."""
    with tempfile.TemporaryDirectory() as folder:
        manager, client = start_new_kernel(startup_timeout=PATIENCE, cwd=folder)
        try:
            codes = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
            return [run_cell(client, code) for code in codes]
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def run_cell(client: Any, code: str) -> list[dict[str, Any]]:
    """What a cell prints, as one output; an error if it raises."""
    printed: list[str] = []

    def hear(message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] == "stream" and content["name"] == "stdout":
            printed.append(content["text"])
        elif message["msg_type"] == "execute_result":
            printed.append(content["data"]["text/plain"] + "\n")

    reply = client.execute_interactive(code, timeout=PATIENCE, output_hook=hear)["content"]
    if reply["status"] != "ok":
        raise RuntimeError(f"{code}\n{reply.get('ename')}: {reply.get('evalue')}")
    text = "".join(printed)
    return [{"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}] if text else []


def with_outputs(notebook: dict[str, Any], outputs: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """The notebook with these outputs of its code cells."""
    left = iter(outputs)
    cells = [
        cell | {"outputs": next(left), "execution_count": None} if cell["cell_type"] == "code" else cell
        for cell in notebook["cells"]
    ]
    return notebook | {"cells": cells}


def main(words: list[str]) -> None:
    """Run the notebooks that are named, or all."""
    names = [word for word in words if not word.startswith("-")]
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if names and path.stem not in names:
            continue
        before = json.loads(path.read_text(encoding="utf-8"))
        after = with_outputs(before, run(before))
        if "--check" in words:
            if after != before:
                sys.exit(f"{path.name} prints something else than it shows: run tools/run_notebooks.py {path.stem}")
        else:
            path.write_text(json.dumps(after, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path.name} runs")


if __name__ == "__main__":
    main(sys.argv[1:])
