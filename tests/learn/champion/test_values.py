"""The champion's values: numpy and PyTorch agree, calls and ends of rounds are exact, and no hidden dice are used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch
from test_perudo_batch import action_of, engines_of, game, hands_in

from liars_dice.learn.champion.perudo_batch import EXACT, LIAR, PerudoBatch, RuleMix, random_actions, unpack
from liars_dice.learn.champion.player import save_weights, seen_in
from liars_dice.learn.champion.scripted import NAMES, scripted_actions
from liars_dice.learn.champion.value_network import OutcomeNetwork, RoundWorth, action_values, load_values
from liars_dice.learn.champion.values import ChampionValues


def shaken_values(path: Path) -> tuple[OutcomeNetwork, RoundWorth, ChampionValues]:
    """Networks with weights large enough that every feature matters, and the same in numpy."""
    torch.manual_seed(3)
    parts = {"outcomes": OutcomeNetwork(32, 48, 2), "worth": RoundWorth()}
    for part in parts.values():
        for weights in part.parameters():
            weights.data.copy_((weights + 0.05 * torch.randn_like(weights)).half().float())
    state = {f"{name}.{key}": w for name, part in parts.items() for key, w in part.state_dict().items()}
    save_weights(state, path)
    return *load_values(path), ChampionValues.load(path)


def test_torch_and_numpy_agree_on_views_of_the_engine(tmp_path: Path) -> None:
    outcomes, worth, values = shaken_values(tmp_path / "values.npz")
    mix = RuleMix((2, 6), (1, 5), 0.3, 0.1, 0.7, 0.7, 0.6, 0.5, 0.5, random_opener=False)
    games = PerudoBatch(16, mix, seed=8, pool=64)
    alike = unpack(games.rows).all_started_with_one > 0  # then no round is a palifico round, which a view does not say
    engines = [None if alike[place] else engine for place, engine in enumerate(engines_of(games))]
    crawls = torch.full((games.n, 6), NAMES.index("crawler"))
    compared = 0
    for _ in range(30):
        tables = unpack(games.rows)
        wanted = action_values(outcomes, worth, tables).numpy()
        slow = torch.rand(games.n) < 0.8
        actions = torch.where(slow, scripted_actions(tables, crawls, torch.rand(games.n)), random_actions(tables))
        outcome = games.step(actions)
        for place, engine in enumerate(engines):
            if engine is None:
                continue
            view = engine.get_view(engine.state.public.current_player)
            found = values.worth([seen_in(view)])[0].actions
            assert (np.isnan(found) == (wanted[place] < 0)).all()
            assert np.allclose(np.where(np.isnan(found), -1, found), wanted[place], atol=2e-4)
            compared += 1
            engine.apply_action(view.player_id, action_of(int(actions[place])))
            if bool(outcome.game_ended[place]):
                engines[place] = None
            elif bool(outcome.round_ended[place]):
                engine.start_new_round(hands_in(game(games.rows, place), engine.state.config.num_players))
    assert compared > 150


def test_chances_of_all_players_add_up_and_calls_lie_between_their_ends(tmp_path: Path) -> None:
    _, _, values = shaken_values(tmp_path / "values.npz")
    games = PerudoBatch(12, RuleMix((2, 6), (1, 5), random_opener=False), seed=3, pool=16)
    engines = engines_of(games)
    for engine in engines:
        public = engine.state.public
        for quantity in (0, 1):
            seen = seen_in(engine.get_view(engine.state.public.current_player))
            found = values.worth([seen])[0]
            legal = ~np.isnan(found.actions)
            assert np.allclose(found.chances[legal].sum(1), 1)
            assert (found.chances[legal][:, len(seen.dice) :] == 0).all()
            if not quantity:
                assert not legal[[LIAR, EXACT]].any()
                engine.apply_action(public.current_player, action_of(1))
                continue
            ends = values.after_rounds([seen])[0]
            assert found.lost == ends[0, 0]
            assert min(found.lost, ends[len(seen.dice) - 1, 0]) <= found.actions[LIAR]
            assert found.actions[LIAR] <= max(found.lost, ends[len(seen.dice) - 1, 0])
