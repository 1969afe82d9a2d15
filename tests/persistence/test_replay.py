"""Replay never rolls: states, proof, snapshots, branches, and what each seat may see of a record (rule 9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from itertools import product
from pathlib import Path

import msgspec
import pytest

from liars_dice.agents import RandomAgent, make_agent
from liars_dice.core import (
    PRESETS,
    SPECTATOR,
    Action,
    AgentFaulted,
    BadValueError,
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
    JSONLinesRecorder,
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
        (2, "DiceRolled", 0, 0, "optimal"),
        (3, "DiceRolled", 0, 0, "Chooser"),
        (4, "BidPlaced", 0, 0, "optimal"),
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
        (tampered(events, ended, swap(end, winner=end.loser, loser=end.winner)), "expected .*, found "),
        (tampered(events, ended, swap(end, match_count=9)), "expected .*, found "),
        (tampered(events, ended, swap(end, dice_counts=(5, 5))), "expected .*, found "),
        (tampered(events, reveal, DiceRevealed(((1,) * 5, (1,) * 5))), "expected .*, found "),
        (tampered(events, len(events) - 1, GameEnded(1 - last.winner)), "expected .*, found "),
        (tampered(events, start, RoundStarted(0, 1, (5, 5), False)), "expected .*, found "),
        (tampered(events, roll, DiceRolled(0, (1, 2))), "expected"),
        (tampered(events, bid, BidPlaced(1, Bid(1, 1))), "player 1 moved; it was player 0's turn"),
        (tampered(events, bid, BidPlaced(0, Bid(11, 1))), "is not a bid of this round"),
        (tampered(events, bid, LiarCalled(0)), "there is no bid to call yet"),
        (tampered(events, roll, DiceRolled(1, (1,) * 5)), "cannot roll now"),
        ([*events[:reveal], *events[reveal + 1 :]], "expected DiceRevealed, found RoundEnded"),
        ([*events, events[-1]], "but nothing has ended"),
        ([*events, events[roll]], "cannot roll now"),
        (events[1:], "the first event must be GameCreated"),
        ([events[0], *events], "a second GameCreated"),
        ([*events[:2], events[1], *events[2:]], "a round cannot start now"),
        ([*events[:5], swap(events[1], version=5), *events[5:]], "a round cannot start now"),
        ([*events, swap(events[1], version=len(events))], "a round cannot start now"),
        (tampered(events, start, RoundStarted(7, 0, (5, 5), False)), "expected round 0 with dice"),
        (tampered(events, bid, AgentFaulted(99, "illegal", "", "liar")), "there is no such player"),
        ([*events[:4], swap(events[4], game_id="other"), *events[5:]], "among the events of game g"),
        ([*events[:4], swap(events[4], event_type="Nonsense"), *events[5:]], "the payload is a BidPlaced"),
        ([*events[:4], swap(events[4], player_type=None), *events[5:]], "player_type = None"),
        ([*events[:1], swap(events[1], player_type="Bot"), *events[2:]], "player_type = 'Bot'"),
        ([*events[:4], swap(events[4], turn_index=7), *events[5:]], "expected .version, round, turn. ="),
        ([*events[:4], swap(events[4], version=9), *events[5:]], "expected .version, round, turn. ="),
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
        (blocks,) = store._db.execute("SELECT count(*) FROM blocks").fetchone()
        (snapshots,) = store._db.execute("SELECT count(*) FROM snapshots").fetchone()
        assert blocks == -(-len(events) // 1000)
        assert snapshots == len(events) // 1000
        reads: list[int] = []
        real = store.events
        with pytest.MonkeyPatch.context() as patch:

            def noting(game: str, start: int, stop: int) -> list[RecordedEvent]:
                reads.append(start)
                return real(game, start, stop)

            patch.setattr(store, "events", noting)
            state_at(store, game_id, len(events))
        assert reads[0] > 2000
        for version in (1, 500, 1500, len(events)):
            assert state_at(store, game_id, version) == final_state(events[:version])
        for version in (0, len(events) + 1, -1):
            with pytest.raises(ReplayError, match=f"version = {version}: expected 1 to {len(events)}"):
                state_at(store, game_id, version)


def test_snapshots_open_long_games_quickly_in_json_lines(tmp_path: Path) -> None:
    config = preset("heads-up", dice=1, mode="best_of", rounds=801)
    path = tmp_path / "games.jsonl"
    with JSONLinesRecorder(path) as store:
        events, _ = recorded(config, 3, store)
    with JSONLinesRecorder(path) as store:
        found = store.load_snapshot(events[0].game_id, len(events))
        assert found is not None
        assert len(events) - found[0] < 1100
        for version in (1, 500, 1500, len(events)):
            assert state_at(store, events[0].game_id, version) == final_state(events[:version])


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
    assert [e.timestamp_utc for e in again[1:at]] == [e.timestamp_utc for e in events[1:at]]
    assert again[0].timestamp_utc > events[0].timestamp_utc, "the new game was created later"
    created = again[0].payload
    assert isinstance(created, GameCreated)
    assert created.branched_from == f"{events[0].game_id}@{at}"
    assert created.names == ("You", "bot")
    assert created.agent_ids == ("chooser", "chooser")
    assert created.config.seed == 1
    assert {e.player_type for e in again[1:at]} == {None, "RandomAgent"}
    (summary,) = [game for game in store.games() if game.game_id == game_id]
    assert summary.player_types == ("Chooser", "Chooser")
    assert engine.seed == 1
    verify_game(store.events(events[0].game_id))
    rolls = [event.version for event in events if isinstance(event.payload, DiceRolled)]
    calls = [event.version for event in events if isinstance(event.payload, LiarCalled)]
    for place in (rolls[0], rolls[0] + 1, calls[0] + 1, calls[0] + 2):
        with pytest.raises(ReplayError, match="expected a point after a move and all events that follow"):
            branch(events, place)
    after_a_round, past = branch(events, calls[0] + 3, [Chooser(1), Chooser(2)], seed=9)
    record_game(after_a_round, store, game_id="next round", history=past)
    after_a_round.play()
    verify_game(store.events("next round"))
    for place in (0, -1, len(events) + 1):
        with pytest.raises(ReplayError, match=f"version = {place}: expected 1 to {len(events)}"):
            branch(events, place)
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


def test_live_games_are_stored_event_by_event(tmp_path: Path) -> None:
    """Another process sees every event at once; a game that is not live is stored when it ends."""
    with SQLiteRecorder(tmp_path / "games.sqlite") as store, SQLiteRecorder(tmp_path / "games.sqlite") as other:
        for live in (True, False):
            engine = GameEngine(preset("heads-up", dice=1), [Chooser(1), Chooser(2)], seed=1)
            game_id = record_game(engine, store, live=live)
            engine.step()
            engine.step()
            assert len(other.events(game_id)) == (5 if live else 0)
            engine.play()
            assert len(other.events(game_id)) == len(store.events(game_id)) > 5


def test_a_full_batch_is_stored_without_being_asked(tmp_path: Path) -> None:
    events = sample_game("g")
    with SQLiteRecorder(tmp_path / "games.sqlite") as store, SQLiteRecorder(tmp_path / "games.sqlite") as other:
        store.batch_size = 10
        for event in events[:25]:
            store.record(event)
        assert len(other.events("g")) == 20


def test_leaving_a_with_block_in_trouble_stores_what_was_recorded(tmp_path: Path) -> None:
    with pytest.raises(KeyError), SQLiteRecorder(tmp_path / "games.sqlite") as store:  # noqa: PT012
        store.record(sample_game("g")[0])
        raise KeyError
    with SQLiteRecorder(tmp_path / "games.sqlite") as store:
        assert len(store.events("g")) == 1


def test_games_with_faults_replay(tmp_path: Path) -> None:
    """Faults may be told anywhere, also between a call and its reveal, and after the end."""
    events = sample_game("g")
    call = next(event.version for event in events if isinstance(event.payload, LiarCalled))
    for place in (2, call + 1, call + 2, len(events)):
        fault = msgspec.structs.replace(
            events[min(place, len(events) - 1)],
            payload=AgentFaulted(0, "too_slow", "", "liar"),
            event_type="AgentFaulted",
            player_type="Dealer",
        )
        mixed = [*events[:place], fault, *events[place:]]
        mixed = [msgspec.structs.replace(event, version=version) for version, event in enumerate(mixed)]
        assert verify_game(mixed) == final_state(events)
        with SQLiteRecorder(tmp_path / f"{place}.sqlite") as store:
            for event in mixed:
                store.record(event)
            (summary,) = store.games()
            assert summary.winner == final_state(events).public.winner


def test_recording_must_begin_with_the_game() -> None:
    engine = GameEngine(GameConfig(), [Chooser(1), Chooser(2)])
    engine.step()
    with pytest.raises(BadValueError, match="a game that has not begun"):
        record_game(engine, InMemoryRecorder())


def test_clocks() -> None:
    """Any time zone will do, and none will not."""
    engine = GameEngine(GameConfig(), [Chooser(1), Chooser(2)])
    store = InMemoryRecorder()
    abroad = timezone(timedelta(hours=5, minutes=30))
    record_game(engine, store, game_id="g", clock=lambda: datetime(2026, 1, 1, 3, tzinfo=abroad))
    engine.play()
    assert {str(event.timestamp_utc) for event in store.events("g")} == {"2025-12-31 21:30:00+00:00"}
    other = GameEngine(GameConfig(), [Chooser(1), Chooser(2)])
    with pytest.raises(BadValueError, match="a time with a time zone"):
        record_game(other, store, clock=lambda: datetime(2026, 1, 1))


def test_reasons_that_are_no_text_are_stored_all_the_same(tmp_path: Path) -> None:
    with SQLiteRecorder(tmp_path / "games.sqlite") as store:
        engine = GameEngine(GameConfig())
        game_id = record_game(engine, store)
        engine.start_new_round()
        engine.apply_action(0, BidAction(Bid(1, 1), "half \ud800 a character"))
        bid = store.events(game_id)[-1].payload
        assert isinstance(bid, BidPlaced)
        assert bid.reasoning == "half ? a character"
