"""Finished rounds as data: who bid what with which dice. This is all that models of players learn from.

A `RecordedRound` is made from a `RoundResolution`, which exists only once all dice have been revealed. So nothing about
the hidden dice of a round that is under way can enter a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from ..core import (
    Action,
    BidAction,
    CallExactAction,
    CallLiarAction,
    DiceRevealed,
    GameConfig,
    GameView,
    PublicState,
    RoundResolution,
    RoundRules,
    round_rules,
    seats_from,
)
from ..persistence import RecordedEvent, fallback_turns, final_state


class Decision(NamedTuple):
    """One decision of a player: what the player saw, and what it did."""

    view: GameView
    action: Action


class RecordedRound(msgspec.Struct, frozen=True):
    """A round that is over, with all dice.

    >>> from liars_dice.core import GameEngine
    >>> game = GameEngine("duel", names=["ann", "bob"], seed=7)
    >>> game.start_new_round()
    >>> for move in ("1x4", "2x4", "liar"):
    ...     game.move(move)
    >>> view = game.get_view(0)
    >>> (played,) = finished_rounds(view.config, view.resolutions)
    >>> [(decision.view.my_dice, str(decision.action)) for decision in played.decisions(0)]
    [((3, 4), '1x4'), ((3, 4), 'liar')]
    """

    config: GameConfig
    """The rules of the game, without its seed."""
    resolution: RoundResolution
    """What happened, and the dice that were revealed."""
    names: tuple[str, ...] = ()
    """Who sat where, if that is known."""
    earlier: tuple[RoundResolution, ...] = ()
    """The rounds of the game before this one."""
    fallbacks: frozenset[int] = frozenset()
    """The turns of the round, from 0, that a referee played for a bot that failed: no one decided them."""

    @property
    def rules(self) -> RoundRules:
        """The rules of this round."""
        done = self.resolution
        return round_rules(self.config, self.config.in_play(done.dice_counts), done.palifico)

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action in order: bids, then the call."""
        call = CallLiarAction() if self.resolution.call == "liar" else CallExactAction()
        return (*map(BidAction, self.resolution.bids), call)

    def decisions(self, seat: int | None = None) -> Iterator[Decision]:
        """The decisions of one seat, or of all, in order, each with the view it was made in."""
        done, rules = self.resolution, self.rules
        counts = done.dice_counts
        order = seats_from(done.opener, counts)
        names = self.names or tuple(f"player-{one}" for one in range(len(counts)))
        for turn, action in enumerate(self.actions):
            mover = order[turn % len(order)]
            if seat not in (None, mover) or turn in self.fallbacks:
                continue
            bids = done.bids[:turn]
            rung = rules.rungs[bids[-1]] if bids else -1
            public = PublicState(
                rules, names, counts, done.opener, mover, bids, rung, "BIDDING", self.earlier, done.table_dice
            )
            yield Decision(GameView(mover, done.dice[mover], public), action)


def finished_rounds(
    config: GameConfig, resolutions: Sequence[RoundResolution], names: tuple[str, ...] = ()
) -> list[RecordedRound]:
    """The rounds of a game from how they ended, as views, results and `on_round_end` tell it."""
    rules, done = config.without_seed, tuple(resolutions)
    return [RecordedRound(rules, one, names, done[:index]) for index, one in enumerate(done)]


def recorded_rounds(events: Sequence[RecordedEvent]) -> list[RecordedRound]:
    """The rounds of a recorded game whose dice have been revealed; `ReplayError` if the game breaks the rules."""
    public = final_state(events).public
    revealed = sum(isinstance(event.payload, DiceRevealed) for event in events)
    played_by_referee = fallback_turns(events)
    found = []
    first = 1  # the first turn of the round, counted through the game
    for one in finished_rounds(public.config, public.resolutions, public.names)[:revealed]:
        turns = len(one.resolution.bids) + 1
        fallbacks = frozenset(turn - first for turn in played_by_referee if first <= turn < first + turns)
        found.append(msgspec.structs.replace(one, fallbacks=fallbacks) if fallbacks else one)
        first += turns
    return found
