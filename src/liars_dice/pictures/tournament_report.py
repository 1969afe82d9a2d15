"""The report of a tournament: an HTML page with tables and charts, the charts as PNG, and the result as JSON."""

from __future__ import annotations

import contextlib
import tempfile
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from ..core import BadValueError, one_line
from ..persistence import writing_whole
from ..tournament import RoundRate, TournamentResult
from . import tournament_plots
from .picture_files import DPI, FORMATS, check_plots

STYLE = Path(__file__).with_name("report.css")


class Saved(msgspec.Struct, frozen=True):
    """What `result.json` holds: the result, which depends on the settings alone, and facts about this run."""

    result: TournamentResult
    run: dict[str, object]


def check_writable(directory: Path) -> None:
    """Raise an error now, not after a long tournament, if no report can be written to `directory`.

    Leaves nothing behind.
    """
    check_plots("a report")
    made = []
    try:
        for path in (*reversed(directory.parents), directory):
            if not path.is_dir():
                path.mkdir()
                made.append(path)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except (OSError, ValueError) as error:
        in_the_way = isinstance(error, (FileExistsError, NotADirectoryError))
        reason = "a file is in the way" if in_the_way else getattr(error, "strerror", None) or error
        raise BadValueError("report", str(directory), f"a directory that can be written ({reason})") from error
    finally:
        for path in reversed(made):
            with contextlib.suppress(OSError):  # another program has begun to use it
                path.rmdir()


def write_report(
    result: TournamentResult, directory: Path, run: Mapping[str, object], formats: Sequence[str] = ()
) -> Path:
    """Write the charts, `result.json`, and `index.html` with the charts embedded; returns the path of the page.

    The charts are PNG files; with `formats`, they are written in these as well (`pdf`, `svg`).
    `run` holds what may differ between two runs with the same settings, such as the time and the number of workers.
    """
    directory.mkdir(parents=True, exist_ok=True)
    result = result.without_address
    saved = msgspec.json.encode(Saved(result, dict(run)), enc_hook=str)
    _write(directory / "result.json", msgspec.json.format(saved) + b"\n")
    pictures = {}
    for draw in (
        tournament_plots.ratings,
        tournament_plots.heatmap,
        tournament_plots.significance,
        tournament_plots.breakdown,
    ):
        chart = draw(result)
        if chart is not None:
            pictures[draw.__name__] = tournament_plots.chart_bytes(chart)
        for kind in FORMATS:
            file = directory / f"{draw.__name__}.{kind}"
            if chart is None or kind not in ("png", *formats):
                file.unlink(missing_ok=True)  # left by an earlier report
            elif kind == "png":
                _write(file, pictures[draw.__name__])
            else:
                _write(file, tournament_plots.chart_bytes(chart, kind))
    page = directory / "index.html"
    _write(page, _page(result, run, pictures).encode())
    return page


def _write(path: Path, data: bytes) -> None:
    with writing_whole("report", path) as file:
        file.write_bytes(data)


def _page(result: TournamentResult, run: Mapping[str, object], pictures: Mapping[str, bytes]) -> str:
    kind = "League" if result.settings.kind == "league" else "Round robin"
    title = escape(f"{kind} of {len(result.agents)} agents")
    sections = {
        "Ranking": _leaderboard(result) + _ratings(result, pictures["ratings"]),
        "Who beats whom": _pairs(result, pictures),
        "How rounds go": _rounds(result, pictures.get("breakdown")),
        "Faults": _faults(result),
        "Settings and run": _settings(result, run),
    }
    body = "".join(f"<section>\n<h2>{heading}</h2>\n{content}</section>\n" for heading, content in sections.items())
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title} · Liar's Dice</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n<header>\n<p>Liar's Dice · {escape(result.settings.rules)}</p>\n<h1>{title}</h1>\n"
        f"{_summary(result)}</header>\n{body}</main>\n</body>\n</html>\n"
    )


def _summary(result: TournamentResult) -> str:
    """Who won, how certain that is, how it was computed, and any caveats."""
    exact = result.method == "exact"
    first = [standing for standing in result.ranking if standing.rank == 1]
    best, others = first[0], len(result.agents) - 1
    share = "on average" if result.settings.kind == "round-robin" else "of its games"
    names = " and ".join(f"<strong>{escape(standing.agent)}</strong>" for standing in first)
    if result.uneven and best.rank_interval[1] > 1:
        who = "The games played so far do not show who comes first."
    elif len(first) > 1:
        who = f"{names} share first place: each wins {_percent(best.win_rate)} {share}."
    else:
        beats = "beats" if exact else "is significantly better than"
        whom = (
            f"{best.beats} of {others} other agents"
            if others > 1
            else ("the other agent" if best.beats else "no other agent")
        )
        who = f"{names} comes first: it wins {_percent(best.win_rate)} {share} and {beats} {whom}."
        if best.rank_interval[1] > 1:
            who += f" That is not certain: its rank may be as low as {best.rank_interval[1]}"
            who += " (95\u202f% confidence for all agents at once)."
    if exact:
        how = "These numbers are exact: they were computed, not sampled from games, so there are no intervals."
    else:
        engine = "the compiled simulator" if result.method == "compiled" else "the rules engine"
        how = f"These numbers come from {result.games or 0:,} games played by {engine}."
        how += f" They are not exact because: {escape(result.why.rstrip('.'))}." if result.why else ""
    text = f'<p class="lead">{who} {how}</p>\n'
    if not result.complete:
        text += f'<p class="note">This tournament was stopped early: {_how_preliminary(result)}</p>\n'
    if result.ordered:
        text += (
            f'<p class="note">These agents learned while they played: {escape(", ".join(result.ordered))}. '
            "One instance of each played all of its games, in order, and a win rate is the mean over all of them.</p>\n"
        )
    if result.anew:
        text += (
            f'<p class="note">These agents began anew in every game: {escape(", ".join(result.anew))}. '
            "What runs in a box, or as a program, keeps nothing from game to game.</p>\n"
        )
    return text


def _how_preliminary(result: TournamentResult) -> str:
    """What the ranking of a stopped tournament does not show yet."""
    if not result.uneven:
        return "the ranking is preliminary."
    unmet = "not all agents have met yet"
    missing = unmet if result.settings.kind == "round-robin" else "the tables played so far are not a fair sample"
    return (
        f"{missing}, so win rates do not compare yet, and ratings have no intervals. "
        "The order counts everything that is left to play as even; the possible ranks allow for any result of it."
    )


def _leaderboard(result: TournamentResult) -> str:
    exact = result.method == "exact"
    met = ("Met",) if any(one.met is not None for one in result.ranking) else ()
    head = ("Rank", "Possible ranks", "Agent", *met, "Win rate", "95\u202f% interval", "Beats")
    rows = []
    for one in result.ranking:
        low, high = one.rank_interval
        interval = "exact" if exact else "–"
        if one.ci95 is not None:
            interval = f"{100 * one.ci95[0]:.1f} – {_percent(one.ci95[1])}"
        rating = f"{one.rating:.0f}" if exact else f"{one.rating:.1f}"
        if one.rating_interval is not None:
            rating += " ({:.1f} – {:.1f})".format(*one.rating_interval)
        ranks = str(low) if low == high else f"{low} – {high}"
        won = _percent(one.win_rate)
        if one.games == 0:
            won, interval, rating = "–", "no games yet", "–"
        of_others = (f"{one.met} of {len(result.agents) - 1}",) if met else ()
        rows.append((one.rank, ranks, one.agent, *of_others, won, interval, one.beats, one.ties, rating))
    table = _table("Agents, best first", (*head, "Ties" if exact else "Undecided", result.rating_scale), rows, named=2)
    return table if exact else f"{table}<p>{_how_sure(result)}</p>\n"


def _how_sure(result: TournamentResult) -> str:
    """What the intervals of the ranking mean."""
    unit = "deals" if result.settings.kind == "round-robin" else "tables"
    measured = "win rates" if result.uneven else "win rates and ratings"
    against = ""
    if result.uneven:
        league = result.settings.kind == "league"
        against = " at tables like those played so far" if league else " against the agents met so far"
    text = (
        f"Intervals of {measured} hold with 95\u202f% confidence each, in the long run{against}, "
        f"with {unit} as the unit. Possible ranks hold with 95\u202f% confidence for all agents at once."
    )
    if result.resolution is not None:
        points = f"{100 * result.resolution:.2g} points"
        text += f" Win rates that are {points} apart or more differ significantly (5\u202f% level, one comparison)."
    return text


def _ratings(result: TournamentResult, png: bytes) -> str:
    rated = [one for one in result.ranking if one.games != 0] or result.ranking
    best = max(rated, key=lambda one: one.rating)
    worst = min(rated, key=lambda one: one.rating)
    lowest = f"{worst.rating:.1f} for {worst.agent}"
    alt = f"{result.rating_scale} ratings from {best.rating:.1f} for {best.agent} down to {lowest}."
    how = "Further right is stronger."
    if result.settings.kind == "round-robin":
        how += " A lead of 400 points means about ten wins per loss."
    if any(standing.rating_interval is not None for standing in result.ranking):
        how += " Where bars overlap a lot, there were too few games to tell which agent is stronger."
    return _picture(png, alt, how)


def _pairs(result: TournamentResult, pictures: Mapping[str, bytes]) -> str:
    exact, league = result.method == "exact", result.settings.kind == "league"
    even = "exact ties" if exact else "undecided pairs"
    text = _picture(
        pictures["heatmap"],
        "Heatmap of win rates, best agent first. The table below holds all the numbers.",
        "How often the agent in the row beats the agent in the column, in percent: purple is more than half, "
        f"orange is less. Dots mark {even}. Grey cells: the same agent, or two agents that never met."
        + (
            " Of the games both agents played at one table, those that one of the two won are counted."
            if league
            else ""
        ),
    )
    text += _picture(
        pictures["significance"],
        "Grid of better and worse agents, best agent first. The table below marks the same pairs.",
        "Where the agent in the row is better (+) or worse (−) than the agent in the column."
        + ("" if exact else " The chance that any of these marks is wrong is at most 5\u202f% (Holm's correction)."),
    )
    names = [one.agent for one in result.ranking]
    rows = [
        (name, *("" if c is None else f"{100 * c.win_rate:.1f}{'' if c.verdict else ' ≈'}" for c in row))
        for name, row in zip(names, tournament_plots.ranked(result), strict=True)
    ]
    caption = f"Games won by the agent in the row, in percent; ≈ marks {even}"
    table = _table(caption, ("Agent", *names), rows, kind="grid")
    return f"{text}<details>\n<summary>All win rates as a table</summary>\n{table}</details>\n"


def _rounds(result: TournamentResult, png: bytes | None) -> str:
    if png is None:
        return "<p>Rounds were not counted.</p>\n"
    most = (
        f" Only the best {tournament_plots.SHOWN} agents are shown."
        if len(result.ranking) > tournament_plots.SHOWN
        else ""
    )
    text = _picture(
        png,
        "Share of rounds won, by who opens and by the agent's number of dice. The tables below hold the numbers.",
        "Top: rounds won when the agent opens (circle) and when another agent does (diamond). Bottom: rounds won by "
        f"the agent's number of dice; grey lines are the other agents, for comparison.{most}",
    )
    openers = [(one.agent, *_shares(one.opening), *_shares(one.answering)) for one in result.ranking]
    caption = "Rounds by who opens" + (" (expected numbers)" if result.method == "exact" else "")
    text += _table(caption, ("Agent", "Rounds opened", "Won", "Rounds answered", "Won"), openers)
    if dice := sorted({n for one in result.ranking for n in one.by_dice}):
        by_dice = [(one.agent, *(_shares(one.by_dice.get(n))[1] for n in dice)) for one in result.ranking]
        counts = [f"{n} {'die' if n == 1 else 'dice'}" for n in dice]
        text += _table("Rounds won, by the agent's number of dice", ("Agent", *counts), by_dice)
    return text


def _faults(result: TournamentResult) -> str:
    kinds = sorted({kind for one in result.ranking for kind in one.faults})
    if not kinds:
        return "<p>No faults: every agent followed the rules.</p>\n"
    rows = [(one.agent, *(one.faults.get(kind, 0) for kind in kinds)) for one in result.ranking if one.faults]
    head = ("Agent", *(kind.replace("_", " ") for kind in kinds))
    text = _table("Faults per agent; agents that are not listed had none", head, rows)
    examples = [example for one in result.ranking for example in one.fault_examples]
    told = [(e.agent, f"{e.count:,}", e.verdict.replace("_", " "), e.detail) for e in examples]
    text += _table("The first different faults of each agent", ("Agent", "Times", "Kind", "What"), told, kind="text")
    for example in examples:
        if example.traceback:
            said = escape(one_line(f"Traceback of {example.agent}: {example.detail}", 120))
            text += f"<details>\n<summary>{said}</summary>\n<pre>{escape(example.traceback)}</pre>\n</details>\n"
    return text


def _settings(result: TournamentResult, run: Mapping[str, object]) -> str:
    asked = msgspec.to_builtins(result.settings)
    config = asked.pop("config")
    asked |= {"agents": len(result.agents), "games played": result.games or "none", "rounds": result.rounds}
    text = ""
    for caption, values in (("Settings", asked), ("Rules", config), ("This run", run)):
        rows = [(_words(name), _value(value)) for name, value in values.items() if value is not None]
        text += _table(caption, ("Name", "Value"), rows, kind="text") if rows else ""
    return text


def _table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], *, named: int = 0, kind: str = "numbers"
) -> str:
    """An HTML table; column `named` holds the names of its rows."""
    columns = [f'<th scope="col"><span>{escape(name)}</span></th>' for name in head]
    columns[named] = f'<th scope="col" class="name">{escape(head[named])}</th>'
    text = f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">\n<table class="{kind}">\n'
    text += f"<caption>{escape(caption)}</caption>\n<thead><tr>{''.join(columns)}</tr></thead>\n<tbody>\n"
    for row in rows:
        cells = [f"<td>{escape(str(value))}</td>" for value in row]
        cells[named] = f'<th scope="row">{escape(str(row[named]))}</th>'
        text += f"<tr>{''.join(cells)}</tr>\n"
    return f"{text}</tbody>\n</table>\n</div>\n"


def _picture(png: bytes, alt: str, caption: str) -> str:
    width, height = (round(int.from_bytes(png[at : at + 4]) * 96 / DPI) for at in (16, 20))
    kind = ' class="wide"' if width > 1000 else ""
    return (
        f'<figure{kind}>\n<div class="card"><img src="data:image/png;base64,{b64encode(png).decode()}" width="{width}" '
        f'height="{height}" alt="{escape(alt)}"></div>\n<figcaption>{escape(caption)}</figcaption>\n</figure>\n'
    )


def _shares(rate: RoundRate | None) -> tuple[str, str]:
    """The number of rounds, and the share won."""
    return (_number(rate.rounds), _percent(rate.rate)) if rate is not None and rate.rounds else ("–", "–")


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}\u202f%"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _words(name: str) -> str:
    return (name[:-2] + " (seconds)" if name.endswith("_s") else name).replace("_", " ")


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.10g}" if isinstance(value, float) else str(value)
