"""Players by habits, blends of bots, and mixtures of models: they predict, learn, and say how sure they are."""

from __future__ import annotations

import numpy as np
import pytest

from liars_dice.agents import Agent, make_agent
from liars_dice.core import GameEngine, GameView, PublicState, chance_exact, chance_true, legal_actions, preset
from liars_dice.exact.tables import hand_set
from liars_dice.opponents import (
    BlendedBots,
    KnownBots,
    ParametricPlayer,
    PlayerMixture,
    PlayerModel,
    RecordedRound,
    finished_rounds,
)
from liars_dice.opponents.choice_features import features_of, features_of_hands, odds_of_bids


class Undecided(Agent):
    """Two bots in one: each decision is drawn anew."""

    def __init__(self, *names: str) -> None:
        super().__init__("undecided")
        self.bots = [make_agent(name) for name in names]

    def choose_action(self, view: GameView) -> object:  # type: ignore[override]
        return self.rng.choice(self.bots).choose_action(view)


def rounds_of_player(player: Agent, rules: str = "perudo", number: int = 40) -> list[RecordedRound]:
    config = preset(rules, players=2).without_seed
    found: list[RecordedRound] = []
    seed = 0
    while len(found) < number:
        engine = GameEngine(config, [player, make_agent("aggressive")], seed=seed)
        rounds = finished_rounds(config, engine.play().resolutions)
        found += [played for played in rounds if any(played.decisions(0))]
        seed += 1
    return found[:number]


def log_loss(model: PlayerModel, rounds: list[RecordedRound]) -> float:
    """The mean loss of a model per decision, when it is asked before it learns from each round."""
    return -sum(model.observe(played, 0) for played in rounds) / sum(len(list(one.decisions(0))) for one in rounds)


def uniform_loss(rounds: list[RecordedRound]) -> float:
    legal = [len(view.legal_actions) for played in rounds for view, _ in played.decisions(0)]
    return float(np.log(legal).mean())


def test_odds_are_those_of_the_rules() -> None:
    """With dice on the table too."""
    config = preset("perudo", players=2).replace(dice=(2, 3), max_dice=5, table_dice=1, hidden_dice=1).without_seed
    for seed in range(3):
        engine = GameEngine(config, names=["a", "b"], seed=seed)
        engine.start_new_round()
        view = engine.get_view(0)
        counts = np.array([[view.my_dice.count(face) for face in range(1, 7)]])
        true, exact, _ = odds_of_bids(view.public, counts)
        for rung, bid in enumerate(view.public.rules.bids):
            assert true[0, rung] == pytest.approx(chance_true(view, bid))
            assert exact[0, rung] == pytest.approx(chance_exact(view, bid))


def positions() -> list[PublicState]:
    found = [
        view.public for played in rounds_of_player(make_agent("random"), number=6) for view, _ in played.decisions()
    ]
    palifico = preset("perudo", players=3).replace(dice=(2, 1, 3), max_dice=5, palifico=True).without_seed
    engine = GameEngine(palifico, names=["a", "b", "c"], seed=2)
    engine.start_new_round()
    engine.move("1x4")
    return [*found, engine.get_view(1).public]


def test_all_hands_at_once_are_the_hands_one_by_one() -> None:
    model = ParametricPlayer()
    for public in positions():
        hands = hand_set(public.dice_counts[public.current_player], 6).hands
        features, chances = features_of_hands(public), model.chances(public)
        assert chances.shape == (len(hands), len(legal_actions(public)))
        assert chances.sum(1) == pytest.approx(1)
        for hand in hands[::20]:
            view, row = GameView(public.current_player, hand, public), hands.index(hand)
            assert (features_of(view) == features[row]).all()
            assert list(model.distribution(view).values()) == pytest.approx(chances[row].tolist())


@pytest.mark.parametrize("rules", ["heads-up", "perudo"])
def test_habits_are_learnt(rules: str) -> None:
    """The longer a player is watched, the better it is predicted; from the first round on, better than by nothing."""
    rounds = rounds_of_player(Undecided("sniper", "maniac"), rules, 80)
    model = ParametricPlayer()
    early, late = log_loss(model, rounds[:20]), log_loss(model, rounds[60:])
    assert early < uniform_loss(rounds[:20])
    watched = ParametricPlayer()
    log_loss(watched, rounds[:60])
    assert log_loss(watched, rounds[60:]) < 0.95 * log_loss(ParametricPlayer(), rounds[60:])
    assert late < early


def test_uncertainty_shrinks_with_rounds() -> None:
    model = ParametricPlayer()
    before = np.diag(np.array(model.belief.covariance))
    log_loss(model, rounds_of_player(make_agent("bluffer"), number=20))
    after = np.diag(np.array(model.belief.covariance))
    assert (after <= before + 1e-9).all()
    assert after.sum() < 0.8 * before.sum()


def test_a_forgetful_model_follows_a_player_who_changes() -> None:
    rounds = rounds_of_player(make_agent("crawler"), number=60) + rounds_of_player(make_agent("sniper"), number=20)
    steady, forgetful = ParametricPlayer(), ParametricPlayer(memory=0.96)
    log_loss(steady, rounds[:60])
    log_loss(forgetful, rounds[:60])
    assert log_loss(forgetful, rounds[60:]) < log_loss(steady, rounds[60:])


def test_a_blend_of_two_bots_is_seen_as_one() -> None:
    rounds = rounds_of_player(Undecided("crawler", "sniper"), number=60)
    blend = BlendedBots()
    assert log_loss(blend, rounds) < log_loss(KnownBots(), rounds)
    assert set(list(blend.shares)[:2]) == {"crawler", "sniper"}
    assert sum(blend.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(("player", "expected"), [("sniper", "known bot"), ("threshold:0.2,0.4", "thresholds")])
def test_a_mixture_trusts_the_model_that_predicts(player: str, expected: str) -> None:
    mixture = PlayerMixture()
    rounds = rounds_of_player(make_agent(player))
    loss = log_loss(mixture, rounds)
    assert next(iter(mixture.weights)) == expected
    assert loss < 0.2 * uniform_loss(rounds)
    view = next(rounds[0].decisions(0)).view
    row = hand_set(len(view.my_dice), 6).index[view.my_dice]
    assert mixture.chances(view.public)[row] == pytest.approx(list(mixture.distribution(view).values()), abs=1e-6)


def test_models_learn_the_same_twice() -> None:
    rounds = rounds_of_player(Undecided("bluffer", "passive"), number=15)
    one, other = PlayerMixture(), PlayerMixture()
    assert log_loss(one, rounds) == log_loss(other, rounds)
    for view, _ in rounds[-1].decisions():
        assert one.distribution(view) == other.distribution(view)


def test_what_happened_before_the_current_bid_does_not_matter() -> None:
    """So a player by habits is memoryless, and exact methods can measure its clone."""
    model = ParametricPlayer()
    engines = [GameEngine("heads-up", names=["a", "b"], seed=5) for _ in range(2)]
    for engine, bids in zip(engines, (("1x2", "1x3", "2x4"), ("2x4",)), strict=True):
        engine.start_new_round()
        for bid in bids:
            engine.move(bid)
    chances = [model.chances(engine.get_view(1).public) for engine in engines]
    assert (chances[0] == chances[1]).all()


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="memory"):
        ParametricPlayer(memory=0)
    with pytest.raises(ValueError, match="at least one model"):
        PlayerMixture({})
