"""Environments and trainings take the same game in the same words, and older words mean the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import call
from liars_dice.core import BadValueError, GameConfig, preset
from liars_dice.learn import BatchedEnv, Model, train

GAME = preset("openspiel", dice=2)
WORDS: dict[str, Any] = {"rules": "openspiel", "dice": 2}


def test_every_environment_plays_the_same_game() -> None:
    from liars_dice.learn.envs.gymnasium_env import LiarsDiceEnv
    from liars_dice.learn.envs.liars_dice_v0 import raw_env
    from liars_dice.learn.envs.openspiel_game import load_game

    assert BatchedEnv(2, opponents="truthful", **WORDS).config == GAME
    assert LiarsDiceEnv(opponents="truthful", **WORDS).config == GAME
    assert raw_env(**WORDS).config == GAME
    assert load_game(**WORDS).config == GAME


def test_a_training_takes_the_words_of_the_environments(tmp_path: Path) -> None:
    report = train("q", "classic", dice=1, opponents="crawler", games=50, out=tmp_path / "q.npz")
    assert (report.model.training.rules(), report.against) == (preset("classic", dice=1), "crawler")
    assert Model.load(tmp_path / "q.npz").games == 50
    words = ("train", "q", "--rules", "classic", "--dice", "1", "--games", "50", "--evaluation-games", "0", "--json")
    told = json.loads(call(*words, "--opponents", "crawler").stdout)
    assert (told["rules"], told["opponent"], told["win_rate"]) == ("classic", "crawler", report.win_rate)


def test_rules_that_learners_do_not_know_are_refused() -> None:
    assert "expected one round for two players" in call("train", "q", "--rules", "perudo").stderr
    with pytest.raises(BadValueError, match="a GameConfig has its own"):
        BatchedEnv(2, GAME, dice=1)


def test_older_words_mean_the_same() -> None:
    config = GameConfig(dice=(1, 2), faces=3)
    new, old = BatchedEnv(9, config, "crawler", seed=1), BatchedEnv(9, config=config, opponent="crawler", seed=1)
    assert (new.action_masks() == old.masks()).all()
    actions = new.random_actions(np.random.default_rng(1))
    assert (new.step(actions)[0] == old.step(actions)[0]).all()
    assert (new.rungs == old.rungs).all()


def test_a_training_that_was_begun_otherwise_names_each_difference(tmp_path: Path) -> None:
    file = str(tmp_path / "q.npz")
    assert call("train", "q", "--dice", "1", "--games", "20", "--out", file).exit_code == 0
    told = call("train", "pg", "--rules", "classic,wild=ones", "--dice", "1", "--games", "20", "--resume", file).stderr
    assert told.endswith("was started with: algorithm was 'q', now 'pg'; wild was 'none', now 'ones'\n")
