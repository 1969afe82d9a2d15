"""An agent that stands for a bot in another process: whatever the bot does, it does it there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from ..agents import AgentNameError, AskedElsewhere, Policy, PolicyError
from ..core import Action, GameConfig, GameView, LiarsDiceError
from .bot_connection import BotConnection, told_fault
from .bot_description import MOST_TEXT, BotDescription, description_from, error_from
from .calls import Call, CallWriter, action_in, policy_in
from .limits import BotFault, BotLimits
from .protocol import Message

MOST_VIEWS = 200
"""How many views are sent in one message."""


class _RemoteBot:
    """A bot's process, which also holds the copies of the bot. Threads take turns."""

    def __init__(self, spec: str, name: str, limits: BotLimits, *, walls: bool) -> None:
        self.spec, self.name, self.limits, self._walls = spec, name, limits, walls
        self._lock = threading.Lock()
        self._writer = CallWriter()
        self._number = 0
        self.ready: Message = {}
        """The message with which the bot said that it is loaded."""
        self.connection = BotConnection(["python", spec], limits, walls=walls)

    def loaded(self) -> BotDescription:
        """What the bot says about itself when it is loaded; an error that says why it cannot be."""
        try:
            ready = self.connection.read(time.monotonic() + self.limits.load)
            if ready.get("type") == "fault":
                self.connection.close()
                raise error_from(ready, self.name)
            if ready.get("type") != "ready":
                raise self.connection.broken(ready)
            self.ready = ready
            return description_from(ready.get("bot"))
        except BotFault as fault:
            raise AgentNameError(self.name, "does_not_load", f"a bot that loads ({fault})") from fault

    def call(self, agent: int, calls: list[Call]) -> Message:
        """Call methods of one of the bot's copies, one after another, and return the answer to the last."""
        seconds = sum(self.limits.load if name == "on_game_start" else self.limits.decision for name, _ in calls)
        try:
            answer = self.ask({"type": "calls", "agent": agent, **self._writer.write(calls)}, seconds)
            if answer.get("type") == "fault":
                raise told_fault(answer)
            if answer.get("type") != "returned":
                raise self.connection.broken(answer)
        except BotFault as fault:
            raise PolicyError(f"{self.name} failed in {calls[-1][0]}: {fault}") from fault
        return answer

    def answers(
        self, agent: int, views: Sequence[GameView], *, twice: bool
    ) -> Iterator[tuple[dict[Action, float], float]]:
        """What one of the bot's copies does in each of these views, and how many seconds that took.

        Answers come one by one, each under the time limit.
        """
        calls: list[Call] = [("ask", (view, twice)) for view in views]
        message = {"type": "ask", "agent": agent, **self._writer.write(calls)}
        with self._lock:
            for place in range(len(views)):
                answer = self._exchange(None if place else message, self.limits.decision)
                policy = None if answer.get("type") != "asked" else policy_in(answer.get("value"))
                if policy is None:
                    raise self.connection.broken(answer)
                seconds = answer.get("seconds")
                yield policy, seconds if type(seconds) is float and 0 < seconds < self.limits.decision else 0.0

    def ask(self, message: Message, seconds: float) -> Message:
        """The bot's answer to a message."""
        with self._lock:
            return self._exchange(message, seconds)

    def _exchange(self, message: Message | None, seconds: float) -> Message:
        """Send a message, if there is one, and read the answer.

        A bot that is interrupted here is not asked again: it may still answer the old question.
        """
        bot = self.connection
        bot.wake()
        deadline = time.monotonic() + seconds
        try:
            if message is not None:
                self._number = bot.next_number()
                bot.write({**message, "id": self._number}, deadline)
            answer = bot.read(deadline)
        except BaseException:
            bot.close()
            raise
        if type(answer.get("id")) is not int or answer["id"] != self._number:
            raise bot.broken(answer)
        if answer.get("type") == "fault":
            match answer.get("error"):
                case {"kind": "policy", "reason": str(reason)}:
                    raise PolicyError(reason[:MOST_TEXT])
        return answer


class RemoteAgent(AskedElsewhere):
    """A bot in another process, to be asked outside games. Its hooks are called before the next question is asked."""

    def __init__(self, bot: _RemoteBot, description: BotDescription, number: int = 0) -> None:
        self._bot, self.description, self._number = bot, description, number
        self._unsent: list[Call] = []
        vars(self).update({key: getattr(description, key) for key in ("name", "player_type", "memoryless", "players")})
        vars(self).update({hook: partial(self._hear, hook) for hook in description.hooks})

    def check_rules(self, config: GameConfig) -> None:
        """Ask the bot whether it plays by these rules."""
        message = {"type": "check_rules", "config": msgspec.to_builtins(config.without_seed)}
        try:
            answer = self._bot.ask(message, self._bot.limits.load)
        except BotFault as fault:
            raise _unfit(self._bot.name, fault) from fault
        if answer.get("type") == "fault":
            error = error_from(answer, self._bot.name)
            raise error if not isinstance(error, AgentNameError) else _unfit(self._bot.name, told_fault(answer))

    def choose_action(self, view: GameView) -> Action:
        """Ask the bot."""
        return action_in(self._call("choose_action", view).get("value"))

    def answers(self, views: Sequence[GameView], *, twice: bool) -> list[dict[Action, float]]:
        """Ask the bot, in its process, as `ask` and `ask_all` do."""
        self._send_unsent()
        found: list[dict[Action, float]] = []
        try:
            for first in range(0, len(views), MOST_VIEWS):
                asked = views[first : first + MOST_VIEWS]
                for chances, seconds in self._bot.answers(self._number, asked, twice=twice):
                    found.append(chances)
                    self.thought += seconds
        except BotFault as fault:
            raise PolicyError(f"{self.name} failed: {fault}") from fault
        return found

    def seed(self, seed: int) -> None:
        """Restart the bot's own randomness."""
        self._hear("seed", seed)

    def release(self) -> tuple[BotConnection, Message]:
        """The connection to the bot's process, for a game, and the message with which the bot said that it is loaded.

        This agent must not be asked any more.
        """
        return self._bot.connection, self._bot.ready

    def close(self) -> None:
        """End the bot's process."""
        self._bot.connection.close()

    def __deepcopy__(self, memo: object) -> RemoteAgent:
        self._send_unsent()
        answer = self._bot.ask({"type": "copy", "agent": self._number}, self._bot.limits.load)
        number = answer.get("agent")
        if type(number) is not int:
            raise told_fault(answer)
        return type(self)(self._bot, self.description, number)

    def _hear(self, hook: str, *arguments: object) -> None:
        self._unsent.append((hook, arguments))

    def _send_unsent(self) -> None:
        calls, self._unsent = self._unsent, []
        if calls:
            self._bot.call(self._number, calls)

    def _call(self, method: str, view: GameView) -> Message:
        calls, self._unsent = [*self._unsent, (method, (view,))], []
        return self._bot.call(self._number, calls)


class _RemotePolicyAgent(RemoteAgent):
    """A bot in another process that states its policy."""

    def policy(self, view: GameView) -> Policy | None:
        """Ask the bot."""
        return policy_in(self._call("policy", view).get("value"))


def _unfit(name: str, fault: BotFault) -> LiarsDiceError:
    return AgentNameError(name, "unfit", f"a bot that says by which rules it plays ({fault})")


def load_remote_agent(spec: str, name: str, limits: BotLimits, *, walls: bool) -> RemoteAgent:
    """The bot that `spec` leads to, loaded in a process of its own, with walls around it or without.

    Raises the error that loading it here would raise.
    """
    bot = _RemoteBot(spec, name, limits, walls=walls)
    description = bot.loaded()
    return (_RemotePolicyAgent if description.policy else RemoteAgent)(bot, description)
