"""The bot check in a process of its own, so that a bot that ends it, or never answers, costs only its own check."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import FileIO
from typing import Any

import msgspec

from ..core import GameConfig, LiarsDiceError, one_line
from .bot_check import CHECK_SECONDS, Check, check_bot
from .fault_text import last_part
from .limits import BotLimits
from .named_seats import lasting_name
from .python_child import python_command
from .time_guard import seconds_overdue

BEAT_SECONDS = 0.5
"""How often the process gives a sign of life."""
OVERDUE_SECONDS = 2.0
"""A bot that has not answered this long after its time was up is stuck."""
SILENCE_SECONDS = 20.0
"""A process without a sign of life for this long is stuck."""
KEPT_BYTES = 4000
"""How much is kept of the beginning and of the end of what a bot prints."""
_STUCK = 3
"""The code with which a process ends whose bot is stuck."""


class _Settings(msgspec.Struct, frozen=True):
    """How to check a bot, for the other process."""

    limits: BotLimits
    rules: dict[str, dict[str, Any]] | None
    seconds: float


class _Prints:
    """What a bot prints: how much, the first lines, and the last."""

    def __init__(self) -> None:
        self._lines = 0
        self._first, self._last = b"", b""

    def add(self, data: bytes) -> None:
        """Add what came now."""
        self._lines += data.count(b"\n")
        self._first += data[: KEPT_BYTES - len(self._first)]
        self._last = (self._last + data)[-KEPT_BYTES:]

    def check(self) -> Iterator[Check]:
        """That it prints, if it does."""
        if self._first:
            first = one_line(self._first.decode("utf-8", "replace").strip().partition("\n")[0], 100)
            yield Check("prints", True, f"{max(1, self._lines):,} lines, hidden here; the first: {first}")

    @property
    def last(self) -> str:
        """The last lines, after a crash."""
        return last_part(self._last.decode("utf-8", "replace"))


def check_bot_apart(
    name: str,
    limits: BotLimits,
    *,
    rules: Mapping[str, GameConfig] | None = None,
    seconds: float = CHECK_SECONDS,
) -> Iterator[Check]:
    """Check a bot as `check_bot` does, in another process. A bot that ends the process has failed the check."""
    if sys.platform == "win32":
        yield from check_bot(name, limits, rules=rules, seconds=seconds)
        return
    plain = None if rules is None else {one: config.to_dict() for one, config in rules.items()}
    settings = msgspec.json.encode(_Settings(limits, plain, seconds)).decode()
    with suppress(LiarsDiceError):  # else the check says what is wrong with the name
        name = lasting_name(name)  # a bot found by name would have a box in every game
    command = python_command(f"{__name__}:main", name, settings)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    results, printed = process.stdout.fileno(), process.stderr.fileno()
    last, rest, prints, passed = "starts", b"", _Prints(), True
    open_ends = [results, printed]
    try:
        while True:
            ready = select.select(open_ends, [], [], SILENCE_SECONDS + limits.load)[0]
            if printed in ready:
                said = os.read(printed, 65_536)
                prints.add(said)
                open_ends = open_ends if said else [results]
            if ready == [printed]:
                continue
            silent = not ready
            data = b"" if silent else os.read(results, 65_536)
            *lines, rest = (rest + data).split(b"\n")
            for line in filter(None, lines):
                check = msgspec.json.decode(line, type=Check | None)
                if check is None:
                    yield from prints.check() if passed else ()
                    return
                last, passed = check.name, passed and check.ok
                yield check
            if not data:
                break
    finally:
        process.kill()
        code = process.wait()
        process.stdout.close()
        process.stderr.close()
    detail = "never answers, and ignores that its time is up" if silent or code == _STUCK else f"ended with code {code}"
    fix = "A bot must return from every call, even from one that is interrupted, and never end its process."
    yield Check("survives", False, f'after the check "{last}", its process {detail}', fix, prints.last)


def main(name: str, settings: str) -> None:
    """Check a bot, and write each result as a line. What the bot prints goes to standard error."""
    results = FileIO(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = open(1, "w", buffering=1)  # noqa: SIM115 - in the order in which it is printed
    threading.Thread(target=_watch, args=(results,), daemon=True).start()
    how = msgspec.json.decode(settings, type=_Settings)
    rules = None if how.rules is None else {one: GameConfig.from_dict(plain) for one, plain in how.rules.items()}
    for check in check_bot(name, how.limits, rules=rules, seconds=how.seconds):
        results.write(msgspec.json.encode(check) + b"\n")
    results.write(b"null\n")
    os._exit(0)


def _watch(results: FileIO) -> None:
    """End this process when a bot ignores the alarm; else give signs of life, which are empty lines."""
    while seconds_overdue() < OVERDUE_SECONDS:
        results.write(b"\n")
        time.sleep(BEAT_SECONDS)
    os._exit(_STUCK)
