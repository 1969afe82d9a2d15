"""A round that was solved and saved: `solved:FILE` plays it, and explanations read it."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from liars_dice.agents import make_agent
from liars_dice.cli import main
from liars_dice.core import Bid, ConfigError, GameConfig, GameEngine, parse_bid, preset
from liars_dice.exact import DataError
from liars_dice.exact.response import best_response
from liars_dice.exact.solver import (
    STRATEGY_COLUMNS,
    Solution,
    equilibrium_in,
    explain,
    mix_of,
    solve,
    strategy_rows,
)

ROUNDS = {
    "plain": GameConfig(dice=(1, 1)),
    "uneven": GameConfig(dice=(2, 1), faces=3),
    "wild": GameConfig(dice=(1, 2), faces=3, wild="ones", bid_ordering="perudo"),
}


@pytest.fixture(scope="module", params=ROUNDS)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Solution, Path]:
    file = tmp_path_factory.mktemp("solved") / "round.npz"
    return solve(ROUNDS[request.param], target=0.02, save=file), file


def test_the_bot_is_as_good_as_the_solution_says(saved: tuple[Solution, Path]) -> None:
    solution, file = saved
    first, second = best_response(make_agent(f"solved:{file}"), solution.tree.config)
    assert (-second, first) == pytest.approx((solution.lower, solution.upper), abs=1e-5)


def test_a_file_explains_as_the_solution_does(saved: tuple[Solution, Path]) -> None:
    solution, file = saved
    read = equilibrium_in(file)
    assert (read.lower, read.upper) == pytest.approx((solution.lower, solution.upper), abs=1e-6)
    hand, tree = (1,) * solution.tree.config.dice[0], read.tree
    found = explain(tree, read.pool, [], hand)
    taken = {str(choice.action): choice.chance for choice in found.choices if choice.chance > 0}
    assert {str(action): chance for action, chance in mix_of(tree, read.pool, [], hand).items()} == taken
    assert sum(taken.values()) == pytest.approx(1)


def test_elsewhere_it_plays_by_the_odds_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "one.npz"
    solve(ROUNDS["plain"], target=0.1, save=file)
    bot = make_agent(f"solved:{file}")
    with pytest.warns(UserWarning, match="has solved 1 v 1 dice: in other rounds it plays like probabilistic"):
        bot.check_rules(preset("heads-up"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bot.check_rules(preset("classic", dice=1))
    engine = GameEngine(preset("classic", dice=2), seed=1)
    engine.start_new_round()
    view = engine.get_view(0)
    assert bot.choose_action(view) == make_agent("probabilistic").choose_action(view)
    with pytest.raises(ConfigError, match=r"which solved:.* was solved with"):
        bot.check_rules(preset("perudo", players=2))
    with pytest.raises(DataError, match="there is no such file"):
        make_agent("solved:nothing.npz")


def test_explain_takes_the_dice_and_rules_from_the_file(saved: tuple[Solution, Path]) -> None:
    solution, file = saved
    own, other = solution.tree.config.dice
    told = CliRunner().invoke(main, ["explain", f"solved:{file}", "--hand", ",".join("1" * own)])
    assert told.exit_code == 0, told.output
    assert told.output.startswith(f"{own} against {other} di")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["solved:x.npz", "--dice", "1", "1"], "--dice cannot be combined with solved:x.npz"),
        (["2v2.npz"], "expected solved:FILE"),
        (["solved:x.npz"], "there is no such file"),
        ([], "or solved:FILE with a file that solve --out wrote"),
    ],
)
def test_mistakes(words: list[str], complaint: str) -> None:
    told = CliRunner().invoke(main, ["explain", *words, "--hand", "1"])
    assert told.exit_code != 0
    assert complaint in told.output


def test_a_bid_that_only_a_claim_makes_is_called() -> None:
    """Where the small tree has no node, perfect play calls."""
    solution = solve(ROUNDS["plain"], target=0.1)
    mix = mix_of(solution.tree, solution.pool, [Bid(2, 3)], (5,))
    assert {str(action): chance for action, chance in mix.items()} == {"liar": 1.0}


def test_the_table_says_what_the_strategies_do(saved: tuple[Solution, Path]) -> None:
    solution, _ = saved
    tree, pool = solution.tree, solution.pool
    rows = [dict(zip(STRATEGY_COLUMNS, row, strict=True)) for row in strategy_rows(tree, pool)]
    decisions: dict[tuple[int, str, str], dict[str, float]] = {}
    for row in rows:
        where = (int(str(row["seat"])), str(row["hand"]), str(row["bids"]))
        decisions.setdefault(where, {})[str(row["action"])] = float(str(row["probability"]))
    for (seat, hand, bids), mix in decisions.items():
        history = [parse_bid(bid) for bid in bids.split()]
        assert len(history) % 2 == seat
        assert sum(mix.values()) == pytest.approx(1, abs=1e-2)
        known = mix_of(tree, pool, history, [int(die) for die in hand.split()])
        assert {str(action): known[action] for action in known if str(action) in mix} == pytest.approx(mix)
    openings = sum(float(str(row["reach"])) * float(str(row["probability"])) for row in rows if not row["bids"])
    assert openings == pytest.approx(1, abs=1e-2)
    assert {row["seat"] for row in rows} == {0, 1}


def test_solve_writes_the_table(tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        told = CliRunner().invoke(main, ["solve", "1", "1", "--faces", "2", "--table", str(tmp_path / f"t.{ending}")])
        assert told.exit_code == 0, told.output
        assert f"t.{ending}" in told.output
    with (tmp_path / "t.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == list(STRATEGY_COLUMNS)
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (it has no package here)")
    assert parquet.read_table(tmp_path / "t.parquet").num_rows == len(rows) > 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["9", "9", "--table", "t.xlsx"], "a file whose name ends in .csv or .parquet"),
        (["1", "1", "--rules", "perudo", "--match", "--table", "t.csv"], "--match solves many rounds"),
    ],
)
def test_tables_that_cannot_be_written(words: list[str], complaint: str) -> None:
    told = CliRunner().invoke(main, ["solve", *words])
    assert told.exit_code == 1
    assert complaint in told.output
