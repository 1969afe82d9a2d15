"""Feedback while a command computes: compiling first, then a progress bar, or the bracket of a solver."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from .output import open_console

if TYPE_CHECKING:
    from ..exact.solver import SolverProgress


@contextmanager
def show_compiling(*, quiet: bool) -> Iterator[Callable[[], float]]:
    """Show a clock on standard error, if it is a terminal, while code is loaded and compiled.

    Yields a function that returns how many seconds that took.
    """
    start = time.perf_counter()
    end: list[float] = []
    with ExitStack() as shown:
        if not quiet and sys.stderr.isatty():
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
            bar = shown.enter_context(Progress(*columns, console=open_console(stderr=True), transient=True))
            bar.add_task("compiling (only the first run takes several seconds)", total=None)
        yield lambda: end[0] - start
    end.append(time.perf_counter())


def warm_up(names: Iterable[str] = (), *, quiet: bool = True) -> float:
    """Load and compile what exact results and simulations of these agents need; return the seconds that took."""
    from ..agents import AGENTS

    asked = any(name not in AGENTS and not name.startswith("threshold:") for name in names)
    with show_compiling(quiet=quiet) as seconds:
        _warm_up(asked=asked)
    return seconds()


def _warm_up(*, asked: bool) -> None:
    """With `asked`, also what agents need whose tables are built by asking them."""
    from ..agents import CrawlerAgent, make_agent
    from ..core import preset
    from ..exact.matchups import Matchups
    from ..simulator import Simulator

    class _Asked(CrawlerAgent):
        """Not a built-in class, so its table is built by asking it."""

    agents = [make_agent("crawler"), make_agent("random")]
    config = preset("classic", dice=1, faces=2)
    Matchups([agents[0], make_agent("truthful"), agents[1]], config)
    Simulator(agents, config, workers=1).warm_up()
    if asked:
        Simulator([_Asked(), agents[1]], config, workers=1).warm_up()


@contextmanager
def show_progress(what: str, *, quiet: bool) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar with the time left on standard error, if it is a terminal.

    Yields a function to call with the amount done, the total, and optionally a few words; None if nothing is shown.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def update(done: int, total: int, news: str = "") -> None:
            bar.update(task, completed=done, total=total, description=f"{what} {news}".strip())

        yield update


@contextmanager
def show_bracket(*, quiet: bool) -> Iterator[Callable[[SolverProgress], None]]:
    """Show how the bracket around a round's value narrows, on standard error, if it is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=open_console(stderr=True), transient=True) as bar:
        task = bar.add_task("solving", total=None)

        def update(now: SolverProgress) -> None:
            bar.update(
                task,
                description=f"[{now.lower:+.5f}, {now.upper:+.5f}] exploitability {now.exploitability:.1e}, "
                f"iteration {now.iterations:,}, {now.nodes:,} nodes",
            )

        yield update
