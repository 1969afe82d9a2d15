"""`reader`: what it learns, what it answers, and what it risks."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from liars_dice.agents import AGENTS, Agent, AgentNameError, make_agent
from liars_dice.core import (
    Action,
    BadValueError,
    Bid,
    BidAction,
    CallLiarAction,
    GameEngine,
    GameView,
    PublicState,
    deal,
    new_game,
    preset,
    view_of,
)
from liars_dice.exact.response import best_response
from liars_dice.exact.solver import solved_policy
from liars_dice.opponents.reader import DEFAULT_RISK, ReaderAgent
from liars_dice.opponents.reader_bank import RiskBank, start_chance
from liars_dice.persistence import open_store, record_game

NAMES = (("me", "other"), ("other", "me"))


def play_rounds(reader: Agent, other: Agent, rounds: int, *, dice: int = 2, seed: int = 0) -> list[int]:
    """What the reader earns in single rounds in a row, +1 or -1 each; the opener changes."""
    config = preset("classic", dice=dice)
    earned = []
    for number in range(rounds):
        seat = number % 2
        agents = (reader, other) if seat == 0 else (other, reader)
        game = GameEngine(config, agents, names=NAMES[seat], seed=1000 * seed + number)
        earned.append(1 if game.play().winner == seat else -1)
    return earned


@pytest.mark.parametrize("name", ["maniac", "bluffer", "detective"])
def test_it_finds_out_who_sits_there_and_takes_most_of_what_can_be_taken(name: str) -> None:
    reader = ReaderAgent()
    earned = play_rounds(reader, make_agent(name), 80)
    perfect = sum(best_response(name, preset("classic", dice=2))) / 2
    assert sum(earned[20:]) / 60 > 0.75 * perfect
    assert sum(play_rounds(make_agent("nash"), make_agent(name), 80)) < sum(earned)


def test_a_player_who_changes_is_found_out_again() -> None:
    reader = ReaderAgent()
    play_rounds(reader, make_agent("maniac"), 40)
    assert sum(play_rounds(reader, make_agent("calling-station"), 60, seed=1)) > 15
    assert next(iter(reader.known["other"].styles.weights)) in ("calling-station", "threshold:0.35,0.35")


def test_without_evidence_it_plays_as_nash_does() -> None:
    game = GameEngine(preset("classic", dice=2), seed=3)
    game.start_new_round()
    reader = ReaderAgent()
    reader.on_game_start(preset("classic", dice=2), 0)
    view = game.get_view(0)
    solved = solved_policy(view)
    assert solved is not None
    assert reader.policy(view) == solved[1]


def test_whether_it_reads_follows_from_what_was_known_before_the_round() -> None:
    reader = ReaderAgent()
    play_rounds(reader, make_agent("passive"), 12)
    config = preset("classic", dice=2)
    for mine in ((1, 1), (3, 6)):
        reader.on_game_start(config, 0)
        state = deal(new_game(config, names=NAMES[0]), (mine, (2, 5)))
        assert reader.will_read(state.public)


def test_dice_of_an_unfinished_round_cannot_matter() -> None:
    """Two rounds that differ in the hidden dice alone lead to the same policies, and to the same memory."""
    reader, twin = ReaderAgent(), ReaderAgent()
    for one in (reader, twin):
        play_rounds(one, make_agent("bluffer"), 15)
    config = preset("classic", dice=2)
    for one, hidden in ((reader, (2, 2)), (twin, (5, 6))):
        one.on_game_start(config, 0)
        view = view_of(deal(new_game(config, names=NAMES[0]), ((3, 4), hidden)), 0)
        one.seed(1)
        one.choose_action(view)
    assert reader.known["other"].styles.weights == twin.known["other"].styles.weights
    view = view_of(deal(new_game(config, names=NAMES[0]), ((3, 4), (1, 1))), 0)
    assert reader.policy(view) == twin.policy(view)


def test_one_seed_one_match() -> None:
    matches = [play_rounds(ReaderAgent(), make_agent("bluffer"), 30, seed=5) for _ in range(2)]
    assert matches[0] == matches[1]


# -- risk --------------------------------------------------------------------------------------------------------------


def test_a_bank_never_falls_below_zero_and_is_fair() -> None:
    """Against opponents who win all that is read, it loses what it had and no more; what is added is won over even."""
    rng = random.Random(0)
    bank, read = RiskBank(2.0), 0
    while bank.covers(chance := rng.uniform(0.3, 0.7)):
        bank.stake(chance)
        bank.settle(0)
        read += 1
        assert bank.balance >= 0
    assert 2 <= read <= 6
    with pytest.raises(AssertionError):
        bank.stake(1.0)


class Turncoat(Agent):
    """Baits the reader; once it is read, it gives the best answer, one bid ahead, to what the reader is going to do."""

    def __init__(self, reader: ReaderAgent) -> None:
        super().__init__("turncoat")
        self.reader, self.bait = reader, make_agent("maniac")

    def choose_action(self, view: GameView) -> Action:
        """The bait's move, or the best answer."""
        public = view.public
        if not self.reader.will_read(public):
            return self.bait.choose_action(view)  # type: ignore[return-value]
        hands = [(face,) for face in range(1, 7)]
        history = public.bid_history
        for made in range(1 - len(history) % 2, len(history), 2):  # the reader's bids
            said = BidAction(history[made])
            hands = [hand for hand in hands if self.does(public, hand, history[:made]) == said]
        worth = {action: sum(self.wins(view, hand, action) for hand in hands) for action in view.legal_actions}
        return max(worth, key=lambda action: worth[action])

    def does(self, public: PublicState, hand: tuple[int, ...], history: tuple[Bid, ...]) -> Action:
        """What the reader does with this hand after these bids."""
        rung = public.rules.rungs[history[-1]] if history else -1
        seat = self.reader.seat
        then = msgspec.structs.replace(public, bid_history=history, rung=rung, current_player=seat)
        (action,) = self.reader.policy(GameView(seat, hand, then))
        return action

    def wins(self, view: GameView, hand: tuple[int, ...], action: Action) -> bool:
        """Whether an action wins, if the reader has this hand and the next bid is called."""
        history = view.public.bid_history
        if isinstance(action, CallLiarAction):
            return not self.holds(history[-1], view.my_dice + hand)
        assert isinstance(action, BidAction)
        reply = self.does(view.public, hand, (*history, action.bid))
        if isinstance(reply, CallLiarAction):
            return self.holds(action.bid, view.my_dice + hand)
        assert isinstance(reply, BidAction)
        return not self.holds(reply.bid, view.my_dice + hand)

    @staticmethod
    def holds(bid: Bid, dice: tuple[int, ...]) -> bool:
        """Whether a bid is true."""
        return dice.count(bid.face) >= bid.quantity


def test_an_adversary_takes_no_more_than_the_risk() -> None:
    reader = ReaderAgent()
    play_rounds(reader, Turncoat(reader), 60, dice=1)
    (bank,) = reader.banks.values()
    assert bank.risk == DEFAULT_RISK
    assert 0 <= bank.balance < 1  # it was taken in, and it stopped


def test_without_risk_it_never_reads() -> None:
    reader = ReaderAgent(risk=0)
    play_rounds(reader, make_agent("maniac"), 20)
    (bank,) = reader.banks.values()
    assert bank.balance == 0
    with pytest.raises(BadValueError, match="a number of games"):
        ReaderAgent(risk=-1)


def test_what_the_start_policy_is_sure_of() -> None:
    single = deal(new_game(preset("classic", dice=1)), ((1,), (2,))).public
    assert start_chance(single, 0) == pytest.approx(4 / 9, abs=1e-3)
    assert start_chance(single, 1) == pytest.approx(5 / 9, abs=1e-3)
    six = deal(new_game(preset("perudo", players=6)), ((1, 2, 3, 4, 5),) * 6).public
    chances = [start_chance(six, seat) for seat in range(6)]
    assert sum(chance or 0.0 for chance in chances) == pytest.approx(1)
    assert start_chance(deal(new_game(preset("classic", players=3, dice=1)), ((1,), (2,), (3,))).public, 0) is None


# -- memory ------------------------------------------------------------------------------------------------------------


def test_a_store_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    config = preset("classic", dice=2)
    with open_store(path) as store:
        for seed in range(25):
            game = GameEngine(config, [make_agent("nash"), make_agent("maniac")], names=["ann", "other"], seed=seed)
            record_game(game, store)
            game.play()
    reader = make_agent(f"reader:{path}")
    assert isinstance(reader, ReaderAgent)
    assert reader.known_as("other").styles.rounds >= 20
    assert reader.known_as("nobody").styles.rounds == 0
    reader.on_game_start(config, 0)
    assert reader.will_read(deal(new_game(config, names=NAMES[0]), ((1, 1), (2, 5))).public)
    assert reader._store is not None
    reader._store.close()


def test_a_store_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentNameError, match="a store"):
        make_agent(f"reader:{tmp_path / 'none.db'}")


def test_it_is_registered() -> None:
    assert AGENTS["reader"].players == (2, 15)
    assert isinstance(make_agent("reader"), ReaderAgent)
