"""How a bot is reached: directly in this process, or through a wall (`isolated_seat`)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..agents import AgentStoppedError, Heard, hook_calls
from ..core import Action, Bid, BidAction, GameView, Move, NotationError, Player, agent_id, as_action, hook_of
from ..persistence import player_type
from .fault_text import error_fault
from .limits import BotFault, BotLimits
from .protocol import is_action
from .time_guard import guarded


class Seat(ABC):
    """One bot at the table. Everything that the bot does wrong is raised as `BotFault`."""

    name: str
    player_type: str
    agent_id: str | None = None
    """What the record says about who sits here, if not the name: a word that makes the same player again."""
    listens = True
    """Whether the bot may want to hear events and ends of rounds."""
    asks_again = True
    """Whether the bot is asked again what it did before a break: that restores a bot's memory and randomness."""
    may_learn = False
    """Whether the bot may want to carry something from one game to the next."""

    @abstractmethod
    def tell(self, heard: Heard) -> None:
        """Let the bot hear something that needs no decision."""

    @abstractmethod
    def choose_action(self, view: GameView) -> Move:
        """What the bot does now."""

    def reseed(self, seed: int) -> None:
        """Start the bot's randomness anew, where that can be done in the middle of a game."""

    def take_faults(self) -> list[BotFault]:
        """The faults since the last call that were not raised, because the bot was not waited for."""
        return []

    def close(self) -> None:
        """Let the bot go after a game."""

    def dismiss(self) -> None:
        """Let the bot go for good."""
        self.close()

    def begin_anew(self) -> bool:
        """Have the bot made anew for the next game. False where that takes a new seat."""
        return False


_LIMITS = {
    "seed": "load",
    "on_game_start": "load",
    "on_event": "decision",
    "on_round_end": "decision",
    "on_game_end": "game_end",
}
"""The limit that each hook is called under."""


def action_from(answer: object) -> Action:
    """A bot's answer as an action, legal or not; `BotFault` if it is not one. A bid or its notation will do."""
    if type(answer) is str or type(answer) is Bid:
        try:
            answer = as_action(answer)
        except NotationError as error:
            raise BotFault("wrong_type", str(error)) from error
    if not is_action(answer):
        raise BotFault("wrong_type", _not_an_action(answer))
    return answer


def _not_an_action(answer: object) -> str:
    """What a bot returned instead of an action, and what to return."""
    match answer:
        case None:
            given = "None: does every path through choose_action return a move?"
        case BidAction():
            given = "BidAction without a Bid in it; write BidAction(Bid(3, 4))"
        case type():
            given = f"the class {answer.__name__}; write {answer.__name__}() for a move"
        case _:
            given = f"an object of type {type(answer).__name__}, which is not a move"
    return f"returned {given}"


class InProcessSeat(Seat):
    """A trusted bot in this process, under soft limits.

    On the main thread of a Unix system a slow decision is interrupted; elsewhere it is noticed when it ends. A bot that
    kills the process kills the referee.
    """

    _run = staticmethod(guarded)
    """Runs the bot's code for at most this many seconds; `BotFault` if it fails."""

    def __init__(self, agent: Player, limits: BotLimits) -> None:
        self.agent = agent
        self.limits = limits
        self.name = agent_id(agent)
        self.player_type = player_type(agent)
        self._is_person = self.player_type == "Human"
        self._hooks = {name: hook_of(agent, name) for name in _LIMITS}
        self.listens = self._hooks["on_event"] is not None or self._hooks["on_round_end"] is not None
        self.may_learn = self._hooks["on_game_end"] is not None

    def tell(self, heard: Heard) -> None:
        """Call the bot's hooks for this, if it has them."""
        for name, arguments in hook_calls(heard):
            hook = self._hooks[name]
            if hook is not None:
                self._run(getattr(self.limits, _LIMITS[name]), hook, *arguments)

    def choose_action(self, view: GameView) -> Move:
        """Ask the bot. People may take their time."""
        if self._is_person:
            return self.agent.choose_action(view)
        return self._run(self.limits.decision, self.agent.choose_action, view)

    def reseed(self, seed: int) -> None:
        """Start the bot's randomness anew."""
        hook = self._hooks["seed"]
        if hook is not None:
            self._run(self.limits.load, hook, seed)


def seat_of(agent: Player, limits: BotLimits) -> InProcessSeat:
    """A seat in this process for an agent, with the limits of our own bots if it is one."""
    ours = type(agent).__module__.partition(".")[0] == __package__.partition(".")[0]
    return InProcessSeat(agent, limits.for_ours if ours else limits)


class NetworkSeat(InProcessSeat):
    """An agent of ours that asks a server (`asks_network`). It has a time limit of its own, and remembers nothing."""

    asks_again = False

    def choose_action(self, view: GameView) -> Move:
        """Ask the agent. `AgentStoppedError` is not its fault: the game stops."""
        try:
            return self.agent.choose_action(view)
        except (AgentStoppedError, BotFault):
            raise
        except Exception as error:
            raise error_fault(error, self.agent.choose_action) from error
