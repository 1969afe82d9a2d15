"""The numpy player says what the network says, about views of real games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch
from test_perudo_batch import action_of, engines_of, game, hands_in

from liars_dice.core import GameEngine, preset
from liars_dice.learn.champion.network import Policy, PolicyNetwork, TwoNetworks, load_policy
from liars_dice.learn.champion.perudo_batch import PerudoBatch, RuleMix, random_actions, unpack
from liars_dice.learn.champion.player import SHIPPED, Champion, fits, save_weights, seen_in
from liars_dice.learn.champion.scripted import NAMES, scripted_actions


def shaken(network: PolicyNetwork) -> PolicyNetwork:
    """With weights large enough that every feature matters, and exact as half floats."""
    with torch.no_grad():
        for weights in network.parameters():
            weights.copy_((weights + 0.05 * torch.randn_like(weights)).half().float())
    return network.eval()


def one() -> Policy:
    return shaken(PolicyNetwork(32, 48, 2))


def two() -> Policy:
    return TwoNetworks(shaken(PolicyNetwork(32, 48, 2)), shaken(PolicyNetwork(32, 48, 2))).eval()


@pytest.mark.parametrize("make", [one, two])
def test_torch_and_numpy_agree_on_views_of_the_engine(make: Callable[[], Policy], tmp_path: Path) -> None:
    torch.manual_seed(2)
    network = make()
    save_weights(network.state_dict(), tmp_path / "champion.npz")
    champion = Champion.load(tmp_path / "champion.npz")
    mix = RuleMix((2, 6), (1, 5), 0.3, 0.1, 0.7, 0.7, 0.6, 0.5, 0.5, random_opener=False)
    games = PerudoBatch(40, mix, seed=8, pool=64)
    engines: list[GameEngine | None] = [*engines_of(games)]
    assert all(fits(engine.state.config) for engine in engines if engine is not None)
    crawls = torch.full((games.n, 6), NAMES.index("crawler"))
    compared, sizes = 0, set()
    for _ in range(40):
        tables = unpack(games.rows)
        with torch.no_grad():
            decision = network(tables)
        wanted = decision.logits.softmax(-1).numpy()
        slow = torch.rand(games.n) < 0.8
        actions = torch.where(slow, scripted_actions(tables, crawls, torch.rand(games.n)), random_actions(tables))
        outcome = games.step(actions)
        for place, engine in enumerate(engines):
            if engine is None:
                continue
            view = engine.get_view(engine.state.public.current_player)
            seen = seen_in(view)
            assert np.allclose(champion.distributions([seen])[0], wanted[place], atol=2e-4)
            chances = decision.chances[place, : len(seen.dice)].softmax(-1).numpy()
            assert np.allclose(champion.chances([seen])[0, : len(seen.dice)], chances, atol=2e-4)
            compared += 1
            sizes.add(len(seen.dice))
            engine.apply_action(view.player_id, action_of(int(actions[place])))
            if bool(outcome.game_ended[place]):
                engines[place] = None
            elif bool(outcome.round_ended[place]):
                engine.start_new_round(hands_in(game(games.rows, place), engine.state.config.num_players))
    assert compared > 500
    assert sizes == {2, 3, 4, 5, 6}


def test_two_networks_play_by_players_left(tmp_path: Path) -> None:
    torch.manual_seed(4)
    many, two = shaken(PolicyNetwork(16, 16, 1)), shaken(PolicyNetwork(16, 16, 1))
    both = TwoNetworks(many, two)
    for players, wanted in ((2, two), (3, many), (6, many)):
        tables = PerudoBatch(20, RuleMix((players, players)), seed=5, pool=32).tables
        for said, meant in zip(both(tables), wanted(tables), strict=True):
            assert torch.equal(said, meant)
    whole = {"shape": many.shape, "averaged": many.state_dict(), "policy": many.state_dict(), "two": two.state_dict()}
    torch.save(whole, tmp_path / "both.pt")
    loaded = load_policy(tmp_path / "both.pt")
    assert isinstance(loaded, TwoNetworks)
    assert all(torch.equal(a, b) for a, b in zip(loaded.parameters(), both.parameters(), strict=True))


def test_the_shipped_weights_are_those_that_were_trained() -> None:
    trained = load_policy(Path(__file__).parents[3] / "training" / "data" / "champion-g.pt").state_dict()
    with np.load(SHIPPED) as shipped:
        assert set(shipped) == set(trained)
        assert all(np.array_equal(shipped[name], weights.half().numpy()) for name, weights in trained.items())


def test_rules_it_is_not_made_for() -> None:
    assert fits(preset("perudo"))
    assert fits(preset("perudo", players=3, palifico=True, open_on_ones=False))
    assert fits(preset("perudo-tournament", players=4, exact_payer="nobody"))
    assert fits(preset("heads-up"))
    assert not fits(preset("duel"))
    assert not fits(preset("perudo", faces=5))
    assert not fits(preset("perudo", players=5, table_dice=2))
