"""The server's time: what each address has used of it, how far the event loop is behind, and what runs beside the loop.

Both count processor time, so other programs on the machine cost no one anything.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

from .errors import BusyError
from .rate_limits import KEPT_ADDRESSES
from .server_limits import ServerLimits

Result = TypeVar("Result")

BEAT_S = 0.02
"""How often the event loop notes that it has come around."""

PATIENCE_S = 4.0
"""The longest that an address has to wait because of what it has used."""
MANY_EVENTS = 500
"""Work on a game with this many events does not run on the event loop."""
REST, LONGEST_REST_S = 15, 3.0
"""How many times as long as it has computed a thread beside the loop rests, and the longest rest."""


class Account:
    """The seconds of processor time that one address may still use."""

    __slots__ = ("_level", "_limits", "_now", "_then", "address", "refusals", "waiting")

    def __init__(self, address: str, limits: ServerLimits, now: Callable[[], float]) -> None:
        self.address = address
        self._limits, self._now = limits, now
        self._level, self._then = limits.cost_burst_s, now()
        self.waiting = 0
        """How many pieces of its work wait for a thread or for the coach."""
        self.refusals = 0
        """How many of its requests wait to hear that there were too many."""

    @property
    def left_s(self) -> float:
        """What it may use now; negative after it has used more."""
        now, limits = self._now(), self._limits
        self._level = min(limits.cost_burst_s, self._level + (now - self._then) * limits.cost_per_s)
        self._then = now
        return self._level

    @property
    def share_left(self) -> float:
        """What it may use now as a share of the most that it may use at once."""
        return max(0.0, self.left_s / self._limits.cost_burst_s)

    def charge(self, seconds: float) -> None:
        """It has used this much. Its debt never takes longer than `PATIENCE_S` to pay off."""
        self._level = max(-PATIENCE_S * self._limits.cost_per_s, self.left_s - seconds)


class Accounts:
    """The account of each address."""

    def __init__(self, limits: ServerLimits, now: Callable[[], float]) -> None:
        self._limits, self._now = limits, now
        self._accounts: OrderedDict[str, Account] = OrderedDict()

    def of(self, address: str) -> Account:
        """The account of this address. Of too many, the one that has been quiet the longest is dropped."""
        account = self._accounts.pop(address, None) or Account(address, self._limits, self._now)
        self._accounts[address] = account
        if len(self._accounts) > KEPT_ADDRESSES:
            self._accounts.popitem(last=False)
        return account


who_pays: ContextVar[Account | None] = ContextVar("who_pays", default=None)
"""The account of the client for whom the current task works."""


class Metered(Awaitable[Result]):
    """Work whose processor time on the event loop is charged to an account as it goes."""

    def __init__(self, work: Awaitable[Result], account: Account) -> None:
        self._work, self._account = work, account

    def __await__(self) -> Generator[Any, Any, Result]:
        work = self._work.__await__()
        step: Callable[[], Any] = partial(next, work)
        while True:
            began = time.thread_time()
            try:
                waits_for = step()
            except StopIteration as done:
                result: Result = done.value
                return result
            finally:
                self._account.charge(time.thread_time() - began)
            try:
                yield waits_for
                step = partial(next, work)
            except BaseException as error:  # the task was cancelled: the work hears it
                step = partial(work.throw, error)


class ServerLoad:
    """How far the event loop is behind, and a thread for what would hold it up."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._beat_due: float | None = None
        self._used_by_then = 0.0
        """The processor time that this process had used at the last beat."""
        self._timer: asyncio.TimerHandle | None = None
        self._thread = ThreadPoolExecutor(1, "apart")
        self._unhurried = Unhurried()
        self._waiting = 0
        self._turnstile = asyncio.Lock()
        self._in_line = 0

    def start(self) -> None:
        """Measure from now on. Call this in the event loop."""
        loop = asyncio.get_running_loop()
        self._used_by_then = time.process_time()
        self._beat_due = loop.time() + BEAT_S
        self._timer = loop.call_at(self._beat_due, self.start)

    @property
    def behind_s(self) -> float:
        """For how long the server's own work has kept the loop from coming around.

        What other programs on the machine do does not count: refusing requests would not help against it.
        """
        if self._beat_due is None:
            return 0.0
        late, worked = time.monotonic() - self._beat_due, time.process_time() - self._used_by_then
        return max(0.0, min(late, worked))

    def refuse_if_busy(self, least: float = 0.0) -> None:
        """Raise `BusyError` while the loop is behind, or many wait for a turn: the sooner, the more of its share this
        client's address has used, as if `least` were left of it. Moves never ask.
        """
        account, limits = who_pays.get(), self._limits
        patience = 1.0 if account is None else max(least, account.share_left)
        if self.behind_s > limits.behind_s * patience or self._in_line > limits.in_line * patience:
            raise BusyError

    async def turn(self, least: float = 0.0) -> None:
        """Wait for a turn: of what is not a move, one thing begins each time the loop comes around.

        Raises `BusyError` like `refuse_if_busy`.
        """
        self.refuse_if_busy(least)
        self._in_line += 1
        try:
            async with self._turnstile:
                await asyncio.sleep(0)
        finally:
            self._in_line -= 1

    async def apart(self, work: Callable[[], Result], *, urgent: bool = False) -> Result:
        """Run `work` in a thread, after earlier work of this kind. A full queue refuses what is not urgent."""
        account, limits = who_pays.get(), self._limits
        crowded = self._waiting >= limits.questions or (
            account is not None and account.waiting >= limits.questions_per_address
        )
        if crowded and not urgent:
            raise BusyError
        self._waiting += 1
        if account is not None:
            account.waiting += 1
        try:
            result, used = await asyncio.get_running_loop().run_in_executor(self._thread, self._unhurried, work)
        finally:
            self._waiting -= 1
            if account is not None:
                account.waiting -= 1
        if account is not None:
            account.charge(used)
        return result

    async def of_length(self, events: int, work: Callable[[], Result], *, urgent: bool = False) -> Result:
        """Run `work` on this many events: here, or apart if they are many."""
        return work() if events < MANY_EVENTS else await self.apart(work, urgent=urgent)

    def close(self) -> None:
        """Stop measuring, and end the thread."""
        if self._timer is not None:
            self._timer.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)


class Unhurried:
    """Runs work in one thread and leaves most of the interpreter's time to the event loop: after each piece of work
    the thread rests for several times as long as it has computed.
    """

    def __init__(self) -> None:
        self._rests_until = 0.0

    def __call__(self, work: Callable[[], Result]) -> tuple[Result, float]:
        """The result of the work, and the seconds of processor time that it took."""
        time.sleep(max(0.0, self._rests_until - time.monotonic()))
        began = time.thread_time()
        try:
            result = work()
        finally:
            used = time.thread_time() - began
            self._rests_until = time.monotonic() + min(LONGEST_REST_S, REST * used)
        return result, used
