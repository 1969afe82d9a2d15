"""Runs the tests beside busy loops, to show that no test depends on how busy the machine is.

`python tools/busy_tests.py [--loops 4] [--runs 1] [PYTEST ARGUMENT ...]`; without arguments, what `make test` runs.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOOP = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"
"""Keeps a processor busy until its parent is gone, even if the parent was killed."""
EVERY_TEST = ("-n", "auto", "-m", "not slow", "-q")


@contextmanager
def busy_loops(count: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """This many busy loops, for as long as the block runs."""
    loops: list[subprocess.Popen[bytes]] = []
    try:
        loops.extend(subprocess.Popen([sys.executable, "-c", LOOP, str(os.getpid())]) for _ in range(count))
        yield loops
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main() -> int:
    """Run the tests; the number of runs that failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=4, metavar="N", help="busy loops beside the tests [default: 4]")
    parser.add_argument("--runs", type=int, default=1, metavar="N", help="how often to run the tests [default: 1]")
    options, words = parser.parse_known_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # and stop the tests and the loops
    failed = 0
    for run in range(1, options.runs + 1):
        start = time.monotonic()
        with busy_loops(options.loops):
            code = subprocess.run([sys.executable, "-m", "pytest", *(words or EVERY_TEST)], check=False).returncode
        minutes = (time.monotonic() - start) / 60
        failed += code != 0
        print(f"run {run} of {options.runs} beside {options.loops} busy loops: ", end="")
        print("passed" if code == 0 else f"failed (exit code {code})", f"in {minutes:.1f} minutes", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
