"""Observations and actions as numbers: one encoding for every game.

An observation is a vector of 32-bit floats, all from 0 to 1. For a game with n seats, F faces, at most D dice per
seat and L bids on its longest ladder, it consists of these parts in order (`Encoding.parts` has their positions):

| part          | size | meaning                                                                                    |
|---------------|------|--------------------------------------------------------------------------------------------|
| `hand`        | F    | how many of the player's dice show each face, divided by D                                 |
| `dice`        | n    | how many dice each seat has, divided by D: the player's own seat first, then the next seats|
| `score`       | n    | in a best-of match, the rounds each seat has won, divided by those needed; the same order  |
| `no_bid`      | 1    | 1 before the first bid of a round                                                          |
| `quantity`    | 1    | the current bid's quantity, divided by the highest on the longest ladder                   |
| `face`        | F    | the current bid's face, one-hot                                                            |
| `rung`        | 1    | the current bid's rung, counted from 1, divided by the length of this round's ladder       |
| `bids`        | L    | 1 for each rung of this round's ladder that was bid in this round                          |
| `last_bidder` | n    | who made the current bid, one-hot; the same order of seats                                 |
| `palifico`    | 1    | 1 in a palifico round                                                                      |
| `wild`        | F    | the face that is wild in this round, one-hot                                               |
| `table`       | F    | only if dice lie open on the table: how many of them show each face, divided by their number|
| `rules`       |      | only in batches with several rule sets: which of them the game follows, one-hot            |

All parts about the current bid are zero before the first bid. Between rounds and after the game, the vector shows the
round that has just ended and the dice left after it.

An action is a number below L + 1, or L + 2 where exact calls are played. A number below L is a rung of the *current*
round's ladder (later rounds of an elimination game have shorter ladders and do not use the numbers in between), L
calls liar and L + 1 calls exact. The numbers of calls never change in a game; the bid of a rung depends on the round.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core import (
    Action,
    BidAction,
    CallExactAction,
    CallLiarAction,
    GameConfig,
    GameView,
    IllegalMoveError,
    PublicState,
    legal_actions,
)
from ..batch.game_arrays import observation_parts

Observation = NDArray[np.float32]
Mask = NDArray[np.int8]


class Encoding:
    """Observations and actions of one game as numbers.

    >>> from liars_dice.core import preset
    >>> encoding = Encoding(preset("classic", dice=1))
    >>> encoding.size, encoding.actions, encoding.liar, encoding.exact
    (40, 13, 12, None)
    >>> encoding.parts["face"]
    slice(12, 18, None)
    """

    def __init__(self, config: GameConfig) -> None:
        kinds = (False, True) if config.palifico else (False,)
        ladders = [config.ladder(config.most_in_play, palifico=palifico) for palifico in kinds]
        self.config = config.without_seed
        self.longest = max(map(len, ladders))
        """The number of bids on the longest ladder of the game, that of a round with the most dice."""
        self.liar = self.longest
        """The number of the action "liar"."""
        self.exact = self.longest + 1 if config.exact_call else None
        """The number of the action "exact"; None without exact calls."""
        self.actions = self.longest + (2 if config.exact_call else 1)
        """The number of actions."""
        self._highest = max(ladder.max_quantity for ladder in ladders)
        seats, faces = config.num_players, config.faces
        self.parts = observation_parts(seats, faces, self.longest, table=config.table_dice > 0)
        """The position of each part in an observation."""
        self.size: int = max(part.stop for part in self.parts.values())
        """The length of an observation."""
        self._starts = {name: part.start for name, part in self.parts.items()}

    def __repr__(self) -> str:
        return f"<Encoding: observations of {self.size} numbers, {self.actions} actions>"

    def observe(self, view: GameView) -> Observation:
        """The observation of a view's player. A view holds no other player's dice, so neither does this."""
        public, me, at = view.public, view.player_id, self._starts
        config, rules, seats = self.config, public.rules, len(public.dice_counts)
        seen = np.zeros(self.size, dtype=np.float32)
        for die in view.my_dice:
            seen[at["hand"] + die - 1] += 1
        seen[self.parts["hand"]] /= config.dice_cap
        for die in view.table_dice:
            seen[at["table"] + die - 1] += 1 / config.table_dice
        for seat, dice in enumerate(public.dice_counts):
            seen[at["dice"] + (seat - me) % seats] = dice / config.dice_cap
        if config.mode == "best_of":
            for resolution in public.resolutions:
                seen[at["score"] + (resolution.winner - me) % seats] += 1
            seen[self.parts["score"]] /= config.wins_needed
        if public.bid_history:
            bid = public.bid_history[-1]
            seen[at["quantity"]] = bid.quantity / self._highest
            seen[at["face"] + bid.face - 1] = 1
            seen[at["rung"]] = (public.rung + 1) / len(rules.bids)
            seen[[at["bids"] + rules.rungs[made] for made in public.bid_history]] = 1
            seen[at["last_bidder"] + (public.bidders[-1] - me) % seats] = 1
        else:
            seen[at["no_bid"]] = 1
        seen[at["palifico"]] = rules.palifico
        if rules.wild_face is not None:
            seen[at["wild"] + rules.wild_face - 1] = 1
        return seen

    def action(self, public: PublicState, number: int) -> Action:
        """The action with this number in the current round; `IllegalMoveError` if no action of the round has it."""
        if 0 <= number < len(public.rules.bids):
            return public.rules.ladder.bid_actions[number]
        if number == self.liar:
            return CallLiarAction()
        if number == self.exact:
            return CallExactAction()
        raise IllegalMoveError(
            f"{number} is not an action of this round: bids are 0 to {len(public.rules.bids) - 1}, liar is {self.liar}"
            + ("" if self.exact is None else f", exact is {self.exact}"),
            action=number,
            player=public.current_player,
            current_bid=public.last_bid,
            legal=legal_actions(public),
        )

    def number(self, public: PublicState, action: Action) -> int:
        """The number of an action in the current round; `IllegalMoveError` if it has none."""
        if isinstance(action, BidAction):
            return public.rules.ladder.rung(action.bid)
        if isinstance(action, CallLiarAction):
            return self.liar
        if self.exact is None:
            raise IllegalMoveError("these rules have no exact calls", action=action)
        return self.exact

    def action_mask(self, public: PublicState) -> Mask:
        """1 for each legal action of the player to move; all zeros when no player is to move."""
        mask = np.zeros(self.actions, dtype=np.int8)
        mask[[self.number(public, action) for action in legal_actions(public)]] = 1
        return mask
