"""Calls of a bot's methods outside games, between this process (`CallWriter`) and the bot's (`CallReader`).

Calls are pickled on the way in: the bot's process trusts us. What a method returns comes back as plain JSON: we do not
trust the bot.
"""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from ..core import Action, NotationError, RoundRules, parse_action
from .limits import BotFault
from .protocol import Message
from .seats import action_from

Call = tuple[str, tuple[object, ...]]
"""The name of a method, and its arguments."""


class CallWriter:
    """Writes calls. The rules in views are large and few, so each is sent once and named by its number afterwards."""

    def __init__(self) -> None:
        self._numbers: dict[RoundRules, int] = {}

    def write(self, calls: Sequence[Call]) -> Message:
        """The fields of a message with these calls."""
        new: list[RoundRules] = []

        class Writer(pickle.Pickler):
            def persistent_id(_, thing: object) -> int | None:  # noqa: N805
                if type(thing) is not RoundRules:
                    return None
                if thing not in self._numbers:
                    self._numbers[thing] = len(self._numbers)
                    new.append(thing)
                return self._numbers[thing]

        stream = BytesIO()
        Writer(stream).dump(calls)
        fields = {"calls": base64.b64encode(stream.getvalue()).decode()}
        return fields if not new else {**fields, "rules": base64.b64encode(pickle.dumps(new)).decode()}


class CallReader:
    """Reads what a `CallWriter` wrote, message by message."""

    def __init__(self) -> None:
        self._rules: list[RoundRules] = []

    def read(self, message: Message) -> list[Call]:
        """The calls in a message."""
        if "rules" in message:
            self._rules += pickle.loads(base64.b64decode(message["rules"]))
        rules = self._rules

        class Reader(pickle.Unpickler):
            def persistent_load(_, number: int) -> RoundRules:  # noqa: N805
                return rules[number]

        calls: list[Call] = Reader(BytesIO(base64.b64decode(message["calls"]))).load()
        return calls


def returned(method: str, value: object) -> object:
    """What a method returned, as plain JSON; `BotFault` if it is not what the method is for."""
    if method == "choose_action":
        return str(action_from(value))
    if method != "policy" or value is None:
        return None
    if not isinstance(value, Mapping):
        raise BotFault("wrong_type", f"returned a policy of type {type(value).__name__}")
    return [[str(action_from(action)), float(chance)] for action, chance in value.items()]


def action_in(value: object) -> Action:
    """The action that a bot's process says was chosen."""
    try:
        return parse_action(value if isinstance(value, str) else "")
    except NotationError as error:
        raise BotFault("wrong_type", str(error)) from error


def policy_in(value: object) -> dict[Action, float] | None:
    """The policy that a bot's process says was stated."""
    if value is None:
        return None
    policy: dict[Action, float] = {}
    entries: list[Any] = value if isinstance(value, list) else [None]
    for entry in entries:
        match entry:
            case [str(action), int() | float() as chance]:
                found = action_in(action)
                policy[found] = policy.get(found, 0.0) + chance
            case _:
                raise BotFault("wrong_type", "stated a policy that is not one")
    return policy
