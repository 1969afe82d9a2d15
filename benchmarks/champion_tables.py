"""The tables of docs/champion.md, made from the figures that `champion.py` has."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from liars_dice.learn.champion.agent import LEVELS
from liars_dice.learn.champion.yielding import MEASURED, is_less_exploitable

PAGE = Path(__file__).parent.parent / "docs" / "champion.md"
Line = dict[str, Any]
"""A figure, as it is stored."""


def percent(line: Line) -> str:
    """A rate with its interval."""
    low, high = line["ci95"]
    return f"{100 * line['rate']:.1f} [{100 * max(0.0, low):.1f}, {100 * high:.1f}]"


def table_of(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *map(list, rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def games_in(lines: Iterable[Line]) -> str:
    """Least and most games of some lines."""
    games = [line["games"] for line in lines]
    return f"{min(games):,}" if min(games) == max(games) else f"{min(games):,} to {max(games):,}"


def league_table(lines: list[Line]) -> str:
    """Everybody in the league of nine, under both rules."""
    found = {(line["player"], line["rules"]): line for line in lines if line["figure"] == "league"}
    players = sorted({player for player, _ in found}, key=lambda one: -found[one, "perudo"]["rate"])
    rules = ("perudo", "perudo-tournament")
    rows = [[f"`{player}`", *(percent(found[player, one]) for one in rules)] for player in players]
    seed = next(iter(found.values()))["seed"]
    return f"{table_of(['wins, %', *rules], rows)}\n\nEach sat in {games_in(found.values())} games; seed {seed}."


def among_table(lines: list[Line]) -> str:
    """One champion among five of each bot, and one of each among five champions."""
    found = {(x["one"], x["others"], x["rules"]): x for x in lines if x["figure"] == "among"}
    bots = sorted({one for one, _, _ in found} - {"champion"})
    rows = [
        [
            f"`{bot}`",
            *(percent(found["champion", bot, rules]) for rules in ("perudo", "perudo-tournament")),
            *(percent(found[bot, "champion", rules]) for rules in ("perudo", "perudo-tournament")),
        ]
        for bot in bots
    ]
    head = ["bot", "champion among five: `perudo`", "`perudo-tournament`", "bot among five champions: `perudo`",
            "`perudo-tournament`"]  # fmt: skip
    seed = next(iter(found.values()))["seed"]
    return f"{table_of(head, rows)}\n\n{games_in(found.values())} games in each cell; seed {seed}."


def level_table(lines: list[Line]) -> str:
    """The champion and its levels: in the league of nine, and against the champion."""
    league = {line["player"]: line for line in lines if line["figure"] == "level"}
    duel = {line["one"]: line for line in lines if line["figure"] == "heads-up"}
    rows = [
        [f"`{name}`", f"{share:.0%}", percent(league[name]), percent(duel[name]) if name in duel else "50"]
        for name, share in (("champion", 0.0), *((f"champion:{level}", LEVELS[level]) for level in reversed(LEVELS)))
    ]
    rows += [[f"`{name}`", "", "", percent(line)] for name, line in duel.items() if name not in league]
    head = [
        "player",
        "moves as `aggressive`",
        "wins in the league of nine, %",
        "wins against `champion`, two players, %",
    ]
    games = f"{games_in(league.values())} games in the league, {games_in(duel.values())} of two"
    return f"{table_of(head, rows)}\n\n{games}; seeds 13 and 14."


def exploiter_table(lines: list[Line], figure: str = "exploiter") -> str:
    """What exploiters win."""
    rows = []
    for line in lines:
        if line["figure"] == figure:
            alone = line["exploiters"] == 1
            even = 100 * line["exploiters"] / line["players"]
            table = f"{line['players']}{'' if alone else ', a pair that colludes'}"
            budget = f"{line['decisions'] / 1e6:.0f} M"
            rows.append([table, f"{even:.3g}", percent(line), budget, str(line["seed"])])
    return table_of(["players", "even", "exploiter wins, %", "its decisions", "seed"], rows)


def yardstick_table(lines: list[Line]) -> str:
    """What exploiters win of a plain self-play champion."""
    return exploiter_table(lines, "yardstick")


def cost_table(lines: list[Line]) -> str:
    """Decisions and minutes of all runs on a GPU."""
    runs = [line for line in lines if line["figure"] == "run"]
    shipped = [line for line in runs if line["shipped"]]
    others = [line for line in runs if not line["shipped"]]
    exploiters, of_yardstick = ([x for x in lines if x["figure"] == name] for name in ("exploiter", "yardstick"))
    whole = [
        *((line["run"], [line]) for line in shipped),
        ("**the shipped networks together**", shipped),
        *((line["run"], [line]) for line in others),
        ("the exploiters of the yardstick", of_yardstick),
        ("the exploiters of the champion", exploiters),
        ("**everything**", [*runs, *exploiters, *of_yardstick]),
    ]
    rows = [
        [name, f"{sum(x['decisions'] for x in some) / 1e6:,.0f} M", f"{sum(x['trained_s'] for x in some) / 60:.0f}"]
        for name, some in whole
    ]
    return table_of(["run", "decisions of its own", "minutes of training"], rows)


ENDGAMES = {
    "perudo": "the match",
    "perudo-tournament": "the match, by tournament rules",
    "perudo,exact_call=false": "the round, no exact calls",
}
"""What is measured of an endgame, by its rules."""


def endgame_table(lines: list[Line]) -> str:
    """How exploitable the champion is in small rounds: at most."""
    found = [line for line in lines if line["figure"] == "endgame"]
    by = {(tuple(line["dice"]), line["rules"], line["who"]): line["most"] for line in found}
    rounds = sorted({key[:2] for key in by}, key=lambda one: (one[0], list(ENDGAMES).index(one[1])))
    rows = []
    for dice, rules in rounds:
        network, cut, nash = (by.get((dice, rules, who)) for who in ("network", "without moves below 0.001", "nash"))
        played = nash if dice not in MEASURED.get(rules, {}) or is_less_exploitable(rules, dice) else cut
        values = ("" if one is None else f"{one:.4f}" for one in (network, cut, nash, played))
        rows.append(["{} against {}".format(*dice), ENDGAMES[rules], *values])
    gap = max(line["most"] - line["least"] for line in found if line["who"] != "nash")
    note = f"All are upper bounds; for the networks, the lower bounds are at most {gap:.4f} below them."
    head = ["dice", "what counts", "network", "network, rare moves left out", "`nash`", "champion"]
    return f"{table_of(head, rows)}\n\n{note}"


def chances_table(lines: list[Line]) -> str:
    """Calibration and Brier scores of chances to win, and how good the best can be."""
    best = {line["sample"]: line for line in lines if line["figure"] == "best chances"}
    rows = []
    for line in lines:
        if line["figure"] == "chances":
            possible = best.get(line["sample"])
            seeds = [str(one["seed"]) for one in (line, possible) if one]
            rows.append(
                [
                    line["sample"],
                    f"{line['decisions']:,} in {line['games']:,} games",
                    f"{line['calibration_points']:.1f}",
                    f"{line['brier']:.4f}",
                    f"{line['share_of_dice']:.4f}",
                    better(line),
                    better(possible) if possible else "",
                    ", ".join(f"{one:.1f}" for one in line["better_by_players_left"]),
                    ", ".join(seeds),
                ]
            )
    head = ["sample", "decisions", "off, points", "Brier score", "share of dice", "better by",
            "at best, all dice seen", "with 2, 3, 4, 5, 6 left", "seeds"]  # fmt: skip
    (own,) = (line for line in lines if line["figure"] == "best chances by own dice")
    note = (
        f"In {own['positions']} positions with three and more players left, from full dice among equals, the best that "
        f"anyone could say who sees only its own dice is better by {better(own)}; the network is by "
        f"{own['network_percent']:.1f}%."
    )
    return f"{table_of(head, rows)}\n\n{note}"


def better(line: Line) -> str:
    """How much better chances are than shares of the dice, with the interval."""
    low, high = line["ci95"]
    return f"{line['better_percent']:.1f}% [{low}, {high}]"


def speed_table(lines: list[Line]) -> str:
    """Milliseconds and games per second."""
    (decision,) = (line for line in lines if line["figure"] == "decision")
    rows = [
        [
            "one decision, from a view to an action",
            f"{decision['median_ms']:.2f} ms",
            "",
        ],
        *(
            [
                ", ".join(dict.fromkeys(line["agents"])),
                f"{line['one_by_one']:.0f} games/s",
                f"{line['side_by_side']:.0f}",
            ]
            for line in lines
            if line["figure"] == "games"
        ),
    ]
    size = decision["bytes"] / 1e6
    head = ["one core", "one by one", "side by side, games/s"]
    return f"{table_of(head, rows)}\n\nThe weights take {size:.2f} MB."


TABLES = {
    "league": league_table,
    "among": among_table,
    "levels": level_table,
    "exploiters": exploiter_table,
    "yardstick": yardstick_table,
    "cost": cost_table,
    "endgames": endgame_table,
    "chances": chances_table,
    "speed": speed_table,
}


def with_tables(page: str, lines: list[Line], names: Iterable[str] = TABLES) -> str:
    """The text of docs/champion.md with these tables between their marks."""
    for name in names:
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        assert begin, f"{PAGE} has no place for {name}"
        page = f"{before}{begin}\n{TABLES[name](lines)}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    return page
