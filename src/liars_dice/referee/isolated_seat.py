"""A seat whose bot runs in its own process and cannot harm the game, whatever it does."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ..agents import GameStart, Heard, Question, is_event
from ..core import LONGEST_NAME, Action, GameResult, GameView, NotationError, one_line
from . import protocol
from .bot_connection import BotConnection, told_fault
from .limits import BotFault, BotLimits
from .protocol import Message
from .remote_agent import RemoteAgent
from .seats import Seat

MOST_HOOK_FAULTS = 100
"""How many faults of hooks a bot may report between a question and its answer."""


class IsolatedSeat(Seat):
    """A bot in a process of its own: killed when it is late, and gone with all its children afterwards.

    With `walls` the process is a box, which the bot cannot look out of. A box is built for one match. A process without
    walls can stay for further games (`stays`): then the bot is the same object in all of them, as it would be in this
    process, unless it died meanwhile. With `anew`, it is made anew for each game.
    """

    def __init__(
        self,
        spec: str,
        limits: BotLimits,
        *,
        name: str | None = None,
        command: Sequence[str] | None = None,
        walls: bool = True,
        stays: bool = False,
        anew: bool = False,
    ) -> None:
        self.name = spec if name is None else name
        self.player_type = self.name
        self.limits = limits
        self._what = ["command", *command] if command else ["python", spec]
        self._walls = walls
        self._stays, self._anew = stays, anew
        self._anew_once = False
        self.may_learn = command is not None
        self._games = 0
        self._bot: BotConnection | None = None
        self._ready: Message = {}
        self._wants_events = True
        self._faults: list[BotFault] = []
        self._failed: BotFault | None = None
        """Why the bot cannot be started, if that was tried before the game."""

    def adopt(self, agent: RemoteAgent, *, named: bool) -> None:
        """Play with the process of an agent that was loaded before; `named`, also under the agent's own name."""
        self._bot, self._ready = agent.release()
        self.may_learn = "on_game_end" in agent.description.hooks
        if named:
            self.name, self.player_type = agent.description.name, agent.description.player_type

    def start_program(self) -> None:
        """Start a program before the game, and take the name that it gives itself. `BotFault` if it does not start."""
        try:
            self._begin(time.monotonic() + self.limits.load)
        except BotFault as fault:
            self._failed = fault
            raise
        name = self._ready.get("name")
        if isinstance(name, str) and name.strip():
            self.agent_id, self.name = self.name, one_line(name.strip(), LONGEST_NAME)

    def tell(self, heard: Heard) -> None:
        """Send the bot a message, and wait for its answer where there is one.

        A bot that is gone, or that does not listen to events, is told nothing. Its end was reported when it happened.
        """
        if isinstance(heard, GameStart):
            self._start(heard)
        elif self._bot is None or not self._bot.is_open or (is_event(heard) and not self._wants_events):
            return
        elif isinstance(heard, GameResult):
            answer = self._ask(protocol.message_of(heard, self._bot.next_number()), self.limits.game_end)
            if answer.get("type") != "done":
                raise self._bot.broken(answer)
        else:
            self._bot.write(protocol.message_of(heard, 0), time.monotonic() + self.limits.decision)

    def _start(self, start: GameStart) -> None:
        """Start the bot's process unless it has stayed, wait until it is loaded, and tell it that the game begins."""
        deadline = time.monotonic() + self.limits.load
        if self._failed is not None:
            raise self._failed
        bot = self._begin(deadline)
        self._wants_events = self._ready.get("events") is True
        anew = (self._anew or self._anew_once) and self._games > 0
        message = protocol.message_of(start, 0) | ({"anew": True} if anew else {})
        self._games += 1
        self._anew_once = False
        if self._ready.get("confirms_start") is not True:
            bot.write(message, deadline)
            return
        answer = self._ask({**message, "id": bot.next_number()}, deadline - time.monotonic())
        if answer.get("type") != "done":
            raise bot.broken(answer)

    def _begin(self, deadline: float) -> BotConnection:
        """The bot's process, started unless it is there, and loaded."""
        if self._bot is None or not self._bot.is_open:
            self._bot = BotConnection(self._what, self.limits, walls=self._walls)
            self._games = 0
            self._ready = self._bot.read(deadline)
            if self._ready.get("type") != "ready":
                raise self._bot.broken(self._ready)
        return self._bot

    def choose_action(self, view: GameView) -> Action:
        """Ask, and wait no longer than a decision may take."""
        bot = self._reached()
        answer = self._ask(protocol.message_of(Question(view), bot.next_number()), self.limits.decision)
        if answer.get("type") != "action" or not isinstance(answer.get("action"), str):
            raise bot.broken(answer)
        try:
            return protocol.action_of(answer)
        except NotationError as error:
            raise BotFault("wrong_type", str(error)) from error

    def take_faults(self) -> list[BotFault]:
        """The faults of hooks that the bot has reported."""
        taken, self._faults = self._faults, []
        return taken

    def close(self) -> None:
        """Let the bot go after a game. If it does not stay, it and every process it started are gone after this."""
        if not self._stays:
            self.dismiss()

    def dismiss(self) -> None:
        """Let the bot go for good."""
        if self._bot is not None:
            self._bot.close()
            self._bot = None

    def begin_anew(self) -> bool:
        """Have the bot made anew for the next game, in the same process. False if that is over, or is a box, which is
        built for one match.
        """
        self._anew_once = self._stays and not self._walls and self._bot is not None and self._bot.is_open
        return self._anew_once

    def _reached(self) -> BotConnection:
        if self._bot is None:
            raise BotFault("died", "its process is no longer running")
        return self._bot

    def _ask(self, message: Message, seconds: float) -> Message:
        """Send a question and read until its answer; faults of hooks that come before it are kept."""
        bot = self._reached()
        bot.wake()
        deadline = time.monotonic() + seconds
        bot.write(message, deadline)
        for _ in range(MOST_HOOK_FAULTS):
            answer = bot.read(deadline)
            if answer.get("type") == "fault" and answer.get("id") is None:
                self._faults.append(told_fault(answer))
                if answer.get("hook") != "on_round_end":
                    self._wants_events = False  # a bot that fails at an event hears no more of them
                continue
            if type(answer.get("id")) is not int or answer["id"] != message["id"]:
                raise bot.broken(answer)
            if answer.get("type") == "fault":
                raise told_fault(answer)
            bot.rest()
            return answer
        raise bot.fault("garbage", f"more than {MOST_HOOK_FAULTS} faults at once")
