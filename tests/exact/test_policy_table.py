"""Policy tables say what their agents do."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liars_dice.agents import (
    AGENTS,
    Agent,
    Policy,
    PolicyAgent,
    PolicyError,
    RandomAgent,
    ThresholdAgent,
    make_agent,
    states_policy,
)
from liars_dice.core import Action, BidAction, CallLiarAction, GameConfig, GameView, play_game, preset
from liars_dice.exact.tables.builtin_policies import VECTORISED
from liars_dice.exact.tables.policy_table import (
    UNKNOWN,
    PolicyBook,
    PolicyTable,
    disagreements,
)
from liars_dice.exact.tables.situation import cells_needed, count_rungs, situation_of, situations
from support import configs

MEMORYLESS = [name for name, info in AGENTS.items() if info.memoryless]
VARIANTS = {
    "heads-up": preset("heads-up", dice=2),
    "perudo with palifico": preset("perudo", players=3, dice=2, faces=4, palifico=True),
    "perudo with palifico and six faces": preset("perudo", players=3, dice=2, palifico=True),
    "standard order, tops wild and barred, impossible bids, opening limits": GameConfig(
        dice=(2, 2),
        bid_ordering="liars_dice_standard",
        wild="top",
        wild_bids="forbidden",
        max_quantity=6,
        opening_min_quantity=2,
        open_on_ones=False,
    ),
    "at most three bids": preset("heads-up", dice=2, faces=4, max_turns=3, exact_call=True),
    "at most one bid": preset("classic", dice=1, max_turns=1),
    "palifico and a cap on bids": preset("perudo", players=3, dice=2, faces=3, palifico=True, max_turns=2),
}


class Sceptic(Agent):
    """A stranger's memoryless agent: calls everything above what it holds."""

    memoryless = True

    def choose_action(self, view: GameView) -> Action:
        bid = view.current_bid
        if bid is not None and bid.quantity > view.my_dice.count(bid.face):
            return CallLiarAction("too much")
        return view.legal_actions[0]


class Drunk(PolicyAgent):
    """Mixes, with numbers that are not simple."""

    memoryless = True

    def policy(self, view: GameView) -> Policy:
        weights = [1.0 + i % 3 + view.my_dice[0] / 7 for i, _ in enumerate(view.legal_actions)]
        return {action: w / sum(weights) for action, w in zip(view.legal_actions, weights, strict=True)}


def test_every_memoryless_built_in_agent_is_vectorised() -> None:
    assert {type(make_agent(name)) for name in MEMORYLESS} == set(VECTORISED)


SLOW = "perudo with palifico and six faces"


@pytest.mark.parametrize("variant", [pytest.param(one, marks=[pytest.mark.slow] * (one == SLOW)) for one in VARIANTS])
@pytest.mark.parametrize("name", [*MEMORYLESS, "threshold:0,1", "threshold:1,0"])
def test_tables_agree_with_their_agents_in_every_cell(name: str, variant: str) -> None:
    agent = make_agent(name)
    book = PolicyBook(agent)
    cells = 0
    for situation in situations(VARIANTS[variant]):
        table = book[situation]
        assert list(disagreements(table, agent)) == []
        cells += table.cells.size
    assert cells == cells_needed(VARIANTS[variant])


@settings(max_examples=25, deadline=None)
@given(config=configs(max_players=4, max_dice=3, shared=False), pick=st.randoms(use_true_random=False))
def test_tables_agree_with_their_agents_under_any_rules(config: GameConfig, pick: random.Random) -> None:
    every = list(situations(config))
    for situation in pick.sample(every, min(3, len(every))):
        assert len(situation.rules.ladder) == count_rungs(
            config, situation.rules.total_dice, palifico=situation.rules.palifico
        )
        for name in pick.sample(MEMORYLESS, 3):
            agent = make_agent(name)
            assert list(disagreements(PolicyTable(agent, situation), agent)) == []


@settings(max_examples=40, deadline=None)
@given(config=configs(max_players=4, max_dice=3, shared=False), seed=st.integers(0, 2**32))
def test_every_decision_of_a_game_is_in_a_table(config: GameConfig, seed: int) -> None:
    """No view arises in play that is not one of the situations, with a column that arises."""
    every = set(situations(config))
    seen: list[GameView] = []

    class Noting(RandomAgent):
        def choose_action(self, view: GameView) -> Action:
            seen.append(view)
            return super().choose_action(view)

    play_game([Noting() for _ in config.dice], config, seed=seed)
    for view in seen:
        situation = situation_of(view)
        assert situation in every
        assert situation.arises(view.public.rung)
        again = situation.view(view.my_dice, view.public.rung)
        assert again is not None
        assert again.legal_actions == view.legal_actions
        assert again.is_my_turn
        assert situation_of(again) == situation


@pytest.mark.parametrize("agent", [Sceptic(), Drunk()])
def test_a_strangers_agent_is_asked_when_a_cell_is_needed(agent: Agent) -> None:
    table = PolicyTable.of(agent, preset("classic", dice=2), own=2, other=2)
    assert (table.cells == UNKNOWN).all()
    assert table[(3, 3), "1x3"]
    assert (table.cells != UNKNOWN).sum() == 1
    table.complete()
    assert (table.cells != UNKNOWN).all()
    assert list(disagreements(table, agent)) == []
    assert (table.cells < 0).any() == isinstance(agent, Drunk)


def test_a_subclass_of_a_built_in_agent_is_asked() -> None:
    class Contrary(ThresholdAgent):
        def choose_action(self, view: GameView) -> Action:
            return CallLiarAction() if view.current_bid else super().choose_action(view)

    agent = Contrary()
    table = PolicyTable.of(agent, preset("classic", dice=1), own=1, other=1).complete()
    assert (table.cells[:, 1:] == table.liar).all()


def test_a_table_reads_like_the_game() -> None:
    table = PolicyTable.of(make_agent("random"), preset("classic", dice=1), own=1, other=1)
    assert len(table[(4,), None]) == 12
    assert {str(action): round(chance, 3) for action, chance in table[(4,), "2x4"].items()} == {
        "2x5": 0.333,
        "2x6": 0.333,
        "liar": 0.333,
    }


def test_tables_grow_only_by_what_is_asked() -> None:
    """Rows of large tables are made when they are first needed: 60 dice would have millions."""
    situation = next(situations(preset("classic", dice=10)))
    asked: list[GameView] = []

    class Counting(Sceptic):
        def choose_action(self, view: GameView) -> Action:
            asked.append(view)
            return super().choose_action(view)

    table = PolicyTable(Counting(), situation)
    table.cell(0, -1)
    table.cell(0, -1)
    assert len(asked) == 2  # the first question is asked twice, the second not at all


def test_a_policy_speaks_only_for_the_choice_it_was_written_with() -> None:
    class Stubborn(RandomAgent):
        """Chooses for itself, and inherits a policy that is not its own."""

        def choose_action(self, view: GameView) -> Action:
            return view.legal_actions[-1]

    class Drunker(Drunk):
        """Inherits both, and both belong together."""

    assert not states_policy(Stubborn())
    assert states_policy(Drunker())
    assert states_policy(RandomAgent())
    assert not states_policy(Sceptic())
    assert not states_policy(_agent(choose_action=_own_rng, policy=None))
    table = PolicyTable.of(Stubborn(), preset("classic", dice=1), own=1, other=1)
    assert table[(3,), "1x2"] == {CallLiarAction(): 1.0}


def test_a_stranger_hears_that_a_game_begins() -> None:
    class Prepared(Sceptic):
        def on_game_start(self, config: GameConfig, player_id: int) -> None:
            self.wanted = config.faces

        def choose_action(self, view: GameView) -> Action:
            assert self.wanted == 6
            return super().choose_action(view)

    PolicyBook(Prepared())[next(situations(preset("classic", dice=1)))].complete()


class Forgetful(Sceptic):
    """Changes its mind after so many questions: every question asked twice in a row gets the same answer."""

    asked = 0

    def choose_action(self, view: GameView) -> Action:
        self.asked += 1
        return view.legal_actions[-1] if self.asked > 60 else view.legal_actions[0]


def test_an_agent_that_changes_its_mind_later_is_found_out() -> None:
    with pytest.raises(PolicyError, match="two answers to one question"):
        PolicyTable.of(Forgetful(), preset("classic", dice=1), own=1, other=1).complete()


def _agent(**methods: object) -> Agent:
    made: Agent = type("Made", (Agent,), {"memoryless": True, **methods})()
    return made


def _sloppy(agent: Agent, view: GameView) -> Action:
    return random.choice(view.legal_actions)


def _own_rng(agent: Agent, view: GameView) -> Action:
    return agent.rng.choice(view.legal_actions)


def _half(agent: Agent, view: GameView) -> Mapping[Action, float]:
    return {view.legal_actions[0]: 0.5}


def _negative(agent: Agent, view: GameView) -> Mapping[Action, float]:
    return {view.legal_actions[0]: 1.5, view.legal_actions[1]: -0.5}


def _illegal(agent: Agent, view: GameView) -> Action:
    return CallLiarAction()


def _nonsense(agent: Agent, view: GameView) -> Action:
    return "nothing"  # type: ignore[return-value]


def _broken(agent: Agent, view: GameView) -> Action:
    raise ZeroDivisionError("oh")


def _fickle(agent: Agent, view: GameView) -> Action:
    agent.name += "x"
    return view.legal_actions[len(agent.name) % 2]


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (_agent(choose_action=_sloppy), "two answers to one question"),
        (_agent(choose_action=_own_rng), "decides at random"),
        (_agent(choose_action=_own_rng, policy=_half), r"adds up to 0.5"),
        (_agent(choose_action=_own_rng, policy=_negative), "below zero"),
        (_agent(choose_action=_illegal), "chose liar with .* after no bid, which is not legal"),
        (_agent(choose_action=_nonsense), "an object of type str .* which is not an action"),
        (_agent(choose_action=_broken), "ZeroDivisionError: oh"),
        (_agent(choose_action=_fickle), "two answers to one question"),
    ],
)
def test_what_cannot_be_tabled_is_said(agent: Agent, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        PolicyTable.of(agent, preset("classic", dice=1), own=1, other=1).complete()


def test_agents_with_a_memory_have_no_table() -> None:
    with pytest.raises(PolicyError, match="detective does not declare `memoryless`"):
        PolicyTable.of(make_agent("detective"), preset("classic"), own=5, other=5)


def test_a_guard_stands_between_us_and_a_stranger() -> None:
    calls: list[object] = []

    def noting(log: list[object], call: object, *arguments: object) -> object:
        log.append(call)
        return call(*arguments)  # type: ignore[operator]

    situation = next(situations(preset("classic", dice=1)))
    table = PolicyTable(Sceptic(), situation, guard=partial(noting, calls))
    table.complete()
    assert len(calls) >= table.cells.size


def test_reasons_are_not_part_of_a_policy() -> None:
    table = PolicyTable.of(Sceptic(), preset("classic", dice=1), own=1, other=1)
    assert table[(1,), "2x6"] == {CallLiarAction(): 1.0}
    assert all(isinstance(action, BidAction) for action in table[(1,), None])


def test_distributions_are_kept_once() -> None:
    book = PolicyBook(make_agent("random"))
    for situation in situations(preset("heads-up")):
        book[situation].complete()
    cells = {
        (len(book[s].situation.rules.ladder), column) for s in situations(preset("heads-up")) for column in range(60)
    }
    assert len(book.mixes) < len(cells)
    arrays = book.mixes.arrays()
    sums = np.add.reduceat(arrays.chance, arrays.start)
    assert np.allclose(sums, 1, atol=1e-12)
