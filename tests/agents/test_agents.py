"""The first bots, and how they are called."""

from __future__ import annotations

import pytest

from liars_dice.agents import (
    AGENTS,
    PERSONALITIES,
    Agent,
    RandomAgent,
    ThresholdAgent,
    create_personality_agent,
    make_agent,
)
from liars_dice.core import PRESETS, ConfigError, GameConfig, GameState, play_game, preset, view_of
from support import dealt, play


def choice(agent: Agent, state: GameState) -> str:
    return str(agent.choose_action(view_of(state, state.public.current_player)))


@pytest.mark.parametrize("rules", [*PRESETS, "limits"])
@pytest.mark.parametrize("name", AGENTS)
def test_every_agent_plays_every_preset(name: str, rules: str) -> None:
    limits = preset("perudo", players=4, palifico=True, opening_min_quantity=2, open_on_ones=False, max_turns=5)
    config = limits if rules == "limits" else PRESETS[rules]
    for seed in range(20):
        result = play_game([make_agent(name) for _ in config.dice], config, seed=seed)
        assert result.winner in range(config.num_players)


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
    with pytest.raises(ConfigError, match="personality = 'BOLD': expected one of maniac"):
        create_personality_agent("BOLD")


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
        with pytest.raises(ConfigError, match=message):
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
