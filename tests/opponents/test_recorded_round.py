"""Finished rounds as data: complete, as they were played, and without anything of a round that is under way."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liars_dice.agents import make_agent
from liars_dice.core import DiceRolled, GameEngine, preset, view_of
from liars_dice.opponents import KnownBots, RecordedRound, finished_rounds, recorded_rounds
from liars_dice.persistence import InMemoryRecorder, RecordedEvent, record_game, replay

LINEUP = ("bluffer", "sniper", "crawler")


def recorded_game(rules: str = "perudo", seed: int = 1, lineup: tuple[str, ...] = LINEUP) -> list[RecordedEvent]:
    store = InMemoryRecorder()
    engine = GameEngine(preset(rules, players=len(lineup)), [make_agent(name) for name in lineup], seed=seed)
    game_id = record_game(engine, store)
    engine.play()
    store.flush()
    return store.events(game_id)


def test_decisions_are_those_of_the_game() -> None:
    """Each decision of a recorded round has the view that the player had, and the action it took."""
    events = recorded_game()
    before = None
    expected = []
    for event, state in replay(events):
        if event.event_type in ("BidPlaced", "LiarCalled", "ExactCalled"):
            assert before is not None
            expected.append(view_of(before, event.payload.player_id))  # type: ignore[union-attr]
        before = state
    found = [decision for played in recorded_rounds(events) for decision in played.decisions()]
    assert [decision.view for decision in found] == expected
    for view, action in found:
        assert action in view.legal_actions


def test_turns_that_the_referee_played_are_no_decisions() -> None:
    played = recorded_rounds(recorded_game())[0]
    marked = msgspec.structs.replace(played, fallbacks=frozenset({1}))
    assert len(list(marked.decisions())) == len(list(played.decisions())) - 1
    assert len(list(marked.decisions(marked.resolution.bidders[0]))) == len(
        list(played.decisions(played.resolution.bidders[0]))
    )


def altered(events: list[RecordedEvent]) -> list[RecordedEvent]:
    """The same events with other dice in every round that has not been revealed."""
    revealed = {event.round_index for event in events if event.event_type == "DiceRevealed"}
    changed = []
    for event in events:
        payload = event.payload
        if isinstance(payload, DiceRolled) and event.round_index not in revealed:
            payload = msgspec.structs.replace(payload, dice=tuple(7 - die for die in payload.dice))
            event = msgspec.structs.replace(event, payload=payload)
        changed.append(event)
    return changed


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 400), st.integers(0, 20))
def test_hidden_dice_never_enter(length: int, seed: int) -> None:
    """Cut a game anywhere: with other dice in the round that is under way, models learn exactly the same.

    This holds for a record that ends between a call and the reveal, too.
    """
    events = recorded_game(seed=seed, lineup=("maniac", "passive"))
    events = events[: 1 + length % len(events)]
    rounds, others = recorded_rounds(events), recorded_rounds(altered(events))
    assert rounds == others
    assert len(rounds) == sum(event.event_type == "DiceRevealed" for event in events)
    models = [KnownBots(("maniac", "passive", "crawler")) for _ in range(2)]
    for model, learnt in zip(models, (rounds, others), strict=True):
        for played in learnt:
            model.observe(played, 0)
    assert models[0].posterior == models[1].posterior


def test_a_view_of_a_round_under_way_gives_only_finished_rounds() -> None:
    engine = GameEngine("perudo", names=["ann", "bob"], seed=4)
    engine.start_new_round()
    engine.move("2x3")
    view = engine.get_view(1)
    assert finished_rounds(view.config, view.resolutions) == []
    engine.move("liar")
    (played,) = finished_rounds(engine.get_view(1).config, engine.get_view(1).resolutions)
    assert isinstance(played, RecordedRound)
    assert played.config.seed is None
    assert [str(action) for action in played.actions] == ["2x3", "liar"]


@pytest.mark.parametrize("rules", ["perudo", "heads-up", "duel"])
def test_rounds_survive_as_json(rules: str) -> None:
    played = recorded_rounds(recorded_game(rules, lineup=("bluffer", "maniac")))[-1]
    assert msgspec.json.decode(msgspec.json.encode(played), type=RecordedRound) == played
