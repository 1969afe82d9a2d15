"""A dossier in words: what a player does, for those who sit opposite. Nothing is said that rests on too little."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import sqrt

from ..core import percent, plural, say_bid
from .scouting import FEWEST, MOST_HABITS, ODDS, Dossier, Rate


def findings(dossier: Dossier) -> list[tuple[str, list[str]]]:
    """What was found, as sentences under headings. Headings without a finding are left out."""
    sections = [
        ("Style", _style(dossier)),
        ("Openings", _openings(dossier)),
        ("Calling", _calling(dossier)),
        ("Bluffs", _bluffs(dossier)),
        ("Raises and tells", _raises(dossier)),
        ("With fewer dice", _changes(dossier)),
        ("What it costs", _cost(dossier)),
    ]
    return [(heading, told) for heading, told in sections if told]


def basis(dossier: Dossier) -> str:
    """What the dossier rests on, in one sentence."""
    said = (
        f"This rests on {plural(dossier.rounds, 'round')} of {plural(dossier.games, 'game')}, "
        f"{plural(dossier.decisions, 'decision')}"
    )
    return f"{said}; nothing is said that would rest on fewer than {FEWEST} decisions."


def _style(dossier: Dossier) -> list[str]:
    style = dossier.style
    if style is None:
        return []
    if style.agreement >= 0.5:
        said = f"plays most like the bot {style.name}"
    else:
        said = f"plays like no bot we know; the nearest is {style.name}"
    sure = f"{percent(min(style.probability, 0.999))} likely among the bots we know"
    return [f"{dossier.player} {said} ({sure}), which would have done the same {percent(style.agreement)} of the time."]


def _openings(dossier: Dossier) -> list[str]:
    opening = dossier.openings
    if opening is None or opening.rounds < FEWEST:
        return []
    common = ", ".join(f"{say_bid(bid)} ({times})" for bid, times in opening.most_common)
    return [
        f"Of {opening.rounds} openings, the commonest are {common}.",
        f"Opens on the face held most {_often(opening.best_face)}, and with more than held "
        f"{_often(opening.more_than_held)}.",
        f"An opening holds {percent(opening.mean_chance)} of the time, given the dice behind it.",
    ]


def _calling(dossier: Dossier) -> list[str]:
    steps = [
        (low, high, rate) for (low, high), rate in zip(pairwise(ODDS), dossier.calling, strict=True) if rate.is_told
    ]
    if not steps:
        return []
    told = [f"{percent(low)} to {percent(high)}: {percent(rate.value)} of {rate.of}" for low, high, rate in steps]
    found = [f"Calls liar by how likely the bid is to hold, as {dossier.player} sees it: {'; '.join(told)}."]
    even = [high for _, high, rate in steps if rate.value >= 0.5]
    if even:
        found.append(
            f"More often than not, a bid is called if it holds less than about {percent(max(even))} of the time."
        )
    if dossier.exact_calls.is_told and dossier.exact_calls.times:
        found.append(f"Calls exact {_often(dossier.exact_calls)}.")
    return found


def _bluffs(dossier: Dossier) -> list[str]:
    if not dossier.bluffs.is_told:
        return []
    said = f"A bid is a bluff, more likely false than true given the dice behind it, {_often(dossier.bluffs)}."
    if dossier.bluffs.times < FEWEST:
        return [said]
    return [said, f"Bluffs hold {percent(dossier.bluff_chance)} of the time."]


def _raises(dossier: Dossier) -> list[str]:
    found = []
    if dossier.jumps.is_told:
        found.append(
            f"Raises by more than necessary {_often(dossier.jumps)}, and keeps the face {_often(dossier.keeps_face)}."
        )
    tell = dossier.jump_tell
    if tell is not None and tell.is_told:
        strength = "strong" if tell.held > tell.held_otherwise else "weak"
        found.append(
            f"A jump is a tell: {percent(tell.held)} of the dice behind it count for it, against "
            f"{percent(tell.held_otherwise)} with other raises. A jump means a {strength} hand."
        )
    return found


def _changes(dossier: Dossier) -> list[str]:
    """How bluffs and calls change as dice are lost: the first and the last group that say enough."""
    found = []
    for words in ("bluffs", "calls"):
        rates = {group.label: getattr(group, words) for group in dossier.by_own_dice}
        told = [(label, rate) for label, rate in rates.items() if rate.is_told]
        if len(told) < 2:
            continue
        (many, first), (few, last) = told[0], told[-1]
        if _differ(first, last):
            more = "more" if last.value > first.value else "less"
            found.append(
                f"With {few}, {dossier.player} {words} {more}: {percent(last.value)} of the time, against "
                f"{percent(first.value)} with {many}."
            )
        else:
            found.append(
                f"No clear change in how often {dossier.player} {words} as dice are lost "
                f"({percent(first.value)} with {many}, {percent(last.value)} with {few})."
            )
    return found


def _differ(one: Rate, other: Rate) -> bool:
    """Whether two rates differ clearly: by more than 1.96 standard errors of their difference."""
    pooled = (one.times + other.times) / (one.of + other.of)
    return abs(one.value - other.value) > 1.96 * sqrt(pooled * (1 - pooled) * (1 / one.of + 1 / other.of))


def _cost(dossier: Dossier) -> list[str]:
    cost = dossier.cost
    if cost is None:
        return []
    low, high = cost.ci95
    return [
        f"By the coach, over {plural(cost.games, 'reviewed game')}: mistakes give away {percent(cost.per_game)} of the "
        f"chance to win a game ({percent(low)} to {percent(high)}); accuracy {cost.accuracy:.1f}%.",
        f"Rated {'; '.join(f'{said} ({number})' for said, number in dossier.cost_against.items())}.",
        *(
            f"{habit.words}: {percent(habit.per_game)} a game ({plural(habit.times, 'time')})."
            for habit in cost.habits[:MOST_HABITS]
        ),
    ]


def _often(rate: Rate) -> str:
    low, high = rate.ci95
    return f"{percent(rate.value)} of the time ({percent(low)} to {percent(high)})"


def comparison(one: Dossier, other: Dossier) -> list[tuple[str, str, str]]:
    """Two players side by side: what is compared, and how it is with each. Rates that rest on too little are empty."""
    rows = [("rounds", str(one.rounds), str(other.rounds)), ("nearest style", _named(one), _named(other))]
    for words, get in _COMPARED:
        rows.append((words, _told(get(one)), _told(get(other))))
    for number, (low, high) in enumerate(pairwise(ODDS)):
        label = f"calls a bid that holds {percent(low)} to {percent(high)} of the time"
        rows.append((label, _told(one.calling[number]), _told(other.calling[number])))
    if one.cost is not None or other.cost is not None:
        rows.append(("mistakes give away, of a game", _lost(one), _lost(other)))
    return rows


_COMPARED: tuple[tuple[str, Callable[[Dossier], Rate | None]], ...] = (
    ("opens on the face held most", lambda of: None if of.openings is None else of.openings.best_face),
    ("opens with more than held", lambda of: None if of.openings is None else of.openings.more_than_held),
    ("bids that are bluffs", lambda of: of.bluffs),
    ("raises that are jumps", lambda of: of.jumps),
    ("raises that keep the face", lambda of: of.keeps_face),
    ("exact calls", lambda of: of.exact_calls),
)


def _named(dossier: Dossier) -> str:
    return "" if dossier.style is None else f"{dossier.style.name} ({percent(dossier.style.probability)})"


def _lost(dossier: Dossier) -> str:
    return "" if dossier.cost is None else percent(dossier.cost.per_game)


def _told(rate: Rate | None) -> str:
    return "" if rate is None or not rate.is_told else f"{percent(rate.value)} of {rate.of}"
