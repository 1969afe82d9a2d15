"""The inside of a box: `python -m liars_dice.referee.bot_process CONTROL LIMITS python SPEC`, or `... command WORD...`.

Runs a Python bot, or another program, behind the walls of `cage`; speaks the bot protocol on standard input and output.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from io import FileIO
from pathlib import Path

import msgspec

from ..agents import AGENTS, Agent, make_agent
from ..core import Event, describe, hook_of
from . import sandbox
from .protocol import GameFromMessages, Message, answer_message, encode, is_action

# What bots commonly import is imported before privileges go: where Python lives in a place that only its owner can
# enter, nothing can be imported afterwards.
import bisect, collections, copy, dataclasses, enum, functools, heapq, inspect, itertools, math, operator  # isort: skip # noqa: E401, F401
import random, re, statistics, string, subprocess, threading, time, typing  # isort: skip # noqa: E401, F401


def main(arguments: list[str]) -> None:
    """Start the bot behind its walls."""
    control, limits, kind, *what = arguments
    file = Path(what[0].partition(":")[0])
    source = file.read_bytes() if kind == "python" and file.suffix == ".py" and file.is_file() else None
    ours = kind == "python" and what[0] in AGENTS  # code and data of the package: loaded while they can be read
    loaded = make_agent(what[0]) if ours else None

    def bot() -> None:
        sandbox.restrict(**json.loads(limits))
        if kind == "command":
            os.execvpe(what[0], what, {"PATH": "/usr/local/bin:/usr/bin:/bin"})
        run(what[0], source, loaded)

    sandbox.keep(int(control), bot)


def run(spec: str, source: bytes | None, loaded: Agent | None = None) -> None:
    """Load a Python bot, unless it is, and serve it until the input ends."""
    answers = FileIO(os.dup(1), "wb")
    questions = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):  # what the bot prints or reads is its own affair
        os.dup2(nothing, standard)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    try:
        agent = loaded or make_agent(spec, source)
    except MemoryError:
        _say(answers, {"type": "fault", "verdict": "out_of_memory", "detail": "while loading"})
        return
    except BaseException as error:
        _say(answers, {"type": "fault", "verdict": "exception", "detail": describe(error)})
        return
    listens = hook_of(agent, "on_event") is not None
    _say(
        answers,
        {"type": "ready", "name": agent.name or type(agent).__name__, "events": listens, "confirms_start": True},
    )
    game: GameFromMessages | None = None
    for line in questions:
        message = json.loads(line)
        if message["type"] == "start":
            game = GameFromMessages(message)
        assert game is not None
        _serve(agent, game, message, answers)


def _serve(agent: Agent, game: GameFromMessages, message: Message, answers: FileIO) -> None:
    """Do what a message asks; whatever goes wrong is told."""
    try:
        match message["type"]:
            case "start":
                for name, arguments in (("seed", (message["seed"],)), ("on_game_start", (game.config, game.player_id))):
                    if hook := hook_of(agent, name):
                        hook(*arguments)
                _say(answers, {"type": "done", "id": message["id"]})
            case "choose":
                action: object = agent.choose_action(game.view(message["view"]))
                if is_action(action):
                    _say(answers, answer_message(message["id"], action))
                else:
                    detail = f"returned an object of type {type(action).__name__}"
                    _say(answers, {"type": "fault", "id": message["id"], "verdict": "wrong_type", "detail": detail})
            case "event":
                agent.on_event(msgspec.convert(message["event"], Event))
            case "round_end":
                resolution = game.round_end(message)
                if hook := hook_of(agent, "on_round_end"):
                    hook(resolution)
            case "game_end":
                if hook := hook_of(agent, "on_game_end"):
                    hook(game.result(message))
                _say(answers, {"type": "done", "id": message["id"]})
    except MemoryError as error:
        _say(answers, {"type": "fault", "id": message.get("id"), "verdict": "out_of_memory", "detail": repr(error)})
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        detail = f"{describe(error)} ({where.filename}, line {where.lineno})"
        _say(answers, {"type": "fault", "id": message.get("id"), "verdict": "exception", "detail": detail})


def _say(answers: FileIO, message: Message) -> None:
    answers.write(encode(message))


if __name__ == "__main__":
    main(sys.argv[1:])
