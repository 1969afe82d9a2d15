"""Busy loops never outlive what they run beside."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import busy_tests
from patience import PATIENCE


def test_loops_end_with_their_block() -> None:
    with busy_tests.busy_loops(2) as loops:
        assert [loop.poll() for loop in loops] == [None, None]
    assert [loop.poll() for loop in loops] == [-signal.SIGKILL] * 2


def test_loops_end_when_the_tool_is_killed() -> None:
    script = (
        "import sys, busy_tests\n"
        "with busy_tests.busy_loops(1) as (loop,):\n    print(loop.pid, flush=True)\n    sys.stdin.read()\n"
    )
    folder = Path(busy_tests.__file__).parent
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as tool:
        assert tool.stdout is not None
        loop = os.pidfd_open(int(tool.stdout.readline()))
        tool.kill()
        assert select.select([loop], [], [], PATIENCE)[0], "the loop is still running"
        os.close(loop)
