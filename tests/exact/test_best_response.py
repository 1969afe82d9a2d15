"""Best responses against two second opinions: everything tried by hand, and OpenSpiel."""

from __future__ import annotations

import pytest

from liars_dice.agents import AGENTS, Agent, Policy, PolicyAgent, make_agent
from liars_dice.core import GameConfig, GameView, preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.exact.response import adversary as response
from liars_dice.exact.response.adversary import best_response, exploitability
from oracle import best_value
from support import SMALL_ROUNDS

MEMORYLESS = [name for name, info in AGENTS.items() if info.memoryless]


class Drunk(PolicyAgent):
    """Mixes anew in every cell, so that nearly every bidding leads to another belief."""

    memoryless = True

    def policy(self, view: GameView) -> Policy:
        weights = [
            1.0 + (7 * i + 3 * sum(view.my_dice) + len(view.legal_actions)) % 5 for i in range(len(view.legal_actions))
        ]
        return {action: w / sum(weights) for action, w in zip(view.legal_actions, weights, strict=True)}


@pytest.mark.parametrize("rules", SMALL_ROUNDS)
@pytest.mark.parametrize("name", ["truthful", "optimal", "bluffer", "random", "sniper", "drunk"])
def test_nothing_that_can_be_tried_does_better_or_worse(name: str, rules: str) -> None:
    agent = Drunk() if name == "drunk" else make_agent(name)
    config = SMALL_ROUNDS[rules]
    first, second = best_response(agent, config)
    assert first == pytest.approx(float(best_value(agent, config, 0)), abs=1e-12)
    assert second == pytest.approx(float(best_value(agent, config, 1)), abs=1e-12)


@pytest.mark.parametrize("dice", [(1, 1), (2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("name", ["optimal", "conservative", "bluffer"])
def test_beliefs_and_tree_agree(name: str, dice: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    config = GameConfig(dice=dice, faces=5, wild="ones")
    by_beliefs = best_response(make_agent(name), config)
    monkeypatch.setattr(response, "FEW_BELIEFS", 0)
    assert best_response(make_agent(name), config) == pytest.approx(by_beliefs, abs=1e-12)


def test_any_memoryless_agent_with_two_dice_each() -> None:
    """A policy with another mix in every cell, over all biddings of 24 rungs."""
    first, second = best_response(Drunk(), preset("classic", dice=2))
    assert 0.5 < first < 1
    assert 0.5 < second < 1


@pytest.mark.parametrize("name", MEMORYLESS)
def test_nobody_does_better_than_the_best_response(name: str) -> None:
    config = preset("classic", dice=(2, 3))
    agent = make_agent(name)
    others = [make_agent(other) for other in MEMORYLESS if other != name]
    first, second = best_response(agent, config)
    win = Matchups([agent, *others], config).match.win
    assert max(2 * win[1:, 0] - 1) <= first + 1e-12
    assert max(1 - 2 * win[0, 1:]) <= second + 1e-12


def test_five_dice_each() -> None:
    """The published champion is an open book: who knows it wins all but two rounds in a thousand as the second."""
    first, second = best_response(make_agent("optimal"), preset("classic"))
    assert first == pytest.approx(0.892566151363697, abs=1e-12)
    assert second == pytest.approx(0.996278911370217, abs=1e-12)
    assert exploitability(make_agent("sniper"), preset("classic")) == pytest.approx(0.431489598416145, abs=1e-12)


@pytest.mark.parametrize("name", ["optimal", "probabilistic", "bluffer", "random"])
@pytest.mark.parametrize("faces", [3, 4])
def test_openspiel_agrees(name: str, faces: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python import policy as spiel_policy
    from open_spiel.python.algorithms import best_response as spiel_best_response
    from open_spiel.python.algorithms.expected_game_score import policy_value

    from liars_dice.core.rules import round_rules
    from liars_dice.exact.tables.policy_table import PolicyBook
    from liars_dice.exact.tables.situation import Situation

    config = preset("openspiel", faces=faces)
    game = pyspiel.load_game("liars_dice", {"numdice": 1, "dice_sides": faces})
    table = PolicyBook(make_agent(name))[Situation(round_rules(config, 2, False), 1)]

    class Ours(spiel_policy.Policy):  # type: ignore[misc]
        """The agent as OpenSpiel's policy: its information state is `die bid bid ...`, rungs counted alike."""

        def action_probabilities(self, state, player_id=None):  # type: ignore[no-untyped-def]
            player = state.current_player() if player_id is None else player_id
            die, *bids = state.information_state_string(player).split()
            rung = -1
            if bids:
                quantity, face = map(int, bids[-1].split("-"))
                rung = (quantity - 1) * faces + face - 1
            cells = table.distribution(int(die) - 1, rung)
            moves = table.situation.rules.moves
            return {moves.index(action): chance for action, chance in cells.items()}

    ours = Ours(game, [0, 1])
    values = []
    for adversary in (0, 1):
        best = spiel_best_response.BestResponsePolicy(game, adversary, ours)
        pair = [best, ours] if adversary == 0 else [ours, best]
        values.append(policy_value(game.new_initial_state(), pair)[adversary])
    assert best_response(make_agent(name), config) == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize(
    ("agent", "config", "message"),
    [
        ("random", preset("perudo"), "6 players"),
        ("random", preset("duel", table_dice=1), "table_dice = 1"),
        ("detective", preset("duel", hidden_dice=1), "hidden_dice = 1"),
        ("random", preset("classic", dice=10), "would need about .* GB"),
    ],
)
def test_out_of_reach(agent: str, config: GameConfig, message: str) -> None:
    with pytest.raises(OutOfReachError, match=message):
        best_response(make_agent(agent), config)


def test_too_many_beliefs_for_too_tall_a_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response, "MOST_BELIEFS", 1000)
    agent: Agent = Drunk()
    with pytest.raises(OutOfReachError, match="mixes in more ways than can be followed with 60 rungs"):
        best_response(agent, preset("classic"))
