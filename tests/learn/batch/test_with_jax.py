"""Batched games with JAX, which is no dependency: their arrays go in, and the choices of a policy come back."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from liars_dice.learn import BatchedGames


@pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")
def test_a_policy_in_jax_plays_whole_games() -> None:
    """It plays in a process of its own, because a process that has imported JAX warns of every fork."""
    played = subprocess.run([sys.executable, __file__], capture_output=True, text=True, timeout=300, check=False)
    assert played.returncode == 0, played.stderr
    games, won = map(float, played.stdout.split())
    assert games > 100
    assert won == games


def play() -> tuple[int, float]:
    """Play at random, compiled by JAX; how many games ended, and what was won. Illegal actions are refused."""
    import jax

    games = BatchedGames(64, ["perudo", "perudo-tournament"], players=3, dice=2, seed=1)

    def choice(key: Any, seen: Any, legal: Any) -> Any:
        logits = seen @ jax.random.normal(jax.random.key(1), (games.observation_size, games.n_actions))
        return jax.random.categorical(key, jax.numpy.where(legal, logits, -jax.numpy.inf))

    choose = jax.jit(choice)
    key, ended, won = jax.random.key(0), 0, 0.0
    for _ in range(150):
        seen, legal = (jax.numpy.asarray(part) for part in (games.observations(), games.action_masks()))
        assert (seen.dtype, seen.shape) == (jax.numpy.float32, (64, games.observation_size))
        before = np.array(seen)
        key, now = jax.random.split(key)
        step = games.step(choose(now, seen, legal))
        assert (np.asarray(seen) == before).all(), "a step must not change what JAX was given"
        rewards = jax.numpy.asarray(step.rewards)
        assert float(abs(rewards.sum(-1)).max()) == pytest.approx(0, abs=1e-6)
        ended += int(step.game_ended.sum())
        won += float(rewards.max(-1).sum())
    return ended, won


if __name__ == "__main__":
    print(*play())
