"""The coach measures quality: the best strategies known are charged next to nothing, and others what they give up."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from liars_dice.agents import make_agent
from liars_dice.coach import advise, review_game
from liars_dice.coach.solved_advice import round_by_itself
from liars_dice.core import (
    Action,
    Bid,
    BidAction,
    CallExactAction,
    GameConfig,
    GameEngine,
    GameView,
    apply,
    as_action,
    count_matches,
    deal,
    new_game,
    preset,
    view_of,
)
from liars_dice.exact.solver import mix_of, solved_round

Hand = tuple[int, ...]


class Walk:
    """A bot against perfect play in a solved round, every bidding with its probability."""

    def __init__(self, config: GameConfig, bot: str, seat: int) -> None:
        self.config, self.seat = config, seat
        start = deal(new_game(config, ("a", "b")), tuple((1,) * n for n in config.dice))
        shipped, by_itself = solved_round(start.public), round_by_itself(start.public)
        assert by_itself is not None
        self.solved = by_itself[0] if shipped is None else shipped[1]
        self.answers = cache(lambda bids, hand: mix_of(self.solved.tree, self.solved.pool, bids, hand))
        self.worth = self.solved.tree.payoffs.to(seat)
        self.bot = make_agent(bot)
        self.view = cache(self._view)
        self.move = cache(lambda hand, bids: as_action(self.bot.choose_action(self.view(hand, bids))))
        self.loss = cache(lambda hand, bids: advise(self.view(hand, bids)).loss(self.move(hand, bids)))

    def _view(self, hand: Hand, bids: tuple[Bid, ...]) -> GameView:
        hands = [(1,) * n for n in self.config.dice]
        hands[self.seat] = hand
        state = deal(new_game(self.config, ("a", "b")), tuple(hands))
        for bid in bids:
            state = apply(state, BidAction(bid))
        return view_of(state, self.seat)

    def ends(self, mine: Hand, theirs: Hand, bids: tuple[Bid, ...] = ()) -> tuple[float, float]:
        """What the bot earns on average with these hands after these bids, and what the coach charges it."""
        if len(bids) % 2 == self.seat:
            move = self.move(mine, bids)
            earned, charged = self._after(mine, theirs, bids, move, mine_called=True)
            return earned, charged + self.loss(mine, bids)
        earned = charged = 0.0
        for action, chance in self.answers(bids, theirs).items():
            if chance > 0:
                one, other = self._after(mine, theirs, bids, action, mine_called=False)
                earned, charged = earned + chance * one, charged + chance * other
        return earned, charged

    def _after(
        self, mine: Hand, theirs: Hand, bids: tuple[Bid, ...], action: Action, *, mine_called: bool
    ) -> tuple[float, float]:
        if isinstance(action, BidAction):
            return self.ends(mine, theirs, (*bids, action.bid))
        exact = isinstance(action, CallExactAction)
        count = count_matches((mine, theirs), bids[-1].face, self.solved.tree.rules.wild_face)
        right = count == bids[-1].quantity if exact else count < bids[-1].quantity
        return float(self.worth[0 if mine_called else 1, int(exact), int(right)]), 0.0

    def all_hands(self) -> Iterator[tuple[float, Hand, Hand]]:
        mine, theirs = self.solved.tree.hand_sets[self.seat], self.solved.tree.hand_sets[1 - self.seat]
        for weight, hand in zip(mine.weights.tolist(), mine.hands, strict=True):
            for other_weight, other in zip(theirs.weights.tolist(), theirs.hands, strict=True):
                yield weight * other_weight, hand, other

    def gives_up_and_is_charged(self) -> tuple[float, float]:
        """Per round, as chances to win: what the bot gives up against perfect play, and what the coach charges."""
        earned = charged = 0.0
        for weight, mine, theirs in self.all_hands():
            one, other = self.ends(mine, theirs)
            earned, charged = earned + weight * one, charged + weight * other
        value = self.solved.value if self.seat == 0 else -self.solved.value
        return (value - earned) / 2, charged


@pytest.mark.parametrize("bot", ["optimal", "conservative", "bluffer"])
@pytest.mark.parametrize(
    "config",
    [
        GameConfig(dice=(1, 1)),
        GameConfig(dice=(2, 1)),
        pytest.param(GameConfig(dice=(1, 2)), marks=pytest.mark.slow),
        pytest.param(GameConfig(dice=(2, 2)), marks=pytest.mark.slow),
        preset("perudo", players=2, dice=1, mode="single_round"),
        preset("perudo", players=2, dice=(2, 1), mode="single_round"),
        preset("perudo", players=2, dice=(1, 2), mode="single_round"),
        preset("perudo", players=2, dice=2, mode="single_round"),
        preset("perudo", players=2, dice=1),
        pytest.param(preset("perudo", players=2, dice=(2, 1)), marks=pytest.mark.slow),
        preset("openspiel"),
        GameConfig(dice=(1, 2), faces=4, wild="ones"),
        pytest.param(GameConfig(dice=(2, 1), wild="ones", exact_call=True), marks=pytest.mark.slow),
    ],
    ids=[
        *("1v1", "2v1", "1v2", "2v2"),
        *("perudo 1v1", "perudo 2v1", "perudo 1v2", "perudo 2v2"),
        *("perudo match 1v1", "perudo match 2v1"),
        *("openspiel", "ones 1v2", "ones and exact calls 2v1"),
    ],
)
def test_summed_losses_are_what_a_bot_gives_up(config: GameConfig, bot: str) -> None:
    for seat in (0, 1):
        gives_up, charged = Walk(config, bot, seat).gives_up_and_is_charged()
        assert gives_up > -1e-3
        assert charged == pytest.approx(gives_up, abs=0.02)


@pytest.mark.parametrize(
    ("config", "games"),
    [
        (preset("classic"), 8),
        (preset("heads-up"), 1),
        (preset("perudo", players=2), 1),
        (preset("openspiel"), 40),
        pytest.param(preset("classic"), 150, marks=pytest.mark.slow),
        pytest.param(preset("heads-up"), 20, marks=pytest.mark.slow),
        pytest.param(preset("perudo", players=2), 10, marks=pytest.mark.slow),
    ],
)
def test_the_best_strategies_known_are_charged_next_to_nothing(config: GameConfig, games: int) -> None:
    lost, rounds = 0.0, 0
    for seed in range(games):
        engine = GameEngine(config, [make_agent("nash"), make_agent("nash")], seed=seed)
        engine.play()
        review = review_game(engine.state)
        assert all(move.source.startswith(("short-memory strategy", "equilibrium")) for move in review.moves)
        lost += sum(move.loss for move in review.moves)
        rounds += len(engine.state.public.resolutions)
    assert lost / rounds / 2 < 0.05
