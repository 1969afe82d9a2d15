"""Best responses to agents that use the bidding: against tables, everything tried by hand, and liars."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest

from liars_dice.agents import Agent, Policy, PolicyAgent, PolicyError, make_agent
from liars_dice.core import (
    Action,
    BidAction,
    CallLiarAction,
    Event,
    GameConfig,
    GameView,
    apply,
    deal,
    new_game,
    preset,
    view_of,
)
from liars_dice.core.events import BidPlaced, DiceRolled, GameCreated, RoundStarted
from liars_dice.exact.errors import OutOfReachError
from liars_dice.exact.response import agent_probe
from liars_dice.exact.response.adversary import best_response, exploitability
from oracle import best_value
from support import SMALL_ROUNDS

SMALL = SMALL_ROUNDS | {
    "at most three bids": GameConfig(dice=(2, 1), faces=2, max_turns=3),
    "no bids on the wild face": GameConfig(dice=(1, 1), faces=4, wild="ones", wild_bids="forbidden"),
}


def forgetting_to_say_so(agent: Agent) -> Agent:
    """The same agent, which no longer says that it is memoryless."""
    agent.__class__ = type("Asked", (type(agent),), {"memoryless": False})
    return agent


class Echo(PolicyAgent):
    """Mixes by everything it sees: its dice, its seat and each bid of the round."""

    def policy(self, view: GameView) -> Policy:
        said = view.player_id + sum(view.my_dice)
        for bid in view.round_bids:
            said = 3 * said + 5 * bid.bid.quantity + bid.bid.face + bid.player_id
        weights = [(said * (i + 3)) % 5 % 3 for i in range(len(view.legal_actions))]
        weights[said % len(weights)] += 1
        return {action: w / sum(weights) for action, w in zip(view.legal_actions, weights, strict=True)}


class Counter(Agent):
    """Raises by as much as bids have been made, and calls in the end or when it is the fourth to speak."""

    def choose_action(self, view: GameView) -> Action:
        made = len(view.round_bids)
        raises = [action for action in view.legal_actions if isinstance(action, BidAction)]
        if view.current_bid and (made >= 3 or not raises):
            return CallLiarAction("enough")
        return raises[min(made + view.my_dice[0] - 1, len(raises) - 1)]


class Listener(Counter):
    """The same from what it hears."""

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        self.heard: list[Event] = []

    def on_event(self, event: Event) -> None:
        self.heard.append(event)

    def choose_action(self, view: GameView) -> Action:
        created, started, rolled, *bids = self.heard
        assert isinstance(created, GameCreated)
        assert created.config == view.config
        assert started == RoundStarted(0, 0, view.config.dice, False)
        assert rolled == DiceRolled(view.player_id, view.my_dice)
        assert bids == [BidPlaced(bid.player_id, bid.bid) for bid in view.round_bids]
        return super().choose_action(view)


AGENTS: dict[str, Callable[[], Agent]] = {
    "echo": Echo,
    "counter": Counter,
    "listener": Listener,
    "detective": lambda: make_agent("detective"),
}


@pytest.mark.parametrize("rules", SMALL)
@pytest.mark.parametrize("name", ["truthful", "optimal", "bluffer", "random", "sniper"])
def test_a_memoryless_agent_is_worth_the_same_asked_or_tabled(name: str, rules: str) -> None:
    config = SMALL[rules]
    found = best_response(forgetting_to_say_so(make_agent(name)), config)
    assert found == pytest.approx(best_response(make_agent(name), config), abs=1e-12)


def test_also_with_more_dice() -> None:
    config = GameConfig(dice=(2, 1), faces=4, wild="ones", exact_call=True)
    for name in ("bluffer", "conservative"):
        found = best_response(forgetting_to_say_so(make_agent(name)), config)
        assert found == pytest.approx(best_response(make_agent(name), config), abs=1e-12)


@pytest.mark.parametrize("rules", SMALL)
@pytest.mark.parametrize("name", ["echo", "counter", "detective"])
def test_nothing_that_can_be_tried_does_better_or_worse(name: str, rules: str) -> None:
    config, agent = SMALL[rules], AGENTS[name]()
    first, second = best_response(agent, config)
    assert first == pytest.approx(float(best_value(agent, config, 0)), abs=1e-12)
    assert second == pytest.approx(float(best_value(agent, config, 1)), abs=1e-12)
    assert exploitability(agent, config) == (first + second) / 2


@pytest.mark.parametrize("rules", ["one die each", "two against one", "at most three bids"])
def test_who_listens_hears_the_round(rules: str) -> None:
    assert best_response(Listener(), SMALL[rules]) == best_response(Counter(), SMALL[rules])


class Noting(Echo):
    """Notes what it sees, in a place that all its copies share."""

    seen: list[GameView] = []  # noqa: RUF012
    seats: list[tuple[GameConfig, int]] = []  # noqa: RUF012

    def on_game_start(self, config: GameConfig, player_id: int) -> None:
        self.seats.append((config, player_id))

    def policy(self, view: GameView) -> Policy:
        self.seen.append(view)
        return super().policy(view)


@pytest.mark.parametrize("rules", ["two against one", "ones wild, exact calls", "at most three bids"])
def test_views_are_those_of_the_first_round(rules: str) -> None:
    config = SMALL[rules].replace(seed=5)
    Noting.seen.clear()
    Noting.seats.clear()
    best_response(Noting(), config)
    for view in Noting.seen:
        seat = view.player_id
        hands = [(1,) * n for n in config.dice]
        hands[seat] = view.my_dice
        state = deal(new_game(config), tuple(hands))
        for bid in view.public.bid_history:
            state = apply(state, BidAction(bid))
        assert view == view_of(state, seat)
        assert view.is_my_turn
    assert {view.player_id for view in Noting.seen} == {0, 1}
    assert set(Noting.seats) == {(config.without_seed, 0), (config.without_seed, 1)}


class Steady(Agent):
    """Opens with the highest bid on its lowest face, and fails where that cannot lead."""

    def choose_action(self, view: GameView) -> Action:
        mine = [bid.bid for bid in view.round_bids if bid.player_id == view.player_id]
        assert all(bid.face == view.my_dice[0] for bid in mine)
        if view.current_bid:
            return CallLiarAction()
        return BidAction(next(bid for bid in view.public.rules.bids if bid.face == view.my_dice[0]))


def test_only_what_can_come_about_is_asked() -> None:
    first, second = best_response(Steady(), GameConfig(dice=(1, 1), faces=3))
    assert 0 < first <= 1
    assert 0 < second <= 1


def _private(agent: Agent, view: GameView) -> Action:
    return random.choice(view.legal_actions)


def _own_rng(agent: Agent, view: GameView) -> Action:
    return agent.rng.choice(view.legal_actions)


def _half(agent: Agent, view: GameView) -> Policy:
    return {view.legal_actions[0]: 0.5}


def _illegal(agent: Agent, view: GameView) -> Action:
    return CallLiarAction()


def _broken(agent: Agent, *_: object) -> Action:
    raise ZeroDivisionError("oh")


def _tiring(agent: Agent, view: GameView) -> Action:
    """Changes its mind after so many questions."""
    vars(agent)["asked"] = vars(agent).get("asked", 0) + 1
    return view.legal_actions[-1 if vars(agent)["asked"] > 40 else 0]


def _with_a_plan(agent: Agent, view: GameView) -> Action:
    """Makes up its mind at its first decision, and keeps to it."""
    if len(view.round_bids) < 2:
        vars(agent)["plan"] = view.my_dice
        return view.legal_actions[0]
    return view.legal_actions[-1 if vars(agent)["plan"] == (2,) else 0]


def _in_a_mood(agent: Agent, config: GameConfig, player_id: int) -> None:
    vars(agent)["mood"] = agent.rng.choice((0, -1))


def _moody(agent: Agent, view: GameView) -> Action:
    return view.legal_actions[0 if vars(agent)["mood"] == 0 else -1]


def _agent(**attributes: object) -> Agent:
    made: Agent = type("Made", (Agent,), attributes)()
    return made


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (_agent(choose_action=_private), "two answers to one question"),
        (_agent(choose_action=_own_rng), r"decides at random with .* states no policy: write policy\(view\)$"),
        (_agent(choose_action=_tiring), "two answers to one question, .* or by more than its dice and the bids"),
        (_agent(choose_action=_with_a_plan), r"two answers to one question, with \(\d,\) after \dx\d \dx\d"),
        (_agent(choose_action=_moody, on_game_start=_in_a_mood), "two answers to one question"),
        (_agent(choose_action=_own_rng, policy=_half), "adds up to 0.5"),
        (_agent(choose_action=_illegal), "chose liar with .* after no bid, which is not legal"),
        (_agent(choose_action=_broken), "ZeroDivisionError: oh"),
        (_agent(choose_action=_illegal, on_game_start=_broken), "failed in on_game_start: ZeroDivisionError: oh"),
        (_agent(choose_action=_illegal, on_event=_broken), "failed in on_event: ZeroDivisionError: oh"),
    ],
)
def test_who_cannot_be_taken_at_its_word_is_refused(agent: Agent, message: str) -> None:
    with pytest.raises(PolicyError, match=message) as refused:
        best_response(agent, GameConfig(dice=(1, 1), faces=4))
    assert "\n" not in str(refused.value)


def test_who_cannot_be_copied_is_refused() -> None:
    agent = Counter()
    vars(agent)["lock"] = threading.Lock()
    with pytest.raises(PolicyError, match="Counter cannot be copied: TypeError"):
        best_response(agent, GameConfig(dice=(1, 1), faces=2))


def test_the_agent_itself_is_left_alone() -> None:
    agent = Listener()
    best_response(agent, SMALL["one die each"])
    assert vars(agent) == {}


@pytest.mark.parametrize("name", AGENTS)
def test_the_search_is_as_long_as_estimated(name: str) -> None:
    told: list[tuple[int, int]] = []
    config = GameConfig(dice=(2, 2), faces=3)
    searches = [agent_probe._Search(agent_probe.AgentProbe(AGENTS[name](), config, seat)) for seat in (1, 0)]
    put: list[int] = []
    expected = sum(search.expected_questions() for search in searches)
    for search in searches:
        search.value(put.append)
    assert sum(put) == pytest.approx(expected, rel=0.2)
    best_response(AGENTS[name](), config, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert all(0 < done <= total for done, total in told)
    assert len(told) <= sum(put) / 1000


def test_what_takes_far_too_long_is_said_after_few_questions() -> None:
    """The estimate ends once it is high enough, which is long before the last rung."""
    asked: list[int] = []

    class Counted(Echo):
        def policy(self, view: GameView) -> Policy:
            asked.append(view.public.rung)
            return super().policy(view)

    with pytest.raises(OutOfReachError, match="more than 20,000,000 questions"):
        best_response(Counted(), preset("classic", dice=(2, 3), faces=10))
    assert max(asked) < 40
    assert len(asked) < 10_000


def test_what_takes_too_long_is_said_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    message = r"Echo does not declare `memoryless`.* more than 20,000,000 questions with 36 rungs, .* up to 18 rungs"
    with pytest.raises(OutOfReachError, match=message):
        best_response(Echo(), preset("classic", dice=3))
    with pytest.raises(OutOfReachError, match="about 400 rungs; at most 300"):
        best_response(Counter(), GameConfig(dice=(1, 1), faces=20, max_quantity=20))
    monkeypatch.setattr(agent_probe, "MOST_QUESTIONS", 100)
    monkeypatch.setattr(agent_probe._Search, "expected_questions", lambda search, most: 0)
    with pytest.raises(OutOfReachError, match="more than 100 questions"):
        best_response(Echo(), GameConfig(dice=(1, 1), faces=4))
