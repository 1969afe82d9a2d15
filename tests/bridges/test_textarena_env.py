"""Our game in TextArena: made, wrapped, stepped and ended by TextArena's own code."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

ta = pytest.importorskip("textarena", reason="TextArena is not installed: the extra `textarena` has it")

from liars_dice.bridges.textarena_env import ENV_IDS, LiarsDiceTextEnv, read_move, register_envs
from liars_dice.core import (
    PRESETS,
    Bid,
    BidAction,
    ConfigError,
    GameConfig,
    IllegalMoveError,
    LiarsDiceError,
    NotationError,
    preset,
    view_of,
)
from support import dealt, play

SEATS = [(name, players) for name in ENV_IDS for players in ((2,) if ENV_IDS[name] == "duel" else (2, 3, 15))]

Choose = Callable[[Any, int], str]


def in_brackets(env: Any, seat: int, rng: random.Random) -> str:
    """A random legal move as TextArena's own game writes it, with some thoughts around it."""
    view = view_of(env._engine.state, seat)
    action = rng.choice(view.legal_actions)
    if isinstance(action, BidAction):
        said = f"[Bid: {action.bid.quantity}, {action.bid.face}]"
    else:
        said = {"liar": "[Call]", "exact": "[Exact]"}[str(action)]
    return f"I hold {view.my_dice}, so perhaps {said}"


def game(env: Any, players: int, seed: int) -> tuple[list[tuple[int, str]], dict[int, float], Any]:
    """A random game: what each player to move was shown, the rewards and TextArena's notes about the game."""
    rng = random.Random(seed)
    env.reset(num_players=players, seed=seed)
    shown = []
    done = False
    while not done:
        seat, observation = env.get_observation()
        shown.append((seat, str(observation)))
        done, _ = env.step(action=in_brackets(env, seat, rng))
    rewards, info = env.close()
    return shown, rewards, info


@pytest.mark.parametrize(("name", "players"), SEATS)
def test_every_preset_is_made_and_played(name: str, players: int) -> None:
    env = ta.make(env_id=name)
    shown, rewards, info = game(env, players, seed=3)
    assert set(rewards) == set(range(players)) == set(info)
    winners = [seat for seat, reward in rewards.items() if reward == 1]
    assert winners == [env._engine.winner]
    assert min(rewards.values()) == -1
    if PRESETS[ENV_IDS[name]].mode == "elimination":
        assert sum(rewards.values()) == pytest.approx(0)
        assert len(set(rewards.values())) == players
    assert sum(one["turn_count"] for one in info.values()) == len(shown)
    assert all(one["reason"] == f"Player {winners[0]} wins the game." for one in info.values())


def test_every_preset_is_registered_once() -> None:
    register_envs()
    assert set(ENV_IDS.values()) == set(PRESETS)
    assert "LiarsDice-PerudoTournament-v0" in ENV_IDS


@pytest.mark.parametrize("version", ["", "-train", "-raw"])
def test_each_version_hides_dice_and_thoughts(version: str) -> None:
    """A player is shown its own dice of the round, and others' dice only after a call."""
    for seed in range(5):
        env = ta.make(f"LiarsDice-Perudo-v0{version}", dice=2)
        rng = random.Random(seed)
        env.reset(num_players=3, seed=seed)
        heard: dict[int, str] = {0: "", 1: "", 2: ""}
        done = False
        while not done:
            seat, observation = env.get_observation()
            heard[seat] = heard[seat] + str(observation) if version == "-raw" else str(observation)
            public = env._engine.state.public
            mine = env._engine.state.hands[seat]
            assert f"Your dice: {', '.join(map(str, mine))}" in heard[seat]
            this_round = heard[seat].rpartition(f"Round {public.round_index + 1}: ")[2]
            assert "Revealed" not in this_round
            assert this_round.count("Your dice") == 1
            done, _ = env.step(in_brackets(env, seat, rng))
        for seat in heard:
            others = {f"I hold {hand}" for other in range(3) if other != seat for hand in _hands_of(env, other)}
            mine = {f"I hold {hand}" for hand in _hands_of(env, seat)}
            assert not any(thought in heard[seat] for thought in others - mine)


def _hands_of(env: Any, seat: int) -> set[tuple[int, ...]]:
    return {resolution.dice[seat] for resolution in env._engine.state.public.resolutions}


def test_what_others_are_shown_does_not_depend_on_hidden_dice() -> None:
    """With the same moves, a player is shown the same until the first reveal, whatever the others hold."""
    shown: dict[tuple[int, ...], set[str]] = {}
    for seed in range(60):
        env = ta.make("LiarsDice-Classic-v0", dice=1)
        env.reset(num_players=3, seed=seed)
        env.step("I have it: [Bid: 1, 6]")
        seat, observation = env.get_observation()
        shown.setdefault(env._engine.state.hands[seat], set()).add(observation)
    assert len(shown) == 6
    assert all(len(texts) == 1 for texts in shown.values())


def test_a_seed_repeats_a_game() -> None:
    env = ta.make("LiarsDice-Perudo-v0", dice=2)
    first = game(env, 4, seed=5)
    again = game(ta.make("LiarsDice-Perudo-v0", dice=2), 4, seed=5)
    assert first == again
    assert game(ta.make("LiarsDice-Perudo-v0", dice=2), 4, seed=6) != first


def test_a_bad_answer_may_be_corrected_once() -> None:
    env = ta.make("LiarsDice-HeadsUp-v0", dice=1)
    env.reset(num_players=2, seed=1)
    env.step("[Bid: 1, 5]")
    seat, _ = env.get_observation()
    assert env.step("[Bid: 1, 4]") == (False, {})
    again, observation = env.get_observation()
    assert again == seat == 1
    assert "Reason: 1x4 is not higher than 1x5." in observation
    done, _ = env.step("[Call]")
    assert done
    rewards, info = env.close()
    assert sorted(rewards.values()) == [-1, 1]
    assert not info[1]["invalid_move"]


def test_a_second_bad_answer_is_played_for_the_player_and_costs_the_game() -> None:
    env = ta.make("LiarsDice-Classic-v0", dice=1)
    env.reset(num_players=2, seed=1)
    env.step("[Bid: 2, 6]")
    env.step("I pass")
    done, _ = env.step("I said I pass!")
    assert done
    rewards, info = env.close()
    assert info[1]["invalid_move"]
    assert rewards[1] == -1
    assert "liar is played instead" in str(env.state.logs)


def test_answers_that_can_be_read() -> None:
    view = view_of(play(dealt(preset("perudo", players=2), (1, 2, 3, 4, 5), (6, 6, 6, 6, 6)), "2x3"), 1)
    for said, move in {
        "[Bid: 3, 4]": "3x4",
        "[bid 3 4]": "3x4",
        "[BID:3,4]": "3x4",
        "[3x4]": "3x4",
        "bid three fours": "3x4",
        "[Bid: 9, 9]? No: [Bid: 3, 4]": "3x4",
        "[Bid: 3, 4] is too high. [Call]": "liar",
        "[liar] [hint]": "liar",
        "[Exact]": "exact",
        "[[Call]]": "liar",
    }.items():
        assert str(read_move(said, view)) == move, said
    for said in ("", "[]", "[Bid: three]", "[Bid: -3, 4]", "[Bid: 3.5, 4]", "[hint]", "[" * 50_000, "[Bid: 3, 4"):
        with pytest.raises(NotationError, match=r"expected a move in brackets, such as \[Bid: 3, 4\], \[Call\] or"):
            read_move(said, view)
    for said in ("[Bid: 2, 3]", "[Bid: 999999, 6]", "[Bid: 1, 9]", "[Bid: 0, 0]"):
        with pytest.raises(IllegalMoveError):
            read_move(said, view)


def test_a_copied_game_goes_its_own_way() -> None:
    """Search copies environments; TextArena's wrappers copy theirs."""
    env = ta.make("LiarsDice-Perudo-v0", dice=2)
    env.reset(num_players=2, seed=4)
    env.step("[Bid: 1, 2]")
    twin = copy.deepcopy(env)
    twin.step("[Bid: 2, 2]")
    assert env._engine.state.public.last_bid == Bid(1, 2)
    assert "bids two twos" not in str(env.get_observation())
    assert "bids two twos" in str(twin.get_observation())


def test_own_rules_and_bad_values() -> None:
    env = LiarsDiceTextEnv(GameConfig(dice=(1, 2, 3), table_dice=2, hidden_dice=1))
    env.reset(num_players=3, seed=0)
    _, observation = env.get_observation()
    said = " ".join(message for _, message, _ in observation)
    assert re.search(r"On the table: \d, \d\nCovered on the table: 1 die", said)
    for players in (1, 16, "3"):
        with pytest.raises(LiarsDiceError, match=r"num_players = .* a whole number from 2 to 15"):
            ta.make("LiarsDice-Perudo-v0").reset(num_players=players)
    with pytest.raises(LiarsDiceError, match="num_players = 2: expected 3, as in these rules"):
        env.reset(num_players=2)
    with pytest.raises(ConfigError, match="players = 3: expected 2"):
        ta.make("LiarsDice-Duel-v0").reset(num_players=3)
    with pytest.raises(LiarsDiceError, match="seed = -1"):
        ta.make("LiarsDice-Duel-v0").reset(num_players=2, seed=-1)
