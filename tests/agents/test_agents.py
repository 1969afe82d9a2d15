"""The built-in bots, and agents by name, class or object."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from liars_dice.agents import (
    AGENTS,
    PERSONALITIES,
    RATING,
    STRENGTH,
    Agent,
    AgentNameError,
    DetectiveAgent,
    RandomAgent,
    ThresholdAgent,
    as_agent,
    create_personality_agent,
    make_agent,
    names_for,
    play_game,
)
from liars_dice.core import (
    PRESETS,
    Action,
    BadValueError,
    Bid,
    GameConfig,
    GameState,
    GameView,
    preset,
    view_of,
)
from liars_dice.referee.referee import Referee
from liars_dice.tournament import TournamentSettings, run_tournament
from patience import AMPLE
from support import dealt, play


def choice(agent: Agent, state: GameState) -> str:
    return str(agent.choose_action(view_of(state, state.public.current_player)))


LIMITED = preset("perudo", players=4, palifico=True, opening_min_quantity=2, open_on_ones=False, max_turns=5)
TOP = GameConfig(dice=(3, 2, 4), wild="top", bid_ordering="liars_dice_standard", exact_call=True, mode="elimination")


@pytest.mark.parametrize("count", [5, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", [*PRESETS, "limits", "top"])
@pytest.mark.parametrize("name", AGENTS)
def test_every_bot_plays_every_preset_without_a_fault(name: str, rules: str, count: int) -> None:
    if name == "reader":  # six of them take a second or more for a game
        count = 2 if count == 5 else 5
    config = {"limits": LIMITED, "top": TOP}.get(rules) or PRESETS[rules]
    agents = [make_agent(name) for _ in config.dice]
    for seed in range(count):
        result = Referee(agents, config, seed=seed, limits=AMPLE).play()
        assert result.faults == ()
        assert result.winner in range(config.num_players)


def test_truthful() -> None:
    """The fixed policy of the learning lab: N is the number of all other dice."""
    truthful = make_agent("truthful")
    config = GameConfig(dice=(2, 2))
    assert choice(truthful, dealt(config, (4, 4), (5, 6))) == "1x1"
    assert choice(truthful, play(dealt(config, (4, 4), (5, 6)), "2x3")) == "2x4"  # two unseen dice could be fours
    assert choice(truthful, play(dealt(config, (4, 4), (5, 6)), "3x4")) == "liar"  # holds none: two at most
    assert (
        choice(truthful, play(dealt(config, (4, 4), (5, 6)), "2x6")) == "3x5"
    )  # 3x1 to 3x4 are impossible, 3x5 is not
    assert choice(truthful, play(dealt(config, (4, 4), (6, 6)), "4x6")) == "liar"  # possible, but nothing is higher
    assert choice(truthful, play(dealt(config, (4, 4), (6, 6)), "4x5")) == "liar"
    wild = GameConfig(dice=(2, 2), wild="ones")
    assert choice(truthful, play(dealt(wild, (4, 4), (1, 6)), "3x1")) == "3x2"  # the one counts


def test_conservative() -> None:
    agent = make_agent("conservative")
    config = GameConfig(dice=(3, 3))
    assert choice(agent, dealt(config, (4, 4, 5), (1, 2, 3))) == "1x4"
    assert choice(agent, play(dealt(config, (4, 4, 5), (1, 2, 3)), "4x4")) == "liar"
    assert choice(agent, play(dealt(config, (4, 4, 5), (3, 3, 2)), "2x2")) == "2x3"  # covers two threes alone
    assert choice(agent, play(dealt(config, (4, 4, 5), (1, 1, 2)), "2x6")) == "3x1"  # nearly


def test_probabilistic() -> None:
    agent = make_agent("probabilistic")
    config = GameConfig(dice=(2, 2))
    assert choice(agent, dealt(config, (4, 4), (1, 2))) == "2x4"  # certain, and the highest of those
    assert choice(agent, play(dealt(config, (4, 4), (1, 2)), "4x4")) == "liar"  # certainly false
    exact = preset("perudo", players=2, dice=(5, 1))
    state = play(dealt(exact, (2, 3, 4, 5, 6), (6,)), "1x1")  # holds 60%, exact 40%; 3x6 holds 54%
    assert choice(agent, state) == "3x6"
    sure = play(dealt(preset("perudo", players=2, dice=(1, 5)), (3,), (2, 2, 2, 2, 2)), "5x2")
    assert choice(agent, sure) == "exact"  # five, or with one more wild die six


def test_styles_differ() -> None:
    """On the same dice and bids every two bots disagree clearly often."""
    views = []

    class Noting(RandomAgent):
        def choose_action(self, view: GameView) -> Action:
            views.append(view)
            return super().choose_action(view)

    for seed in range(12):
        play_game([Noting(), Noting(), Noting()], preset("perudo", players=3, dice=3), seed=seed)
    levels = [name for name, info in AGENTS.items() if info.level_of]
    names = [
        name for name in AGENTS if name not in ("random", "nash", "reader", "threshold-best", *PERSONALITIES, *levels)
    ]
    decisions = {name: [str(make_agent(name).choose_action(view)) for view in views] for name in (*names, "optimal")}
    for one, two in combinations(decisions, 2):
        differ = sum(a != b for a, b in zip(decisions[one], decisions[two], strict=True)) / len(views)
        assert differ > 0.05, (one, two, differ)


def test_policies() -> None:
    """What can be stated sums to one, is legal, and is what is played."""
    state = play(dealt(GameConfig(dice=(3, 3)), (4, 4, 5), (1, 2, 3)), "1x2")
    for name in ("random", "bluffer"):
        agent = make_agent(name)
        view = view_of(state, 1)
        policy = agent.policy(view)
        assert policy is not None
        assert abs(sum(policy.values()) - 1) < 1e-12
        assert set(policy) <= set(view.legal_actions)
        counts = Counter(agent.choose_action(view) for _ in range(4000))
        assert set(counts) == set(policy)
        assert all(abs(counts[action] / 4000 - chance) < 0.04 for action, chance in policy.items())
    assert make_agent("crawler").policy(view) is None


def test_the_detective_listens() -> None:
    """The same bid is believed more if somebody else has bid that face."""
    detective = make_agent("detective")
    config = GameConfig(dice=(2, 2, 2))
    deaf = play(dealt(config, (1, 2), (3, 4), (5, 6)), "1x3 2x6")
    assert isinstance(detective, DetectiveAgent)
    told = play(dealt(config, (1, 2), (3, 4), (5, 6)), "1x5 2x4")
    quiet, heard = (
        detective._belief(view, Bid(2, 5), detective._speakers(view)[5])
        for view in (view_of(deaf, 2), view_of(told, 2))
    )
    assert heard > quiet


def test_threshold_opening() -> None:
    agent = make_agent("optimal")
    assert choice(agent, dealt(GameConfig(), (4, 4), (1, 2, 3))) == "2x4"
    assert choice(agent, dealt(GameConfig(), (3, 5), (1, 2, 3))) == "1x3"
    assert choice(agent, dealt(GameConfig(opening_min_quantity=2), (3, 5), (1, 2, 3))) == "2x3"
    assert choice(agent, dealt(GameConfig(open_on_ones=False), (1, 1), (1, 2, 3))) == "1x2"
    wild = GameConfig(dice=(3, 2), wild="ones")
    assert choice(agent, dealt(wild, (1, 4, 4), (1, 2))) == "3x4"


def test_threshold_decisions() -> None:
    """Two fours bid, three unseen dice: 2x5 and 2x6 hold with 11/36·… each, 3x4 with less."""
    state = play(dealt(GameConfig(dice=(2, 2)), (4, 4), (5, 6)), "2x4")
    assert choice(ThresholdAgent(call=0.35, raise_=0.15), state) == "2x5"
    assert choice(ThresholdAgent(call=0.35, raise_=0.99), state) == "liar"  # the bid holds 1/36 of the time
    assert choice(ThresholdAgent(call=0.01, raise_=0.99), state) == "2x5"
    top = play(dealt(GameConfig(dice=(1, 1)), (4,), (6,)), "2x6")
    assert choice(ThresholdAgent(call=0.0, raise_=0.0), top) == "liar"


def test_personalities() -> None:
    assert set(PERSONALITIES) == {"maniac", "aggressive", "passive", "calling-station", "optimal"}
    station = create_personality_agent("CALLING_STATION")
    assert (station.name, station.call_below, station.raise_from) == ("calling-station", 0.5, 0.5)
    with pytest.raises(BadValueError, match="personality = 'BOLD': expected one of maniac"):
        create_personality_agent("BOLD")


def test_bots_are_ordered_by_strength() -> None:
    assert [info.name for info in AGENTS.by_strength] == list(STRENGTH)
    assert sorted(STRENGTH.values(), reverse=True) == list(STRENGTH.values())
    assert set(STRENGTH) == set(AGENTS)


def test_every_bot_has_a_rating() -> None:
    """Those of the studio's lists; the best in the league is the one that lists begin with."""
    assert set(RATING) == set(AGENTS)
    assert list(RATING.values()) == sorted(RATING.values(), reverse=True)
    assert next(iter(RATING)) == next(iter(STRENGTH))


@pytest.mark.slow
def test_the_order_is_that_of_a_league() -> None:
    """Between memoryless bots whose measured strength differs clearly, by a long league of their own."""
    names = tuple(info.name for info in AGENTS.values() if info.memoryless)
    config = preset("perudo")
    settings = TournamentSettings(
        kind="league", agents=names, rules="perudo", config=config.to_dict(), seed=2, record="none"
    )
    won = {line.agent: line.win_rate for line in run_tournament(settings).ranking}
    for stronger, weaker in combinations((name for name in STRENGTH if name in won), 2):
        if STRENGTH[stronger] - STRENGTH[weaker] >= 0.06:
            assert won[stronger] > won[weaker], (stronger, weaker)


def test_aliases() -> None:
    """`optimal` is another name for `threshold-best`; an agent plays under the name that was given."""
    assert "optimal" in AGENTS
    assert "optimal" not in list(AGENTS)
    assert AGENTS["optimal"] is AGENTS["threshold-best"]
    assert AGENTS["optimal"].field_name == "optimal"
    for name in ("optimal", "threshold-best"):
        for agent in (make_agent(name), create_personality_agent(name)):
            assert isinstance(agent, ThresholdAgent)
            assert (agent.name, agent.call_below, agent.raise_from) == (name, 0.35, 0.15)


def test_agents_in_any_form() -> None:
    sceptic = Sceptic()
    assert as_agent(sceptic) is sceptic
    assert isinstance(as_agent(Sceptic), Sceptic)
    assert as_agent("optimal").name == "optimal"
    for wrong in (3, None, ["optimal"], int):
        with pytest.raises(AgentNameError, match=r"choose_action\(view\)"):
            as_agent(wrong)  # type: ignore[arg-type]


def test_a_bot_may_answer_in_text() -> None:
    result = play_game([Sceptic(), "optimal"], seed=1)
    assert str(result.resolutions[0].bids[0]) == "1x6"


def test_names_for_agents_that_were_handed_over() -> None:
    sceptic = Sceptic()
    with names_for([sceptic, "optimal", make_agent("optimal"), Sceptic]) as names:
        assert names == ("Sceptic", "optimal", "optimal#2", "Sceptic#2")
        assert make_agent("Sceptic") is sceptic
        assert isinstance(make_agent("optimal#2"), ThresholdAgent)
        assert make_agent("Sceptic#2") is not make_agent("Sceptic#2")
    with pytest.raises(AgentNameError, match="expected one of"):
        make_agent("Sceptic")


class Sceptic(Agent):
    """Opens with one six, and calls any bid."""

    def choose_action(self, view: GameView) -> str:
        return "liar" if view.current_bid else "1x6"


def test_names() -> None:
    assert isinstance(make_agent("random"), RandomAgent)
    assert make_agent("threshold:0.2,0.4").name == "threshold:0.2,0.4"
    for name, message in {
        "optimall": r"did you mean optimal\?",
        "threshold": "two probabilities",
        "threshold:1": "two probabilities",
        "threshold:2,0": "call threshold = 2.0: expected a probability from 0 to 1",
        "threshold:nan,0": "call threshold = nan",
    }.items():
        with pytest.raises(BadValueError, match=message):
            make_agent(name)


def test_agents_own_randomness_is_seeded_and_lazy() -> None:
    one, two = RandomAgent(), RandomAgent()
    one.seed(4)
    two.seed(4)
    assert one._rng is None
    assert one.rng.random() == two.rng.random()


def test_optimal_beats_random() -> None:
    """In 200 seeded games of the heads-up match, by far."""
    wins = sum(
        play_game([make_agent("optimal"), RandomAgent()], preset("heads-up"), seed=s).winner == 0 for s in range(200)
    )
    assert wins > 150
