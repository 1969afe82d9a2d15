"""What every command prints alike: JSON, the console, commands to type next, and rates."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from ..core import one_line, without_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Column, Table

    from ..tournament import FaultExample


def program() -> str:
    """How to run this program again from here: by name if the shell finds it, else by its path."""
    name = "liars-dice"
    called = Path(sys.argv[0])
    if shutil.which(name) or called.name != name:
        return name
    return str(called.relative_to(Path.cwd())) if called.is_relative_to(Path.cwd()) else str(called)


def command_line(*words: str, db: str | None = None) -> str:
    """A command for the user to type, with the store in use."""
    return f"{program()} {shlex.join([*words, *([] if db is None else ['--db', db])])}"


def endpoint_words() -> list[str]:
    """`--base-url URL` for commands to type next, if it was typed in this one."""
    from ..bridges.model_use import current_use

    url = current_use().given_url
    return [] if url is None else ["--base-url", url]


def model_lines() -> list[str]:
    """What language models cost in this run, a line for each."""
    from ..bridges.model_use import current_use

    return [
        f"{name}: {cost.decisions:,} decisions, {cost.calls:,} calls ({cost.corrected:,} corrected, {cost.given_up:,} "
        f"given up), {cost.prompt_tokens:,} + {cost.completion_tokens:,} tokens, "
        f"{cost.seconds / max(1, cost.calls):.1f} s per call"
        for name, cost in sorted(current_use().costs.items())
    ]


def lifetime_lines(ordered: Sequence[str], anew: Sequence[str]) -> list[str]:
    """Which bots keep what they learn from game to game, and which would but cannot."""
    lines = []
    if ordered:
        learns = (
            "learns between games: one instance plays all of its"
            if len(ordered) == 1
            else ("learn between games: one instance of each plays all of its")
        )
        lines.append(f"{', '.join(ordered)} {learns} games, in order")
    if anew:
        begins = "begins" if len(anew) == 1 else "begin"
        lines.append(f"{', '.join(anew)} {begins} anew in every game: boxed bots and programs keep nothing")
    return lines


def check_bot_line(time_limit: float | None) -> str:
    """Where to look after bots have committed faults under this time limit."""
    limit = () if time_limit is None else ("--time-limit", f"{time_limit:g}")
    return f"{command_line('check-bot', 'BOT', *limit)} shows what is wrong"


def fault_lines(
    faults: int, examples: Sequence[FaultExample], *, tracebacks: bool, time_limit: float | None
) -> list[str]:
    """How many faults bots committed, the first few in words, and where to look further."""
    from ..agents import asks_network

    if not faults:
        return []
    checkable = not examples or not all(asks_network(example.agent) for example in examples)
    advice = f"; {check_bot_line(time_limit)}" if checkable else ""
    lines = [f"{number_of(faults, 'fault')}{advice}"]
    for example in examples:
        times = "once" if example.count == 1 else f"{example.count:,} times"
        lines.append(f"  {example.agent}, {times}: {example.verdict.replace('_', ' ')}, {one_line(example.detail)}")
        lines += [f"    {line}" for line in example.traceback.splitlines() if tracebacks]
    if others := faults - sum(example.count for example in examples):
        lines.append(f"  and {others:,} other{'' if others == 1 else 's'}")
    if not tracebacks and any(example.traceback for example in examples):
        lines.append("  --traceback shows where they happened")
    return lines


class SafeStream:
    """Standard output or error, with control characters shown as codes, whatever writes to it.

    Rich writes its colours past it; `open_console` makes Rich do the same for the text between them.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream
        """The stream itself; Rich looks for it under this name."""

    def write(self, text: str) -> int:
        """Write text."""
        if not isinstance(text, str):
            raise TypeError(f"expected text, not {type(text).__name__}")
        self.rich_proxied_file.write(without_controls(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # bytes would not be looked at
            raise AttributeError(name)
        return getattr(self.rich_proxied_file, name)


@contextmanager
def safe_output() -> Iterator[None]:
    """Make everything that is printed safe for a terminal."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (None if one is None else SafeStream(one) for one in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def data_output() -> SafeStream | TextIO:
    """Standard output for files: their bytes arrive as they are, except on a terminal."""
    stream = _unwrapped(sys.stdout)
    return SafeStream(stream) if stream.isatty() else stream


def _unwrapped(stream: TextIO) -> TextIO:
    """The stream under ours, and under those of Rich's progress bars."""
    while (below := getattr(stream, "rich_proxied_file", None)) is not None:
        stream = below
    return stream


def open_console(*, stderr: bool = False) -> Console:
    """A Rich console that shows control characters as codes, and uses the full width even of a dumb terminal.

    Names such as `llm:x` stay as they are: Rich would draw some words between colons as pictures.
    """
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
    from rich.segment import Segment

    class Safe:
        """Something to print, without control characters."""

        def __init__(self, shown: ConsoleRenderable) -> None:
            self.shown = shown

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            for segment in console.render(self.shown, options):
                yield segment if segment.control else Segment(without_controls(segment.text), segment.style)

    class Hook(RenderHook):
        def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
            return [Safe(one) for one in renderables]

    console = Console(
        highlight=False, emoji=False, stderr=stderr, file=_unwrapped(sys.stderr if stderr else sys.stdout)
    )
    console.push_render_hook(Hook())
    if console.is_dumb_terminal:
        console.size = shutil.get_terminal_size()
    return console


def fit_table(
    console: Console,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *optional: str,
    shorter: Sequence[Sequence[Sequence[str]]] = (),
    folds: str | None = None,
    pad_edge: bool = False,
) -> tuple[Table, tuple[str, ...]] | None:
    """A table with one line per row, and the headings of the columns that it lacks.

    Nothing is cut off. If the terminal is too narrow, `shorter` forms of the rows are tried, the longest first; the
    column `folds` takes several lines; and `optional` columns are left out, the first named first. None if that is not
    enough. Output that does not go to a terminal has everything.
    """
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    unlimited = console.options.update(max_width=1_000_000)
    for count, texts in product(range(len(optional) + 1), (rows, *shorter)):
        missing = optional[:count]
        kept = [n for n, column in enumerate(columns) if column.header not in missing]
        table = Table(*(columns[n].copy() for n in kept), box=None, pad_edge=pad_edge)
        for column in table.columns:
            column.no_wrap = True
        for row in texts:
            table.add_row(*(Text(one_line(row[n])) for n in kept))
        width = Measurement.get(console, unlimited, table).maximum
        if not console.is_terminal:
            console.width = max(console.width, width)
        if width > console.width and folds is not None:
            width -= _fold(table, folds, width - console.width)
        if width <= console.width:
            return table, missing
    return None


NARROWEST = 16
"""Characters that a column which folds keeps, if it needs as many."""


def _fold(table: Table, heading: str, excess: int) -> int:
    """Make a column narrower by up to `excess` characters; returns by how many."""
    column = next(one for one in table.columns if one.header == heading)
    widest = max((len(str(cell)) for cell in column.cells), default=0)
    spared = max(0, min(excess, widest - NARROWEST))
    column.no_wrap, column.overflow, column.max_width = False, "fold", widest - spared
    return spared


def print_table(
    console: Console, columns: Sequence[Column], rows: Sequence[Sequence[str]], *optional: str, folds: str
) -> None:
    """Print a ranking that fits the terminal: long names fold, then `optional` columns are left out."""
    fitting = fit_table(console, columns, rows, *optional, folds=folds, pad_edge=True)
    if fitting is None:  # hardly wider than a name
        for row in rows:
            told = [f"{column.header} {text}".strip() for column, text in zip(columns, row, strict=True)]
            console.print(", ".join(told), markup=False)
        return
    print_fitting(console, *fitting)


def print_fitting(console: Console, table: Table, missing: tuple[str, ...]) -> None:
    """Print what `fit_table` found, and which columns it lacks."""
    console.print(table)
    if missing:
        console.print(f"\nThis terminal is too narrow to show: {', '.join(missing)}", markup=False)


def print_json(value: dict[str, object]) -> None:
    """Print the one JSON object of a `--json` command."""
    click.echo(json.dumps(value).replace("\x7f", "\\u007f"))


def number_of(things: int, noun: str) -> str:
    """How many there are, in words.

    >>> number_of(1, "game"), number_of(2000, "game")
    ('1 game', '2,000 games')
    """
    return f"{things:,} {noun}{'s' * (things != 1)}"


def percent(rate: float) -> str:
    """A rate as a percentage with two decimals."""
    return f"{100 * rate:.2f}%"


def method_line(method: str, games: int | None, why: str, seed: int | None, elapsed_s: float) -> str:
    """How a result was obtained, and why not by a more exact method. The seed is left out if it is None."""
    because = f"; {why}" if why else ""
    if method == "exact":
        return f"exact: no games were played, so there is no sampling error ({elapsed_s:.2f} s)"
    how = "at compiled speed" if method == "compiled" else "through the referee"
    from_seed = "" if seed is None else f", seed {seed}"
    return f"{games:,} games {how}{from_seed} ({elapsed_s:.2f} s){because}"


def dice_count(number: int) -> str:
    """`1 die`, `2 dice`."""
    return f"{number} {'die' if number == 1 else 'dice'}"
