"""Many rounds at once play the engine's game."""

from __future__ import annotations

import numpy as np
import pytest

from liars_dice.agents import make_agent
from liars_dice.core import BadValueError, ConfigError, GameConfig, apply, deal, new_game, preset, view_of
from liars_dice.exact.tables.hands import hand_set
from liars_dice.learn.batched_env import BatchedEnv

CONFIGS = [
    preset("classic", dice=2),
    preset("openspiel"),
    GameConfig(dice=(1, 3), faces=4, wild="ones", bid_ordering="perudo", open_on_ones=False),
]


@pytest.mark.parametrize("config", CONFIGS, ids=str)
@pytest.mark.parametrize("opponent", ["truthful", "optimal"])
def test_every_environment_is_a_round_of_the_engine(config: GameConfig, opponent: str) -> None:
    env = BatchedEnv(50, config, opponent, seed=4)
    agent = make_agent(opponent)
    own, other = (hand_set(n, config.faces) for n in config.dice)
    rng = np.random.default_rng(1)

    def fresh(i: int):  # type: ignore[no-untyped-def]
        return deal(new_game(config), (own.hands[env.hands[i]], other.hands[env._others[i]]))

    states = [fresh(i) for i in range(env.n)]
    ended = 0
    for _ in range(30):
        masks, counts = env.masks(), env.dice_counts
        for i, state in enumerate(states):
            moves = state.public.rules.moves
            legal = [moves.index(action) for action in view_of(state, 0).legal_actions]
            assert np.flatnonzero(masks[i]).tolist() == legal
            assert counts[i].tolist() == [state.hands[0].count(face) for face in range(1, config.faces + 1)]
        actions = env.random_actions(rng)
        rewards, over = env.step(actions)
        for i, action in enumerate(actions):
            state = apply(states[i], states[i].public.rules.moves[action])
            if state.public.status == "BIDDING":
                state = apply(state, agent.choose_action(view_of(state, 1)))
            assert over[i] == (state.public.status == "ENDED")
            if over[i]:
                assert rewards[i] == (1 if state.public.winner == 0 else -1)
                ended += 1
                state = fresh(i)
            states[i] = state
            assert env.rungs[i] == state.public.rung
    assert ended > 100


def test_workers_change_nothing() -> None:
    one, two = (BatchedEnv(10_000, seed=2, workers=workers) for workers in (1, 2))
    for _ in range(5):
        actions = one.random_actions()
        for a, b in zip(one.step(actions), two.step(actions), strict=True):
            assert (a == b).all()
        assert (one.hands == two.hands).all()


def test_bad_input() -> None:
    env = BatchedEnv(3, seed=1)
    for action in (env.n_actions - 1, env.n_actions, -1):  # nothing to call yet; no such action
        with pytest.raises(BadValueError, match="a legal action in environment 1"):
            env.step(np.array([0, action, 0]))
    with pytest.raises(BadValueError, match="one for each of 3 environments"):
        env.step(np.array([0]))
    with pytest.raises(BadValueError, match="a whole number of environments from 1 up"):
        BatchedEnv(0)
    for config in (preset("heads-up"), preset("classic", dice=2, max_turns=1)):
        with pytest.raises(ConfigError, match="a single round for two"):
            BatchedEnv(1, config)
    with pytest.raises(BadValueError, match="seed = -1"):
        BatchedEnv(1, seed=-1)
    with pytest.raises(BadValueError, match="whole numbers"):
        env.step(np.array([0.9, 0.9, 0.9]))
    assert BatchedEnv(5000, workers=6000).step(np.zeros(5000, dtype=np.int64))[0].shape == (5000,)
