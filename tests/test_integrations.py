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


@pytest.mark.slow
@pytest.mark.parametrize("name", PACKAGES)
def test_under_its_own_library(name: str, tmp_path: Path) -> None:
    place = tmp_path / "venv"
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = str(place / "bin" / "python")
    package = ROOT / "integrations" / name
    wanted = [str(ROOT), str(package), "pytest", *TOOLS.get(name, [])]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], env=environment, check=True)
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir=.", "."]
    done = subprocess.run(command, cwd=package / "tests", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
