"""`champion` as an agent: what it plays where, its levels, and that it plays the same wherever it sits."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from liars_dice.agents import AgentNameError, BatchAgent, DetectiveAgent, Policy, make_agent, play_game, think_ahead
from liars_dice.core import GameConfig, GameEngine, GameView, load_rules, preset, view_of
from liars_dice.exact.solver.nash import NashAgent
from liars_dice.learn.champion.agent import LEVELS, SELDOM, ChampionAgent, network_policies
from liars_dice.learn.champion.player import SHIPPED, Champion, fits, seen_in
from liars_dice.learn.champion.yielding import MEASURED, left_to_nash, measured_rules
from liars_dice.referee import Referee
from liars_dice.referee.referee import play_side_by_side
from liars_dice.tournament import matchup
from liars_dice.tournament.blocks import Block, Worker, WorkerSetup
from patience import AMPLE
from support import dealt, play

NAMES = ("champion", *(f"champion:{level}" for level in LEVELS))
TABLES = {
    "six": preset("perudo"),
    "palifico": preset("perudo-tournament", players=4),
    "no exact calls": preset("perudo", players=3, exact_call=False),
    "no wilds": preset("perudo", players=3, wild="none", exact_call=False),
    "nobody pays": preset("perudo", players=3, dice=(1, 5, 3), exact_payer="nobody"),
}


def views_of(config: GameConfig, games: int = 1) -> list[GameView]:
    """What the players see in some games of champions."""
    views = []

    class Noting(ChampionAgent):
        def policy(self, view: GameView) -> Policy:
            views.append(view)
            return super().policy(view)

    for seed in range(games):
        play_game([Noting() for _ in config.dice], config, seed=seed)
    return views


@pytest.mark.parametrize("rules", TABLES)
@pytest.mark.parametrize("name", NAMES)
def test_its_policy_is_legal_and_adds_up(name: str, rules: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, BatchAgent)
    views = views_of(TABLES[rules])
    for view, policy in zip(views, agent.policies(views), strict=True):
        assert sum(policy.values()) == pytest.approx(1, abs=1e-12)
        assert set(policy) <= set(view.legal_actions)
        assert min(policy.values()) > 0


def test_it_leaves_out_what_the_network_hardly_ever_does() -> None:
    agent = ChampionAgent()
    view = views_of(TABLES["six"])[0]
    (whole,) = agent.network.distributions([seen_in(view)])
    assert len(agent.policy(view)) == (whole >= SELDOM).sum() < (whole > 0).sum()


def test_it_plays_as_often_as_its_policy_says() -> None:
    agent = make_agent("champion")
    agent.seed(1)
    view = view_of(play(dealt(preset("perudo", players=3, dice=2), (2, 2), (4, 5), (1, 6)), "1x2"), 1)
    policy = agent.policy(view)
    assert policy is not None
    assert len(policy) > 3
    counts = Counter(str(agent.choose_action(view)) for _ in range(2000))
    assert all(abs(counts[str(action)] / 2000 - chance) < 0.05 for action, chance in policy.items())


def test_it_reads_the_bidding() -> None:
    """The same dice and the same bid, but others have spoken for the face, or for another."""
    config = preset("perudo", players=3, dice=5)
    hands = (2, 3, 4, 5, 6), (2, 3, 4, 5, 6), (2, 3, 4, 5, 6)
    heard = view_of(play(dealt(config, *hands), "5x6 6x6"), 2)
    other = view_of(play(dealt(config, *hands), "5x2 6x6"), 2)
    calls = [Champion.shipped().distributions([seen_in(view)])[0, -2] for view in (heard, other)]
    assert calls[0] < calls[1]


def test_many_at_once_are_answered_as_one_by_one() -> None:
    agent = make_agent("champion")
    assert isinstance(agent, ChampionAgent)
    views = [view for config in TABLES.values() for view in views_of(config)]
    for view, together in zip(views, agent.policies(views), strict=True):
        alone = agent.policies([view])[0]
        assert list(alone) == pytest.approx(list(together)) or set(alone) == set(together)
        assert all(together[action] == pytest.approx(chance, abs=1e-5) for action, chance in alone.items())
    seen = [seen_in(view) for view in views]
    alone_too = np.concatenate([agent.network.chances([one]) for one in seen])
    assert np.allclose(agent.network.chances(seen), alone_too, atol=1e-5)


def test_a_file_of_another_kind_is_no_champion(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    (tmp_path / "damaged.npz").write_bytes(b"PK")
    (tmp_path / "empty.npz").touch()
    for name in ("other.npz", "damaged.npz", "empty.npz", "missing.npz"):
        with pytest.raises(AgentNameError, match="expected a model that train champion wrote"):
            make_agent(f"champion:{tmp_path / name}")


def test_a_network_of_ones_own_plays_alone() -> None:
    """Someone who measures a network wants its moves, not those of a solution."""
    own = ChampionAgent("mine", network=Champion.shipped())
    for config in (preset("perudo", players=2, dice=1), preset("perudo", players=2, dice=1, mode="single_round")):
        view = first_view(config, (1, 1))
        assert own.source(view) == "network for two players"
        assert own.policy(view) == network_policies(own.network, [view])[0] != make_agent("champion").policy(view)


@pytest.mark.parametrize(
    ("config", "dice", "source"),
    [
        (preset("perudo", players=2, dice=1), (1, 1), "equilibrium of the match, 1 against 1 dice"),
        (preset("perudo", dice=(0 + 2, 1, 3)), (2, 1, 0), "equilibrium of the match, 2 against 1 dice"),
        (preset("perudo", players=2, dice=2), (2, 2), "equilibrium of the match, 2 against 2 dice"),
        (preset("perudo", players=2, dice=3), (3, 3), "network for two players"),
        (preset("perudo", players=2, dice=1, exact_call=False), (1, 1), "network for two players"),
        (preset("perudo", players=2, dice=2, exact_call=False), (2, 2), "by the odds"),
        (preset("perudo", players=2, dice=3, exact_call=False), (3, 3), "network for two players"),
        (preset("perudo-tournament", dice=(2, 1, 3)), (2, 1, 0), "equilibrium of the match, 2 against 1 dice, of the"),
        (preset("perudo-tournament", players=2, dice=1), (1, 1), "network for two players"),
        (preset("perudo-tournament", players=2), (5, 5), "network for two players"),
        (preset("heads-up", dice=3), (3, 3), "equilibrium, 3 against 3 dice"),
        (preset("heads-up"), (5, 5), "short-memory strategy, 5 against 5 dice"),
        (preset("perudo", players=3), (5, 5, 5), "network for three to six"),
        (preset("duel"), (2, 3), "equilibrium, 2 against 3 dice"),
        (preset("perudo", players=2, mode="single_round"), (5, 5), "network for two players"),
        (preset("perudo", players=2, mode="single_round", dice=2), (2, 2), "equilibrium, 2 against 2 dice"),
        (preset("perudo", players=3, mode="single_round"), (5, 5, 5), "champion is not made for these rules"),
        (preset("perudo", players=7), (5,) * 7, "champion is not made for these rules, so it plays as detective"),
        (preset("perudo", faces=8), (5,) * 6, "champion is not made for these rules, so it plays as detective"),
        (preset("perudo", table_dice=1), (5,) * 6, "champion is not made for these rules, so it plays as detective"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)  # fmt: skip
def test_it_says_where_its_moves_come_from(config: GameConfig, dice: tuple[int, ...], source: str) -> None:
    view = first_view(config, dice)
    action = make_agent("champion").choose_action(view)
    assert not isinstance(action, str)
    assert getattr(action, "reasoning").startswith(source)  # noqa: B009
    policy = make_agent("champion").policy(view)
    if source.startswith(("equilibrium", "short-memory", "by the odds")):
        assert policy == NashAgent().policy(view)
    elif "not made" in source:
        assert policy is not None
        assert [*map(str, policy)] == [str(DetectiveAgent().choose_action(view))]


@pytest.mark.parametrize("rules", MEASURED)
def test_it_yields_where_nash_was_measured_to_be_less_exploitable_and_nowhere_else(rules: str) -> None:
    config = load_rules(rules, players=2)
    assert measured_rules(view_of(play(dealt(config, (1,) * 5, (2,) * 5), ""), 0).public.rules) == rules
    for opener, other in product((1, 2, 3), repeat=2):
        view = first_view(config.replace(dice=(opener, other)), (opener, other))
        found = MEASURED[rules].get((opener, other))
        yielded = left_to_nash(view)
        assert (yielded is not None) == (found is not None and found.nash < found.network)
        assert yielded is None or yielded[1] == NashAgent().policy(view)


def first_view(config: GameConfig, dice: tuple[int, ...]) -> GameView:
    """What the first player sees when a round begins with these dice."""
    engine = GameEngine(config, seed=1)
    if dice != config.dice:
        alone = GameEngine(config.replace(dice=tuple(n for n in dice if n)), seed=1)
        alone.start_new_round()
        return alone.get_view(0)
    engine.start_new_round()
    return engine.get_view(0)


@pytest.mark.parametrize("changes", [{"faces": 5}, {"hidden_dice": 2}, {"max_turns": 4}, {"dice": 6}, {"players": 8}])
def test_rules_it_is_not_made_for(changes: dict[str, int]) -> None:
    assert not fits(preset("perudo", **changes))


def test_names_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(AgentNameError, match=r"agent = 'champion:hrd': expected one of easy.*did you mean hard"):
        make_agent("champion:hrd")
    with pytest.raises(AgentNameError, match="expected a model that train champion wrote"):
        make_agent(f"champion:{tmp_path}/nothing.npz")
    (tmp_path / "broken.npz").write_bytes(b"not weights")
    with pytest.raises(AgentNameError, match="expected a model that train champion wrote"):
        make_agent(f"champion:{tmp_path}/broken.npz")


def test_a_model_of_your_own() -> None:
    agent = make_agent(f"champion:{SHIPPED}")
    view = views_of(TABLES["six"])[3]
    assert agent.policy(view) == make_agent("champion").policy(view)


def test_it_can_be_sent_to_another_process() -> None:
    agent = pickle.loads(pickle.dumps(make_agent("champion:hard")))
    view = views_of(TABLES["six"])[3]
    assert agent.policy(view) == make_agent("champion:hard").policy(view)


def test_it_needs_no_torch_to_play_and_nothing_heavy_to_be_listed() -> None:
    script = (
        "import sys, liars_dice.agents as a; assert 'champion' in a.AGENTS; assert 'numpy' not in sys.modules; "
        "a.make_agent('champion'); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_games_side_by_side_are_the_games_one_by_one() -> None:
    """With other bots, and with levels: the same games, the same events."""
    config = preset("perudo-tournament", players=4, dice=3)
    seats = ("champion", "bluffer", "champion:medium", "detective")

    def referees() -> list[Referee]:
        return [Referee([make_agent(name) for name in seats], config, seed=seed, limits=AMPLE) for seed in range(6)]

    together = play_side_by_side(referees())
    assert together == [referee.play() for referee in referees()]
    assert {result.faults for result in together} == {()}


def test_thinking_ahead_changes_no_answer() -> None:
    views = views_of(TABLES["six"])[:5]
    agents = [make_agent("champion") for _ in views]
    questions = [(agent, view) for agent, view in zip(agents, views, strict=True) if isinstance(agent, BatchAgent)]
    think_ahead(questions)
    for agent, view in questions:
        ahead, alone = agent.policy(view), make_agent("champion").policy(view)
        assert alone is not None
        assert ahead.keys() == alone.keys()
        assert agent.policy(views[0] if view is not views[0] else views[1]) != ahead


def test_any_number_of_workers_gives_the_same_result() -> None:
    one, two = (
        matchup("champion", "champion:easy", preset("perudo", players=2, dice=2), games=240, seed=3, workers=workers)
        for workers in (1, 2)
    )
    assert one == two
    assert one.faults == 0


def test_a_block_is_played_side_by_side_with_the_same_result() -> None:
    setup = WorkerSetup(agents=("champion", "maniac", "champion"), config=preset("perudo", players=3, dice=2))
    block = Block(number=0, table=(0, 1, 2), seed=5, first=2, deals=4, rotations=3, compiled=False)
    worker = Worker(setup)
    assert worker._side_by_side(block)
    together, _ = worker.play(block)
    worker._side_by_side = lambda block: False  # type: ignore[method-assign]
    assert worker.play(block)[0] == together
    assert not Worker(WorkerSetup(agents=("maniac", "random"), config=preset("perudo", players=2)))._side_by_side(
        Block(number=0, table=(0, 1), seed=5, first=0, deals=1, rotations=1, compiled=False)
    )


def test_levels_are_weaker_in_their_order() -> None:
    """How much of its play each level leaves to a rule bot; `benchmarks/champion.py` measures what that costs."""
    shares = [LEVELS[level] for level in ("hard", "medium", "easy")]
    assert shares == sorted(shares)
    view = views_of(TABLES["six"])[1]
    whole = make_agent("champion").policy(view)
    for level in LEVELS:
        mixed = make_agent(f"champion:{level}").policy(view)
        assert whole is not None
        assert mixed is not None
        kept = {action: chance for action, chance in mixed.items() if action in whole}
        assert sum(chance * (1 - LEVELS[level]) for chance in whole.values()) <= sum(kept.values()) + 1e-9


def test_a_decision_takes_a_millisecond_at_most() -> None:
    """Of processor time, at most positions: each is asked several times, and its fastest answer counts."""
    agent = make_agent("champion")
    views = views_of(TABLES["six"])[:40]
    times = np.zeros((8, len(views)))
    for repeat, place in np.ndindex(times.shape):
        clock = time.thread_time()
        agent.choose_action(views[place])
        times[repeat, place] = time.thread_time() - clock
    usual = float(np.median(times.min(0)))
    assert usual < 0.001, f"{1000 * usual:.2f} ms"


def test_the_weights_are_small() -> None:
    assert SHIPPED.stat().st_size <= 4_000_000
