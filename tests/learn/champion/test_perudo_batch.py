"""The batched games are the engine's games: traced, replayed, and compared move by move."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: the extra `train` has it")

import torch

from liars_dice.core import Action, Bid, BidAction, CallExactAction, CallLiarAction, GameConfig, GameEngine
from liars_dice.learn.champion.perudo_batch import (
    EXACT,
    FACES,
    LIAR,
    PERUDO,
    QUANTITY_THEN_FACE,
    STANDARD,
    PerudoBatch,
    RuleMix,
    legal_mask,
    matches,
    pack,
    random_actions,
    unpack,
)

ORDERINGS = {QUANTITY_THEN_FACE: "quantity_then_face", STANDARD: "liars_dice_standard", PERUDO: "perudo"}
WILDS = {0: "none", 1: "ones", 6: "top"}


def action_of(index: int) -> Action:
    """The engine's action for one of the batch."""
    if index >= LIAR:
        return CallExactAction() if index == EXACT else CallLiarAction()
    return BidAction(Bid(index // FACES + 1, index % FACES + 1))


def index_of(action: Action) -> int:
    if isinstance(action, BidAction):
        return (action.bid.quantity - 1) * FACES + action.bid.face - 1
    return EXACT if isinstance(action, CallExactAction) else LIAR


def config_of(tables: dict[str, Any]) -> GameConfig:
    """The rules of a game that is about to be played from this row."""
    elimination, exact = bool(tables["elimination"]), bool(tables["exact_call"])
    return GameConfig(
        dice=tuple(n for n in tables["dice"] if n),
        wild=WILDS[tables["wild_face"]],  # type: ignore[arg-type]
        bid_ordering=ORDERINGS[tables["ordering"]],  # type: ignore[arg-type]
        exact_call=exact,
        mode="elimination" if elimination else "single_round",
        palifico=bool(tables["palifico_rule"]) and elimination,
        open_on_ones=bool(tables["open_on_ones"]),
        max_dice=tables["most_dice"] if exact and elimination else None,
        exact_payer="bidder" if tables["exact_costs_bidder"] or not elimination else "nobody",
    )


def game(rows: torch.Tensor, place: int) -> dict[str, Any]:
    return {name: part[place].tolist() for name, part in unpack(rows)._asdict().items()}


def hands_in(now: dict[str, Any], seats: int) -> list[list[int]]:
    return [[f + 1 for f, n in enumerate(hand) for _ in range(n)] for hand in now["hands"][:seats]]


def engines_of(games: PerudoBatch) -> list[GameEngine]:
    """An engine beside each game of a batch, with the same rules and dice."""
    engines = []
    for place in range(games.n):
        now = game(games.rows, place)
        engine = GameEngine(config_of(now), seed=0)
        engine.start_new_round(hands_in(now, engine.state.config.num_players))
        engines.append(engine)
    return engines


def replay(games: PerudoBatch, most_steps: int, exact: float = 0.0) -> tuple[int, int]:
    """Play until every game has ended once, each beside an engine. Returns how many moves and games were compared.

    Moves are random; `exact` is how often a bid that is exactly right is called so on purpose.
    """
    engines: list[GameEngine | None] = [*engines_of(games)]
    moves = 0
    for _ in range(most_steps):
        rows = games.rows
        actions = random_actions(unpack(rows))
        masks = legal_mask(unpack(rows))
        right = masks[:, EXACT] & (matches(unpack(rows)) == unpack(rows).quantity)
        actions = torch.where(right & (torch.rand(games.n) < exact), EXACT, actions)
        outcome = games.step(actions)
        for place, engine in enumerate(engines):
            if engine is None:
                continue
            now, public = game(rows, place), engine.state.public
            seats = len(public.dice_counts)
            assert now["turn"] == public.current_player
            assert now["opener"] == public.opener
            assert bool(now["palifico"]) == public.palifico
            assert tuple(now["dice"][:seats]) == public.dice_counts
            last = public.last_bid
            assert (now["quantity"], now["face"]) == ((last.quantity, last.face) if last else (0, 0))
            assert sum(now["raises"]) == len(public.bid_history)
            for seat, bid in zip(public.bidders, public.bid_history, strict=True):
                assert now["first"][seat][bid.face - 1] <= bid.quantity <= now["last"][seat][bid.face - 1]
            legal = {index_of(a) for a in engine.get_view(public.current_player).legal_actions}
            assert legal == set(torch.nonzero(masks[place]).flatten().tolist())
            engine.apply_action(public.current_player, action_of(int(actions[place])))
            moves += 1
            after = engine.state.public
            assert bool(outcome.round_ended[place]) == (after.status != "BIDDING")
            assert bool(outcome.game_ended[place]) == engine.is_terminal()
            if after.status != "BIDDING":
                resolution = after.resolutions[-1]
                assert (int(outcome.winner[place]), int(outcome.loser[place])) == (resolution.winner, resolution.loser)
            if engine.is_terminal():
                assert after.winner == int(outcome.winner[place])
                engines[place] = None
            elif after.status == "REVEAL":
                engine.start_new_round(hands_in(game(games.rows, place), seats))
        if not any(engines):
            return moves, games.n
    raise AssertionError("some games never ended")


OPTIONS = list(itertools.product((True, False), repeat=4))


@pytest.mark.parametrize("players", [2, 3, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (4, 5))])
@pytest.mark.parametrize(("wild", "exact", "palifico", "on_ones"), OPTIONS)
def test_perudo_is_the_engines_game(players: int, wild: bool, exact: bool, palifico: bool, on_ones: bool) -> None:
    mix = RuleMix((players, players), (1, 5), 0.3, 0.0, wild, exact, palifico, on_ones, random_opener=False)
    seed = players * 16 + OPTIONS.index((wild, exact, palifico, on_ones))
    moves, _ = replay(PerudoBatch(6, mix, seed=seed, pool=64), 2000)
    assert moves > 6


def test_options_may_differ_within_a_batch() -> None:
    mix = RuleMix((2, 6), (1, 5), 0.2, 0.1, 0.5, 0.5, 0.5, 0.5, random_opener=False)
    games = PerudoBatch(60, mix, seed=5, pool=64)
    assert set(unpack(games.rows).palifico_rule.tolist()) == {0, 1}
    assert any(game(games.rows, place)["palifico"] for place in range(60))
    replay(games, 2000)


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("wild", WILDS)
@pytest.mark.parametrize("elimination", [True, False])
def test_other_ladders_and_single_rounds(ordering: int, wild: int, elimination: bool) -> None:
    mix = RuleMix((2, 5), (1, 5), 0.2, 0.1, 1.0, 0.5, 0.0, 0.5, random_opener=False, elimination=elimination)
    games = PerudoBatch(12, mix, seed=ordering * 10 + wild, pool=64)
    tables = games.tables
    ordering_now = torch.full_like(tables.ordering, ordering)
    games.rows = pack(tables._replace(ordering=ordering_now, wild_face=torch.full_like(tables.wild_face, wild)))
    replay(games, 2000)


def test_dice_are_fair_and_random_actions_even() -> None:
    games = PerudoBatch(40_000, RuleMix((6, 6), full_games=1.0), seed=1)
    shown = games.tables.hands.sum((0, 1), dtype=torch.int64).double()
    assert ((shown / shown.sum() - 1 / 6).abs() < 0.0015).all()
    drawn = torch.bincount(random_actions(games.tables), minlength=182)
    assert (drawn[:180] > 130).all()
    assert drawn[180:].sum() == 0


@pytest.mark.parametrize("players", [2, 3, 6])
def test_a_right_exact_call_may_cost_nobody_a_die(players: int) -> None:
    """Then the caller still gains a die, up to five, and the bidder opens the next round."""
    torch.manual_seed(players)
    mix = RuleMix((players, players), (1, 5), 0.3, exact_costs_bidder=0.3, tournament=0.5, random_opener=False)
    replay(PerudoBatch(30, mix, seed=players, pool=64), 4000, exact=0.7)


def test_who_pays_for_exact_calls_is_drawn_only_where_they_are_legal() -> None:
    tables = PerudoBatch(2000, RuleMix(exact_calls=0.5, exact_costs_bidder=0.0), seed=1).tables
    assert torch.equal(tables.exact_costs_bidder, 1 - tables.exact_call)
