"""What a plain install weighs, and how soon it answers.

- the wheel with the documentation in it, and what is in it: solved tables, the champion, documentation, the rest;
- processor time of the first answer of the command line, and of the import of the engine, the best of nine starts.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from figures import figure

ROOT = Path(__file__).parent.parent
STARTS = 9


def wheel_parts() -> dict[str, float]:
    """Build the wheel, and weigh its parts in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--no-index",
            "--wheel-dir",
            folder,
            str(ROOT),
        ]
        subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        parts = {"tables": 0.0, "champion": 0.0, "documentation": 0.0, "rest": 0.0}
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.infolist():
                parts[part_of(entry.filename)] += entry.compress_size / 1e6
        return {"all": wheel.stat().st_size / 1e6, **parts}


def part_of(name: str) -> str:
    """Which part of the wheel a file belongs to."""
    for place, part in (
        ("exact/solver/data/", "tables"),
        ("learn/champion/data/", "champion"),
        ("offline_docs/", "documentation"),
    ):
        if place in name:
            return part
    return "rest"


def start_seconds(*words: str) -> float:
    """Processor time of a Python program, the best of several starts."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], env=environment, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    """Measure and print."""
    parts = wheel_parts()
    figure("size of the wheel", parts["all"], "MB", most=16)
    figure("solved tables in the wheel", parts["tables"], "MB", most=8)
    figure("the champion in the wheel", parts["champion"], "MB", most=4)
    figure("offline documentation and the rest of the wheel", parts["documentation"] + parts["rest"], "MB", most=4)
    print(f"  of which documentation {parts['documentation']:.1f} MB")
    figure("liars-dice --help, processor time", start_seconds("-m", "liars_dice", "--help"), "s", most=0.3)
    own_bot = "from liars_dice import Agent, play_game"
    figure("import of the engine, processor time", start_seconds("-c", own_bot), "s", most=0.2)
    print(f"  of which Python itself {start_seconds('-c', ''):.3f} s")


if __name__ == "__main__":
    main()
