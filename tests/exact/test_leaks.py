"""Where an agent gives rounds away: the losses add up to what it wins less than it could, and `explain` agrees."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from liars_dice.agents import make_agent
from liars_dice.cli import main
from liars_dice.core import Bid, BidAction, GameConfig, preset
from liars_dice.exact.response.agent_probe import round_value_by_probing
from liars_dice.exact.response.leaks import find_leaks, leaks_of
from liars_dice.exact.solver.explanation import equilibrium_of, explain, reply_to


@pytest.mark.parametrize("name", ["truthful", "optimal", "bluffer", "detective"])
@pytest.mark.parametrize(
    "config",
    [
        GameConfig(dice=(1, 1)),
        GameConfig(dice=(2, 1)),
        GameConfig(dice=(1, 2)),
        preset("perudo", players=2, dice=1, mode="single_round"),
        preset("perudo", players=2, dice=(2, 1), mode="single_round"),
    ],
    ids=["1v1", "2v1", "1v2", "perudo 1v1", "perudo 2v1"],
)
def test_losses_add_up(name: str, config: GameConfig) -> None:
    """Nothing is counted twice and nothing is left out: asking both players gives the same result, claims and exact
    calls included.
    """
    agent, nash = make_agent(name), make_agent("nash")
    found = leaks_of(agent, config)
    assert found is not None
    assert found[0].win_rate == pytest.approx((1 + round_value_by_probing(agent, nash, config)) / 2, abs=1e-9)
    assert found[1].win_rate == pytest.approx((1 - round_value_by_probing(nash, agent, config)) / 2, abs=1e-9)
    assert all(0 < leak.loss <= 1 and 0 < leak.chance <= 1 for one in found for leak in one.leaks)


def test_explain_says_the_same_of_each() -> None:
    round_ = equilibrium_of(preset("classic", dice=2))
    for seat in (0, 1):
        for leak in find_leaks(make_agent("optimal"), round_, seat).leaks[:10]:
            why = explain(round_.tree, round_.pool, leak.bids, leak.hand)
            assert len(leak.bids) % 2 == seat
            assert why.of(leak.best).value == pytest.approx(why.value, abs=1e-9)
            assert why.value - why.of(leak.action).value == pytest.approx(2 * leak.loss, abs=1e-9)
            if not leak.bids:
                hands = round_.tree.hand_sets[0]
                assert leak.chance == pytest.approx(hands.weights[hands.index[leak.hand]])


def test_perfect_play_has_none_worth_naming() -> None:
    found = leaks_of(make_agent("nash"), preset("classic", dice=2))
    assert found is not None
    for one, possible in zip(found, (0.4916, 0.5084), strict=True):
        assert one.possible == pytest.approx(possible, abs=1e-4)
        assert one.possible - one.win_rate < 1e-4


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(dice=(4, 4)),
        GameConfig(dice=(1, 1), faces=4),
        GameConfig(dice=(1, 1), wild="ones"),
        GameConfig(dice=(1, 1, 1)),
        GameConfig(dice=(1, 1), exact_call=True),
    ],
)
def test_rounds_that_are_not_in_the_package(config: GameConfig) -> None:
    assert leaks_of(make_agent("truthful"), config) is None


def test_what_becomes_of_a_bid() -> None:
    """A bid that is always called is worth what it wins when it holds; hands that call weigh it, not all hands."""
    round_ = equilibrium_of(preset("classic", dice=2))
    seen = 0
    for hand, bids in (((4, 6), ()), ((5, 6), (Bid(1, 5), Bid(1, 6))), ((2, 2), (Bid(2, 3),))):
        for choice in explain(round_.tree, round_.pool, bids, hand).choices:
            if isinstance(choice.action, BidAction):
                reply = reply_to(round_.tree, round_.pool, bids, hand, choice.action.bid)
                assert 0 <= reply.called <= 1
                if reply.called > 1 - 1e-12:
                    assert choice.value == pytest.approx(2 * reply.holds - 1, abs=1e-9)
                    seen += 1
    assert seen > 20


def test_explain_compares_an_action_with_the_best() -> None:
    def call(*words: str) -> Result:
        return CliRunner().invoke(main, ["explain", "--dice", "2", "2", "--hand", "4,6", *words])

    shown = call("--action", "2x4").stdout
    assert "2x4 gives away 24.14% of the chance to win" in shown
    assert "2x4: perfect play calls it 61." in shown
    told = json.loads(call("--action", "2x4", "--json").stdout)["asked"]
    assert told["loss"] == pytest.approx(0.2414, abs=1e-3)
    assert set(told["replies"]) == {"2x4", "1x2"}
    assert "1x2 is best" in call("--action", "1x2").stdout
    assert "liar: the bid is false" in call("--bids", "1x6", "--action", "liar").stdout
    assert "a higher bid" in call("--bids", "2x6", "--action", "1x2").stderr
    assert "asked" not in json.loads(call("--json").stdout)
