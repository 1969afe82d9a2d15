"""Games among experts as training data."""

from __future__ import annotations

import json
import multiprocessing
import multiprocessing.process
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from command_line import call, told
from liars_dice.bridges.positions import position_view
from liars_dice.bridges.prompts import position_prompt
from liars_dice.bridges.read_reply import read_reply
from liars_dice.bridges.trajectories import TrajectoryPlan, play_chunk, trajectory_chunks
from liars_dice.core import preset
from liars_dice.exact.solver import explain, solved_round
from patience import PATIENCE


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def written(path: Path, *words: str) -> list[dict[str, Any]]:
    found = told("trajectories", *words, "--out", str(path), "--workers", "1")
    lines = lines_of(path)
    assert found["decisions"] == len(lines)
    return lines


def test_nobody_plays_on_when_nobody_wants_the_rest() -> None:
    """Ctrl-C must not wait for chunks that are under way."""
    other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(PATIENCE,))
    other.start()
    try:
        before = multiprocessing.active_children()
        plan = TrajectoryPlan("nash", preset("classic", dice=1), 10**6, 1, "records")
        chunks = trajectory_chunks(plan, workers=2)
        assert next(chunks)
        workers = [child for child in multiprocessing.active_children() if child not in before]
        assert workers
        with pytest.raises(KeyboardInterrupt):
            chunks.throw(KeyboardInterrupt)
        assert [how_it_ended(worker) for worker in workers] == [-signal.SIGKILL] * len(workers)
        assert other.is_alive()  # it is somebody else's
    finally:
        other.kill()
        other.join()


def how_it_ended(process: multiprocessing.process.BaseProcess) -> int | None:
    """The exit code. If a thread of the pool hears of the end first, `join` returns a moment before it is known."""
    deadline = time.monotonic() + PATIENCE
    while process.exitcode is None and time.monotonic() < deadline:
        process.join(0.01)
    return process.exitcode


@pytest.mark.parametrize("words", [("positions",), ("trajectories", "--player", "nash", "--games", "1")])
def test_a_file_of_another_kind_is_not_replaced(words: tuple[str, ...], tmp_path: Path) -> None:
    picture = tmp_path / "picture.jsonl"
    picture.write_bytes(b"\x89PNG")
    refused = call(*words, "--out", str(picture))
    assert refused.exit_code == 1
    assert "this is another file" in refused.stderr
    assert picture.read_bytes() == b"\x89PNG"


def test_records_of_perfect_play_have_the_exact_values(tmp_path: Path) -> None:
    lines = written(tmp_path / "n.jsonl", "--player", "nash", "--games", "4", "--rules", "classic", "--dice", "2")
    config = preset("classic", dice=2)
    for line in lines:
        hand = tuple(map(int, line["hand"].split()))
        view = position_view(config, line["player_id"], hand, tuple(line["bids"].split()))
        found = solved_round(view.public)
        assert found is not None
        explained = explain(found[1].tree, found[1].pool, view.public.bid_history, hand)
        (choice,) = [one for one in explained.choices if str(one.action) == line["action"]]
        assert line["value"] == pytest.approx((1 + choice.value) / 2, abs=1e-6)
        assert line["best_value"] == pytest.approx((1 + explained.value) / 2, abs=1e-6)
        assert line["probability"] == pytest.approx(choice.chance, abs=1e-3)
    last = {line["game"]: line for line in lines}
    assert [line["action"] for line in last.values()] == ["liar"] * 4
    assert sum(line["game_won"] for line in lines) > 0


def test_chats_ask_what_players_are_asked_and_end_with_a_legal_move(tmp_path: Path) -> None:
    words = ("--player", "nash", "--games", "3", "--rules", "classic", "--dice", "2", "--seed", "4")
    records = written(tmp_path / "r.jsonl", *words)
    chats = written(tmp_path / "c.jsonl", *words, "--shape", "chat")
    for record, chat in zip(records, chats, strict=True):
        system, user, assistant = chat["messages"]
        assert [one["role"] for one in chat["messages"]] == ["system", "user", "assistant"]
        hand = tuple(map(int, record["hand"].split()))
        bids = tuple(record["bids"].split())
        assert user["content"] == position_prompt(
            position_view(preset("classic", dice=2), record["player_id"], hand, bids)
        )
        reply = read_reply(assistant["content"])
        assert str(reply.action) == record["action"]
        assert reply.belief == (None if not bids else pytest.approx(record["holds"], abs=0.006))
        assert "rules of this game" in system["content"]


def test_champions_play_tables_with_their_own_values(tmp_path: Path) -> None:
    lines = written(tmp_path / "x.jsonl", "--player", "champion", "--games", "2", "--players", "3", "--dice", "2")
    assert {len(line["dice_counts"].split()) for line in lines} == {3}
    assert all(0 <= line["value"] <= line["best_value"] <= 1 for line in lines)
    winners = {(line["game"], line["player_id"]) for line in lines if line["game_won"]}
    assert len(winners) == 2


def test_parquet_has_the_same_rows(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: the extra `parquet` has it")
    words = ("--player", "nash", "--games", "3", "--rules", "classic", "--dice", "1")
    lines = written(tmp_path / "r.jsonl", *words)
    told("trajectories", *words, "--out", str(tmp_path / "r.parquet"))
    assert parquet.read_table(tmp_path / "r.parquet").to_pylist() == lines


def test_the_data_depend_on_the_seed_and_not_on_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = TrajectoryPlan("nash", preset("classic", dice=1), 600, seed=3)
    alone = [row for chunk in trajectory_chunks(plan, 1) for row in chunk]
    assert [row for chunk in range(3) for row in play_chunk(plan, chunk)] == alone
    assert [row for chunk in trajectory_chunks(plan, 2) for row in chunk] == alone
    other = TrajectoryPlan("nash", preset("classic", dice=1), 600, seed=4)
    assert play_chunk(other, 0) != play_chunk(plan, 0)


def test_files_that_cannot_be_written_are_one_line(tmp_path: Path) -> None:
    for name in ("data.txt", "folder"):
        (tmp_path / "folder").mkdir(exist_ok=True)
        done = call("trajectories", "--player", "nash", "--games", "1", "--out", str(tmp_path / name))
        assert done.exit_code in (1, 2)
        assert "Error: " in done.stderr
    assert call("trajectories", "--player", "maniac", "--out", "x.jsonl").exit_code == 2


def test_decisions_whose_worth_nobody_knows_are_counted(tmp_path: Path) -> None:
    four = ("--player", "nash", "--rules", "perudo", "--players", "4", "--dice", "1", "--games", "1")
    for shape in ("records", "chat"):
        done = call("trajectories", *four, "--shape", shape, "--out", str(tmp_path / "four.jsonl"))
        number = sum(line["value"] is None for line in lines_of(tmp_path / "four.jsonl"))
        assert number > 0
        assert f"Warning: {number} of " in done.stderr
        assert "decisions have no value: by these rules nash does not always know what a move is worth" in done.stderr
    words = ("trajectories", "--player", "nash", "--games", "1", "--out", str(tmp_path / "two.jsonl"))
    assert call(*words).stderr == ""
    assert told(*words)["without_value"] == 0
