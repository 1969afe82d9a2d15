"""The outside of a bot's process: start it, exchange messages with it, and end it with everything that it started."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import IO

import msgspec

from ..core import BadValueError
from . import protocol, sandbox
from .bot_cgroup import BotCgroup, delegated
from .bot_group import BotGroup
from .fault_text import last_part
from .limits import MOST_PATIENCE, BotFault, BotLimits, Verdict
from .protocol import LONGEST_LINE, Message
from .python_child import module_path, python_command
from .walls import box, builds_walls

STARVED_SECONDS = 0.02
"""How often a bot that is late, and has been kept waiting for the processor, is looked at."""
ENDING_SECONDS = 0.2
"""How long a process that has closed its output is waited for, to know its exit code."""
LAST_LINES = 3
"""How many lines of what a bot wrote to standard error are part of the sentence about its fault."""
_INSIDE = "liars_dice.referee.bot_process:main"


class BotConnection:
    """A bot's process, with walls around it or without. Whatever the bot does wrong is raised as `BotFault`.

    A bot that is late, ends, or breaks the protocol is killed at once, with everything that it started.
    """

    def __init__(self, what: Sequence[str], limits: BotLimits, *, walls: bool) -> None:
        """Start the process. `what` is `python SPEC`, `describe FILE`, or `command WORD...`."""
        if sys.platform == "win32" and walls:
            raise BadValueError("isolate", True, "a Unix system: bots cannot be isolated on Windows")
        self._buffer = b""
        self._limits = limits
        self._is_program = what[0] == "command"
        self._has_spoken = False
        self._said = b""
        """The end of what a bot in a box wrote to standard error."""
        self._number = 0
        self._closed = True  # until the process has been started
        self._awake_since = time.monotonic()
        inside, self._control = os.pipe()
        restrictions = sandbox.restrictions(limits, builds_walls=builds_walls()) if walls else None
        command = python_command(_INSIDE, str(inside), json.dumps(restrictions), *what, isolated=walls)
        self._cgroup = BotCgroup(limits, delegated() if walls else None)
        try:
            self._process = subprocess.Popen(
                self._cgroup.joined([*box(what, module_path()), *command]) if walls else command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if walls else None,
                bufsize=0,
                pass_fds=(inside,),
                env={} if walls else None,
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._control)
            self._cgroup.close()
            raise BotFault("died", f"its process could not be started ({error.strerror})") from error
        finally:
            os.close(inside)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._closed = False
        self._group = BotGroup(self._process.pid)
        self._input, self._output = self._process.stdin, self._process.stdout
        self._errors = self._process.stderr
        os.set_blocking(self._input.fileno(), False)
        if self._errors is not None:
            os.set_blocking(self._errors.fileno(), False)

    @property
    def is_open(self) -> bool:
        """Whether the bot can still be reached."""
        return not self._closed

    def close(self) -> None:
        """End the process: when this returns, the bot and every process that it started are gone."""
        if self._closed:
            return
        self._closed = True
        self._group.kill()
        os.close(self._control)
        _end(self._process)
        self._cgroup.close()
        self._input.close()
        self._output.close()
        if self._errors is not None:
            self._errors.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    def next_number(self) -> int:
        """The `id` of the next message that is answered."""
        self._number += 1
        return self._number

    def write(self, message: Message, deadline: float) -> None:
        """Send a message, and wait no longer than this until the bot has room for it."""
        self._check_open()
        data = protocol.encode(message)
        while data:
            if not self._is_ready(self._input, 0):
                self._group.go_on()  # it must read to make room
            if not self._is_ready(self._input, deadline - time.monotonic()):
                raise self.fault("too_slow", "does not read its messages")
            try:
                data = data[os.write(self._input.fileno(), data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise self._ended() from None

    def read(self, deadline: float) -> Message:
        """The next message from the bot, if it comes in time."""
        self._check_open()
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_LINE:
                raise self.fault("garbage", f"a line of more than {LONGEST_LINE:,} bytes")
            if not self._has_output(deadline):
                raise self._late(round(deadline - self._awake_since, 2))
            data = os.read(self._output.fileno(), LONGEST_LINE)
            if not data:
                raise self._ended()
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            message = msgspec.json.decode(line)
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            message = None
        if not isinstance(message, dict):
            elsewhere = " (print everything else to standard error)" if self._is_program else ""
            raise self.fault("garbage", f"not a JSON object{elsewhere}: {line[:200]!r}")
        self._has_spoken = True
        return message

    def wake(self) -> None:
        """Let the bot think, about what is written next."""
        self._awake_since = time.monotonic()
        self._group.go_on()

    def rest(self) -> None:
        """Stop the bot, and everything that it has started, until it is woken: others think now."""
        self._group.stop()

    def _has_output(self, deadline: float) -> bool:
        """Wait until there is something to read; False if the bot is late.

        A bot that has had less than its time of the processor, because the machine is busy, may go on.
        """
        allowed = deadline - self._awake_since
        seconds = max(0.0, deadline - time.monotonic())
        while not self._is_ready(self._output, seconds):
            waited = time.monotonic() - self._awake_since
            if waited > MOST_PATIENCE * allowed + 1 or not self._group.is_kept_waiting(allowed):
                return False
            seconds = STARVED_SECONDS
        return True

    def _is_ready(self, stream: IO[bytes], seconds: float) -> bool:
        """Wait until the bot's output can be read or its input written. What it writes to standard error is kept."""
        end = time.monotonic() + seconds
        writes = [stream] if stream is self._input else []
        while True:
            reads = [one for one in (None if writes else stream, self._errors) if one is not None]
            readable, writable, _ = select.select(reads, writes, [], max(0.0, end - time.monotonic()))
            if self._errors in readable:
                self._listen()
            if stream in readable or writable:
                return True
            if time.monotonic() >= end:
                return False

    def _listen(self) -> None:
        """Keep the end of what the bot has written to standard error."""
        assert self._errors is not None
        said = b""
        with contextlib.suppress(BlockingIOError):
            said = os.read(self._errors.fileno(), LONGEST_LINE)
            if not said:
                self._errors.close()
                self._errors = None
        self._said = (self._said + said)[-LONGEST_LINE:]

    def _late(self, seconds: float) -> BotFault:
        if not self._is_program:
            return self.fault("too_slow", f"took longer than {seconds:g} s")
        flush = "does it flush its output after every line?"
        if not self._has_spoken:
            return self.fault("too_slow", f"no ready line within {self._limits.load:g} s: {flush}")
        return self.fault("too_slow", f"no answer within {seconds:g} s: it took longer, or {flush}")

    def _ended(self) -> BotFault:
        """The fault of a bot whose process is over."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(ENDING_SECONDS)
        code = self._process.returncode
        with_code = f" with exit code {code}" if code else ""
        what = "its program" if self._is_program else "its process"
        before = " before its ready line" if self._is_program and not self._has_spoken else ""
        return self.fault("died", f"{what} has ended{with_code}{before}")

    def _check_open(self) -> None:
        if self._closed:
            raise BotFault("died", "its process is no longer running")

    def fault(self, verdict: Verdict, detail: str) -> BotFault:
        """The fault of a bot that gets no second chance: its process is ended.

        The last lines that it wrote to standard error are part of it.
        """
        if self._errors is not None and select.select([self._errors], [], [], 0)[0]:
            self._listen()
        self.close()
        said = last_part(self._said.decode("utf-8", "replace"))
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        last = " | ".join(lines[-LAST_LINES:])
        return BotFault(verdict, f"{detail}{last and '; stderr: '}{last}", said)

    def broken(self, message: Message) -> BotFault:
        """The fault of a bot that sent this instead of what the protocol allows."""
        if message.get("type") == "fault":
            self.close()
            return told_fault(message)
        return self.fault("garbage", f"unexpected message: {json.dumps(message)[:200]}")


_VERDICTS: frozenset[Verdict] = frozenset(("exception", "wrong_type", "out_of_memory"))
"""The verdicts that a bot's process may give on its own bot; the others are ours."""


def told_fault(message: Message) -> BotFault:
    """The fault that a bot's process reports."""
    verdict = message.get("verdict")
    known: Verdict = next((v for v in _VERDICTS if v == verdict), "exception")
    return BotFault(known, str(message.get("detail", "")), last_part(str(message.get("traceback", ""))))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait until the keeper has ended everything, and help where the bot may have stopped the keeper."""
    for _ in range(100):
        try:
            process.wait(timeout=0.1)
            return
        except subprocess.TimeoutExpired:
            for pid in sandbox.descendants(process.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()
