"""A program in a real pseudo-terminal: what it prints, what is typed, and how it ends."""

from __future__ import annotations

import codecs
import fcntl
import os
import platform
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from patience import PATIENCE

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
READS = {"x86_64": "0", "aarch64": "63"}
"""The number of Linux's system call `read`."""

LIARS_DICE = (sys.executable, "-m", "liars_dice")


class PseudoTerminal:
    """`liars-dice WORDS`, or another program, with a terminal of its own."""

    def __init__(
        self,
        *words: str,
        program: Sequence[str] = LIARS_DICE,
        columns: int = 80,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.columns = columns
        self.output = ""
        """All that was printed."""
        self._read_to = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        main, inside = pty.openpty()
        fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        dropped = ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR", "PYTHONIOENCODING")
        inherited: Mapping[str, str] = {k: v for k, v in os.environ.items() if k not in dropped}
        self._process = subprocess.Popen(
            [*program, *words],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env={**inherited, "TERM": "xterm-256color", "PYTHONUTF8": "1", **(environment or {})},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(inside)
        self._main = main

    def wait_for(self, *words: str) -> str:
        """Read until one of these comes; what was printed since the last wait, to the end of it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            places = [(at, word) for word in words if (at := self.output.find(word, self._read_to)) >= 0]
            if places:
                at, word = min(places)
                start, self._read_to = self._read_to, at + len(word)
                return self.output[start : self._read_to]
            if not self._read(deadline):
                raise AssertionError(f"{words} did not come; there was:\n{self.output[self._read_to :]}")

    def enter(self, text: str) -> None:
        """Type a line."""
        os.write(self._main, f"{text}\n".encode())

    def answer(self, text: str, *until: str) -> str:
        """Type a line and wait for the next prompt; what was printed in between."""
        self.enter(text)
        return self.wait_for(*(until or ("> ",)))

    def press(self, key: str) -> None:
        """Press Ctrl and a key."""
        os.write(self._main, bytes([ord(key.upper()) - 64]))

    def interrupt(self) -> int:
        """Press Ctrl-C once the program waits for a line; the exit code.

        In the moment between the prompt and the wait, Python would not notice it.
        """
        deadline = time.monotonic() + PATIENCE
        while not self._waits_for_a_line():
            assert time.monotonic() < deadline, "the program does not wait for a line"
            time.sleep(0.01)
        self.press("c")
        return self.end()

    def _waits_for_a_line(self) -> bool:
        """Whether the program's main thread sleeps in a read from the terminal."""
        call = Path(f"/proc/{self._process.pid}/syscall").read_text(encoding="ascii")
        return call.split()[:2] == [READS[platform.machine()], "0x0"]

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self._process.wait(PATIENCE)

    @property
    def text(self) -> str:
        """All that was printed, without colours."""
        return ESCAPES.sub("", self.output).replace("\r", "")

    def longest_line(self, but: int = 0) -> int:
        """The width of the widest line that is not `but` wide. A progress bar that is written over counts as a line."""
        return max(width for line in re.split(r"[\r\n]", ESCAPES.sub("", self.output)) if (width := len(line)) != but)

    def _read(self, deadline: float) -> bool:
        """Read what there is; False at the end."""
        ready, _, _ = select.select([self._main], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise AssertionError(f"nothing came any more; there was:\n{self.output[self._read_to :]}")
        try:
            data = os.read(self._main, 65536)
        except OSError:  # how Linux says that nobody holds the other end any more
            return False
        self.output += self._decoder.decode(data)
        return bool(data)

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        os.close(self._main)


def _take_terminal() -> None:
    """Make standard input the terminal that Ctrl-C comes from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
