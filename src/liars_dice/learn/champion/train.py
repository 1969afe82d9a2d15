"""Train the champion by self-play: one file, from the first random game to the network that is shipped.

The game is Markov between rounds, so a round is an episode. It ends in one of at most twelve ways (who loses a die, and
whether an exact call was right), and what each is worth to everybody is their chance to win the game from the dice
that are then left: 1 or 0 when the game is over, else what `RoundValue` says. `Critic`, who sees all dice, says at
every decision how the round will end; the advantage of a decision is what a TD(lambda) return says beyond that. The
policy takes clipped policy-gradient steps (PPO). What a call would bring is known to somebody who sees all dice, so
calls are not left to chance: both are weighed at every decision, made or not. Two pulls shrink over the run: towards
playing everything (entropy), and towards the policy's own moving average, the magnet (as in magnetic mirror descent
and R-NaD). The average is what plays in the end. Advantages are measured in units of what is at stake, so that one
temperature suits every table.

    python -m liars_dice.learn.champion.train --minutes 20 --device cuda --out runs/champion
"""

from __future__ import annotations

import argparse
import copy
import json
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from .exploitability import exploit_round
from .network import (
    NEVER,
    OUTCOMES,
    Critic,
    PolicyNetwork,
    RoundValue,
    mask_absent,
    outcomes_by_player,
    outcomes_by_seat,
    sample,
)
from .observation import by_player, by_seat, observe, of_turn, turn_order
from .perudo_batch import (
    EXACT,
    FACES,
    LIAR,
    MOST_DICE,
    SEATS,
    PerudoBatch,
    RuleMix,
    Tables,
    after_round,
    matches,
    previous_seat,
    unpack,
)
from .scripted import FROZEN, LEARNER, NAMES, scripted_actions


@dataclass
class Settings:
    """Everything that can be chosen about a run; each field is an option on the command line."""

    out: str = "champion"
    """Folder for checkpoints and the curve. A run found there is continued."""
    minutes: float = 20.0
    """How long this command trains."""
    schedule_minutes: float = 0.0
    """The length of the whole run, over which everything cools down; `minutes` if 0. Longer runs continue it later."""
    most_updates: int = 0
    """Train for this many updates instead, whatever time that takes: such a run repeats on the same device."""
    most_decisions: float = 0.0
    """Stop after this many decisions of the learner, if that comes first; 0 for no limit."""
    device: str = "cpu"
    games: int = 2048
    """How many games are played side by side."""
    steps: int = 32
    """How many decisions are made in each game between two updates."""
    minibatch: int = 8192
    learning_rate: tuple[float, float] = (1e-3, 1e-4)
    entropy: tuple[float, float] = (0.4, 0.12)
    """The weight of the entropy bonus, at the start and at the end; advantages have a standard deviation of one."""
    magnet: tuple[float, float] = (0.3, 0.3)
    """The weight of the pull towards the averaged policy, at the start and at the end."""
    average: float = 0.999
    """How much of the averaged policy is kept at each gradient step."""
    clip: float = 0.2
    """How far the probability of an action may move in one update before its gradient is cut."""
    trace: float = 0.9
    """The lambda of TD(lambda) within a round."""
    known_calls: bool = True
    """Whether calls are weighed at every decision; else only when they are made."""
    bots: float = 0.25
    """The share of games in which half of the seats are played by rule bots."""
    bot_kinds: str = "random,crawler,probabilistic,optimal,detective"
    players: tuple[int, int] = (2, 6)
    dice: tuple[int, int] = (1, 5)
    full_games: float = 0.2
    """The share of games that start with all dice; the others start with any number in each seat."""
    endgames: float = 0.15
    """The share of games that start between two players with one or two dice each."""
    restart: float = 0.5
    """How often a game is broken off after a round, so that every kind of round is met; its worth is known."""
    wild_ones: float = 0.9
    exact_calls: float = 0.75
    palifico: float = 0.4
    open_on_ones: float = 0.7
    face_width: int = 128
    table_width: int = 256
    blocks: int = 3
    against: str = ""
    """A checkpoint whose averaged policy sits in every seat but one: trains an exploiter, starting from its weights."""
    init: str = ""
    """A checkpoint whose networks this run starts from."""
    compiled: bool = False
    """Compile the inner loops with torch.compile."""
    save_every: float = 60.0
    """Seconds between checkpoints."""
    seed: int = 0

    def mix(self) -> RuleMix:
        """The games to play."""
        return RuleMix(
            self.players,
            self.dice,
            self.full_games,
            self.endgames,
            self.wild_ones,
            self.exact_calls,
            self.palifico,
            self.open_on_ones,
            most_dice=MOST_DICE,
        )


class Rollout(NamedTuple):
    """`steps` decisions in each game. `rows` and `kinds` have one entry more: what came after the last decision."""

    rows: Tensor
    kinds: Tensor
    actions: Tensor
    log_probs: Tensor
    """[T, N, 3]: of the action, of a liar call, of an exact call."""
    round_ended: Tensor
    game_ended: Tensor
    winner: Tensor
    outcome: Tensor
    """[T, N]: how the round ended, where it did; a seat, plus 6 if an exact call was right."""
    worth: Tensor
    """[T, N, outcome, seat]: everybody's chance to win the game if the round ends like that."""


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


class Trainer:
    """A run: networks, games, and what is needed to go on after a break."""

    def __init__(self, settings: Settings) -> None:
        self.settings = s = settings
        self.device = torch.device(s.device)
        torch.manual_seed(s.seed)
        self.policy = PolicyNetwork(s.face_width, s.table_width, s.blocks).to(self.device)
        self.critic = Critic(s.face_width, s.table_width, max(1, s.blocks - 1)).to(self.device)
        self.value = RoundValue().to(self.device)
        self.stakes = Stakes(self.device)
        self.updates, self.decisions, self.trained_s = 0, 0, 0.0
        self.frozen: PolicyNetwork | None = None
        for path, whole in ((s.against, False), (s.init, False), (str(Path(s.out, "last.pt")), True)):
            if path and Path(path).exists():
                self._load(Path(path), whole)
            elif path and not whole:
                raise FileNotFoundError(f"{path}: no such checkpoint")
        if s.against:
            self.frozen = load_policy(s.against, self.device)
        if not hasattr(self, "averaged"):
            self.averaged = copy.deepcopy(self.policy)
        for still in (self.averaged, self.frozen):
            if still is not None:
                still.requires_grad_(False)
        fused = self.device.type == "cuda"
        self.policy_optimizer = torch.optim.Adam(self.policy.parameters(), eps=1e-5, fused=fused)
        judges = [*self.critic.parameters(), *self.value.parameters()]
        self.judge_optimizer = torch.optim.Adam(judges, eps=1e-5, fused=fused)
        self.games = PerudoBatch(
            s.games, s.mix(), seed=s.seed + 1000 * self.updates, device=self.device, compiled=s.compiled
        )
        self.kinds = self._draw_kinds(self.games.rows)
        self._plain = copy.deepcopy(self.averaged)
        if s.compiled:  # the streams alone: what is around them is many small shapes, and compiles for minutes
            for network in (self.policy, self.averaged, self.critic, self.frozen):
                if network is not None:
                    network.streams.compile(dynamic=False)
        self._gradient_steps = 0

    # -- playing -----------------------------------------------------------------------------------------------------

    def _draw_kinds(self, rows: Tensor) -> Tensor:
        """[N, seat] int8: who would play each seat of a game that starts with this row."""
        s, n = self.settings, len(rows)
        if s.against:
            places = torch.rand(n, SEATS, device=self.device) * (unpack(rows).dice > 0)
            learner = one_hot(places.argmax(-1), SEATS) > 0
            return torch.where(learner, LEARNER, FROZEN).to(torch.int8)
        offered = torch.tensor([NAMES.index(name) for name in s.bot_kinds.split(",") if name], device=self.device)
        mixed = torch.rand(n, 1, device=self.device) < s.bots
        seated = mixed & (torch.rand(n, SEATS, device=self.device) < 0.5)
        bots = offered[torch.randint(len(offered), (n, SEATS), device=self.device)]
        return torch.where(seated, bots, LEARNER).to(torch.int8)

    def _act(self, rows: Tensor, kinds: Tensor, draws: Tensor) -> tuple[Tensor, Tensor]:
        """Everybody's action, and the log-probabilities of the learner's and of both calls."""
        tables = unpack(rows)
        with self._autocast():
            seen = observe(tables)
            logits = self.policy(tables, seen).logits
            actions = sample(logits, draws[0])
            kind = of_turn(tables, kinds)
            if self.frozen is not None:
                actions = torch.where(kind == LEARNER, actions, sample(self.frozen(tables, seen).logits, draws[1]))
        if self.frozen is None and self.settings.bots > 0:
            bots = torch.nonzero(kind != LEARNER).squeeze(-1)
            actions[bots] = scripted_actions(unpack(rows[bots]), kinds[bots], draws[1][bots])
        logs = logits.log_softmax(-1)
        return actions, torch.cat([logs.gather(-1, actions[:, None]), logs[:, LIAR:]], -1)

    @torch.no_grad()
    def play(self) -> Rollout:
        """`steps` decisions in each game."""
        parts: list[list[Tensor]] = [[] for _ in Rollout._fields]
        n = self.settings.games
        self.games.draw_starts()
        worth = torch.zeros(n, OUTCOMES, SEATS, device=self.device)
        for t in range(self.settings.steps):
            rows, kinds = self.games.rows, self.kinds
            begun = torch.nonzero(unpack(rows).quantity == 0).squeeze(-1)
            if t == 0:
                worth = self._worth(rows, kinds)
            else:
                worth = worth.index_copy(0, begun, self._worth(rows[begun], kinds[begun]))
            actions, log_probs = self._act(rows, kinds, torch.rand(2, n, device=self.device))
            outcome = self.games.step(actions)
            broken_off = outcome.round_ended & ~outcome.game_ended
            broken_off &= torch.rand(n, device=self.device) < self.settings.restart
            self.games.restart(broken_off)
            new_game = (outcome.game_ended | broken_off)[:, None]
            self.kinds = torch.where(new_game, self._draw_kinds(self.games.rows), kinds)
            right_exact = (actions == EXACT) & (outcome.winner == unpack(rows).turn)
            ending = outcome.loser + SEATS * right_exact
            made = (rows, kinds, actions, log_probs, *outcome[:3], ending, worth)
            for part, new in zip(parts, made, strict=True):
                part.append(new)
        parts[0].append(self.games.rows)
        parts[1].append(self.kinds)
        return Rollout(*(torch.stack(part) for part in parts))

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

    def _foreseen(self, rows: Tensor, kinds: Tensor) -> Tensor:
        """[B, outcome]: how probable the critic thinks each end of the round is, by seat."""
        tables = unpack(rows)
        with self._autocast():
            logits = self.critic(tables, kinds)
        return outcomes_by_seat(logits.softmax(-1), turn_order(tables))

    @torch.no_grad()
    def judge(self, played: Rollout) -> tuple[Tensor, Tensor]:
        """([T, N, 3], [T, N, outcome]): the advantages of each action and of both calls, and the returns."""
        critic = torch.stack([self._foreseen(*both) for both in zip(played.rows, played.kinds, strict=True)])
        returns = torch.empty_like(critic[:-1])
        ahead = critic[-1]
        trace = self.settings.trace
        for t in reversed(range(len(returns))):
            onward = (1 - trace) * critic[t + 1] + trace * ahead
            ended = one_hot(played.outcome[t].long(), OUTCOMES).float()
            ahead = returns[t] = torch.where(played.round_ended[t][:, None], ended, onward)
        advantages = [
            self._advantages(*parts) for parts in zip(*played[:3], played.worth, critic, returns, strict=False)
        ]
        return torch.stack(advantages), returns

    def _advantages(
        self, rows: Tensor, kinds: Tensor, actions: Tensor, worth: Tensor, critic: Tensor, returns: Tensor
    ) -> Tensor:
        """[N, 3]: what the action and both calls bring to the player to move, beyond what the critic expected."""
        tables = unpack(rows)
        mine = worth.gather(-1, tables.turn.long()[:, None, None].expand(-1, OUTCOMES, 1)).squeeze(-1)
        expected = (critic * mine).sum(-1)
        bidder = previous_seat(tables.dice, tables.turn)
        count = matches(tables)
        liar = torch.where(count < tables.quantity, bidder, tables.turn)
        exact = torch.where(count == tables.quantity, bidder + SEATS, tables.turn)
        calls = mine.gather(-1, torch.stack([liar, exact], -1).long())
        found = torch.cat([(returns * mine).sum(-1, keepdim=True), calls], -1) - expected[:, None]
        bid = tables.quantity > 0
        if self.settings.known_calls:
            return found * torch.stack([actions < LIAR, bid, bid & (tables.exact_call > 0)], -1)
        return found * torch.tensor([1.0, 0.0, 0.0], device=self.device)

    # -- learning ----------------------------------------------------------------------------------------------------

    def _policy_loss(
        self, tables: Tables, actions: Tensor, old: Tensor, advantage: Tensor, chances: Tensor
    ) -> tuple[Tensor, Tensor]:
        seen = observe(tables)
        with self._autocast():
            decision = self.policy(tables, seen)
            with torch.no_grad():
                magnet = self.averaged(tables, seen).logits.log_softmax(-1)
        logs = decision.logits.log_softmax(-1)
        probabilities = logs.exp()
        ratio = (torch.cat([logs.gather(-1, actions[:, None]), logs[:, LIAR:]], -1) - old).clamp(-10, 10).exp()
        clip = self.settings.clip
        gains = torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)
        surrogate = (gains[:, 0] + (old[:, 1:].exp() * gains[:, 1:]).sum(-1)).mean()
        entropy = -(probabilities * logs).sum(-1).mean()
        kl = (probabilities * (logs - magnet)).sum(-1).mean()
        order = turn_order(tables)
        logs_of_chances = mask_absent(decision.chances, order).log_softmax(-1).clamp(min=NEVER)
        guess = -(by_player(chances, order) * logs_of_chances).sum(-1).mean()
        s = self.settings
        loss = -surrogate - self._scheduled(s.entropy) * entropy + self._scheduled(s.magnet) * kl + 0.2 * guess
        return loss, torch.stack([surrogate, entropy, kl, guess, (ratio[:, 0] - 1).abs().mean()]).detach()

    def _judge_loss(self, tables: Tables, kinds: Tensor, returns: Tensor, chances: Tensor) -> tuple[Tensor, Tensor]:
        order = turn_order(tables)
        with self._autocast():
            critic, value = self.critic(tables, kinds), self.value(tables, kinds)
        critic_logs = critic.log_softmax(-1).clamp(min=NEVER)
        critic_loss = -(outcomes_by_player(returns, order) * critic_logs).sum(-1).mean()
        starts = (tables.quantity == 0).float()
        value_losses = -(by_player(chances, order) * value.log_softmax(-1).clamp(min=NEVER)).sum(-1)
        value_loss = (starts * value_losses).sum() / starts.sum().clamp(min=1)
        return critic_loss + value_loss, torch.stack([critic_loss, value_loss]).detach()

    def learn(self, played: Rollout, advantage: Tensor, returns: Tensor) -> dict[str, float]:
        """One pass over the decisions that the learner made."""
        s = self.settings
        rows = played.rows[:-1].flatten(0, 1)
        kinds = played.kinds[:-1].flatten(0, 1)
        actions, old = played.actions.flatten(), played.log_probs.flatten(0, 1)
        flat, returns = advantage.flatten(0, 1), returns.flatten(0, 1)
        worth = played.worth.flatten(0, 1)
        tables = unpack(rows)
        own = torch.nonzero(of_turn(tables, kinds) == LEARNER).squeeze(-1)
        bucket = self.stakes.bucket(tables)
        called = (actions - LIAR + 1).clamp(min=0) * s.known_calls  # 0: the action itself, 1 and 2: one of the calls
        made = flat.gather(-1, called[:, None]).squeeze(-1)
        self.stakes.update(bucket[own], made[own])
        scaled = (flat / self.stakes.unit(bucket)[:, None]).clamp(-5, 5)
        self.decisions += len(own)
        rate = self._scheduled(s.learning_rate) * min(1.0, (self._gradient_steps + 1) / 50)
        for optimizer, factor in ((self.policy_optimizer, 1.0), (self.judge_optimizer, 1.0)):
            optimizer.param_groups[0]["lr"] = rate * factor
        policy_terms, judge_terms, count = torch.zeros(5, device=self.device), torch.zeros(2, device=self.device), 0
        order = own[torch.randperm(len(own), device=self.device)]
        everybody = torch.randperm(len(rows), device=self.device)
        size = min(s.minibatch, len(order))
        for begin in range(0, len(order) - size + 1, size):
            some = order[begin : begin + size]
            chances = (returns[some][:, :, None] * worth[some]).sum(1)
            loss, terms = self._policy_loss(unpack(rows[some]), actions[some], old[some], scaled[some], chances)
            self._descend(self.policy_optimizer, self.policy, loss)
            policy_terms = policy_terms + terms
            some = everybody[begin : begin + size]  # judges are asked about everybody's decisions
            chances = (returns[some][:, :, None] * worth[some]).sum(1)
            loss, terms = self._judge_loss(unpack(rows[some]), kinds[some], returns[some], chances)
            self._descend(self.judge_optimizer, self.critic, loss)
            judge_terms = judge_terms + terms
            count += 1
            self._gradient_steps += 1
            keep = min(s.average, 1 - 1 / (self._gradient_steps + 10)) if self.updates < 50 else s.average
            with torch.no_grad():
                for mean, now in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                    mean.lerp_(now, 1 - keep)
        self.updates += 1
        names = ("surrogate", "entropy", "kl", "guess", "moved", "critic", "value")
        means = torch.cat([policy_terms, judge_terms]) / max(count, 1)
        return dict(zip(names, means.tolist(), strict=True))

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
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

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
            advantage, returns = self.judge(played)
            terms = self.learn(played, advantage, returns)
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
        kind = played.kinds[:-1].gather(-1, played.winner.long().clamp(min=0)[..., None]).squeeze(-1)
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

    def _load(self, path: Path, whole: bool) -> None:
        found = torch.load(path, map_location=self.device, weights_only=True)
        if found["shape"] != self.policy.shape:
            raise ValueError(
                f"{path} has the shape {found['shape']}, this run {self.policy.shape}: use the same options"
            )
        self.averaged = copy.deepcopy(self.policy)
        self.averaged.load_state_dict(found["averaged"])
        self.policy.load_state_dict(found["policy" if whole else "averaged"])
        self.critic.load_state_dict(found["critic"], strict=whole)
        self.value.load_state_dict(found["value"])
        if whole or self.settings.init:
            self.stakes.square = found["stakes"]["square"].to(self.device)
            self.stakes.seen = found["stakes"]["seen"].to(self.device)
        if whole:
            self.updates, self.decisions, self.trained_s = (found[k] for k in ("updates", "decisions", "trained_s"))


def load_policy(path: str | Path, device: torch.device | str = "cpu", part: str = "averaged") -> PolicyNetwork:
    """The averaged policy of a checkpoint, ready to play."""
    found = torch.load(path, map_location=device, weights_only=True)
    policy = PolicyNetwork(**found["shape"]).to(device)
    policy.load_state_dict(found[part])
    return policy.requires_grad_(False).eval()


def settings_from(arguments: list[str] | None = None) -> Settings:
    """Settings from a command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    for option in fields(Settings):
        default = option.default
        name = "--" + option.name.replace("_", "-")
        if isinstance(default, bool):
            parser.add_argument(name, action=argparse.BooleanOptionalAction, default=default)
        elif isinstance(default, tuple):
            parser.add_argument(name, nargs=2, type=type(default[0]), default=default)
        else:
            parser.add_argument(name, type=type(default), default=default)
    found: dict[str, Any] = vars(parser.parse_args(arguments))
    for name, value in found.items():
        found[name] = tuple(value) if isinstance(value, list) else value
    return Settings(**found)


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
                if now - told >= 10 or report["updates"] == 1:
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
