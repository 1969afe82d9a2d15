"""Batched games are the engine's games: every backend's games are replayed through it, move by move."""

from __future__ import annotations

import re
from importlib.util import find_spec
from shutil import which
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from liars_dice.agents import Agent, make_agent
from liars_dice.core import PRESETS, BadValueError, ConfigError, GameConfig, GameEngine, GameView, preset
from liars_dice.exact import OutOfReachError
from liars_dice.learn import BatchedGames
from liars_dice.learn.envs.encoding import Encoding
from support import configs

NO_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed: the extra `train` has it")
BACKENDS = ["numba", pytest.param("torch", marks=NO_TORCH)]


def batch(backend: Any, n: int, rules: Any, seed: int, **words: Any) -> BatchedGames:
    device = "cpu" if backend == "torch" else None
    return BatchedGames(n, rules, seed=seed, backend=backend, device=device, **words)


def as_numpy(array: Any) -> NDArray[Any]:
    return array if isinstance(array, np.ndarray) else array.numpy()


def hands_of(games: BatchedGames, place: int) -> list[tuple[int, ...]]:
    """The dice of each seat, then those open on the table, then the covered ones."""
    return [
        tuple(face + 1 for face, n in enumerate(hand) for _ in range(n)) for hand in games.state.hands[place].tolist()
    ]


def deal_again(games: BatchedGames, place: int, engine: GameEngine) -> None:
    """Begin the engine's next round with the dice of the batch."""
    dice = hands_of(games, place)
    seats, (table, hidden) = engine.state.config.num_players, dice[games.seats :]
    engine.start_new_round(dice[:seats], table_dice=table, hidden_dice=hidden)


def engines_beside(games: BatchedGames) -> list[GameEngine]:
    """An engine for each game, with the same rules and dice."""
    engines = [GameEngine(games.configs[place % len(games.configs)], seed=0) for place in range(games.n)]
    for place, engine in enumerate(engines):
        deal_again(games, place, engine)
    return engines


def widened(games: BatchedGames, place: int, encoding: Encoding, seen: NDArray[np.float32]) -> NDArray[np.float32]:
    """An observation of one game in the form of the batch, which may have larger games, too."""
    wide = np.zeros(games.observation_size, dtype=np.float32)
    for name, part in encoding.parts.items():
        start = games.parts[name].start
        wide[start : start + part.stop - part.start] = seen[part]
    if "rules" in games.parts:
        wide[games.parts["rules"].start + place % len(games.configs)] = 1
    return wide


def compare(games: BatchedGames, place: int, engine: GameEngine, seen: Any, masks: Any) -> None:
    """Everything that can be observed is the same in the batch and in the engine."""
    state, public = games.state, engine.state.public
    seats, config = len(public.dice_counts), engine.state.config
    encoding = Encoding(config)
    assert int(state.turn[place]) == public.current_player
    assert int(state.opener[place]) == public.opener
    assert bool(state.palifico[place]) == public.palifico
    assert state.dice[place].tolist() == [*public.dice_counts, *[0] * (games.seats - seats)]
    assert int(state.rung[place]) == public.rung
    assert int(state.round[place]) == public.round_index
    rungs = [public.rules.rungs[bid] for bid in public.bid_history]
    assert np.flatnonzero(as_numpy(state.bids[place])).tolist() == rungs
    expected = widened(games, place, encoding, encoding.observe(engine.get_view(public.current_player)))
    np.testing.assert_allclose(as_numpy(seen[place]), expected, atol=1e-6)
    legal = np.flatnonzero(encoding.action_mask(public))
    mapped = [int(a) if a < encoding.liar else games.liar + int(a) - encoding.liar for a in legal]
    assert np.flatnonzero(as_numpy(masks[place])).tolist() == mapped


def exact_where_right(games: BatchedGames, engines: list[GameEngine | None], actions: NDArray[np.int64]) -> None:
    """Call a bid exactly right in some games in which it is, which random play seldom does."""
    for place, engine in enumerate(engines):
        if engine is None or place % 2 or not engine.state.public.bid_history or not engine.state.config.exact_call:
            continue
        rules, bid = engine.state.public.rules, engine.state.public.bid_history[-1]
        wilds = () if rules.wild_face in (None, bid.face) else (rules.wild_face,)
        shown = sum(dice.count(face) for dice in hands_of(games, place) for face in (bid.face, *wilds))
        if shown == bid.quantity:
            assert games.exact is not None
            actions[place] = games.exact


def replay(games: BatchedGames, most_steps: int = 3000) -> int:
    """Play random moves until every game has ended once, each beside an engine. Returns how many were compared."""
    engines: list[GameEngine | None] = [*engines_beside(games)]
    moves = 0
    for _ in range(most_steps):
        seen, masks = games.observations(), games.action_masks()
        actions = as_numpy(games.random_actions())
        exact_where_right(games, engines, actions)
        for place, engine in enumerate(engines):
            if engine is not None:
                compare(games, place, engine, seen, masks)
        step = games.step(actions, check=True)
        for place, engine in enumerate(engines):
            if engine is None:
                continue
            public, action = engine.state.public, int(actions[place])
            liar = len(public.rules.bids)
            move = public.rules.moves[action if action < games.liar else liar + action - games.liar]
            engine.apply_action(public.current_player, move)
            moves += 1
            check_step(games, place, engine, step)
            if engine.is_terminal():
                engines[place] = None
            elif engine.state.public.status == "REVEAL":
                deal_again(games, place, engine)
        if not any(engines):
            return moves
    raise AssertionError("some games never ended")


def check_step(games: BatchedGames, place: int, engine: GameEngine, step: Any) -> None:
    """What the step says about this game is what the engine says."""
    public = engine.state.public
    ended = public.status != "BIDDING"
    assert bool(step.round_ended[place]) == ended
    assert bool(step.game_ended[place]) == engine.is_terminal()
    last = public.resolutions[-1] if ended else None
    assert (int(step.winner[place]), int(step.loser[place])) == ((last.winner, last.loser) if last else (-1, -1))
    rewards = np.zeros(games.seats, dtype=np.float32)
    if engine.is_terminal():
        players = len(public.dice_counts)
        rewards[:players] = -1 / (players - 1)
        rewards[public.winner] = 1
        assert int(step.winner[place]) == public.winner
    np.testing.assert_allclose(as_numpy(step.rewards[place]), rewards, rtol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("rules", PRESETS)
def test_every_preset_is_the_engines_game(rules: str, backend: str) -> None:
    assert replay(batch(backend, 12, rules, seed=1)) > 24


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 15])
def test_tables_of_any_size(players: int, backend: str) -> None:
    dice = 5 if players < 15 else 2
    rules = preset("perudo-tournament", players=players, dice=dice, exact_payer="nobody")
    assert replay(batch(backend, 4, rules, seed=players)) > 8


@pytest.mark.parametrize("backend", BACKENDS)
def test_many_dice_take_several_rolls(backend: str) -> None:
    games = batch(
        backend, 6, [GameConfig(dice=(12, 7, 1), hidden_dice=9, table_dice=2), preset("classic", dice=60)], seed=2
    )
    assert games.state.hands.sum(-1).tolist()[:2] == [[12, 7, 1, 2, 9], [60, 60, 0, 0, 0]]
    assert replay(games) > 12


def same_faces(drawn: list[GameConfig]) -> list[GameConfig]:
    """These rule sets with dice like the first one's, those left out for which that makes no sense."""
    fitting = []
    for config in drawn:
        try:
            fitting.append(config.replace(faces=drawn[0].faces, seed=None))
        except ConfigError:
            continue
    return fitting


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=8, deadline=None)
@given(drawn=st.lists(configs(6, 4), min_size=14, max_size=16), seed=st.integers(0, 2**63 - 1))
def test_random_rules_side_by_side(drawn: list[GameConfig], seed: int, backend: str) -> None:
    """Over a hundred rule sets, a dozen in each batch."""
    rules = same_faces(drawn)
    assert replay(batch(backend, 2 * len(rules), rules, seed)) >= 2 * len(rules)


@NO_TORCH
@pytest.mark.parametrize("rules", ["perudo-tournament", "perudo", "heads-up"])
def test_both_backends_play_the_same_games(rules: str) -> None:
    players = min(4, preset(rules).num_players)
    one, other = (batch(backend, 50, rules, seed=9, players=players, dice=3) for backend in ("numba", "torch"))
    for _ in range(60):
        actions = one.random_actions()
        assert actions.tolist() == other.random_actions().tolist()
        for bot in ("optimal", "random"):
            assert one.actions_of(bot).tolist() == other.actions_of(bot).tolist()
        for ours, theirs in zip(one.step(actions), other.step(actions), strict=True):
            np.testing.assert_array_equal(ours, theirs.numpy())
        for name, ours, theirs in zip(one.state._fields, one.state, other.state, strict=True):
            np.testing.assert_array_equal(ours, theirs.numpy(), err_msg=name)


def test_workers_change_nothing_and_seeds_do() -> None:
    one, two = (BatchedGames(10_000, "perudo", seed=2, workers=workers) for workers in (1, 2))
    for _ in range(20):
        actions = one.random_actions()
        assert (actions == two.random_actions()).all()
        one.step(actions), two.step(actions)
    assert all((a == b).all() for a, b in zip(one.state, two.state, strict=True))
    two.reset(3)
    assert (one.state.hands != two.state.hands).any()
    two.reset(2)
    assert (two.state.hands == BatchedGames(10_000, "perudo", seed=2).state.hands).all()


def test_dice_are_fair_and_random_actions_even() -> None:
    games = BatchedGames(40_000, "perudo", seed=1)
    shown = games.state.hands[:, :6].sum((0, 1))
    assert (abs(shown / shown.sum() - 1 / 6) < 0.0015).all()
    drawn = np.bincount(games.random_actions(), minlength=games.n_actions)
    assert (drawn[:180] > 130).all()
    assert drawn[180:].sum() == 0


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ["truthful", "optimal", "crawler"])
def test_bots_do_what_they_do_in_the_engine(name: str, backend: str) -> None:
    rules = [preset("perudo-tournament", players=3, dice=2), preset("perudo", players=4, dice=2, max_turns=3)]
    games, bot = batch(backend, 10, rules, seed=4), make_agent(name)
    engines = engines_beside(games)
    for _ in range(40):
        chosen, actions = as_numpy(games.actions_of(name)), as_numpy(games.random_actions())
        for place, engine in enumerate(engines):
            public = engine.state.public
            moves, liar = public.rules.moves, len(public.rules.bids)
            numbers = [
                int(a) if a < games.liar else liar + int(a) - games.liar for a in (chosen[place], actions[place])
            ]
            assert str(bot.choose_action(engine.get_view(public.current_player))) == str(moves[numbers[0]])
            engine.apply_action(public.current_player, moves[numbers[1]])
        games.step(actions)
        for place, engine in enumerate(engines):
            if engine.is_terminal():
                engines[place] = engine = GameEngine(rules[place % 2], seed=0)
            if engine.state.public.status == "REVEAL":
                deal_again(games, place, engine)


class Sceptic(Agent):
    """Opens with one two, and calls any bid: a bot without tables of its own, which is asked cell by cell."""

    memoryless = True

    def choose_action(self, view: GameView) -> str:
        return "liar" if view.current_bid else "1x2"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_bot_of_ones_own_is_asked(backend: str) -> None:
    games = batch(backend, 6, "heads-up", seed=1, dice=2)
    bot = Sceptic()
    assert games.actions_of(bot).tolist() == [1] * 6
    games.step(games.actions_of(bot))
    assert games.actions_of(bot).tolist() == [games.liar] * 6


@NO_TORCH
@pytest.mark.skipif(which("c++") is None, reason="torch.compile needs a C++ compiler here")
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # from within PyTorch
def test_compiled_games_are_the_same_games() -> None:
    """`torch.compile` fuses a step, with the same chance and the same results, from game to game."""
    rules = ["perudo", "perudo-tournament"]
    eager, fused = (batch("torch", 40, rules, 3, players=3, compiled=compiled) for compiled in (False, True))
    ended = 0
    for _ in range(60):
        actions = as_numpy(eager.random_actions())
        plain, compiled = eager.step(actions), fused.step(actions)
        for one, other in zip(plain, compiled, strict=True):
            np.testing.assert_allclose(as_numpy(one), as_numpy(other), atol=1e-6)
        for one, other in zip(eager.state, fused.state, strict=True):
            assert np.array_equal(as_numpy(one), as_numpy(other))
        np.testing.assert_allclose(as_numpy(eager.observations()), as_numpy(fused.observations()), atol=1e-6)
        ended += int(as_numpy(plain[1]).sum())
    assert ended > 20


def test_bad_input() -> None:
    games = BatchedGames(3, "perudo", players=2, seed=1)
    for action in (games.liar, games.n_actions, -1):  # nothing to call yet; no such action
        with pytest.raises(BadValueError, match="a legal action in game 1"):
            games.step(np.array([0, action, 0]))
    with pytest.raises(BadValueError, match="one for each of 3 games"):
        games.step(np.array([0]))
    for actions in (np.array([0.9, 0.9, 0.9]), np.array(["a"] * 3), np.array([None] * 3), None):
        with pytest.raises(BadValueError, match=r"actions = '.*': expected whole numbers, one for each of 3 games"):
            games.step(actions)
    for n in (0, 2.5, True):
        with pytest.raises(BadValueError, match="a whole number of games from 1 up"):
            BatchedGames(n)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="seed = -1"):
        BatchedGames(1, seed=-1)
    with pytest.raises(BadValueError, match="'numba' or 'torch'"):
        BatchedGames(1, backend="jax")  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="device = 'cuda': expected 'cpu', or backend='torch'"):
        BatchedGames(1, device="cuda")
    with pytest.raises(BadValueError, match="compiled = True: expected False, or backend='torch'"):
        BatchedGames(1, compiled=True)
    with pytest.raises(BadValueError, match="rules = None: expected a preset"):
        BatchedGames(1, None)  # type: ignore[arg-type]
    with pytest.raises(BadValueError, match="workers = -1: expected a whole number of threads"):
        BatchedGames(1, workers=-1)
    with pytest.raises(BadValueError, match="at least one rule set"):
        BatchedGames(1, [])
    with pytest.raises(ConfigError, match="a batch has one kind of dice"):
        BatchedGames(2, ["perudo", "perudo,faces=8"])
    with pytest.raises(ConfigError, match="fewer dice or faces"):
        BatchedGames(1, "heads-up", players=15, dice=60)
    with pytest.raises(OutOfReachError, match="does not declare `memoryless`"):
        games.actions_of("detective")


@pytest.mark.parametrize("backend", BACKENDS)
def test_seats_that_are_not_there_are_refused(backend: str) -> None:
    """Compiled code would read memory that is not the batch's."""
    games = batch(backend, 4, ["perudo", "heads-up"], players=None, seed=1)
    for seats, told in (
        ([0], "seats = (1,): expected one for each of 4 games"),
        ([0, 0, 0, 2], "seats = 2: expected a seat from 0 to 1 in game 3"),
        ([0, 0, -1, 0], "seats = -1: expected a seat from 0 to 5 in game 2"),
        ([10**6] * 4, "seats = 1000000: expected a seat from 0 to 5 in game 0"),
        ([[0, 1, 2, 0]], "seats = (1, 4): expected one for each of 4 games"),
        ([0.5] * 4, "seats = 'list': expected whole numbers"),
    ):
        with pytest.raises(BadValueError, match=re.escape(told)):
            games.observations(seats)
    assert games.observations([5, 1, 5, 1]).shape == games.observations().shape


def test_numbers_of_numpy_and_a_seed_that_is_kept() -> None:
    games = BatchedGames(np.int64(3), "perudo", players=2, seed=np.int64(5))  # type: ignore[arg-type]
    first = games.observations().copy()
    games.step(games.random_actions())
    games.reset()
    assert np.array_equal(games.observations(), first)
    games.reset(6)
    assert not np.array_equal(games.observations(), first)


@NO_TORCH
def test_bad_input_of_tensors() -> None:
    import torch

    games = batch("torch", 3, "perudo", seed=1)
    for action in (games.liar, games.n_actions, -1):
        with pytest.raises(BadValueError, match="a legal action in game 1"):
            games.step(torch.tensor([0, action, 0]), check=True)
    for actions in (torch.zeros(3), [True] * 3, None, ["a"] * 3, [1j] * 3):
        with pytest.raises(BadValueError, match=r"actions = '.*': expected whole numbers, one for each of 3 games"):
            games.step(actions)
    assert games.step(np.arange(6)[::-2], check=True).game_ended.tolist() == [False] * 3  # strides below zero
    assert BatchedGames(1, backend="torch", device=torch.device("cpu")).n == 1
    with pytest.raises(BadValueError, match="device = 0: expected a device of PyTorch"):
        BatchedGames(1, backend="torch", device=0)
    if not torch.cuda.is_available():
        with pytest.raises(BadValueError, match="PyTorch finds no GPU"):
            BatchedGames(1, backend="torch", device="cuda")
