"""The batched rule bots decide what the agents of the same name decide."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch
from test_perudo_batch import action_of, engines_of, game, hands_in

from liars_dice.agents import make_agent
from liars_dice.core import GameEngine
from liars_dice.learn.champion.perudo_batch import PerudoBatch, RuleMix, legal_mask, random_actions, unpack
from liars_dice.learn.champion.scripted import NAMES, scripted_actions

SEED = 7
BOTS = [name for name in NAMES if name not in ("learner", "frozen", "random")]


@pytest.mark.parametrize("name", BOTS)
def test_a_batched_bot_is_the_agent(name: str) -> None:
    """In rounds of random play that go slowly enough for long biddings."""
    torch.manual_seed(SEED)
    mix = RuleMix((2, 6), (1, 5), 0.4, 0.1, 0.7, 0.7, 0.5, 0.5, random_opener=False)
    games = PerudoBatch(150, mix, seed=11, pool=64)
    agent = make_agent(name)
    engines: list[GameEngine | None] = [*engines_of(games)]
    kinds = torch.full((games.n, 6), NAMES.index(name))
    crawls = torch.full((games.n, 6), NAMES.index("crawler"))
    compared = calls = 0
    for _step in range(60):
        tables = unpack(games.rows)
        draws = torch.rand(games.n)
        chosen = scripted_actions(tables, kinds, draws)
        assert legal_mask(tables).gather(1, chosen[:, None]).all()
        slow = torch.rand(games.n) < 0.7
        actions = torch.where(slow, scripted_actions(tables, crawls, draws), random_actions(tables))
        actions = torch.where(torch.rand(games.n) < 0.3, chosen, actions)
        outcome = games.step(actions)
        for place, engine in enumerate(engines):
            if engine is None:
                continue
            view = engine.get_view(engine.state.public.current_player)
            policy = agent.policy(view)
            wanted = action_of(int(chosen[place]))
            if policy is None:
                assert str(agent.choose_action(view)) == str(wanted), view
            else:
                assert policy.get(wanted, 0) > 0, (view.my_dice, view.public, policy)
            compared += 1
            calls += str(wanted) in ("liar", "exact")
            engine.apply_action(view.player_id, action_of(int(actions[place])))
            if bool(outcome.game_ended[place]):
                engines[place] = None
            elif bool(outcome.round_ended[place]):
                seats = engine.state.config.num_players
                engine.start_new_round(hands_in(game(games.rows, place), seats))
    assert compared > 2000
    assert calls > 100
