"""What is to be learned from a rollout: how rounds ended, what that is worth, and which decisions it speaks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from .gpu_replay import autocast
from .network import OUTCOMES, Critic, Judgement, RoundValue, Sight, look, outcomes_by_player, outcomes_by_seat
from .observation import by_player, by_seat, of_turn, turn_order
from .perudo_batch import FACES, SEATS, Tables, after_round, matches, previous_seat, unpack
from .scripted import LEARNER


class Rollout(NamedTuple):
    """`steps` decisions in each game: every part begins with [T, N]."""

    rows: Tensor
    kinds: Tensor
    sight: Sight
    actions: Tensor
    logs: Tensor
    """[T, N, action]: the log-probabilities that the learner's policy gave to every action."""
    judged: Judgement
    round_ended: Tensor
    game_ended: Tensor
    winner: Tensor
    outcome: Tensor
    """[T, N]: how the round ended, where it did; a seat, plus 6 if an exact call was right."""


class Targets(NamedTuple):
    """What the networks are to learn from a rollout: every part begins with [T, N]."""

    advantage: Tensor
    """[T, N, 3]: of the action made, of a liar call, of an exact call."""
    returns: Tensor
    """[T, N, outcome]: how the round ends, players in turn order."""
    chances: Tensor
    """[T, N, player]: everybody's chance to win the game after that."""


def each(function: Callable[..., Any], *trees: Any) -> Any:
    """Tuples of tuples of tensors, made by applying `function` to the tensors of `trees` place by place."""
    if isinstance(trees[0], tuple):
        return type(trees[0])(*(each(function, *parts) for parts in zip(*trees, strict=True)))
    return function(*trees)


class Judges:
    """The two networks that exist in training only, and what they make of a rollout."""

    def __init__(self, critic: Critic, value: RoundValue, *, trace: float, share_wins: bool) -> None:
        """`trace` is the lambda of TD(lambda). With `share_wins` a learner plays for the wins of all learners."""
        self.critic, self.value, self.trace, self.share_wins = critic, value, trace, share_wins

    def worth(self, rows: Tensor, kinds: Tensor) -> Tensor:
        """[B, outcome, seat]: everybody's chance to win the game after each way in which the round can end."""
        n, tables = len(rows), unpack(rows)
        nothing = torch.zeros(1, SEATS, FACES, dtype=torch.int8, device=rows.device).expand(n * OUTCOMES, -1, -1)
        tables = tables._replace(hands=tables.hands[:, :0], first=tables.first[:, :0], last=tables.last[:, :0])
        tables = Tables(*(part.repeat_interleave(OUTCOMES, 0) for part in tables))
        tables = tables._replace(hands=nothing, first=nothing, last=nothing)
        outcome = torch.arange(OUTCOMES, device=rows.device, dtype=torch.int8).repeat(n)
        tables = after_round(tables, outcome % SEATS, outcome >= SEATS)
        tables = tables._replace(dice=tables.dice.clamp(min=0))  # of somebody who is out: never happens, never used
        with autocast(rows.device):
            logits = self.value(tables, kinds.repeat_interleave(OUTCOMES, 0))
        chances = by_seat(logits.softmax(-1), turn_order(tables))
        alive = tables.dice > 0
        over = alive.sum(-1, keepdim=True) == 1
        return torch.where(over, alive.float(), chances).view(n, OUTCOMES, SEATS)

    def worth_of_all(self, played: Rollout) -> Tensor:
        """[T, N, outcome, seat]: the same for every decision; it is asked once per round."""
        steps, n = played.actions.shape
        begins = unpack(played.rows).quantity == 0
        begins[0] = True
        asked = torch.nonzero(begins.flatten()).squeeze(-1)
        rows, kinds = played.rows.flatten(0, 1), played.kinds.flatten(0, 1)
        found = torch.cat([self.worth(rows[some], kinds[some]) for some in torch.split(asked, 1 << 17)])
        place = (begins.flatten().cumsum(0) - 1).view(steps, n)
        t = torch.arange(steps, device=found.device)[:, None]
        latest = torch.where(begins, t, 0).cummax(0).values
        return found[place.gather(0, latest)]

    @torch.no_grad()
    def judge(self, played: Rollout, rows: Tensor, kinds: Tensor) -> Targets:
        """How the rounds went, against what the critic expected; `rows` are what stands after the rollout."""
        worth = self.worth_of_all(played)
        with autocast(rows.device):
            ahead = self.critic(look(unpack(rows), kinds).as_kept()).outcomes.softmax(-1)
        ahead = later = outcomes_by_seat(ahead, turn_order(unpack(rows)))
        found = []
        for t in reversed(range(len(played.actions))):
            tables = unpack(played.rows[t])
            order = turn_order(tables)
            onward = (1 - self.trace) * later + self.trace * ahead
            ended = one_hot(played.outcome[t].long(), OUTCOMES).float()
            ahead = torch.where(played.round_ended[t][:, None], ended, onward)
            later = outcomes_by_seat(played.judged.outcomes[t].softmax(-1), order)
            chances = by_player((ahead[:, :, None] * worth[t]).sum(1), order)
            advantage = self._advantages(tables, self._sides(tables, played.kinds[t]), worth[t], later, ahead)
            found.append(Targets(advantage, outcomes_by_player(ahead, order), chances))
        targets: Targets = each(lambda *parts: torch.stack(parts), *reversed(found))
        return targets

    def _sides(self, tables: Tables, kinds: Tensor) -> Tensor:
        """[N, seat] bool: whose wins the player to move plays for: its own, and those of its partners."""
        mine = torch.arange(SEATS, device=kinds.device) == tables.turn[:, None]
        if not self.share_wins:
            return mine
        together = (of_turn(tables, kinds) == LEARNER)[:, None] & (kinds == LEARNER)
        return mine | together

    @staticmethod
    def _advantages(tables: Tables, side: Tensor, worth: Tensor, foreseen: Tensor, returns: Tensor) -> Tensor:
        """[N, 3]: what the action and both calls bring to the player to move, beyond what the critic expected."""
        mine = (worth * side[:, None]).sum(-1)
        bidder = previous_seat(tables.dice, tables.turn)
        count = matches(tables)
        liar = torch.where(count < tables.quantity, bidder, tables.turn)
        exact = torch.where(count == tables.quantity, bidder + SEATS, tables.turn)
        calls = mine.gather(-1, torch.stack([liar, exact], -1).long())
        expected = (foreseen * mine).sum(-1, keepdim=True)
        return torch.cat([(returns * mine).sum(-1, keepdim=True), calls], -1) - expected
