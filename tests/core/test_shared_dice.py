"""Dice on the table that belong to no player: open ones that everyone sees, and covered ones (rules 1.6, 9.1)."""

from __future__ import annotations

import pytest

from liars_dice.core import (
    SPECTATOR,
    Bid,
    DealError,
    DiceRevealed,
    Event,
    GameConfig,
    GameEngine,
    SharedDiceRolled,
    chance_exact,
    chance_true,
    deal,
    format_game,
    narrate,
    new_game,
    parse_game,
    preset,
    view_of,
)
from support import play

RULES = GameConfig(dice=(2, 2), table_dice=1, hidden_dice=1)


def test_they_count_for_every_bid() -> None:
    """Rule 1.6: two fours in the hands, one on the table and one covered make four fours."""
    state = deal(new_game(RULES), ((4, 1), (4, 2)), (4,), (4,))
    assert (state.public.total_dice, state.public.rules.ladder.max_quantity) == (6, 6)
    called = play(state, "4x4 liar").public.resolutions[-1]
    assert (called.match_count, called.winner) == (4, 0)
    assert (called.table_dice, called.hidden_dice, called.dice_counts) == ((4,), (4,), (2, 2))


def test_wild_dice_on_the_table_are_wild() -> None:
    rules = RULES.replace(wild="ones")
    called = play(deal(new_game(rules), ((4, 2), (5, 2)), (1,), (1,)), "3x4 liar").public.resolutions[-1]
    assert called.match_count == 3


def test_what_a_player_sees() -> None:
    """Rule 9.1: the open die, and how many dice are unseen; the covered die only once it is revealed."""
    state = deal(new_game(RULES), ((4, 1), (4, 2)), (4,), (6,))
    view = view_of(state, 0)
    assert (view.my_dice, view.table_dice, view.known_dice) == ((1, 4), (4,), (1, 4, 4))
    assert (view.total_dice, view.other_dice, view.unseen_dice) == (6, 2, 3)
    assert view == view_of(deal(new_game(RULES), ((4, 1), (3, 3)), (4,), (2,)), 0)
    assert "1,4 and 4 on the table" in repr(view)


def test_odds_know_the_open_die() -> None:
    view = view_of(deal(new_game(RULES), ((4, 1), (4, 2)), (4,), (6,)), 0)
    assert chance_true(view, Bid(2, 4)) == 1.0  # one in the hand, one on the table
    assert chance_true(view, Bid(3, 4)) == pytest.approx(1 - (5 / 6) ** 3)  # at least one of three unseen dice
    assert chance_exact(view, Bid(3, 4)) == pytest.approx(3 * (1 / 6) * (5 / 6) ** 2)


def test_they_are_rolled_anew_in_every_round_and_never_lost() -> None:
    rules = preset("heads-up", dice=2, table_dice=2, hidden_dice=1)
    engine = GameEngine(rules, seed=3)
    seen = set()
    while not engine.is_terminal():
        engine.start_new_round()
        state = engine.state
        seen.add((state.public.table_dice, state.hidden_dice))
        assert (len(state.public.table_dice), len(state.hidden_dice)) == (2, 1)
        assert state.public.rules.total_dice == sum(state.public.dice_counts) + 3
        engine.move("1x1")
        engine.move("liar")
    assert len(seen) > 1


def test_who_hears_of_them() -> None:
    """Seats and spectators hear of the open dice at once, and of the covered ones when all dice are revealed."""
    engine = GameEngine(RULES, seed=5)
    heard: dict[int | None, list[Event]] = {who: [] for who in (None, 0, 1, SPECTATOR)}
    for who, events in heard.items():
        engine.subscribe(events.append, who)
    engine.start_new_round()
    table, covered = engine.state.public.table_dice, engine.state.hidden_dice
    assert heard[None][-1] == SharedDiceRolled(table, covered, "5/0/2")
    for who in (0, 1, SPECTATOR):
        assert heard[who][-1] == SharedDiceRolled(table)
    engine.move("1x1")
    engine.move("liar")
    shown = [event for event in heard[SPECTATOR] if isinstance(event, DiceRevealed)]
    assert shown == [DiceRevealed(engine.state.hands, table, covered)]


def test_covered_dice_alone_are_not_announced() -> None:
    engine = GameEngine(RULES.replace(table_dice=0), seed=5)
    heard: list[Event] = []
    engine.subscribe(heard.append, 0)
    engine.start_new_round()
    assert not [event for event in heard if isinstance(event, SharedDiceRolled)]


def test_the_same_hands_as_without_them() -> None:
    """A seat's dice depend on the seed, the round and the seat only (rule 1.4)."""
    engines = [GameEngine(RULES.replace(table_dice=n, hidden_dice=n), seed=8) for n in (0, 3)]
    for engine in engines:
        engine.start_new_round()
    assert engines[0].state.hands == engines[1].state.hands


def test_they_can_be_given() -> None:
    engine = GameEngine(RULES)
    with pytest.raises(DealError, match=r"table_dice = \(\): expected 1 dice with faces 1 to 6"):
        engine.start_new_round([[1, 2], [3, 4]])
    with pytest.raises(DealError, match="give all hands"):
        engine.start_new_round(table_dice=[3])
    with pytest.raises(DealError, match=r"hidden_dice = \(7,\)"):
        engine.start_new_round([[1, 2], [3, 4]], table_dice=[3], hidden_dice=[7])
    engine.start_new_round([[1, 2], [3, 4]], table_dice=[3], hidden_dice=[5])
    assert (engine.state.public.table_dice, engine.state.hidden_dice) == ((3,), (5,))


def test_as_text_and_in_words() -> None:
    state = play(deal(new_game(RULES, ["ann", "bob"]), ((4, 1), (4, 2)), (4,), (6,)), "1x4 2x4 liar")
    text = format_game(state)
    assert "1. 1,4 | 2,4 | table 4 | hidden 6 : 1x4 2x4 liar" in text
    assert parse_game(text) == state
    assert narrate(SharedDiceRolled((4,), (6,)), ["ann", "bob"]).strip() == "On the table 4, covered 6"
    shown = narrate(DiceRevealed(((1, 4), (2, 4)), (4,), (6,)), ["ann", "bob"])
    assert shown.strip() == "Revealed: ann 1 4, bob 2 4, on the table 4, covered 6"
