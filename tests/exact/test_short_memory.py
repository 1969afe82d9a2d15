"""Strategies with a short memory: games small enough to know the answer, second opinions, and the packaged file."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import build_short_memory
from build_short_memory import kept_places, likeliest, solve_short_memory, value
from liars_dice.agents import Policy, PolicyAgent, make_agent
from liars_dice.core import GameConfig, GameView, LiarsDiceError
from liars_dice.core.rules import round_rules
from liars_dice.exact import OutOfReachError
from liars_dice.exact.errors import DataError
from liars_dice.exact.solver import mean_of, response_bounds, values_by_short_memory
from liars_dice.exact.solver.short_memory import (
    START,
    Places,
    ShortGame,
    ShortKey,
    ShortStrategy,
    StrategyBook,
    in_parts,
    load,
    packed,
    remember,
    written,
)
from liars_dice.exact.solver.short_memory_adversary import Adversary, Measured, Parts
from liars_dice.exact.solver.short_memory_packing import PARTS
from liars_dice.exact.solver.short_memory_values import _walk
from liars_dice.exact.tables.hands import hand_set
from liars_dice.numeric import Floats
from oracle import best_value, round_chances

TINY = GameConfig(dice=(2, 1), faces=2)
WILD = GameConfig(dice=(2, 1), faces=2, wild="ones", bid_ordering="perudo", exact_call=True)


class Plays(PolicyAgent):
    """Plays strategies in whole parts, as the opener and as the other: [column, memory, hand, move]."""

    def __init__(self, places: Places, *strategies: Parts) -> None:
        self.places = places
        self.strategies = strategies

    def policy(self, view: GameView) -> Policy:
        rules, places = view.public.rules, self.places
        rungs = [rules.rungs[bid] for bid in view.public.bid_history]
        column, memory = places.place(rungs)
        hand = hand_set(len(view.my_dice), places.faces).index[view.my_dice]
        parts = self.strategies[len(rungs) % 2][column, memory, hand]
        first_call = places.rungs - places.call
        return {
            rules.moves[move + (column if move < places.call else first_call)]: int(parts[move]) / PARTS
            for move in np.flatnonzero(parts).tolist()
        }


def solved(config: GameConfig, iterations: int) -> tuple[Places, Parts, Parts]:
    """Solved strategies of both players, rounded."""
    opener, other = (in_parts(chances).transpose(1, 2, 0, 3) for chances in solve_short_memory(config, iterations))
    return Places(config), opener, other


def drawn(config: GameConfig, steps: int) -> tuple[Places, Parts, Parts]:
    """Two strategies that do anything."""
    places, random = Places(config, steps), np.random.default_rng(steps)
    both = []
    for dice in config.dice:
        chances = random.random((places.rungs + 1, places.memory.used, len(hand_set(dice, config.faces)), places.moves))
        chances *= places.legal[:, :, None] & (random.random(chances.shape) < 0.6)
        chances[1:, ..., places.call] += 0.2
        chances[0, ..., 0] += 0.2
        both.append(in_parts((chances / chances.sum(axis=-1, keepdims=True)).astype(np.float32)))
    return places, both[0], both[1]


def measured(places: Places, opener: Parts, other: Parts, gap: float = 0.0) -> tuple[Measured, Measured]:
    """What an adversary earns against each."""
    first = Adversary(places, opener, other, opens=True).measure(gap)
    return first, Adversary(places, other, opener, opens=False).measure(gap)


def test_memory_of_kinds_is_of_the_last_two_raises() -> None:
    places = Places(GameConfig(dice=(3, 3)))
    assert places.place([]) == (0, 0)
    assert places.place([4]) == (5, 0)
    assert [places.place([4, 4 + step])[1] for step in (1, 6, 7, 20)] == [1, 6, 0, 0]
    assert [places.place([0, step, step + 2])[1] for step in (5, 6, 7)] == [9, 16, 2]
    long = [0, 3, 9, 10, 16, 17]
    memory = 0
    for low, high in pairwise(long):
        memory = remember(memory, high - low, 6)
    assert (18, memory) == places.place(long)


def test_memory_of_steps_is_of_the_last_bids() -> None:
    last_two, last_three = (Places(GameConfig(dice=(3, 3)), steps) for steps in (1, 2))
    assert last_two.place([4]) == (5, START)
    assert last_two.place([0, 1, 4]) == last_two.place([1, 4]) == (5, 3)
    assert last_three.place([4]) == (5, START * 14)
    assert last_three.place([1, 4]) == (5, 3 * 14 + START)
    assert last_three.place([0, 1, 4]) == (5, 3 * 14 + 1)
    assert last_three.place([0, 1, 4, 17]) == last_three.place([2, 4, 17]) == (18, 0)
    assert last_three.memory.shorter[3 * 14 + 1] == 14 * 14 + 3
    assert last_three.memory.shorter[14 * 14 + 3] == 14 * 14 + 14
    assert last_three.memory.shorter[-1] == -1


def test_one_die_each_is_solved() -> None:
    config = GameConfig(dice=(1, 1))
    places, both = Places(config), solve_short_memory(config, 200)
    assert value(places, *both) == pytest.approx(-1 / 9, abs=1e-3)
    opener, other = (in_parts(chances).transpose(1, 2, 0, 3) for chances in both)
    first, second = measured(places, opener, other)
    assert first.most == pytest.approx(1 / 9, abs=5e-3)
    assert second.most == pytest.approx(-1 / 9, abs=5e-3)


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
    places, opener, other = solved(TINY, 20)
    agent = Plays(places, opener, other)
    chances = round_chances([agent, agent], TINY)
    won = sum(chance for (winner, _, _), chance in chances.items() if winner == 0)
    arrays = [(parts.transpose(2, 0, 1, 3) / PARTS).astype(np.float32) for parts in (opener, other)]
    assert value(places, arrays[0], arrays[1]) == pytest.approx(2 * won - 1, abs=1e-6)


@pytest.mark.parametrize(("config", "steps"), [(TINY, 0), (TINY, 2), (WILD, 0), (WILD, 1), (WILD, 2)])
def test_an_adversary_earns_what_trying_everything_through_the_rules_finds(config: GameConfig, steps: int) -> None:
    strategies = drawn(config, steps)
    agent = Plays(*strategies)
    narrow, wide = measured(*strategies), measured(*strategies, gap=0.3)
    for seat in (0, 1):
        best = float(best_value(agent, config, 1 - seat))
        assert narrow[seat].least == pytest.approx(best, abs=1e-5)
        assert narrow[seat].most == pytest.approx(best, abs=1e-5)
        assert wide[seat].least < best + 1e-5 < wide[seat].most + 2e-5
        assert wide[seat].biddings <= narrow[seat].biddings


@pytest.mark.parametrize(("config", "steps"), [(TINY, 0), (TINY, 2), (WILD, 1), (WILD, 2)])
def test_many_biddings_at_a_time_earn_what_one_after_the_other_does(config: GameConfig, steps: int) -> None:
    tool = pytest.importorskip("measure_short_memory", reason="PyTorch is not installed: the extra `train` has it")
    places, *strategies = drawn(config, steps)
    for opens in (True, False):
        adversary = Adversary(places, strategies[not opens], strategies[opens], opens=opens)
        search = tool.Search(adversary, "cpu")
        exact, narrow, wide = adversary.measure(0.0), search.measure(0.0), search.measure(0.05)
        assert narrow.least == pytest.approx(exact.least, abs=1e-5)
        assert narrow.most == pytest.approx(exact.most, abs=1e-5)
        assert wide.least <= exact.least + 1e-5 <= wide.most + 2e-5
        assert 0 < wide.biddings <= narrow.biddings


def test_bounds_are_kept_with_the_strategies_that_they_hold_for(tmp_path: Path) -> None:
    tool = pytest.importorskip("measure_short_memory", reason="PyTorch is not installed: the extra `train` has it")
    book, out = load(), tmp_path / "bounds.json"
    rounds = [ShortKey("perudo", 3, 3, True), ShortKey("perudo", 5, 5, True)]
    for found, key in zip((Measured(0.1, 0.2, 3), Measured(0.3, 0.4, 5)), rounds, strict=True):
        tool.keep(out, key, book, found)
    bounds = json.loads(out.read_text(encoding="utf-8"))
    assert {name: (kept["least"], kept["most"], kept["biddings"]) for name, kept in bounds.items()} == {
        "perudo:3v3": (0.1, 0.2, 3),
        "perudo:5v5": (0.3, 0.4, 5),
    }
    assert [bounds[key.name]["strategies"] for key in rounds] == [book.fingerprint(key) for key in rounds]
    assert book.fingerprint(rounds[0]) != book.fingerprint(rounds[1])
    both = {key: book.block(key) for key in (rounds[0], rounds[0].opponent)}
    assert StrategyBook(written(both)).fingerprint(rounds[0]) == book.fingerprint(rounds[0])
    steps, places = book.block(rounds[0].opponent)[0], book[rounds[0].opponent].places
    nothing = np.zeros((56, places.rungs + 1, len(places.memory.shorter), places.moves), dtype=np.uint8)
    both[rounds[0].opponent] = steps, packed(places, nothing, np.zeros(nothing.shape[:-1], dtype=bool))
    assert StrategyBook(written(both)).fingerprint(rounds[0]) != book.fingerprint(rounds[0])


def test_more_work_leaves_less_to_exploit() -> None:
    config = GameConfig(dice=(2, 1))
    assert mean_of(measured(*solved(config, 100))).most < 0.04 < 0.1 < mean_of(measured(*solved(config, 5))).least


def test_only_rules_it_is_for() -> None:
    for config in (GameConfig(dice=(1, 1), max_turns=3), GameConfig(dice=(1, 1, 1))):
        with pytest.raises(LiarsDiceError, match="two players without opening limits"):
            Places(config)


def test_a_file_gives_back_what_was_put_in() -> None:
    config = GameConfig(dice=(2, 1))
    places = Places(config)
    parts = in_parts(solve_short_memory(config, 10)[0])
    kept = kept_places(places, parts, likeliest(places, parts, opens=True), 0.01, opens=True)
    assert 0.05 < kept.mean() < 0.9
    key = ShortKey("heads-up", 2, 1, True)
    book = StrategyBook(written({key: (0, packed(places, parts, kept))}))
    assert list(book) == [key]
    assert book.get(key.opponent) is None
    strategy = book[key]
    assert strategy is book[key]
    calls = np.eye(places.moves, dtype=np.uint8)[places.call] * PARTS
    instead = np.where(kept[:, :, :1, None], parts[:, :, :1], calls)
    assert np.array_equal(strategy.array(), np.where(kept[..., None], parts, instead) / PARTS)
    hand = strategy.hands.index[2, 5]
    column, memory = places.place([1, 7])
    read = strategy.chances((5, 2), [1, 7])
    for action, chance in read.items():
        move = places.call if action == strategy.liar else action - column
        assert chance == strategy.array()[hand, column, memory, move]
    assert sum(read.values()) == 1


def test_what_was_found_elsewhere_is_packed(tmp_path: Path) -> None:
    solver = pytest.importorskip("solve_short_memory", reason="needs torch")
    solver.main([str(tmp_path), "--steps", "2", "--iterations", "60", "--rounds", "perudo:1v1,heads-up:1v1"])
    games = []
    for opener, steps, found in build_short_memory.rounds_found([tmp_path]):
        keys = opener, opener.opponent
        whole, coarse = (
            [ShortStrategy(key, steps, build_short_memory.packed_from(key, steps, found, least)) for key in keys]
            for least in (1e-9, 0.1)
        )
        exploited, more = (mean_of(response_bounds(*pair, gap=0)) for pair in (whole, coarse))
        assert exploited.most < 0.03 < more.most
        assert whole[0].chances((3,), []).keys() >= {2}
        games.append(opener.game)
        parts = whole[1].parts()
        for hand in ((1,), (4,)):
            for bidding in ([3], [0, 2, 5], [1, 4, 6, 7, 9]):
                column, memory = whole[1].places.place(bidding)
                row = parts[column, memory, whole[1].hands.index[hand]] / PARTS
                assert sorted(row[row > 0]) == sorted(whole[1].chances(hand, bidding).values())
    assert games == ["heads-up", "perudo"]


def test_damaged_files_say_so() -> None:
    whole = written({ShortKey("heads-up", 1, 1, True): (0, b"some bytes")})
    for data, complaint in (
        (b"", "not a file of strategies"),
        (b"PK\x03\x04" + whole[4:], "not a file of strategies"),
        (whole[:4] + b"\x07" + whole[5:], "of version 7; this program reads version 3"),
        (whole[:-1], "damaged"),
        (whole[:-3] + b"\x00" + whole[-2:], "damaged"),
    ):
        with pytest.raises(DataError, match=complaint) as error:
            StrategyBook(data, "x.bin")
        assert "\n" not in str(error.value)


def test_packaged_strategies_are_all_there_and_legal() -> None:
    book = load()
    most_solved: dict[ShortGame, int] = {"heads-up": 6, "perudo": 5}
    for game, solved in most_solved.items():
        assert {key for key in book if key.game == game} == {
            ShortKey(game, own, other, opens)
            for own in range(1, 6)
            for other in range(1, 6)
            for opens in (True, False)
            if own + other > solved
        }
    assert all(key.opponent in book for key in book)
    for key in (ShortKey("heads-up", 3, 4, True), ShortKey("heads-up", 2, 5, False), ShortKey("perudo", 3, 3, True)):
        strategy = book[key]
        parts = strategy.parts()
        rules = round_rules(strategy.config.without_seed, key.own + key.other, False)
        assert strategy.liar == len(rules.bids)
        assert (parts[1:].sum(axis=-1) == PARTS).all()
        assert not parts[1:].transpose(2, 0, 1, 3)[:, ~strategy.places.legal[1:]].any()


@pytest.mark.parametrize(
    ("game", "dice", "most"), [("heads-up", (3, 4), 0.0385), ("perudo", (3, 3), 0.08), ("perudo", (5, 1), 0.1)]
)
def test_packaged_strategies_leave_little_to_exploit(game: ShortGame, dice: tuple[int, int], most: float) -> None:
    key = ShortKey(game, *dice, True)
    found = mean_of(response_bounds(load()[key], load()[key.opponent], gap=3e-5))
    assert 0 < found.least < found.most < most


def test_packaged_strategies_beat_bots() -> None:
    for name in ("probabilistic", "optimal", "conservative", "sniper"):
        keys = [ShortKey("heads-up", 4, 4, opens) for opens in (True, False)]
        assert min(build_short_memory.earned(load()[key], make_agent(name)) for key in keys) > 0.015


def test_an_adversary_with_little_memory_looks_at_its_hands_in_turn() -> None:
    key = ShortKey("heads-up", 3, 4, True)
    pair = load()[key], load()[key.opponent]
    at_once, in_turn = response_bounds(*pair, gap=1e-4), response_bounds(*pair, gap=1e-6, memory=0.03)
    for rough, fine in zip(at_once, in_turn, strict=True):
        assert rough.least - 1e-5 < fine.least <= fine.most < rough.most + 1e-5
    with pytest.raises(OutOfReachError, match=r"for one of its hands, 1e-05 at most are used"):
        response_bounds(*pair, memory=1e-5)


def test_threads_find_what_one_thread_finds() -> None:
    key = ShortKey("perudo", 3, 3, True)
    pair = load()[key], load()[key.opponent]
    assert response_bounds(*pair, gap=3e-4, workers=2) == response_bounds(*pair, gap=3e-4)


def test_the_gap_is_chosen_by_the_number_of_biddings() -> None:
    """Not by time: the same on every machine."""
    key = ShortKey("heads-up", 2, 5, True)
    pair = load()[key], load()[key.opponent]
    few, some, more = (mean_of(response_bounds(*pair, biddings=number)) for number in (1, 20_000, 100_000))
    assert few.least < some.least <= more.least <= more.most <= some.most < few.most
    assert few.biddings < some.biddings < more.biddings


def test_an_adversary_that_is_measured_again_knows_more() -> None:
    """Bounds only close in, and what was known before leaves fewer biddings to look at."""
    key = ShortKey("heads-up", 3, 4, True)
    opener, other = load()[key].parts(), load()[key.opponent].parts()
    again, anew = (Adversary(load()[key].places, opener, other, opens=True) for _ in range(2))
    rough, fine, at_once = again.measure(1e-3), again.measure(3e-5), anew.measure(3e-5)
    assert rough.least <= fine.least <= fine.most <= rough.most
    assert (fine.least, fine.most) == pytest.approx((at_once.least, at_once.most), abs=1e-4)
    assert fine.biddings <= at_once.biddings


def test_values_are_those_of_a_plain_recursion() -> None:
    key = ShortKey("perudo", 3, 3, True)
    mine, theirs, rules = load()[key], load()[key.opponent], round_rules(key.config.without_seed, 6, False)
    hand, held = (1, 3, 3), (2, 3, 6)

    def count(rung: int) -> int:
        bid = rules.bids[rung]
        return sum(die in (1, bid.face) for die in (*hand, *held))

    def won(bidding: tuple[int, ...]) -> float:
        """The opener's chance to win."""
        opens = len(bidding) % 2 == 0
        chances = mine.chances(hand, bidding) if opens else theirs.chances(held, bidding)
        total = 0.0
        for action, chance in chances.items():
            if action < mine.liar:
                total += chance * seen(places.place([*bidding, action]), (*bidding, action))
            else:
                quantity = rules.bids[bidding[-1]].quantity
                shown = count(bidding[-1])
                right = shown < quantity if action == mine.liar else shown == quantity
                total += chance * (right == opens)
        return total

    known: dict[tuple[int, int, bool], float] = {}

    def seen(place: tuple[int, int], bidding: tuple[int, ...]) -> float:
        at = (*place, len(bidding) % 2 == 0)
        if at not in known:
            known[at] = won(bidding)
        return known[at]

    places = mine.places
    index = theirs.hands.index[held]
    walk = _walk(key, hand)
    for rung in (0, 4, 9, 12):
        assert walk.after_mine[rung + 1, places.start, index] == pytest.approx(won((rung,)), abs=1e-5)
    found = values_by_short_memory(rules, (3, 3), hand, [])
    assert found is not None
    assert sum(found.chances.values()) == pytest.approx(1)
    assert 0.5 < max(found.values.values()) < 0.9
    answered = values_by_short_memory(rules, (3, 3), held, [9])
    assert answered is not None
    assert answered.values.keys() == {*range(10, 38)}  # bids, liar and exact


def test_einsum_never_sums_over_an_empty_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    einsum = np.einsum

    def careful(subscripts: str, *operands: Floats) -> Floats:
        assert all(operand.size for operand in operands), "NumPy's einsum reads uninitialised memory then"
        found: Floats = einsum(subscripts, *operands)
        return found

    monkeypatch.setattr(np, "einsum", careful)
    _walk.cache_clear()
    for key in (ShortKey("perudo", 3, 3, True), ShortKey("heads-up", 3, 4, False)):
        assert np.isfinite(_walk(key, (2, 4, 4)).after_mine).all()


def test_the_program_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert build_short_memory.main(["no-such-folder"]) == 2
    assert capsys.readouterr().err == "no-such-folder: no such folder\n"
