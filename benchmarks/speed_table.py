"""The table of speed beside other packages, in README.md and docs/index.md, with the numbers of docs/benchmarks.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "index.md")
BEGIN, END = "<!-- speed -->\n", "\n<!-- end -->"
API = "OpenSpiel's Python API"


class Row(NamedTuple):
    """A row: its cells, and where in the section of which script the numbers in braces are found."""

    cells: str
    script: str
    numbers: str


ROWS = (
    Row(
        "solve OpenSpiel's version of the game (one die each) to an exploitability of 0.005 | {ours} s "
        "| OpenSpiel's CFR+ (C++): {theirs} s | {ratio} times as fast",
        "solver.py",
        r"CFR\+ \(C\+\+\) comes to \S+ in (?P<theirs>\S+) s .*; ours to \S+ in (?P<ours>\S+) s: (?P<ratio>\S+) times",
    ),
    Row(
        "play random rounds of the same game, compiled, one core | {ours}/s "
        "| OpenSpiel's bots (C++): {theirs}/s | {ratio} times as fast",
        "simulator.py",
        r"openspiel, random rounds, one die: (?P<ours>\S+) games/s(?s:.*)"
        r"bots in C\+\+: (?P<theirs>\S+) rounds/s; ratio (?P<ratio>\S+)",
    ),
    Row(
        "step a batched environment for learners, two cores | {ours} million/s "
        f"| {API}, one core: {{theirs}} million/s | {{ratio}} times as fast",
        "learning.py",
        r"batched environment, .*: (?P<ours>\S+) million steps/s .*\n"
        rf" *{API}: (?P<theirs>\S+) million actions/s; ratio (?P<ratio>\S+)",
    ),
    Row(
        f"play random rounds with five dice each from Python, pure functions | {{ours}}/s | {API} "
        "| {ratio} times as fast",
        "engine.py",
        rf"5 dice each, pure functions, dice picked from a list, compared with {API}: (?P<ratio>\S+) times .*\n"
        r" *(?P<ours>\S+) rounds/s",
    ),
    Row(
        f"the same, with an engine, seeded dice and a view for each move | {{ours}}/s | {API} "
        "| {ratio} times as fast ({one_die} times with one die each)",
        "engine.py",
        rf"1 die each, an engine each, .*{API}: (?P<one_die>\S+) times(?s:.*)"
        rf"5 dice each, an engine each, .*{API}: (?P<ratio>\S+) times .*\n *(?P<ours>\S+) rounds/s",
    ),
    Row(
        "play whole games, with the players' information as data / as text | {data} / {text} moves/s "
        "| TextArena: {their_data} / {their_text} moves/s | {ratio} / {text_ratio} times as fast",
        "peers.py",
        r"players get data: (?P<ratio>\S+) times .*\n.* (?P<their_data>\S+) moves/s\n.* (?P<data>\S+) moves/s\n"
        r".*players get text: (?P<text_ratio>\S+) times .*\n.* (?P<their_text>\S+) moves/s\n.* (?P<text>\S+) moves/s",
    ),
    Row(
        "solve two dice against three to 1e-4, two cores | {ours} s | we know of no other | ",
        "solver.py",
        r"2 v 3 solved to 1e-04 on a cpu: (?P<ours>\S+) s",
    ),
    Row(
        "the same on an H200 GPU | {ours} s | we know of no other | ",
        "solver.py --device gpu",
        r"2 v 3 solved to 1e-04 on a gpu: (?P<ours>\S+) s",
    ),
)


def speed_table(sections: dict[str, str]) -> str:
    """The table, from the sections of docs/benchmarks.md."""
    lines = ["| task | this package | other | ratio |", "|---|---|---|---|"]
    for row in ROWS:
        found = re.search(row.numbers, sections.get(row.script, ""))
        if not found:
            raise SystemExit(f"no section {row.script} with the numbers of README's row: {row.cells.split(' | ')[0]}")
        lines.append(f"| {row.cells.format(**{name: rounded(n) for name, n in found.groupdict().items()})} |")
    return "\n".join(lines) + "\n"


def rounded(number: str) -> str:
    """A number as people like to read it, with at most three significant digits."""
    value = float(number.replace(",", ""))
    if value >= 1e6:
        return f"{value / 1e6:.3g} million"
    return f"{float(f'{value:.3g}'):,.10g}"


def with_table(text: str, table: str) -> str:
    """A page with this table between its marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"no place for the table of speed: expected {BEGIN.strip()} and {END.strip()} around it")
    return f"{before}{begin}\n{table}{end}{after}"


def write_speed_tables(sections: dict[str, str]) -> None:
    """Write the table into all pages that have it."""
    table = speed_table(sections)
    for page in PAGES:
        page.write_text(with_table(page.read_text(encoding="utf-8"), table), encoding="utf-8")
