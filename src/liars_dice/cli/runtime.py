"""How commands run: the store, signals, what bots print, and the facts that are reported about a run."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..persistence import GameRecorder
    from ..tournament import Backend

STOPPING = b"\nStopping; this may take a moment. Ctrl-C again quits at once.\n"


def run_facts(backend: Backend) -> dict[str, object]:
    """What may differ between two runs with the same result (the `run` key of JSON output)."""
    return {"workers": backend.workers, "backend": backend.name, **versions()}


def model_facts() -> dict[str, object]:
    """What language models cost in this run, if any were asked."""
    from ..bridges.model_use import current_use

    costs = current_use().costs_as_json()
    return {"llm": costs} if costs else {}


def versions() -> dict[str, object]:
    """The versions of this package and of Python."""
    import platform

    from .. import __version__

    return {"version": __version__, "python": platform.python_version()}


def open_store_or_warn(db: str | None, *, must_exist: bool = False) -> GameRecorder:
    """Open the store. If it is the default one and cannot be opened, warn and continue without recording."""
    from ..persistence import InMemoryRecorder, StoreError, open_store

    try:
        return open_store(db, must_exist=must_exist)
    except StoreError as error:
        if db is not None or must_exist:
            raise
        click.echo(f"Warning: nothing will be recorded: {error}", err=True)
        return InMemoryRecorder()


def say_what_boxes_lack() -> None:
    """Say in one line, on standard error, what a box on this system does not keep from a bot."""
    from ..referee import missing_walls

    lacking = missing_walls()
    if lacking:
        click.echo(f"Note: boxes on this system have {'; '.join(lacking)}. See docs/security.md.", err=True)


@contextmanager
def bot_output_to_stderr() -> Iterator[None]:
    """Send whatever bots print to standard error, so that it does not mix with our output."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C: finished work is kept, and no child process is left behind."""
    with _handled({signal.SIGTERM: signal.default_int_handler}):
        yield


@contextmanager
def tells_that_it_stops() -> Iterator[None]:
    """Say at the first Ctrl-C that stopping takes a while: what was done so far is evaluated first."""
    told = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal told
        if not told:
            told = True
            with suppress(OSError):  # nobody may be listening
                os.write(2, STOPPING)  # a handler must not use a stream that may be writing
        raise KeyboardInterrupt

    with _handled({signal.SIGINT: stop, signal.SIGTERM: stop}):
        yield


@contextmanager
def _handled(handlers: Mapping[signal.Signals, Callable[[int, FrameType | None], object]]) -> Iterator[None]:
    """Handle these signals, unless this program was told to ignore them; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = {n: handler for n, handler in handlers.items() if signal.getsignal(n) is not signal.SIG_IGN}
    before = {number: signal.signal(number, handler) for number, handler in heard.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
