"""The answers of `reader`: the search of a round between two, and the rounds that are played on at a table."""

from __future__ import annotations

import random

import numpy as np
import pytest

from liars_dice.agents import make_agent
from liars_dice.core import GameEngine, preset, round_rules
from liars_dice.exact.response import best_response
from liars_dice.exact.tables import action_number, hand_set
from liars_dice.opponents.reader import ReaderAgent
from liars_dice.opponents.reader_rollouts import Belief, action_values, detective_action, odds_of, policy_table
from liars_dice.opponents.reader_styles import add_table
from liars_dice.opponents.reader_table import believed, readable, table_answer
from liars_dice.opponents.safe_response import RoundAnswer


def answer_to(name: str, dice: int) -> RoundAnswer:
    rules = round_rules(preset("classic", dice=dice).without_seed, 2 * dice, False)
    size = len(rules.bids)
    table = np.zeros((size + 1, size + 2, len(hand_set(dice, 6))))
    add_table(table, policy_table(name, rules, dice))
    return RoundAnswer(rules, dice, table, least_mass=0.0, rare=0.0)


@pytest.mark.parametrize("dice", [1, 2])
@pytest.mark.parametrize("name", ["probabilistic", "maniac", "bluffer", "conservative"])
def test_the_search_finds_the_best_response(name: str, dice: int) -> None:
    first, second = best_response(name, preset("classic", dice=dice))
    answer = answer_to(name, dice)
    assert answer.value(opens=True) == pytest.approx(first, abs=0.002)
    assert answer.value(opens=False) == pytest.approx(second, abs=0.002)


def test_a_player_of_two_styles_is_worth_less_than_both_are_alone() -> None:
    """Who does not know the style of a round can take at most what it could if it knew."""
    alone = [answer_to(name, 1) for name in ("maniac", "probabilistic")]
    both = RoundAnswer(
        alone[0].rules, 1, np.concatenate([one.table for one in alone], axis=2), shares=(0.4, 0.6), least_mass=0.0
    )
    most = 0.4 * alone[0].value(opens=True) + 0.6 * alone[1].value(opens=True)
    assert 0 < both.value(opens=True) <= most + 1e-9


def test_no_action_that_is_illegal_is_chosen() -> None:
    answer = answer_to("bluffer", 2)
    for history in ((), answer.rules.bids[3:4], answer.rules.bids[3:6:2], answer.rules.bids[-1:]):
        rung = answer.rules.rungs[history[-1]] if history else -1
        choices = answer.choices(history)
        assert ((choices > rung) & (choices <= answer.size)).all()
        assert history or (choices < answer.size).all()


def test_the_compiled_detective_decides_as_the_bot() -> None:
    rng, bot = random.Random(1), make_agent("detective")
    config = preset("perudo", players=4)
    for seed in range(12):
        game = GameEngine(config, seed=seed)
        game.start_new_round()
        for _ in range(8):
            public = game.state.public
            view = game.get_view(public.current_player)
            said = np.zeros((4, 7), dtype=np.int64)
            for seat, bid in zip(public.bidders, public.bid_history, strict=True):
                said[seat, bid.face] = 1
            hands = hand_set(5, 6)
            held = hands.matches(public.rules.wild_face)[hands.index[view.my_dice]]
            dice = np.array(public.dice_counts)
            found = detective_action(odds_of(public.rules), dice, held, said, view.player_id, public.rung)
            assert found == action_number(bot.choose_action(view), public.rules)  # type: ignore[arg-type]
            game.move(str(rng.choice(view.legal_actions[:10])))
            if game.state.public.status != "BIDDING":
                break


def test_a_call_is_worth_more_against_a_player_who_bids_anything() -> None:
    game = GameEngine(preset("perudo", players=3), seed=2)
    game.start_new_round()
    for bid in ("4x5", "6x5"):
        game.move(bid)
    public, hand = game.state.public, (2, 2, 3, 4, 6)
    liar = np.array([len(public.rules.bids)])
    ends = np.array([0.2, 0.4, 0.4, 0, 0, 0, 0.2, 0.2, 0.2, 0, 0, 0])
    wild, honest = (
        action_values(public, hand, [Belief(((name, 1.0),)), Belief(((name, 1.0),))], liar, ends, 400, 7)
        for name in ("random", "probabilistic")
    )
    assert wild[0] > honest[0] + 0.01
    again = action_values(public, hand, [Belief((("random", 1.0),))] * 2, liar, ends, 400, 7)
    assert again == wild


def test_who_is_believed_to_sit_there() -> None:
    posterior = {"crawler": 0.7, "champion": 0.2, "bluffer": 0.06, "sniper": 0.04}
    assert [name for name, _ in believed(posterior).styles] == ["crawler", "champion", "bluffer"]
    assert sum(weight for _, weight in believed(posterior).styles) == pytest.approx(1)
    assert readable(posterior) == pytest.approx(0.76)


def test_a_table_is_read_after_a_game_and_the_answer_is_legal() -> None:
    config = preset("perudo", players=4, dice=2)
    names = ["me", "a", "b", "c"]

    def played() -> tuple[list[int], ReaderAgent]:
        reader = ReaderAgent()
        others = [make_agent(name) for name in ("crawler", "bluffer", "sniper")]
        winners = [GameEngine(config, [reader, *others], names=names, seed=seed).play().winner for seed in range(4)]
        return winners, reader

    winners, reader = played()
    assert {name: next(iter(known.bots.posterior)) for name, known in reader.known.items()} == {
        "a": "crawler",
        "b": "bluffer",
        "c": "sniper",
    }
    game = GameEngine(config, names=names, seed=9)
    game.start_new_round()
    reader.on_game_start(config, 0)
    view = game.get_view(0)
    assert reader.will_read(view.public)
    (move,) = reader.policy(view)
    assert move in view.legal_actions
    beliefs = [Belief((("crawler", 1.0),))] * 3
    assert table_answer(view, {move: 1.0}, beliefs, 5) == table_answer(view, {move: 1.0}, beliefs, 5)
    assert played()[0] == winners
