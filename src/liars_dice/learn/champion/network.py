"""The networks: a policy that sees what a player sees, and two judges that exist in training only.

Faces are alike but for their place in the ladder, so the policy has one small stream per face, all six with the same
weights, and one stream for the table; each block lets them exchange what they know. A bid's logit is the sum of two
numbers read off its face's stream: one by how far it is above the lowest legal quantity, one by how far it is from
what the player expects to be there. Every legal bid has a logit, and the same numbers serve every count of dice.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from .observation import (
    FACE_FEATURES,
    TABLE_FEATURES,
    TWO_LEFT,
    by_player,
    by_seat,
    observe,
    one_hot,
    rule_flags,
    turn_order,
)
from .perudo_batch import FACES, MOST_DICE, QUANTITIES, SEATS, Tables, legal_mask
from .scripted import LEARNER

STEPS = 12
"""Logits by distance from the lowest legal quantity: 0 to 11 and more."""
NEAR = 10
"""Logits by distance from the expected quantity: -10 and less to 10 and more."""
NEVER = -1e4
"""The logit of an illegal action: finite, so that no gradient becomes NaN; its probability is exactly zero."""
KINDS = 12
"""How many kinds of players (0: the learner) the judges can tell apart."""


class Streams(nn.Module):
    """One stream of numbers per face, with shared weights, and one for the table."""

    def __init__(self, face_features: int, table_features: int, face_width: int, table_width: int, blocks: int) -> None:
        super().__init__()
        self.face_in = nn.Linear(face_features, face_width)
        self.table_in = nn.Linear(table_features, table_width)
        self.blocks = nn.ModuleList(Block(face_width, table_width) for _ in range(blocks))

    def forward(self, faces: Tensor, table: Tensor) -> tuple[Tensor, Tensor]:
        """([B, face, width], [B, width])."""
        x, g = self.face_in(faces), self.table_in(table)
        for block in self.blocks:
            x, g = block(x, g)
        return relu(x), relu(g)


class Block(nn.Module):
    """The table hears the mean and the maximum over faces; then each face hears the table."""

    def __init__(self, face_width: int, table_width: int) -> None:
        super().__init__()
        self.hear_mean = nn.Linear(face_width, table_width, bias=False)
        self.hear_max = nn.Linear(face_width, table_width, bias=False)
        self.table_1 = nn.Linear(table_width, table_width)
        self.table_2 = nn.Linear(table_width, table_width)
        self.hear_table = nn.Linear(table_width, face_width, bias=False)
        self.face_1 = nn.Linear(face_width, face_width)
        self.face_2 = nn.Linear(face_width, face_width)

    def forward(self, x: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Both streams, each with something added."""
        rx = relu(x)
        heard = self.hear_mean(rx.mean(-2)) + self.hear_max(rx.amax(-2))
        g = g + self.table_2(relu(self.table_1(relu(g)) + heard))
        told = self.hear_table(relu(g))
        x = x + self.face_2(relu(self.face_1(rx) + told[..., None, :]))
        return x, g


class Decision(NamedTuple):
    """What the policy says about a position."""

    logits: Tensor
    """[B, action], `NEVER` where the action is illegal."""
    chances: Tensor
    """[B, player]: logits of winning the game, by player in turn order from the one to move."""


class Policy(nn.Module):
    """A player: from what it sees to a distribution over all legal actions, and everybody's chance to win."""

    decide: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Decision]
    """From faces, table, the lowest and the likely quantities, and what is legal."""
    knows_partners = False
    """Whether it also reads which seats its partners have."""

    def forward(self, tables: Tables, kinds: Tensor | None = None) -> Decision:
        """The decision of the player to move; one that knows its partners finds them in `kinds` ([B, seat])."""
        seen = observe(tables)
        table = seen.table
        if self.knows_partners:
            if kinds is None:
                raise ValueError("kinds = None: a policy that knows its partners must be told who plays each seat")
            table = torch.cat([table, by_player(kinds == LEARNER, turn_order(tables)).float()], -1)
        legal = legal_mask(tables, seen.odds.lowest)
        return self.decide(seen.faces, table, seen.odds.lowest, seen.odds.likely, legal)

    def read(self, sight: Sight) -> Decision:
        """The same from what a judge sees, of which only the player's part is used."""
        faces, table = sight.faces[..., :FACE_FEATURES], sight.table[..., :TABLE_FEATURES]
        if self.knows_partners:
            is_learner = sight.table[..., JUDGE_TABLE_FEATURES - SEATS * KINDS + LEARNER :: KINDS]
            table = torch.cat([table, is_learner * sight.possible[..., :SEATS]], -1)
        return self.decide(faces, table, sight.lowest, sight.likely, sight.legal)


class PolicyNetwork(Policy):
    """One network."""

    def __init__(
        self, face_width: int = 128, table_width: int = 256, blocks: int = 3, *, knows_partners: bool = False
    ) -> None:
        super().__init__()
        self.shape = {"face_width": face_width, "table_width": table_width, "blocks": blocks}
        self.knows_partners = knows_partners
        table_features = TABLE_FEATURES + SEATS * knows_partners
        self.streams = Streams(FACE_FEATURES, table_features, face_width, table_width, blocks)
        self.bids = nn.Linear(face_width, STEPS + 2 * NEAR + 1)
        self.calls = nn.Linear(table_width, 2)
        self.chances = nn.Linear(table_width, SEATS)
        for head in (self.bids, self.calls, self.chances):
            nn.init.normal_(head.weight, std=0.01)
            nn.init.zeros_(head.bias)
        with torch.no_grad():  # begin near sense: the further a bid is above what can be expected, the rarer it is
            self.bids.bias[STEPS + NEAR :] -= 0.5 * torch.arange(NEAR + 1)

    def decide(self, faces: Tensor, table: Tensor, lowest: Tensor, likely: Tensor, legal: Tensor) -> Decision:  # type: ignore[override]
        """What it does, from its input."""
        x, g = self.streams(faces, table)
        with torch.autocast(x.device.type, enabled=False):  # a logit of 5 in half precision is off by up to 0.02
            x, g = x.float(), g.float()
            logits = torch.cat([spread_over_bids(self.bids(x), lowest, likely), self.calls(g)], -1)
            return Decision(torch.where(legal, logits, NEVER), self.chances(g))


class TwoNetworks(Policy):
    """One network for tables of three and more, another for two players, whether the game began so or two are left."""

    def __init__(self, many: PolicyNetwork, two: PolicyNetwork) -> None:
        super().__init__()
        self.many, self.two = many, two

    def decide(self, faces: Tensor, table: Tensor, lowest: Tensor, likely: Tensor, legal: Tensor) -> Decision:  # type: ignore[override]
        """Both are asked; the right one is heard."""
        input_of_both = faces, table, lowest, likely, legal
        two_left = table[..., TWO_LEFT, None] > 0
        found = zip(self.two.decide(*input_of_both), self.many.decide(*input_of_both), strict=True)
        return Decision(*(torch.where(two_left, two, many) for two, many in found))


def spread_over_bids(per_face: Tensor, lowest: Tensor, middle: Tensor) -> Tensor:
    """[B, bid]: a number for every bid, legal or not, from the numbers of its face's stream.

    It is the sum of two: one by how far the bid is above the lowest, one by how far it is from the middle.
    """
    quantities = torch.arange(1, QUANTITIES + 1, device=per_face.device)
    above = (quantities - lowest[..., None].long()).clamp(0, STEPS - 1)
    near = STEPS + NEAR + (quantities - middle[..., None].long()).clamp(-NEAR, NEAR)
    return (per_face.gather(-1, above) + per_face.gather(-1, near)).transpose(-1, -2).flatten(-2)


OUTCOMES = 2 * SEATS
"""How a round can end: someone loses a die (0 to 5), or someone's bid is called exactly right (6 to 11)."""


JUDGE_FACE_FEATURES = FACE_FEATURES + SEATS + 2
JUDGE_TABLE_FEATURES = TABLE_FEATURES + 3 + SEATS * KINDS


class Sight(NamedTuple):
    """What a judge sees of positions, who sees all dice and knows who is playing: all that the networks read."""

    faces: Tensor
    """[B, face - 1, JUDGE_FACE_FEATURES]; the first `FACE_FEATURES` are what the player to move sees."""
    table: Tensor
    """[B, JUDGE_TABLE_FEATURES]; the first `TABLE_FEATURES` are what the player to move sees."""
    lowest: Tensor
    """[B, face - 1] int8: the lowest quantity that may be bid."""
    likely: Tensor
    """[B, face - 1] int8: how many dice the player to move expects to count."""
    counts: Tensor
    """[B, face - 1] int8: how many do."""
    legal: Tensor
    """[B, action] bool."""
    possible: Tensor
    """[B, outcome] bool: how the round can end, players in turn order; the first six say who is there."""

    def as_kept(self) -> Sight:
        """The same with as many digits as the first layers read."""
        digits = torch.bfloat16 if self.table.device.type == "cuda" else torch.float32
        return self._replace(faces=self.faces.to(digits), table=self.table.to(digits))


def look(tables: Tables, kinds: Tensor) -> Sight:
    """See positions as a judge; `kinds` ([B, seat]) says who plays each seat."""
    seen = observe(tables)
    order = turn_order(tables)
    hands = by_player(tables.hands, order).transpose(-1, -2).float()  # [B, face, player]
    shown = tables.hands.sum(-2, dtype=torch.int8)
    faces = torch.arange(1, FACES + 1, device=shown.device, dtype=torch.int8)
    wild = tables.round_wild[..., None]
    wilds = shown.gather(-1, (wild.long() - 1).clamp(min=0))
    counts = shown + torch.where((wild > 0) & (faces != wild), wilds, 0)
    room = (counts - seen.odds.lowest).clamp(-6, 6) / 3
    per_face = torch.cat([seen.faces, hands / 2, (counts / 6)[..., None], room[..., None]], -1)
    place = (tables.face.long()[..., None] - 1).clamp(min=0)
    margin = (counts.gather(-1, place) - tables.quantity[..., None]) * (tables.quantity > 0)[..., None]
    truth = [margin.clamp(-6, 6) / 3, (margin >= 0).float(), (margin == 0).float()]
    who = one_hot(by_player(kinds, order), KINDS).flatten(-2)
    return Sight(
        faces=per_face,
        table=torch.cat([seen.table, *truth, who], -1),
        lowest=seen.odds.lowest,
        likely=seen.odds.likely,
        counts=counts.to(torch.int8),
        legal=legal_mask(tables, seen.odds.lowest),
        possible=torch.cat([order[1], order[1] & (tables.exact_call > 0)[..., None]], -1),
    )


class Judgement(NamedTuple):
    """What the critic says about positions."""

    outcomes: Tensor
    """[B, outcome]: logits of how the round ends, players in turn order."""
    bids: Tensor
    """[B, bid]: how much better than expected each bid is for the player to move, in units of what is at stake."""


class Critic(nn.Module):
    """How the round will end and what each bid would change, judged by someone who sees all dice."""

    def __init__(self, face_width: int = 128, table_width: int = 256, blocks: int = 2) -> None:
        super().__init__()
        self.streams = Streams(JUDGE_FACE_FEATURES, JUDGE_TABLE_FEATURES, face_width, table_width, blocks)
        self.outcomes = nn.Linear(table_width, OUTCOMES)
        self.bids = nn.Linear(face_width, STEPS + 2 * NEAR + 1)
        nn.init.zeros_(self.bids.weight)
        nn.init.zeros_(self.bids.bias)

    def forward(self, sight: Sight) -> Judgement:
        """Judge positions."""
        x, g = self.streams(sight.faces, sight.table)
        outcomes = torch.where(sight.possible, self.outcomes(g).float(), NEVER)
        return Judgement(outcomes, spread_over_bids(self.bids(x).float(), sight.lowest, sight.counts))


class RoundValue(nn.Module):
    """Who will win the game, judged between two rounds: from the dice everybody has left and who opens."""

    FEATURES = SEATS * (MOST_DICE + 1) + SEATS + 8 + SEATS * KINDS

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(self.FEATURES, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, SEATS)
        )

    def forward(self, tables: Tables, kinds: Tensor) -> Tensor:
        """[B, player]: logits of winning, by player in turn order from the opener, who is to move."""
        order = turn_order(tables)
        flags = [
            *rule_flags(tables),
            tables.total / 15 - 1,
            tables.most_dice == MOST_DICE,
        ]
        features = [
            one_hot(by_player(tables.dice, order), MOST_DICE + 1).flatten(-2),
            by_player(tables.had_one, order).float() * tables.palifico_rule[..., None],
            torch.stack([flag.float() for flag in flags], -1),
            one_hot(by_player(kinds, order), KINDS).flatten(-2),
        ]
        return mask_absent(self.layers(torch.cat(features, -1)).float(), order)


def outcomes_by_seat(per_player: Tensor, order: tuple[Tensor, Tensor]) -> Tensor:
    """[..., outcome] by player in turn order, put back by seat."""
    return torch.cat([by_seat(half, order) for half in per_player.chunk(2, -1)], -1)


def outcomes_by_player(per_seat: Tensor, order: tuple[Tensor, Tensor]) -> Tensor:
    """[..., outcome] by seat, rearranged by player in turn order."""
    return torch.cat([by_player(half, order) for half in per_seat.chunk(2, -1)], -1)


def mask_absent(logits: Tensor, order: tuple[Tensor, Tensor]) -> Tensor:
    """Nobody wins who is not there."""
    return torch.where(order[1], logits, NEVER)


def sample(logits: Tensor, draw: Tensor) -> Tensor:
    """[B] int64: an action from each distribution, by one number in [0, 1) each."""
    ends = logits.softmax(-1).cumsum(-1)
    return (ends <= (draw[..., None] * ends[..., -1:]).clamp(max=ends[..., -1:] * (1 - 1e-6))).sum(-1)


def fill_from(policy: PolicyNetwork, state: dict[str, Tensor]) -> None:
    """Take over weights; those of a policy without partners leave what is read about partners without weight."""
    entry = "streams.table_in.weight"
    more = policy.streams.table_in.in_features - state[entry].shape[1]
    policy.load_state_dict({**state, entry: nn.functional.pad(state[entry], (0, more))})


def read_weights(path: str | Path, device: torch.device | str = "cpu") -> dict[str, Any]:
    """What is in a checkpoint of the trainer (`.pt`) or in a file that plays (`.npz`).

    It has at least the `shape` of the networks and the `averaged` policy; `two` if there is one for two players.
    """
    if Path(path).suffix != ".npz":
        found: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
        return found
    with np.load(path) as file:
        weights = {name: torch.from_numpy(file[name]).float().to(device) for name in file.files}
    two, many = ({n[len(p) :]: w for n, w in weights.items() if n.startswith(p)} for p in ("two.", "many."))
    averaged = many or weights
    shape = {
        "face_width": len(averaged["streams.face_in.weight"]),
        "table_width": len(averaged["streams.table_in.weight"]),
        "blocks": sum(name.endswith(".face_1.weight") for name in averaged),
    }
    return {"shape": shape, "averaged": averaged} | ({"two": two} if two else {})


def load_policy(path: str | Path, device: torch.device | str = "cpu", part: str = "averaged") -> Policy:
    """The averaged policy of a file, ready to play; with its network for two players, if it has one."""
    found = read_weights(path, device)

    def network(name: str) -> PolicyNetwork:
        knows_partners = found[name]["streams.table_in.weight"].shape[1] > TABLE_FEATURES
        policy = PolicyNetwork(**found["shape"], knows_partners=knows_partners).to(device)
        policy.load_state_dict(found[name])
        return policy

    loaded = TwoNetworks(network(part), network("two")) if "two" in found else network(part)
    return loaded.requires_grad_(False).eval()
