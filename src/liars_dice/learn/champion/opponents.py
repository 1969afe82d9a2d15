"""Who sits at the table with the learner: itself and rule bots, or one victim in every other seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from .network import Policy, Sight, sample
from .perudo_batch import SEATS, Outcome, Tables, unpack
from .scripted import FROZEN, LEARNER, NAMES, scripted_actions


class Opponents(Protocol):
    """The players of the seats that do not learn."""

    asked_one_by_one: bool
    """Whether they are asked in Python, game by game: then nothing can be recorded for a GPU."""

    def seat(self, rows: Tensor) -> Tensor:
        """[N, seat] int8: who would play each seat of a game that starts with this row."""

    def act(self, tables: Tables, kinds: Tensor, sight: Sight, draw: Tensor, own: Tensor) -> Tensor:
        """[N]: what the opponent at the turn does; anything where the learner, who would do `own`, is to move."""

    def follow(self, actions: Tensor, outcome: Outcome, rows: Tensor) -> None:
        """Hear what was done in each game, and what stands in the rows now."""


class SelfPlay:
    """The learner in every seat; in some games rule bots take some of them."""

    asked_one_by_one = False

    def __init__(self, share: float, bots: Sequence[str], device: torch.device) -> None:
        """`share` is how often there are any bots at the table."""
        self.share, self.device = share, device
        self.bots = torch.tensor([NAMES.index(name) for name in bots], device=device)

    def seat(self, rows: Tensor) -> Tensor:
        """Any number of bots where there are some, half of the time all of one kind."""
        n = len(rows)
        draw = torch.rand(n, 3, 1, device=self.device)
        mixed, share, alike = draw[:, 0] < self.share, draw[:, 1], draw[:, 2] < 0.5
        seated = mixed & (torch.rand(n, SEATS, device=self.device) < share)
        which = torch.randint(len(self.bots), (n, SEATS), device=self.device)
        bots = self.bots[torch.where(alike, which[:, :1], which)]
        return torch.where(seated, bots, LEARNER).to(torch.int8)

    def act(self, tables: Tables, kinds: Tensor, sight: Sight, draw: Tensor, own: Tensor) -> Tensor:
        """The bots' decisions."""
        return scripted_actions(tables, kinds, draw) if self.share > 0 else own

    def follow(self, actions: Tensor, outcome: Outcome, rows: Tensor) -> None:
        """Nothing to remember."""


class Victims:
    """One player in every seat but those of the learner."""

    asked_one_by_one = False

    def __init__(self, kind: int, learners: int = 1) -> None:
        self.kind, self.learners = kind, learners

    def seat(self, rows: Tensor) -> Tensor:
        """The learner in random seats, the victim in the others."""
        places = torch.rand(len(rows), SEATS, device=rows.device) * (unpack(rows).dice > 0)
        chosen = places.topk(self.learners).indices
        learns = (torch.arange(SEATS, device=rows.device) == chosen[..., None]).any(1)
        return torch.where(learns, LEARNER, self.kind).to(torch.int8)

    def follow(self, actions: Tensor, outcome: Outcome, rows: Tensor) -> None:
        """Nothing to remember."""


class NetworkVictims(Victims):
    """A table of a network that no longer learns."""

    def __init__(self, policy: Policy, learners: int = 1) -> None:
        super().__init__(FROZEN, learners)
        self.policy = policy

    def act(self, tables: Tables, kinds: Tensor, sight: Sight, draw: Tensor, own: Tensor) -> Tensor:
        """A draw from its distribution."""
        return sample(self.policy.read(sight).logits, draw)


class ScriptedVictims(Victims):
    """A table of one rule bot."""

    def __init__(self, name: str, learners: int = 1) -> None:
        super().__init__(NAMES.index(name), learners)
        self.name = name

    def act(self, tables: Tables, kinds: Tensor, sight: Sight, draw: Tensor, own: Tensor) -> Tensor:
        """What the bot does."""
        return scripted_actions(tables, kinds, draw, only=self.name)
