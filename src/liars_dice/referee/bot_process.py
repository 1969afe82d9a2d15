"""The inside of a box: `python -m liars_dice.referee.bot_process CONTROL LIMITS python SPEC`, or `... command WORD...`.

Runs a Python bot, or another program, in the sandbox. Speaks the bot protocol on standard input and output.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import TypeVar

from ..agents import AGENTS, Agent, Question, hook_calls, make_agent
from ..core import AgentFaulted, GameView, Move, describe, hook_of
from . import sandbox
from .bot_session import BotSession
from .limits import BotFault, BotLimits
from .protocol import GameFromMessages, Message, answer_message, encode
from .seats import InProcessSeat, action_from

# Modules that bots commonly use are imported before privileges are dropped: where Python is installed in a directory
# that only its owner can enter, nothing can be imported afterwards.
import bisect, collections, copy, dataclasses, enum, functools, heapq, inspect, itertools, math, operator  # isort: skip # noqa: E401, F401
import random, re, statistics, string, subprocess, threading, time, typing  # isort: skip # noqa: E401, F401


Result = TypeVar("Result")


def main(arguments: list[str]) -> None:
    """Start the bot in the sandbox."""
    control, limits, kind, *what = arguments
    file = Path(what[0].partition(":")[0])
    source = file.read_bytes() if kind == "python" and file.suffix == ".py" and file.is_file() else None
    ours = kind == "python" and what[0] in AGENTS  # the package's own code and data: load them while they can be read
    loaded = make_agent(what[0]) if ours else None

    def bot() -> None:
        sandbox.restrict(**json.loads(limits))
        if kind == "command":
            os.execvpe(what[0], what, {"PATH": "/usr/local/bin:/usr/bin:/bin"})
        run(what[0], source, loaded)

    sandbox.keep(int(control), bot)


def run(spec: str, source: bytes | None, loaded: Agent | None = None) -> None:
    """Load a Python bot, unless that is done, and let it answer messages until the input ends."""
    answers = FileIO(os.dup(1), "wb")
    questions = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # whatever the bot prints or reads, it must not disturb the protocol
        os.dup2(nothing, standard)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    try:
        agent = loaded or make_agent(spec, source)
    except MemoryError:
        answers.write(encode(_fault(None, "out_of_memory", "while loading")))
        return
    except BaseException as error:
        answers.write(encode(_fault(None, "exception", describe(error))))
        return
    listens = hook_of(agent, "on_event") is not None
    name = agent.name or type(agent).__name__
    answers.write(encode({"type": "ready", "name": name, "events": listens, "confirms_start": True}))
    served: _Served | None = None
    for line in questions:
        message = json.loads(line)
        if message["type"] == "start":
            served = _Served(agent, message)
        assert served is not None
        try:
            answer = served.answer(message)
        except MemoryError as error:
            answer = encode(_fault(message.get("id"), "out_of_memory", repr(error)))
        answers.write(answer)


class _BoxedSeat(InProcessSeat):
    """The bot inside the box. The outside watches the time; errors are reported with their file and line."""

    def choose_action(self, view: GameView) -> Move:
        """Ask the bot, even one that claims to be a person."""
        return self._run(self.limits.decision, self.agent.choose_action, view)

    @staticmethod
    def _run(seconds: float, call: Callable[..., Result], *arguments: object) -> Result:
        try:
            return call(*arguments)
        except MemoryError as error:
            raise BotFault("out_of_memory", repr(error)) from error
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            raise BotFault("exception", f"{describe(error)} ({where.filename}, line {where.lineno})") from error


class _Served:
    """A bot in one game, answering messages. Everything that goes wrong is reported."""

    def __init__(self, agent: Agent, start: Message) -> None:
        self._game = GameFromMessages(start)
        self._seat = _BoxedSeat(agent, BotLimits())
        self._faults: list[AgentFaulted] = []
        self._session = BotSession(self._seat, self._game.player_id, start["seed"], self._faults.append)

    def answer(self, message: Message) -> bytes:
        """The bot's answer, or its fault; empty if no answer is expected and nothing went wrong."""
        number = message.get("id")
        heard = self._game.heard(message)
        if isinstance(heard, Question):
            return self._action(heard, message["id"])
        self._session.tell(heard)
        if self._faults:
            fault = self._faults.pop()
            hook, _ = hook_calls(heard)[-1]
            return encode(_fault(number, fault.verdict, fault.detail) | {"hook": hook})
        return b"" if number is None else encode({"type": "done", "id": number})

    def _action(self, question: Question, number: int) -> bytes:
        try:
            action = action_from(self._seat.choose_action(question.view))
        except BotFault as fault:
            return encode(_fault(number, fault.verdict, fault.detail))
        try:
            return encode(answer_message(number, action))
        except Exception as error:  # the reasoning may be anything
            return encode(_fault(number, "exception", describe(error)))


def _fault(number: int | None, verdict: str, detail: str) -> Message:
    printable = detail.encode("utf-8", "replace").decode()
    return {"type": "fault", "id": number, "verdict": verdict, "detail": printable}


if __name__ == "__main__":
    main(sys.argv[1:])
