"""The packages under `integrations/`, each installed by itself and tested under the library it is for.

These libraries are large, and need versions of others that are not ours, so each gets a virtual environment of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = sorted(path.parent.name for path in (ROOT / "integrations").glob("*/pyproject.toml"))
TOOLS = {"verifiers": ["uv"]}
"""What a library needs on the PATH besides its own package."""


def test_there_is_one_for_each_library() -> None:
    assert PACKAGES == ["openenv", "verifiers"]
    for name in PACKAGES:
        assert (ROOT / "integrations" / name / "README.md").is_file()
        assert list((ROOT / "integrations" / name / "tests").glob("test_*.py"))


def installed(place: Path, *packages: str) -> str:
    """The Python of a new virtual environment with these packages in it."""
    environment = outside()
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = str(place / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], env=environment, check=True)
    return python


def outside() -> dict[str, str]:
    """The environment of programs outside the one that runs the tests."""
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_under_its_own_library(name: str, tmp_path: Path) -> None:
    package = ROOT / "integrations" / name
    python = installed(tmp_path / "venv", str(ROOT), str(package), "pytest", *TOOLS.get(name, []))
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir=.", "."]
    done = subprocess.run(command, cwd=package / "tests", env=outside(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.slow
def test_tianshou_learns(tmp_path: Path) -> None:
    """Its worked example, which learns at a PettingZoo table, ends with a learner that beats random players."""
    python = installed(tmp_path / "venv", f"{ROOT}[rl]", "tianshou>=2,<3")
    command = [python, str(ROOT / "examples" / "dqn_tianshou.py"), "--steps", "10000", "--games", "300"]
    done = subprocess.run(command, env=outside(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    before, after = (float(line.rpartition(": ")[2]) for line in done.stdout.splitlines() if "win rate" in line)
    assert before < 0.65
    assert after > 0.7
