"""Match-ups and round robins pick the fastest honest method, and say which."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liars_dice.agents import PolicyError
from liars_dice.core import BadValueError, GameConfig, preset
from liars_dice.exact.errors import OutOfReachError
from liars_dice.simulator.compiled_games import Simulator
from liars_dice.tournament import pair_matchup as matchup_module
from liars_dice.tournament.blocks import BlockResult
from liars_dice.tournament.fields import FIELDS, agents_in_field
from liars_dice.tournament.pair_matchup import matchup
from liars_dice.tournament.result import TournamentSettings
from liars_dice.tournament.runner import round_robin
from liars_dice.tournament.summary import RunNotes, summarise_round_robin
from patience import AMPLE, PATIENCE

SCEPTIC = """
from liars_dice import CallLiarAction
from liars_dice.agents import Agent

class Sceptic(Agent):
    memoryless = {memoryless}

    def choose_action(self, view):
        if view.current_bid and view.current_bid.quantity > view.my_dice.count(view.current_bid.face):
            return CallLiarAction()
        return view.legal_actions[0]
"""
BROKEN = SCEPTIC.replace(
    "        if view", "        if len(view.my_dice) == 1: raise ValueError('lonely')\n        if view"
)


@pytest.fixture
def sceptic(tmp_path: Path) -> str:
    (tmp_path / "sceptic.py").write_text(SCEPTIC.format(memoryless=True))
    return str(tmp_path / "sceptic.py")


def test_exact_if_possible() -> None:
    found = matchup("optimal", "maniac", preset("heads-up"))
    assert (found.method, found.games, found.ci95) == ("exact", None, None)
    assert found.win_rate == pytest.approx((found.win_rate_first + found.win_rate_second) / 2, abs=1e-15)
    assert sum(end.probability for end in found.final_dice) == pytest.approx(1, abs=1e-12)
    assert sum(end.probability for end in found.final_dice if end.b == 0) == pytest.approx(found.win_rate, abs=1e-12)
    back = matchup("maniac", "optimal", preset("heads-up"))
    assert back.win_rate_first == pytest.approx(1 - found.win_rate_second, abs=1e-12)
    assert back.expected_rounds == pytest.approx(found.expected_rounds, abs=1e-12)
    assert found.round_first == pytest.approx(0.6064526885245741, abs=1e-12)


def test_dice_belong_to_seats() -> None:
    found = matchup("optimal", "optimal", preset("duel"))
    assert found.win_rate == pytest.approx(0.5, abs=1e-15)
    assert found.win_rate_first == found.round_first


def test_games_if_asked_for() -> None:
    found = matchup("optimal", "maniac", preset("heads-up"), games=20_000, seed=3)
    exact = matchup("optimal", "maniac", preset("heads-up"))
    assert (found.method, found.games) == ("compiled", 20_000)
    assert found.ci95 is not None
    assert found.ci95[0] < exact.win_rate < found.ci95[1]
    assert found == matchup("optimal", "maniac", preset("heads-up"), games=20_000, seed=3, workers=1)


def test_a_strangers_bot_is_measured_exactly(sceptic: str) -> None:
    config = preset("heads-up", dice=2)
    found = matchup(sceptic, "optimal", config, limits=AMPLE)
    assert found.method == "exact"
    played = matchup(sceptic, "optimal", config, games=20_000, seed=1, limits=AMPLE)
    assert played.ci95 is not None
    assert played.ci95[0] < found.win_rate < played.ci95[1]


def test_who_is_played_by_default_is_not_told_to_play_games() -> None:
    found = matchup("detective", "random", preset("heads-up", dice=1), seed=1, time_limit_seconds=PATIENCE)
    assert found.method == "engine"
    assert found.why == "detective does not declare `memoryless`, so the referee plays it"


def test_the_engine_if_nothing_else_can() -> None:
    rules = preset("heads-up", dice=2)
    found = matchup("detective", "random", rules, games=40, seed=1, time_limit_seconds=PATIENCE)
    assert found.method == "engine"
    assert found.why == "detective does not declare `memoryless`, so the referee plays it"
    assert found.games == 40
    assert found == matchup(
        "detective", "random", preset("heads-up", dice=2), games=40, seed=1, time_limit_seconds=PATIENCE
    )


def test_engine_and_simulator_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    config = preset("heads-up", dice=2)
    exact = matchup("bluffer", "crawler", config)

    monkeypatch.setattr(matchup_module, "fit_for_simulator", lambda *_, **__: [False, False])
    found = matchup("bluffer", "crawler", config, games=4000, seed=1, time_limit_seconds=PATIENCE)
    assert found.method == "engine"
    assert found.ci95 is not None
    assert found.ci95[0] < exact.win_rate < found.ci95[1]


def test_a_bot_that_fails_is_refereed(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN.format(memoryless=True))
    broken = str(tmp_path / "broken.py")
    with pytest.raises(PolicyError, match="lonely"):
        matchup(broken, "random", preset("heads-up", dice=2), exact=True, limits=AMPLE)
    found = matchup(broken, "optimal", preset("heads-up", dice=2), games=20, seed=1, limits=AMPLE)
    assert found.method == "engine"
    assert found.faults > 0
    assert "lonely" in found.why


def test_a_slow_bot_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        SCEPTIC.format(memoryless=True).replace(
            "        if view", "        import time; time.sleep(60)\n        if view"
        )
    )
    with pytest.raises(PolicyError, match="too_slow"):
        matchup(str(tmp_path / "slow.py"), "random", preset("classic", dice=1), exact=True)


def test_ctrl_c_keeps_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchup_module, "BLOCK_DEALS", {True: 100, False: 20})

    def impatient(done: int, total: int) -> None:
        if done >= 400:
            monkeypatch.setattr(Simulator, "play", _interrupt)

    found = matchup("optimal", "maniac", preset("heads-up"), games=10_000, seed=1, progress=impatient)
    assert found.games == 400
    assert not found.complete


def _interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


FICKLE = """
import random
from liars_dice.agents import Agent

class Fickle(Agent):
    memoryless = True

    def choose_action(self, view):
        print("hm")
        return random.choice(view.legal_actions)
"""


def test_a_bot_that_only_says_it_is_memoryless_is_refereed(tmp_path: Path) -> None:
    """Found out while its table is made, it is not simulated from another table either."""
    (tmp_path / "fickle.py").write_text(FICKLE)
    found = matchup(str(tmp_path / "fickle.py"), "optimal", preset("classic", dice=1), limits=AMPLE)
    assert found.method == "engine"
    assert "two answers" in found.why
    names = [str(tmp_path / "fickle.py"), "optimal", "maniac"]
    tournament = round_robin(names, preset("classic", dice=1), time_limit_seconds=PATIENCE)
    assert tournament.method == "engine"


def test_who_plays_with_others_is_told(tmp_path: Path) -> None:
    for players, message in (("(3, 6)", "plays with 2 players"), ("None", "fewest, most")):
        (tmp_path / "bot.py").write_text(SCEPTIC.format(memoryless=f"True\n    players = {players}"))
        for options in ({}, {"games": 10}):
            with pytest.raises(BadValueError, match=message):
                matchup(str(tmp_path / "bot.py"), "optimal", preset("heads-up", dice=2), **options)  # type: ignore[arg-type]


# -- round robins ------------------------------------------------------------------------------------------------------


def test_the_grid_has_81_agents() -> None:
    assert len(set(agents_in_field("threshold-grid"))) == 81
    assert {"threshold:0.1,0.1", "threshold:0.35,0.15", "threshold:0.5,0.5"} <= set(agents_in_field("threshold-grid"))
    assert all(agents_in_field(name) for name in FIELDS)
    with pytest.raises(BadValueError, match=r"field = 'threshold-gird': expected .*threshold-grid"):
        agents_in_field("threshold-gird")


def test_an_exact_round_robin() -> None:
    names = agents_in_field("personalities")
    found = round_robin(names, preset("heads-up"))
    assert (found.method, found.games) == ("exact", None)
    matrix = np.array([[np.nan if rate is None else rate for rate in row] for row in found.matrix])
    apart = ~np.eye(len(names), dtype=bool)
    assert np.allclose((matrix + matrix.T)[apart], 1, atol=1e-15)
    for standing in found.ranking:
        row = matrix[names.index(standing.agent)]
        assert standing.win_rate == pytest.approx(np.nanmean(row), abs=1e-15)
        assert standing.beats == (row > 0.5 + 1e-12).sum()
        assert standing.ci95 is None
    assert [s.win_rate for s in found.ranking] == sorted((s.win_rate for s in found.ranking), reverse=True)
    pair = matchup("optimal", "maniac", preset("heads-up"))
    assert matrix[names.index("optimal"), names.index("maniac")] == pytest.approx(pair.win_rate, abs=1e-12)


def test_a_sampled_round_robin_agrees_with_the_exact_one() -> None:
    names = agents_in_field("personalities")
    exact = round_robin(names, preset("heads-up"))
    found = round_robin(names, preset("heads-up"), games=20_000, seed=4)
    assert (found.method, found.games) == ("compiled", 10 * 20_000)
    rates = {standing.agent: standing for standing in found.ranking}
    for standing in exact.ranking:
        interval = rates[standing.agent].ci95
        assert interval is not None
        assert interval[0] - 0.002 < standing.win_rate < interval[1] + 0.002
        assert rates[standing.agent].beats <= standing.beats
        low, high = rates[standing.agent].rank_interval
        assert low <= standing.rank <= high
    assert found == round_robin(names, preset("heads-up"), games=20_000, seed=4, workers=1)


def test_intervals_of_means_hold_what_they_promise() -> None:
    """Of many sampled tournaments, about 95% of the intervals hold the exact mean; narrow ones would not."""
    names = agents_in_field("personalities")
    exact = {standing.agent: standing.win_rate for standing in round_robin(names, preset("heads-up", dice=2)).ranking}
    held = []
    for seed in range(24):
        for standing in round_robin(names, preset("heads-up", dice=2), games=100, seed=seed).ranking:
            assert standing.ci95 is not None
            held.append(standing.ci95[0] <= exact[standing.agent] <= standing.ci95[1])
    assert 0.88 < np.mean(held) < 1


def test_many_comparisons_ask_for_more() -> None:
    """Six pairs that each look significant alone (p = 0.03) are not, together."""
    config = preset("heads-up", dice=2)
    settings = TournamentSettings(
        kind="round-robin", agents=("a", "b", "c", "d"), rules="x", config=config.to_dict(), seed=1
    )
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    results = [
        BlockResult(
            number=number, table=pair, games=96, compiled=True, wins=[[0, 0], [0, 0]], pairs=(15, 3, 30), rounds=0,
            decided=[[], []],
        )
        for number, pair in enumerate(pairs)
    ]  # fmt: skip
    alone = summarise_round_robin(settings, None, results[:1], RunNotes())
    assert alone.ranking[0].beats == 1
    together = summarise_round_robin(settings, None, results, RunNotes())
    assert [standing.beats for standing in together.ranking] == [0] * 4


def test_a_field_with_a_memory_is_played_by_the_engine() -> None:
    found = round_robin(["detective", "random", "optimal"], preset("heads-up", dice=1), games=20, seed=1)
    assert found.method == "engine"
    assert found.games == 60
    assert all(standing.beats + standing.ties <= 2 for standing in found.ranking)


def test_ties_are_counted() -> None:
    found = round_robin(["threshold:0.35,0.15", "threshold:0.4,0.15", "maniac"], preset("heads-up"))
    assert [(s.agent, s.beats, s.ties) for s in found.ranking[:2]] == [
        ("threshold:0.35,0.15", 1, 1),
        ("threshold:0.4,0.15", 1, 1),
    ]


@pytest.mark.parametrize(
    ("names", "config", "options", "message"),
    [
        ([], preset("heads-up"), {}, "at least two agents"),
        (["optimal"], preset("heads-up"), {}, "at least two agents"),
        (["optimal", "optimal"], preset("heads-up"), {}, "each agent only once"),
        (["optimal", "maniac"], preset("perudo"), {}, "players = 6: expected 2"),
        (["optimal", "maniac"], preset("heads-up"), {"games": 3}, "games = 3: expected a multiple of 2"),
        (["optimal", "manic"], preset("heads-up"), {}, "agent = 'manic': expected .*maniac"),
        (["optimal", "nothing.py"], preset("heads-up"), {}, "nothing.py"),
    ],
)
def test_bad_input_to_a_round_robin(
    names: list[str], config: GameConfig, options: dict[str, int], message: str
) -> None:
    with pytest.raises(Exception, match=message) as caught:
        round_robin(names, config, **options)  # type: ignore[arg-type]
    assert isinstance(caught.value, (BadValueError, OutOfReachError, ValueError))


@pytest.mark.parametrize("rules", [preset("perudo"), preset("perudo", players=3)])
def test_a_matchup_is_between_two(rules: GameConfig) -> None:
    with pytest.raises(BadValueError, match="expected 2"):
        matchup("optimal", "maniac", rules)


def test_programs_are_played_by_the_engine_alone() -> None:
    with pytest.raises(OutOfReachError, match="is a program"):
        matchup("cmd:sh", "optimal", preset("heads-up"), exact=True)
