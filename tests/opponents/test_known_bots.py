"""The posterior over known bots: Bayes' rule through their policies, and nothing about dice that are hidden."""

from __future__ import annotations

import numpy as np
import pytest

from liars_dice.agents import AGENTS, ask, make_agent
from liars_dice.core import GameEngine, GameView, legal_actions, preset
from liars_dice.exact.tables import hand_set
from liars_dice.opponents import LIBRARY, BotPolicy, KnownBots, RecordedRound, finished_rounds

RULE_BOTS = ("random", "conservative", "probabilistic", "truthful", "maniac", "passive", "bluffer", "crawler", "sniper")


def rounds_between(names: tuple[str, ...], rules: str, seed: int = 0, games: int = 1) -> list[RecordedRound]:
    config = preset(rules, players=len(names)).without_seed
    found = []
    for game in range(games):
        engine = GameEngine(config, [make_agent(name) for name in names], seed=1000 * seed + game)
        found += finished_rounds(config, engine.play().resolutions)
    return found


def test_the_library_is_every_registered_bot_that_needs_no_model() -> None:
    assert set(RULE_BOTS) | {"detective", "nash", "champion", "champion:easy"} <= set(LIBRARY) <= set(AGENTS)


@pytest.mark.parametrize("rules", ["heads-up", "perudo"])
def test_the_posterior_is_bayes_rule(rules: str) -> None:
    """With no tremble and no changes, it is the product of what each bot's policy gives, made to add up to one."""
    model = KnownBots(RULE_BOTS, tremble=0, change=0)
    played = rounds_between(("bluffer", "probabilistic"), rules, games=2)[:12]
    expected = dict.fromkeys(RULE_BOTS, 1.0)
    for one in played:
        model.observe(one, 0)
        for name in RULE_BOTS:
            for view, action in one.decisions(0):
                expected[name] *= ask(make_agent(name), view).get(action, 0.0)
    total = sum(expected.values())
    assert expected["bluffer"] > 0
    for name, chance in model.posterior.items():
        assert chance == pytest.approx(expected[name] / total, abs=1e-12)


@pytest.mark.parametrize("name", ["crawler", "sniper", "detective", "nash", "champion", "champion:easy"])
def test_bots_are_recognised(name: str) -> None:
    model = KnownBots()
    for played in rounds_between((name, "threshold-best"), "heads-up" if name == "nash" else "perudo", games=6):
        model.observe(played, 0)
    assert next(iter(model.posterior)) == name


def test_one_odd_move_does_not_rule_a_bot_out() -> None:
    """Forty rounds of a crawler and one round of someone else in its seat: still a crawler."""
    model, strict = KnownBots(RULE_BOTS), KnownBots(RULE_BOTS, tremble=0, change=0)
    rounds = rounds_between(("crawler", "passive"), "heads-up", games=5)
    rounds.insert(20, rounds_between(("random", "passive"), "heads-up", seed=3)[0])
    for played in rounds:
        model.observe(played, 0)
        strict.observe(played, 0)
    assert model.posterior["crawler"] > 0.9
    assert strict.posterior["crawler"] == 0.0
    assert strict.posterior["random"] == pytest.approx(1.0)


def test_someone_who_becomes_another_bot_is_recognised_again() -> None:
    model = KnownBots(RULE_BOTS)
    for name in ("passive", "maniac"):
        for played in rounds_between((name, "crawler"), "perudo", games=8):
            model.observe(played, 0)
        assert next(iter(model.posterior)) == name


@pytest.mark.parametrize("name", ["conservative", "bluffer", "random", "detective", "nash", "champion:hard"])
def test_chances_of_all_hands_are_the_distributions_of_each(name: str) -> None:
    """The batched form gives what asking hand by hand gives, in a palifico round too."""
    bot = BotPolicy(name)
    for rules, bids in (("perudo", ("2x3", "2x5")), ("perudo", ()), ("heads-up", ("1x1",)), ("paso", ("1x4",))):
        if rules == "paso":
            config = preset("perudo", players=3).replace(palifico=True, dice=(2, 1, 2), max_dice=5).without_seed
        else:
            config = preset(rules, players=2).replace(dice=(2, 3), max_dice=5 if rules == "perudo" else None)
            config = config.without_seed
        engine = GameEngine(config, names=["a", "b", "c"][: config.num_players], seed=1)
        engine.start_new_round()
        for bid in bids:
            engine.move(bid)
        public = engine.get_view(0).public
        chances = bot.chances(public)
        hands = hand_set(public.dice_counts[public.current_player], 6).hands
        assert chances.shape == (len(hands), len(legal_actions(public)))
        assert np.allclose(chances.sum(1), 1)
        for row, hand in list(zip(chances, hands, strict=True))[::5]:
            policy = bot.distribution(GameView(public.current_player, hand, public))
            assert row == pytest.approx([policy.get(action, 0.0) for action in legal_actions(public)], abs=1e-6)


def test_a_prediction_is_a_distribution_over_legal_actions() -> None:
    model = KnownBots()
    first, *rest = rounds_between(("maniac", "sniper"), "perudo")
    model.observe(first, 0)
    for view, _ in rest[0].decisions():
        chances = model.distribution(view)
        assert set(chances) == set(view.legal_actions)
        assert sum(chances.values()) == pytest.approx(1)
        row = hand_set(len(view.my_dice), 6).index[view.my_dice]
        assert model.chances(view.public)[row] == pytest.approx(list(chances.values()), abs=1e-6)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="tremble"):
        KnownBots(tremble=1.0)
