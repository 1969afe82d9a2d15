"""Train the champion by self-play, from the first random game to the network that plays.

The game is Markov between rounds, so a round is an episode. It ends in one of at most twelve ways (who loses a die, and
whether an exact call was right), and what each is worth to everybody is their chance to win the game from the dice
that are then left: 1 or 0 when the game is over, else what `RoundValue` says. `Critic`, who sees all dice, says at
every decision how the round will end and what each bid would change; the advantage of a decision is what a TD(lambda)
return says beyond that. The policy takes clipped policy-gradient steps (PPO) on all actions at once: what a call brings
is known to someone who sees all dice, what a bid brings is the critic's word, and the bid that was made corrects that
word by what came of it. Two pulls hold the policy back: towards playing everything (entropy), and towards its own
moving average, the magnet (as in magnetic mirror descent and R-NaD). The average is what plays in the end. Advantages
are measured in units of what is at stake, so that one temperature suits every table.

    python -m liars_dice.learn.champion.train --minutes 20 --device cuda --out runs/champion
"""

from __future__ import annotations

import copy
import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from .exploitability import exploit_round
from .gpu_replay import Replayed
from .network import (
    NEVER,
    OUTCOMES,
    Critic,
    Judgement,
    Policy,
    PolicyNetwork,
    RoundValue,
    Sight,
    fill_from,
    load_policy,
    look,
    outcomes_by_player,
    outcomes_by_seat,
    sample,
)
from .observation import by_player, by_seat, of_turn, turn_order
from .perudo_batch import (
    EXACT,
    FACES,
    LIAR,
    MOST_DICE,
    SEATS,
    PerudoBatch,
    Tables,
    after_round,
    matches,
    previous_seat,
    unpack,
)
from .scripted import FROZEN, LEARNER, NAMES, scripted_actions
from .settings import Settings, settings_from


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


class Stakes:
    """How large advantages are, by players left, own dice and the others' dice: the unit they are measured in."""

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


def weigh(
    logits: Tensor, magnet: Tensor, old: Tensor, known: Tensor, brought: Tensor, made: Tensor, weight: Tensor,
    low: float, high: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """What a change of policy gains, its entropy, its distance from the magnet, and how far it moved; all on average.

    `known` ([B, action]) is the advantage of every action as far as it is known beforehand. `brought` ([B, 1]) is what
    the action `made` brought: what it says beyond `known` counts for that action. No action gains by moving further
    from its `old` log-probability than `low` and `high` allow.
    """
    logs, magnet = logits.log_softmax(-1), magnet.log_softmax(-1)
    ratio = (logs - old).clamp(-10, 10).exp()
    gains = (old.exp() * torch.minimum(ratio * known, ratio.clamp(low, high) * known)).sum(-1)
    surprise, moved = brought - known.gather(-1, made), ratio.gather(-1, made)
    gains = gains + torch.minimum(moved * surprise, moved.clamp(low, high) * surprise).squeeze(-1)
    probabilities = logs.exp()
    entropy = -(probabilities * logs).sum(-1)
    kl = (probabilities * (logs - magnet)).sum(-1)
    return (weight * gains).mean(), entropy.mean(), kl.mean(), (moved - 1).abs().mean()


class Trainer:
    """A run: networks, games, and what is needed to go on after a break."""

    def __init__(self, settings: Settings) -> None:
        self.settings = s = settings
        self.device = torch.device(s.device)
        torch.manual_seed(s.seed)
        knows_partners = s.learners > 1
        self.policy = PolicyNetwork(s.face_width, s.table_width, s.blocks, knows_partners=knows_partners)
        self.policy.to(self.device)
        self.critic = Critic(s.face_width, s.table_width, max(1, s.blocks - 1)).to(self.device)
        self.value = RoundValue().to(self.device)
        self.stakes = Stakes(self.device)
        self.updates, self.decisions, self.trained_s = 0, 0, 0.0
        self.frozen: Policy | None = None
        for path in (s.judges, s.against, s.init):
            if path and not Path(path).exists():
                raise FileNotFoundError(f"{path}: no such checkpoint")
        if s.judges:
            self._load(Path(s.judges), judges_only=True)
        for path in (s.against, s.init):
            if path:
                self._load(Path(path))
        if Path(s.out, "last.pt").exists():
            self._load(Path(s.out, "last.pt"), whole=True)
        if s.against:
            self.frozen = load_policy(s.against, self.device)
        if not hasattr(self, "averaged"):
            self.averaged = copy.deepcopy(self.policy)
        for still in (self.averaged, self.frozen):
            if still is not None:
                still.requires_grad_(False)
        cuda = self.device.type == "cuda"
        adam: dict[str, Any] = {"eps": 1e-5, "fused": cuda, "capturable": cuda}
        self.rate, self.pulls, self.keep = (torch.zeros(n, device=self.device) for n in ((), 2, ()))
        self.policy_optimizer = torch.optim.Adam(self.policy.parameters(), lr=self.rate, **adam)
        judges = [*self.critic.parameters(), *self.value.parameters()]
        self.judge_optimizer = torch.optim.Adam(judges, lr=self.rate, **adam)
        self.games = PerudoBatch(s.games, s.mix(), seed=s.seed + 1000 * self.updates, device=self.device)
        self.offered = torch.tensor([NAMES.index(name) for name in s.bot_kinds.split(",") if name], device=self.device)
        self.kinds = self._draw_kinds(self.games.rows)
        self._plain = copy.deepcopy(self.averaged)
        self._weigh = weigh
        if s.compiled:  # not what makes their input: that is many small shapes, and compiles for minutes
            self._weigh = torch.compile(weigh, dynamic=False)
            self.critic.compile(dynamic=False)
            for network in (self.policy, self.averaged, self.frozen):
                if network is not None:
                    network.decide = torch.compile(network.decide, dynamic=False)  # type: ignore[method-assign]
        self._gradient_steps = 0
        self._turn = Replayed(self._take_turn, self.device, self.games.generator)
        self._step = Replayed(self._take_step, self.device, self.games.generator)
        self._played: Rollout | None = None
        self._lesson: Targets | None = None
        self._places: tuple[Tensor, ...] = ()

    # -- playing -----------------------------------------------------------------------------------------------------

    def _draw_kinds(self, rows: Tensor) -> Tensor:
        """[N, seat] int8: who would play each seat of a game that starts with this row."""
        s, n = self.settings, len(rows)
        if s.against:
            places = torch.rand(n, SEATS, device=self.device) * (unpack(rows).dice > 0)
            chosen = places.topk(s.learners).indices
            learner = (torch.arange(SEATS, device=self.device) == chosen[..., None]).any(1)
            return torch.where(learner, LEARNER, FROZEN).to(torch.int8)
        draw = torch.rand(n, 3, 1, device=self.device)
        mixed, share, alike = draw[:, 0] < s.bots, draw[:, 1], draw[:, 2] < 0.5
        seated = mixed & (torch.rand(n, SEATS, device=self.device) < share)
        which = torch.randint(len(self.offered), (n, SEATS), device=self.device)
        bots = self.offered[torch.where(alike, which[:, :1], which)]
        return torch.where(seated, bots, LEARNER).to(torch.int8)

    def _look(self, rows: Tensor, kinds: Tensor) -> Sight:
        """Positions as the networks read them."""
        sight = look(unpack(rows), kinds)
        return sight._replace(faces=sight.faces.to(self._digits), table=sight.table.to(self._digits))

    @torch.no_grad()
    def _take_turn(self) -> Rollout:
        """One decision in each game."""
        n, home, kinds = self.games.n, self.games.rows, self.kinds.clone()
        rows = home.clone()
        tables, sight = unpack(rows), self._look(rows, kinds)
        draws = torch.rand(3, n, device=self.device)
        with self._autocast():
            logits, judged = self.policy.read(sight).logits, self.critic(sight)
            actions = sample(logits, draws[0])
            if self.frozen is not None:
                others = sample(self.frozen.read(sight).logits, draws[1])
            elif self.settings.bots > 0:
                others = scripted_actions(tables, kinds, draws[1])
            else:
                others = actions
        actions = torch.where(of_turn(tables, kinds) == LEARNER, actions, others)
        outcome = self.games.step(actions)
        broken_off = outcome.round_ended & ~outcome.game_ended & (draws[2] < self.settings.restart)
        self.games.restart(broken_off)
        self.games.rows = home.copy_(self.games.rows)
        new_game = (outcome.game_ended | broken_off)[:, None]
        self.kinds.copy_(torch.where(new_game, self._draw_kinds(self.games.rows), kinds))
        right_exact = (actions == EXACT) & (outcome.winner == tables.turn)
        ending = outcome.loser + SEATS * right_exact
        return Rollout(rows, kinds, sight, actions, logits.log_softmax(-1), judged, *outcome[:3], ending)

    def play(self) -> Rollout:
        """`steps` decisions in each game. The next call writes over them."""
        self.games.draw_starts()
        for t in range(self.settings.steps):
            now = self._turn()
            if self._played is None:
                self._played = each(lambda part: part.new_empty(self.settings.steps, *part.shape), now)
            each(lambda whole, part, t=t: whole[t].copy_(part), self._played, now)
        assert self._played is not None
        return self._played

    # -- judging -----------------------------------------------------------------------------------------------------

    def _worth(self, rows: Tensor, kinds: Tensor) -> Tensor:
        """[B, outcome, seat]: everybody's chance to win the game after each way in which the round can end."""
        n, tables = len(rows), unpack(rows)
        nothing = torch.zeros(1, SEATS, FACES, dtype=torch.int8, device=self.device).expand(n * OUTCOMES, -1, -1)
        tables = tables._replace(hands=tables.hands[:, :0], first=tables.first[:, :0], last=tables.last[:, :0])
        tables = Tables(*(part.repeat_interleave(OUTCOMES, 0) for part in tables))
        tables = tables._replace(hands=nothing, first=nothing, last=nothing)
        outcome = torch.arange(OUTCOMES, device=self.device, dtype=torch.int8).repeat(n)
        tables = after_round(tables, outcome % SEATS, outcome >= SEATS)
        tables = tables._replace(dice=tables.dice.clamp(min=0))  # of somebody who is out: never happens, never used
        with self._autocast():
            logits = self.value(tables, kinds.repeat_interleave(OUTCOMES, 0))
        chances = by_seat(logits.softmax(-1), turn_order(tables))
        alive = tables.dice > 0
        over = alive.sum(-1, keepdim=True) == 1
        return torch.where(over, alive.float(), chances).view(n, OUTCOMES, SEATS)

    def _worth_of_all(self, played: Rollout) -> Tensor:
        """[T, N, outcome, seat]: the same for every decision; it is asked once per round."""
        steps, n = played.actions.shape
        begins = unpack(played.rows).quantity == 0
        begins[0] = True
        asked = torch.nonzero(begins.flatten()).squeeze(-1)
        rows, kinds = played.rows.flatten(0, 1), played.kinds.flatten(0, 1)
        found = torch.cat([self._worth(rows[some], kinds[some]) for some in torch.split(asked, 1 << 17)])
        place = (begins.flatten().cumsum(0) - 1).view(steps, n)
        t = torch.arange(steps, device=self.device)[:, None]
        latest = torch.where(begins, t, 0).cummax(0).values
        return found[place.gather(0, latest)]

    @torch.no_grad()
    def judge(self, played: Rollout) -> Targets:
        """How the rounds went, against what the critic expected."""
        worth = self._worth_of_all(played)
        with self._autocast():
            ahead = self.critic(self._look(self.games.rows, self.kinds)).outcomes.softmax(-1)
        ahead = later = outcomes_by_seat(ahead, turn_order(self.games.tables))
        trace, found = self.settings.trace, []
        for t in reversed(range(self.settings.steps)):
            tables = unpack(played.rows[t])
            order = turn_order(tables)
            onward = (1 - trace) * later + trace * ahead
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
        mine = torch.arange(SEATS, device=self.device) == tables.turn[:, None]
        if self.settings.learners == 1:
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

    # -- learning ----------------------------------------------------------------------------------------------------

    def _policy_loss(self, played: Rollout, targets: Targets) -> tuple[Tensor, Tensor]:
        with self._autocast():
            decision = self.policy.read(played.sight)
            with torch.no_grad():
                magnet = self.averaged.read(played.sight).logits
        known = torch.cat([played.judged.bids * self.settings.all_actions, targets.advantage[:, 1:]], -1)
        present = played.sight.possible[:, :SEATS]
        weight = (present.sum(-1) / 2) ** self.settings.sharpness
        surrogate, entropy, kl, moved = self._weigh(
            decision.logits, magnet, played.logs, known, targets.advantage[:, :1], played.actions[:, None], weight,
            1 - self.settings.clip, 1 + self.settings.clip,
        )  # fmt: skip
        logs_of_chances = torch.where(present, decision.chances, NEVER).log_softmax(-1).clamp(min=NEVER)
        guess = -(targets.chances * logs_of_chances).sum(-1).mean()
        loss = -surrogate - self.pulls[0] * entropy + self.pulls[1] * kl + 0.2 * guess
        return loss, torch.stack([surrogate, entropy, kl, guess, moved]).detach()

    def _critic_loss(self, played: Rollout, targets: Targets) -> tuple[Tensor, Tensor]:
        with self._autocast():
            judged = self.critic(played.sight)
        outcomes = -(targets.returns * judged.outcomes.log_softmax(-1).clamp(min=NEVER)).sum(-1).mean()
        bid, brought = played.actions < LIAR, targets.advantage[:, 0]
        word = judged.bids.gather(-1, played.actions.clamp(max=LIAR - 1)[:, None]).squeeze(-1)
        missed, there = (bid * (word - brought) ** 2).mean(), (bid * brought**2).mean()
        return outcomes + 0.5 * missed, torch.stack([outcomes, missed, there]).detach()

    def _value_loss(self, played: Rollout, targets: Targets) -> Tensor:
        with self._autocast():
            logits = self.value(unpack(played.rows), played.kinds)
        return -(targets.chances * logits.log_softmax(-1).clamp(min=NEVER)).sum(-1).mean()

    def _take_step(self) -> Tensor:
        """One gradient step of every network, on the decisions whose places stand in `self._places`."""
        own, anybody, starts = self._places

        def at(places: Tensor) -> list[Any]:
            return [each(lambda part: part.flatten(0, 1)[places], whole) for whole in (self._played, self._lesson)]

        policy_loss, policy_terms = self._policy_loss(*at(own))
        self._descend(self.policy_optimizer, self.policy, policy_loss)
        critic_loss, critic_terms = self._critic_loss(*at(anybody))
        value_loss = self._value_loss(*at(starts))
        self._descend(self.judge_optimizer, self.critic, critic_loss + value_loss)
        with torch.no_grad():
            for mean, now in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                mean.lerp_(now, 1 - self.keep)
        return torch.cat([policy_terms, critic_terms, value_loss.detach()[None]])

    def learn(self, played: Rollout, targets: Targets) -> dict[str, float]:
        """One pass over the decisions that the learner made."""
        s = self.settings
        tables = unpack(played.rows.flatten(0, 1))
        own = torch.nonzero(of_turn(tables, played.kinds.flatten(0, 1)) == LEARNER).squeeze(-1)
        starts = torch.nonzero(tables.quantity == 0).squeeze(-1)
        bucket = self.stakes.bucket(tables)
        self.stakes.update(bucket[own], targets.advantage[..., 0].flatten()[own])
        unit = self.stakes.unit(bucket).view(*played.actions.shape, 1)
        targets = targets._replace(advantage=(targets.advantage / unit).clamp(-5, 5))
        if self._lesson is None:
            self._lesson = targets
            size = min(s.minibatch, len(own) // 2)  # of a shape that the next updates can have, too
            self._places = tuple(own[:n].clone() for n in (size, size, max(1, size // 4)))
        each(lambda kept, new: kept.copy_(new), self._lesson, targets)
        self.decisions += len(own)
        self.rate.fill_(self._scheduled(s.learning_rate) * min(1.0, (self._gradient_steps + 1) / 50))
        self.pulls.copy_(torch.tensor([self._scheduled(s.entropy), self._scheduled(s.magnet)]))
        size = len(self._places[0])
        count = max(1, s.passes * len(own) // size)
        order = torch.cat([own[torch.randperm(len(own), device=self.device)] for _ in range(s.passes)])
        everybody = torch.cat([torch.randperm(len(bucket), device=self.device) for _ in range(s.passes)])
        terms = torch.zeros(9, device=self.device)
        for begin in range(0, count * size, size):
            self._places[0].copy_(order[begin : begin + size])
            self._places[1].copy_(everybody[begin : begin + size])  # judges are asked about everybody's decisions
            self._places[2].copy_(starts[torch.randint(len(starts), self._places[2].shape, device=self.device)])
            self._gradient_steps += 1
            early = self.updates < 50
            self.keep.fill_(min(s.average, 1 - 1 / (self._gradient_steps + 10)) if early else s.average)
            terms += self._step()
        self.updates += 1
        names = ("surrogate", "entropy", "kl", "guess", "moved", "critic", "missed", "there", "value")
        found = dict(zip(names, (terms / count).tolist(), strict=True))
        found["foretold"] = 1 - found.pop("missed") / max(found.pop("there"), 1e-9)
        return found

    @staticmethod
    def _descend(optimizer: torch.optim.Optimizer, network: nn.Module, loss: Tensor) -> None:
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()

    # -- running -----------------------------------------------------------------------------------------------------

    @property
    def progress(self) -> float:
        """How much of the whole run is behind us, from 0 to 1."""
        s = self.settings
        if s.most_updates:
            return min(1.0, self.updates / s.most_updates)
        return min(1.0, self.trained_s / (60 * (s.schedule_minutes or s.minutes)))

    def _scheduled(self, pair: tuple[float, float]) -> float:
        """A quantity that falls geometrically from its first to its last value over the run."""
        first, last = pair
        return first * (last / first) ** self.progress if first > 0 and last > 0 else first

    def _autocast(self) -> torch.autocast:
        cuda = self.device.type == "cuda"  # a recorded step must not keep casts of weights that have changed since
        return torch.autocast(self.device.type, torch.bfloat16, enabled=cuda, cache_enabled=False)

    @property
    def _digits(self) -> torch.dtype:
        """How the networks' input is kept: as the first layer reads it."""
        return torch.bfloat16 if self.device.type == "cuda" else torch.float32

    def plain(self) -> PolicyNetwork:
        """The averaged policy, not compiled: for positions that come in other numbers."""
        self._plain.load_state_dict(self.averaged.state_dict())
        return self._plain

    def run(self) -> Iterator[dict[str, Any]]:
        """Train, and report after every update."""
        begun = self.trained_s
        while True:
            clock = time.perf_counter()
            before = self.decisions
            played = self.play()
            terms = self.learn(played, self.judge(played))
            spent = time.perf_counter() - clock
            self.trained_s += spent
            made = played.actions.numel()
            yield {
                "updates": self.updates,
                "decisions": self.decisions,
                "trained_s": round(self.trained_s, 2),
                "per_second": round(made / spent),
                "own": self.decisions - before,
                "won": self._won(played),
                **{name: round(value, 5) for name, value in terms.items()},
            }
            if self._is_over(begun):
                return

    def _is_over(self, begun: float) -> bool:
        """Whether this command, which found `begun` seconds of training behind it, has done what it was asked for."""
        s = self.settings
        if s.most_decisions and self.decisions >= s.most_decisions:
            return True
        if s.most_updates:
            return self.updates >= s.most_updates
        return self.trained_s - begun >= 60 * s.minutes

    @staticmethod
    def _won(played: Rollout) -> list[int]:
        """[games that ended, games among them that the learner won]."""
        ended = played.game_ended
        kind = played.kinds.gather(-1, played.winner.long().clamp(min=0)[..., None]).squeeze(-1)
        return [int(ended.sum()), int((ended & (kind == LEARNER)).sum())]

    def save(self, name: str = "last.pt") -> Path:
        """Write a checkpoint; a break while writing leaves the one before."""
        folder = Path(self.settings.out)
        folder.mkdir(parents=True, exist_ok=True)
        parts = ("policy", "averaged", "critic", "value")
        found = {part: {k: v.cpu() for k, v in getattr(self, part).state_dict().items()} for part in parts}
        for part in ("policy", "critic"):  # to go on from, half the digits are plenty
            found[part] = {k: v.half() for k, v in found[part].items()}
        numbers = {"updates": self.updates, "decisions": self.decisions, "trained_s": self.trained_s}
        stakes = {"square": self.stakes.square.cpu(), "seen": self.stakes.seen.cpu()}
        whole = {"shape": self.policy.shape, "stakes": stakes, "settings": asdict(self.settings), **numbers, **found}
        path = folder / name
        torch.save(whole, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)
        return path

    def _load(self, path: Path, *, whole: bool = False, judges_only: bool = False) -> None:
        found = torch.load(path, map_location=self.device, weights_only=True)
        if found["shape"] != self.policy.shape:
            raise ValueError(
                f"{path} has the shape {found['shape']}, this run {self.policy.shape}: use the same options"
            )
        self.critic.load_state_dict(found["critic"], strict=whole)
        self.value.load_state_dict(found["value"])
        if not judges_only:
            self.averaged = copy.deepcopy(self.policy)
            fill_from(self.averaged, found["averaged"])
            fill_from(self.policy, found["policy" if whole else "averaged"])
        if whole or judges_only or self.settings.init:
            self.stakes.square = found["stakes"]["square"].to(self.device)
            self.stakes.seen = found["stakes"]["seen"].to(self.device)
        if whole:
            self.updates, self.decisions, self.trained_s = (found[k] for k in ("updates", "decisions", "trained_s"))


def main(arguments: list[str] | None = None) -> None:
    """Train until the time is up or Ctrl-C; either way the run can be continued."""
    settings = settings_from(arguments)
    trainer = Trainer(settings)
    folder = Path(settings.out)
    folder.mkdir(parents=True, exist_ok=True)
    saved = told = time.perf_counter()
    won = [0, 0]
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        with (folder / "curve.jsonl").open("a", encoding="utf-8") as curve:
            for report in trainer.run():
                won = [total + new for total, new in zip(won, report.pop("won"), strict=True)]
                now = time.perf_counter()
                if now - told >= settings.report_every or report["updates"] == 1:
                    report["win_rate"] = round(won[1] / max(won[0], 1), 4)
                    if settings.players[0] == 2 and not settings.against:
                        for exact in (False, True):
                            found = exploit_round(trainer.plain(), (1, 1), exact_call=exact)
                            report["exploit_1v1_exact" if exact else "exploit_1v1"] = round(found.exploitability, 4)
                    curve.write(json.dumps(report) + "\n")
                    curve.flush()
                    print(json.dumps(report), flush=True)
                    told, won = time.perf_counter(), [0, 0]
                if now - saved >= settings.save_every:
                    trainer.save()
                    saved = now
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", flush=True)
    print(f"saved {trainer.save()}", flush=True)


if __name__ == "__main__":
    main()
