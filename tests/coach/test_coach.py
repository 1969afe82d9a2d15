"""The coach: perfect play is flawless, other play is measured exactly, and no hidden dice are used."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest

from liars_dice.agents import Agent, make_agent
from liars_dice.coach.advisor import advise, prepare
from liars_dice.coach.chance_curve import WinChances
from liars_dice.coach.model_advice import against_models
from liars_dice.coach.opponent_models import SLIP, STRANGER, UNKNOWN_PLAYER, belief, model_of, seat_situation
from liars_dice.coach.relative_strength import RELATIVE_STRENGTH, with_known_bots
from liars_dice.coach.review import KINDS, Review, kind_of, review_game
from liars_dice.core import (
    PRESETS,
    Action,
    BadValueError,
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameConfig,
    GameEngine,
    GameState,
    apply,
    as_action,
    deal,
    legal_actions,
    new_game,
    preset,
    view_of,
)
from liars_dice.core.rules import count_matches, round_rules
from liars_dice.exact.matchups.win_matrix import Matchups
from liars_dice.exact.response.adversary import raise_chances
from liars_dice.exact.response.belief_graph import BeliefGraph
from liars_dice.exact.solver.explanation import explain
from liars_dice.exact.solver.tablebase import Tablebase, in_tablebase, match_bracket
from liars_dice.exact.tables.policy_table import PolicyTable
from liars_dice.persistence import InMemoryRecorder, record_game
from liars_dice.pictures import draw_review
from liars_dice.terminal.review_text import chance_charts, column_chart, review_lines
from support import Chooser, dealt, play


def plain(review: Review, width: int = 80, *, ascii_only: bool = False) -> list[str]:
    """The lines of a review without their colours."""
    return [line for line, _ in review_lines(review, width, ascii_only=ascii_only)]


def played(config: GameConfig, names: Sequence[str], seed: int) -> GameState:
    """A whole game between bots."""
    engine = GameEngine(config, [make_agent(name) for name in names], seed=seed)
    engine.play()
    return engine.state


def named(state: GameState, *names: str) -> GameState:
    """A first round again, between players with these names."""
    return deal(new_game(state.config, names), state.hands)


# -- perfect play ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dice", [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 2), (2, 3), (1, 4), (3, 3), (2, 4), (5, 1)]
)
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 12), marks=pytest.mark.slow)])
def test_perfect_play_is_flawless(dice: tuple[int, int], seeds: range) -> None:
    for seed in (*seeds, 1005, 1026):  # in the last two, perfect play makes bids that it seldom makes
        review = review_game(played(GameConfig(dice=dice), ("nash", "nash"), seed))
        assert {move.source for move in review.moves} == {"equilibrium"}
        assert {move.kind for move in review.moves} == {"best"}
        assert all(accuracy > 99.9 for accuracy in review.accuracy.values())


def test_perfect_matches_are_flawless() -> None:
    review = review_game(played(preset("heads-up", dice=3), ("nash", "nash"), 5))
    assert len(review.moves) == len(review.curve) - 1 > 10
    assert {move.kind for move in review.moves} == {"best"}
    assert all(accuracy > 99.9 for accuracy in review.accuracy.values())


def test_random_play_is_not() -> None:
    kept = []
    for seed in range(10):
        review = review_game(played(preset("heads-up", dice=2), ("random", "nash"), seed))
        kept.append(review.accuracy[0])
        by_tablebase = [move for move in review.moves if move.player == 1 and move.source == "equilibrium"]
        assert all(move.loss == 0 for move in by_tablebase)
        assert review.accuracy[1] > 95  # whoever knows how a random player plays does a little better
    assert sum(kept) / len(kept) < 60
    assert max(kept) < 95


def test_nothing_lost_is_as_good_as_the_best() -> None:
    """Wherever random play leads: no decision that is called flawless is worth less than the best one."""
    rng = random.Random(3)
    surprises = 0
    for dice in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (1, 4)):
        for seed in range(12):
            engine = GameEngine(GameConfig(dice=dice), [make_agent("random"), make_agent("random")], seed=seed)
            engine.start_new_round()
            for _ in range(4):
                state = engine.state
                advice = advise(view_of(state, state.public.current_player))
                for choice in advice.choices:
                    if advice.loss(choice.action) == 0:
                        excused = advice.excused if (choice.chance or 0) >= 0.001 else 0.0
                        assert advice.win_chance - choice.win_chance <= max(excused, advice.tolerance) < 0.051
                surprises += "hardly ever makes this bid" in advice.source
                bids = [action for action in legal_actions(state.public) if isinstance(action, BidAction)]
                if not bids:
                    break
                engine.apply_action(state.public.current_player, rng.choice(bids[:8]))
    assert surprises > 20


def test_a_bid_that_perfect_play_never_makes_proves_nothing() -> None:
    """Perfect play opens low with two dice each: 3x5 says no hand for certain, and the models judge."""
    state = named(dealt(GameConfig(dice=(2, 2)), (2, 5), (1, 1)), "You", "ann")
    state = play(state, "3x5")
    advice = advise(view_of(state, 1))
    assert advice.source.startswith(
        "opponent model: optimal, conservative or probabilistic (perfect play hardly ever makes this bid, so this model"
    )
    assert advice.of(CallLiarAction()).chance is None
    assert str(advice.best) == "liar"


def test_what_solving_left_over_proves_nothing() -> None:
    """Bids that are left in the solved strategy with the chance of a rounding error are surprises, too."""
    solved = Tablebase.shipped().round(1, 2)
    left_over = []
    for bid in solved.tree.rules.bids:
        found = explain(solved.tree, solved.pool, [bid], (3, 4))
        if found.expected and found.rarest < 1e-4:
            left_over.append(bid)
            advice = advise(view_of(play(dealt(GameConfig(dice=(1, 2)), (1,), (3, 4)), str(bid)), 1))
            assert "hardly ever" in advice.source
    assert left_over


def test_a_known_blunder_is_found() -> None:
    """Bob holds a four and calls a single four; ann then claims what cannot be."""
    state = play(dealt(preset("heads-up", dice=2), (1, 2), (4, 4)), "1x4 liar")
    state = play(deal(state, ((1, 2), (3,))), "3x6 liar")
    review = review_game(state)
    blunder = review.moves[1]
    assert (blunder.turn, blunder.round, blunder.player, str(blunder.action)) == (2, 1, 1, "liar")
    assert blunder.kind == "blunder"
    assert blunder.loss == pytest.approx(blunder.best_chance)
    assert "player-1 called a bid that held 100% of the time against perfect play" in blunder.words
    impossible = review.moves[2]
    assert (impossible.player, str(impossible.action), impossible.kind) == (1, "3x6", "blunder")
    assert impossible.win_chance < 1e-6
    assert review.moves[3].kind == "best"
    assert review.counts[1] == {"best": 0, "good": 0, "inaccuracy": 0, "mistake": 0, "blunder": 2}


def test_kinds_and_accuracy() -> None:
    assert [kind_of(loss) for loss in (0, 0.004, 0.005, 0.05, 0.1, 0.2, 1)] == [
        "best",
        "best",
        "good",
        "inaccuracy",
        "mistake",
        "blunder",
        "blunder",
    ]
    review = review_game(played(preset("duel"), ("random", "random"), 4))
    for seat in review.seats:
        own = [move for move in review.moves if move.player == seat and not move.forced]
        kept = sum(move.best_chance - move.loss for move in own) / sum(move.best_chance for move in own)
        assert review.accuracy[seat] == pytest.approx(100 * kept)
        assert sum(review.counts[seat].values()) == sum(move.player == seat for move in review.moves)


# -- values, found in another way --------------------------------------------------------------------------------------

Answer = Callable[[tuple[int, ...], tuple[Bid, ...]], dict[Action, float]]


def brute_force(
    state: GameState, seat: int, theirs: dict[tuple[int, ...], float], answer: Answer
) -> dict[Action, float]:
    """What each action wins, by walking every bidding: the other's hands with their weights, and how it answers."""
    config, rules = state.config, state.public.rules
    own = state.hands[seat]

    def won(hand: tuple[int, ...], bid: Bid, *, called_by_me: bool, exact: bool) -> bool:
        count = count_matches((own, hand), bid.face, rules.wild_face)
        right = count == bid.quantity if exact else count < bid.quantity
        return right is called_by_me

    def legal(history: tuple[Bid, ...]) -> tuple[Action, ...]:
        now = named(state, *state.public.names)
        for bid in history:
            now = apply(now, BidAction(bid))
        return legal_actions(now.public)

    def worth(history: tuple[Bid, ...], action: Action, weights: dict[tuple[int, ...], float]) -> float:
        if not isinstance(action, BidAction):
            exact = isinstance(action, CallExactAction)
            return sum(w for h, w in weights.items() if won(h, history[-1], called_by_me=True, exact=exact))
        after = (*history, action.bid)
        total, groups = 0.0, dict[BidAction, dict[tuple[int, ...], float]]()
        for hand, weight in weights.items():
            for reply, chance in answer(hand, after).items():
                if isinstance(reply, BidAction):
                    groups.setdefault(reply, {})[hand] = weight * chance
                else:
                    exact = isinstance(reply, CallExactAction)
                    total += weight * chance * won(hand, action.bid, called_by_me=False, exact=exact)
        for raised, left in groups.items():
            further = (*after, raised.bid)
            total += max(worth(further, again, left) for again in legal(further))
        return total

    assert config.num_players == 2
    history = state.public.bid_history
    whole = sum(theirs.values())
    return {action: worth(history, action, theirs) / whole for action in legal_actions(state.public)}


@pytest.mark.parametrize("moves", ["", "1x3", "1x5 2x2"])
def test_equilibrium_values_by_brute_force(moves: str) -> None:
    strategies = Tablebase.shipped().round(1, 1).strategies
    for own in range(1, 7):
        state = play(dealt(GameConfig(dice=(1, 1)), (own,), (own,)), moves)
        seat = state.public.current_player

        def answer(hand: tuple[int, ...], history: tuple[Bid, ...], seat: int = seat) -> dict[Action, float]:
            return dict(strategies[1 - seat].mix(history, hand))

        theirs = {(die,): 1 / 6 for die in range(1, 7)}
        for made, bid in enumerate(state.public.bid_history):
            if made % 2 != seat:
                for hand in theirs:
                    theirs[hand] *= answer(hand, state.public.bid_history[:made]).get(BidAction(bid), 0.0)
        if not any(theirs.values()):
            continue
        found = brute_force(state, seat, {hand: w for hand, w in theirs.items() if w > 0}, answer)
        advice = advise(view_of(state, seat))
        best = max(found.values())
        for action, value in found.items():
            assert advice.of(action).win_chance == pytest.approx(value, abs=1e-9)
            if (advice.of(action).chance or 0) < 0.01 and best - value > 1e-3:
                assert advice.loss(action) == pytest.approx(best - value, abs=2e-4)


def asked(agent: Agent, state: GameState, seat: int) -> Answer:
    """How an agent answers, by asking it at the table."""

    def answer(hand: tuple[int, ...], history: tuple[Bid, ...]) -> dict[Action, float]:
        hands = [state.hands[0], state.hands[1]]
        hands[1 - seat] = hand
        now = deal(new_game(state.config, state.public.names), tuple(hands))
        for bid in history:
            now = apply(now, BidAction(bid))
        view = view_of(now, 1 - seat)
        stated = agent.policy(view)
        chances = {as_action(agent.choose_action(view)): 1.0} if stated is None else dict(stated)
        return {BidAction(a.bid) if isinstance(a, BidAction) else type(a)(): chance for a, chance in chances.items()}

    return answer


@pytest.mark.parametrize("name", ["optimal", "conservative", "sniper", "bluffer", "random"])
@pytest.mark.parametrize(
    "config",
    [
        preset("openspiel", faces=3),
        GameConfig(dice=(2, 1), faces=3, wild="ones", exact_call=True, bid_ordering="perudo"),
        GameConfig(dice=(1, 2), faces=3, wild="ones", bid_ordering="liars_dice_standard"),
    ],
    ids=["openspiel", "exact", "standard"],
)
def test_values_against_a_model_by_brute_force(name: str, config: GameConfig) -> None:
    for own in ((1,) * config.dice[0], tuple(range(3, 3 - config.dice[0], -1))):
        state = named(dealt(config, own, (2,) * config.dice[1]), "You", name)
        answer = asked(make_agent(name), state, 0)
        theirs: dict[tuple[int, ...], float] = {}
        for roll in product(range(1, 4), repeat=config.dice[1]):
            hand = tuple(sorted(roll))
            theirs[hand] = theirs.get(hand, 0.0) + 1 / 3 ** config.dice[1]
        found = brute_force(state, 0, theirs, answer)
        advice = advise(view_of(state, 0)).habits
        assert advice is not None
        assert advice.source == f"opponent model: {name}"
        for action, value in found.items():
            assert advice.of(action).win_chance == pytest.approx(value, abs=1e-12)
        assert advice.win_chance == pytest.approx(max(found.values()))


def test_sets_of_hands_agree_with_beliefs() -> None:
    """The two ways to follow a deterministic player's beliefs, from lopsided weights."""
    weights = np.random.default_rng(3).random(56)
    for name in ("optimal", "truthful", "crawler"):
        table = PolicyTable.of(make_agent(name), preset("perudo", players=2), own=3, other=2).complete()
        slow = raise_chances(table, (1, 4), weights / weights.sum(), -1, 10**6)
        assert slow is not None
        assert np.allclose(BeliefGraph(table).raises((1, 4), weights), slow, atol=1e-12)


# -- what bids tell ----------------------------------------------------------------------------------------------------


def test_known_and_unknown_players() -> None:
    assert model_of("optimal#2").known
    assert str(model_of("threshold:0.4,0.2")) == "threshold:0.4,0.2"
    for stranger in ("You", "nash", "detective", "threshold:a,b", "cmd:node bot.js"):
        assert not model_of(stranger).known
        assert model_of(stranger).source == "opponent model: optimal, conservative or probabilistic"


def test_beliefs_are_bayes_rule() -> None:
    """With one die each `optimal` opens with what it holds: a known one shows its die, a stranger may do so."""
    state = play(dealt(GameConfig(dice=(1, 1)), (2,), (5,)), "1x2")
    assert belief(state.public, 0, model_of("optimal")).tolist() == [[0, 1, 0, 0, 0, 0]]
    expected = np.zeros((len(STRANGER), 6))
    for row, name in enumerate(STRANGER):
        for die in range(1, 7):
            bid = make_agent(name).choose_action(view_of(dealt(state.config, (die,), (5,)), 0))
            expected[row, die - 1] = (1 - SLIP) * (str(bid) == "1x2") + SLIP / 12
    assert np.allclose(belief(state.public, 0, model_of("somebody")), expected / expected.sum())
    impossible = play(dealt(GameConfig(dice=(1, 1)), (2,), (5,)), "2x2")
    assert np.allclose(belief(impossible.public, 0, model_of("optimal")), 1 / 6)


@pytest.mark.parametrize("config", [preset("openspiel", faces=3), GameConfig(dice=(1, 1), faces=3, exact_call=True)])
def test_a_stranger_is_one_of_three_and_slips(config: GameConfig) -> None:
    """The best answer to one of three bots, each equally likely, by walking every bidding. That a stranger has slipped
    is taken to be noticed, which makes little difference.
    """
    state = deal(new_game(config, ("You", "bob")), ((2,), (1,)))
    answers = {name: asked(make_agent(name), state, 0) for name in STRANGER}
    # a hand and who holds it: the walk is told apart by a second number in the hand, which counts for nothing
    theirs: dict[tuple[int, ...], float] = {(die, 10 + who): 1 / 9 for die in (1, 2, 3) for who in range(len(STRANGER))}

    def answer(hand: tuple[int, ...], history: tuple[Bid, ...], slipped: str = "by a slip") -> dict[Action, float]:
        meant = answers[STRANGER[hand[1] - 10]](hand[:1], history)
        chances = {action: (1 - SLIP) * chance for action, chance in meant.items()}
        now = state
        for bid in history:
            now = apply(now, BidAction(bid))
        legal = legal_actions(now.public)
        for action in legal:
            slip = msgspec.structs.replace(action, reasoning=slipped)
            chances[slip] = chances.get(slip, 0.0) + SLIP / len(legal)
        return chances

    found = brute_force(state, 0, theirs, answer)
    unnoticed = brute_force(state, 0, theirs, lambda hand, history: answer(hand, history, ""))
    advice = against_models(view_of(state, 0), (UNKNOWN_PLAYER, UNKNOWN_PLAYER))
    assert advice.source == "opponent model: optimal, conservative or probabilistic"
    for action, value in found.items():
        assert advice.of(action).win_chance == pytest.approx(value, abs=1e-12)
        assert -1e-12 < value - unnoticed[action] < 0.04


def test_many_players_are_weighed_one_by_one() -> None:
    """Three players with a die each: the first has bid a two it must hold, so a call on one two must lose."""
    config = preset("classic", dice=(1, 1, 1))
    state = deal(new_game(config, ("optimal", "You", "sniper")), ((2,), (5,), (6,)))
    advice = advise(view_of(play(state, "1x2"), 1)).habits
    assert advice is not None
    assert advice.holds == pytest.approx(1.0)
    assert advice.of(CallLiarAction()).win_chance == pytest.approx(0.0)
    assert advice.source == "opponent models, one answer ahead: optimal; sniper"
    assert "does not lose the round" in advice.why


# -- an unknown player, and this one -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "moves", "against"),
    [
        (preset("heads-up", dice=2), "1x4 2x2 2x4 3x4 liar", "against perfect play"),
        (
            preset("perudo", players=2, dice=2, exact_call=False),
            "1x4 2x2 2x4 liar",
            "if everybody plays on as champion",
        ),
        (preset("perudo", players=2, dice=2, faces=5), "1x4 2x2 2x4 liar", "against an unknown opponent"),
        (preset("perudo", players=3, dice=2, mode="single_round"), "1x4 2x2 2x4 liar", "against unknown opponents"),
    ],
    ids=["solved", "champion", "two", "three"],
)
def test_the_rating_does_not_depend_on_who_the_others_are(config: GameConfig, moves: str, against: str) -> None:
    """A bot's habits are told beside the rating, which is the same as against a person."""
    hands = ((2, 4), (1, 1), (3, 5))[: config.num_players]
    reviews = []
    for others in (("bluffer", "random"), ("ann", "bob")):
        start = new_game(config, ("You", *others[: config.num_players - 1]))
        reviews.append(review_game(play(deal(start, hands), moves), seat=0))
    known, unknown = reviews
    assert known.accuracy == unknown.accuracy
    for move, same in zip(known.moves, unknown.moves, strict=True):
        assert msgspec.structs.replace(move, habits=None) == same
        assert move.habits is not None
        assert move.habits.words.startswith("Given how ")
        assert move.habits.loss == pytest.approx(move.habits.best_chance - move.habits.win_chance, abs=1e-12)
    assert known.moves[0].against == against
    assert (list(known.habits_accuracy), unknown.habits_accuracy) == ([0], {})
    told = known.to_dict()
    assert (told["habits_accuracy"], told["accuracy"]) == (
        {"You": known.habits_accuracy[0]},
        {"You": known.accuracy[0]},
    )


def test_a_review_says_what_it_rates_against_and_what_habits_allowed() -> None:
    """`optimal` holds a six if it bids one here; of an unknown player that is only likely."""
    start = new_game(preset("perudo", players=2, dice=3, next_opener="winner"), ("You", "optimal"))
    text = "\n".join(plain(review_game(play(deal(start, ((2, 3, 4), (2, 6, 6))), "1x2 1x6 liar"), seat=0), 200))
    assert (
        "    You called a bid that held 97% of the time against an unknown opponent; bidding two sixes wins 93%\n"
        "    Given how optimal plays, this wins 0% of the time; bidding two twos wins 100%\n"
    ) in text
    assert "  by what the others' habits allowed: " in text
    assert "Rated against an unknown opponent: 2 decisions." in text


def test_habits_are_of_the_round_beside_a_rating_of_the_game() -> None:
    start = new_game(preset("perudo", players=2, dice=1), ("You", "optimal"))
    review = review_game(play(deal(start, ((2,), (6,))), "1x2 1x6 2x2"), seat=0)
    move = review.moves[-1]
    assert move.habits is not None
    assert (move.of_what, move.habits.of_what) == ("game", "round")
    assert "which wins the game " in move.words
    assert "Given how optimal plays, this wins the round " in move.habits.words
    told = review.to_dict()["moves"]
    assert isinstance(told, list)
    assert (told[-1]["of"], told[-1]["habits"]["of"], "of_what" in told[-1]["habits"]) == ("game", "round", False)


def test_small_rounds_are_judged_by_perfect_play_whatever_the_rules() -> None:
    """Solved at the first question where the package has no solution; a match by unusual rules has rounds it has."""
    for config, sources in (
        (preset("openspiel"), {"equilibrium, solved on the spot"}),
        (preset("perudo", players=2, dice=1, next_opener="winner"), {"equilibrium"}),
        (GameConfig(dice=(3, 3), wild="ones"), {"opponent model: optimal, conservative or probabilistic"}),
    ):
        state = deal(new_game(config, ("You", "ann")), ((2, 3, 4)[: config.dice[0]], (6, 6, 2)[: config.dice[1]]))
        review = review_game(play(state, "1x3 1x6 liar"))
        assert {move.source for move in review.moves} == sources


def test_only_decisions_that_count_are_said_to_be_rated() -> None:
    """The first bid is the referee's, and after the highest bid there is only one legal move."""
    state = play(deal(new_game(preset("classic", dice=1)), ((3,), (2,))), "1x3 2x6 liar")
    review = review_game(state, fallbacks={1})
    assert [move.is_free for move in review.moves] == [False, True, False]
    assert sum(sum(found.values()) for found in review.measured_against.values()) == 1
    assert "Rated against perfect play: 1 decision." in "\n".join(plain(review, 200))


# -- advice ------------------------------------------------------------------------------------------------------------


def test_advice_says_what_and_why() -> None:
    state = play(dealt(preset("duel"), (1, 4), (2, 2, 6)), "1x6")
    advice = advise(view_of(state, 1))
    assert advice.source == "equilibrium"
    assert {str(choice.action) for choice in advice.choices} == set(map(str, legal_actions(state.public)))
    assert sum(choice.chance or 0 for choice in advice.choices) == pytest.approx(1)
    assert advice.choices[0].action == advice.best
    assert advice.win_chance >= max(choice.win_chance for choice in advice.choices) - advice.tolerance
    assert advice.why.startswith("One six holds ")
    assert advice.why.endswith(" %.") or advice.why.endswith("of the time.")
    with pytest.raises(BadValueError, match="whose turn it is"):
        advise(view_of(state, 0))


def test_preparing_builds_what_advice_needs() -> None:
    start = new_game(preset("heads-up", faces=5), ("You", "optimal"))
    state = deal(start, ((1, 2, 3, 4, 5), (1, 1, 2, 3, 3)))
    prepare(start.public)  # no round has begun: there is nothing to prepare
    situation = seat_situation(state.public, 1, 0)
    assert situation not in model_of("optimal")._graphs
    prepare(state.public)
    assert situation in model_of("optimal")._graphs
    assert situation in model_of("ann")._graphs
    habits = advise(view_of(state, 0)).habits
    assert habits is not None
    assert habits.source == "opponent model: optimal"


def test_rules_out_of_the_ordinary() -> None:
    for config in (
        preset("classic", dice=60),
        preset("classic", dice=(8, 9), faces=4),
        preset("classic", max_turns=3),
        preset("perudo", players=3, max_turns=2),
        preset("perudo", players=3, dice=40, mode="single_round"),
        GameConfig(dice=(2, 2), wild="ones", wild_bids="forbidden", opening_min_quantity=2, open_on_ones=False),
        GameConfig(dice=(3, 3), max_quantity=2),
        GameConfig(dice=(1, 1), mode="best_of", rounds=3, next_opener="alternate"),
        GameConfig(dice=(2, 2, 2), mode="best_of", rounds=3, next_opener="winner"),
    ):
        engine = GameEngine(config, [make_agent("random") for _ in config.dice], seed=1)
        engine.play()
        check(review_game(engine.state), engine.state)


# -- every game --------------------------------------------------------------------------------------------------------


def check(review: Review, state: GameState) -> None:
    """What holds for every review of a whole game."""
    assert len(review.moves) == len(review.curve) - 1 == sum(len(r.bids) + 1 for r in state.public.resolutions)
    assert [move.turn for move in review.moves] == list(range(1, len(review.moves) + 1))
    for move in review.moves:
        assert 0 <= move.loss <= 1
        assert move.kind in KINDS
        assert "\n" not in move.words
        assert review.names[move.player] in move.words
        assert move.loss > 0 or move.best == move.action
    for point in review.curve:
        assert sum(point.chances) == pytest.approx(1)
        assert all(-1e-12 <= chance <= 1 + 1e-12 for chance in point.chances)
    assert review.winner is not None
    assert review.curve[-1].chances[review.winner] == 1
    assert all(0 <= accuracy <= 100 for accuracy in review.accuracy.values())
    for width in (40, 80):
        assert all(len(line) <= width for line in plain(review, width))
        assert all(line.isascii() for line in plain(review, width, ascii_only=True))


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
@pytest.mark.parametrize("rules", PRESETS)
def test_every_preset(rules: str, seed: int) -> None:
    config = preset(rules)
    engine = GameEngine(config, [Chooser(seed + seat) for seat in range(config.num_players)], seed=seed)
    engine.play()
    check(review_game(engine.state), engine.state)


def test_perudo_with_everything() -> None:
    config = preset("perudo", players=4, dice=2, palifico=True)
    seen = set()
    for seed in range(4):
        state = played(config, ("random", "optimal", "sniper", "bluffer"), seed)
        seen |= {(r.palifico, r.call) for r in state.public.resolutions}
        check(review_game(state), state)
    assert seen >= {(True, "liar"), (False, "liar"), (False, "exact")}


def test_recorded_events_give_the_same_review() -> None:
    store = InMemoryRecorder()
    engine = GameEngine(preset("heads-up", dice=2), [make_agent("optimal"), make_agent("random")], seed=3)
    game_id = record_game(engine, store)
    engine.play()
    assert review_game(store.events(game_id)) == review_game(engine.state)
    only = review_game(store.events(game_id), seat=1)
    assert {move.player for move in only.moves} == {1}
    with pytest.raises(BadValueError, match="seat = 2: expected a seat from 0 to 1"):
        review_game(engine.state, 2)


# -- no hidden information ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "names", "own", "moves"),
    [
        (preset("duel"), ("ann", "bob"), (1, 4), "1x4 2x2 2x4 liar"),
        (preset("classic"), ("ann", "optimal"), (1, 1, 4, 5, 6), "1x1 1x4 2x4 3x4 4x4 liar"),
        (preset("perudo", players=3), ("ann", "optimal", "bob"), (1, 1, 4, 5, 6), "2x4 3x4 4x4 5x4 5x6 exact"),
    ],
    ids=["equilibrium", "model", "many"],
)
def test_hidden_dice_change_no_verdict(
    config: GameConfig, names: tuple[str, ...], own: tuple[int, ...], moves: str
) -> None:
    rng = random.Random(1)
    reviews = []
    for _ in range(4):
        hidden = (tuple(rng.randint(1, 6) for _ in range(n)) for n in config.dice[1:])
        state = play(deal(new_game(config, names), (own, *hidden)), moves)
        reviews.append(review_game(state, seat=0))
    assert len({review.moves for review in reviews}) == 1
    assert len(reviews[0].moves) >= 2
    assert len({review.curve[:-1] for review in reviews}) == 1


def test_a_running_round_stays_hidden() -> None:
    config = preset("heads-up", dice=3)
    first = play(deal(new_game(config), ((1, 2, 3), (4, 4, 4))), "1x4 2x4 liar")
    assert first.public.status == "REVEAL"
    counts = first.public.dice_counts
    running = []
    for dice in ((1, 6), (5, 5)):
        hands = tuple(tuple([dice[0]] + [dice[1]] * (n - 1)) for n in counts)
        running.append(play(deal(first, hands), "1x2 1x6"))
    hidden = [review_game(state) for state in running]
    assert hidden[0] == hidden[1]
    assert {move.round for move in hidden[0].moves} == {1}
    assert len(hidden[0].curve) == 6
    assert hidden[0].winner is None
    own = review_game(running[0], seat=1)
    assert {(move.round, move.player) for move in own.moves} == {(1, 1), (2, 1)}
    assert plain(review_game(new_game(config)))[0] == "There are no decisions to judge yet."


# -- the curve ---------------------------------------------------------------------------------------------------------


def test_the_curve_begins_with_proved_chances() -> None:
    config = preset("heads-up", dice=3)
    low, high = match_bracket(3, 3)
    start = WinChances(config, (model_of("a"), model_of("b"))).of(new_game(config).public)
    assert low <= start[0] <= high
    assert in_tablebase(dealt(config, (1, 2, 3), (1, 2, 3)).public)


def test_the_curve_agrees_with_exact_matches() -> None:
    """By rules of which no round is solved, two known bots have the chances of their match-up."""
    config = preset("perudo", players=2, dice=2, open_on_ones=False)
    pair = Matchups([make_agent("sniper"), make_agent("optimal")], config)
    start = WinChances(config, (model_of("sniper"), model_of("optimal"))).of(new_game(config).public)
    assert start[0] == pytest.approx(float(pair.match.win[0, 1]), abs=1e-12)


@pytest.mark.parametrize("dice", [(3, 2), (2, 3)])
def test_chances_average_to_those_before(dice: tuple[int, int]) -> None:
    """Over all openings of a known bot, the chance to win after it is on average the chance before it."""
    config = preset("perudo", players=2, dice=dice, open_on_ones=False)
    win_chances = WinChances(config, (model_of("optimal"), model_of("sniper")))
    table = PolicyTable.of(make_agent("optimal"), config, own=dice[0], other=dice[1])
    mean = 0.0
    for hand, weight in zip(table.hands.hands, table.hands.weights.tolist(), strict=True):
        (action,) = table[hand, None]
        mean += weight * win_chances.of(apply(dealt(config, hand, (1,) * dice[1]), action).public)[0]
    assert mean == pytest.approx(win_chances.of(new_game(config).public)[0], abs=1e-12)


def test_perfect_bids_average_to_the_value() -> None:
    """Over all openings of an equilibrium, what the round is worth after it is on average what it was before."""
    solved = Tablebase.shipped().round(2, 1)
    config = GameConfig(dice=(2, 1))
    win_chances = WinChances(config, (model_of("a"), model_of("b")))
    rules = round_rules(config, 3, False)
    hands = solved.tree.hand_sets[0]
    openings = dict.fromkeys(rules.bids, 0.0)
    for hand, weight in zip(hands.hands, hands.weights.tolist(), strict=True):
        for action, chance in solved.strategies[0].mix((), hand).items():
            assert isinstance(action, BidAction)
            openings[action.bid] += weight * chance
    state = dealt(config, (1, 1), (1,))
    mean = sum(p * win_chances.of(apply(state, BidAction(bid)).public)[0] for bid, p in openings.items() if p)
    assert mean == pytest.approx((1 + solved.value) / 2, abs=1e-3)


def test_the_curve_knows_how_strong_bots_are() -> None:
    """Among equals the opener's chance is about its share; a weak bot has less, whoever it is called after."""
    config = preset("perudo", players=3)
    start = new_game(config).public

    def chances(*names: str) -> tuple[tuple[float, ...], str]:
        win_chances = WinChances(config, tuple(map(model_of, names)))
        return win_chances.of(start), win_chances.source

    equals, source = chances("champion", "You", "cmd:node bot.js")
    assert source == "champion"
    assert sum(equals) == pytest.approx(1)
    mixed, source = chances("champion", "detective#2", "maniac")
    assert source == "champion, and how strong these bots are"
    assert sum(mixed) == pytest.approx(1)
    assert mixed[0] > equals[0]
    assert mixed[2] < 0.5 * equals[2]
    # the odds between two seats change by their strengths alone
    _, detective = RELATIVE_STRENGTH["detective"]
    assert mixed[1] / mixed[0] == pytest.approx(detective * equals[1] / equals[0])
    assert chances("optimal", "champion", "champion")[0] == chances("threshold-best", "champion", "champion")[0]


def test_strength_does_not_bring_back_who_is_out() -> None:
    assert with_known_bots((0.6, 0.0, 0.4), ("champion", "champion", "maniac"))[1] == 0
    two, more = RELATIVE_STRENGTH["maniac"]
    assert two != more
    assert with_known_bots((0.5, 0.0, 0.5), ("champion", "champion", "maniac"))[2] == pytest.approx(two / (1 + two))


# -- pictures ----------------------------------------------------------------------------------------------------------


def test_strips() -> None:
    assert column_chart([0, 0.5, 1], 1) == [" ▄█"]
    assert column_chart([0, 0.5, 1], 2, ascii_only=True) == ["  #", " ##"]
    review = review_game(played(preset("heads-up", dice=2), ("random", "optimal"), 1))
    for width in (40, 80):
        chart = chance_charts(review, width)
        assert chart[0] == "random: chance to win the game"
        assert chart[1].startswith(" 100%")
        assert chart[5].startswith("   0%")


def test_a_picture(tmp_path: Path) -> None:
    review = review_game(played(preset("perudo", players=3, dice=2), ("random", "optimal", "bluffer"), 1))
    draw_review(review, tmp_path / "new" / "game.png", "a game of $ and _")
    assert (tmp_path / "new" / "game.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(BadValueError, match=r"a file whose name ends in \.png, \.pdf or \.svg"):
        draw_review(review, tmp_path / "game.jpg")


def test_a_heads_up_match_against_a_bot_that_remembers() -> None:
    state = played(preset("heads-up"), ("optimal", "detective"), 2)
    check(review_game(state), state)


def test_large_tables_are_judged_by_the_odds() -> None:
    """Ten players with ten dice each would have to be thought about for minutes."""
    engine = GameEngine(preset("perudo", players=10, dice=10), [make_agent("optimal")] * 10, seed=1)
    engine.start_new_round()
    assert advise(view_of(engine.state, 0)).source == "plain odds"


def test_dice_on_the_table_are_judged_by_the_odds() -> None:
    """Advice, review and chances where some dice belong to no player: the open ones are known, the covered ones not."""
    config = preset("heads-up", dice=2, table_dice=2, hidden_dice=1)
    start = deal(new_game(config), ((3, 4), (1, 2)), (5, 5), (5,))
    advice = advise(view_of(start, 0))
    assert advice.source == "plain odds"
    assert advice.of(BidAction(Bid(2, 5))).win_chance == 1.0
    engine = GameEngine(config, [make_agent("optimal"), make_agent("detective")], seed=4)
    engine.play()
    review = review_game(engine.state)
    assert len(review.moves) == sum(len(r.bids) + 1 for r in engine.state.public.resolutions)
    assert all(0 <= move.loss <= 1 for move in review.moves)


def test_a_review_says_how_far_it_is() -> None:
    state = played(preset("heads-up", dice=2), ("random", "optimal"), 1)
    heard: list[tuple[int, int]] = []
    review = review_game(state, progress=lambda done, of: heard.append((done, of)))
    assert heard == [(turn, len(review.moves)) for turn in range(1, len(review.moves) + 1)]


def test_a_belief_is_worked_out_once() -> None:
    state = play(named(dealt(preset("heads-up"), (1, 2, 3, 4, 5), (1, 1, 2, 2, 3)), "ann", "bob"), "2x2 2x3")
    first = belief(state.public, 0, model_of("ann"))
    assert belief(play(named(state, "ann", "bob"), "2x2").public, 0, model_of("ann")) is first
    assert not first.flags.writeable
