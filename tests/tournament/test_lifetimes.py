"""A bot that learns lives as long in every command: one instance for all its games, and boxed bots for one game."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec
import pytest

from command_line import call, told
from liars_dice import preset
from liars_dice.referee import BotLimits, Referee, make_seat
from liars_dice.referee.sandbox import descendants
from liars_dice.tournament import matchup
from liars_dice.tournament.blocks import Block, BlockResult, Worker, WorkerSetup
from liars_dice.tournament.worker_process import play_chunk
from patience import AMPLE, PATIENCE

LEARNER = """
from pathlib import Path
from liars_dice.agents import Agent

class Learner(Agent):
    games = 0

    def choose_action(self, view):
        if view.current_bid and view.current_bid.quantity > 1 + self.games % 2:
            return "liar"
        return view.legal_actions[0]

    def on_game_end(self, result):
        self.games += 1
        with Path(__file__).with_name("games").open("a") as log:
            log.write(f"{self.games}\\n")
"""
HEADS_UP = ("--rules", "heads-up", "--dice", "1", "--seed", "1")
SAID = "learns between games: one instance plays all of its games, in order"


@pytest.fixture(autouse=True)
def learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("learner.py").write_text(LEARNER, encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "games", "name"),
    [
        (["watch", "learner.py", "random", "--games", "5", *HEADS_UP], 5, "Learner"),
        (["matchup", "learner.py", "random", "--games", "60", *HEADS_UP], 60, "learner.py"),
        (["tournament", "learner.py", "random", "optimal", "--games", "50", *HEADS_UP], 100, "learner.py"),
        (
            ["simulate", "learner.py", "random", "--players", "2", "--tables", "2", "--replications", "30", *HEADS_UP],
            60,
            "learner.py",
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_one_instance_plays_all_games(words: list[str], games: int, name: str) -> None:
    found = told(*words)
    assert (found["ordered"], found["anew"]) == ([name], [])
    assert Path("games").read_text().split() == [str(n) for n in range(1, games + 1)]
    assert f"{name} {SAID}" in " ".join(call(*words, COLUMNS="200").stdout.split())


def test_boxed_bots_begin_anew_and_that_is_said() -> None:
    words = ["watch", "learner.py", "random", "--games", "2", *HEADS_UP, "--isolate"]
    found = told(*words)
    assert (found["ordered"], found["anew"]) == ([], ["learner.py"])
    said = " ".join(call(*words, COLUMNS="200").stdout.split())
    assert "learner.py begins anew in every game: boxed bots and programs keep nothing" in said
    boxed = make_seat("learner.py", BotLimits(decision=PATIENCE, load=PATIENCE), boxed=True)
    try:
        config = preset("heads-up", dice=2)
        games = [Referee([boxed, make_seat("crawler")], config, seed=3).play().game for _ in range(2)]
    finally:
        boxed.dismiss()
    assert games[0] == games[1]


def test_a_match_up_with_a_learner_does_not_depend_on_workers() -> None:
    one, two = (matchup("learner.py", "random", "heads-up", games=240, seed=1, workers=n) for n in (1, 2))
    assert one == two
    assert one.ordered == ("learner.py",)


COUNTS = """
import os
from pathlib import Path
from liars_dice.agents import Agent

class Counts(Agent):
    def __init__(self):
        self.asked = 0
        with Path(__file__).with_name("made").open("a") as log:
            print(os.getpid(), file=log)

    def choose_action(self, view):
        self.asked += 1
        if self.asked == {dies}:
            os._exit(1)
        return view.legal_actions[self.asked % 7 % len(view.legal_actions)]
"""
BLOCKS = [
    Block(number=n, table=table, seed=5, first=2 * n, deals=2, rotations=2, compiled=False, apart=True)
    for n, table in enumerate(((0, 1), (0, 1), (0, 2), (0, 1)))
]
"""A bot plays in all of them, the opponents are two other ones."""


def chunk_worker(dies: int | None = None) -> Worker:
    """A worker for a bot whose decisions depend on how often it was asked, and that may die at one of them."""
    Path("counts.py").write_text(COUNTS.format(dies=dies), encoding="utf-8")
    setup = WorkerSetup(agents=("counts.py", "conservative", "random"), config=preset("heads-up", dice=2), limits=AMPLE)
    return Worker(setup)


def test_the_process_of_a_bot_stays_for_a_chunk_of_blocks_and_the_bot_is_made_anew_for_each() -> None:
    others = descendants(os.getpid())
    worker = chunk_worker()
    one_by_one = [worker.play(block) for block in BLOCKS]
    assert len(set(Path("made").read_text().split())) == len(BLOCKS)
    Path("made").unlink()
    assert worker.play_all(BLOCKS) == one_by_one
    made = Path("made").read_text().split()
    assert (len(made), len(set(made))) == (len(BLOCKS), 1)
    assert set(descendants(os.getpid())) <= set(others)


def test_the_process_of_a_bot_can_stay_for_the_next_chunk() -> None:
    others = descendants(os.getpid())
    worker = chunk_worker()
    one_by_one = [worker.play(block) for block in BLOCKS]
    Path("made").unlink()
    assert [played for block in BLOCKS for played in worker.play_all([block], keep=True)] == one_by_one
    made = Path("made").read_text().split()
    assert (len(made), len(set(made))) == (len(BLOCKS), 1)
    assert made[0] in map(str, descendants(os.getpid()))
    worker.end_processes()
    assert set(descendants(os.getpid())) <= set(others)
    assert [played for block in BLOCKS for played in worker.play_all([block], keep=True)] == one_by_one
    with pytest.raises(IndexError):
        worker.play_all([msgspec.structs.replace(BLOCKS[0], table=(0, 3))], keep=True)  # there is no such agent
    assert set(descendants(os.getpid())) <= set(others), "none stays after an error"


def test_a_bot_that_dies_in_a_chunk_of_blocks_plays_as_in_each_of_them_alone() -> None:
    worker = chunk_worker(dies=9)
    one_by_one = [worker.play(block)[0] for block in BLOCKS]
    assert all(result.faults for result in one_by_one)
    for result, alone in zip(worker.play_all(BLOCKS), one_by_one, strict=True):
        assert counts(result[0]) == counts(alone)


def counts(result: BlockResult) -> BlockResult:
    """Without the words for faults: what is known of a process that died depends on how soon one looks."""
    return msgspec.structs.replace(result, fault_examples=[])


def test_the_time_of_a_chunk_is_that_of_its_games() -> None:
    """Not of starting bots: else a chunk of quick games and a slow start would never grow."""
    worker = chunk_worker()
    start = time.perf_counter()
    _, seconds = play_chunk(worker, BLOCKS)
    assert worker.seconds_of_starts > 0
    assert 0 < seconds <= time.perf_counter() - start - worker.seconds_of_starts


def test_only_a_process_without_walls_is_kept() -> None:
    """A box is for one match. A process that is over is no use; a bot in the worker itself is simply another one."""
    here, boxed, apart = (
        make_seat("learner.py", AMPLE, apart=apart, boxed=boxed)
        for apart, boxed in ((False, False), (True, True), (True, False))
    )
    try:
        assert [seat.begin_anew() for seat in (here, boxed, apart)] == [False, False, True]
        apart.dismiss()
        assert not apart.begin_anew()
    finally:
        boxed.dismiss()
