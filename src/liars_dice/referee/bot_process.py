"""The inside of a bot's process: `CONTROL LIMITS python SPEC`, `... describe FILE`, or `... command WORD...`.

Runs a Python bot, or another program; with limits, in the sandbox. Speaks the bot protocol on standard input and
output. For Python bots the protocol has more messages, which only we send: what a bot says about itself, whether it
plays by some rules, and calls of its methods outside games.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import FileIO
from pathlib import Path
from typing import BinaryIO, TypeVar

from ..agents import (
    AGENTS,
    Agent,
    Guard,
    Question,
    ask_all,
    hook_calls,
    is_discoverable,
    load_bot_file,
    make_agent,
    make_from,
)
from ..core import AgentFaulted, GameConfig, GameView, Move, describe, hook_of
from . import namespaces, sandbox
from .bot_description import describe_agent, describe_error
from .bot_session import BotSession
from .calls import CallReader, returned
from .fault_text import error_fault, traceback_of
from .limits import MOST_SECONDS, BotFault, BotLimits
from .protocol import GameFromMessages, Message, answer_message, encode
from .seats import InProcessSeat, action_from
from .time_guard import guarded
from .walls import BOX_PATH

# Modules that bots commonly use are imported before privileges are dropped: where Python is installed in a directory
# that only its owner can enter, nothing can be imported afterwards.
import bisect, collections, copy, dataclasses, enum, functools, heapq, inspect, itertools, math, operator  # isort: skip # noqa: E401, F401
import random, re, statistics, string, subprocess, threading, time, typing  # isort: skip # noqa: E401, F401


Result = TypeVar("Result")
TOGETHER_SECONDS = 0.02
"""Answers that take less time are written together."""


def main(control: str, limits: str, kind: str, *what: str) -> None:
    """Start the bot in the sandbox."""
    restrictions = json.loads(limits)
    file = Path(what[0].partition(":")[0])
    source = file.read_bytes() if kind != "command" and file.suffix == ".py" and file.is_file() else None
    ours = kind == "python" and what[0] in AGENTS  # the package's own code and data: load them while they can be read
    loaded = make_agent(what[0]) if ours else None
    if loaded is not None:
        loaded.prepare()

    def bot() -> None:
        if restrictions is not None:
            sandbox.restrict(**restrictions)
        if kind == "command":
            _become(what)
        questions, answers = _take_standard_streams(quiet=restrictions is not None)
        if kind == "describe":
            _describe(Path(what[0]), source, answers)
        else:
            run(what[0], source, questions, answers, loaded)

    user = None if restrictions is None else restrictions["user"]
    if restrictions is not None and restrictions["builds_walls"]:
        namespaces.enter([*sys.path, sys.prefix, sys.base_prefix, str(file.absolute())])
        user = None  # all its processes end with the first of them, whatever user they have
    sandbox.keep(int(control), bot, user)


def _become(command: tuple[str, ...]) -> None:
    """Become another program; if that fails, end as a shell would."""
    try:
        os.execvpe(command[0], command, {"PATH": BOX_PATH})
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _take_standard_streams(*, quiet: bool) -> tuple[BinaryIO, FileIO]:
    """The streams of the protocol. Whatever the bot prints or reads does not disturb them."""
    answers = FileIO(os.dup(1), "wb")
    questions = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing if quiet else 2, 1)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    return questions, answers


def run(spec: str, source: bytes | None, questions: BinaryIO, answers: FileIO, loaded: Agent | None = None) -> None:
    """Load a Python bot, unless that is done, and let it answer messages until the input ends."""
    try:
        agent = loaded or make_agent(spec, source)
        description = describe_agent(agent)
    except BaseException as error:
        answers.write(encode(_load_fault(error)))
        return
    listens = hook_of(agent, "on_event") is not None
    name = agent.name or type(agent).__name__
    ready = {"type": "ready", "name": name, "events": listens, "confirms_start": True, "bot": description}
    answers.write(encode(ready))
    served: _Served | None = None
    asked = _Asked(agent)
    for line in questions:
        message = json.loads(line)
        if message["type"] == "start":
            if message.get("anew"):
                try:
                    agent = make_agent(spec, source)
                except BaseException as error:
                    answers.write(encode(_load_fault(error)))
                    return
            served = _Served(agent, message)
        try:
            if message["type"] == "ask":
                _write_together(asked.answers(message), answers)
                continue
            if message["type"] in ("check_rules", "copy", "calls"):
                answer = encode(asked.answer(message))
            else:
                assert served is not None
                answer = served.answer(message)
        except MemoryError as error:
            answer = encode(_fault(BotFault("out_of_memory", repr(error)), message.get("id")))
        answers.write(answer)


def _write_together(messages: Iterable[Message], answers: FileIO) -> None:
    """Write messages, quick ones together: waking up the reader for each costs more than most of them."""
    waiting, since = b"", time.monotonic()
    for message in messages:
        waiting += encode(message)
        if time.monotonic() - since > TOGETHER_SECONDS:
            answers.write(waiting)
            waiting, since = b"", time.monotonic()
    answers.write(waiting)


def _describe(file: Path, source: bytes | None, answers: FileIO) -> None:
    """Say which bots a file defines that can be made without arguments."""
    try:
        bots = [
            {**describe_agent(make_from(bot, name)), "class_name": name}
            for name, bot in load_bot_file(file, source).items()
            if is_discoverable(bot)
        ]
    except BaseException as error:
        answers.write(encode(_load_fault(error)))
    else:
        answers.write(encode({"type": "bots", "bots": bots}))


def _load_fault(error: BaseException) -> Message:
    if isinstance(error, MemoryError):
        return _fault(BotFault("out_of_memory", "while loading"))
    return _error_fault(None, error)


_telling_where: Guard = partial(guarded, MOST_SECONDS)
"""Errors say in which line of the bot's file they happened. The outside watches the time."""


def _error_fault(number: int | None, error: BaseException) -> Message:
    return _fault(BotFault("exception", describe(error), traceback_of(error)), number) | {
        "error": describe_error(error)
    }


class _Asked:
    """A bot, and copies of it, asked outside games."""

    def __init__(self, agent: Agent) -> None:
        self._agents = [agent]
        self._reader = CallReader()

    def answer(self, message: Message) -> Message:
        """The answer to a question, or a fault."""
        number = message["id"]
        try:
            if message["type"] == "check_rules":
                agent = self._agents[0]
                if isinstance(agent, Agent):
                    agent.check_rules(GameConfig.from_dict(message["config"]))
                return {"type": "done", "id": number}
            if message["type"] == "copy":
                self._agents.append(copy.deepcopy(self._agents[message["agent"]]))
                return {"type": "copied", "id": number, "agent": len(self._agents) - 1}
            agent = self._agents[message["agent"]]
            value = None
            for method, arguments in self._reader.read(message):
                value = returned(method, getattr(agent, method)(*arguments))
            return {"type": "returned", "id": number, "value": value}
        except BotFault as fault:
            return _fault(fault, number)
        except MemoryError:
            raise
        except BaseException as error:
            return _error_fault(number, error)

    def answers(self, message: Message) -> Iterator[Message]:
        """What the bot does in each of some views, up to the first that it fails in."""
        agent = self._agents[message["agent"]]
        for _, (view, twice) in self._reader.read(message):
            start = time.perf_counter()
            try:
                (chances,) = ask_all(agent, [view], _telling_where, twice=twice)  # type: ignore[list-item, arg-type]
            except BaseException as error:
                yield _error_fault(message["id"], error)
                return
            value = [[str(action), chance] for action, chance in chances.items()]
            seconds = time.perf_counter() - start
            yield {"type": "asked", "id": message["id"], "value": value, "seconds": seconds}


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
            raise error_fault(error, call) from error


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
            return encode(_fault(fault, number) | {"hook": hook})
        return b"" if number is None else encode({"type": "done", "id": number})

    def _action(self, question: Question, number: int) -> bytes:
        try:
            action = action_from(self._seat.choose_action(question.view))
        except BotFault as fault:
            return encode(_fault(fault, number))
        try:
            return encode(answer_message(number, action))
        except Exception as error:  # the reasoning may be anything
            return encode(_fault(BotFault("exception", describe(error)), number))


def _fault(fault: BotFault | AgentFaulted, number: int | None = None) -> Message:
    """A fault as a message. What cannot be encoded is replaced."""
    detail, traced = (text.encode("utf-8", "replace").decode() for text in (fault.detail, fault.traceback))
    message = {"type": "fault", "id": number, "verdict": fault.verdict, "detail": detail}
    return message | {"traceback": traced} if traced else message
