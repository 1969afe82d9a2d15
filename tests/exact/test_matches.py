"""Solved matches against a second opinion: values of all states, improved in turn by linear programs."""

from __future__ import annotations

import pytest

from liars_dice.core import GameConfig, preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.solver.equilibrium import memory_needed
from liars_dice.exact.solver.matches import State, layers, payoffs_in, solve_match
from liars_dice.exact.solver.public_tree import PublicTree
from linear_programs import solve_linear

MATCHES = [
    GameConfig(dice=(2, 1), faces=2, wild="top", exact_call=True, mode="elimination", max_dice=2),
    GameConfig(dice=(2, 1), faces=2, exact_call=True, exact_payer="nobody", mode="elimination", max_dice=2),
    GameConfig(dice=(2, 1), faces=2, exact_call=True, mode="elimination", next_opener="winner", max_dice=3),
    GameConfig(dice=(2, 1), faces=2, wild="top", mode="elimination"),
]
PERUDO = GameConfig(
    dice=(2, 2), faces=2, wild="ones", bid_ordering="perudo", exact_call=True, mode="elimination", max_dice=3
)
"""Its rounds with four dice lead to each other: right exact calls."""
LOOP = PERUDO.replace(next_opener="alternate")


def values_by_linear_programs(config: GameConfig) -> dict[State, float]:
    """What each state is worth to its opener: every round solved with what the states after it are worth, until
    nothing changes."""
    worth: dict[State, float] = {state: 0.0 for layer in layers(config) for state in layer}
    for layer in layers(config):
        change = 1.0
        while change > 1e-9:
            change = 0.0
            for state in layer:
                payoffs = payoffs_in(config, state, 0, lambda after, seat: worth[after] if seat == 0 else -worth[after])
                value = solve_linear(PublicTree(config.replace(dice=state), payoffs=payoffs)).value
                change = max(change, abs(value - worth[state]))
                worth[state] = value
    return worth


@pytest.mark.parametrize(
    "config",
    [*MATCHES, PERUDO, LOOP, pytest.param(PERUDO.replace(faces=3), marks=pytest.mark.slow)],
    ids=["bidder pays", "nobody pays", "winner opens", "no exact calls", "perudo", "loop", "perudo, three faces"],
)
def test_linear_programs_find_the_same_chances_to_win(config: GameConfig) -> None:
    match = solve_match(config, target=1e-3)
    values = values_by_linear_programs(config)
    assert match.states.keys() == values.keys()
    for state, value in values.items():
        found = match.states[state]
        assert found.lower - 1e-9 <= (1 + value) / 2 <= found.upper + 1e-9
        assert found.exploitability <= 1e-3


def test_states_that_lead_to_each_other_are_one_layer() -> None:
    assert layers(PERUDO)[-1] == [(1, 3), (2, 2)]
    assert layers(LOOP)[-1] == [(1, 3), (2, 2), (3, 1)]


def test_a_match_that_passes_the_check_of_memory_is_solved() -> None:
    """States that need more memory get more of it: what fits together also fits one by one."""
    config = preset("perudo", players=2, dice=(2, 1), faces=3)
    needed = max(
        sum(memory_needed(PublicTree(config.replace(dice=state))) for state in layer) for layer in layers(config)
    )
    match = solve_match(config, target=0.02, cut=0.0, memory=1.01 * needed)
    assert match.exploitability <= 0.02
    assert match.iterations > 0
    with pytest.raises(OutOfReachError, match="a match with 2 dice in total would fit"):
        solve_match(config, target=0.02, cut=0.0, memory=0.99 * needed)


def test_layers_that_are_known_are_not_solved_again() -> None:
    config = MATCHES[0]
    match = solve_match(config, target=1e-3)
    fewer = {state: (found.tree, found.pool) for state, found in match.states.items() if state == (1, 1)}
    again = solve_match(config, target=1e-3, known=fewer)
    assert again.states[1, 1].iterations == 0
    assert again.states[1, 1].pool is fewer[1, 1][1]
    assert again.states[2, 1].iterations > 0
    assert again.value == pytest.approx(match.value, abs=2e-3)


def test_only_matches_of_two_are_solved() -> None:
    with pytest.raises(OutOfReachError, match="two players who lose dice"):
        solve_match(GameConfig(dice=(1, 1)))
