"""A table of any bot, asked one view at a time: the engine plays along with every game of the batch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import torch
from torch import Tensor

from ...core import Action, Bid, BidAction, CallExactAction, CallLiarAction
from .network import Sight
from .observation import of_turn
from .opponents import Victims
from .perudo_batch import EXACT, FACES, LIAR, Outcome, Tables, unpack
from .scripted import FROZEN


class FollowedGame(Protocol):
    """A game among bots, beside one of the batch. Its dice and the learner's moves come from the batch."""

    def deal(self, hands: Sequence[Sequence[int]]) -> None:
        """Begin the next round with these dice, one hand per seat."""

    def choose(self) -> Action:
        """What the bot at the turn does."""

    def move(self, action: Action) -> None:
        """Make a move for the player at the turn."""


class AskedVictims(Victims):
    """A table of bots that live in games of the engine. All games must begin with seat 0, as the engine's do."""

    asked_one_by_one = True

    def __init__(self, players: int, begin: Callable[[int, Collection[int]], FollowedGame], learners: int = 1) -> None:
        """`begin` starts a new game at a numbered table, with bots in these seats."""
        super().__init__(FROZEN, learners)
        self.players, self.begin = players, begin
        self.games: dict[int, FollowedGame] = {}

    def act(
        self,
        tables: Tables,
        kinds: Tensor,
        sight: Sight | None,
        draw: Tensor,
        own: Tensor,
        places: Tensor | None = None,
    ) -> Tensor:
        """Ask the bots whose turn it is. `places` ([N]) numbers the games if some of them have been left behind."""
        asked = (of_turn(tables, kinds) == FROZEN).tolist()
        actions: list[int] = own.tolist()
        for n, number in enumerate(_numbers(len(actions), places)):
            if number not in self.games:
                bots = (kinds[n, : self.players] == FROZEN).nonzero().flatten().tolist()
                self.games[number] = self.begin(number, bots)
                self.games[number].deal(self._hands(tables, n))
            if asked[n]:
                actions[n] = index_of(self.games[number].choose())
        return torch.tensor(actions, device=own.device)

    def follow(self, actions: Tensor, outcome: Outcome, rows: Tensor, places: Tensor | None = None) -> None:
        """Make the moves in the games of the engine, and deal their next rounds."""
        tables = unpack(rows)
        ended, over = outcome.round_ended.tolist(), outcome.game_ended.tolist()
        for n, (number, action) in enumerate(zip(_numbers(len(rows), places), actions.tolist(), strict=True)):
            self.games[number].move(action_of(action))
            if over[n]:
                del self.games[number]
            elif ended[n]:
                self.games[number].deal(self._hands(tables, n))

    def _hands(self, tables: Tables, place: int) -> list[list[int]]:
        """The dice of every seat in one game."""
        hands: list[list[int]] = tables.hands[place, : self.players].tolist()
        return [[face for face, count in enumerate(hand, start=1) for _ in range(count)] for hand in hands]


def _numbers(count: int, places: Tensor | None) -> list[int]:
    found: list[int] = list(range(count)) if places is None else places.tolist()
    return found


def action_of(index: int) -> Action:
    """The engine's action for one of the batch."""
    if index >= LIAR:
        return CallExactAction() if index == EXACT else CallLiarAction()
    return BidAction(Bid(index // FACES + 1, index % FACES + 1))


def index_of(action: Action) -> int:
    """The action of the batch for one of the engine."""
    if isinstance(action, BidAction):
        return (action.bid.quantity - 1) * FACES + action.bid.face - 1
    return EXACT if isinstance(action, CallExactAction) else LIAR
