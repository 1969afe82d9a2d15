"""`make test` installs no PyTorch: what needs it is skipped, not broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from patience import PATIENCE

TESTS = Path(__file__).parent
COLLECT = """
import sys
sys.modules["torch"] = None
import pytest
sys.exit(pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


def test_all_tests_are_found_without_it() -> None:
    words = ("torch", "champion")
    files = [str(file) for file in TESTS.rglob("test_*.py") if any(word in file.read_text() for word in words)]
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, *files], capture_output=True, text=True, timeout=PATIENCE, cwd=TESTS.parent
    )
    assert done.returncode == 0, done.stdout
