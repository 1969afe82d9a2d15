"""Strategies as lists, the shipped tablebase, chained matches, and the explanations made from them."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import numpy as np
import pytest

import build_tablebase
import gpu_solver
from build_tablebase import build, good_enough, known_rounds, main, often, packed, rounded, rounds_with, write
from liars_dice.core import BadValueError, Bid, BidAction, CallLiarAction, GameConfig, preset, round_rules
from liars_dice.exact.errors import DataError, OutOfReachError
from liars_dice.exact.solver import tablebase
from liars_dice.exact.solver.equilibrium import solve
from liars_dice.exact.solver.explanation import equilibrium_of, explain, mix_of
from liars_dice.exact.solver.matches import certify_match
from liars_dice.exact.solver.public_tree import PublicTree
from liars_dice.exact.solver.strategy import Strategy, average_strategy, certify, pool_of
from liars_dice.exact.solver.strategy_columns import columns_of, strategy_from
from liars_dice.exact.solver.tablebase import (
    FILES,
    TABLEBASE_DICE,
    LatestPools,
    SolvedGame,
    Tablebase,
    match_bracket,
    solved_game,
)
from liars_dice.pictures import draw_explanation
from linear_programs import solve_linear


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(dice=(1, 1), faces=4),
        GameConfig(dice=(2, 1), faces=3),
        GameConfig(dice=(1, 2), faces=3, wild="ones"),
        GameConfig(dice=(1, 1), faces=3, bid_ordering="liars_dice_standard", wild="top"),
        GameConfig(dice=(2, 2), faces=2, opening_min_quantity=2),
    ],
    ids=["plain", "uneven", "ones", "standard", "opening"],
)
def test_a_list_says_all_that_the_pool_does(config: GameConfig) -> None:
    solution = solve(config, target=1e-5)
    first, second = (average_strategy(solution.tree, solution.pool, seat, 0.0) for seat in (0, 1))
    assert certify((first, second)) == pytest.approx((solution.lower, solution.upper), abs=1e-12)
    for strategy in (first, second):
        assert (strategy.chance > 0).all()
        keys = list(zip(strategy.node.tolist(), strategy.hand.tolist(), strategy.rung.tolist(), strict=True))
        assert keys == sorted(set(keys))


def test_leaving_things_out_costs_little_and_rounding_too() -> None:
    solution = solve(GameConfig(dice=(2, 1)), target=1e-5)
    whole = tuple(average_strategy(solution.tree, solution.pool, seat, 0.0) for seat in (0, 1))
    few = tuple(rounded(average_strategy(solution.tree, solution.pool, seat, 1e-5)) for seat in (0, 1))
    assert sum(map(len, few)) < sum(map(len, whole)) / 2
    lower, upper = certify((few[0], few[1]))
    assert solution.lower - 1e-3 < lower < upper < solution.upper + 1e-3
    for strategy in few:
        steps = strategy.chance * 65535
        assert np.allclose(steps, np.rint(steps), atol=1e-9)
        assert steps.min() >= 1


def test_probabilities_are_rounded_as_finely_as_they_matter() -> None:
    solved = Tablebase.shipped("perudo").round(1, 1)
    for strategy in solved.strategies:
        fine, coarse = rounded(strategy), rounded(strategy, 1e-3)
        assert np.array_equal(fine.chance, strategy.chance)
        assert len(np.unique(coarse.chance)) < len(np.unique(fine.chance)) / 2
        for line, chance in zip(range(len(strategy)), often(strategy), strict=True):
            assert chance == pytest.approx(often_by_hand(strategy, line))
    lower, upper = certify((rounded(solved.strategies[0], 1e-5), rounded(solved.strategies[1], 1e-5)))
    assert upper - lower < solved.upper - solved.lower + 2e-4
    lower, upper = certify((rounded(solved.strategies[0], 1e-2), rounded(solved.strategies[1], 1e-2)))
    assert upper - lower > solved.upper - solved.lower + 1e-3


def often_by_hand(strategy: Strategy, line: int) -> float:
    """The chance of the hand and of the strategy's own bids before a line, looked up in its mixes."""
    tree, hand = strategy.tree, strategy.tree.hand_sets[strategy.seat].hands[strategy.hand[line]]
    bids = [bid for rung, bid in enumerate(tree.bids) if int(strategy.node[line]) >> (tree.rungs - 1 - rung) & 1]
    chance = float(tree.weights[strategy.seat][strategy.hand[line]])
    for made in range(strategy.seat, len(bids), 2):
        chance *= strategy.mix(bids[:made], hand).get(BidAction(bids[made]), 0.0)
    return chance


def test_what_a_gpu_has_found_comes_back(tmp_path: Path) -> None:
    solution = solve(preset("perudo", players=2, dice=1, mode="single_round"), target=1e-3)
    gpu_solver.write(tmp_path, "1v1", solution.tree, solution.pool, (0.0, 0.0), 7)
    known = known_rounds("perudo", [tmp_path])
    tree, pool, iterations = known[1, 1]
    assert (tree.config, iterations) == (solution.tree.config, 7)
    found = packed(tree, pool, 2e-3)
    assert found.exploitability <= 2e-3
    assert known_rounds("perudo match", [tmp_path]) == {}


def test_mixes_read_from_the_list_are_those_of_the_pool() -> None:
    solution = solve(GameConfig(dice=(1, 1)), target=1e-5)
    strategy = average_strategy(solution.tree, solution.pool, 1, 0.0)
    mix = strategy.mix([Bid(1, 6)], (6,))
    assert sum(mix.values()) == pytest.approx(1)
    assert mix[BidAction(Bid(2, 6))] == pytest.approx(1, abs=1e-3)  # six of one's own makes it likely
    assert strategy.mix([Bid(2, 3)], (6,)) == {CallLiarAction(): 1.0}  # a rung that was left out of the tree
    assert strategy.mix([Bid(1, 1), Bid(1, 2), Bid(1, 3)], (6,)) == {CallLiarAction(): 1.0}  # never its own play
    opening = average_strategy(solution.tree, solution.pool, 0, 0.0).mix([], (3,))
    assert CallLiarAction() not in opening
    assert sum(opening.values()) == pytest.approx(1)


@pytest.mark.parametrize("dice", rounds_with(TABLEBASE_DICE), ids=str)
def test_what_is_shipped_is_what_is_proved(dice: tuple[int, int]) -> None:
    solved = Tablebase.shipped().round(*dice)
    assert certify(solved.strategies) == pytest.approx((solved.lower, solved.upper), abs=1e-9)
    assert 0 <= solved.exploitability <= good_enough("heads-up", dice)


def check_shipped_perudo(most_dice: int) -> None:
    base = Tablebase.shipped("perudo")
    for dice in rounds_with(most_dice):
        solved = base.round(*dice)
        assert certify(solved.strategies) == pytest.approx((solved.lower, solved.upper), abs=1e-9)
        assert 0 <= solved.exploitability <= good_enough("perudo", dice)


def check_shipped_perudo_matches(most_dice: int) -> None:
    base = Tablebase.shipped("perudo match")
    config = preset("perudo", players=2, dice=(most_dice - 1, 1))
    states = {dice: base.round(*dice) for dice in rounds_with(most_dice)}
    bounds = certify_match(config, {dice: (solved.tree, solved.pool) for dice, solved in states.items()})
    for dice, solved in states.items():
        assert [2 * chance - 1 for chance in bounds[dice]] == pytest.approx([solved.lower, solved.upper], abs=1e-5)
        assert 0 <= solved.exploitability <= good_enough("perudo match", dice)


def test_what_is_shipped_of_perudo_is_what_is_proved() -> None:
    check_shipped_perudo(most_dice=3)
    check_shipped_perudo_matches(most_dice=3)


@pytest.mark.slow
def test_what_is_shipped_of_perudo_with_five_dice_is_what_is_proved() -> None:
    check_shipped_perudo(most_dice=5)


@pytest.mark.slow
def test_what_is_shipped_of_perudo_matches_is_what_is_proved() -> None:
    check_shipped_perudo_matches(most_dice=max(map(sum, Tablebase.shipped("perudo match").entries)))


def test_rounding_keeps_what_a_decision_adds_up_to() -> None:
    """Many small probabilities, each of which alone would be rounded up."""
    tree = PublicTree(GameConfig(dice=(1, 2)))
    rung = np.arange(tree.rungs)
    chance = np.full(tree.rungs, 1 / tree.rungs)
    even = Strategy(tree, 0, np.zeros(tree.rungs, np.uint64), np.zeros(tree.rungs, np.int64), rung, chance)
    for error in (0.0, 1e-4, 1e-3, 1e-2, 1e-1, 1.0):
        assert rounded(even, error).chance.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("game", FILES)
def test_no_shipped_decision_adds_up_to_more_than_one(game: SolvedGame) -> None:
    base = Tablebase.shipped(game)
    for dice in base.entries:
        for strategy in base.round(*dice).strategies:
            decision = np.cumsum(
                np.diff(strategy.node << np.uint64(8) | strategy.hand.astype(np.uint64), prepend=0) != 0
            )
            assert np.bincount(decision, strategy.chance).max() < 1 + 1e-9


def test_columns_hold_the_whole_strategy() -> None:
    for strategy in Tablebase.shipped("perudo").round(2, 1).strategies:
        again = strategy_from(strategy.tree, strategy.seat, columns_of(strategy))
        for name in ("node", "hand", "rung", "chance"):
            assert np.array_equal(getattr(again, name), getattr(strategy, name))


def test_large_pools_are_in_single_precision() -> None:
    strategies = Tablebase.shipped().round(1, 2).strategies
    whole, half = pool_of(strategies), pool_of(strategies, most_bytes=1)
    assert half.average.nbytes == whole.average.nbytes / 2
    assert np.abs(whole.average - half.average).max() < 1e-7


def test_only_the_latest_pools_are_kept() -> None:
    rounds = [Tablebase.shipped().round(*dice) for dice in ((1, 1), (1, 2), (2, 1))]
    pools = LatestPools(most_bytes=1)
    kept = [pools.of(solved) for solved in rounds]
    assert pools.bytes == sum(part.nbytes for part in kept[-1])
    assert pools.of(rounds[2]) is kept[2]
    assert pools.of(rounds[0]) is not kept[0]
    pools.most_bytes = 1 << 20
    again = pools.of(rounds[2])
    assert pools.of(rounds[0]) is pools.of(rounds[0])
    assert pools.of(rounds[2]) is again


def test_all_tables_together_are_small() -> None:
    data = Path(tablebase.__file__).parent / "data"
    assert sum(file.stat().st_size for file in data.iterdir()) <= 8e6


def test_one_die_each_is_even_in_perudo() -> None:
    games: tuple[SolvedGame, ...] = ("perudo", "perudo match")
    for game in games:
        solved = Tablebase.shipped(game).round(1, 1)
        assert solved.lower <= 0 <= solved.upper


def test_a_round_of_perudo_is_found_by_its_rules_and_dice() -> None:
    def game_of(**changes: Any) -> str | None:
        config = preset("perudo", players=2, **({"dice": 2} | changes))
        return solved_game(round_rules(config.without_seed, config.total_dice, False))

    assert game_of() == "perudo match"
    assert game_of(palifico=True) == "perudo match"  # there is none between two
    assert game_of(mode="single_round") == "perudo"
    assert game_of(mode="best_of", rounds=3) == "perudo"
    assert game_of(wild="none", exact_call=False) == "heads-up"
    for changes in ({"wild": "none"}, {"exact_call": False}, {"open_on_ones": False}, {"faces": 5}, {"max_dice": 6}):
        assert game_of(**changes) is None, changes


def test_shipped_values_agree_with_published_ones() -> None:
    base = Tablebase.shipped()
    for dice, value in {(1, 1): -1 / 9, (1, 2): -22 / 81}.items():
        assert base.round(*dice).lower - 1e-12 <= value <= base.round(*dice).upper + 1e-12
    assert round(base.round(2, 1).value, 3) == 0.275


def test_the_file_is_small_and_can_be_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build("heads-up", tmp_path / "small.zip", most_dice=3)
    assert "2 v 1: [0.27" in capsys.readouterr().err
    made = Tablebase.read(tmp_path / "small.zip")
    assert sorted(made.entries) == [(1, 1), (1, 2), (2, 1)]
    again = tmp_path / "again.zip"
    write(again, "heads-up", [(made.round(*dice), entry.iterations) for dice, entry in made.entries.items()])
    assert (
        Tablebase.read(again).round(2, 1).strategies[0].chance.tolist()
        == made.round(2, 1).strategies[0].chance.tolist()
    )
    with pytest.raises(OutOfReachError, match="has up to 3 dice in total"):
        made.round(2, 2)


def test_tablebases_of_perudo_can_be_made_again(tmp_path: Path) -> None:
    for game in ("perudo", "perudo-match"):
        assert main([game, "--most-dice", "2", "--out", str(tmp_path / "one.zip")]) == 0
        made = Tablebase.read(tmp_path / "one.zip")
        assert list(made.entries) == [(1, 1)]
        assert made.config.wild == "ones"
        assert made.round(1, 1).exploitability <= 1e-3


def test_what_cannot_be_built_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["chess"], ["heads-up", "--most-dice", "1"]):
        with pytest.raises(SystemExit):
            main(arguments)
    assert main(["heads-up", "--out", str(tmp_path / "nowhere" / "x.zip")]) == 1
    assert "Nothing was written: " in capsys.readouterr().err


def test_an_interrupted_build_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(build_tablebase, "certify", interrupted)
    assert main(["heads-up", "--most-dice", "2", "--out", str(tmp_path / "x.zip")]) == 1
    assert not list(tmp_path.iterdir())


def test_damaged_files_say_so(tmp_path: Path) -> None:
    build("heads-up", tmp_path / "tiny.zip", most_dice=2)
    whole = (tmp_path / "tiny.zip").read_bytes()
    for data in (b"", b"no tablebase at all", whole[: len(whole) // 2]):
        with pytest.raises(DataError, match=r"^x is damaged or not a tablebase") as error:
            Tablebase(data, "x")
        assert "\n" not in str(error.value)
    healthy = Tablebase(whole, "x").round(1, 1)
    for place in range(0, len(whole), 7):
        spoilt = bytearray(whole)
        spoilt[place] ^= 1 << place % 8
        with suppress(DataError, OutOfReachError):  # unless the byte says nothing, such as a date
            found = Tablebase(bytes(spoilt), "x").round(1, 1)
            assert certify(found.strategies) == certify(healthy.strategies)
    other = BytesIO()
    with ZipFile(other, "w") as file:
        file.writestr("index.json", msgspec.json.encode({"format": 7, "rounds": []}))
    with pytest.raises(DataError, match="of format 7; this version reads 2"):
        Tablebase(other.getvalue(), "x")
    for path in (tmp_path / "none.zip", tmp_path):
        with pytest.raises(DataError, match="no tablebase can be read there"):
            Tablebase.read(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rules": {"faces": "many"}}, "x is damaged or not a tablebase"),
        ({"rounds": [{"dice": [1, 1], "lower": 3.0, "upper": 5.0, "iterations": 1}]}, "bounds that are no bracket"),
        ({"rules": {"dice": [1, 1], "faces": 2}}, "beyond the round"),
        ({"rounds": [{"dice": [1, 1], "lower": 0.0, "upper": 0.5, "iterations": 1}]}, None),
    ],
    ids=["rules", "bounds", "another game", "as it was"],
)
def test_tables_that_do_not_fit_their_rules_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str | None
) -> None:
    build("heads-up", tmp_path / "tiny.zip", most_dice=2)
    altered = BytesIO()
    with ZipFile(tmp_path / "tiny.zip") as file, ZipFile(altered, "w") as out:
        for name in file.namelist():
            data = file.read(name)
            if name == "index.json":
                data = msgspec.json.encode(msgspec.json.decode(data) | changes)
            out.writestr(name, data)
    if message is None:
        assert Tablebase(altered.getvalue(), "x").round(1, 1).upper == 0.5
        return
    with pytest.raises(DataError, match=message):
        Tablebase(altered.getvalue(), "x").round(1, 1)


def test_a_table_of_another_game_is_not_taken_for_the_packages_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILES, "heads-up", FILES["perudo"])
    with pytest.raises(DataError, match="one of another game: single round, wild ones, exact calls"):
        Tablebase.shipped.__wrapped__("heads-up")


# -- matches -----------------------------------------------------------------------------------------------------------


def test_matches_chain_rounds() -> None:
    base = Tablebase.shipped()
    low, high = match_bracket(1, 1)
    assert (low, high) == pytest.approx(((1 + base.round(1, 1).lower) / 2, (1 + base.round(1, 1).upper) / 2))
    one, even = match_bracket(1, 1), base.round(2, 1)
    win = [(1 + v) / 2 for v in (even.lower, even.upper)]
    by_hand = [win[0] + (1 - win[0]) * one[0], win[1] + (1 - win[1]) * one[1]]  # who loses has one die left, and opens
    assert match_bracket(2, 1) == pytest.approx(tuple(by_hand))
    for custom in ("loser", "winner", "alternate"):
        for dice in rounds_with(5):
            low, high = match_bracket(*dice, custom)
            assert 0 < low <= high < 1
            assert high - low < 1e-4


def test_matches_of_equal_dice_are_nearly_even_and_more_dice_are_better() -> None:
    for a, b in ((2, 1), (3, 1), (3, 2), (4, 1)):
        assert match_bracket(a, b)[0] > 0.5 > match_bracket(b, a)[1]
    assert 0.49 < match_bracket(2, 2)[0] < 0.5
    for dice, custom in (((0, 1), "loser"), ((1, 1), "nobody")):
        with pytest.raises(OutOfReachError, match="expected dice, and loser, winner or alternate"):
            match_bracket(*dice, custom)  # type: ignore[arg-type]


# -- explanations ------------------------------------------------------------------------------------------------------


def test_explanations_agree_with_the_value_of_the_round() -> None:
    solved = Tablebase.shipped().round(2, 2)
    worth = 0.0
    hands = solved.tree.hand_sets[0]
    for hand, weight in zip(hands.hands, hands.weights, strict=True):
        explained = explain(solved.tree, solved.pool, [], hand)
        assert sum(choice.chance for choice in explained.choices) == pytest.approx(1)
        assert explained.comes_here
        assert explained.expected
        assert sum(chance for _, chance in explained.belief) == pytest.approx(1)
        worth += weight * explained.value
    assert worth == pytest.approx(solved.upper, abs=1e-9)  # the best play against the other's strategy


def test_what_the_equilibrium_does_is_worth_most() -> None:
    solved = Tablebase.shipped().round(2, 3)
    explained = explain(solved.tree, solved.pool, [Bid(1, 6)], (5, 4, 4))
    assert explained.best.action == BidAction(Bid(2, 4))
    assert explained.of(BidAction(Bid(2, 4))).chance > 0.99
    assert explained.of(CallLiarAction()).value == pytest.approx(
        -explained.of(BidAction(Bid(2, 6))).value, abs=1e-9
    )  # nobody believes two sixes from here, and one six is called


def test_claims_are_explained() -> None:
    solved = Tablebase.shipped().round(2, 3)
    explained = explain(solved.tree, solved.pool, [Bid(2, 4), Bid(3, 4)], (4, 4))
    assert explained.best.action == BidAction(Bid(5, 4))
    called = explain(solved.tree, solved.pool, [Bid(2, 4), Bid(3, 4), Bid(5, 4)], (1, 4, 4))
    assert called.expected  # two fours bid so
    assert called.best.action == CallLiarAction()
    assert called.value == 1
    assert called.belief == (((4, 4), 1.0),)


def test_where_perfect_play_never_comes_it_says_so() -> None:
    solved = Tablebase.shipped().round(2, 3)
    here = explain(solved.tree, solved.pool, [Bid(1, 4), Bid(2, 4)], (1, 4))
    assert not here.comes_here
    assert here.best.action == BidAction(Bid(3, 4))
    assert here.best.chance == 1
    odd = explain(solved.tree, solved.pool, [Bid(4, 1)], (1, 2, 3))
    assert not odd.expected
    assert odd.best.action == CallLiarAction()


def test_other_rules_are_solved_at_once() -> None:
    found = equilibrium_of(GameConfig(dice=(1, 1), wild="ones"))
    assert found.upper - found.lower <= 1e-3
    assert explain(found.tree, found.pool, [], (1,)).value > 0.2  # a wild die to open with
    with pytest.raises(
        OutOfReachError, match=r"too many to be solved on the spot; .* of perudo up to \d, and solved:FILE"
    ):
        equilibrium_of(GameConfig(dice=(3, 3), wild="ones"))


def test_no_opening_on_ones_is_another_game_than_the_one_in_the_tables() -> None:
    tournament = preset("perudo-tournament", players=2, dice=1)
    assert solved_game(PublicTree(tournament).rules) is None
    found = equilibrium_of(tournament)
    linear = solve_linear(PublicTree(tournament)).value
    assert found.lower - 1e-12 <= linear <= found.upper + 1e-12
    mix = mix_of(found.tree, found.pool, [], (1,))
    assert mix
    assert all(isinstance(action, BidAction) and action.bid.face != 1 for action in mix)
    with pytest.raises(OutOfReachError, match="1x1 cannot open a round"):
        explain(found.tree, found.pool, [Bid(1, 1)], (3,))


@pytest.mark.parametrize(
    "changes",
    [
        {"open_on_ones": False},
        {"wild_bids": "forbidden"},
        {"exact_call": False, "max_dice": None},
        {"opening_min_quantity": 2},
        {"bid_ordering": "quantity_then_face"},
        {"wild": "top"},
        {"max_quantity": 2},
        {"faces": 5},
    ],
    ids=str,
)
def test_tables_are_for_their_own_rules_only(changes: dict[str, Any]) -> None:
    config = preset("perudo", players=2, dice=2).replace(**changes)
    assert solved_game(PublicTree(config).rules) is None


def test_bad_questions_get_one_line() -> None:
    solved = Tablebase.shipped().round(2, 1)
    for history, hand, complaint in (
        ([], (1,), "expected 2 dice from 1 to 6"),
        ([], (1, 7), "expected 2 dice from 1 to 6"),
        ([Bid(4, 1)], (1,), "cannot be bid with 3 dice"),
        ([Bid(2, 1), Bid(1, 6)], (1, 2), "must be higher"),
    ):
        with pytest.raises(OutOfReachError, match=complaint) as error:
            explain(solved.tree, solved.pool, history, hand)
        assert "\n" not in str(error.value)


def test_pictures(tmp_path: Path) -> None:
    solved = Tablebase.shipped().round(1, 1)
    explained = explain(solved.tree, solved.pool, [Bid(1, 3)], (3,))
    draw_explanation(explained, "one die each", tmp_path / "a" / "b.png")
    assert (tmp_path / "a" / "b.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(BadValueError, match=r"\.png"):
        draw_explanation(explained, "", tmp_path / "b.gif")


def test_pools_of_lists_hold_nothing_else() -> None:
    tree = PublicTree(GameConfig(dice=(1, 1), faces=2))
    empty = np.zeros(0, dtype=np.int64)
    opener = Strategy(tree, 0, np.zeros(2, dtype=np.uint64), np.array([0, 1]), np.array([0, 1]), np.ones(2))
    caller = Strategy(tree, 1, empty.astype(np.uint64), empty, empty, np.zeros(0))
    pool = pool_of((opener, caller))
    assert certify((opener, caller)) == pytest.approx((-0.5, 1.0))
    assert pool.average.sum() == 2


READS = """
import sys

read = set()
sys.addaudithook(lambda event, values: read.add(str(values[0])) if event == "open" else None)

from liars_dice import play_game, preset
from liars_dice.agents import make_agent

for dice in (1, 5):
    play_game([make_agent(name) for name in sys.argv[1:]], preset("perudo", players=2, dice=dice), seed=1)
print(sum(file.endswith((".zip", ".bin")) and "/solver/data/" in file.replace("\\\\", "/") for file in read))
"""


@pytest.mark.parametrize(("bots", "reads"), [(("optimal", "bluffer"), False), (("nash", "optimal"), True)])
def test_tables_are_read_only_for_who_plays_by_them(bots: tuple[str, str], reads: bool) -> None:
    done = subprocess.run([sys.executable, "-c", READS, *bots], capture_output=True, text=True, check=True)
    assert (int(done.stdout) > 0) == reads
