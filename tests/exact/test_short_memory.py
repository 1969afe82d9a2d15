"""Strategies with a short memory: games small enough to know the answer, second opinions, and the packaged file."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import build_short_memory
from build_short_memory import likely, response_bounds, solve_short_memory, value
from liars_dice.agents import Policy, PolicyAgent, make_agent
from liars_dice.core import BidAction, CallLiarAction, GameConfig, GameView, LiarsDiceError
from liars_dice.core.rules import round_rules
from liars_dice.exact.errors import DataError
from liars_dice.exact.solver.short_memory import (
    PARTS,
    Places,
    Reals,
    ShortStrategy,
    StrategyBook,
    in_parts,
    load,
    memory_of,
    packed,
    remember,
    written,
)
from liars_dice.exact.tables.hands import hand_set
from oracle import best_value, round_chances

TINY = GameConfig(dice=(2, 1), faces=2)


class Plays(PolicyAgent):
    """Plays arrays of chances, as the opener and as the other."""

    def __init__(self, config: GameConfig, *arrays: Reals) -> None:
        self.places = Places(config)
        self.arrays = arrays

    def policy(self, view: GameView) -> Policy:
        rungs = [view.public.rules.rungs[bid] for bid in view.public.bid_history]
        column = rungs[-1] + 1 if rungs else 0
        hand = hand_set(len(view.my_dice), self.places.faces).index[view.my_dice]
        chances = self.arrays[len(rungs) % 2][hand, column, memory_of(rungs, self.places.faces)]
        bids = view.public.rules.bids
        return {
            CallLiarAction() if move == self.places.call else BidAction(bids[column + move]): float(chance)
            for move, chance in enumerate(chances)
            if chance > 0
        }


def rounded(config: GameConfig, iterations: int) -> tuple[Reals, Reals]:
    opener, other = (
        (in_parts(chances) / PARTS).astype(np.float32) for chances in solve_short_memory(config, iterations)
    )
    return opener, other


def test_memory_is_of_the_last_two_raises() -> None:
    assert memory_of([]) == memory_of([4]) == 0
    assert [memory_of([4, 4 + step]) for step in (1, 6, 7, 20)] == [1, 6, 0, 0]
    assert [memory_of([0, step, step + 2]) for step in (5, 6, 7)] == [9, 16, 2]
    long = [0, 3, 9, 10, 16, 17]
    memory = 0
    for low, high in pairwise(long):
        memory = remember(memory, high - low, 6)
    assert memory == memory_of(long)


def test_one_die_each_is_solved() -> None:
    config = GameConfig(dice=(1, 1))
    solved = solve_short_memory(config, 300)
    assert value(Places(config), *solved) == pytest.approx(-1 / 9, abs=1e-3)
    opener, other = (in_parts(chances) / PARTS for chances in solved)
    assert response_bounds(config, opener, opens=True)[1] == pytest.approx(1 / 9, abs=5e-3)
    assert response_bounds(config, other, opens=False)[1] == pytest.approx(-1 / 9, abs=5e-3)


def test_chances_are_proper_and_the_same_every_time() -> None:
    config = GameConfig(dice=(1, 2), faces=3)
    places = Places(config)
    for first, again in zip(solve_short_memory(config, 20), solve_short_memory(config, 20), strict=True):
        assert np.array_equal(first, again)
        assert first.min() >= 0
        assert not first[:, ~places.legal].any()
        assert first.sum(axis=-1) == pytest.approx(1.0, abs=1e-5)
        assert (in_parts(first).sum(axis=-1) == PARTS).all()


def test_value_agrees_with_every_roll_played_through_the_rules() -> None:
    opener, other = rounded(TINY, 20)
    agent = Plays(TINY, opener, other)
    chances = round_chances([agent, agent], TINY)
    won = sum(chance for (winner, _, _), chance in chances.items() if winner == 0)
    assert value(Places(TINY), opener, other) == pytest.approx(2 * won - 1, abs=1e-6)


def test_bounds_agree_with_everything_tried_through_the_rules() -> None:
    opener, other = rounded(TINY, 20)
    agent = Plays(TINY, opener, other)
    for opens, array in ((True, opener), (False, other)):
        least, most = response_bounds(TINY, array.astype(np.float64), opens=opens)
        assert least == pytest.approx(most, abs=1e-12)
        assert least == pytest.approx(float(best_value(agent, TINY, int(opens))), abs=1e-9)
        low, high = response_bounds(TINY, array.astype(np.float64), opens=opens, cut=0.9)
        assert low <= least + 1e-12
        assert high >= most - 1e-12
        assert high > low


def test_more_work_leaves_less_to_exploit() -> None:
    config = GameConfig(dice=(2, 1))

    def exploitability(iterations: int) -> float:
        pair = zip(rounded(config, iterations), (True, False), strict=True)
        return sum(response_bounds(config, a.astype(np.float64), opens=opens, cut=1e-3)[1] for a, opens in pair) / 2

    assert exploitability(100) < 0.04 < 0.1 < exploitability(5)


def test_only_rules_it_is_for() -> None:
    for config in (GameConfig(dice=(1, 1), wild="ones"), GameConfig(dice=(1, 1, 1))):
        with pytest.raises(LiarsDiceError, match="two players without wild faces"):
            Places(config)


def test_a_file_gives_back_what_was_put_in() -> None:
    config = GameConfig(dice=(2, 1))
    places = Places(config)
    parts = in_parts(solve_short_memory(config, 10)[0])
    kept = likely(places, parts, opens=True)
    assert 0.05 < kept.mean() < 0.9
    book = StrategyBook(written({(2, 1, True): packed(parts, kept)}))
    assert list(book) == [(2, 1, True)]
    assert (1, 2, False) not in book
    strategy = book[2, 1, True]
    assert strategy is book[2, 1, True]
    assert np.array_equal(strategy.array(), np.where(kept[..., None], parts, parts[:, :, :1]) / PARTS)
    hand = strategy.hands.index[2, 5]
    column, memory = 8, memory_of([1, 7])
    read = strategy.chances((5, 2), [1, 7])
    for action, chance in read.items():
        move = places.call if action == strategy.liar else action - column
        assert chance == strategy.array()[hand, column, memory, move]
    assert sum(read.values()) == 1


def test_damaged_files_say_so() -> None:
    whole = written({(1, 1, True): b"some bytes"})
    for data, complaint in (
        (b"", "not a file of strategies"),
        (b"PK\x03\x04" + whole[4:], "not a file of strategies"),
        (whole[:4] + b"\x07" + whole[5:], "of version 7; this program reads version 1"),
        (whole[:-1], "damaged"),
        (whole[:-3] + b"\x00" + whole[-2:], "damaged"),
    ):
        with pytest.raises(DataError, match=complaint) as error:
            StrategyBook(data, "x.bin")
        assert "\n" not in str(error.value)


def test_packaged_strategies_are_all_there_and_legal() -> None:
    book = load()
    assert set(book) == {
        (own, other, opens)
        for own in range(1, 6)
        for other in range(1, 6)
        for opens in (True, False)
        if own + other > 6
    }
    for key in ((3, 4, True), (2, 5, False)):
        strategy = book[key]
        assert isinstance(strategy, ShortStrategy)
        array = strategy.array()
        rules = round_rules(strategy.config.without_seed, sum(key[:2]), False)
        assert strategy.liar == len(rules.bids)
        assert array.sum(axis=-1) == pytest.approx(1.0, abs=1e-12)
        assert not array[:, ~strategy.places.legal].any()


def test_packaged_strategies_leave_little_to_exploit() -> None:
    least, most = build_short_memory.exploitability_bounds((3, 4))
    assert 0 < least < most < 0.045
    for name in ("probabilistic", "optimal", "conservative", "sniper"):
        earned = [build_short_memory.earned(load()[4, 4, opens], make_agent(name)) for opens in (True, False)]
        assert min(earned) > 0.015


def test_the_program_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert build_short_memory.main(["bulid"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")
