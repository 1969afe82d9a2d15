"""Gymnasium's vector environment plays the batched games, which are the engine's, and keeps Gymnasium's conventions."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from numpy.typing import NDArray

from liars_dice.agents import Agent
from liars_dice.core import BadValueError, GameConfig, GameView, preset
from liars_dice.exact import OutOfReachError
from liars_dice.learn import BatchedGames
from liars_dice.learn.envs.gymnasium_env import LiarsDiceEnv
from liars_dice.learn.envs.gymnasium_vector_env import LiarsDiceVectorEnv

Sequence = list[tuple[Any, ...]]


def decide(seen: NDArray[np.float32], mask: NDArray[Any]) -> int:
    """Some legal action that depends on nothing but what is seen."""
    legal = np.flatnonzero(mask)
    return int(legal[int(seen.sum(dtype=np.float64) * 997) % len(legal)])


def played(env: LiarsDiceVectorEnv, seed: int, steps: int) -> list[Sequence]:
    """For each environment, what the player saw at each of its decisions, and how each game ended."""
    seen, info = env.reset(seed=seed)
    log: list[Sequence] = [[] for _ in range(env.num_envs)]
    for _ in range(steps):
        live: NDArray[np.bool_] = env.action_masks().max(1) > 0
        masks = info["action_mask"]
        actions = np.array([decide(seen[i], masks[i]) if live[i] else 0 for i in range(env.num_envs)])
        for i in np.flatnonzero(live):
            log[i].append((int(info["seat"][i]), seen[i].tobytes()))
        seen, rewards, ended, cut, info = env.step(actions)
        assert not cut.any()
        for i in np.flatnonzero(ended):
            log[i].append((rewards[i],))
    return log


def played_in_a_batch(games: BatchedGames, bots: list[str], seats: list[int], steps: int) -> list[Sequence]:
    """The same from batched games, in which the learner sits in `seats[k]` in the k-th game of each row."""
    log: list[Sequence] = [[] for _ in range(games.n)]
    number = [0] * games.n
    out = [False] * games.n
    for _ in range(steps):
        seen, masks, turn = games.observations(), games.action_masks(), games.turn.copy()
        choices = np.stack([games.actions_of(bot) for bot in bots])
        me = np.array([seats[number[i] % len(seats)] for i in range(games.n)])
        actions = np.empty(games.n, dtype=np.int64)
        for i in range(games.n):
            if turn[i] == me[i]:
                log[i].append((int(me[i]), seen[i].tobytes()))
                actions[i] = decide(seen[i], masks[i])
            else:
                actions[i] = choices[turn[i] - (turn[i] > me[i]), i]
        step = games.step(actions)
        for i in range(games.n):
            lost = not out[i] and (step.game_ended[i] or games.state.dice[i, me[i]] == 0)
            if lost:
                log[i].append((1.0 if step.game_ended[i] and step.winner[i] == me[i] else -1.0,))
            out[i] = bool(lost or out[i]) and not step.game_ended[i]
            number[i] += int(step.game_ended[i])
    return log


GAMES = {
    "heads-up": (preset("heads-up", dice=2), ["truthful"]),
    "perudo for three": (preset("perudo", players=3, dice=2), ["optimal", "crawler"]),
    "palifico for four": (preset("perudo-tournament", players=4, dice=2), ["truthful", "random", "crawler"]),
    "rounds for three": (GameConfig(dice=(1, 2, 2)), ["crawler", "truthful"]),
}


def trimmed(log: Sequence) -> Sequence:
    """Without games in which the player never was to move: the environment skips them."""
    return [entry for at, entry in enumerate(log) if len(entry) > 1 or (at and len(log[at - 1]) > 1)]


@pytest.mark.parametrize("seat", [0, 1, "alternate"])
@pytest.mark.parametrize("rules", GAMES)
def test_it_plays_the_batched_games(rules: str, seat: Any) -> None:
    config, bots = GAMES[rules]
    env = LiarsDiceVectorEnv(8, config, opponents=bots, seat=seat)
    ours = played(env, seed=3, steps=40)
    seats = list(range(config.num_players)) if seat == "alternate" else [seat]
    theirs = played_in_a_batch(BatchedGames(8, config, seed=3), bots, seats, steps=600)
    for one, other in zip(ours, map(trimmed, theirs), strict=True):
        assert len(one) > 20
        assert one == other[: len(one)]


def test_make_vec_makes_it_with_the_spaces_of_the_single_environment() -> None:
    words: dict[str, Any] = {"rules": "perudo", "players": 3, "opponents": "optimal"}
    env = gymnasium.make_vec("LiarsDice-v0", num_envs=5, **words)
    single = LiarsDiceEnv(**words)
    assert isinstance(env.unwrapped, LiarsDiceVectorEnv)
    assert env.single_observation_space == single.observation_space
    assert env.single_action_space == single.action_space
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    sync = gymnasium.make_vec("LiarsDice-v0", num_envs=5, vectorization_mode="sync", **words)
    assert (sync.observation_space, sync.action_space) == (env.observation_space, env.action_space)
    seen, info = env.reset(seed=1)
    theirs = sync.reset(seed=1)[1]
    assert {key: value.shape for key, value in info.items()} == {key: value.shape for key, value in theirs.items()}
    for _ in range(50):
        assert env.observation_space.contains(seen)
        env.action_space.seed(4)
        seen, rewards, ended, cut, info = env.step(env.action_space.sample())  # most of these are illegal
        assert [a.shape for a in (rewards, ended, cut)] == [(5,)] * 3
        assert set(rewards.tolist()) <= {0.0, 1.0, -1.0}
        assert (ended == (rewards != 0)).all()
    env.close()


def test_gymnasiums_wrappers_take_it() -> None:
    env = DictInfoToList(RecordEpisodeStatistics(LiarsDiceVectorEnv(6, "classic", dice=1)))
    seen, infos = env.reset(seed=2)
    finished = []
    for _ in range(40):
        live = [info["action_mask"].any() for info in infos]
        actions = [decide(s, info["action_mask"]) if on else 0 for s, info, on in zip(seen, infos, live, strict=True)]
        seen, _, _, _, infos = env.step(np.array(actions))
        finished += [float(info["episode"]["r"]) for info in infos if "episode" in info]
    assert len(finished) > 20
    assert set(finished) == {1.0, -1.0}


def test_the_next_step_begins_the_next_game() -> None:
    env = LiarsDiceVectorEnv(4, "classic", dice=1)
    env.reset(seed=1)
    last = env.encoding.liar - 1  # the highest bid: it is called, and the game is over
    _, rewards, ended, _, info = env.step(np.full(4, last))
    assert ended.all()
    assert rewards.all()
    assert not info["action_mask"].any()
    seen, rewards, ended, _, info = env.step(np.full(4, -7))  # whatever it is, the action is ignored
    assert not ended.any()
    assert not rewards.any()
    assert (seen[:, env.encoding.parts["no_bid"]] == 1).all()
    assert info["action_mask"][:, :-1].all()
    assert "illegal_action" not in info


def test_the_same_step_begins_the_next_game() -> None:
    env = LiarsDiceVectorEnv(4, "classic", dice=1, autoreset_mode="SameStep")
    plain = LiarsDiceVectorEnv(4, "classic", dice=1)
    env.reset(seed=1), plain.reset(seed=1)
    actions = np.full(4, env.encoding.liar - 1)
    seen, rewards, ended, _, info = env.step(actions)
    last, same_rewards, *_ = plain.step(actions)
    assert ended.all()
    assert (rewards == same_rewards).all()
    assert (np.stack(info["final_obs"]) == last).all()
    assert info["_final_obs"].all()
    assert (seen == plain.step(actions)[0]).all()
    assert info["action_mask"][:, :-1].all()


def test_without_autoreset_ended_games_are_reset_by_a_mask() -> None:
    env = LiarsDiceVectorEnv(2, "classic", dice=1, autoreset_mode=AutoresetMode.DISABLED)
    env.reset(seed=1)
    actions = np.array([0, env.encoding.liar - 1])
    _, _, ended, _, _ = env.step(actions)
    assert ended[1]
    with pytest.raises(gymnasium.error.ResetNeeded, match="the first in environment"):
        env.step(actions)
    seen, _ = env.reset(options={"reset_mask": ended})
    assert seen[1, env.encoding.parts["no_bid"]] == 1
    assert env.action_masks().any(1).all()
    with pytest.raises(BadValueError, match="2 bool, at least one of them True"):
        env.reset(options={"reset_mask": np.zeros(2, dtype=np.bool_)})


def test_illegal_actions_lose() -> None:
    env = LiarsDiceVectorEnv(3, "classic", dice=1)
    env.reset(seed=1)
    _, rewards, ended, _, info = env.step(np.array([env.encoding.liar, 0, 99]))
    assert rewards[[0, 2]].tolist() == [-1, -1]
    assert ended[[0, 2]].all()
    assert info["_illegal_action"].tolist() == [True, False, True]
    assert info["illegal_action"].tolist() == [env.encoding.liar, 0, 99]


def test_twins_agree_and_seats_are_drawn() -> None:
    one, two = (LiarsDiceVectorEnv(6, "perudo", players=3, dice=2, opponents="random", seat="random") for _ in "ab")
    first = played(one, seed=5, steps=30)
    assert first == played(two, seed=5, steps=30) == played(one, seed=5, steps=30)
    assert first != played(one, seed=6, steps=30)
    assert {entry[0] for log in first for entry in log if len(entry) > 1} == {0, 1, 2}
    one.reset(seed=5), two.reset(seed=5)
    assert (one.reset()[0] == two.reset()[0]).all()


class Sceptic(Agent):
    """Opens with one two, and calls any bid: a bot without tables of its own, which is asked cell by cell."""

    memoryless = True

    def choose_action(self, view: GameView) -> str:
        return "liar" if view.current_bid else "1x2"


def test_a_bot_of_ones_own_plays() -> None:
    env = LiarsDiceVectorEnv(20, "heads-up", dice=1, opponents=Sceptic(), seat=1)
    seen, _ = env.reset(seed=1)
    bid = env.encoding.parts["bids"]
    assert (seen[:, bid].argmax(1) == 1).all()
    assert env.step(np.full(20, 11))[2].any()


def test_bad_input() -> None:
    with pytest.raises(OutOfReachError, match=r"detective does not declare `memoryless`.*vectorization_mode='sync'"):
        LiarsDiceVectorEnv(2, "perudo", opponents="detective")
    with pytest.raises(BadValueError, match="autoreset_mode = 'Often': expected 'NextStep' or 'SameStep'"):
        LiarsDiceVectorEnv(2, autoreset_mode="Often")
    assert LiarsDiceVectorEnv(2, autoreset_mode="SAME_STEP").autoreset_mode == AutoresetMode.SAME_STEP
    LiarsDiceVectorEnv(np.int64(2), seat=np.int64(1))  # type: ignore[arg-type]
    with pytest.raises(gymnasium.error.ResetNeeded, match="no game has begun"):
        LiarsDiceVectorEnv(2).action_masks()
    with pytest.raises(BadValueError, match="a whole number of environments from 1 up"):
        LiarsDiceVectorEnv(0)
    with pytest.raises(BadValueError, match="a seat from 0 to 1, 'random' or 'alternate'"):
        LiarsDiceVectorEnv(2, seat=2)
    with pytest.raises(BadValueError, match="a batch of games is not drawn"):
        gymnasium.make_vec("LiarsDice-v0", num_envs=2, render_mode="ansi")
    env = LiarsDiceVectorEnv(2)
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        env.step(np.zeros(2, dtype=np.int64))
    with pytest.raises(BadValueError, match="seed = -1"):
        env.reset(seed=-1)
    env.reset(seed=1)
    with pytest.raises(BadValueError, match="one for each of 2 environments"):
        env.step(np.zeros(3, dtype=np.int64))
