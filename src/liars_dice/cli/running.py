"""What commands that compute for a while have in common: compiling first, progress, and saying how it was done."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .options import workers_option

if TYPE_CHECKING:
    from ..core import GameConfig
    from ..exact.solver import SolverProgress
    from ..persistence import GameRecorder
    from ..tournament import Backend

Command = TypeVar("Command", bound=Callable[..., Any])


@contextmanager
def getting_ready(*, quiet: bool) -> Iterator[Callable[[], float]]:
    """Loading and compiling, which take a while the first time on a machine: a clock on standard error, if somebody is
    there to see it. What it yields says how many seconds that took.
    """
    start = time.perf_counter()
    end: list[float] = []
    with ExitStack() as shown:
        if not quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
            bar = shown.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
            bar.add_task("getting ready: compiling takes some seconds the first time", total=None)
        yield lambda: end[0] - start
    end.append(time.perf_counter())


def warm_up(*, strangers: bool = False, quiet: bool = True) -> float:
    """Load and compile what exact results and simulations need, also of bots that have to be asked; how many seconds
    that took.
    """
    with getting_ready(quiet=quiet) as seconds:
        _warm_up(strangers=strangers)
    return seconds()


def _warm_up(*, strangers: bool) -> None:
    from ..agents import CrawlerAgent, make_agent
    from ..core import preset
    from ..exact.matchups import Matchups
    from ..simulator import Simulator

    class _Asked(CrawlerAgent):
        """A class of its own is asked."""

    agents = [make_agent("crawler"), make_agent("random")]
    config = preset("classic", dice=1, faces=2)
    Matchups([agents[0], make_agent("truthful"), agents[1]], config)
    Simulator(agents, config, workers=1).warm_up()
    if strangers:
        Simulator([_Asked(), agents[1]], config, workers=1).warm_up()


def backend_options(command: Command) -> Command:
    """`--workers` and `--backend`: how much of how many machines is used. Results do not depend on them."""
    command = click.option(
        "--backend",
        default="processes",
        show_default=True,
        metavar="NAME",
        help="processes, ray, or ray://HOST:PORT.",
    )(command)
    return workers_option(command)


def run_facts(backend: Backend) -> dict[str, object]:
    """What may differ from run to run although the result does not."""
    return {"workers": backend.workers, "backend": backend.name, **software()}


def software() -> dict[str, object]:
    """The versions at work."""
    import platform

    from .. import __version__

    return {"version": __version__, "python": platform.python_version()}


def open_or_warn(db: str | None, *, must_exist: bool = False) -> GameRecorder:
    """The store; if the user's own cannot be opened, work goes on without."""
    from ..persistence import InMemoryRecorder, StoreError, open_store

    try:
        return open_store(db, must_exist=must_exist)
    except StoreError as error:
        if db is not None or must_exist:
            raise
        click.echo(f"Warning: nothing is recorded: {error}", err=True)
        return InMemoryRecorder()


@contextmanager
def show_progress(what: str, *, quiet: bool) -> Iterator[Callable[..., None] | None]:
    """A bar with the time left on standard error, if somebody is there to see it. What it yields is called with how
    much is done, how much there is and, if there is news, a few words.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, total: int, news: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {news}".strip())

        yield update


@contextmanager
def show_bracket(*, quiet: bool) -> Iterator[Callable[[SolverProgress], None]]:
    """How the bracket around a round's value closes, on standard error, if somebody is there to see it."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("solving", total=None)

        def update(now: SolverProgress) -> None:
            bar.update(
                task,
                description=f"[{now.lower:+.5f}, {now.upper:+.5f}] exploitable {now.exploitability:.1e}, "
                f"iteration {now.iterations:,}, {now.nodes:,} nodes",
            )

        yield update


@contextmanager
def bots_print_to_stderr() -> Iterator[None]:
    """What bots print is not part of our answer, however they do it."""
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
def terminated_like_interrupted() -> Iterator[None]:
    """A request to terminate is taken like Ctrl-C: what was done is kept, and nobody is left behind."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def rules_for_two(rules: str, players: int | None, dice: int | None) -> GameConfig:
    """Rules by name or file, for two players if they can be played by any number."""
    from ..core import PRESETS, load_rules

    for_any_number = rules in PRESETS and len(set(PRESETS[rules].dice)) == 1
    return load_rules(rules, players=2 if players is None and for_any_number else players, dice=dice)


def percent(rate: float) -> str:
    """A rate as people read it."""
    return f"{100 * rate:.2f} %"


def method_line(method: str, games: int | None, why: str, seed: int, elapsed_s: float) -> str:
    """How a result was found, and why not in a better way."""
    because = f"; {why}" if why else ""
    if method == "exact":
        return f"exact: no games were played, so there is no sampling error ({elapsed_s:.2f} s)"
    how = "at compiled speed" if method == "compiled" else "through the referee"
    return f"{games:,} games {how}, seed {seed} ({elapsed_s:.2f} s){because}"
