"""How much is at stake in a decision: the unit in which advantages are measured."""

from __future__ import annotations

import torch
from torch import Tensor

from .observation import of_turn
from .perudo_batch import MOST_DICE, SEATS, Tables


class Stakes:
    """How large advantages are, by players left, own dice and the others' dice, as running averages."""

    def __init__(self, device: torch.device) -> None:
        self.square = torch.zeros((SEATS - 1) * MOST_DICE * MOST_DICE, device=device)
        self.seen = torch.zeros_like(self.square)

    @staticmethod
    def bucket(tables: Tables) -> Tensor:
        """[...] int64: which kind of situation the player to move is in."""
        alive = (tables.dice > 0).sum(-1)
        own = of_turn(tables, tables.dice).long()
        others = (tables.total - own).float() / (alive - 1).clamp(min=1)
        return ((alive - 2) * MOST_DICE + own - 1) * MOST_DICE + others.round().long().clamp(1, MOST_DICE) - 1

    def update(self, bucket: Tensor, advantage: Tensor, keep: float = 0.9) -> None:
        """Add a batch to the running averages."""
        ones = torch.ones_like(advantage)
        zeros = torch.zeros_like(self.square)
        self.seen = keep * self.seen + zeros.index_add(0, bucket, ones)
        self.square = keep * self.square + zeros.index_add(0, bucket, advantage**2)

    def unit(self, bucket: Tensor) -> Tensor:
        """The standard deviation of the advantages in these situations."""
        deviation = ((self.square + 1e-4) / (self.seen + 1)).sqrt().clamp(min=3e-3)
        return deviation[bucket]

    def state(self) -> dict[str, Tensor]:
        """What a checkpoint keeps."""
        return {"square": self.square.cpu(), "seen": self.seen.cpu()}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take over what a checkpoint kept."""
        self.square, self.seen = (state[name].to(self.square.device) for name in ("square", "seen"))
