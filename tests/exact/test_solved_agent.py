"""A round that was solved and saved: `solved:FILE` plays it, and explanations read it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

from liars_dice.agents import make_agent
from liars_dice.cli import main
from liars_dice.core import Bid, ConfigError, GameConfig, GameEngine, preset
from liars_dice.exact import DataError
from liars_dice.exact.response import best_response
from liars_dice.exact.solver import Solution, equilibrium_in, explain, mix_of, solve

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
    own = ",".join("1" * solution.tree.config.dice[0])
    told = CliRunner().invoke(main, ["explain", f"solved:{file}", "--hand", own])
    assert told.exit_code == 0, told.output
    own, other = solution.tree.config.dice
    assert told.output.startswith(f"{own} against {other} di")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["solved:x.npz", "--dice", "1", "1"], "--dice cannot be combined with solved:x.npz"),
        (["2v2.npz"], "expected solved:FILE"),
        (["solved:x.npz"], "there is no such file"),
        ([], "Give --dice N0 N1, or solved:FILE"),
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
