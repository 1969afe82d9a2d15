"""The environment under OpenEnv's own server, client and validation."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from liars_dice_env import LiarsDiceAction, LiarsDiceEnv, LiarsDiceObservation
from liars_dice_env.server.environment import LiarsDiceEnvironment
from openenv.cli._validation import validate_multi_mode_deployment, validate_running_environment

HERE = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A real server, started as `server` starts it."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "liars_dice_env.server.app", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        for line in server.stderr:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield found[0]
                break
        server.terminate()


def random_move(seen: LiarsDiceObservation, rng: random.Random) -> LiarsDiceAction:
    bids = [
        LiarsDiceAction(kind="bid", quantity=quantity, face=legal.face)
        for legal in seen.legal_bids
        for quantity in range(legal.quantity_from, legal.quantity_to + 1)
    ]
    return rng.choice([*bids, *(LiarsDiceAction(kind=call) for call in seen.legal_calls)])


def episode(env: Any, seed: int, **settings: Any) -> list[LiarsDiceObservation]:
    """What a random player is shown in one game."""
    rng = random.Random(seed)
    shown = [env.reset(seed=seed, **settings).observation]
    while not shown[-1].done:
        shown.append(env.step(random_move(shown[-1], rng)).observation)
    return shown


def test_openenv_validates_the_running_server(address: str) -> None:
    report = validate_running_environment(address)
    assert report["passed"], json.dumps(report["criteria"], indent=1)


def test_openenv_validates_the_package() -> None:
    """All but a lock file, which would name the servers that packages come from."""
    _, issues = validate_multi_mode_deployment(HERE)
    assert issues == ["Missing uv.lock - run 'uv lock' to generate it"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"rules": "duel", "dice": None},
        {"rules": "perudo", "players": 4, "opponents": ["optimal", "random", "bluffer"]},
    ],
    ids=str,
)
def test_games_over_the_wire(address: str, settings: dict[str, Any]) -> None:
    with LiarsDiceEnv(base_url=address).sync() as env:
        first = episode(env, 5, **settings)
        assert first[-1].game_reward in (1, -1)
        assert first[-1].reward == first[-1].game_reward
        assert all(seen.reward == 0 for seen in first[:-1])
        assert first[0].rules
        assert first[-1].winner
        with LiarsDiceEnv(base_url=address).sync() as twin:
            assert episode(twin, 5, **settings) == first
            assert episode(twin, 6, **settings) != first
        state = env.state()
        assert state.decisions == len(first) - 1
        assert "seed" not in state.model_dump_json()


def test_the_value_reward_is_what_was_given_away(address: str) -> None:
    with LiarsDiceEnv(base_url=address).sync() as env:
        judged, lost = 0, 0.0
        for seed in range(10):
            for seen in episode(env, seed, reward="value")[1:]:
                assert seen.reward == -(seen.value_lost or 0.0)
                judged += seen.value_lost is not None
                lost += seen.value_lost or 0.0
        assert judged > 15
        assert lost / judged > 0.1, "a random player gives much away"


def test_perfect_play_gives_nothing_away() -> None:
    from liars_dice.agents import make_agent
    from liars_dice.core import BidAction

    env, nash, lost = LiarsDiceEnvironment(), make_agent("nash"), []
    for seed in range(10):
        seen = env.reset(seed=seed, reward="value", opponents="nash")
        while not seen.done:
            view = env._episode._match.view
            move = nash.choose_action(view)
            bid = {"quantity": move.bid.quantity, "face": move.bid.face} if isinstance(move, BidAction) else {}
            seen = env.step(LiarsDiceAction(kind="bid" if bid else str(move), **bid))
            lost += [] if seen.value_lost is None else [seen.value_lost]
    assert len(lost) > 15
    assert max(lost) < 0.01


def test_illegal_moves_are_explained_then_played_for_the_player() -> None:
    env = LiarsDiceEnvironment()
    seen = env.reset(seed=1, seat=0)
    before = seen.model_copy(update={"rules": [], "happened": []})
    seen = env.step(LiarsDiceAction(kind="liar"))
    assert seen.problem == "there is no bid to call yet. Try once more."
    assert seen.model_copy(update={"problem": ""}) == before
    seen = env.step(LiarsDiceAction(kind="bid", quantity=99, face=99))
    assert "was played for you" in seen.problem
    while not seen.done:
        seen = env.step(random_move(seen, random.Random(1)))
    assert seen.game_reward == -1
    assert env.state.mistakes == 2
    with pytest.raises(ValueError, match="call reset"):
        env.step(LiarsDiceAction(kind="liar"))
    for wrong in ({"rules": "chess"}, {"opponents": "cmd:ls"}, {"seat": 9}, {"seed": -1}, {"reward": "fame"}):
        with pytest.raises(ValueError, match="expected"):
            env.reset(**wrong)


def test_nothing_shows_hidden_dice() -> None:
    """With the others' dice swapped, the observation is the same."""
    env = LiarsDiceEnvironment()
    shown: dict[str, set[str]] = {}
    for seed in range(80):
        seen = env.reset(seed=seed, seat=0, dice=1)
        assert [line for line in seen.happened if "roll" in line] == [f"You roll {seen.your_dice[0]}"]
        shown.setdefault(str(seen.your_dice), set()).add(seen.model_dump_json())
    assert len(shown) == 6
    assert all(len(texts) == 1 for texts in shown.values())
