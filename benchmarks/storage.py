"""How fast events are stored and read back, and how much space a finished match takes.

A million events of heads-up matches between bots (with their reasoning) are written to each store in batches of 10,000,
as a tournament would; then random games are read back one by one. The events are generated beforehand.
"""

from __future__ import annotations

import itertools
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from figures import figure
from liars_dice.agents import make_agent
from liars_dice.core import GameEngine, preset
from liars_dice.persistence import (
    GameRecorder,
    InMemoryRecorder,
    JSONLinesRecorder,
    PostgresRecorder,
    RecordedEvent,
    SQLiteRecorder,
    final_state,
    record_game,
    state_at,
)

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from pg_server import PostgresServer, why_not

MILLION = 1_000_000


def matches(count: int) -> list[list[RecordedEvent]]:
    """Recorded matches between bots of different styles."""
    store = InMemoryRecorder()
    pairs = itertools.cycle(itertools.permutations(("optimal", "maniac", "aggressive", "random"), 2))
    ids = []
    for seed, pair in zip(range(count), pairs, strict=False):
        engine = GameEngine(preset("heads-up"), [make_agent(name) for name in pair], seed=seed)
        ids.append(record_game(engine, store))
        engine.play()
    return [store.events(game_id) for game_id in ids]


def a_million(games: list[list[RecordedEvent]]) -> Iterator[list[RecordedEvent]]:
    """Copies of these matches with ids of their own, until there are a million events."""
    total = 0
    for copy in itertools.count():
        for game in games:
            yield [msgspec.structs.replace(event, game_id=f"{event.game_id}-{copy}") for event in game]
            total += len(game)
            if total >= MILLION:
                return


def append(store: GameRecorder, events: list[RecordedEvent]) -> float:
    """Store these events; the number of events per second."""
    start = time.perf_counter()
    for event in events:
        store.record(event)
    store.flush()
    return len(events) / (time.perf_counter() - start)


def read_back(store: GameRecorder, ids: list[str]) -> float:
    """Read random games; milliseconds per game."""
    chosen = random.Random(1).sample(ids, 1000)
    start = time.perf_counter()
    for game_id in chosen:
        store.events(game_id)
    return (time.perf_counter() - start) / len(chosen) * 1000


def open_long_game(name: str, store: GameRecorder) -> None:
    """Compare opening a very long game near its end from a snapshot and from its beginning."""
    config = preset("heads-up", dice=1, mode="best_of", rounds=4999)
    engine = GameEngine(config, [make_agent("random"), make_agent("random")], seed=1)
    game_id = record_game(engine, store)
    engine.play()
    count = len(store.events(game_id))
    start = time.perf_counter()
    from_snapshot = state_at(store, game_id, count - 10)
    quick = time.perf_counter() - start
    start = time.perf_counter()
    from_beginning = final_state(store.events(game_id)[: count - 10])
    slow = time.perf_counter() - start
    assert from_snapshot == from_beginning
    print(
        f"{name}, opening a game of {count:,} events near its end: {quick * 1000:.0f} ms from a snapshot, "
        f"{slow * 1000:.0f} ms from its beginning; the snapshot is {slow / quick:.1f} times as fast"
    )


def main() -> None:
    """Measure and print."""
    print("generating events ...", flush=True)
    games = list(a_million(matches(2000)))
    events = [event for game in games for event in game]
    ids = [game[0].game_id for game in games]
    print(f"{len(events):,} events in {len(games):,} heads-up matches; Python {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.sqlite"
        with SQLiteRecorder(path) as store:
            figure("SQLite, synchronous=NORMAL, in batches", append(store, events), "events/s", least=300_000)
            figure("SQLite, a game read back from a million events", read_back(store, ids), "ms", most=0.2)
        figure("SQLite, a finished match", path.stat().st_size / len(games), "bytes", most=2000)
        with SQLiteRecorder(Path(folder) / "durable.sqlite", durable=True) as store:
            print(f"SQLite, synchronous=FULL: {append(store, events):,.0f} events/s")
        live = [event for game in games[:20] for event in game]
        for durable in (False, True):
            with SQLiteRecorder(Path(folder) / f"live-{durable}.sqlite", durable=durable) as store:
                store.batch_size = 1
                mode = "FULL" if durable else "NORMAL"
                print(f"SQLite, a flush after every event, {mode}: {append(store, live):,.0f} events/s")
        with SQLiteRecorder(Path(folder) / "long.sqlite") as store:
            open_long_game("SQLite", store)
        with JSONLinesRecorder(Path(folder) / "long.jsonl") as store:
            open_long_game("JSON lines", store)
        with JSONLinesRecorder(Path(folder) / "games.jsonl") as store:
            print(f"JSON lines: {append(store, events):,.0f} events/s")
    if reason := why_not():
        print(f"PostgreSQL: not measured ({reason})")
        return
    server = PostgresServer()
    try:
        with PostgresRecorder(server.url()) as store:
            figure("PostgreSQL by COPY", append(store, events), "events/s", least=100_000)
            print(f"PostgreSQL, a game read back from a million events: {read_back(store, ids):.3f} ms")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
