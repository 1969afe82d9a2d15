"""A seat whose bot runs in its own process and cannot harm the game, whatever it does: the outside of the box."""

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

import msgspec

from ..agents import GameStart, Heard, Question, is_event
from ..core import Action, BadValueError, GameResult, GameView, NotationError
from . import protocol, sandbox
from .limits import BotFault, BotLimits, Verdict
from .protocol import LONGEST_LINE, Message
from .seats import Seat

MOST_HOOK_FAULTS = 100
"""How many faults of hooks a bot may report between a question and its answer."""

_VERDICTS: frozenset[Verdict] = frozenset(("exception", "wrong_type", "out_of_memory"))
"""The verdicts that a box may give on its own bot; the others are ours."""


class IsolatedSeat(Seat):
    """A bot in a box: started for one match, killed when it is late, and gone with all its children afterwards."""

    def __init__(
        self, spec: str, limits: BotLimits, *, name: str | None = None, command: Sequence[str] | None = None
    ) -> None:
        if sys.platform == "win32":
            raise BadValueError("isolate", True, "a Unix system: bots cannot be isolated on Windows")
        self.name = spec if name is None else name
        self.player_type = self.name
        self.limits = limits
        self._what = ["command", *command] if command else ["python", spec]
        self._box: subprocess.Popen[bytes] | None = None
        self._control = -1
        self._buffer = b""
        self._number = 0
        self._wants_events = True
        self._faults: list[BotFault] = []

    def tell(self, heard: Heard) -> None:
        """Send the bot a message, and wait for its answer where there is one.

        A bot that is gone, or that does not listen to events, is told nothing. Its end was reported when it happened.
        """
        if isinstance(heard, GameStart):
            self._start(heard)
        elif self._box is None or (is_event(heard) and not self._wants_events):
            return
        elif isinstance(heard, GameResult):
            answer = self._ask(protocol.message_of(heard, self._next_number()), self.limits.game_end)
            if answer.get("type") != "done":
                raise self._broken(answer)
        else:
            self._write(protocol.message_of(heard, 0), time.monotonic() + self.limits.decision)

    def _start(self, start: GameStart) -> None:
        """Build the box, wait until the bot is loaded, and tell it that the game begins."""
        deadline = time.monotonic() + self.limits.load
        self._build()
        ready = self._read(deadline)
        if ready.get("type") != "ready":
            raise self._broken(ready)
        self._wants_events = ready.get("events") is True
        message = protocol.message_of(start, 0)
        if ready.get("confirms_start") is not True:
            self._write(message, deadline)
            return
        answer = self._ask({**message, "id": self._next_number()}, deadline - time.monotonic())
        if answer.get("type") != "done":
            raise self._broken(answer)

    def choose_action(self, view: GameView) -> Action:
        """Ask, and wait no longer than a decision may take."""
        answer = self._ask(protocol.message_of(Question(view), self._next_number()), self.limits.decision)
        if answer.get("type") != "action" or not isinstance(answer.get("action"), str):
            raise self._broken(answer)
        try:
            return protocol.action_of(answer)
        except NotationError as error:
            raise BotFault("wrong_type", str(error)) from error

    def take_faults(self) -> list[BotFault]:
        """The faults of hooks that the bot has reported."""
        taken, self._faults = self._faults, []
        return taken

    def close(self) -> None:
        """Tear the box down: when this returns, the bot and every process it started are gone."""
        box, self._box = self._box, None
        if box is None:
            return
        os.close(self._control)
        assert box.stdin is not None
        assert box.stdout is not None
        _end(box)
        box.stdin.close()
        box.stdout.close()

    def _build(self) -> None:
        inside, self._control = os.pipe()
        fields = msgspec.structs.asdict(self.limits)
        walls = {name: fields[name] for name in ("memory_mb", "cpu_seconds", "processes", "open_files", "file_mb")}
        command = [
            sys.executable,
            "-I",
            "-m",
            "liars_dice.referee.bot_process",
            str(inside),
            json.dumps(walls),
            *self._what,
        ]
        try:
            self._box = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                pass_fds=(inside,),
                env={},
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._control)
            raise BotFault("died", f"its box could not be started ({error.strerror})") from error
        finally:
            os.close(inside)
        assert self._box.stdin is not None
        os.set_blocking(self._box.stdin.fileno(), False)

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _ask(self, message: Message, seconds: float) -> Message:
        """Send a question and read until its answer; faults of hooks that come before it are kept."""
        deadline = time.monotonic() + seconds
        self._write(message, deadline)
        for _ in range(MOST_HOOK_FAULTS):
            answer = self._read(deadline)
            if answer.get("type") == "fault" and answer.get("id") is None:
                self._faults.append(self._told(answer))
                if answer.get("hook") != "on_round_end":
                    self._wants_events = False  # a bot that fails at an event hears no more of them
                continue
            if type(answer.get("id")) is not int or answer["id"] != message["id"]:
                raise self._broken(answer)
            if answer.get("type") == "fault":
                raise self._told(answer)
            return answer
        self.close()
        raise BotFault("garbage", f"more than {MOST_HOOK_FAULTS} faults at once")

    @staticmethod
    def _told(message: Message) -> BotFault:
        verdict = message.get("verdict")
        known: Verdict = next((v for v in _VERDICTS if v == verdict), "exception")
        return BotFault(known, str(message.get("detail", "")))

    def _broken(self, message: Message) -> BotFault:
        """The fault of a bot that broke the protocol. Its box is closed: it gets no second chance."""
        self.close()
        if message.get("type") == "fault":
            return self._told(message)
        return BotFault("garbage", f"unexpected message: {json.dumps(message)[:200]}")

    def _write(self, message: Message, deadline: float) -> None:
        if self._box is None:
            raise BotFault("died", "its process is no longer running")
        assert self._box.stdin is not None
        pipe = self._box.stdin.fileno()
        data = protocol.encode(message)
        while data:
            ready = select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]
            if not ready:
                self.close()
                raise BotFault("too_slow", "does not read its messages")
            try:
                data = data[os.write(pipe, data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                self.close()
                raise BotFault("died", "its process has ended") from None

    def _read(self, deadline: float) -> Message:
        if self._box is None:
            raise BotFault("died", "its process is no longer running")
        assert self._box.stdout is not None
        pipe = self._box.stdout.fileno()
        if time.monotonic() > deadline:
            self.close()
            raise BotFault("too_slow", "no answer in time")
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_LINE:
                self.close()
                raise BotFault("garbage", f"a line of more than {LONGEST_LINE:,} bytes")
            if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                self.close()
                raise BotFault("too_slow", "no answer in time")
            data = os.read(pipe, LONGEST_LINE)
            if not data:
                self.close()
                raise BotFault("died", "its process has ended")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            message = msgspec.json.decode(line)
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
            message = None
        if not isinstance(message, dict):
            self.close()
            raise BotFault("garbage", f"not a JSON object: {line[:200]!r}")
        return message


def _end(box: subprocess.Popen[bytes]) -> None:
    """Wait until the keeper has ended everything, and help where the bot may have stopped the keeper."""
    for _ in range(100):
        try:
            box.wait(timeout=0.1)
            return
        except subprocess.TimeoutExpired:
            for pid in sandbox.descendants(box.pid):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            box.send_signal(signal.SIGCONT)
    box.kill()
    box.wait()
