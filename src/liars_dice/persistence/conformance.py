"""A test suite that every store must pass: ours, and yours.

Write a subclass whose name begins with `Test`, with an `open` that opens the same store every time it is called within
one test, empty at first, and let pytest run it:

    class TestMine(RecorderSuite):
        @pytest.fixture(autouse=True)
        def place(self, tmp_path):
            self.path = tmp_path / "games"

        def open(self):
            return MyRecorder(self.path)
"""

from __future__ import annotations

import contextlib
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import msgspec

from ..core import MOVES, PRESETS, Action, GameEngine, GameView, preset
from .envelope import RecordedEvent
from .errors import StoreError, VersionConflictError
from .memory import InMemoryRecorder
from .recorder import GameRecorder
from .recording import record_game
from .replay import final_state, state_at, verify_game

START = datetime(2026, 1, 1, tzinfo=UTC)


class Dealer:
    """A player that picks random legal actions and gives a reasoning with letters beyond ASCII."""

    name = "dealer"

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def choose_action(self, view: GameView) -> Action:
        """A random legal action."""
        return msgspec.structs.replace(self._rng.choice(view.legal_actions), reasoning="why ñot: ⚂?")


def sample_game(game_id: str, rules: str = "heads-up", seed: int = 0) -> list[RecordedEvent]:
    """A recorded random game, the same every time."""
    ticks = iter(range(10**9))

    def clock() -> datetime:
        return START + timedelta(days=seed, microseconds=next(ticks))

    config = preset(rules)
    engine = GameEngine(config, [Dealer(seed + seat) for seat in range(config.num_players)], seed=seed)
    recorder = InMemoryRecorder()
    record_game(engine, recorder, game_id=game_id, clock=clock)
    engine.play()
    return recorder.events(game_id)


@contextlib.contextmanager
def raises(kind: type[Exception]) -> Iterator[None]:
    """Fail unless the block raises `kind`."""
    try:
        yield
    except kind:
        return
    raise AssertionError(f"expected {kind.__name__}, but nothing was raised")


class RecorderSuite(ABC):
    """The promises of a store, one test each."""

    remembers = True
    """Whether the store keeps its games after the object that opened it is gone."""

    keeps_snapshots = False
    """Whether the store must find the snapshots it was given. It may keep none: they only save time."""

    @abstractmethod
    def open(self) -> GameRecorder:
        """The store of this test: empty at first, and the same at every call."""

    def test_what_is_recorded_comes_back(self) -> None:
        """Every preset's game, event by event."""
        games = {rules: sample_game(f"game-{rules}", rules, seed) for seed, rules in enumerate(PRESETS)}
        with self.open() as store:
            for events in games.values():
                for event in events:
                    store.record(event)
            store.flush()
            for rules, events in games.items():
                assert store.events(f"game-{rules}") == events
                assert verify_game(store.events(f"game-{rules}")) == final_state(events)
            assert sorted(store.events(), key=_place) == sorted((e for g in games.values() for e in g), key=_place)

    def test_a_part_of_a_game(self) -> None:
        """Any range of its events, during the game and after it."""
        events = sample_game("one", "perudo")
        with self.open() as store:
            for position in (20, len(events)):
                for event in events[len(store.events("one")) : position]:
                    store.record(event)
                    if event.version % 9 == 0:
                        store.flush()
                for start, stop in (
                    (0, 5),
                    (5, 19),
                    (12, 13),
                    (0, 0),
                    (17, 10_000),
                    (position - 1, position),
                    (999, 1000),
                ):
                    assert store.events("one", start, stop) == events[:position][start:stop]

    def test_events_before_a_flush_are_there_for_their_writer(self) -> None:
        """Reading flushes."""
        events = sample_game("one")
        with self.open() as store:
            for event in events[:5]:
                store.record(event)
            assert store.events("one") == events[:5]

    def test_a_store_outlives_its_writer(self) -> None:
        """A game can continue in another process, on another day."""
        if not self.remembers:
            return
        events = sample_game("one")
        for start in range(0, len(events), 7):
            with self.open() as store:
                for event in events[start : start + 7]:
                    store.record(event)
            with self.open() as store:
                assert store.events("one") == events[: start + 7]
                assert [game.events for game in store.games()] == [min(start + 7, len(events))]

    def test_games_event_by_event_and_at_once_are_the_same(self) -> None:
        """Flushing after every event stores the same as flushing once."""
        slow, quick = sample_game("slow", seed=3), sample_game("quick", seed=3)
        with self.open() as store:
            for event in slow:
                store.record(event)
                store.flush()
            for event in quick:
                store.record(event)
            store.flush()
            assert store.events("slow") == slow
            assert store.events("quick") == quick
            one, other = store.games()
            assert (one.names, one.rounds, one.winner) == (other.names, other.rounds, other.winner)
            assert one.player_types == other.player_types == ("Dealer", "Dealer")

    def test_a_doubled_event_is_an_error(self) -> None:
        """It is refused, and the store does not change."""
        events = sample_game("one")
        with self.open() as store:
            store.record(events[0])
            store.record(events[1])
            with raises(VersionConflictError):
                store.record(events[1])
            store.flush()
            with raises(VersionConflictError):
                store.record(events[1])
            store.record(events[2])
            assert store.events("one") == events[:3]

    def test_a_lost_event_is_an_error(self) -> None:
        """It is refused, and the store does not change."""
        events = sample_game("one")
        with self.open() as store:
            store.record(events[0])
            with raises(VersionConflictError):
                store.record(events[2])
            with raises(VersionConflictError):
                store.record(sample_game("two")[4])
            assert store.events("one") == events[:1]
            assert store.events("two") == []

    def test_a_game_begins_with_its_creation(self) -> None:
        """Anything else is refused."""
        second = sample_game("one")[1]
        with self.open() as store:
            with raises(StoreError):
                store.record(msgspec.structs.replace(second, version=0))
            assert store.games() == []

    def test_two_writers_of_one_game(self) -> None:
        """The second writer gets an error, and nothing of its batch is stored, not even of other games."""
        if not self.remembers:
            return
        mine, other = sample_game("shared", seed=1), sample_game("other", seed=2)
        with self.open() as one, self.open() as two:
            for event in mine[:4]:
                one.record(event)
            for event in (*other, *mine[:3]):
                two.record(event)
            one.flush()
            with raises(VersionConflictError):
                two.flush()
            two.discard()
            assert two.events("shared") == one.events("shared") == mine[:4]
            assert one.events("other") == []
            two.record(mine[4])
            two.flush()
            with raises(VersionConflictError):
                one.record(mine[4])
                one.flush()
            one.discard()
            assert one.events("shared") == mine[:5]

    def test_nothing_there(self) -> None:
        """An empty store has no games, and an unknown game no events."""
        with self.open() as store:
            assert store.events() == []
            assert store.events("none") == []
            assert store.games() == []
            assert store.load_snapshot("none", 10) is None

    def test_the_list_of_games(self) -> None:
        """Newest first, and every filter."""
        with self.open() as store:
            for seed, rules in enumerate(("heads-up", "perudo", "heads-up")):
                for event in sample_game(f"g{seed}", rules, seed):
                    store.record(event)
            for event in sample_game("g3", "duel", 3)[:6]:
                store.record(event)
            assert [game.game_id for game in store.games()] == ["g3", "g2", "g1", "g0"]
            assert [game.game_id for game in store.games(limit=2)] == ["g3", "g2"]
            assert [game.game_id for game in store.games(rules="heads-up")] == ["g2", "g0"]
            assert [game.game_id for game in store.games(rules=preset("heads-up", dice=3))] == ["g2", "g0"]
            assert store.games(rules="heads-up,faces=4") == store.games(rules="custom") == []
            assert [game.game_id for game in store.games(since=START + timedelta(days=2))] == ["g3", "g2"]
            assert [game.game_id for game in store.games(until=START + timedelta(days=1))] == ["g0"]
            assert len(store.games(agent="Dealer")) == len(store.games(agent="dealer#2")) == 4
            assert len(store.games(agent="dealer#6")) == 1
            assert store.games(agent="none") == []
            assert [game.game_id for game in store.games(winner="Dealer")] == ["g2", "g1", "g0"]
            assert [game.game_id for game in store.games(loser="Dealer")] == ["g2", "g1", "g0"]
            for one in store.games(loser="dealer#2"):
                assert one.winner_name != "dealer#2"
                assert one.seats_lost_by("dealer#2") == one.seats_of("dealer#2") == (1,)
            live, newest = store.games()[:2]
            assert live.seats_lost_by("Dealer") == ()
            assert (live.winner, live.events, live.rules) == (None, 6, "duel")
            assert newest.created_utc == START + timedelta(days=2)
            assert newest.winner_name in newest.names
            assert newest.rounds == len(final_state(store.events("g2")).public.resolutions)
            assert store.find("last") == "g3"
            assert store.find("g1") == "g1"
            for name in ("g", "none"):
                with raises(ValueError):
                    store.find(name)

    def test_turns_are_counted(self) -> None:
        """In finished games and in unfinished ones."""
        with self.open() as store:
            for game in (sample_game("over"), sample_game("begun")[:-4]):
                for event in game:
                    store.record(event)
                    store.flush()
                moves = sum(isinstance(event.payload, MOVES) for event in game)
                assert store.turns(game[0].game_id) == moves > 0
            assert store.turns("none") == 0

    def test_documents(self) -> None:
        """Texts by kind and name; a later text replaces an earlier one, and texts last as long as the store."""
        with self.open() as store:
            try:
                assert store.documents("result") == {}
            except StoreError:
                return
            store.save_documents("result", {"b/1": "ñ\n{}", "a": "old", "b/2": "two"})
            store.save_documents("result", {"a": "new"})
            store.save_documents("other", {"a": "else"})
            store.save_documents("other", {})
            assert store.documents("result") == {"a": "new", "b/1": "ñ\n{}", "b/2": "two"}
            assert list(store.documents("result")) == ["a", "b/1", "b/2"]
            assert store.documents("result", "b/") == {"b/1": "ñ\n{}", "b/2": "two"}
            assert store.documents("nothing") == {}
            assert store.games() == []
        if self.remembers:
            with self.open() as store:
                assert store.documents("other") == {"a": "else"}

    def test_snapshots(self) -> None:
        """If the store keeps snapshots, it finds the latest one at or before a version, today and on another day."""
        events = sample_game("one")
        with self.open() as store:
            for event in events:
                store.record(event)
            store.flush()
            for version in (10, 20):
                store.save_snapshot("one", version, final_state(events[:version]))
            self._check_snapshots(store, events)
        if self.remembers:
            with self.open() as store:
                self._check_snapshots(store, events)

    def _check_snapshots(self, store: GameRecorder, events: list[RecordedEvent]) -> None:
        for version in (1, 9, 10, 15, 20, len(events)):
            assert state_at(store, "one", version) == final_state(events[:version])
        if store.load_snapshot("one", 15) is None:
            assert not self.keeps_snapshots
            return
        assert store.load_snapshot("one", 15) == (10, final_state(events[:10]))
        assert store.load_snapshot("one", 20) == (20, final_state(events[:20]))
        assert store.load_snapshot("one", 9) is None
        assert store.load_snapshot("two", 20) is None


def _place(event: RecordedEvent) -> tuple[str, int]:
    return event.game_id, event.version
