"""Games of learners: their seeds, their two rewards, and what happens to answers that are no moves."""

from __future__ import annotations

import random
from typing import Any

import pytest

from liars_dice.agents import make_agent
from liars_dice.bridges.training_episode import TrainingEpisode
from liars_dice.core import CallLiarAction, LiarsDiceError, NotationError, as_action

UNREADABLE = NotationError("hm", "a move")


def played(seed: int, player: str, **settings: Any) -> TrainingEpisode:
    """A game in which one of our bots decides for the learner."""
    episode, agent = TrainingEpisode(seed=seed, **settings), make_agent(player)
    agent.seed(seed)
    while (view := episode._match.view) is not None:
        assert episode.try_move(as_action(agent.choose_action(view))) == ""
    return episode


def test_a_seed_repeats_everything() -> None:
    def shown(seed: int) -> list[Any]:
        episode = played(seed, "random", rules="perudo", players=3, opponents=["bluffer", "random"])
        return [episode.report, episode.decisions, episode.reward]

    assert shown(4) == shown(4)
    assert shown(4) != shown(5)
    assert {TrainingEpisode(seed=seed)._match.seat for seed in range(10)} == {0, 1}


def test_the_two_rewards() -> None:
    nash = [played(seed, "nash", opponents="nash") for seed in range(20)]
    rash = [played(seed, "random", opponents="nash") for seed in range(20)]
    for episode in nash + rash:
        assert episode.reward == (1 if episode.won else -1)
    assert max(episode.value_lost for episode in nash) < 0.005
    assert sum(episode.value_lost for episode in rash) / 20 > 0.15
    assert sum(episode.won for episode in nash) > sum(episode.won for episode in rash)


def test_what_has_no_exact_value_does_not_count() -> None:
    episode = played(1, "random", rules="perudo", players=4, dice=5)
    assert {decision.source for decision in episode.decisions} == {"champion"}
    assert episode.value_lost == 0


def test_a_second_bad_answer_forfeits() -> None:
    episode = TrainingEpisode(seed=1, seat=0)
    before = episode.report
    assert episode.try_move(CallLiarAction()) == "there is no bid to call yet. Try once more."
    assert episode.report.legal_bids == before.legal_bids
    assert episode.try_move(UNREADABLE).endswith("1x1 was played for you, and the game counts as lost.")
    assert episode.mistakes == 2
    rng = random.Random(1)
    while (view := episode._match.view) is not None:
        episode.try_move(rng.choice(view.legal_actions))
    assert episode.forfeited
    assert episode.reward == -1
    with pytest.raises(LiarsDiceError, match="the game is over"):
        episode.try_move(CallLiarAction())


def test_one_corrected_answer_is_forgiven() -> None:
    for seed in range(50):
        episode = TrainingEpisode(seed=seed, opponents="random")
        while (view := episode._match.view) is not None:
            episode.try_move(UNREADABLE)
            episode.try_move(view.legal_actions[-1])
        assert not episode.forfeited
        if episode.won:
            assert episode.reward == 1
            return
    pytest.fail("none of the games was won")


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": "chess"},
        {"rules": "my.toml"},
        {"opponents": "cmd:ls"},
        {"opponents": ["optimal", "optimal"]},
        {"seat": 2},
        {"seed": -1},
        {"players": 16},
    ],
)
def test_bad_settings(settings: dict[str, Any]) -> None:
    with pytest.raises(LiarsDiceError, match="expected"):
        TrainingEpisode(**settings)
