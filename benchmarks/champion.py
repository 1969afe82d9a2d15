"""How good the champion is: the tables of docs/champion.md, and the figures with their targets.

Games are played many at a time in PyTorch (`learn/champion/measure.py`). On a GPU that takes two minutes, on two cores
hours, so without `--play` the stored figures of such a run are taken. Speed and solved endgames are always measured.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from figures import figure
from liars_dice.agents import make_agent, play_game
from liars_dice.core import GameView, preset
from liars_dice.exact.solver import Tablebase
from liars_dice.learn.champion.agent import LEVELS, ChampionAgent
from liars_dice.learn.champion.player import SHIPPED
from liars_dice.tournament.blocks import Block, Worker, WorkerSetup

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "champion.md"
TRAINED = ROOT / "training" / "data" / "champion-f.pt"
PLAYED = ROOT / "training" / "data" / "champion-f.figures.jsonl"
"""What `measure` found on a GPU."""
Line = dict[str, Any]


# -- measured here -----------------------------------------------------------------------------------------------------


def milliseconds() -> tuple[float, float]:
    """(least, median) of processor time for a decision, from a view to an action, over a game of six champions."""
    views: list[GameView] = []

    class Noting(ChampionAgent):
        def policies(self, views_asked: Iterable[GameView]) -> Any:
            views.extend(views_asked := list(views_asked))
            return super().policies(views_asked)

    play_game([Noting() for _ in range(6)], preset("perudo"), seed=1)
    agent = make_agent("champion")
    least = []
    for view in views:
        times = []
        for _ in range(20):
            start = time.thread_time()
            agent.choose_action(view)
            times.append(time.thread_time() - start)
        least.append(1000 * min(times))
    return min(least), float(np.median(least))


def games_per_second(agents: tuple[str, ...], deals: int) -> tuple[float, float]:
    """Games per second of processor time, one after another and side by side; the results are the same."""
    rates, results = [], []
    for side_by_side in (False, True):
        worker = Worker(WorkerSetup(agents=agents, config=preset("perudo", players=len(agents))))
        if not side_by_side:
            worker._side_by_side = lambda block: False  # type: ignore[method-assign]
        table = tuple(range(len(agents)))
        block = Block(number=0, table=table, seed=5, first=0, deals=deals, rotations=len(agents), compiled=False)
        start = time.process_time()
        result, _ = worker.play(block)
        rates.append(result.games / (time.process_time() - start))
        results.append(result.wins)
    assert results[0] == results[1]
    return rates[0], rates[1]


def speed() -> Iterator[Line]:
    """Milliseconds per decision, and games per second."""
    least, median = milliseconds()
    yield {"figure": "decision", "least_ms": least, "median_ms": median, "bytes": SHIPPED.stat().st_size}
    rule_bots = ("champion", "optimal", "bluffer", "detective", "sniper", "crawler")
    for agents, deals in ((("champion", "optimal"), 20), (rule_bots, 10), (("champion",) * 6, 6)):
        alone, together = games_per_second(agents, deals)
        yield {"figure": "games", "agents": list(agents), "one_by_one": alone, "side_by_side": together}


def solved_endgames() -> Iterator[Line]:
    """What the rounds in which it yields to `nash` are worth to a perfect adversary."""
    base = Tablebase.shipped("perudo match")
    for dice, entry in base.entries.items():
        off = (entry.upper - entry.lower) / 2
        yield {"figure": "endgame", "dice": list(dice), "exact_call": True, "who": "champion", "exploitability": off}


def played_again(device: str, scale: float) -> Iterator[Line]:
    """Play everything, and keep what was found."""
    from liars_dice.learn.champion.measure import figures
    from liars_dice.learn.champion.network import load_policy

    with PLAYED.open("w", encoding="utf-8") as file:
        for line in figures(load_policy(TRAINED, device), device, scale, ((1, 1), (2, 1), (1, 2))):
            print(json.dumps(line), file=file, flush=True)
            print(json.dumps(line), flush=True)
            yield line


# -- the tables --------------------------------------------------------------------------------------------------------


def percent(line: Line) -> str:
    """A rate with its interval."""
    low, high = line["ci95"]
    return f"{100 * line['rate']:.1f} [{100 * max(0.0, low):.1f}, {100 * high:.1f}]"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
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
    return f"{table(['wins, %', *rules], rows)}\n\nEach sat in {games_in(found.values())} games; seed {seed}."


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
    return f"{table(head, rows)}\n\n{games_in(found.values())} games in each cell; seed {seed}."


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
    return f"{table(head, rows)}\n\n{games_in(league.values())} games in the league, {games_in(duel.values())} of two."


def endgame_table(lines: list[Line]) -> str:
    """Exact exploitability."""
    found = [line for line in lines if line["figure"] == "endgame"]
    rounds = sorted({(*line["dice"], not line["exact_call"]) for line in found})
    by = {(*line["dice"], not line["exact_call"], line["who"]): line["exploitability"] for line in found}
    names = {"network": "network", "cut": "network, rare moves left out", "champion": "champion (yields to `nash`)"}
    rows = []
    for opener, other, without in rounds:
        cut = next(
            (by[key] for key in by if key[:3] == (opener, other, without) and key[3].startswith("without")), None
        )
        values = (by.get((opener, other, without, "network")), cut, by.get((opener, other, without, "champion"), cut))
        rules = "no exact calls, the round" if without else "exact calls, the match"
        rows.append([f"{opener} against {other}", rules, *("" if v is None else f"{v:.4f}" for v in values)])
    return table(["dice", "rules", *names.values()], rows)


def chances_table(lines: list[Line]) -> str:
    """Calibration and Brier scores of chances to win."""
    rows = [
        [
            line["sample"],
            f"{line['decisions']:,} in {line['games']:,} games",
            f"{line['calibration_points']:.1f}",
            f"{line['brier']:.4f}",
            f"{line['share_of_dice']:.4f}",
            f"{line['better_percent']:.1f}% [{line['ci95'][0]}, {line['ci95'][1]}]",
            ", ".join(f"{one:.1f}" for one in line["better_by_players_left"]),
        ]
        for line in lines
        if line["figure"] == "chances"
    ]
    head = [
        "sample",
        "decisions",
        "off, points",
        "Brier score",
        "share of dice",
        "better by",
        "with 2, 3, 4, 5, 6 left",
    ]
    return table(head, rows)


def speed_table(lines: list[Line]) -> str:
    """Milliseconds and games per second."""
    (decision,) = (line for line in lines if line["figure"] == "decision")
    rows = [
        [
            "one decision, from a view to an action",
            f"{decision['median_ms']:.2f} ms (best {decision['least_ms']:.2f})",
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
    return f"{table(head, rows)}\n\nThe weights take {size:.2f} MB."


TABLES = {
    "league": league_table,
    "among": among_table,
    "levels": level_table,
    "endgames": endgame_table,
    "chances": chances_table,
    "speed": speed_table,
}


def write_tables(lines: list[Line]) -> None:
    """Put the tables between their marks in docs/champion.md."""
    text = PAGE.read_text(encoding="utf-8")
    for name, make in TABLES.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        assert begin, f"{PAGE} has no place for {name}"
        text = f"{before}{begin}\n{make(lines)}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    PAGE.write_text(text, encoding="utf-8")


def show_targets(lines: list[Line]) -> None:
    """Print every figure that has a target."""
    for rules in ("perudo", "perudo-tournament"):
        (rate,) = (
            x["rate"] for x in lines if x["figure"] == "league" and (x["player"], x["rules"]) == ("champion", rules)
        )
        figure(f"league of nine, {rules}: champion wins", 100 * rate, "%", least=33, aim=38)
        among = [x for x in lines if x["figure"] == "among" and x["rules"] == rules]
        least = min(x["rate"] for x in among if x["one"] == "champion")
        figure(f"one champion among five of a bot, {rules}: at worst", 100 * least, "%", least=100 / 6, aim=30)
        most = max(x["rate"] for x in among if x["one"] != "champion")
        figure(f"one bot among five champions, {rules}: at best", 100 * most, "%", most=10, aim=6)
    for line in lines:
        if line["figure"] == "chances":
            figure(f"chances to win, {line['sample']}: off", line["calibration_points"], "points", most=2, aim=1)
            figure(f"chances to win, {line['sample']}: better than dice", line["better_percent"], "%", least=10, aim=20)
        if line["figure"] == "decision":
            figure("a decision of the champion", line["median_ms"], "ms", most=1, aim=0.3)
            figure("the champion's weights", line["bytes"] / 1e6, "MB", most=4)


def main() -> None:
    """Measure, print figures with their targets, and with --write put the tables into docs/champion.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--play", action="store_true", help="play all games again, instead of taking stored figures")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--scale", type=float, default=1.0, help="the share of the usual number of games")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/champion.md")
    asked = parser.parse_args()
    lines = [*speed(), *solved_endgames()]
    lines += played_again(asked.device, asked.scale) if asked.play else map(json.loads, PLAYED.read_text().splitlines())
    show_targets(lines)
    if asked.write:
        write_tables(lines)


if __name__ == "__main__":
    main()
