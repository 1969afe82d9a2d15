"""The bot check in a process of its own, so that a bot that ends it, or never answers, costs only its own check."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO

import msgspec

from ..core import LiarsDiceError
from .bot_check import Check, check_bot
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
_STUCK = 3
"""The code with which a process ends whose bot is stuck."""


def check_bot_apart(name: str, limits: BotLimits) -> Iterator[Check]:
    """Check a bot as `check_bot` does, in another process. A bot that ends the process has failed the check."""
    if sys.platform == "win32":
        yield from check_bot(name, limits)
        return
    settings = json.dumps(msgspec.structs.asdict(limits))
    with suppress(LiarsDiceError):  # else the check says what is wrong with the name
        name = lasting_name(name)  # a bot found by name would have a box in every game
    command = python_command(f"{__name__}:main", name, settings)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert process.stdout is not None
    last, rest = "starts", b""
    try:
        while True:
            silent = not select.select([process.stdout], [], [], SILENCE_SECONDS + limits.load)[0]
            data = b"" if silent else os.read(process.stdout.fileno(), 65_536)
            *lines, rest = (rest + data).split(b"\n")
            for line in filter(None, lines):
                check = msgspec.json.decode(line, type=Check | None)
                if check is None:
                    return
                last = check.name
                yield check
            if not data:
                break
    finally:
        process.kill()
        code = process.wait()
        process.stdout.close()
    detail = "never answers, and ignores that its time is up" if silent or code == _STUCK else f"ended with code {code}"
    fix = "A bot must return from every call, even from one that is interrupted, and never end its process."
    yield Check("survives", False, f'after the check "{last}", its process {detail}', fix)


def main(name: str, settings: str) -> None:
    """Check a bot, and write each result as a line. What the bot prints goes to standard error."""
    results = FileIO(os.dup(1), "wb")
    os.dup2(2, 1)
    threading.Thread(target=_watch, args=(results,), daemon=True).start()
    for check in check_bot(name, BotLimits(**json.loads(settings))):
        results.write(msgspec.json.encode(check) + b"\n")
    results.write(b"null\n")
    os._exit(0)


def _watch(results: FileIO) -> None:
    """End this process when a bot ignores the alarm; else give signs of life, which are empty lines."""
    while seconds_overdue() < OVERDUE_SECONDS:
        results.write(b"\n")
        time.sleep(BEAT_SECONDS)
    os._exit(_STUCK)
