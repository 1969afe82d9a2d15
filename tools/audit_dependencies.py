"""Asks pip-audit for known weaknesses of the pinned versions; one line if no list of them can be reached."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Run pip-audit on `constraints-hashed.txt`."""
    words = ["--requirement", str(ROOT / "constraints-hashed.txt"), "--require-hashes", "--disable-pip"]
    command = [sys.executable, "-m", "pip_audit", *words, "--progress-spinner", "off", "--timeout", "10"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        print("pip-audit did not answer within five minutes: skipping it.")
        return
    unknown = f"{ran.stdout}{ran.stderr}".count("could not be audited")
    if unknown:
        print(f"pip-audit could not audit {unknown} of the pinned versions: its list has no record of them.")
    if not ran.returncode:
        return
    if "Found" in ran.stderr and "vulnerabilit" in ran.stderr:
        sys.exit(f"{ran.stdout}{ran.stderr}".strip())
    reason = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
    print(f"pip-audit cannot reach a list of known weaknesses: skipping it ({reason[:100]}).")


if __name__ == "__main__":
    main()
