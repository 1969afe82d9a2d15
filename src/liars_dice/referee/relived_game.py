"""A recorded game, lived through again by a bot: what it does now at each of its turns, beside what was done then."""

from __future__ import annotations

import pdb  # noqa: T100 - the user asks for a debugger
import pickle
import signal
import subprocess
import sys
import tempfile
import traceback
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from ..agents import Heard, Hearing, Question, is_event, make_agent
from ..core import (
    MOVES,
    Action,
    GameCreated,
    GameView,
    IllegalMoveError,
    LiarsDiceError,
    action_of,
    derive_seed,
    describe,
    verify,
    view_of,
)
from ..persistence import RecordedEvent
from .limits import BotFault, BotLimits
from .named_seats import begins_anew, lasting_name, make_seat, needs_process
from .python_child import python_command
from .recorded_steps import RecordedSteps
from .seats import InProcessSeat, Seat, action_from


class RelivedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a recorded game, made again."""

    turn: int
    """The turn of the game, from 1."""
    round: int
    """The round, from 1."""
    hand: tuple[int, ...]
    bids: tuple[str, ...]
    """The bids of the round so far."""
    did: str
    """The action in the record."""
    now: str | None
    """What the bot does now; None if it fails."""
    reasoning: str = ""
    fault: str = ""
    """How it fails."""

    @property
    def differs(self) -> bool:
        """Whether the bot does something else now."""
        return self.now != self.did


class BotEndedError(LiarsDiceError):
    """A bot ended the process in which it was asked."""

    code = "bot_ended"


def relive_apart(
    name: str, record: Sequence[RecordedEvent], seat: int, at: int | None = None, *, debugger: bool = False
) -> list[RelivedTurn]:
    """Let the bot called `name` live through a recorded game in this seat, and ask it at each of the seat's turns, or
    only at turn `at`, which is counted over the whole game.

    The bot's file runs in a process of its own that shares this one's terminal, without a time limit: it can print, and
    stop at a `breakpoint()`. With `debugger`, it stops at the first line of its `choose_action` at turn `at`. What it
    prints goes to standard error. Programs and bots found by name are asked as in a game.
    """
    if begins_anew(name) or not (debugger or needs_process(name)):
        guest = make_seat(name, BotLimits())
        try:
            return list(relive(guest, record, seat, at))
        finally:
            guest.dismiss()
    with tempfile.TemporaryDirectory() as folder:
        request, results = Path(folder, "request"), Path(folder, "results")
        request.write_bytes(pickle.dumps((lasting_name(name), list(record), seat, at, debugger, str(results))))
        code = _run(python_command(f"{__name__}:main", str(request)))
        if not results.exists():
            if code in (_QUIT, -signal.SIGINT):
                raise KeyboardInterrupt
            raise BotEndedError(f"{name} ended its process with code {code} before it had answered")
        return msgspec.json.decode(results.read_bytes(), type=list[RelivedTurn])


def relive(
    guest: Seat,
    record: Sequence[RecordedEvent],
    seat: int,
    at: int | None = None,
    *,
    last_call: Callable[[GameView], object] | None = None,
) -> Iterator[RelivedTurn]:
    """The seat's turns, decided again by a bot that hears what it would have heard. Its memory and its randomness stand
    where they stood, if it is the bot that played: it is asked at every turn, and its answers change nothing.

    With `at`, only that turn is returned; `last_call` asks the bot there.
    """
    created = record[0].payload
    assert isinstance(created, GameCreated)
    seed = created.config.seed
    hearing = Hearing(seat, None if seed is None else derive_seed(seed, "agent", seat))
    turn, deaf = 0, False
    for events, state in RecordedSteps().feed(record):
        move = next((event for event in events if isinstance(event, MOVES)), None)
        turn += move is not None
        for heard in hearing.step(events, view_of(state, seat)):
            if type(heard) is not Question:
                if not (deaf and is_event(heard)):
                    deaf = not _tells(guest, heard) or deaf
                continue
            assert move is not None
            ask = last_call if last_call is not None and turn == at else guest.choose_action
            relived = _relived(ask, heard.view, turn, str(action_of(move)))
            if at is None or turn == at:
                yield relived
            if turn == at:
                return


def _tells(guest: Seat, heard: Heard) -> bool:
    """Tell the bot something; return whether that went well."""
    try:
        guest.tell(heard)
    except BdbQuit:
        raise
    except Exception as error:
        _show(error)
        return not is_event(heard)
    return True


def _relived(ask: Callable[[GameView], object], view: GameView, turn: int, did: str) -> RelivedTurn:
    """Ask the bot for one decision."""
    now: Action | None = None
    fault = ""
    try:
        now = action_from(ask(view))
        verify(view.public, view.player_id, now)
    except BdbQuit:
        raise
    except IllegalMoveError as error:
        fault, now = f"illegal: {error}", None
    except Exception as error:
        _show(error)
        fault = str(error) if isinstance(error, BotFault) else f"error: {describe(error)}"
    return RelivedTurn(
        turn=turn,
        round=view.public.round_index + 1,
        hand=tuple(view.my_dice),
        bids=tuple(map(str, view.public.bid_history)),
        did=did,
        now=None if now is None else str(now),
        reasoning="" if now is None else str(now.reasoning),
        fault=fault,
    )


def _show(error: Exception) -> None:
    """Print where a bot's error comes from, unless it came from elsewhere as text."""
    if not isinstance(error, BotFault):
        traceback.print_exception(error)


def _run(command: Sequence[str]) -> int:
    """Run a command to its end, its output on standard error. Ctrl-C is for the bot: it shows where the bot was, or
    stops in its debugger.
    """
    process = subprocess.Popen(command, stdout=2)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
        process.kill()
        process.wait()


# -- inside the process ------------------------------------------------------------------------------------------------

_QUIT = 4
"""The code with which the process ends when its user leaves the debugger."""


class _UnlimitedSeat(InProcessSeat):
    """A bot that may take its time, and whose errors are raised as they are."""

    @staticmethod
    def _run(seconds: float, call: Callable[..., object], *arguments: object) -> object:  # type: ignore[override]
        return call(*arguments)


class _Debugger(pdb.Pdb):
    """Python's debugger, which remembers whether its user quit."""

    was_left = False

    def set_quit(self) -> None:
        """Quit."""
        self.was_left = True
        super().set_quit()


def main(request: str) -> None:
    """Let a bot live through a game again, and write what it does into a file."""
    name, record, seat, at, debugger, results = pickle.loads(Path(request).read_bytes())
    agent = make_agent(name)

    def last_call(view: GameView) -> object:
        watching = _Debugger()
        answer = watching.runcall(agent.choose_action, view)
        if watching.was_left:
            raise BdbQuit
        return answer

    guest = _UnlimitedSeat(agent, BotLimits())
    try:
        found = list(relive(guest, record, seat, at, last_call=last_call if debugger else None))
    except BdbQuit:
        sys.exit(_QUIT)
    Path(results).write_bytes(msgspec.json.encode(found))
