"""The Gymnasium and PettingZoo environments: their ecosystems' own tests, and what those do not ask."""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from liars_dice.agents import Agent, RandomAgent, make_agent
from liars_dice.core import (
    PRESETS,
    Action,
    BadValueError,
    CallExactAction,
    CallLiarAction,
    DiceCup,
    GameConfig,
    GameResult,
    GameState,
    GameView,
    IllegalMoveError,
    RoundResolution,
    as_action,
    legal_actions,
    preset,
    view_of,
)
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.learn.envs import liars_dice_v0
from liars_dice.learn.envs.encoding import Encoding
from liars_dice.learn.envs.gymnasium_env import ENV_ID, PRESET_IDS, LiarsDiceEnv, register_envs
from support import configs, dealt, play, random_states, roll_all

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

GAMES: dict[str, dict[str, Any]] = {
    "duel": {"rules": "duel"},
    "classic": {"rules": "classic", "dice": 1},
    "heads-up": {"rules": "heads-up"},
    "perudo": {"rules": "perudo", "players": 3},
    "six players": {"rules": "perudo"},
    "openspiel": {"rules": "openspiel"},
    "palifico": {"rules": preset("perudo", players=4, dice=2, palifico=True)},
    "best of five": {"rules": preset("classic", dice=2, mode="best_of", rounds=5)},
    "three, one round": {"rules": "classic", "players": 3, "dice": 1},
}


# -- the encoding ------------------------------------------------------------------------------------------------------


@given(configs(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_every_state_of_any_game_is_encoded(config: GameConfig, seed: int) -> None:
    """Numbers and actions lead to each other, masks are what is legal, observations stay between 0 and 1."""
    encoding = Encoding(config)
    for state in random_states(config, random.Random(seed)):
        public = state.public
        legal = legal_actions(public)
        numbers = [encoding.number(public, action) for action in legal]
        assert [encoding.action(public, number) for number in numbers] == list(legal)
        mask = encoding.action_mask(public)
        assert mask.dtype == np.int8
        assert mask.shape == (encoding.actions,)
        assert np.flatnonzero(mask).tolist() == numbers
        for seat in range(config.num_players):
            seen = encoding.observe(view_of(state, seat))
            assert seen.dtype == np.float32
            assert seen.shape == (encoding.size,)
            assert 0 <= seen.min() <= seen.max() <= 1


@given(configs(), st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_no_observation_depends_on_hidden_dice(config: GameConfig, seed: int) -> None:
    rng = random.Random(seed)
    encoding, cup = Encoding(config), DiceCup(config.faces)
    for state in random_states(config, rng):
        if state.public.status != "BIDDING":
            continue
        for seat in range(config.num_players):
            other = tuple(
                hand if player == seat else tuple(sorted(new))
                for player, (hand, new) in enumerate(zip(state.hands, roll_all(state, cup, rng), strict=True))
            )
            twin = GameState(state.public, other, state.agent_ids)
            seen = encoding.observe(view_of(state, seat))
            np.testing.assert_array_equal(seen, encoding.observe(view_of(twin, seat)))
            hand = seen[encoding.parts["hand"]] * config.dice_cap
            shown = [state.hands[seat].count(face) for face in range(1, config.faces + 1)]
            np.testing.assert_allclose(hand, shown, atol=1e-5)


def test_an_observation_read_part_by_part() -> None:
    config = preset("perudo", players=3, dice=2, max_dice=2)
    encoding = Encoding(config)
    state = play(dealt(config, (1, 4), (2, 2), (6, 6)), "1x4 2x2")
    seen = encoding.observe(view_of(state, 0))
    parts = {name: seen[part].tolist() for name, part in encoding.parts.items()}
    ladder = config.ladder()
    assert parts["hand"] == [0.5, 0, 0, 0.5, 0, 0]
    assert parts["dice"] == [1, 1, 1]
    assert parts["score"] == [0, 0, 0]
    assert parts["no_bid"] == [0]
    assert parts["quantity"] == pytest.approx([2 / 6])
    assert parts["face"] == [0, 1, 0, 0, 0, 0]
    assert parts["rung"] == pytest.approx([(state.public.rung + 1) / len(ladder)])
    assert [rung for rung, bid in enumerate(parts["bids"]) if bid] == [ladder.rung(b) for b in state.public.bid_history]
    assert parts["last_bidder"] == [0, 1, 0]
    assert encoding.observe(view_of(state, 2))[encoding.parts["last_bidder"]].tolist() == [0, 0, 1]
    assert parts["palifico"] == [0]
    assert parts["wild"] == [1, 0, 0, 0, 0, 0]
    assert encoding.size == sum(map(len, parts.values())) == len(seen)


def test_seats_are_told_from_the_own_seat_and_scores_count() -> None:
    config = GameConfig(dice=(1, 2, 3), mode="best_of", rounds=5)
    encoding = Encoding(config)
    state = play(dealt(config, (6,), (1, 1), (1, 1, 1)), "1x6 liar")  # seat 0 wins the round
    assert encoding.observe(view_of(state, 1))[encoding.parts["dice"]] == pytest.approx([2 / 3, 1, 1 / 3])
    assert encoding.observe(view_of(state, 1))[encoding.parts["score"]] == pytest.approx([0, 0, 1 / 3])


def test_action_numbers_of_calls_stay_while_ladders_shrink() -> None:
    config = preset("perudo", players=2, dice=2)
    encoding = Encoding(config)
    state = play(dealt(config, (1, 4), (2, 2)), "1x4")
    assert encoding.action(state.public, 24) == CallLiarAction()
    assert encoding.action(state.public, 25) == CallExactAction()
    for later in random_states(config, random.Random(3)):
        assert encoding.number(later.public, CallLiarAction()) == encoding.liar == 24
        assert encoding.number(later.public, CallExactAction()) == encoding.exact == 25
        if later.public.status == "BIDDING" and later.public.total_dice == 3:
            assert len(later.public.rules.bids) == 18
            with pytest.raises(IllegalMoveError, match="bids are 0 to 17, liar is 24, exact is 25"):
                encoding.action(later.public, 18)


def test_the_longest_ladder_may_be_that_of_a_palifico_round() -> None:
    config = preset("perudo", players=3, dice=2, palifico=True, wild_bids="forbidden")
    assert Encoding(config).longest == len(config.ladder(palifico=True)) > len(config.ladder())


def test_numbers_that_are_no_actions() -> None:
    config = preset("classic", dice=1)
    encoding, public = Encoding(config), dealt(config, (1,), (2,)).public
    assert encoding.exact is None
    for number in (-1, 13, 14):
        with pytest.raises(IllegalMoveError, match="is not an action"):
            encoding.action(public, number)
    with pytest.raises(IllegalMoveError, match="no exact calls"):
        encoding.number(public, CallExactAction())


@pytest.mark.parametrize("game", GAMES)
def test_no_environment_shows_hidden_dice(game: str) -> None:
    """Observations, infos and pictures stay as they are when the other players' dice are swapped for others."""
    rng = random.Random(5)
    env = LiarsDiceEnv(**GAMES[game], opponents="random", render_mode="ansi")
    table = liars_dice_v0.raw_env(**GAMES[game], render_mode="ansi")
    for seed in range(10):
        env.reset(seed=seed)
        table.reset(seed=seed)
        table.step(0)
        for engine, seat, look in (
            (env._game, env.seat, lambda: (env._seen().tolist(), str(env._info()), env.render())),
            (table._game, 1, lambda: (str(table.observe("player_1")), str(table.last()), table.render())),
        ):
            state, before = engine.state, look()
            rolled = tuple(tuple(sorted(hand)) for hand in roll_all(state, DiceCup(env.config.faces), rng))
            hands = tuple(hand if i == seat else rolled[i] for i, hand in enumerate(state.hands))
            engine._state = GameState(state.public, hands, state.agent_ids)
            assert look() == before
            engine._state = GameState(state.public, rolled, state.agent_ids)
            assert rolled[seat] == state.hands[seat] or look() != before


# -- Gymnasium ---------------------------------------------------------------------------------------------------------


def episode(env: gymnasium.Env[Any, Any], choose: random.Random, seed: int | None = None) -> list[Any]:
    """Everything one random game shows."""
    seen, info = env.reset(seed=seed)
    log: list[Any] = [seen.tolist(), info["seat"]]
    over = False
    while not over:
        action = choose.choice(np.flatnonzero(info["action_mask"]).tolist())
        seen, reward, over, truncated, info = env.step(action)
        assert not truncated
        log.append((action, seen.tolist(), reward, over))
    assert not info["action_mask"].any()
    return log


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seat", [0, "random"])
def test_gymnasium_checks_the_environment(game: str, seat: int | str) -> None:
    """Warnings are errors here."""
    check_env(gymnasium.make(ENV_ID, seat=seat, **GAMES[game]).unwrapped)


@pytest.mark.parametrize("name", PRESET_IDS)
def test_every_preset_has_an_id(name: str) -> None:
    """Made by name alone, checked by Gymnasium, alone and as a vector, and with another number of players."""
    env = gymnasium.make(name)
    assert env.unwrapped.config == preset(PRESET_IDS[name])  # type: ignore[attr-defined]
    check_env(env.unwrapped)
    many = gymnasium.make_vec(name, num_envs=3)
    assert many.single_observation_space == env.observation_space
    many.close()


def test_presets_take_players_and_dice() -> None:
    assert set(PRESET_IDS.values()) == set(PRESETS)
    env = gymnasium.make("LiarsDice/Perudo-v0", players=4, dice=3, opponents=["truthful", "optimal", "random"])
    assert env.unwrapped.config.dice == (3, 3, 3, 3)  # type: ignore[attr-defined]
    with pytest.raises(BadValueError, match="players = 16: expected a whole number from 2 to 15"):
        gymnasium.make("LiarsDice/Perudo-v0", players=16)


def test_it_can_be_made_by_module_and_name_and_registered_twice() -> None:
    register_envs()
    for name in (ENV_ID, "LiarsDice/HeadsUp-v0"):
        assert isinstance(gymnasium.make(f"liars_dice.learn.envs.gymnasium_env:{name}").unwrapped, LiarsDiceEnv)


@pytest.mark.parametrize("seat", [1, "random", "alternate"])
def test_a_seeded_reset_repeats_seats_dice_and_opponents(seat: int | str) -> None:
    def games(seed: int) -> list[list[Any]]:
        choose = random.Random(1)
        return [episode(env, choose, seed), *(episode(env, choose) for _ in range(4))]

    env = gymnasium.make(ENV_ID, rules="perudo", players=3, dice=2, opponents=["random", "bluffer"], seat=seat)
    first = games(7)
    assert games(8) != first
    assert games(7) == first
    assert len({str(game) for game in first}) == 5


def test_seats_alternate() -> None:
    env = LiarsDiceEnv("perudo", players=3, dice=1, seat="alternate")
    assert [env.reset()[1]["seat"] for _ in range(6)] == [0, 1, 2, 0, 1, 2]
    env = LiarsDiceEnv("classic", seat="random")
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1}


@pytest.mark.parametrize("seat", [0, 1])
def test_an_agent_wins_here_as_often_as_it_should(seat: int) -> None:
    """The whole loop against the exact win rate: rewards, turns and dice."""
    config = preset("classic", dice=1)
    env = LiarsDiceEnv(config, opponents="truthful", seat=seat)
    agent, games = make_agent("optimal"), 3000
    total = 0.0
    for game in range(games):
        env.reset(seed=game)
        over, reward = False, 0.0
        while not over:
            assert reward == 0
            action = as_action(agent.choose_action(env.view))
            _, reward, over, _, _ = env.step(env.encoding.number(env.view.public, action))
        assert reward == (1 if env.view.public.winner == seat else -1)
        total += reward
    wins = Matchups([agent, make_agent("truthful")], config).match.win
    exact = wins[0, 1] if seat == 0 else 1 - wins[1, 0]
    assert (total / games + 1) / 2 == pytest.approx(exact, abs=4 * (0.25 / games) ** 0.5)


def test_illegal_actions_lose_or_raise() -> None:
    env = LiarsDiceEnv(dice=1)
    env.reset(seed=1)
    for number in (env.encoding.liar, 99):  # nothing to call yet; no such action
        env.reset(seed=1)
        _, reward, over, _, info = env.step(number)
        assert (reward, over, info["illegal_action"]) == (-1, True, number)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
    strict = LiarsDiceEnv(dice=1, illegal="raise")
    strict.reset(seed=1)
    before = strict.view
    with pytest.raises(IllegalMoveError, match="no bid to call"):
        strict.step(strict.encoding.liar)
    with pytest.raises(IllegalMoveError, match="99 is not an action"):
        strict.step(99)
    assert strict.view == before
    assert "illegal_action" not in strict.step(np.int64(0))[4]


class Student(RandomAgent):
    """An opponent that learns: it counts what it hears."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.rounds: list[RoundResolution] = []
        self.results: list[GameResult] = []

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        self.started.append(player_id)

    def on_round_end(self, resolution: RoundResolution) -> None:
        self.rounds.append(resolution)

    def on_game_end(self, result: GameResult) -> None:
        self.results.append(result)


def test_a_learning_opponent_hears_every_game_to_its_end() -> None:
    """Also when the player is out before."""
    students = [Student(), Student()]
    env = LiarsDiceEnv("perudo", players=3, dice=2, opponents=students, seat=1)
    choose = random.Random(0)
    rewards = [episode(env, choose, seed)[-1][2] for seed in range(20)]
    assert students[0].started == [0] * 20
    assert students[1].started == [2] * 20
    assert [1 if result.winner == 1 else -1 for result in students[0].results] == rewards
    assert len(students[1].rounds) == sum(len(result.resolutions) for result in students[1].results)


class Opener(Agent):
    """Bids as low as it can."""

    def choose_action(self, view: GameView) -> Action:
        return view.legal_actions[0]


class Sceptic(Agent):
    """Calls at once."""

    def choose_action(self, view: GameView) -> Action:
        return CallLiarAction() if view.current_bid else view.legal_actions[0]


def test_a_seat_that_is_never_to_move_is_an_error() -> None:
    env = LiarsDiceEnv("classic", players=3, dice=1, opponents=[Opener(), Sceptic()], seat=2)
    with pytest.raises(BadValueError, match="gets to move"):
        env.reset(seed=0)


def test_render_shows_what_the_player_sees() -> None:
    env = LiarsDiceEnv("classic", dice=5, opponents="random", seat=1, render_mode="ansi")
    env.reset(seed=3)
    text = env.render()
    assert text is not None
    bid = env.view.current_bid
    assert text.splitlines() == [
        "Round 1",
        "  random, 5 dice",
        f"> you, 5 dice: {' '.join(map(str, env.view.my_dice))}",
        f"Bids: random {bid}",
    ]
    env.step(env.encoding.liar)
    assert "Winner: " in (env.render() or "")
    with pytest.warns(UserWarning, match="render_mode"):
        assert LiarsDiceEnv().render() is None


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"seat": 2}, "seat"),
        ({"seat": True}, "seat"),
        ({"seat": "first"}, "seat"),
        ({"illegal": "ignore"}, "illegal"),
        ({"render_mode": "human"}, "render_mode"),
        ({"rules": "chess"}, "rules"),
        ({"rules": 5}, "rules"),
        ({"rules": GameConfig(), "dice": 2}, "rules"),
        ({"dice": 61}, "dice"),
        ({"opponents": "nobody"}, "agent"),
        ({"opponents": ["random", "random"]}, "opponents"),
        ({"opponents": [5]}, "opponents"),
        ({"opponents": [RandomAgent()] * 2, "players": 3}, "opponents"),
        ({"opponents": RandomAgent(), "players": 3}, "opponents"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_bad_settings_are_named(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(BadValueError) as caught:
        LiarsDiceEnv(**arguments)
    assert caught.value.field == field


def test_no_step_before_a_reset() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        LiarsDiceEnv().step(0)


# -- PettingZoo --------------------------------------------------------------------------------------------------------

# PettingZoo says these to every environment with masks in its observations that is not one of its own.
pettingzoo_remarks = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
)


TABLES: dict[str, dict[str, Any]] = {**GAMES, **{f"preset {name}": {"rules": name} for name in PRESETS}}


@pettingzoo_remarks
@pytest.mark.parametrize("game", TABLES)
def test_pettingzoo_checks_the_environment(game: str) -> None:
    settings = TABLES[game]
    for _ in range(3):  # its random play is not seeded
        api_test(liars_dice_v0.env(**settings))
        api_test(liars_dice_v0.raw_env(**settings))
    seed_test(lambda: liars_dice_v0.env(**settings))
    parallel_api_test(liars_dice_v0.parallel_env(**settings))
    parallel_seed_test(lambda: liars_dice_v0.parallel_env(**settings))
    render_test(partial(liars_dice_v0.env, **settings))


def table_game(env: Any, choose: random.Random, seed: int | None) -> tuple[list[Any], dict[str, float]]:
    """What one random game shows to each player to move, and the total reward of every player."""
    env.reset(seed=seed)
    log: list[Any] = []
    given: dict[str, float] = {}
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        given[agent] = given.get(agent, 0.0) + reward
        action = None if over else choose.choice(np.flatnonzero(seen["action_mask"]).tolist())
        log.append((agent, seen["observation"].tolist(), action))
        if over and env.agents != [agent]:
            gone = env.unwrapped._engine.state.public
            seat = int(agent.removeprefix("player_"))
            assert gone.status == "ENDED" or gone.dice_counts[seat] == 0
        env.step(action)
    return log, given


@pytest.mark.parametrize("game", GAMES)
def test_rewards_add_up_to_zero_and_the_winner_has_them(game: str) -> None:
    env = liars_dice_v0.env(**GAMES[game])
    for seed in range(5):
        _, given = table_game(env, random.Random(seed), seed)
        assert set(given) == set(env.possible_agents)
        assert sum(given.values()) == pytest.approx(0)
        winner = env.unwrapped._engine.state.public.winner
        others = -1 / (len(given) - 1)
        assert given == {agent: 1 if agent == f"player_{winner}" else others for agent in given}


def test_a_seed_repeats_a_table() -> None:
    env = liars_dice_v0.env("perudo", players=4, dice=2)
    first = [table_game(env, random.Random(0), seed)[0] for seed in (5, None, None)]
    assert [table_game(env, random.Random(0), seed)[0] for seed in (6, None, None)] != first
    assert [table_game(env, random.Random(0), seed)[0] for seed in (5, None, None)] == first


def test_players_who_are_out_leave_before_the_game_ends() -> None:
    env = liars_dice_v0.env("perudo", players=5, dice=1)
    env.reset(seed=1)
    choose = random.Random(1)
    sizes: Sequence[int] = [len(env.agents)]
    for _ in env.agent_iter():
        seen, _, over, _, _ = env.last()
        env.step(None if over else choose.choice(np.flatnonzero(seen["action_mask"]).tolist()))
        sizes = [*sizes, len(env.agents)]
        alive = [n for n in env.unwrapped._engine.state.public.dice_counts if n]
        if env.agents and not any(env.terminations.values()):
            assert len(env.agents) == len(alive)
    assert set(sizes) == {5, 4, 3, 2, 1, 0}


def test_illegal_moves_at_a_table() -> None:
    bare = liars_dice_v0.raw_env("classic", dice=1)
    bare.reset(seed=0)
    with pytest.raises(IllegalMoveError, match="no bid to call"):
        bare.step(bare.encoding.liar)
    with pytest.raises(BadValueError, match="player_0 is to move"):
        bare.step(None)
    assert bare.agent_selection == "player_0"
    bare.step(np.int64(0))
    assert bare.agent_selection == "player_1"
    wrapped = liars_dice_v0.env("classic", dice=1)
    wrapped.reset(seed=0)
    wrapped.step(bare.encoding.liar)
    assert wrapped.terminations == {"player_0": True, "player_1": True}
    assert wrapped.rewards == {"player_0": -1, "player_1": 0}


def test_only_whoever_is_to_move_has_actions() -> None:
    env = liars_dice_v0.raw_env("classic", dice=1)
    env.reset(seed=0)
    assert env.observe("player_0")["action_mask"].tolist() == [1] * 12 + [0]
    assert not env.observe("player_1")["action_mask"].any()


def test_our_bots_sit_down_at_a_table() -> None:
    """The environment asks a bot with the view of the player to move; the bot wins as often as it should."""
    env, wins, games = liars_dice_v0.env("classic", dice=1), 0, 600
    bots = {"player_0": make_agent("truthful"), "player_1": make_agent("optimal")}
    for game in range(games):
        env.reset(seed=game)
        for agent in env.agent_iter():
            _, reward, over, _, _ = env.last()
            wins += agent == "player_0" and over and reward > 0
            env.step(None if over else env.unwrapped.choice_of(bots[agent]))
    exact = Matchups([*bots.values()], preset("classic", dice=1)).match.win[0, 1]
    assert wins / games == pytest.approx(exact, abs=4 * (0.25 / games) ** 0.5)


def test_a_bot_is_asked_by_its_name_and_only_in_a_game() -> None:
    env = liars_dice_v0.raw_env("classic", dice=1)
    for ask in (lambda: env.choice_of("truthful"), lambda: env.step(0), lambda: env.observe("player_0")):
        with pytest.raises(gymnasium.error.ResetNeeded, match="no game has begun"):
            ask()
    env.reset(seed=1)
    assert env.choice_of("truthful") == env.choice_of(make_agent("truthful"))
    choices = []
    for _ in range(2):
        env.reset(seed=2)
        choices.append([env.choice_of("random") for _ in range(5)])
    assert choices[0] == choices[1]
    with pytest.raises(TypeError):
        env.step(1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [1.5, "3", None])
def test_an_action_is_a_whole_number(action: Any) -> None:
    env = LiarsDiceEnv("classic", dice=1)
    env.reset(seed=1)
    with pytest.raises(BadValueError, match=r"action = .*: expected a whole number from 0 to 12"):
        env.step(action)
    assert env.step(np.int64(3))[1] in (-1, 0, 1)


def test_render_shows_a_table_no_dice(capsys: pytest.CaptureFixture[str]) -> None:
    env = liars_dice_v0.env("classic", dice=1, render_mode="ansi")
    env.reset(seed=0)
    env.step(0)
    assert env.render() == "Round 1\n  player_0, 1 die\n> player_1, 1 die\nBids: player_0 1x1"
    shared = GameConfig(dice=(1, 1), table_dice=1, hidden_dice=2)
    env = liars_dice_v0.env(shared, render_mode="ansi")
    env.reset(seed=0)
    table = env.unwrapped._game.state
    open_die, covered = table.public.table_dice, table.hidden_dice
    assert env.render() == f"Round 1\n> player_0, 1 die\n  player_1, 1 die\n  table: {open_die[0]}, 2 covered"
    env.step(0)
    env.step(env.unwrapped.encoding.liar)
    assert f", table {' '.join(map(str, open_die + covered))});" in env.render()
    env = liars_dice_v0.env("classic", dice=1, render_mode="human")
    env.reset(seed=0)
    env.step(0)
    assert "Bids: player_0 1x1" in capsys.readouterr().out
    with pytest.raises(BadValueError, match="render_mode"):
        liars_dice_v0.env("classic", render_mode="rgb_array")


# -- what is missing, and the examples ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "package"),
    [("gymnasium_env", "gymnasium"), ("pettingzoo_env", "pettingzoo"), ("openspiel_game", "pyspiel")],
)
def test_a_missing_package_is_explained(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"liars_dice.learn.envs.{module}", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'liars-dice\[rl\]'"):
        importlib.import_module(f"liars_dice.learn.envs.{module}")


def test_the_package_itself_imports_none_of_them() -> None:
    code = "import sys, liars_dice.learn.envs; print({'gymnasium', 'pettingzoo', 'pyspiel'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "needs", "arguments", "least"),
    [
        ("ppo_gymnasium.py", "sb3_contrib", ("--steps", "8000", "--games", "500"), 0.6),  # against truthful
        ("ppo_cleanrl.py", "torch", ("--steps", "60000", "--games", "500"), 0.85),  # against random
    ],
)
def test_learners_learn(example: str, needs: str, arguments: tuple[str, ...], least: float) -> None:
    """Each worked example ends with a learner that wins far more than it did before; Tianshou's is in its own place."""
    pytest.importorskip(needs)
    before, after = (float(line.rpartition(": ")[2]) for line in run_example(example, *arguments))
    assert before < 0.55
    assert after > least


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--exact"]], ids=str)
def test_cfr_example(more: list[str]) -> None:
    lines = run_example("cfr_openspiel.py", "--iterations", "20", *more)
    falling = [float(line.split("exploitability ")[1].split(",")[0]) for line in lines[1:]]
    assert len(falling) == 6  # after 1, 2, 4, 8, 16 and 20 iterations
    assert falling[-1] < falling[0] / 4


def run_example(name: str, *arguments: str) -> list[str]:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
