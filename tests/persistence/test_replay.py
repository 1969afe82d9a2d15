"""Replay never rolls: states, proof, snapshots, branches, and what each seat may see of a record (rule 9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import msgspec
import pytest

from liars_dice.agents import RandomAgent, make_agent
from liars_dice.core import (
    PRESETS,
    SPECTATOR,
    Action,
    Bid,
    BidAction,
    BidPlaced,
    CallLiarAction,
    DiceRevealed,
    DiceRolled,
    Event,
    GameConfig,
    GameCreated,
    GameEnded,
    GameEngine,
    GameState,
    LiarCalled,
    RoundEnded,
    RoundStarted,
    legal_actions,
    preset,
    view_of,
)
from liars_dice.persistence import (
    GameRecorder,
    InMemoryRecorder,
    RecordedEvent,
    Replay,
    ReplayError,
    SQLiteRecorder,
    branch,
    final_state,
    record_game,
    replay,
    rules_name,
    state_at,
    verify_game,
    visible_events,
)
from liars_dice.persistence.conformance import sample_game
from support import SMALL_PRESETS, Chooser


def recorded(
    config: GameConfig, seed: int, recorder: GameRecorder | None = None
) -> tuple[list[RecordedEvent], GameEngine]:
    recorder = recorder or InMemoryRecorder()
    engine = GameEngine(config, [RandomAgent() for _ in config.dice], seed=seed)
    game_id = record_game(engine, recorder)
    engine.play()
    return recorder.events(game_id), engine


def test_every_state_and_view_comes_back() -> None:
    config = preset("perudo", players=4, palifico=True)
    engine = GameEngine(config, [Chooser(seat) for seat in range(4)], seed=4)
    states: list[GameState] = []
    recorder = InMemoryRecorder()
    game_id = record_game(engine, recorder)
    while not engine.is_terminal():
        engine.step()
        states.append(engine.state)
    replayed = [state for _, state in replay(recorder.events(game_id))]
    distinct = [state for before, state in zip([None, *replayed], replayed, strict=False) if state != before][1:]
    assert distinct == states
    for ours, theirs in zip(distinct, states, strict=True):
        assert [view_of(ours, seat) for seat in range(4)] == [view_of(theirs, seat) for seat in range(4)]


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PRESETS)
def test_recorded_games_replay_to_identical_final_states(name: str, count: int, tmp_path: Path) -> None:
    """Ten thousand in all when the slow tests run, through a real store."""
    with SQLiteRecorder(tmp_path / "games.sqlite") as store:
        finals = {}
        for seed in range(count):
            events, engine = recorded(PRESETS[name], seed)
            finals[events[0].game_id] = engine.state
            for event in events:
                store.record(event)
        for game_id, state in finals.items():
            assert verify_game(store.events(game_id)) == state


def test_envelopes() -> None:
    """Versions, rounds, turns, types, times and where dice came from."""
    moments = iter(datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC) for second in range(60))
    engine = GameEngine(GameConfig(seed=9), [make_agent("optimal"), Chooser(1)])
    recorder = InMemoryRecorder()
    record_game(engine, recorder, game_id="g", clock=lambda: next(moments))
    engine.start_new_round()
    engine.apply_action(0, BidAction(Bid(1, 4), "because"))
    engine.apply_action(1, CallLiarAction())
    events = recorder.events("g")
    assert [(e.version, e.event_type, e.round_index, e.turn_index, e.player_type) for e in events] == [
        (0, "GameCreated", -1, 0, None),
        (1, "RoundStarted", 0, 0, None),
        (2, "DiceRolled", 0, 0, "ThresholdAgent"),
        (3, "DiceRolled", 0, 0, "Chooser"),
        (4, "BidPlaced", 0, 0, "ThresholdAgent"),
        (5, "LiarCalled", 0, 1, "Chooser"),
        (6, "DiceRevealed", 0, 2, None),
        (7, "RoundEnded", 0, 2, None),
        (8, "GameEnded", 0, 2, None),
    ]
    assert [event.timestamp_utc.second for event in events] == list(range(9))
    assert [e.payload.seed_info for e in events if isinstance(e.payload, DiceRolled)] == ["9/0/0", "9/0/1"]
    assert {event.game_id for event in events} == {"g"}
    by_hand = GameEngine(GameConfig())
    record_game(by_hand, recorder, game_id="people")
    by_hand.start_new_round()
    assert recorder.events("people")[2].player_type == "Human"


def tampered(events: Sequence[RecordedEvent], version: int, payload: Event) -> list[RecordedEvent]:
    changed = msgspec.structs.replace(events[version], payload=payload, event_type=type(payload).__name__)
    return [*events[:version], changed, *events[version + 1 :]]


def test_verify_finds_what_does_not_follow() -> None:
    events = sample_game("g", "heads-up", 1)
    verify_game(events)
    kinds = [event.event_type for event in events]
    start, roll, reveal, ended = (kinds.index(k) for k in ("RoundStarted", "DiceRolled", "DiceRevealed", "RoundEnded"))
    bid = kinds.index("BidPlaced")
    end = events[ended].payload
    last = events[-1].payload
    assert isinstance(end, RoundEnded)
    assert isinstance(last, GameEnded)
    swap = msgspec.structs.replace
    cases: list[tuple[list[RecordedEvent], str]] = [
        (tampered(events, ended, swap(end, winner=end.loser, loser=end.winner)), "was recorded where"),
        (tampered(events, ended, swap(end, match_count=9)), "was recorded where"),
        (tampered(events, ended, swap(end, dice_counts=(5, 5))), "was recorded where"),
        (tampered(events, reveal, DiceRevealed(((1,) * 5, (1,) * 5))), "was recorded where"),
        (tampered(events, len(events) - 1, GameEnded(1 - last.winner)), "was recorded where"),
        (tampered(events, start, RoundStarted(0, 1, (5, 5), False)), "was recorded where"),
        (tampered(events, roll, DiceRolled(0, (1, 2))), "expected"),
        (tampered(events, bid, BidPlaced(1, Bid(1, 1))), "player 1 moved; it was player 0's turn"),
        (tampered(events, bid, BidPlaced(0, Bid(11, 1))), "is not a bid of this round"),
        (tampered(events, bid, LiarCalled(0)), "there is no bid to call yet"),
        (tampered(events, roll, DiceRolled(1, (1,) * 5)), "rolls none now"),
        ([*events[:reveal], *events[reveal + 1 :]], "RoundEnded stands where DiceRevealed must"),
        ([*events, events[-1]], "though nothing has ended"),
        ([*events, events[start]][:-1] + [events[roll]], "rolls none now"),
        (events[1:], "the first event must be GameCreated"),
        ([events[0], *events], "a second GameCreated"),
        ([*events[:4], swap(events[4], turn_index=7), *events[5:]], "counted as"),
        ([*events[:4], swap(events[4], version=9), *events[5:]], "counted as"),
    ]
    for broken, message in cases:
        with pytest.raises(ReplayError, match=message) as caught:
            verify_game(broken)
        assert "\n" not in str(caught.value)
    with pytest.raises(ReplayError, match="no events"):
        verify_game([])


def test_snapshots_open_long_games_quickly(tmp_path: Path) -> None:
    config = preset("heads-up", dice=1, mode="best_of", rounds=801)
    with SQLiteRecorder(tmp_path / "games.sqlite") as store:
        events, _ = recorded(config, 3, store)
        game_id = events[0].game_id
        assert len(events) > 3000
        found = store.load_snapshot(game_id, len(events))
        assert found is not None
        assert len(events) - found[0] < 1100
        for version in (1, 500, 1500, len(events)):
            assert state_at(store, game_id, version) == final_state(events[:version])
        for version in (0, len(events) + 1, -1):
            with pytest.raises(ReplayError, match=f"version = {version}: expected 1 to {len(events)}"):
                state_at(store, game_id, version)


def test_branching() -> None:
    """What if I had called here? The dice stay, the past is copied, and the new game says where it came from."""
    store = InMemoryRecorder()
    events, _ = recorded(preset("heads-up"), 5, store)
    bids = [event.version for event in events if isinstance(event.payload, BidPlaced)]
    at = bids[3] + 1
    engine, past = branch(events, at, [Chooser(1), Chooser(2)], names=["You", "bot"], seed=1)
    before = final_state(events[:at])
    assert engine.state.hands == before.hands
    assert engine.state.public.bid_history == before.public.bid_history
    game_id = record_game(engine, store, history=past)
    engine.apply_action(engine.state.public.current_player, CallLiarAction())
    engine.play()
    again = store.events(game_id)
    assert verify_game(again) == engine.state
    assert [e.payload for e in again[1:at]] == [e.payload for e in events[1:at]]
    assert [e.timestamp_utc for e in again[:at]] == [e.timestamp_utc for e in events[:at]]
    created = again[0].payload
    assert isinstance(created, GameCreated)
    assert created.branched_from == f"{events[0].game_id}@{at}"
    assert created.names == ("You", "bot")
    verify_game(store.events(events[0].game_id))
    rolls = [event.version for event in events if isinstance(event.payload, DiceRolled)]
    with pytest.raises(ReplayError, match="expected a place where the dice lie"):
        branch(events, rolls[0] + 1)
    fresh, past = branch(events, 1)
    record_game(fresh, store, game_id="from the start", history=past)
    fresh.start_new_round()
    assert [e.event_type for e in store.events("from the start")][:3] == ["GameCreated", "RoundStarted", "DiceRolled"]


@pytest.mark.parametrize("name", SMALL_PRESETS)
def test_streams_hide_dice_exhaustively(name: str) -> None:
    """Rule 9.2: for every roll and history of a small game, at every moment, whatever others hold."""
    config = SMALL_PRESETS[name].replace(faces=2)
    seats = [*range(config.num_players), SPECTATOR]
    seen: dict[object, list[bytes]] = {}
    compared = 0
    for hands in product(*(product((1, 2), repeat=n) for n in config.dice)):
        for path in paths(config, hands):
            engine = GameEngine(config, seed=1)
            store = InMemoryRecorder()
            record_game(engine, store, game_id="g", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
            engine.start_new_round(hands)
            for action in path:
                engine.apply_action(engine.state.public.current_player, action)
            for seat in seats:
                stream = [msgspec.json.encode(event) for event in visible_events(store.events("g"), seat)]
                own = engine.state.hands[seat] if seat != SPECTATOR else ()
                revealed = engine.state.hands if engine.state.public.status != "BIDDING" else None
                assert seen.setdefault((seat, own, tuple(path), revealed), stream) == stream
                compared += 1
                rolls = [
                    e.payload for e in visible_events(store.events("g"), seat) if isinstance(e.payload, DiceRolled)
                ]
                assert len(rolls) == (len(config.dice) if revealed else seat != SPECTATOR)
                assert all(roll.seed_info is None for roll in rolls)
    assert compared > len(seen)


def paths(config: GameConfig, hands: tuple[tuple[int, ...], ...]) -> list[list[Action]]:
    """Every sequence of moves of a first round."""
    found: list[list[Action]] = []

    def visit(engine_path: list[Action]) -> None:
        engine = GameEngine(config)
        engine.start_new_round(hands)
        for action in engine_path:
            engine.apply_action(engine.state.public.current_player, action)
        found.append(engine_path)
        for action in legal_actions(engine.state.public):
            visit([*engine_path, action])

    visit([])
    return found


def test_the_seed_is_in_no_stream() -> None:
    events, _ = recorded(preset("heads-up"), 123456789)
    for seat in (0, 1, SPECTATOR):
        assert "123456789" not in str(list(visible_events(events, seat)))
    assert "123456789" in str(events)


def test_rules_names() -> None:
    for name, config in PRESETS.items():
        assert rules_name(config) == name
    assert rules_name(preset("perudo", players=3, seed=4)) == "perudo"
    assert rules_name(preset("classic", dice=2)) == "classic"
    assert rules_name(preset("perudo", palifico=True)) == "custom"


def test_a_replay_needs_a_beginning() -> None:
    with pytest.raises(ReplayError, match="the first event must be GameCreated"):
        Replay().state  # noqa: B018
