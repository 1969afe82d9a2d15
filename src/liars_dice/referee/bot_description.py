"""What a bot says about itself: asked inside its process, checked outside of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from ..agents import Agent, AgentNameError, AgentProblem, BotFileError, PolicyError, states_policy
from ..core import BadValueError, ConfigError, LiarsDiceError, agent_id, describe, hook_of
from ..persistence import player_type
from .limits import BotFault

HOOKS = ("on_game_start", "on_event", "on_round_end", "on_game_end")
MOST_TEXT = 1000
"""A bot's texts are cut to this length."""


class BotDescription(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a bot that is loaded elsewhere."""

    class_name: str
    name: str
    player_type: str
    summary: str = ""
    memoryless: bool = False
    players: tuple[int, int] = (2, 15)
    policy: bool = False
    """Whether its `policy` describes its `choose_action`."""
    hooks: tuple[str, ...] = ()
    """The hooks that it has."""


# -- inside ------------------------------------------------------------------------------------------------------------


def describe_agent(agent: Agent) -> dict[str, Any]:
    """What a bot that is loaded here says about itself, as a message; `BadValueError` if that makes no sense."""
    players = getattr(agent, "players", (2, 15))
    if not (isinstance(players, tuple | list) and len(players) == 2 and all(type(n) is int for n in players)):
        raise BadValueError("players", players, "(fewest, most), two whole numbers, in the bot's class")
    return {
        "class_name": type(agent).__name__,
        "name": agent_id(agent)[:MOST_TEXT],
        "player_type": player_type(agent)[:MOST_TEXT],
        "summary": str(type(agent).__doc__ or "").strip().partition("\n")[0][:MOST_TEXT],
        "memoryless": bool(getattr(agent, "memoryless", False)),
        "players": players,
        "policy": states_policy(agent),
        "hooks": [hook for hook in HOOKS if hook_of(agent, hook) is not None],
    }


def describe_error(error: BaseException) -> dict[str, Any]:
    """An error as a message that `error_from` turns into the same error."""
    match error:
        case AgentNameError():
            return {"kind": "agent", "problem": error.problem, "expected": error.allowed[:MOST_TEXT]}
        case PolicyError():
            return {"kind": "policy", "reason": str(error)[:MOST_TEXT]}
        case BotFileError():
            return {"kind": "file", "path": error.path, "line": error.line, "reason": error.reason[:MOST_TEXT]}
        case BadValueError():
            kind = "rules" if isinstance(error, ConfigError) else "value"
            value = error.value if isinstance(error.value, int | float | str | None) else describe_value(error.value)
            return {"kind": kind, "field": error.field, "value": value, "expected": error.allowed[:MOST_TEXT]}
        case _:
            return {"kind": "other", "reason": describe(error)[:MOST_TEXT]}


def describe_value(value: object) -> str:
    """A value in an error's text."""
    return repr(value)[:MOST_TEXT]


# -- outside -----------------------------------------------------------------------------------------------------------


def description_from(told: object) -> BotDescription:
    """What a bot's process says about the bot; `BotFault` if it does not make sense."""
    try:
        found = msgspec.convert(told, BotDescription)
    except (msgspec.ValidationError, RecursionError) as error:
        raise BotFault("garbage", f"not the description of a bot: {error}") from error
    texts = (found.class_name, found.name, found.player_type, found.summary)
    if any(len(text) > MOST_TEXT for text in texts) or not set(found.hooks) <= set(HOOKS):
        raise BotFault("garbage", "not the description of a bot")
    return found


def error_from(told: Mapping[str, Any], name: str) -> LiarsDiceError:
    """The error that a bot's process reports about the bot called `name`."""
    error = told.get("error")
    match error if isinstance(error, dict) else {}:
        case {"kind": "agent", "problem": str(problem), "expected": str(expected)}:
            known: AgentProblem = next((p for p in get_args(AgentProblem) if p == problem), "does_not_load")
            return AgentNameError(name, known, expected[:MOST_TEXT])
        case {"kind": "file", "path": str(path), "line": int() | None as line, "reason": str(reason)}:
            return BotFileError(path[:MOST_TEXT], line, reason[:MOST_TEXT])
        case {"kind": "rules" | "value" as kind, "field": str(field), "value": value, "expected": str(expected)}:
            value = value[:MOST_TEXT] if isinstance(value, str) else value
            kinds = {"rules": ConfigError, "value": BadValueError}
            return kinds[kind](field[:MOST_TEXT], value, expected[:MOST_TEXT])
        case _:
            detail = str(told.get("detail", ""))[:MOST_TEXT]
            return AgentNameError(name, "does_not_load", f"a bot that loads ({detail})")
