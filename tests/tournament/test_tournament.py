"""Tournaments: fair, repeatable on any backend, and not to be stopped by deaths."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from intervals import EQUALS
from liars_dice.core import BadValueError, GameConfig, MissingExtraError, preset
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.persistence import InMemoryRecorder, open_store, verify_game
from liars_dice.tournament import runner as tournament_module
from liars_dice.tournament.backends import Backend, InProcess, Processes, make_backend
from liars_dice.tournament.blocks import Block, BlockResult, PlayedBlock, Worker, WorkerSetup, rotated
from liars_dice.tournament.ledger import BLOCKS, Ledger, blocks_of, find_tournament, tournaments
from liars_dice.tournament.pair_matchup import matchup
from liars_dice.tournament.result import TournamentResult, TournamentSettings
from liars_dice.tournament.runner import round_robin, run_tournament
from liars_dice.tournament.statistics import wilson_ci
from patience import AMPLE, PATIENCE

LEARNER = """
from liars_dice import CallLiarAction
from liars_dice.agents import Agent

class Learner(Agent):
    \"\"\"Gets bolder with every game it has lost.\"\"\"

    lost = 0

    def choose_action(self, view):
        bid = view.current_bid
        if bid and bid.quantity > view.my_dice.count(bid.face) + self.lost % 4:
            return CallLiarAction()
        return view.legal_actions[0]

    def on_game_end(self, result):
        self.lost += result.winner_name != "Learner"
"""

KILLER = """
import os, signal
from contextlib import suppress
from pathlib import Path
from liars_dice.agents import Agent

class Killer(Agent):
    \"\"\"Takes its process along: {when}.\"\"\"

    def choose_action(self, view):
        marker = Path(__file__).with_suffix(".killed")
        if {always} or not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return view.legal_actions[-1 if view.current_bid else 0]
"""

HALTING = """
import os
import time
from pathlib import Path

from liars_dice.agents import Agent
from liars_dice.tournament.ledger import WRITE_EVERY

WORKERS, BLOCK = 2, 10  # games


class Halting(Agent):
    # Where HALT names a folder, it plays so slowly that the first block is recorded as soon as it is over. When it has
    # begun so many games that one of the workers has finished a block, it waits to be killed.

    def on_game_start(self, config, player_id):
        if halt := os.environ.get("HALT"):
            (Path(halt) / os.urandom(8).hex()).touch()
            time.sleep(WRITE_EVERY / BLOCK)

    def choose_action(self, view):
        while "HALT" in os.environ and len(os.listdir(os.environ["HALT"])) > WORKERS * BLOCK:
            time.sleep(0.01)
        return view.legal_actions[-1 if view.current_bid else 0]
"""


def settings(*agents: str, config: GameConfig | None = None, **changes: Any) -> TournamentSettings:
    config = preset("heads-up", dice=2) if config is None else config
    plain: dict[str, Any] = {
        "kind": "round-robin" if config.num_players == 2 else "league",
        "agents": agents,
        "rules": "test",
        "config": config.to_dict(),
        "seed": 5,
        "record": "none",
        "time_limit_seconds": PATIENCE,
    }
    return TournamentSettings(**plain | changes)


def setup_for(*agents: str, config: GameConfig, **more: Any) -> WorkerSetup:
    """What a worker of these agents is told; none of them is late."""
    return WorkerSetup(agents=agents, config=config, limits=AMPLE, **more)


MIXED = settings("optimal", "detective", "random", "bluffer", games=60)
LEAGUE = settings(
    "optimal", "detective", "random", "bluffer", "crawler", config=preset("perudo", players=3, dice=2), tables=40
)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small blocks, and a pool for however few games."""
    monkeypatch.setattr("liars_dice.tournament.backends.FEW_GAMES", 0)
    monkeypatch.setattr(tournament_module, "BLOCK_DEALS", {True: 10, False: 7})


# -- blocks ------------------------------------------------------------------------------------------------------------


def block(**changes: Any) -> Block:
    plain: dict[str, Any] = {
        "number": 0, "table": (0, 1), "seed": 3, "first": 0, "deals": 40, "rotations": 2, "compiled": True,
    }  # fmt: skip
    return Block(**plain | changes)


def test_members_change_seats() -> None:
    assert [rotated([7, 8, 9], rotation) for rotation in range(3)] == [[7, 8, 9], [8, 9, 7], [9, 7, 8]]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_block_counts_everything_once(compiled: bool) -> None:
    setup = setup_for("optimal", "bluffer", "random", config=preset("perudo", players=3, dice=3))
    result, _ = Worker(setup).play(block(table=(0, 1, 2), rotations=3, deals=20, compiled=compiled))
    assert result.games == 60
    assert sum(map(sum, result.wins)) == 60
    assert sum(result.member_wins()) == 60
    assert result.member_wins()[2] < 10  # random, wherever it sits
    decided = np.array(result.decided)
    assert decided[..., 0].sum() == decided[..., 1].sum() == result.rounds
    assert decided[:, 1:6].sum() == decided.sum()  # an exact call may win a fourth die


@pytest.mark.parametrize("compiled", [True, False])
def test_pairs_of_games(compiled: bool) -> None:
    setup = setup_for("optimal", "maniac", config=preset("heads-up", dice=2))
    result, _ = Worker(setup).play(block(compiled=compiled))
    lost, split, won = result.pairs
    assert lost + split + won == 40
    assert split + 2 * won == result.member_wins()[0] == result.wins[0][0] + result.wins[1][1]


@pytest.mark.parametrize("compiled", [True, False])
def test_a_block_is_the_sum_of_its_parts(compiled: bool) -> None:
    setup = setup_for("optimal", "bluffer", config=preset("heads-up", dice=2))
    whole, _ = Worker(setup).play(block(compiled=compiled))
    parts = [Worker(setup).play(block(first=first, deals=20, compiled=compiled))[0] for first in (20, 0)]
    assert np.array_equal(whole.wins, np.sum([part.wins for part in parts], axis=0))
    assert np.array_equal(whole.decided, np.sum([part.decided for part in parts], axis=0))


def test_duplicate_dice_make_the_difference_clearer() -> None:
    """The two games of a deal share their luck: less variance than games with dice of their own."""
    setup = setup_for("threshold:0.35,0.15", "threshold:0.35,0.2", config=preset("heads-up"))
    result, _ = Worker(setup).play(block(deals=20_000))
    lost, split, won = result.pairs
    scores = np.repeat([0, 0.5, 1], [lost, split, won])
    rate = scores.mean()
    assert scores.var() < 0.9 * rate * (1 - rate) / 2


@pytest.mark.parametrize("compiled", [True, False])
def test_recorded_games_are_the_games_that_count(compiled: bool) -> None:
    setup = setup_for("optimal", "random", config=preset("heads-up", dice=2), record="all", prefix="t")
    result, records = Worker(setup).play(block(deals=5, compiled=compiled))
    assert len(records) == 10
    assert len({events[0].game_id for events in records}) == 10
    won = 0
    for events in records:
        state = verify_game(events)
        assert state.public.winner is not None
        won += state.public.names[state.public.winner] == "optimal"
    assert won == result.member_wins()[0]


def test_games_with_faults_are_recorded(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Late(Agent):\n"
        "    def choose_action(self, view):\n        return None\n"
    )
    late = str(tmp_path / "late.py")
    setup = setup_for("optimal", late, config=preset("classic", dice=1), record="faults", prefix="t")
    result, records = Worker(setup).play(block(deals=3, compiled=False))
    assert len(records) == 6
    assert result.faults[0][:2] == (1, "wrong_type")


# -- the same on every backend -----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("asked", [MIXED, LEAGUE], ids=["round robin", "league"])
def test_results_do_not_depend_on_workers(asked: TournamentSettings) -> None:
    alone = run_tournament(asked, backend=Processes(1))
    assert alone == run_tournament(asked, backend=Processes(2))
    assert alone.complete
    assert "engine" in {cell.method for row in alone.cells for cell in row if cell}


def test_backends_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(make_backend("processes", 3), Processes)
    assert make_backend("processes", 3).workers == 3
    with pytest.raises(BadValueError, match="backend = 'rey': expected"):
        make_backend("rey")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'liars-dice\[ray\]'"):
        make_backend("ray")


# -- results -----------------------------------------------------------------------------------------------------------


def test_exact_where_possible_and_played_where_not() -> None:
    result = run_tournament(msgspec.structs.replace(MIXED, games=None), backend=InProcess())
    i = result.agents.index("detective")
    for row in range(4):
        for column in range(4):
            cell = result.cells[row][column]
            if row == column:
                assert cell is None
                continue
            assert cell is not None
            assert cell.method == ("engine" if i in (row, column) else "exact")
            assert (cell.ci95 is None) == (cell.method == "exact")
    assert result.method == "engine"
    assert "detective does not declare `memoryless`" in result.why
    known = [name for name in result.agents if name != "detective"]
    exact = round_robin(known, preset("heads-up", dice=2))
    assert exact.cells[0][1] == result.cells[0][2]


def test_the_breakdown_of_an_exact_tournament_is_the_one_of_its_games() -> None:
    names = ("optimal", "maniac", "bluffer")
    config = preset("perudo", players=2, dice=2)
    exact = {s.agent: s for s in round_robin(names, config).ranking}
    for played in round_robin(names, config, games=40_000, seed=1).ranking:
        known = exact[played.agent]
        assert played.opening is not None
        assert known.opening is not None
        assert played.opening.rate == pytest.approx(known.opening.rate, abs=0.01)
        assert played.by_dice.keys() == known.by_dice.keys()
        for dice, rate in played.by_dice.items():
            assert rate.rate == pytest.approx(known.by_dice[dice].rate, abs=0.015)


def test_a_league_is_fair_and_random_is_last() -> None:
    result = run_tournament(LEAGUE, backend=InProcess())
    assert result.ranking[-1].agent == "random"
    assert result.games == sum(s.games or 0 for s in result.ranking) / 3
    assert sum(s.win_rate * (s.games or 0) for s in result.ranking) == pytest.approx(result.games)
    for i, row in enumerate(result.cells):
        for j, cell in enumerate(row):
            other = result.cells[j][i]
            assert cell is None or (other is not None and cell.win_rate + other.win_rate == pytest.approx(1))
    for standing in result.ranking:
        low, high = standing.rank_interval
        assert low <= standing.rank <= high
        assert standing.rating_interval is not None
        assert standing.rating_interval[0] < standing.rating < standing.rating_interval[1]


def test_copies_fill_the_seats_of_a_league() -> None:
    result = run_tournament(
        settings("optimal", "random", config=preset("perudo", players=4, dice=2), tables=3, games=40),
        backend=InProcess(),
    )
    assert [s.agent for s in result.ranking] == ["optimal", "random"]
    assert result.games == 120


def test_play_until_significant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournament_module, "BLOCK_DEALS", {True: 200, False: 7})
    twins = settings(
        "threshold:0.35,0.15",
        "threshold:0.4,0.15",
        "random",
        until_significant=True,
        games=4000,
        config=preset("heads-up"),
    )
    result = run_tournament(twins, backend=InProcess())
    games = {(i, j): cell.games for i, row in enumerate(result.cells) for j, cell in enumerate(row) if cell}
    assert games[0, 1] == 4000  # they are the same agent: never decided
    assert games[0, 2] == games[1, 2] == 400  # decided at the first look
    assert [s.ties for s in result.ranking] == [1, 1, 0]


@pytest.mark.parametrize("sequential", [False, True])
def test_equals_are_hardly_ever_told_apart(sequential: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole tournaments of agents that are equally good: one verdict in 20 of them at most, and that also if every
    pairing is looked at after every few deals. Without Holm's correction, or with the ordinary test, it would be more.
    """
    monkeypatch.setattr(tournament_module, "BLOCK_DEALS", {True: 25, False: 25})
    config = preset("classic", dice=1, faces=3)
    wrong = 0
    for seed in range(50):
        result = round_robin(EQUALS, config, games=600, seed=seed, until_significant=sequential, workers=1)
        wrong += any(standing.beats for standing in result.ranking)
        assert any(cell and cell.win_rate != 0.5 for row in result.cells for cell in row), "all deals were split"
    assert wrong <= 7  # of 50, with chance 5% each: more happens once in 500


def test_one_pairing_has_one_interval() -> None:
    result = round_robin(["optimal", "random"], preset("heads-up"), games=10, seed=5)
    cell = result.cells[0][1]
    assert cell is not None
    assert result.ranking[0].ci95 == pytest.approx(cell.ci95)
    assert result.ranking[1].ci95 == pytest.approx((1 - cell.ci95[1], 1 - cell.ci95[0]))  # type: ignore[index]


@pytest.mark.parametrize("players", [2, 3])
def test_ranks_that_are_possible(players: int) -> None:
    config = preset("perudo", players=players)
    asked = settings("optimal", "maniac", "threshold:0.35,0.15", "random", config=config, games=60)
    result = run_tournament(asked, backend=InProcess(1))
    for standing in result.ranking:
        low, high = standing.rank_interval
        own = standing.own_rank_interval
        assert own is not None
        assert low <= own[0] <= standing.rank <= own[1] <= high
    by_name = {standing.agent: standing for standing in result.ranking}
    assert by_name["random"].rank_interval == (4, 4)
    twins = (by_name["optimal"], by_name["threshold:0.35,0.15"])
    assert {rank for twin in twins for rank in twin.rank_interval} <= {1, 2, 3}
    assert all(twin.rank_interval[0] < twin.rank_interval[1] for twin in twins)


def test_what_differs_by_the_resolution_is_significant() -> None:
    result = run_tournament(LEAGUE, backend=InProcess(1))
    assert result.resolution is not None
    assert 0.02 < result.resolution < 0.5
    assert round_robin(["optimal", "maniac"], preset("heads-up", dice=1)).resolution is None


def test_who_sits_behind_whom_does_not_decide_a_league() -> None:
    """Each table has an order of its own. With few orders, the seed that drew them decided who won."""
    names = ("probabilistic", "optimal", "sniper", "bluffer", "maniac", "crawler")
    asked = settings(*names, config=preset("perudo"))
    found = [run_tournament(msgspec.structs.replace(asked, seed=seed), backend=InProcess(1)) for seed in (2, 4)]
    rates = [{standing.agent: standing for standing in result.ranking} for result in found]
    for name in names:
        one, other = (result[name] for result in rates)
        assert one.win_rate == pytest.approx(other.win_rate, abs=0.03)
        assert one.ci95 is not None
        assert one.ci95[1] - one.ci95[0] < 0.03


def test_a_table_may_be_spread_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table stays the unit, however its games are cut up."""
    asked = settings("optimal", "bluffer", "random", "crawler", config=preset("perudo", players=3, dice=2), tables=7)
    asked = msgspec.structs.replace(asked, games=30)
    whole = run_tournament(asked, backend=InProcess(1))
    monkeypatch.setattr(tournament_module, "BLOCK_DEALS", {True: 4, False: 4})
    assert run_tournament(asked, backend=InProcess(1)) == whole


def test_compiled_tables_of_a_league_are_those_of_the_referee() -> None:
    """The same members and seats at every table; the dice differ."""
    setup = setup_for("optimal", "bluffer", "random", "crawler", config=preset("perudo", players=3, dice=2))
    tables = ((0, 1, 2), (3, 2, 1), (2, 0, 3))
    changes = {
        "table": (0, 1, 2, 3),
        "tables": tables,
        "deals_per_table": 40,
        "first": 20,
        "deals": 100,
        "rotations": 3,
    }
    found = [Worker(setup).play(block(compiled=compiled, **changes))[0] for compiled in (True, False)]
    for result in found:
        assert [(table.number, table.members) for table in result.tables] == list(enumerate(tables))
        assert (
            [sum(table.wins) for table in result.tables] == [table.games for table in result.tables] == [60, 120, 120]
        )
        decided = np.array(result.decided)
        assert decided[..., 0].sum() == decided[..., 1].sum() == result.rounds
    for one, other in zip(found[0].tables, found[1].tables, strict=True):
        assert np.array(one.wins) / sum(one.wins) == pytest.approx(np.array(other.wins) / sum(other.wins), abs=0.25)


def test_a_game_that_a_bot_forfeits_counts_for_all(tmp_path: Path) -> None:
    """It has no winner; everyone at the table has played it."""
    (tmp_path / "quitter.py").write_text(
        "from liars_dice.agents import Agent\n\n\nclass Quitter(Agent):\n"
        "    def choose_action(self, view):\n        raise SystemExit\n"
    )
    config = preset("perudo", players=3, dice=2)
    result = run_tournament(
        settings("optimal", "random", str(tmp_path / "quitter.py"), config=config, tables=4), backend=InProcess(1)
    )
    assert [standing.games for standing in result.ranking] == [12, 12, 12]
    assert sum(standing.win_rate for standing in result.ranking) <= 1


def test_some_games_are_recorded() -> None:
    asked = settings(
        "optimal", "bluffer", "random", config=preset("perudo", players=3, dice=1), tables=30, record="some"
    )
    store = InMemoryRecorder()
    result = run_tournament(asked, backend=InProcess(1), ledger=Ledger(store, asked))
    assert result.games == 90
    assert len(list(store.games())) == 30


def test_a_league_of_an_earlier_version_is_not_continued() -> None:
    store = InMemoryRecorder()
    ledger = Ledger(store, LEAGUE)
    ledger.begin((), 20)
    ledger.add(Worker(setup_for("optimal", "random", config=preset("heads-up"))).play(block())[0], [])
    ledger.write()
    with pytest.raises(BadValueError, match="a league begun with this version"):
        run_tournament(LEAGUE, backend=InProcess(1), ledger=ledger)


def test_equal_agents_share_a_rank() -> None:
    result = round_robin(["maniac", "threshold:0.35,0.15", "threshold:0.4,0.15"], preset("heads-up"))
    assert [(s.rank, s.rank_interval) for s in result.ranking] == [(1, (1, 1)), (1, (1, 1)), (3, (3, 3))]


def test_ratings_follow_the_win_rates_of_a_large_field() -> None:
    from liars_dice.tournament.fields import agents_in_field as named

    names = named("threshold-grid")[::3]
    result = round_robin(names, preset("heads-up", dice=3), games=100, seed=2, time_limit_seconds=PATIENCE)
    rates = np.array([standing.win_rate for standing in result.ranking])
    ratings = np.array([standing.rating for standing in result.ranking])
    assert np.corrcoef(rates, ratings)[0, 1] > 0.99
    for standing in result.ranking:
        assert standing.rating_interval is not None
        assert standing.rating_interval[0] < standing.rating < standing.rating_interval[1]


def test_an_agent_that_sits_twice_is_not_better_for_it() -> None:
    """The same agent under four names, two of them with two seats at a table of six."""
    names = [f"threshold:0.35{'0' * i},0.15" for i in range(4)]
    result = run_tournament(settings(*names, config=preset("perudo"), tables=1, games=3000), backend=InProcess())
    assert [standing.beats for standing in result.ranking] == [0] * 4
    for row in result.cells:
        for cell in row:
            assert cell is None or 0.4 < cell.win_rate < 0.6


def test_the_breakdown_of_a_mixed_tournament_weighs_exact_pairings_like_played_ones() -> None:
    mixed = round_robin(["optimal", "maniac", "detective"], preset("heads-up", dice=2))
    optimal = next(standing for standing in mixed.ranking if standing.agent == "optimal")
    alone = [round_robin(["optimal", other], preset("heads-up", dice=2)).ranking for other in ("maniac", "detective")]
    parts = [next(s for s in ranking if s.agent == "optimal").opening for ranking in alone]
    assert optimal.opening is not None
    assert parts[0] is not None
    assert parts[1] is not None
    assert optimal.opening.rate == pytest.approx((parts[0].rate + parts[1].rate) / 2, abs=0.06)


# -- learning agents ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("eager")
def test_learners_play_in_order_in_one_worker(tmp_path: Path) -> None:
    (tmp_path / "learner.py").write_text(LEARNER)
    asked = settings("optimal", str(tmp_path / "learner.py"), "detective", games=60)
    alone = run_tournament(asked, backend=InProcess(1))
    assert alone.ordered == (str(tmp_path / "learner.py"),)
    assert alone == run_tournament(asked, backend=Processes(2))
    ignorant = settings("optimal", str(tmp_path / "learner.py"), games=60)
    setup = setup_for(*ignorant.agents, config=preset("heads-up", dice=2))
    apart = [Worker(setup).play(block(deals=7, first=first, compiled=False))[0].wins for first in (0, 7)]
    worker = Worker(setup)
    together = [worker.play(block(deals=7, first=first, compiled=False, ordered=True))[0].wins for first in (0, 7)]
    assert apart[0] == together[0]
    assert apart[1] != together[1]  # it has learnt something


# -- deaths ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("eager")
def test_a_worker_that_dies_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "killer.py").write_text(KILLER.format(when="once", always=False))
    bot = str(tmp_path / "killer.py")
    killed = run_tournament(settings("detective", bot, "random", games=60), backend=Processes(2))
    assert (tmp_path / "killer.killed").exists()
    assert killed == run_tournament(settings("detective", bot, "random", games=60), backend=Processes(1))


@pytest.mark.usefixtures("eager")
def test_a_bot_that_kills_every_worker_pays_for_it_alone(tmp_path: Path) -> None:
    killer = str(tmp_path / "killer.py")
    Path(killer).write_text(KILLER.format(when="always", always=True))
    result = run_tournament(settings("detective", killer, "random", games=4), backend=Processes(2))
    faults = {row.agent: row.faults for row in result.ranking}
    assert set(faults[killer]) == {"died"}
    assert faults["detective"] == faults["random"] == {}
    assert result.complete


class Stopping(Backend):
    """A backend that acts as if Ctrl-C were pressed after `after` blocks."""

    name = "stopping"
    workers = 1

    def __init__(self, after: int) -> None:
        self.after = after
        self.numbers: list[int] = []

    def run(self, setup: WorkerSetup, blocks: Any, on_played: Any) -> None:
        for one in blocks:
            if len(self.numbers) == self.after:
                raise KeyboardInterrupt
            self.numbers.append(one.number)
            on_played(Worker(setup).play(one))


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    "asked", [MIXED, LEAGUE, msgspec.structs.replace(MIXED, games=None)], ids=["sampled", "league", "partly exact"]
)
def test_a_stopped_tournament_goes_on_and_nothing_is_played_twice(asked: TournamentSettings) -> None:
    undisturbed = run_tournament(asked, backend=InProcess(1))
    store = InMemoryRecorder()
    ledger = Ledger(store, asked)
    first = Stopping(after=3)
    partial = run_tournament(asked, backend=first, ledger=ledger)
    assert not partial.complete
    assert partial.games is not None
    assert len(store.documents(BLOCKS)) == 3
    second = Stopping(after=10**9)
    result = run_tournament(asked, backend=second, ledger=Ledger(store, asked, ledger.id))
    assert result == undisturbed
    assert not set(first.numbers) & set(second.numbers)
    third = Stopping(after=0)
    assert run_tournament(asked, backend=third, ledger=Ledger(store, asked, ledger.id)) == undisturbed
    assert tournaments(store)[0].result == undisturbed
    assert find_tournament(store, "last").id == ledger.id


STOPPED = settings("random", "maniac", "optimal", "bluffer", games=1000, config=preset("heads-up"))


def test_a_tournament_that_is_stopped_after_one_pairing_knows_nothing_of_the_others() -> None:
    result = run_tournament(STOPPED, backend=Stopping(after=1))
    by_name = {one.agent: one for one in result.ranking}
    assert result.uneven
    assert result.resolution is None
    assert {name: one.met for name, one in by_name.items()} == {"maniac": 1, "random": 1, "optimal": 0, "bluffer": 0}
    for one in result.ranking:
        assert one.rank_interval == one.own_rank_interval == (1, 4)
        assert one.rating_interval is None
    for name in ("optimal", "bluffer"):
        assert (by_name[name].games, by_name[name].win_rate, by_name[name].ci95) == (0, 0.5, (0.0, 1.0))
    assert by_name["maniac"].win_rate > 0.9  # of its games so far
    assert by_name["maniac"].beats == 1
    assert [one.rank for one in result.ranking][-2:] == [3, 3]
    assert msgspec.json.decode(msgspec.json.encode(result), type=TournamentResult) == result


def test_ranks_of_a_stopped_tournament_are_possible_in_the_long_run() -> None:
    """At first `maniac` has met only the weakest, and wins more than anyone can against all."""
    ranks = {one.agent: one.rank for one in round_robin(STOPPED.agents, preset("heads-up")).ranking}
    for after in range(7):
        result = run_tournament(STOPPED, backend=Stopping(after=after))
        assert result.uneven == (after < 6)
        for one in result.ranking:
            assert one.rank_interval[0] <= ranks[one.agent] <= one.rank_interval[1], (after, one)
    assert result.resolution is not None
    assert all(one.met is None and one.rating_interval for one in result.ranking)


def test_what_pairings_are_left_cannot_change_is_known() -> None:
    """`optimal` has met all others, who can no longer come as far."""
    asked = msgspec.structs.replace(STOPPED, agents=("optimal", "random", "maniac", "bluffer"))
    result = run_tournament(asked, backend=Stopping(after=3))
    assert {one.agent: one.rank_interval for one in result.ranking} == {
        "optimal": (1, 1),
        "random": (2, 4),
        "maniac": (2, 4),
        "bluffer": (2, 4),
    }


@pytest.mark.usefixtures("eager")
def test_a_league_that_is_stopped_before_its_refereed_tables_does_not_rank_their_bots() -> None:
    """Compiled tables come first, so the tables played so far are no fair sample."""
    result = run_tournament(LEAGUE, backend=Stopping(after=2))
    waiting = result.ranking[-1]
    assert (waiting.agent, waiting.games, waiting.rank_interval) == ("detective", 0, (1, 5))
    assert result.uneven
    assert result.resolution is None
    for one in result.ranking:
        assert one.rank_interval == (1, 5)
        assert one.rating_interval is None
        assert one.met is None
    whole = run_tournament(LEAGUE, backend=InProcess(1))
    assert not whole.uneven
    assert whole.resolution is not None


@pytest.mark.parametrize(
    ("agents", "deals"),
    [(("optimal", "bluffer", "random"), 3000), (("optimal", "detective", "random"), 1500), (("llm:x", "random"), 20)],
)
def test_the_default_length_of_a_league(agents: tuple[str, ...], deals: int) -> None:
    """Deals per agent: fewer where games take longer, and few where they cost money."""
    asked = settings(*agents, config=preset("perudo", players=3))
    result = run_tournament(asked, backend=Stopping(after=0))
    assert result.planned == 3 * deals


def test_a_league_goes_on_with_as_many_tables_as_it_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version may have another default."""
    asked = msgspec.structs.replace(LEAGUE, tables=None)
    store = InMemoryRecorder()
    monkeypatch.setattr(tournament_module, "LEAGUE_DEALS", {True: 30, False: 30})
    run_tournament(asked, backend=Stopping(after=1), ledger=Ledger(store, asked, "league"))
    monkeypatch.setattr(tournament_module, "LEAGUE_DEALS", {True: 60, False: 60})
    result = run_tournament(asked, backend=InProcess(1), ledger=Ledger(store, asked, "league"))
    assert result.games == result.planned == 3 * 50
    document = json.loads(store.documents("tournament")["league"])
    del document["tables"], document["result"]  # as an earlier version stored it
    store.save_documents("tournament", {"league": json.dumps(document)})
    with pytest.raises(BadValueError, match="a league begun with this version"):
        run_tournament(asked, backend=InProcess(1), ledger=Ledger(store, asked, "league"))


FEW = settings("optimal", "detective", games=60)


def test_few_refereed_games_are_cut_into_small_blocks() -> None:
    store = InMemoryRecorder()
    run_tournament(FEW, backend=InProcess(1), ledger=Ledger(store, FEW, "few"))
    assert [result.games for result in blocks_of(store, "few")] == [10] * 6


def test_a_tournament_of_an_earlier_version_goes_on_in_its_own_blocks() -> None:
    undisturbed = run_tournament(FEW, backend=InProcess(1))
    store = InMemoryRecorder()
    Ledger(store, FEW, "early").begin((), 20)
    run_tournament(FEW, backend=Stopping(after=1), ledger=Ledger(store, FEW, "early"))
    document = json.loads(store.documents("tournament")["early"])
    del document["refereed_block_deals"]
    store.save_documents("tournament", {"early": json.dumps(document)})
    assert run_tournament(FEW, backend=InProcess(1), ledger=Ledger(store, FEW, "early")) == undisturbed
    assert sorted(result.games for result in blocks_of(store, "early")) == [20, 40]


def test_another_tournament_under_the_same_name_is_refused() -> None:
    store = InMemoryRecorder()
    Ledger(store, MIXED, "spring").begin((), 20)
    changed = msgspec.structs.replace(MIXED, games=80, config=preset("heads-up", dice=3).to_dict())
    with pytest.raises(
        BadValueError, match=r"tournament = 'spring': expected the settings it was started with"
    ) as caught:
        Ledger(store, changed, "spring")
    assert "games was 60, now 80" in str(caught.value)
    assert "config.dice was [2, 2], now [3, 3]" in str(caught.value)
    with pytest.raises(BadValueError, match="0 of 1 tournaments match"):
        find_tournament(store, "winter")


def test_games_that_were_recorded_before_a_death_are_not_recorded_twice() -> None:
    asked = settings("optimal", "detective", games=20, record="all")
    store = InMemoryRecorder()
    ledger = Ledger(store, asked)
    run_tournament(asked, backend=InProcess(1), ledger=ledger)
    assert len(store.games()) == 20
    for kind in (BLOCKS, "tournament"):
        store._documents[kind].clear()
    again = Ledger(store, asked, ledger.id)
    run_tournament(asked, backend=InProcess(1), ledger=again)
    assert len(store.games()) == 20


def run_cli(*arguments: str, halt: Path | None = None, **options: Any) -> subprocess.Popen[str]:
    """Start a command; with `halt`, a folder, `Halting` stops it after its first block, and writes there."""
    if halt is not None:
        halt.mkdir()
    return subprocess.Popen(
        [sys.executable, "-m", "liars_dice", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | ({} if halt is None else {"HALT": str(halt)}),
        **options,
    )


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return {key: value for key, value in found.items() if key not in ("elapsed_s", "compile_s", "run")}


@pytest.mark.parametrize("how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_a_killed_program_resumes(tmp_path: Path, how: signal.Signals) -> None:
    """The whole program is killed, workers and all, or stopped with Ctrl-C; what comes of it in the end is the same."""
    (tmp_path / "halting.py").write_text(HALTING)
    arguments = ("tournament", str(tmp_path / "halting.py"), "detective", "optimal", "--dice", "3", "--games", "300",
                 "--seed", "4", "--workers", "2", "--time-limit", f"{PATIENCE:.0f}", "--json")  # fmt: skip
    undisturbed = run_cli(*arguments, "--db", str(tmp_path / "calm.sqlite"))
    db = str(tmp_path / "games.sqlite")
    process = run_cli(*arguments, "--db", db, halt=tmp_path / "games", start_new_session=True)
    wait_for_a_block(process, db)
    os.killpg(process.pid, how)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode != 0
    if how is signal.SIGINT:
        assert "To continue: liars-dice tournament --resume" in err
        assert json.loads(out)["complete"] is False
    resumed = finished(run_cli("tournament", "--resume", "last", "--db", db, "--json"))
    assert resumed == finished(undisturbed)


def test_workers_do_not_outlive_their_parent(tmp_path: Path) -> None:
    db = str(tmp_path / "games.sqlite")
    (tmp_path / "halting.py").write_text(HALTING)
    words = ["tournament", "detective", str(tmp_path / "halting.py"), "--games", "300", "--workers", "2", "--db", db]
    process = run_cli(*words, "--time-limit", f"{PATIENCE:.0f}", halt=tmp_path / "games", start_new_session=True)
    wait_for_a_block(process, db)
    workers = [os.pidfd_open(pid) for pid in session_of(process.pid) - {process.pid}]
    assert len(workers) >= 2
    process.kill()
    process.communicate()
    for worker in workers:
        assert select.select([worker], [], [], PATIENCE)[0], "a worker is still running"
        os.close(worker)
    assert session_of(process.pid) == set()


def wait_for_a_block(process: subprocess.Popen[str], db: str) -> None:
    """Return as soon as a block of a tournament with `Halting` is recorded; it is not over before it is killed."""
    for _ in range(int(10 * PATIENCE)):
        if Path(db).exists():
            with open_store(db) as store:
                if store.documents(BLOCKS):
                    return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
            break
    raise AssertionError(f"no block was recorded; exit code: {process.poll()}")


def session_of(leader: int) -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == leader and "Z" not in (entry / "stat").read_text().rsplit(")")[1][:3]:
                    found.add(int(entry.name))
            except (OSError, IndexError):
                continue
    return found


def test_ctrl_c_does_not_wait_for_a_slow_learner(tmp_path: Path) -> None:
    """Its bot would think for hours; the program ends all the same."""
    endless = "        import threading\n        print('thinking', flush=True)\n        threading.Event().wait()\n"
    slow = LEARNER.replace("        bid = view.current_bid", f"{endless}        bid = view.current_bid")
    (tmp_path / "slow.py").write_text(slow)
    words = ("tournament", str(tmp_path / "slow.py"), "detective", "--games", "2000", "--time-limit", "86400")
    process = run_cli(*words, start_new_session=True)
    assert process.stderr is not None
    assert any("thinking" in line for line in iter(process.stderr.readline, ""))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert "Stopped before the end" in err
    assert "Traceback" not in err


def test_learners_are_not_tested_while_they_learn(tmp_path: Path) -> None:
    (tmp_path / "learner.py").write_text(LEARNER)
    with pytest.raises(BadValueError, match="agents that do not learn"):
        run_tournament(
            settings("optimal", str(tmp_path / "learner.py"), until_significant=True, games=40), backend=InProcess(1)
        )


def test_a_tournament_that_cannot_begin_leaves_nothing_behind() -> None:
    store = InMemoryRecorder()
    asked = settings("optimal", "nobody")
    with pytest.raises(BadValueError):
        run_tournament(asked, backend=InProcess(1), ledger=Ledger(store, asked))
    assert tournaments(store) == []


# -- who sits first ----------------------------------------------------------------------------------------------------


def test_the_first_listed_sits_first_exactly() -> None:
    """Each pairing is the match with the earlier agent in seat 0, and each listing is a tournament of its own."""
    config = preset("heads-up", dice=2)
    for names in (("optimal", "maniac", "bluffer"), ("bluffer", "maniac", "optimal")):
        found = round_robin(names, config, exact=True, seating="listed")
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                rate = found.matrix[i][j]
                if i == j:
                    assert rate is None
                else:
                    alone = matchup(one, other, config)
                    assert rate == pytest.approx(alone.win_rate_first if i < j else alone.win_rate_second, abs=1e-12)


def test_the_first_listed_sits_first_in_every_game() -> None:
    names, config = ("detective", "optimal", "random"), preset("heads-up", dice=1)
    asked = settings(*names, config=config, games=5, record="all", seating="listed")
    store = InMemoryRecorder()
    result = run_tournament(asked, backend=InProcess(1), ledger=Ledger(store, asked))
    assert result.games == 15
    assert Counter(game.names for game in store.games()) == dict.fromkeys(combinations(names, 2), 5)
    for (i, one), (j, other) in combinations(enumerate(names), 2):
        won = sum(game.winner == 0 for game in store.games() if game.names == (one, other))
        cell, mirror = result.cells[i][j], result.cells[j][i]
        assert cell is not None
        assert mirror is not None
        assert (cell.games, cell.win_rate, mirror.win_rate) == (5, won / 5, 1 - won / 5)


def test_sampled_games_in_the_listed_seating_approach_the_exact_result() -> None:
    names, config = ("optimal", "maniac", "crawler"), preset("heads-up")
    exact = round_robin(names, config, exact=True, seating="listed")
    played = round_robin(names, config, games=40_001, seed=1, seating="listed")
    assert played.games == 3 * 40_001
    known = {standing.agent: standing for standing in exact.ranking}
    for standing in played.ranking:
        now, then = known[standing.agent], standing
        assert then.ci95 is not None
        assert then.ci95[0] - 0.005 <= now.win_rate <= then.ci95[1] + 0.005
        assert now.opening is not None
        assert then.opening is not None
        assert then.opening.rate == pytest.approx(now.opening.rate, abs=0.01)
        share = then.opening.rounds / (then.opening.rounds + (then.answering.rounds if then.answering else 0))
        expected = now.opening.rounds / (now.opening.rounds + (now.answering.rounds if now.answering else 0))
        assert share == pytest.approx(expected, abs=0.01)
    cell = played.cells[0][1]
    assert cell is not None
    assert cell.ci95 == pytest.approx(wilson_ci(round(cell.win_rate * 40_001), 40_001), abs=1e-9)


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (settings(), "at least two agents"),
        (settings("optimal"), "at least two agents"),
        (settings("optimal", "optimal"), "each agent only once"),
        (settings("optimal", "conservativ"), "perhaps|conservative"),
        (settings("optimal", "random", games=5), "a multiple of 2"),
        (settings("optimal", "random", games=0, seating="listed"), "games = 0"),
        (settings("optimal", "random", seating="first"), "seating = 'first': expected one of both, listed"),
        (settings("optimal", "random", config=preset("perudo"), seating="listed"), "both in a league"),
        (settings("optimal", "random", tables=5), "no --tables in a round robin"),
        (settings("optimal", "random", config=preset("perudo"), exact=True), "2 with --exact"),
        (settings("optimal", "random", config=preset("perudo"), until_significant=True), "2 with --until-significant"),
        (settings("optimal", "random", config=preset("perudo"), games=10), "a multiple of 6"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: TournamentSettings, message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        run_tournament(asked, backend=InProcess(1))


def test_an_agent_that_does_not_play_with_so_many(tmp_path: Path) -> None:
    (tmp_path / "duellist.py").write_text(LEARNER.replace("    lost = 0", "    lost = 0\n    players = (2, 2)"))
    with pytest.raises(BadValueError, match="expected an agent that plays with 3 players"):
        run_tournament(
            settings("optimal", str(tmp_path / "duellist.py"), config=preset("perudo", players=3)), backend=InProcess(1)
        )


def test_results_survive_json() -> None:
    result = run_tournament(MIXED, backend=InProcess())
    assert msgspec.json.decode(msgspec.json.encode(result), type=TournamentResult) == result
    played: PlayedBlock = Worker(setup_for("optimal", "random", config=preset("heads-up"))).play(block())
    assert msgspec.json.decode(msgspec.json.encode(played[0]), type=BlockResult) == played[0]


def test_exact_cells_are_those_of_matchups() -> None:
    from liars_dice.agents import make_agent

    names = ("optimal", "maniac", "crawler")
    win = Matchups([make_agent(name) for name in names], preset("heads-up")).match.win
    cell = round_robin(names, preset("heads-up")).cells[0][2]
    assert cell is not None
    assert cell.win_rate == pytest.approx((win[0, 2] + 1 - win[2, 0]) / 2, abs=1e-15)
