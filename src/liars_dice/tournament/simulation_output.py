"""What a simulation prints while it runs: plain lines, and in a terminal also progress bars."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

from ..core import without_controls

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class SimulationOutput:
    """Tells how a simulation goes, on standard output; nothing if it is not `verbose`."""

    def __init__(self, n_tables: int, n_replications: int, *, verbose: bool) -> None:
        self._n_tables = n_tables
        self._n_replications = n_replications
        self._verbose = verbose
        self._bars: Progress | None = None
        self._bar_of: dict[int, TaskID] = {}
        self._shown = ExitStack()

    def __enter__(self) -> SimulationOutput:
        if self._verbose and sys.stdout.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            console = Console(highlight=False, markup=False, soft_wrap=True)
            self._bars = self._shown.enter_context(Progress(*columns, console=console, transient=True))
            self._total = self._bars.add_task("All tables", total=self._n_tables * self._n_replications)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shown.close()
        self._bars = None

    def say(self, *lines: str) -> None:
        """Print lines, above the bars if there are any."""
        if self._verbose:
            (print if self._bars is None else self._bars.console.print)("\n".join(map(without_controls, lines)))

    def show_played(self, table: int, games: int, total: int) -> None:
        """Note how many games have been played at a table, counted from 0, and in total."""
        if self._bars is None:
            return
        self._bars.update(self._total, completed=total)
        if games == self._n_replications:
            if table in self._bar_of:
                self._bars.remove_task(self._bar_of.pop(table))
        elif table in self._bar_of:
            self._bars.update(self._bar_of[table], completed=games)
        else:
            self._bar_of[table] = self._bars.add_task(self._title(table), total=self._n_replications, completed=games)

    def show_scores(self, table: int, agents: tuple[str, ...], wins: tuple[int, ...]) -> None:
        """Print the scores of a table whose games are over."""
        self.say(
            f"{self._title(table)}: {', '.join(agents)}",
            f"{self._n_replications} replications have been finished. Scores at this table:",
            f"{dict(zip(agents, wins, strict=True))}",
        )

    def _title(self, table: int) -> str:
        return f"Table {table + 1} of {self._n_tables}"
