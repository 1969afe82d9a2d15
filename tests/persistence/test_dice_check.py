"""Are the dice of a recorded game those that its seed gives?"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liars_dice.core import DiceRolled, Event, Fairness, GameCreated, GameEngine, RoundStarted, new_commitment, preset
from liars_dice.persistence import InMemoryRecorder, ReplayError, branch, check_dice, record_game, verify_game

TABLE = preset("perudo", dice=(2, 2, 2), table_dice=2, hidden_dice=2)


def played(seed: int | None = None, fairness: Fairness | None = None, rounds: int = 3) -> list[Event]:
    """The events of a game's first rounds, with dice on the table."""
    events: list[Event] = []
    engine = GameEngine(TABLE, names="abc", seed=seed, fairness=fairness)
    engine.subscribe(events.append)
    for _ in range(rounds):
        engine.start_new_round()
        engine.move("1x2")
        engine.move("liar")
    return events


@given(seed=st.integers(0, 2**63 - 1))
def test_every_roll_is_made_again_from_the_recorded_seed(seed: int) -> None:
    checked = check_dice(played(seed))
    assert (checked.without_seed, checked.seeds) == (0, 1)
    assert checked.rolled_again >= 3 * 3, "two hands or more and the dice on the table, in each round"


def test_one_die_changed_is_found_even_if_the_rest_follows_from_the_rules() -> None:
    events = played(7)
    place = next(n for n, event in enumerate(events) if isinstance(event, DiceRolled))
    rolled = events[place]
    assert isinstance(rolled, DiceRolled)
    events[place] = msgspec.structs.replace(rolled, dice=tuple(sorted(die % 6 + 1 for die in rolled.dice)))
    with pytest.raises(ReplayError, match=r"expected the dice .*, which the seed gives"):
        check_dice(events)


def test_a_roll_that_names_another_seed_is_found() -> None:
    events, others = played(7), played(8)
    place = next(n for n, event in enumerate(events) if isinstance(event, DiceRolled))
    events[place] = others[place]
    with pytest.raises(ReplayError, match="another seed than the game's"):
        check_dice(events)


@pytest.mark.parametrize("info", ["7/1/0", "7/0/1", f"{2**63}/0/0"])
def test_a_seed_noted_for_another_place_is_found(info: str) -> None:
    events = played(7)
    place = next(n for n, event in enumerate(events) if isinstance(event, DiceRolled))
    events[place] = msgspec.structs.replace(events[place], seed_info=info)
    with pytest.raises(ReplayError, match="for another round or seat"):
        check_dice(events)


def test_dice_that_were_given_are_taken_as_recorded() -> None:
    events: list[Event] = []
    engine = GameEngine("duel", names="ab")
    engine.subscribe(events.append)
    engine.start_new_round([(1, 2), (3, 4, 5)])
    checked = check_dice(events)
    assert (checked.rolled_again, checked.without_seed, checked.seeds) == (0, 2, 0)


@pytest.mark.parametrize("fair", [False, True])
def test_a_branch_goes_on_with_fresh_dice_and_its_record_still_proves_all_of_them(fair: bool) -> None:
    store = InMemoryRecorder()
    engine = GameEngine("heads-up", names=["ann", "bob"], seed=7)
    record_game(engine, store, game_id="first", live=True)
    engine.start_new_round()
    engine.move("1x2")
    events = store.events("first")
    hands = engine.state.hands
    fairness = new_commitment() if fair else None
    again, past = branch(events, len(events), fairness=fairness)
    record_game(again, store, game_id="second", live=True, history=past)
    assert again.state.hands == hands, "the round that was dealt stays as it is"
    for other in (engine, again):
        other.move("liar")
        other.start_new_round()
    assert again.seed != engine.seed
    record = store.events("second")
    verify_game(record)
    checked = check_dice([event.payload for event in record])
    assert (checked.rolled_again, checked.without_seed, checked.seeds) == (4, 0, 2)
    created = record[0].payload
    assert isinstance(created, GameCreated)
    assert (created.fairness is None) == (not fair)
    if created.fairness is not None:
        assert created.fairness.first_round == 1


def test_a_branch_does_not_inherit_a_commitment_to_another_seed() -> None:
    store = InMemoryRecorder()
    engine = GameEngine("heads-up", names=["ann", "bob"], fairness=new_commitment())
    record_game(engine, store, game_id="first", live=True)
    engine.start_new_round()
    _, past = branch(store.events("first"), 4)
    created = past[0].payload
    assert isinstance(created, GameCreated)
    assert created.fairness is None


def test_a_secret_proves_the_dice_of_a_record_without_seeds() -> None:
    """What the studio's API shows of a finished game: no seed, but the secret."""
    shown: list[Event] = []
    for event in played(fairness=new_commitment(("salt", "", ""))):
        if isinstance(event, GameCreated):
            event = msgspec.structs.replace(event, config=event.config.without_seed)
        elif not isinstance(event, RoundStarted) and hasattr(event, "seed_info"):
            event = msgspec.structs.replace(event, seed_info=None)
        shown.append(event)
    assert check_dice(shown).without_seed == 0
    created = shown[0]
    assert isinstance(created, GameCreated)
    shown[0] = msgspec.structs.replace(created, fairness=new_commitment(("salt", "", "")))
    with pytest.raises(ReplayError, match="which the seed gives"):
        check_dice(shown)
