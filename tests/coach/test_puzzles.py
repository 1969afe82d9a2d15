"""Puzzles: the position of the day is the same everywhere and exactly answered; mistakes of games come back."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from liars_dice import GameEngine, preset
from liars_dice.agents import make_agent
from liars_dice.coach import DAILY_RULES, Puzzle, daily_puzzle, puzzle_at, puzzles_from, review_game
from liars_dice.core import BadValueError, BidAction, GameState
from liars_dice.exact.solver import PublicTree, explain, shipped_equilibrium

DAY = date(2026, 11, 18)


def game(rules: str, *names: str, seed: int = 1) -> GameState:
    engine = GameEngine(preset(rules, players=len(names)), [make_agent(name) for name in names], seed=seed)
    engine.play()
    return engine.state


def seen(puzzle: Puzzle) -> tuple[object, ...]:
    return (puzzle.view.public.dice_counts, puzzle.view.my_dice, tuple(map(str, puzzle.view.public.bid_history)))


def test_the_position_of_a_day_is_the_same_for_everybody() -> None:
    """These are the positions of this day, on every machine and in every version."""
    assert seen(daily_puzzle(DAY, "heads-up")) == ((2, 3), (3, 6), ("1x6", "2x6"))
    assert seen(daily_puzzle(DAY, "perudo")) == ((2, 1), (1,), ("1x2", "1x5", "2x3"))
    daily_puzzle.cache_clear()
    assert seen(daily_puzzle(DAY, "heads-up")) == ((2, 3), (3, 6), ("1x6", "2x6"))


@pytest.mark.parametrize("rules", DAILY_RULES)
def test_its_answers_are_exact_and_few(rules: str) -> None:
    """The values are those of the solved round, and few answers are right."""
    for day in (DAY + timedelta(n) for n in range(3)):
        puzzle = daily_puzzle(day, rules)
        public = puzzle.view.public
        dice = (public.dice_counts[0], public.dice_counts[1])
        solved = shipped_equilibrium(PublicTree(DAILY_RULES[rules].replace(dice=dice)))
        assert solved is not None
        told = explain(solved.tree, solved.pool, public.bid_history, puzzle.view.my_dice)
        worth = {str(choice.action): (1 + choice.value) / 2 for choice in told.choices}
        for choice in puzzle.advice.choices:
            assert choice.win_chance == pytest.approx(min(1, max(0, worth[str(choice.action)])), abs=1e-9)
        right = [choice.action for choice in puzzle.advice.choices if puzzle.is_right(choice.action)]
        assert 1 <= len(right) <= 2
        assert max(worth.values()) - worth[str(right[0])] < 0.01


def test_days_differ() -> None:
    positions = {seen(daily_puzzle(DAY + timedelta(n), "heads-up")) for n in range(4)}
    assert len(positions) == 4


def test_unknown_rules_are_refused() -> None:
    with pytest.raises(BadValueError, match="heads-up, perudo"):
        daily_puzzle(DAY, "duel")


def test_mistakes_of_a_game_come_back_as_puzzles() -> None:
    state = game("heads-up", "maniac", "optimal")
    found = puzzles_from(state, 0, "g")
    assert found
    verdicts = {move.turn: move for move in review_game(state, 0).moves}
    for puzzle in found:
        turn = int(puzzle.id.removeprefix("g/"))
        assert verdicts[turn].kind in ("mistake", "blunder")
        assert puzzle.played is not None
        assert puzzle.view.player_id == 0
        assert puzzle.loss(puzzle.played) == pytest.approx(verdicts[turn].loss)
        assert not puzzle.is_right(puzzle.played)
        assert puzzle.is_right(puzzle.advice.best)
    passed = {int(puzzle.id.removeprefix("g/")) for puzzle in found}
    assert puzzles_from(state, 0, "g", passed_over=passed) == []


def test_a_puzzle_holds_only_what_its_player_saw() -> None:
    state = game("perudo", "optimal", "bluffer", "maniac", seed=3)
    told = puzzle_at(state, 2).to_dict()
    assert told["seat"] == 1
    assert told["hand"] == list(state.public.resolutions[0].dice[1])
    others = [list(hand) for seat, hand in enumerate(state.public.resolutions[0].dice) if seat != 1]
    assert all(str(hand) not in str(told) for hand in others)
    assert told["bids"] == [{"seat": 0, **bid(state)}]


def bid(state: GameState) -> dict[str, int]:
    first = state.public.resolutions[0].bids[0]
    return {"quantity": first.quantity, "face": first.face}


def test_only_turns_of_finished_games() -> None:
    engine = GameEngine(preset("heads-up"), [make_agent("optimal"), make_agent("optimal")], seed=1)
    engine.start_new_round()
    engine.step()
    with pytest.raises(BadValueError, match="finished game"):
        puzzle_at(engine.state, 1)
    over = game("duel", "optimal", "bluffer")
    for turn in (0, 99):
        with pytest.raises(BadValueError, match="a turn from 1 to"):
            puzzle_at(over, turn)


def test_moves_of_a_stand_in_are_not_blamed_on_the_person(tmp_path: Path) -> None:
    """Nor do they become puzzles: they are not the person's decisions."""
    from liars_dice.persistence import InMemoryRecorder, fallback_turns, record_game

    away = make_agent("maniac")
    away.agent_id = "human:Ann"  # type: ignore[attr-defined]
    engine = GameEngine(preset("heads-up"), [away, make_agent("optimal")], seed=1)
    store = InMemoryRecorder()
    name = record_game(engine, store)
    engine.play()
    events = store.events(name)
    review = review_game(events, 0)
    assert {move.turn for move in review.moves} == fallback_turns(events)
    assert {move.kind for move in review.moves} == {"fallback"}
    assert review.accuracy == {0: 100.0}
    assert isinstance(review.moves[0].action, BidAction)
    assert "did not decide this" in review.moves[0].words
