"""The agent that plays solved rounds: it says what it plays by, and nobody beats it where rounds are solved."""

from __future__ import annotations

import pytest

from build_tablebase import rounds_with
from liars_dice import play_game
from liars_dice.agents import AGENTS, make_agent
from liars_dice.core import Action, Bid, BidAction, CallLiarAction, GameConfig, GameView, as_action, preset
from liars_dice.core.rules import round_rules
from liars_dice.core.state import PublicState
from liars_dice.exact.response.adversary import best_response
from liars_dice.exact.response.agent_probe import round_value_by_probing
from liars_dice.exact.solver import short_memory
from liars_dice.exact.solver.nash import NashAgent
from liars_dice.exact.solver.short_memory import ShortKey
from liars_dice.exact.solver.tablebase import Tablebase
from nash_games import PERUDO, samples

SMALL = rounds_with(3)
LARGE = [dice for dice in rounds_with(5) if sum(dice) > 3]


def view_of(config: GameConfig, hand: tuple[int, ...], *bids: Bid, dice: tuple[int, ...] | None = None) -> GameView:
    counts = dice or config.dice
    rules = round_rules(config.without_seed, sum(counts), False)
    alive = [seat for seat, n in enumerate(counts) if n]
    seat = alive[len(bids) % len(alive)]
    rung = rules.rungs[bids[-1]] if bids else -1
    names = tuple(f"p{i}" for i in range(len(counts)))
    return GameView(seat, hand, PublicState(rules, names, counts, alive[0], seat, bids, rung, "BIDDING", ()))


def bid_of(action: Action) -> Bid:
    assert isinstance(action, BidAction)
    return action.bid


def check_never_loses(dice: tuple[int, int]) -> None:
    solved, config = Tablebase.shipped().round(*dice), GameConfig(dice=dice)
    for name in AGENTS:
        opening = round_value_by_probing(make_agent("nash"), make_agent(name), config)
        answering = round_value_by_probing(make_agent(name), make_agent("nash"), config)
        assert opening >= solved.lower - 1e-9, (name, "nash opens")
        assert answering <= solved.upper + 1e-9, (name, "nash answers")


@pytest.mark.parametrize("dice", SMALL[:-1], ids=str)
def test_it_never_loses_more_than_the_bracket_allows(dice: tuple[int, int]) -> None:
    check_never_loses(dice)


@pytest.mark.slow
@pytest.mark.parametrize("dice", [*SMALL[-1:], *LARGE], ids=str)
def test_it_never_loses_more_than_the_bracket_allows_with_up_to_five_dice(dice: tuple[int, int]) -> None:
    check_never_loses(dice)


@pytest.mark.parametrize("dice", SMALL, ids=str)
def test_what_it_plays_is_what_was_certified(dice: tuple[int, int]) -> None:
    solved = Tablebase.shipped().round(*dice)
    first, second = best_response(make_agent("nash"), GameConfig(dice=dice))
    assert (-second, first) == pytest.approx((solved.lower, solved.upper), abs=1e-9)


@pytest.mark.slow
def test_what_it_plays_is_what_was_certified_with_two_dice_each() -> None:
    solved = Tablebase.shipped().round(2, 2)
    first, second = best_response(make_agent("nash"), GameConfig(dice=(2, 2)))
    assert (-second, first) == pytest.approx((solved.lower, solved.upper), abs=1e-9)


def test_it_says_what_it_plays_by() -> None:
    agent = make_agent("nash")
    agent.seed(1)
    duel = GameConfig(dice=(2, 3))
    raised = as_action(agent.choose_action(view_of(duel, (4, 4, 5), Bid(1, 6))))
    assert raised == BidAction(Bid(2, 4), raised.reasoning)
    assert raised.reasoning.startswith("equilibrium, 3 against 2 dice")
    heads_up = preset("heads-up")
    assert agent.choose_action(view_of(heads_up, (1, 2, 3, 4, 5), Bid(9, 6))) == CallLiarAction(
        "short-memory strategy, 5 against 5 dice"
    )
    larger = view_of(preset("heads-up", players=3, dice=3), (1, 2, 3))
    assert as_action(agent.choose_action(larger)).reasoning.startswith("more than two players, so by the odds: right ")
    wild = view_of(preset("classic", dice=2, wild="ones"), (1, 2))
    assert as_action(agent.choose_action(wild)).reasoning.startswith(
        "these rounds are not solved, so by the odds: right "
    )


def test_it_plays_the_end_of_a_perudo_match_by_the_chance_to_win_the_match() -> None:
    agent = make_agent("nash")
    agent.seed(1)
    perudo = preset("perudo", players=6)
    last_two = view_of(perudo, (1, 5), Bid(1, 6), dice=(0, 1, 0, 0, 2, 0))
    assert as_action(agent.choose_action(last_two)).reasoning.startswith("equilibrium of the match, 2 against 1 dice")
    one_round = view_of(preset("perudo", players=2, dice=1, mode="single_round"), (4,))
    assert as_action(agent.choose_action(one_round)).reasoning.startswith("equilibrium, 1 against 1 dice")


def test_where_ones_may_not_open_it_plays_the_rest_of_the_solution() -> None:
    agent = make_agent("nash")
    agent.seed(1)
    perudo, tournament = (preset(name, players=2, dice=1) for name in ("perudo", "perudo-tournament"))
    free, bound = (agent.policy(view_of(rules, (1,))) for rules in (perudo, tournament))
    assert free
    assert bound
    opened = {action: chance for action, chance in free.items() if bid_of(action).face != 1}
    assert 0 < sum(opened.values()) < 1  # with a one it mostly opens on ones
    assert bound == pytest.approx({action: chance / sum(opened.values()) for action, chance in opened.items()})
    answer = view_of(tournament, (4,), Bid(1, 4))
    assert agent.policy(answer) == agent.policy(view_of(perudo, (4,), Bid(1, 4)))
    said = as_action(agent.choose_action(answer)).reasoning
    assert said.startswith("equilibrium of the match, 1 against 1 dice, of the game in which ones may open")
    first, second = best_response(agent, tournament.one_round)
    assert (first + second) / 2 < 0.04


def test_where_it_would_open_on_nothing_but_ones_it_goes_by_the_odds() -> None:
    view = view_of(preset("perudo-tournament", players=2, dice=2).one_round, (1, 1))
    opened = as_action(make_agent("nash").choose_action(view))
    assert bid_of(opened).face != 1
    assert "not solved" in opened.reasoning


@pytest.mark.parametrize("dice", SMALL, ids=str)
def test_no_bot_beats_it_in_a_round_of_perudo(dice: tuple[int, int]) -> None:
    solved = Tablebase.shipped("perudo").round(*dice)
    config = preset("perudo", players=2, dice=dice, mode="single_round")
    for name in ("optimal", "detective", "crawler", "maniac", "sniper", "bluffer"):
        opening = round_value_by_probing(make_agent("nash"), make_agent(name), config)
        answering = round_value_by_probing(make_agent(name), make_agent("nash"), config)
        assert opening >= solved.lower - 1e-9, (name, "nash opens")
        assert answering <= solved.upper + 1e-9, (name, "nash answers")


def test_two_who_are_left_of_many_play_a_solved_round() -> None:
    config = GameConfig(dice=(3, 3, 3), mode="elimination")
    view = view_of(config, (4, 4, 5), Bid(1, 6), dice=(2, 0, 3))
    policy = make_agent("nash").policy(view)
    assert policy is not None
    assert policy[BidAction(Bid(2, 4))] > 0.99


@pytest.mark.parametrize("rules", ["heads-up", "duel", "classic", "perudo", "openspiel"])
def test_it_plays_by_all_rules(rules: str) -> None:
    for seed in range(3):
        config = preset(rules)
        players = [make_agent("optimal") for _ in config.dice[1:]]
        assert play_game([make_agent("nash"), *players], config, seed=seed).winner is not None


def test_it_beats_the_best_bots_at_heads_up() -> None:
    wins = 0
    for seed in range(60):
        players = [make_agent("nash"), make_agent("optimal")]
        result = play_game(players if seed % 2 else players[::-1], preset("heads-up"), seed=seed)
        wins += result.winner == (0 if seed % 2 else 1)
    assert wins > 30


@pytest.mark.parametrize(
    ("dice", "games"), [((1, 1), 8_000), pytest.param((2, 1), 1_000_000, marks=pytest.mark.slow)], ids=str
)
def test_sampled_games_agree_with_what_rounds_are_exactly_worth(dice: tuple[int, int], games: int) -> None:
    found = list(samples(PERUDO.replace(dice=dice), games, seed=2_000_000))
    assert {sample.bot for sample in found} == set(AGENTS)
    assert max(abs(sample.z) for sample in found) < 4.5
    assert sum(sample.z**2 for sample in found) < 2.5 * len(found)


@pytest.mark.parametrize("rules", ["perudo", "perudo-tournament"])
def test_a_game_begins_with_its_first_strategies_unpacked(rules: str) -> None:
    """Decisions have less time than that takes."""
    short_memory.load.cache_clear()
    NashAgent().on_game_start(preset(rules, players=2), 1)
    first = {(5, 5, False), (4, 5, True), (5, 4, False)}
    assert set(short_memory.load()._known) == {ShortKey("perudo", *round_) for round_ in first}
    NashAgent().on_game_start(preset(rules, players=3), 1)
    assert len(short_memory.load()._known) == 3
    NashAgent().on_game_start(preset(rules, players=2, dice=1), 0)
    assert len(short_memory.load()._known) == 3
