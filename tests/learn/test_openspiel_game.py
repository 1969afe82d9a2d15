"""Our rules inside OpenSpiel: its own tests of games, its own Liar's Dice, and our own best responses agree with it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from liars_dice.agents import RandomAgent
from liars_dice.core import ConfigError, GameConfig, preset
from liars_dice.exact import best_response
from liars_dice.exact.tables import hand_set
from support import SMALL_ROUNDS, configs

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (it has no package for this Python)")

from open_spiel.python import policy  # noqa: E402
from open_spiel.python.algorithms import best_response as their_response  # noqa: E402
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability  # noqa: E402

from liars_dice.learn.envs.openspiel_game import GAME, config_of, game_parameters, load_game  # noqa: E402

ORDERINGS = {"reset-face": "quantity_then_face", "reset-quantity": "liars_dice_standard"}

SMALL = SMALL_ROUNDS | {
    "no bids on wilds": GameConfig(dice=(2, 1), faces=3, wild="ones", wild_bids="forbidden"),
    "more than there is": GameConfig(dice=(1, 1), faces=2, max_quantity=3),
}


@pytest.mark.parametrize("rule", ORDERINGS)
def test_cfr_finds_the_same_as_on_their_own_game(rule: str) -> None:
    """The preset `openspiel` with three faces: after the same iterations the same values and exploitability."""
    ours = load_game(preset("openspiel", faces=3, bid_ordering=ORDERINGS[rule]))
    theirs = pyspiel.load_game("liars_dice", {"numdice": 1, "dice_sides": 3, "bidding_rule": rule})
    assert ours.num_distinct_actions() == theirs.num_distinct_actions()
    assert ours.max_game_length() == theirs.max_game_length()
    solvers = [cfr.CFRSolver(ours), cfr.CFRSolver(theirs)]
    for _ in range(3):
        found = []
        for solver, game in zip(solvers, (ours, theirs), strict=True):
            for _ in range(4):
                solver.evaluate_and_update_policy()
            average = solver.average_policy()
            value = expected_game_score.policy_value(game.new_initial_state(), [average, average])[0]
            found.append((value, exploitability.exploitability(game, average)))
        assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_hands_weigh_as_much_as_the_rolls_that_make_them() -> None:
    """With two dice each they deal die by die, we deal hands: the uniform policy can be exploited as much."""
    ours = load_game(preset("openspiel", dice=2, faces=2))
    theirs = pyspiel.load_game("liars_dice", {"numdice": 2, "dice_sides": 2})
    expected = exploitability.exploitability(theirs, policy.UniformRandomPolicy(theirs))
    assert exploitability.exploitability(ours, policy.UniformRandomPolicy(ours)) == pytest.approx(expected, abs=1e-12)
    state = ours.new_initial_state()
    assert [p for _, p in state.chance_outcomes()] == [0.25, 0.5, 0.25]


@pytest.mark.parametrize("rules", SMALL)
def test_their_best_response_to_chance_is_ours(rules: str) -> None:
    """Whatever the rules, OpenSpiel's best response against the uniform policy earns what ours earns."""
    game = load_game(SMALL[rules])
    uniform = policy.UniformRandomPolicy(game)
    theirs = tuple(
        their_response.BestResponsePolicy(game, seat, uniform).value(game.new_initial_state()) for seat in (0, 1)
    )
    assert theirs == pytest.approx(best_response(RandomAgent(), SMALL[rules]), abs=1e-12)


@pytest.mark.parametrize("rules", [*SMALL, "duel", "classic"])
def test_their_own_test_of_games(rules: str) -> None:
    """Random play with histories, copies, serialisation, chance, returns and tensors checked by OpenSpiel."""
    config = SMALL.get(rules) or preset(rules)
    pyspiel.random_sim_test(load_game(config), num_sims=10, serialize=True, verbose=False)


@given(configs(max_players=2, max_dice=2, shared=False))
@settings(max_examples=50, deadline=None)
def test_parameters_stand_for_rules(config: GameConfig) -> None:
    if config.mode != "single_round" or config.num_players != 2:
        with pytest.raises(ConfigError, match="a single round of two players"):
            game_parameters(config)
    else:
        assert config_of(game_parameters(config)) == config.without_seed


def test_parameters_as_text() -> None:
    assert config_of({}) == preset("openspiel")
    game = pyspiel.load_game(f"{GAME}(dice1=2,faces=3,wild=none,exact_call=True)")
    assert game.num_distinct_actions() == 9 + 2
    assert game.max_chance_outcomes() == 6
    with pytest.raises(pyspiel.SpielError, match="colour"):
        pyspiel.load_game(f"{GAME}(colour=3)")
    with pytest.raises(ConfigError, match="faces = 1"):
        pyspiel.load_game(f"{GAME}(faces=1)")
    with pytest.raises(ConfigError, match="at most 100,000 hands"):
        load_game(GameConfig(dice=(60, 60), faces=20))


def test_information_states_hide_the_other_hand_and_keep_the_rest_apart() -> None:
    """Walk a whole game: states look the same exactly if own hand and bidding are the same, as text and as numbers."""
    config = GameConfig(dice=(1, 2), faces=2, exact_call=True)
    game = load_game(config)
    seen: dict[tuple[object, ...], set[tuple[object, ...]]] = {}
    looks = 0
    pending = [game.new_initial_state()]
    while pending:
        state = pending.pop()
        pending += [state.child(action) for action in state.legal_actions()] if not state.is_terminal() else []
        if state.is_chance_node():
            continue
        for player in (0, 1):
            deals, moves = tuple(state.history()[:2]), tuple(state.history()[2:])
            look = (state.information_state_string(player), *state.information_state_tensor(player))
            seen.setdefault((player, deals[player], moves), set()).add(look)
            looks += 1
    assert all(len(same) == 1 for same in seen.values())
    assert len({look for same in seen.values() for look in same}) == len(seen) < looks
    assert len({look[1:] for same in seen.values() for look in same}) == len(seen)


def test_words() -> None:
    game = load_game(GameConfig(dice=(2, 1), faces=3, exact_call=True))
    state = game.new_initial_state()
    hands = hand_set(2, 3).index
    assert state.action_to_string(hands[1, 3]) == "Deal 1 3"
    for action in (hands[1, 3], 1, 2, 4):
        state.apply_action(action)
    assert str(state) == "[1 3] [2] 1x3 2x2"
    assert state.information_state_string(1) == "p1 [2] 1x3 2x2"
    assert [state.action_to_string(action) for action in state.legal_actions()][-3:] == ["3x3", "liar", "exact"]
    state.apply_action(state.legal_actions()[-2])
    assert str(state) == "[1 3] [2] 1x3 2x2 liar"
    assert state.returns() == [1, -1]
