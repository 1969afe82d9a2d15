"""The rules of play, one by one (rules 1.5, 2, 3.6 to 3.8, 4, 5, 6)."""

from __future__ import annotations

import pytest

from liars_dice.core import (
    Bid,
    BidAction,
    CallExactAction,
    CallLiarAction,
    DealError,
    GameConfig,
    GameState,
    IllegalMoveError,
    Move,
    apply,
    can_apply,
    count_matches,
    deal,
    new_game,
    preset,
    verify,
)
from support import dealt, legal, play


class Chameleon:
    """Equal to anything at the second look, and angry when printed."""

    looks = 0

    def __hash__(self) -> int:
        return hash(Bid(2, 2))

    def __eq__(self, other: object) -> bool:
        self.looks += 1
        return self.looks > 1

    def __repr__(self) -> str:
        raise RuntimeError("do not look at me")


def last_round(state: GameState) -> tuple[int, int, int]:
    """Winner, loser and count of the last settled round."""
    last = state.public.resolutions[-1]
    return last.winner, last.loser, last.match_count


def test_seat_order() -> None:
    """Rule 1.5: seat 0 opens, turns go round, and seats that are out are passed over."""
    config = GameConfig(dice=(1, 1, 2), mode="elimination")
    state = dealt(config, (1,), (2,), (3, 3))
    assert state.public.current_player == 0
    state = play(state, "1x1 1x2 2x3")
    assert state.public.current_player == 0
    assert state.public.bidders == (0, 1, 2)
    state = deal(play(state, "liar"), ((), (2,), (3, 3)))
    assert state.public.opener == 1
    state = play(state, "1x1 1x2")
    assert state.public.current_player == 1
    assert state.public.bidders == (1, 2)


def test_a_round_begins_with_a_bid() -> None:
    """Rule 2.2."""
    state = dealt(preset("perudo", players=2, dice=1), (1,), (2,))
    assert "liar" not in legal(state)
    for call in ("liar", "exact"):
        with pytest.raises(IllegalMoveError, match="there is no bid to call yet"):
            play(state, call)


def test_three_kinds_of_action() -> None:
    """Rule 2.1: exact only where it is played."""
    assert legal(play(dealt(preset("perudo", players=2, dice=1), (1,), (2,)), "2x6")) == ["1x1", "2x1", "liar", "exact"]
    state = play(dealt(GameConfig(dice=(1, 1)), (1,), (2,)), "2x6")
    assert legal(state) == ["liar"]
    with pytest.raises(IllegalMoveError, match="this game has no exact calls"):
        play(state, "exact")


def test_illegal_moves_say_everything() -> None:
    """Rule 2.3: the error carries both players, the bid, the action and what was possible; nothing changes."""
    state = play(dealt(GameConfig(dice=(1, 1), faces=3), (1,), (2,)), "2x1")
    public = state.public
    before = repr(state)
    with pytest.raises(IllegalMoveError, match="it is player-1's turn") as caught:
        verify(public, 0, CallLiarAction())
    error = caught.value
    assert (error.player, error.expected_player, error.current_bid) == (0, 1, Bid(2, 1))
    assert error.action == CallLiarAction()
    assert [str(action) for action in error.legal] == ["2x2", "2x3", "liar"]
    assert error.proposed_bid is None
    reasons: list[tuple[object, str]] = [
        (BidAction(Bid(2, 1)), "2x1 is not higher than 2x1"),
        (BidAction(Bid(1, 3)), "1x3 is not higher than 2x1"),
        (BidAction(Bid(3, 1)), "3x1 is not a bid of this round: quantities are 1 to 2, faces 1 to 3"),
        (None, "an object of type NoneType is not an action"),
        (BidAction([1]), "two whole numbers"),  # type: ignore[arg-type]
        (BidAction("2x2"), "two whole numbers"),  # type: ignore[arg-type]
        (BidAction(Bid("2", 2)), "two whole numbers"),  # type: ignore[arg-type]
        (BidAction(Bid([2], 2)), "two whole numbers"),  # type: ignore[arg-type]
        (BidAction(Bid(2.0, 2)), "two whole numbers"),  # type: ignore[arg-type]
        (BidAction(Bid(2, True)), "two whole numbers"),
        (BidAction(Chameleon()), "two whole numbers"),  # type: ignore[arg-type]
        (Chameleon(), "an object of type Chameleon is not an action"),
    ]
    for action, reason in reasons:
        assert not can_apply(public, 1, action)
        with pytest.raises(IllegalMoveError, match=reason):
            apply(state, action)  # type: ignore[arg-type]
    assert repr(state) == before


@pytest.mark.parametrize("move", ["2x4", Bid(2, 4), BidAction(Bid(2, 4), "because")])
def test_an_illegal_bid_is_named(move: Move) -> None:
    """Rule 2.3: whatever forbids it, the error names the bid that was proposed, as a value and in words."""
    capped = GameConfig(dice=(2, 1, 1), mode="elimination", max_turns=1)
    begun = play(dealt(capped, (1, 2), (2,), (3,)), "1x6")
    for state, player, why in (
        (new_game(capped), 0, "no round is under way"),
        (begun, 2, "it is player-1's turn"),
        (begun, 1, "1 bids have been made"),
        (play(dealt(GameConfig(dice=(2, 2)), (1, 2), (2, 2)), "2x5"), 1, "not higher than 2x5"),
        (dealt(GameConfig(dice=(1, 2), opening_min_quantity=3), (1,), (2, 2)), 0, "may not open"),
        (dealt(GameConfig(dice=(1, 1), faces=3), (1,), (2,)), 0, "not a bid of this round"),
        (play(dealt(GameConfig(dice=(1, 1)), (1,), (1,)), "1x1 liar"), 0, "the game is over"),
    ):
        with pytest.raises(IllegalMoveError, match=why) as caught:
            verify(state.public, player, move)
        assert caught.value.proposed_bid == Bid(2, 4)
        assert "2x4" in str(caught.value)


def test_what_is_not_a_sound_bid_is_not_named() -> None:
    state = dealt(GameConfig(dice=(1, 1)), (1,), (2,))
    for move in (CallLiarAction(), BidAction([1]), BidAction(Bid(2.0, 2)), None):  # type: ignore[arg-type]
        with pytest.raises(IllegalMoveError) as caught:
            verify(state.public, 0, move)
        assert caught.value.proposed_bid is None
    with pytest.raises(IllegalMoveError, match="larger than any bid") as caught:
        verify(state.public, 0, Bid(10**5000, 2))
    assert caught.value.proposed_bid == Bid(10**5000, 2)
    with pytest.raises(IllegalMoveError) as caught:
        Bid(9, 9).validate(GameConfig(dice=(1, 1)))
    assert caught.value.proposed_bid == Bid(9, 9)


def test_nobody_moves_when_no_round_is_under_way() -> None:
    """Rule 2.3."""
    config = GameConfig(dice=(1, 1), mode="best_of", rounds=3)
    waiting = new_game(config)
    with pytest.raises(IllegalMoveError, match="no round is under way") as caught:
        play(waiting, "1x1")
    assert caught.value.expected_player is None
    assert legal(waiting) == []
    over = play(dealt(GameConfig(dice=(1, 1)), (1,), (1,)), "1x1 liar")
    with pytest.raises(IllegalMoveError, match="the game is over"):
        play(over, "1x2")


def test_exact_calls_are_made_in_turn() -> None:
    """Rule 5.3."""
    state = play(dealt(preset("perudo", players=3, dice=1), (2,), (3,), (4,)), "1x2")
    for seat in (0, 2):
        assert not can_apply(state.public, seat, CallExactAction())
        with pytest.raises(IllegalMoveError, match="it is player-1's turn"):
            verify(state.public, seat, CallExactAction())
    assert can_apply(state.public, 1, CallExactAction())


def test_opening_limits() -> None:
    """Rule 3.6."""
    state = dealt(GameConfig(opening_min_quantity=3, open_on_ones=False), (1, 2), (1, 2, 3))
    assert legal(state)[:2] == ["3x2", "3x3"]
    assert not [move for move in legal(state) if move.endswith("x1")]
    with pytest.raises(IllegalMoveError, match="2x6 may not open the round: the lowest opening bid is 3x2"):
        play(state, "2x6")
    assert "4x1" in legal(play(state, "3x2"))


def test_opening_limits_bend_when_few_dice_are_left() -> None:
    """Rule 3.6: the least quantity is never more than may be bid."""
    config = GameConfig(dice=(2, 2), mode="elimination", opening_min_quantity=4)
    state = deal(play(dealt(config, (1, 1), (1, 1)), "4x1 liar"), ((1, 1), (1,)))
    assert legal(state) == [f"3x{face}" for face in range(1, 7)]


def test_max_turns() -> None:
    """Rule 3.7."""
    state = dealt(preset("perudo", players=2, dice=1, max_turns=2), (1,), (2,))
    assert "2x6" in legal(play(state, "1x2"))
    capped = play(state, "1x2 1x3")
    assert legal(capped) == ["liar", "exact"]
    with pytest.raises(IllegalMoveError, match="2 bids have been made: only calls are allowed now"):
        play(capped, "1x4")


def test_the_top_rung_can_only_be_called() -> None:
    """Rule 3.8; impossible quantities are possible bids where the rules say so."""
    assert legal(play(dealt(GameConfig(dice=(1, 1)), (1,), (1,)), "2x6")) == ["liar"]
    assert legal(play(dealt(GameConfig(dice=(1, 1), max_quantity=3), (1,), (1,)), "3x5")) == ["3x6", "liar"]


def test_counting() -> None:
    """Rules 4.1, 4.2 and 4.3."""
    hands = ((1, 1, 4), (4, 6))
    assert [count_matches(hands, face, None) for face in range(1, 7)] == [2, 0, 0, 2, 0, 1]
    assert [count_matches(hands, face, 1) for face in range(1, 7)] == [2, 2, 2, 4, 2, 3]
    assert [count_matches(hands, face, 6) for face in range(1, 7)] == [3, 1, 1, 3, 1, 1]


@pytest.mark.parametrize(("bid", "winner"), [("2x4", 0), ("3x4", 1), ("1x4", 0)])
def test_liar(bid: str, winner: int) -> None:
    """Rule 5.1, rule 4.1: two fours; the bidder is seat 0."""
    state = play(dealt(GameConfig(dice=(2, 2)), (1, 4), (4, 6)), f"{bid} liar")
    assert last_round(state) == (winner, 1 - winner, 2)
    assert state.public.resolutions[-1].was_true == (winner == 0)


@pytest.mark.parametrize(("bid", "winner"), [("2x4", 0), ("3x4", 1), ("4x4", 0)])
def test_exact(bid: str, winner: int) -> None:
    """Rule 5.2, rule 4.2: three dice count as fours; the caller is seat 1."""
    state = play(dealt(preset("perudo", players=2, dice=2), (1, 4), (4, 6)), f"{bid} exact")
    assert last_round(state) == (winner, 1 - winner, 3)


def test_single_round() -> None:
    """Rule 6.1: it ends at once, with three players too, and nobody loses dice."""
    state = play(dealt(GameConfig(dice=(1, 1, 1)), (1,), (2,), (3,)), "1x1 2x1 liar")
    assert (state.public.status, state.public.winner, state.public.loser) == ("ENDED", 2, 1)
    assert state.public.dice_counts == (1, 1, 1)


def test_elimination() -> None:
    """Rule 6.2."""
    config = GameConfig(dice=(1, 2), mode="elimination")
    state = play(dealt(config, (1,), (2, 2)), "1x1 liar")
    assert (state.public.status, state.public.dice_counts) == ("REVEAL", (1, 1))
    state = play(deal(state, ((1,), (2,))), "2x6 liar")
    assert (state.public.status, state.public.dice_counts, state.public.winner) == ("ENDED", (1, 0), 0)


def test_an_exact_call_gains_a_die_up_to_the_cap() -> None:
    """Rule 6.3."""
    config = preset("perudo", players=2, dice=(2, 1), max_dice=2)
    state = play(dealt(config, (2, 3), (4,)), "1x2 exact")
    assert state.public.dice_counts == (1, 2)
    state = play(deal(state, ((2,), (4, 5))), "1x2 exact")
    assert (state.public.dice_counts, state.public.winner) == ((0, 2), 1)
    high = play(dealt(config.replace(max_dice=3), (2, 3), (4,)), "1x3 1x4 exact")
    assert high.public.dice_counts == (3, 0)
    wrong = play(dealt(config, (2, 3), (4,)), "2x2 exact")
    assert wrong.public.dice_counts == (2, 0)


def test_nobody_may_pay_for_a_right_exact_call() -> None:
    """Rule 6.3: the bidder loses the round, and opens the next one, but keeps its dice."""
    config = preset("perudo", players=3, dice=(2, 1, 5), exact_payer="nobody")
    state = play(dealt(config, (2, 3), (4,), (6, 6, 6, 6, 6)), "1x2 exact")
    assert state.public.dice_counts == (2, 2, 5)
    assert (state.public.resolutions[-1].winner, state.public.resolutions[-1].loser) == (1, 0)
    state = deal(state, ((2, 3), (4, 4), (6, 6, 6, 6, 6)))
    assert state.public.opener == 0
    wrong = play(state, "1x3 1x4 exact")
    assert wrong.public.dice_counts == (2, 2, 4)
    at_the_cap = play(state, "1x3 2x4 exact")
    assert at_the_cap.public.dice_counts == (2, 2, 5)


@pytest.mark.parametrize(("rounds", "needed"), [(1, 1), (3, 2), (5, 3), (7, 4)])
def test_best_of_n_ends_with_the_deciding_win(rounds: int, needed: int) -> None:
    """Rule 6.4: as soon as one player has won more than half, however few rounds that took."""
    config = GameConfig(dice=(1, 1), mode="best_of", rounds=rounds)
    state = dealt(config, (1,), (1,))
    for won in range(1, needed + 1):
        opener = state.public.opener
        state = play(state, "2x1 liar" if opener == 0 else "2x6 liar")  # seat 0 always wins
        assert (state.public.status == "ENDED") == (won == needed)
        if won < needed:
            state = deal(state, ((1,), (1,)))
    assert (state.public.winner, len(state.public.resolutions)) == (0, needed)


def test_best_of_with_three_players_is_a_race() -> None:
    """Rule 6.4: it can take more than N rounds."""
    config = GameConfig(dice=(1, 1, 1), mode="best_of", rounds=3, next_opener="alternate")
    state = new_game(config)
    winners = []
    for _ in range(4):
        state = play(deal(state, ((1,), (1,), (1,))), "3x1 liar")  # the opener is right: 0, 1, 2, then 0 again
        winners.append(state.public.resolutions[-1].winner)
    assert winners == [0, 1, 2, 0]
    assert (state.public.status, state.public.winner) == ("ENDED", 0)


def test_best_of() -> None:
    """Rule 6.4."""
    state = dealt(GameConfig(dice=(1, 1), mode="best_of", rounds=3), (1,), (1,))
    state = play(state, "1x1 liar")
    assert (state.public.status, state.public.opener) == ("REVEAL", 0)
    state = play(deal(state, ((1,), (1,))), "2x1 liar")  # the loser, seat 1, opens and is right
    assert state.public.status == "REVEAL"
    state = play(deal(state, ((1,), (2,))), "2x6 liar")
    assert (state.public.status, state.public.winner) == ("ENDED", 1)
    assert len(state.public.resolutions) == 3


@pytest.mark.parametrize(("next_opener", "opener"), [("loser", 2), ("winner", 1), ("alternate", 1)])
def test_next_opener(next_opener: str, opener: int) -> None:
    """Rule 6.5: seat 2 calls seat 1's true bid and loses."""
    config = GameConfig.from_dict({"dice": (1, 1, 2), "mode": "elimination", "next_opener": next_opener})
    state = play(dealt(config, (1,), (1,), (1, 2)), "1x1 2x1 liar")
    assert deal(state, ((1,), (1,), (1,))).public.opener == opener


def test_next_opener_when_the_loser_is_out() -> None:
    """Rule 6.5: the next seat that still has dice."""
    state = play(dealt(GameConfig(dice=(1, 1, 1), mode="elimination"), (1,), (1,), (1,)), "1x1 2x1 liar")
    assert state.public.dice_counts == (1, 1, 0)
    assert deal(state, ((1,), (1,), ())).public.opener == 0


def test_the_last_round_is_the_winners() -> None:
    """Rule 6.6, for elimination with three players."""
    state = play(dealt(GameConfig(dice=(1, 1, 1), mode="elimination"), (1,), (1,), (1,)), "1x1 2x1 liar")
    state = play(deal(state, ((1,), (1,), ())), "2x1 liar")
    assert state.public.winner == state.public.resolutions[-1].winner == 0


def test_dice_must_fit() -> None:
    """Rule 1.3: what is dealt is checked, and sorted."""
    start = new_game(GameConfig())
    assert deal(start, ((4, 1), (6, 2, 2))).hands == ((1, 4), (2, 2, 6))
    for hands in (
        ((1,), (1, 2, 3)),
        ((1, 2), (1, 2, 7)),
        ((1, 2), (1, 2, 0)),
        ((1, 2),),
        ((1, 2), (1, 2, 3), (1,)),
        (),
    ):
        with pytest.raises(DealError, match=r"expected \(2, 3\) dice with faces 1 to 6"):
            deal(start, hands)
    with pytest.raises(DealError, match="a round is under way"):
        deal(deal(start, ((1, 2), (1, 2, 3))), ((1, 2), (1, 2, 3)))
    with pytest.raises(DealError, match="the game is over"):
        deal(play(deal(start, ((1, 2), (1, 2, 3))), "1x1 liar"), ((1, 2), (1, 2, 3)))


def test_names_are_checked() -> None:
    with pytest.raises(ValueError, match="expected 2 different names"):
        new_game(GameConfig(), ["a", "a"])
    with pytest.raises(ValueError, match="expected 2 different names"):
        new_game(GameConfig(), ["a"])
    with pytest.raises(ValueError, match="expected 2, one per seat"):
        new_game(GameConfig(), None, ["a"])
    for name in ("", "two\nlines", 7):
        with pytest.raises(ValueError, match="printable names"):
            new_game(GameConfig(), [name, "b"])  # type: ignore[list-item]


def test_bidders_of_a_round_that_put_somebody_out() -> None:
    state = play(dealt(GameConfig(dice=(1, 1, 1), mode="elimination"), (1,), (1,), (1,)), "1x1 2x1 3x1 liar")
    assert state.public.dice_counts == (0, 1, 1)
    assert state.public.bidders == state.public.resolutions[-1].bidders == (0, 1, 2)


def test_player_states() -> None:
    state = deal(new_game(GameConfig(), ["ann", "bob"], ["Human", "optimal"]), ((1, 4), (2, 2, 6)))
    ann, bob = state.players
    assert (ann.player_id, ann.num_dice, ann.private_dice, ann.agent_id) == (0, 2, (1, 4), "Human")
    assert (bob.num_dice, bob.private_dice) == (3, (2, 2, 6))
    assert [player.private_dice for player in new_game(GameConfig()).players] == [(), ()]


def test_turn_index_and_status() -> None:
    state = new_game(GameConfig(dice=(1, 1)))
    assert (state.public.status, state.public.round_index, state.public.turn_index) == ("REVEAL", -1, 0)
    state = deal(state, ((1,), (2,)))
    assert (state.public.status, state.public.round_index, state.public.turn_index) == ("BIDDING", 0, 0)
    state = play(state, "1x1 1x2")
    assert state.public.turn_index == 2
    assert play(state, "liar").public.turn_index == 3
