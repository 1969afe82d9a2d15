"""How the referee reaches a bot: directly in this process, or through a wall (`isolation`)."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..core import (
    Action,
    Bid,
    BidAction,
    CallLiarAction,
    Event,
    GameConfig,
    GameResult,
    GameView,
    IllegalMoveError,
    Move,
    NotationError,
    Player,
    RoundResolution,
    agent_id,
    as_action,
    hook_of,
    verify,
)
from ..persistence import player_type
from .limits import BotFault, BotLimits
from .protocol import is_action
from .time_guard import guarded


class Seat(ABC):
    """One bot at the table. Whatever the bot does wrong comes out as `BotFault`."""

    name: str
    player_type: str
    agent_id: str | None = None
    """What the record says of who sits here, if not the name: a word that makes the same player again."""
    listens = True
    """Whether the bot may want to hear of events."""

    @abstractmethod
    def start(self, config: GameConfig, player_id: int, names: tuple[str, ...], seed: int) -> None:
        """The game begins."""

    @abstractmethod
    def choose_action(self, view: GameView) -> Move:
        """What the bot does now."""

    @abstractmethod
    def event(self, event: Event) -> None:
        """Something happened that this bot may know of."""

    @abstractmethod
    def round_end(self, resolution: RoundResolution) -> None:
        """A round is over."""

    @abstractmethod
    def game_end(self, result: GameResult) -> None:
        """The game is over."""

    def take_faults(self) -> list[BotFault]:
        """What has gone wrong since the last look, beside what was raised."""
        return []

    def close(self) -> None:
        """Let the bot go."""


def decide(seat: Seat, view: GameView) -> Action:
    """What the bot does, if it is an action and legal; else `BotFault`."""
    action: object = seat.choose_action(view)
    if type(action) is str or type(action) is Bid:
        try:
            action = as_action(action)
        except NotationError as error:
            raise BotFault("wrong_type", str(error)) from error
    if not is_action(action):
        raise BotFault("wrong_type", f"returned an object of type {type(action).__name__}")
    try:
        verify(view.public, view.player_id, action)
    except IllegalMoveError as error:
        raise BotFault("illegal", str(error)) from error
    return action


def fallback(view: GameView) -> Action:
    """What is done for a bot that failed: liar if there is a bid, else the lowest legal bid."""
    if view.current_bid is not None:
        return CallLiarAction()
    return next(action for action in view.legal_actions if isinstance(action, BidAction))


class InProcessSeat(Seat):
    """A trusted bot in this process, under soft limits.

    On the main thread of a Unix system a slow decision is interrupted, elsewhere it is noticed when it ends. What kills
    the process kills the referee.
    """

    def __init__(self, agent: Player, limits: BotLimits) -> None:
        self.agent = agent
        self.limits = limits
        self.name = agent_id(agent)
        self.player_type = player_type(agent)
        self._is_person = self.player_type == "Human"
        self._hooks = {name: hook_of(agent, name) for name in _HOOKS}
        self.listens = self._hooks["on_event"] is not None

    def start(self, config: GameConfig, player_id: int, names: tuple[str, ...], seed: int) -> None:
        """Seed the bot and tell it."""
        self._call("seed", self.limits.load, seed)
        self._call("on_game_start", self.limits.load, config.without_seed, player_id)

    def choose_action(self, view: GameView) -> Move:
        """Ask the bot. People may take their time."""
        if self._is_person:
            return self.agent.choose_action(view)
        return guarded(self.limits.decision, self.agent.choose_action, view)

    def event(self, event: Event) -> None:
        """Tell the bot, if it listens."""
        self._call("on_event", self.limits.decision, event)

    def round_end(self, resolution: RoundResolution) -> None:
        """Tell the bot, if it listens."""
        self._call("on_round_end", self.limits.decision, resolution)

    def game_end(self, result: GameResult) -> None:
        """Let the bot learn."""
        self._call("on_game_end", self.limits.game_end, result)

    def _call(self, name: str, seconds: float, *arguments: object) -> None:
        hook = self._hooks[name]
        if hook is not None:
            guarded(seconds, hook, *arguments)


_HOOKS = ("seed", "on_game_start", "on_event", "on_round_end", "on_game_end")
