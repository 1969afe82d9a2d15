"""The connection to the coach's process, which is started when first needed, and again if it dies."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..core import Progress, PublicState
from . import coach_process
from .coach_process import WARM_UPS, receive, send
from .errors import FullError, RoomError
from .load import who_pays

MAX_PREPARED = 1024
"""How many kinds of rounds are remembered as prepared."""

COACH_COST = 0.1
"""What a second of the coach's process costs: it holds up no move, but others who ask."""


class RefusedError(RoomError):
    """A question that is invalid, or that the coach cannot answer."""

    status = 400
    code = "cannot_answer"


class CoachError(RoomError):
    """The coach's process died or failed."""

    status = 503
    code = "coach_failed"


class _Question:
    def __init__(self, what: str, progress: Progress | None) -> None:
        self.what = what
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.progress = progress
        self.asked: subprocess.Popen[bytes] | None = None
        """The process it was sent to."""
        self.account = who_pays.get()
        """Whose time the answer takes."""


class CoachClient:
    """Sends questions to the coach's process and returns its answers.

    Of each kind, at most `most` wait at a time, and `most_each` of one address.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self._most, self._most_each = most, most_each
        self.numbers = itertools.count()
        """The number of the next question."""
        self._asked: dict[int, _Question] = {}
        self._writer = ThreadPoolExecutor(1, "coach")
        self.process: subprocess.Popen[bytes] | None = None
        """The coach's process; None before the first question."""
        self._reader: threading.Thread | None = None
        self._closed = False
        self._prepared: set[object] = set()
        self._ahead: asyncio.Task[None] | None = None
        """Work in advance: warming up, or preparing a round."""

    async def ask(self, what: str, *arguments: object, progress: Progress | None = None) -> Any:
        """The answer to a question of `coach_process`. `progress` is called with how far it is, if it reports that."""
        if self._closed:
            raise CoachError("the server is shutting down")
        account = who_pays.get()
        of_kind = [other.account for other in self._asked.values() if other.what == what]
        if len(of_kind) >= self._most or (account is not None and of_kind.count(account) >= self._most_each):
            raise FullError("too many questions are waiting for the coach; try again in a moment", code="coach_busy")
        loop = asyncio.get_running_loop()
        number, question = next(self.numbers), _Question(what, progress)
        self._asked[number] = question
        try:
            await loop.run_in_executor(self._writer, self._send, loop, question, (number, what, arguments))
            return await question.answer
        finally:
            del self._asked[number]

    def warm_up(self) -> None:
        """Start the process and let it load what it needs: seconds, or longer if it must compile first."""
        self._do_ahead(self._warm_up())

    async def _warm_up(self) -> None:
        for step in range(WARM_UPS):  # one by one, so that a question can be answered in between
            await self.ask("warm_up", step)

    def prepare(self, public: PublicState, known: Sequence[str]) -> None:
        """Let the coach get ready for a new round, unless it has prepared one like it or is busy."""
        kinds = tuple(agent_id.partition(":")[0] for agent_id in known)
        key = (public.rules, public.dice_counts, public.current_player, kinds)
        if self.process is None or self._asked or key in self._prepared:
            return
        if len(self._prepared) >= MAX_PREPARED:
            self._prepared.clear()
        self._prepared.add(key)
        self._do_ahead(self.ask("prepare", public, known))

    def _do_ahead(self, work: Coroutine[Any, Any, Any]) -> None:
        async def quietly() -> None:
            with contextlib.suppress(RoomError):  # a question will report it
                await work

        self._ahead = asyncio.create_task(quietly())

    def _send(
        self, loop: asyncio.AbstractEventLoop, question: _Question, message: tuple[int, str, tuple[object, ...]]
    ) -> None:
        """Runs in the writer's thread, because writing to the process can block."""
        for attempt in (1, 2):
            try:
                question.asked = process = self.process or self._start(loop)
                assert process.stdin is not None
                send(process.stdin, message)
                return
            except OSError as error:
                self.process = None
                if attempt == 2:
                    raise CoachError("the coach is not available now; try again") from error

    def _start(self, loop: asyncio.AbstractEventLoop) -> subprocess.Popen[bytes]:
        self.process = process = subprocess.Popen(
            [sys.executable, "-m", coach_process.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONSAFEPATH": "1"},
            start_new_session=True,  # Ctrl-C is for the server alone
        )
        self._reader = threading.Thread(target=self._read, args=(loop, process), name="coach-reader", daemon=True)
        self._reader.start()
        return process

    def _read(self, loop: asyncio.AbstractEventLoop, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(RuntimeError):  # the loop is closed, and no one is waiting
            while (said := receive(process.stdout)) is not None:
                loop.call_soon_threadsafe(self._heard, *said)
            loop.call_soon_threadsafe(self._lost, process)
        process.wait()
        process.stdout.close()
        with contextlib.suppress(OSError):  # an unsent part of a question may be left in it
            process.stdin.close()

    def _heard(self, number: int, kind: str, value: Any) -> None:
        question = self._asked.get(number)
        if question is None or question.answer.done():  # the client has left
            return
        match kind:
            case "progress":
                if question.progress is not None:
                    question.progress(*value)
            case "used":
                if question.account is not None:
                    question.account.charge(value * COACH_COST)
            case "answer":
                question.answer.set_result(value)
            case "refused":
                line, code = value
                question.answer.set_exception(RefusedError(line, code=code))
            case _:
                question.answer.set_exception(CoachError(f"the coach failed: {value}"))

    def _lost(self, process: subprocess.Popen[bytes]) -> None:
        """The process has ended: fail its open questions."""
        if self.process is process:
            self.process = None
        for question in self._asked.values():
            if question.asked is process and not question.answer.done():
                question.answer.set_exception(CoachError("the coach stopped while working on this; ask again"))

    def close(self) -> None:
        """End the process; questions that come later are refused."""
        self._closed = True
        if self._ahead is not None:
            self._ahead.cancel()
        if self.process is not None:
            self.process.kill()
        self._writer.shutdown(cancel_futures=True)
        if self._reader is not None:
            self._reader.join()
