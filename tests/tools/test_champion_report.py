"""The report on the champion: its page has the stored figures, which agree with the curves, and its games are fair."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import champion
from champion import DATA, EXPLOITERS, GAMES, NETWORKS, Among, solved_endgames, stored, trained
from champion_tables import PAGE, TABLES, with_tables
from liars_dice.agents import AGENTS
from liars_dice.learn.champion.yielding import MEASURED

MEASURED_HERE = {"speed", "chances"}
"""Tables that depend on the machine, or on games that are not stored."""


@pytest.mark.parametrize("name", sorted(TABLES.keys() - MEASURED_HERE))
def test_the_page_has_the_stored_figures(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    lines = [*solved_endgames(), *trained(stored(EXPLOITERS)), *stored(GAMES), *stored(NETWORKS)]
    assert with_tables(page, lines, [name]) == page, "write them: python benchmarks/champion.py --write"


def test_exploiters_won_at_the_end_of_their_training_what_they_won_when_measured() -> None:
    results = list(stored(EXPLOITERS))
    for result in results:
        curve = [json.loads(line) for line in (DATA / result["curve"]).read_text(encoding="utf-8").splitlines()]
        assert (curve[-1]["decisions"], curve[-1]["trained_s"]) == (result["decisions"], result["trained_s"])
        assert result["win_rate"] == pytest.approx(curve[-1]["win_rate"], abs=0.015)
        low, high = result["ci95"]
        assert low < result["win_rate"] < high
    told = {DATA / result["curve"] for result in results}
    assert told >= {path for path in EXPLOITERS.parent.glob("*.jsonl") if path != EXPLOITERS}


def test_the_champion_yields_by_the_figures_that_are_stored() -> None:
    most = {(x["rules"], tuple(x["dice"]), x["who"]): x["most"] for x in stored(NETWORKS) if x["figure"] == "endgame"}
    for rules, rounds in MEASURED.items():
        for dice, measured in rounds.items():
            found = (most[rules, dice, who] for who in ("nash", "without moves below 0.001"))
            assert measured == pytest.approx(tuple(found), abs=6e-5), (rules, dice)


def test_every_rule_bot_is_met_five_to_one() -> None:
    met = {line["others"] for line in stored(GAMES) if line["figure"] == "among" and line["one"] == "champion"}
    assert met == {*champion.BOTS, *champion.WEAKER_BOTS}
    known = {name for name, info in AGENTS.items() if info.in_fields and not info.level_of} - {"champion"}
    assert {AGENTS[name].name for name in met} == known


def test_one_of_a_kind_among_five_of_its_kind_wins_one_game_of_each_deal() -> None:
    """All six rotations of the seats have the same dice, so the same seat wins, which is another member each time."""
    assert Among("crawler", "crawler", "perudo", seed=4, first=3, deals=5).wins() == [1] * 5


def test_a_deal_is_the_same_whatever_else_is_played() -> None:
    whole = Among("detective", "probabilistic", "perudo-tournament", seed=4, first=0, deals=6).wins()
    parts = []
    for first in (0, 2, 4):
        parts += Among("detective", "probabilistic", "perudo-tournament", seed=4, first=first, deals=2).wins()
    assert parts == whole
    assert len(set(whole)) > 1


def test_figures_take_the_place_of_stored_ones_once_all_are_there(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"figure": "old"}\n')
    coming = champion.kept(({"figure": name} for name in ("league", "among")), path)
    next(coming)
    assert list(stored(path)) == [{"figure": "old"}]
    assert list(coming) == [{"figure": "among"}]
    assert list(stored(path)) == [{"figure": "league"}, {"figure": "among"}]
