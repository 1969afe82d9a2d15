"""Files of every version stay readable, and what is written for others is right."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liars_dice.core import PRESETS, CallLiarAction, GameCreated, GameEnded, GameEngine, MissingExtraError
from liars_dice.persistence import (
    GameSummary,
    InMemoryRecorder,
    JSONLinesRecorder,
    ReplayError,
    SQLiteRecorder,
    StoreError,
    by_opener,
    by_rules,
    final_state,
    import_games,
    open_store,
    read_lines,
    record_game,
    verify_game,
    win_rates,
    write_csv,
    write_jsonl,
    write_parquet,
)
from liars_dice.persistence.codec import LineReader, decode_block, encode_block, encode_line
from liars_dice.persistence.conformance import sample_game
from liars_dice.persistence.envelope import SCHEMA

STORES = Path(__file__).parent.parent / "data" / "stores"
RECORDED = ("duel", "classic", "heads-up", "perudo", "openspiel")
"""The presets of the first version, of each of which the golden stores hold a game."""


def test_every_schema_has_its_golden_file() -> None:
    assert {path.name for path in STORES.iterdir()} == {
        "schema-0.jsonl",
        "schema-0-match.jsonl",
        *(f"schema-{schema}.{kind}" for schema in range(1, SCHEMA + 1) for kind in ("jsonl", "sqlite")),
    }


@pytest.mark.parametrize("name", ["schema-1.jsonl", "schema-1.sqlite"])
def test_golden_stores(name: str, tmp_path: Path) -> None:
    """A game of every preset, written by the first version; read, verified, listed and written on."""
    path = tmp_path / name
    shutil.copy(STORES / name, path)
    with open_store(path) as store:
        games = {game.game_id: game for game in store.games()}
        assert set(games) == {f"golden-{rules}" for rules in RECORDED}
        for rules in RECORDED:
            events = store.events(f"golden-{rules}")
            assert verify_game(events).public.winner == games[f"golden-{rules}"].winner
            assert (games[f"golden-{rules}"].rules, games[f"golden-{rules}"].events) == (rules, len(events))
        for event in sample_game("new"):
            store.record(event)
        assert len(store.games()) == 6


def test_both_golden_stores_hold_the_same(tmp_path: Path) -> None:
    shutil.copy(STORES / "schema-1.sqlite", tmp_path)
    lines = sorted(read_lines(STORES / "schema-1.jsonl"), key=lambda event: (event.game_id, event.version))
    with SQLiteRecorder(tmp_path / "schema-1.sqlite") as store:
        rows = sorted(store.events(), key=lambda event: (event.game_id, event.version))
    assert lines == rows


def test_the_plans_own_format_is_read(tmp_path: Path) -> None:
    """Schema 0: no versions, other names, no event for the end."""
    events = list(read_lines(STORES / "schema-0.jsonl"))
    state = verify_game(events)
    assert state.public.winner == 1
    assert state.hands == ((1, 4), (2, 2, 6))
    created, last = events[0].payload, events[-1].payload
    assert isinstance(created, GameCreated)
    assert (created.config.max_turns, created.config.seed, created.config.dice) == (64, 7, (2, 3))
    assert isinstance(last, GameEnded)
    assert [event.version for event in events] == list(range(10))
    assert events[5].player_type == "Human"
    path = tmp_path / "old.jsonl"
    shutil.copy(STORES / "schema-0.jsonl", path)
    with JSONLinesRecorder(path) as store:
        assert store.events("plan-1") == events


def plan_file(path: Path, openers: list[int], *, seed: int = 0, dice: tuple[int, int] = (2, 3), **changes: Any) -> Path:
    """A game as an engine of the plan writes it with `json.dumps`: a round for each opener, times without a zone."""
    rng = random.Random(seed)
    clock = datetime(2025, 6, 1, 10)  # as from `datetime.utcnow()`
    lines: list[str] = []

    def emit(name: str, round_index: int, turn_index: int, player_type: str | None = None, **payload: Any) -> None:
        event = {
            "game_id": "plan",
            "round_index": round_index,
            "turn_index": turn_index,
            "timestamp_utc": (clock + timedelta(seconds=len(lines) / 4)).isoformat(),
            "event_type": name,
            "payload": payload,
            "player_type": player_type,
        }
        lines.append(json.dumps(event | changes.get(name, {})))

    config = {"num_players": 2, "total_dice": 5, "dice_distribution": dice, "ones_wild": True, "max_turns": 64}
    emit("GameCreatedEvent", 0, 0, config=config | {"rng_seed": None, "faces": [1, 2, 3, 4, 5, 6]})
    for number, opener in enumerate(openers):
        emit("RoundStartedEvent", number, 0, dice_distribution=dice)
        hands = [[rng.randint(1, 6) for _ in range(n)] for n in dice]
        for seat in (0, 1):
            emit("DiceRolledEvent", number, 0, "RandomAgent", player_id=seat, dice=hands[seat], seed_info=None)
        bids = sorted(rng.sample([(q, f) for q in range(1, 6) for f in range(1, 7)], rng.randint(1, 4)))
        for turn, (quantity, face) in enumerate(bids):
            bid = {"quantity": quantity, "face": face}
            emit("BidPlacedEvent", number, turn, "RandomAgent", player_id=(opener + turn) % 2, bid=bid)
        caller = (opener + len(bids)) % 2
        count = sum(die in (face, 1) for hand in hands for die in hand)
        winner = 1 - caller if count >= quantity else caller
        emit("LiarCalledEvent", number, len(bids), "RandomAgent", player_id=caller)
        emit("DiceRevealedEvent", number, len(bids), all_dice={"player0": hands[0], "player1": hands[1]})
        end = {"winner_id": winner, "loser_id": 1 - winner, "match_count": count, "was_true": count >= quantity}
        emit("RoundEndedEvent", number, len(bids), None, **end, last_bid=bid)
    path.write_text("".join(line + "\n" for line in lines))
    return path


@pytest.mark.parametrize("seed", range(20))
def test_matches_of_the_plan_are_read(tmp_path: Path, seed: int) -> None:
    """Several rounds, no matter who opens them: every round is there, by name, and follows the rules."""
    rng = random.Random(seed)
    openers = [rng.randint(0, 1) for _ in range(rng.randint(2, 6))]
    path = plan_file(tmp_path / "old.jsonl", openers, seed=seed)
    raw = [json.loads(line) for line in path.read_text().splitlines()]
    told = [event["payload"] for event in raw if event["event_type"] == "RoundEndedEvent"]
    with JSONLinesRecorder(path) as store:
        games = [store.events(game.game_id) for game in store.games()][::-1]
    assert games == [[*one] for _, one in itertools.groupby(read_lines(path), lambda event: event.game_id)]
    rounds = [
        (state.public.names, resolution) for state in map(verify_game, games) for resolution in state.public.resolutions
    ]
    assert [names[one.opener] for names, one in rounds] == [f"player{seat}" for seat in openers]
    assert [names[one.winner] for names, one in rounds] == [f"player{end['winner_id']}" for end in told]
    assert [one.match_count for _, one in rounds] == [end["match_count"] for end in told]
    assert games[0][0].timestamp_utc == datetime(2025, 6, 1, 10, tzinfo=UTC)


def test_a_match_of_the_plan_is_one_game(tmp_path: Path) -> None:
    """The loser opens, and the match is over when its last round decides it."""
    path = plan_file(tmp_path / "old.jsonl", [0], seed=1)
    openers = [0]
    for _ in range(4):  # as in a match: find each loser, then play on
        ends = [json.loads(line) for line in path.read_text().splitlines() if "RoundEnded" in line]
        openers.append(ends[-1]["payload"]["loser_id"])
        plan_file(path, openers, seed=1)
    with JSONLinesRecorder(path) as store:
        (game,) = store.games()
        state = verify_game(store.events("plan"))
    assert (game.rounds, game.rules, game.names) == (5, "custom", ("player0", "player1"))
    assert (state.config.mode, state.config.next_opener, state.config.wild) == ("best_of", "loser", "ones")
    wins = [one.winner for one in state.public.resolutions]
    decided = wins.count(wins[-1]) > wins.count(1 - wins[-1])
    assert state.public.winner == (wins[-1] if decided else None)


def test_a_match_of_the_plan_may_be_created_again_for_each_round(tmp_path: Path) -> None:
    path = plan_file(tmp_path / "old.jsonl", [0, 1], seed=1)
    once = list(read_lines(path))
    created, *rest = path.read_text().splitlines(keepends=True)
    second = next(number for number, line in enumerate(rest) if number and "RoundStarted" in line)
    again = [created, *rest[:second], created.replace('"rng_seed": null', '"rng_seed": 8'), *rest[second:]]
    path.write_text("".join(again))
    assert list(read_lines(path)) == once
    path.write_text(
        path.read_text().replace('"rng_seed": 8, "faces": [1, 2, 3, 4, 5, 6]', '"rng_seed": 8, "faces": [1, 2]')
    )
    with pytest.raises(StoreError, match="the game was created before, with other rules"):
        list(read_lines(path))


def test_a_match_of_the_plan_grows_while_it_is_read(tmp_path: Path) -> None:
    whole = plan_file(tmp_path / "whole.jsonl", [0, 1, 0, 1], seed=4).read_text().splitlines(keepends=True)
    growing = tmp_path / "growing.jsonl"
    growing.write_text("")
    with JSONLinesRecorder(growing) as store, growing.open("a") as old_program:
        for line in whole:
            old_program.write(line)
            old_program.flush()
            verify_game(store.events("plan"))
        assert store.events("plan") == list(read_lines(tmp_path / "whole.jsonl"))


def test_a_game_of_the_plan_goes_on_today(tmp_path: Path) -> None:
    """Events of both schemas in one file, in one game."""
    path = plan_file(tmp_path / "old.jsonl", [0], seed=2)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-3]))  # before the call
    with JSONLinesRecorder(path) as store:
        events = store.events("plan")
        engine = GameEngine.resume(final_state(events))
        record_game(engine, store, game_id="plan", history=events)
        engine.apply_action(engine.state.public.current_player, CallLiarAction())
        assert verify_game(store.events("plan")) == engine.state
    with JSONLinesRecorder(path) as store:
        assert store.events("plan") == list(read_lines(path))
        assert verify_game(store.events("plan")) == engine.state


@pytest.mark.parametrize(
    ("time", "when"),
    [
        ("2025-06-01T09:30:00", "2025-06-01T09:30:00+00:00"),
        ("2025-06-01 09:30:00.250000", "2025-06-01T09:30:00.250000+00:00"),
        ("2025-06-01T09:30:00Z", "2025-06-01T09:30:00+00:00"),
        ("2025-06-01T11:30:00+02:00", "2025-06-01T09:30:00+00:00"),
    ],
)
def test_times_of_the_plan(tmp_path: Path, time: str, when: str) -> None:
    """Times without a zone are in UTC: the field is called timestamp_utc."""
    path = plan_file(tmp_path / "old.jsonl", [0], GameCreatedEvent={"timestamp_utc": time})
    store = InMemoryRecorder()
    list(import_games(read_lines(path), store))
    assert [game.created_utc.isoformat() for game in store.games()] == [when]


def test_a_time_of_the_plan_beyond_the_calendar_is_named(tmp_path: Path) -> None:
    lines = (STORES / "schema-0.jsonl").read_text().splitlines()
    event = json.loads(lines[0]) | {"timestamp_utc": "0001-01-01T00:00:00+14:00"}
    (tmp_path / "old.jsonl").write_text(json.dumps(event) + "\n")
    with pytest.raises(StoreError, match="line 1: not an event of schema 0"):
        list(read_lines(tmp_path / "old.jsonl"))


def test_other_spellings_of_the_plan(tmp_path: Path) -> None:
    """The short names of its file list, dice keyed by number, and invalid actions, which changed nothing."""
    path = plan_file(tmp_path / "old.jsonl", [0], seed=3)
    text = path.read_text()
    for long, short in (
        ("DiceRolledEvent", "RollEvent"),
        ("BidPlacedEvent", "BidEvent"),
        ("LiarCalledEvent", "CallEvent"),
        ("DiceRevealedEvent", "RevealEvent"),
        ("RoundEndedEvent", "EndEvent"),
        ('"player0"', '"0"'),
        ('"player1"', '"1"'),
    ):
        assert long in text
        text = text.replace(long, short)
    lines = text.splitlines(keepends=True)
    invalid = json.loads(lines[4]) | {"event_type": "InvalidActionEvent", "payload": {"player_id": 1}}
    other = tmp_path / "other.jsonl"
    other.write_text("".join([*lines[:5], json.dumps(invalid) + "\n", *lines[5:]]))
    assert list(read_lines(other)) == list(read_lines(path))


def test_damaged_events_of_the_plan_are_named(tmp_path: Path) -> None:
    lines = (STORES / "schema-0.jsonl").read_text().splitlines()
    for number, (old, new) in {
        3: ('"dice"', '"cubes"'),
        1: ('"config"', '"rules"'),
        5: ('"quantity":1', '"quantity":"x"'),
        7: ('"player_id":0', '"player_id":2'),
        9: ('"winner_id":1', '"winner_id":-1'),
    }.items():
        broken = [*lines]
        broken[number - 1] = broken[number - 1].replace(old, new)
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(broken) + "\n")
        with pytest.raises(StoreError, match=rf"line {number}: not an event of schema 0"):
            list(read_lines(path))


@pytest.mark.parametrize("rules", PRESETS)
def test_lines_and_blocks_keep_everything(rules: str) -> None:
    events = sample_game("g", rules)
    reader = LineReader()
    assert [event for line in map(encode_line, events) for event in reader.decode(line)] == events
    assert decode_block("g", encode_block(events)) == events
    assert decode_block("g", encode_block(events[3:])) == events[3:]
    fields = msgspec.json.decode(encode_line(events[2]))
    assert set(fields) == {
        "game_id",
        "version",
        "round_index",
        "turn_index",
        "timestamp_utc",
        "event_type",
        "payload",
        "player_type",
        "schema",
    }
    assert fields["event_type"] == fields["payload"]["event_type"] == "DiceRolled"


def test_a_finished_match_is_small() -> None:
    """Far under two kilobytes, reasons and all."""
    assert len(encode_block(sample_game("g", "heads-up"))) < 1500


def test_csv() -> None:
    events = sample_game("g", "heads-up")
    out = io.StringIO()
    write_csv(events, out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert len(rows) == len(events)
    bid = next(row for row in rows if row["event_type"] == "BidPlaced")
    assert (bid["player_id"], bid["player_type"]) == ("0", "Dealer")
    assert msgspec.json.decode(bid["payload"])["bid"] == {"quantity": int(bid["quantity"]), "face": int(bid["face"])}
    assert rows[2]["dice"].startswith("[")


def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (it has no package here)")
    events = sample_game("g", "perudo")
    write_parquet(events, str(tmp_path / "g.parquet"))
    table = parquet.read_table(tmp_path / "g.parquet")
    assert table.num_rows == len(events)
    assert table.column("version").to_pylist() == list(range(len(events)))
    assert table.column("event_type").to_pylist() == [event.event_type for event in events]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"liars-dice\[parquet\].*or write CSV"):
        write_parquet(events, str(tmp_path / "h.parquet"))


def test_import(tmp_path: Path) -> None:
    """Verified, once, and never over another game."""
    one, two = sample_game("one"), sample_game("two", "perudo", 2)
    path = tmp_path / "games.jsonl"
    with path.open("wb") as file:
        write_jsonl([*one[:10], *two, *one[10:]], file)
    store = InMemoryRecorder()
    assert list(import_games(read_lines(path), store)) == [("one", len(one), True), ("two", len(two), True)]
    assert list(import_games(read_lines(path), store)) == [("one", len(one), False), ("two", len(two), False)]
    assert store.events("two") == two
    with pytest.raises(StoreError, match="game one: the store already has a different game"):
        list(import_games(sample_game("one", seed=9), store))
    with pytest.raises(ReplayError, match="game bad, event 4"):
        list(import_games([*sample_game("bad")[:3], *sample_game("bad")[4:]], store))
    assert store.events("bad") == []
    half = InMemoryRecorder()
    list(import_games(one[:12], half))
    list(import_games(one, half))
    assert half.events("one") == one


def test_win_rates() -> None:
    store = InMemoryRecorder()
    for seed in range(6):
        for event in sample_game(f"g{seed}", "heads-up" if seed % 2 else "duel", seed):
            store.record(event)
    for event in sample_game("live")[:5]:
        store.record(event)
    games = store.games()
    (rate,) = win_rates(games)
    assert (rate.player_type, rate.among, rate.games, rate.wins, rate.win_rate) == ("dealer", "all", 12, 6, 0.5)
    assert [(r.among, r.games, r.wins) for r in win_rates(games, by_rules)] == [("duel", 6, 3), ("heads-up", 6, 3)]
    opening = {r.among: r for r in win_rates(games, by_opener)}
    assert opening["opening"].wins == sum(game.winner == 0 for game in games)
    assert opening["opening"].wins + opening["not opening"].wins == 6


def test_win_rates_know_a_bot_by_its_name() -> None:
    def game(names: tuple[str, ...], types: tuple[str | None, ...]) -> GameSummary:
        return GameSummary("g", datetime(2026, 1, 1, tzinfo=UTC), "duel", names, types, 9, 1, 0)

    games = [
        game(("optimal", "optimal#2"), ("ThresholdAgent", "ThresholdAgent")),  # through the referee
        game(("optimal", "sniper"), ("optimal", "sniper")),  # compiled
        game(("Ada", "player-1"), ("Human", None)),
    ]
    found = [(r.player_type, r.games, r.wins) for r in win_rates(games)]
    assert found == [("Human", 1, 1), ("optimal", 3, 2), ("sniper", 1, 0), ("unknown", 1, 0)]
