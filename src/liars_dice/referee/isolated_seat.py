"""The outside of a box: a seat whose bot runs in a process of its own, and cannot harm the game whatever it does."""

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

from ..core import Action, ConfigError, Event, GameConfig, GameResult, GameView, NotationError, RoundResolution
from . import protocol, sandbox
from .limits import BotFault, BotLimits, Verdict
from .protocol import LONGEST_LINE, Message
from .seats import Seat

MOST_HOOK_FAULTS = 100
"""So many errors of hooks are listened to between a question and its answer."""

_VERDICTS: frozenset[Verdict] = frozenset(("exception", "wrong_type", "out_of_memory"))
"""What a box may say of its own bot; everything else we see for ourselves."""


class IsolatedSeat(Seat):
    """A bot in a box: fresh for every match, killed when it is late, and gone with all its children afterwards."""

    def __init__(
        self, spec: str, limits: BotLimits, *, name: str | None = None, command: Sequence[str] | None = None
    ) -> None:
        if sys.platform == "win32":
            raise ConfigError("isolate", True, "a Unix system: Windows has no such walls")
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

    def start(self, config: GameConfig, player_id: int, names: tuple[str, ...], seed: int) -> None:
        """Build the box, wait until the bot is loaded, and tell it of the game."""
        deadline = time.monotonic() + self.limits.load
        self._build()
        ready = self._read(deadline)
        if ready.get("type") != "ready":
            raise self._broken(ready)
        self._wants_events = ready.get("events") is True
        message = protocol.start_message(config, player_id, names, seed)
        if ready.get("confirms_start") is not True:
            self._write(message, deadline)
            return
        answer = self._ask({**message, "id": self._next_number()}, deadline - time.monotonic())
        if answer.get("type") != "done":
            raise self._broken(answer)

    def choose_action(self, view: GameView) -> Action:
        """Ask, and wait no longer than a decision may take."""
        answer = self._ask(protocol.choose_message(self._next_number(), view), self.limits.decision)
        if answer.get("type") != "action" or not isinstance(answer.get("action"), str):
            raise self._broken(answer)
        try:
            return protocol.action_of(answer)
        except NotationError as error:
            raise BotFault("wrong_type", str(error)) from error

    def event(self, event: Event) -> None:
        """Tell the bot, if it listens and lives."""
        if self._wants_events and self._box is not None:
            self._write(protocol.event_message(event), time.monotonic() + self.limits.decision)

    def round_end(self, resolution: RoundResolution) -> None:
        """Tell the bot, if it lives."""
        if self._box is not None:
            self._write(protocol.round_end_message(resolution), time.monotonic() + self.limits.decision)

    def game_end(self, result: GameResult) -> None:
        """Let the bot learn, if it lives."""
        if self._box is not None:
            answer = self._ask(protocol.game_end_message(self._next_number(), result), self.limits.game_end)
            if answer.get("type") != "done":
                raise self._broken(answer)

    def take_faults(self) -> list[BotFault]:
        """Errors the bot's hooks made on the way."""
        taken, self._faults = self._faults, []
        return taken

    def close(self) -> None:
        """Tear the box down: when this returns, the bot and all it started are gone."""
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
        """Send a question and read until its answer; errors of hooks that come before it are kept."""
        deadline = time.monotonic() + seconds
        self._write(message, deadline)
        for _ in range(MOST_HOOK_FAULTS):
            answer = self._read(deadline)
            if answer.get("type") == "fault" and answer.get("id") is None:
                self._faults.append(self._told(answer))
                self._wants_events = False  # one that fails at events is not told of more
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
        """The bot said something that is not the protocol: it is not listened to again."""
        self.close()
        if message.get("type") == "fault":
            return self._told(message)
        return BotFault("garbage", f"unexpected: {json.dumps(message)[:200]}")

    def _write(self, message: Message, deadline: float) -> None:
        if self._box is None:
            raise BotFault("died", "it is not running any more")
        assert self._box.stdin is not None
        pipe = self._box.stdin.fileno()
        data = protocol.encode(message)
        while data:
            ready = select.select([], [pipe], [], max(0.0, deadline - time.monotonic()))[1]
            if not ready:
                self.close()
                raise BotFault("too_slow", "does not read what it is told")
            try:
                data = data[os.write(pipe, data) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                self.close()
                raise BotFault("died", "its process has ended") from None

    def _read(self, deadline: float) -> Message:
        if self._box is None:
            raise BotFault("died", "it is not running any more")
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
    """Wait for the keeper to end everything; where the bot could stop the keeper, help."""
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
