"""How commands run: the store, signals, what bots print, and the facts that are reported about a run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..persistence import GameRecorder
    from ..tournament import Backend


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
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
