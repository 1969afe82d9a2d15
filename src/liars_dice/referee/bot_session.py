"""A bot's life in one game: it is started, told what it may know, asked under a limit, and caught up after a break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from ..agents import Heard, Hearing, Question, is_event
from ..core import (
    MOVES,
    Action,
    AgentFaulted,
    BidAction,
    CallLiarAction,
    Event,
    GameResult,
    GameView,
    IllegalMoveError,
    derive_seed,
    verify,
    view_of,
)
from ..persistence import RecordedEvent
from .limits import BotFault
from .recorded_steps import RecordedSteps
from .seats import Seat, action_from

GOES_ON = "the game goes on"
"""The fallback that is recorded for a fault outside a decision: nothing had to be played instead."""


def fallback(view: GameView) -> Action:
    """The move played for a bot that failed: liar if there is a bid, else the lowest legal bid."""
    if view.current_bid is not None:
        return CallLiarAction()
    return next(action for action in view.legal_actions if isinstance(action, BidAction))


def fault_event(player_id: int, fault: BotFault, instead: str = GOES_ON) -> AgentFaulted:
    """A bot's fault as an event of the game."""
    return AgentFaulted(player_id, fault.verdict, fault.detail, instead, fault.traceback)


class BotSession:
    """One bot in one game. Whatever the bot does wrong becomes an `AgentFaulted` event for `on_fault`, never an error.

    A bot that fails at an event hears no more events. What is heard, and in which order, is decided by `Hearing`.
    """

    def __init__(
        self,
        seat: Seat,
        player_id: int,
        game_seed: int,
        on_fault: Callable[[AgentFaulted], None],
        *,
        reseeds: bool = False,
        asks_again: bool = True,
    ) -> None:
        """With `reseeds` the bot's randomness starts anew at every decision, and depends on the game's seed and the
        turn alone. Without `asks_again` the bot is not asked again what it did before a break: it has no memory.
        """
        self.seat = seat
        self.player_id = player_id
        self._game_seed = game_seed
        self._on_fault = on_fault
        self._reseeds = reseeds
        self._asks_again = asks_again and seat.asks_again and seat.player_type != "Human"
        self._hearing = Hearing(player_id, derive_seed(game_seed, "agent", player_id))
        self._reports_faults = type(seat).take_faults is not Seat.take_faults
        self._muted = False
        self._silent = False
        """Whether faults are dropped, because they were noted when they first happened."""
        self._steps: RecordedSteps | None = None
        self._caught_up = 0

    # -- live ----------------------------------------------------------------------------------------------------------

    def start(self, view: GameView) -> None:
        """Tell the bot that the game begins, before its first event."""
        self.tell(self._hearing.start(view))
        self._collect_faults()

    def hear(self, events: Sequence[Event], view: GameView) -> None:
        """Tell the bot of one step of the game, after which it sees `view`."""
        for heard in self._hearing.step(events, view):
            if type(heard) is Question:
                self._ask_ignoring_answer(heard.view)
            else:
                self.tell(heard)

    def tell(self, heard: Heard) -> None:
        """Tell the bot one thing. A fault is noted; a bot that fails at an event hears no more of them."""
        if self._muted and is_event(heard):
            return
        try:
            self.seat.tell(heard)
        except BotFault as fault:
            self._muted = self._muted or is_event(heard)
            self._note(fault)

    def choose(self, view: GameView) -> Action:
        """The bot's action, or the fallback if it fails."""
        self._hearing.asked = True
        try:
            return self._ask(view)
        except BotFault as fault:
            instead = fallback(view)
            self._note(fault, str(instead))
            return instead
        finally:
            if self._reports_faults:
                self._collect_faults()

    def end(self, result: GameResult) -> None:
        """Tell the bot how the game ended."""
        self.tell(result)
        self._collect_faults()

    def close(self) -> None:
        """Let the bot go."""
        self.seat.close()

    # -- after a break -------------------------------------------------------------------------------------------------

    def catch_up(self, record: Sequence[RecordedEvent], known: int | None = None) -> None:
        """Let the bot live through everything in `record` that it has not heard yet.

        The bot hears what happened and is asked again what it did, so that its memory and its randomness stand where
        they stood; its answers change nothing. People are not asked. Faults in the first `known` events are dropped,
        because they are in the record; by default, those before the last of the seat's moves that the bot was not
        asked for.
        """
        known = self._last_unasked(record) if known is None else known
        self._steps = self._steps or RecordedSteps()
        for events, state in self._steps.feed(record[self._caught_up :]):
            self._silent = self._caught_up < known
            self._caught_up += len(events)
            try:
                self.hear(events, view_of(state, self.player_id))
                self._collect_faults()
            finally:
                self._silent = False

    def ask_again(self, view: GameView) -> None:
        """Ask for a decision whose answer is known already: a record ended right after it."""
        self._hearing.asked = True
        self._ask_ignoring_answer(view)

    def _last_unasked(self, record: Sequence[RecordedEvent]) -> int:
        """How many events there are up to the last of this seat's new moves that the bot was not asked for."""
        moves = [
            place
            for place in range(self._caught_up, len(record))
            if isinstance(event := record[place].payload, MOVES) and event.player_id == self.player_id
        ]
        unasked = moves[1:] if self._hearing.asked else moves
        return unasked[-1] + 1 if unasked else 0

    # -- the bot itself ------------------------------------------------------------------------------------------------

    def _ask(self, view: GameView) -> Action:
        """The bot's answer if it is a legal action, else `BotFault`."""
        if self._reseeds:
            self.seat.reseed(derive_seed(self._game_seed, "agent", self.player_id, self._hearing.moves + 1))
        action = action_from(self.seat.choose_action(view))
        try:
            verify(view.public, view.player_id, action)
        except IllegalMoveError as error:
            raise BotFault("illegal", str(error)) from error
        return action

    def _ask_ignoring_answer(self, view: GameView) -> None:
        if self._asks_again:
            with suppress(BotFault):
                self._ask(view)

    def _collect_faults(self) -> None:
        if self._reports_faults:
            for fault in self.seat.take_faults():
                self._note(fault)

    def _note(self, fault: BotFault, instead: str = GOES_ON) -> None:
        if not self._silent:
            self._on_fault(fault_event(self.player_id, fault, instead))
