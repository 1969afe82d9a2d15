"""Checks that any rule set, built in or your own, plays as it should."""

from __future__ import annotations

import random
from itertools import islice, pairwise, product
from math import comb

import msgspec

from .config import GameConfig
from .dice import DiceCup
from .errors import LiarsDiceError
from .notation import format_game
from .state import GameState
from .transition import apply, can_apply, deal, legal_actions, new_game
from .view import view_of


class ConformanceError(LiarsDiceError, AssertionError):
    """A rule set, or the engine playing it, broke one of the properties that `check_rules` checks."""

    code = "conformance"


class Perft(msgspec.Struct, frozen=True):
    """How many histories of one round there are at each depth (number of moves made), over all rolls."""

    playable: tuple[int, ...]
    """Histories after which a player is to move."""
    terminal: tuple[int, ...]
    """Histories that have ended the round."""


def perft(config: GameConfig) -> Perft:
    """Count every history of a first round, over every roll of the dice."""
    playable: list[int] = []
    terminal: list[int] = []

    def visit(state: GameState, depth: int) -> None:
        if depth == len(playable):
            playable.append(0)
            terminal.append(0)
        if state.public.status != "BIDDING":
            terminal[depth] += 1
            return
        playable[depth] += 1
        for action in legal_actions(state.public):
            visit(apply(state, action), depth + 1)

    start = new_game(config)
    for roll in product(range(1, config.faces + 1), repeat=config.total_dice):
        dice = iter(roll)
        hands = tuple(tuple(islice(dice, n)) for n in config.dice)
        visit(deal(start, hands, tuple(islice(dice, config.table_dice)), tuple(dice)), 0)
    return Perft(tuple(playable), tuple(terminal))


def closed_form(config: GameConfig) -> Perft:
    """What `perft` must return where only the ladder limits bids: any set of rungs is a history.

    With r rolls and B rungs there are r·C(B, d) histories of d bids (r·2^B in total), and a call can end each of them
    except the empty one (r·(2^B - 1) in total, twice that with exact calls).
    """
    rungs = len(config.ladder())
    rolls = config.faces**config.total_dice
    bids = [rolls * comb(rungs, depth) for depth in range(rungs + 1)]
    calls = 2 if config.exact_call else 1
    return Perft((*bids, 0), (0, 0, *(calls * n for n in bids[1:])))


def check_rules(config: GameConfig, *, games: int = 100, seed: int = 0) -> None:
    """Play random games and raise `ConformanceError` at the first property that fails.

    Exactly one player with dice is to move and has a legal move; the legal moves are those that can be applied; rungs
    rise strictly; only the dice of the loser and of a correct exact caller change; the winner has dice left; no view
    depends on other players' dice.
    """
    rng = random.Random(seed)
    cup = DiceCup(config.faces)
    for _ in range(games):
        state = new_game(config)
        while state.public.status != "ENDED":
            if state.public.status == "REVEAL":
                hands = tuple(cup.roll(n, rng) for n in state.public.dice_counts)
                state = deal(state, hands, cup.roll(config.table_dice, rng), cup.roll(config.hidden_dice, rng))
            _check_turn(state)
            actions = legal_actions(state.public)
            before, state = state, apply(state, actions[int(rng.random() * len(actions))])
            if state.public.status == "BIDDING":
                _check_raise(state)
            else:
                _check_settlement(before, state)
        winner = state.public.winner
        _promise(winner is not None and state.public.dice_counts[winner] > 0, "the winner has dice left", state)


def _check_turn(state: GameState) -> None:
    public = state.public
    player = public.current_player
    actions = legal_actions(public)
    _promise(public.dice_counts[player] > 0, "the player to move has dice", state)
    _promise(len(actions) > 0, "there is a legal move", state)
    _promise(all(can_apply(public, player, action) for action in actions), "legal moves can be applied", state)
    allowed = sum(can_apply(public, player, action) for action in public.rules.moves)
    _promise(allowed == len(actions), "only legal moves can be applied", state)
    others = range(len(state.agent_ids))
    _promise(
        not any(can_apply(public, p, a) for p in others if p != player for a in actions),
        "other players cannot move",
        state,
    )
    for seat in others:
        hidden = tuple(hand if s == seat else (1,) * len(hand) for s, hand in enumerate(state.hands))
        disguised = msgspec.structs.replace(state, hands=hidden, hidden_dice=(1,) * len(state.hidden_dice))
        _promise(view_of(disguised, seat) == view_of(state, seat), "views do not depend on hidden dice", state)


def _check_raise(state: GameState) -> None:
    public = state.public
    rungs = [public.rules.ladder.rung(bid) for bid in public.bid_history]
    _promise(all(low < high for low, high in pairwise(rungs)), "rungs rise strictly", state)


def _check_settlement(before: GameState, after: GameState) -> None:
    last = after.public.resolutions[-1]
    change = [new - old for old, new in zip(before.public.dice_counts, after.public.dice_counts, strict=True)]
    if after.config.mode != "elimination":
        _promise(not any(change), "dice stay with their seats", after)
        return
    gains = last.call == "exact" and last.winner == last.caller
    spared = gains and after.config.exact_payer == "nobody"
    _promise(change[last.loser] == (0 if spared else -1), "the loser loses a die, unless nobody pays", after)
    for seat, difference in enumerate(change):
        if seat != last.loser:
            at_cap = before.public.dice_counts[seat] == after.config.dice_cap
            gained = 1 if gains and seat == last.caller and not at_cap else 0
            _promise(difference == gained, "no other dice change, except after a correct exact call", after)


def _promise(kept: bool, promise: str, state: GameState) -> None:
    if not kept:
        raise ConformanceError(f"broken: {promise}; in\n{format_game(state)}")
