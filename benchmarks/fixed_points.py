"""The fixed points of `bench-llm`: what random play, the built-in bots, `nash` and `champion` score.

    python benchmarks/fixed_points.py [--games N] [--write]

Loss is the chance to win that a player gives away per decision, in percent, at the positions with exact values (without
wilds, and by the rules of Perudo) and at those that the champion judges. With `--write`, the table in
docs/language-models.md is replaced.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from pathlib import Path

from figures import figure
from liars_dice.agents import AGENTS
from liars_dice.bridges.model_bench import Bench, BenchResult
from liars_dice.bridges.reference_games import POOL

PAGE = Path(__file__).parent.parent / "docs" / "language-models.md"
TABLE = re.compile(r"(?<=<!-- fixed points -->\n).*?(?=<!-- end of fixed points -->)", re.DOTALL)
GAMES = 100
"""Games against each reference player."""


def results(games: int) -> Iterator[BenchResult]:
    """The score of each player that comes with the package."""
    for info in AGENTS.by_strength:
        if not info.level_of:
            start = time.perf_counter()
            bench = Bench(info.name, games=games)
            bench.run()
            print(f"{info.name}: {time.perf_counter() - start:.0f} s", flush=True)
            yield bench.result()


def table(found: list[BenchResult]) -> str:
    """The results as a table, the best first."""
    headings = ["player", "loss", "no wilds", "Perudo", "best answers", "3 to 6 players", *(one.name for one in POOL)]
    rows = [headings, ["---"] + ["--:"] * (len(headings) - 1)]
    for result in sorted(found, key=lambda one: one.exact.loss if one.exact else 0.0):
        assert result.exact is not None
        losses = [result.groups[group].loss for group in ("no-wilds", "perudo", "multi-player")]
        wins = [f"{one.win_rate:.0%}" for one in result.games]
        numbers = [result.exact.loss, *losses[:2], result.exact.best, losses[2]]
        shown = [f"{100 * number:.2f}" if n != 3 else f"{number:.0%}" for n, number in enumerate(numbers)]
        rows.append([f"`{result.player}`", *shown, *wins])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Measure all players."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=int, default=GAMES)
    arguments.add_argument("--write", action="store_true")
    given = arguments.parse_args()
    found = list(results(given.games))
    by_name = {result.player: result for result in found}
    text = table(found)
    print(text)
    if given.write:
        PAGE.write_text(TABLE.sub(lambda _: text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    perfect, lost = by_name["nash"].exact, by_name["random"].exact
    assert perfect is not None
    assert lost is not None
    figure("the loss of nash per decision, as a share of that of random", perfect.loss / lost.loss, most=0.01)


if __name__ == "__main__":
    main()
