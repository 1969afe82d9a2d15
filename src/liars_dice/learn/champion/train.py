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

from .exploitability import exploit_round
from .gpu_replay import Replayed, autocast
from .network import (
    NEVER,
    Critic,
    PolicyNetwork,
    RoundValue,
    fill_from,
    load_policy,
    look,
    read_weights,
    sample,
)
from .observation import of_turn
from .opponents import NetworkVictims, Opponents, ScriptedVictims, SelfPlay
from .perudo_batch import (
    EXACT,
    LIAR,
    SEATS,
    PerudoBatch,
    unpack,
)
from .returns import Judges, Rollout, Targets, each
from .scripted import BOTS, LEARNER
from .settings import Settings, settings_from
from .stakes import Stakes


class Places(NamedTuple):
    """Which decisions of a rollout a gradient step learns from, as places in [T * N]."""

    own: Tensor
    """Decisions of the learner, for its policy."""
    anybody: Tensor
    """Decisions of anybody, for the critic."""
    starts: Tensor
    """First decisions of rounds, for the value between rounds."""


TERMS = ("surrogate", "entropy", "kl", "guess", "moved", "critic", "missed", "there", "value")
"""What a gradient step reports."""


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

    def __init__(self, settings: Settings, opponents: Opponents | None = None) -> None:
        """The settings say who the opponents are, unless some are given."""
        self.settings = settings
        self.device = torch.device(settings.device)
        self.updates, self.decisions, self.trained_s = 0, 0, 0.0
        torch.manual_seed(settings.seed)
        self._make_networks()
        self._start_from_files()
        self.opponents = opponents or self._opponents()
        self._make_optimizers()
        seed = settings.seed + 1000 * self.updates
        self.games = PerudoBatch(settings.games, settings.mix(), seed=seed, device=self.device)
        self.kinds = self.opponents.seat(self.games.rows)
        self._plain = copy.deepcopy(self.averaged)
        self._weigh = weigh
        if settings.compiled:
            self._compile()
        self._gradient_steps = 0
        self._turn: Callable[[], Rollout] = self._take_turn
        if not self.opponents.asked_one_by_one:
            self._turn = Replayed(self._take_turn, self.device, self.games.generator)
        self._step = Replayed(self._take_step, self.device, self.games.generator)
        self._played: Rollout | None = None
        self._lesson: Targets | None = None
        self._places: Places | None = None

    def _make_networks(self) -> None:
        s = self.settings
        self.policy = PolicyNetwork(s.face_width, s.table_width, s.blocks, knows_partners=s.learners > 1)
        self.policy.to(self.device)
        self.critic = Critic(s.face_width, s.table_width, max(1, s.blocks - 1)).to(self.device)
        self.value = RoundValue().to(self.device)
        self.stakes = Stakes(self.device)
        self.judges = Judges(self.critic, self.value, trace=s.trace, share_wins=s.learners > 1)
        self.averaged = copy.deepcopy(self.policy).requires_grad_(False)

    def _start_from_files(self) -> None:
        """Take over what earlier runs learned; a run in the same folder is continued."""
        s = self.settings
        victim = "" if s.against in BOTS else s.against
        for path in (s.judges, victim, s.init):
            if path and not Path(path).exists():
                raise FileNotFoundError(f"{path}: no such checkpoint")
        if s.judges:
            self._load(Path(s.judges), judges_only=True)
        for path in (victim, s.init):
            if path:
                self._load(Path(path))
        if Path(s.out, "last.pt").exists():
            self._load(Path(s.out, "last.pt"), whole=True)

    def _opponents(self) -> Opponents:
        s = self.settings
        if not s.against:
            return SelfPlay(s.bots, [name for name in s.bot_kinds.split(",") if name], self.device)
        if s.against in BOTS:
            return ScriptedVictims(s.against, s.learners)
        return NetworkVictims(load_policy(s.against, self.device), s.learners)

    def _make_optimizers(self) -> None:
        """What changes during a run is kept in tensors, as a recorded step reads it there."""
        self.rate, self.pulls, self.keep = (torch.zeros(n, device=self.device) for n in ((), 2, ()))
        cuda = self.device.type == "cuda"
        adam: dict[str, Any] = {"lr": self.rate, "eps": 1e-5, "fused": cuda, "capturable": cuda}
        self.policy_optimizer = torch.optim.Adam(self.policy.parameters(), **adam)
        self.judge_optimizer = torch.optim.Adam([*self.critic.parameters(), *self.value.parameters()], **adam)

    def _compile(self) -> None:
        """Compile the networks; not what makes their input: that is many small shapes, and compiles for minutes."""
        self._weigh = torch.compile(weigh, dynamic=False)
        self.critic.compile(dynamic=False)
        networks = [self.policy, self.averaged]
        if isinstance(self.opponents, NetworkVictims):
            networks.append(self.opponents.policy)  # type: ignore[arg-type]
        for network in networks:
            network.decide = torch.compile(network.decide, dynamic=False)  # type: ignore[method-assign]

    # -- playing -----------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def _take_turn(self) -> Rollout:
        """One decision in each game."""
        home, kinds = self.games.rows, self.kinds.clone()
        rows = home.clone()
        tables, sight = unpack(rows), look(unpack(rows), kinds).as_kept()
        draws = torch.rand(3, self.games.n, device=self.device)
        with autocast(self.device):
            logits, judged = self.policy.read(sight).logits, self.critic(sight)
            own = sample(logits, draws[0])
            others = self.opponents.act(tables, kinds, sight, draws[1], own)
        actions = torch.where(of_turn(tables, kinds) == LEARNER, own, others)
        outcome = self.games.step(actions)
        self.opponents.follow(actions, outcome, self.games.rows)
        goes_on = outcome.round_ended & ~outcome.game_ended
        lost = goes_on & ~self._has_learners(self.games.rows, kinds)
        outcome = outcome._replace(game_ended=outcome.game_ended | lost)
        broken_off = goes_on & (draws[2] < self.settings.restart) | lost
        self.games.restart(broken_off)
        self.games.rows = home.copy_(self.games.rows)
        new_game = (outcome.game_ended | broken_off)[:, None]
        self.kinds.copy_(torch.where(new_game, self.opponents.seat(self.games.rows), kinds))
        right_exact = (actions == EXACT) & (outcome.winner == tables.turn)
        ending = outcome.loser + SEATS * right_exact
        return Rollout(rows, kinds, sight, actions, logits.log_softmax(-1), judged, *outcome[:3], ending)

    def _has_learners(self, rows: Tensor, kinds: Tensor) -> Tensor:
        """[N] bool: whether to play on. Nothing is learned without a learner; but bots hear games to their end."""
        if self.opponents.asked_one_by_one:
            return torch.ones(len(rows), dtype=torch.bool, device=rows.device)
        return ((unpack(rows).dice > 0) & (kinds == LEARNER)).any(-1)

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

    def judge(self, played: Rollout) -> Targets:
        """What the latest rollout teaches."""
        return self.judges.judge(played, self.games.rows, self.kinds)

    # -- learning ----------------------------------------------------------------------------------------------------

    def learn(self, played: Rollout, targets: Targets) -> dict[str, float]:
        """Gradient steps on the decisions that the learner made, `passes` times each."""
        own, starts = self._prepare(played, targets)
        places = self._places
        assert places is not None
        passes, size, everybody = self.settings.passes, len(places.own), played.actions.numel()
        order = torch.cat([own[torch.randperm(len(own), device=self.device)] for _ in range(passes)])
        anybody = torch.cat([torch.randperm(everybody, device=self.device) for _ in range(passes)])
        if len(order) < size:
            order = order.repeat(size // len(order) + 1)
        count = len(order) // size
        terms = torch.zeros(len(TERMS), device=self.device)
        for begin in range(0, count * size, size):
            places.own.copy_(order[begin : begin + size])
            places.anybody.copy_(anybody[begin : begin + size])
            places.starts.copy_(starts[torch.randint(len(starts), places.starts.shape, device=self.device)])
            self._gradient_steps += 1
            self.keep.fill_(self._kept_of_average())
            terms += self._step()
        self.updates += 1
        self.decisions += len(own)
        found = dict(zip(TERMS, (terms / count).tolist(), strict=True))
        found["foretold"] = 1 - found.pop("missed") / max(found.pop("there"), 1e-9)
        return found

    def _prepare(self, played: Rollout, targets: Targets) -> tuple[Tensor, Tensor]:
        """Put the lesson and the schedule where a step finds them; returns the learner's decisions and the openings."""
        s, tables = self.settings, unpack(played.rows.flatten(0, 1))
        own = torch.nonzero(of_turn(tables, played.kinds.flatten(0, 1)) == LEARNER).squeeze(-1)
        starts = torch.nonzero(tables.quantity == 0).squeeze(-1)
        bucket = self.stakes.bucket(tables)
        self.stakes.update(bucket[own], targets.advantage[..., 0].flatten()[own])
        unit = self.stakes.unit(bucket).view(*played.actions.shape, 1)
        targets = targets._replace(advantage=(targets.advantage / unit).clamp(-5, 5))
        if self._lesson is None:
            self._lesson = targets
            size = min(s.minibatch, max(1, len(own) // 2))  # of a shape that the next updates can have, too
            self._places = Places(*(own[:n].clone() for n in (size, size, max(1, size // 4))))
        each(lambda kept, new: kept.copy_(new), self._lesson, targets)
        warmth = min(1.0, (self._gradient_steps + 1) / 50)
        self.rate.fill_(self._scheduled(s.learning_rate) * warmth)
        self.pulls.copy_(torch.tensor([self._scheduled(s.entropy), self._scheduled(s.magnet)]))
        return own, starts

    def _kept_of_average(self) -> float:
        """How much of the averaged policy the next step keeps: less at the beginning, when it knows nothing."""
        average = self.settings.average
        return min(average, 1 - 1 / (self._gradient_steps + 10)) if self.updates < 50 else average

    def _take_step(self) -> Tensor:
        """One gradient step of every network; returns the `TERMS`."""
        assert self._places is not None

        def at(places: Tensor) -> list[Any]:
            return [each(lambda part: part.flatten(0, 1)[places], whole) for whole in (self._played, self._lesson)]

        policy_loss, policy_terms = self._policy_loss(*at(self._places.own))
        self._descend(self.policy_optimizer, self.policy, policy_loss)
        critic_loss, critic_terms = self._critic_loss(*at(self._places.anybody))
        value_loss = self._value_loss(*at(self._places.starts))
        self._descend(self.judge_optimizer, self.critic, critic_loss + value_loss)
        with torch.no_grad():
            for mean, now in zip(self.averaged.parameters(), self.policy.parameters(), strict=True):
                mean.lerp_(now, 1 - self.keep)
        return torch.cat([policy_terms, critic_terms, value_loss.detach()[None]])

    def _policy_loss(self, played: Rollout, targets: Targets) -> tuple[Tensor, Tensor]:
        with autocast(self.device):
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
        with autocast(self.device):
            judged = self.critic(played.sight)
        outcomes = -(targets.returns * judged.outcomes.log_softmax(-1).clamp(min=NEVER)).sum(-1).mean()
        bid, brought = played.actions < LIAR, targets.advantage[:, 0]
        word = judged.bids.gather(-1, played.actions.clamp(max=LIAR - 1)[:, None]).squeeze(-1)
        missed, there = (bid * (word - brought) ** 2).mean(), (bid * brought**2).mean()
        return outcomes + 0.5 * missed, torch.stack([outcomes, missed, there]).detach()

    def _value_loss(self, played: Rollout, targets: Targets) -> Tensor:
        with autocast(self.device):
            logits = self.value(unpack(played.rows), played.kinds)
        return -(targets.chances * logits.log_softmax(-1).clamp(min=NEVER)).sum(-1).mean()

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
        if s.most_decisions:
            return min(1.0, self.decisions / s.most_decisions)
        if s.most_updates:
            return min(1.0, self.updates / s.most_updates)
        return min(1.0, self.trained_s / (60 * (s.schedule_minutes or s.minutes)))

    def _scheduled(self, pair: tuple[float, float]) -> float:
        """A quantity that falls geometrically from its first to its last value over the run."""
        first, last = pair
        return first * (last / first) ** self.progress if first > 0 and last > 0 else first

    def plain(self) -> PolicyNetwork:
        """The averaged policy, not compiled: for positions that come in other numbers."""
        self._plain.load_state_dict(self.averaged.state_dict())
        return self._plain

    def run(self) -> Iterator[dict[str, Any]]:
        """Train, and report after every update."""
        while not self.is_over:
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

    @property
    def is_over(self) -> bool:
        """Whether the run, with what was trained before a break, has done what it was asked for."""
        s = self.settings
        if s.most_decisions or s.most_updates:
            return self.progress == 1
        return self.trained_s >= 60 * s.minutes

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
        known = {"shape": self.policy.shape, "settings": asdict(self.settings), "stakes": self.stakes.state()}
        path = folder / name
        torch.save({**known, **numbers, **found}, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)
        return path

    def _load(self, path: Path, *, whole: bool = False, judges_only: bool = False) -> None:
        found = read_weights(path, self.device)
        if found["shape"] != self.policy.shape:
            raise ValueError(
                f"{path} has the shape {found['shape']}, this run {self.policy.shape}: use the same options"
            )
        if "critic" in found:
            self.critic.load_state_dict(found["critic"], strict=whole)
            self.value.load_state_dict(found["value"])
        if not judges_only:
            best = "two" if "two" in found and self.settings.players == (2, 2) else "averaged"
            fill_from(self.averaged, found[best])
            fill_from(self.policy, found["policy" if whole else best])
        if "stakes" in found and (whole or judges_only or self.settings.init):
            self.stakes.load(found["stakes"])
        if whole:
            self.updates, self.decisions, self.trained_s = (found[k] for k in ("updates", "decisions", "trained_s"))


Report = dict[str, Any]
"""What is told after an update."""


class Curve:
    """The points of a run's learning curve, in a file with one JSON object per line."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.path = Path(trainer.settings.out, "curve.jsonl")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._ended, self._won = 0, 0
        self._latest: Report | None = None
        """What was told since the last point."""

    def hear(self, report: Report) -> None:
        """Take in the report of an update."""
        ended, won = report.pop("won")
        self._ended, self._won, self._latest = self._ended + ended, self._won + won, report

    def add_point(self) -> Report | None:
        """Write a point, if there was an update since the last one."""
        if self._latest is None:
            return None
        rate = round(self._won / max(self._ended, 1), 4)
        point = self._latest | {"win_rate": rate} | _exploitability(self.trainer)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(point) + "\n")
        self._ended, self._won, self._latest = 0, 0, None
        return point


def train(
    trainer: Trainer,
    on_update: Callable[[Report], object] = lambda _: None,
    on_point: Callable[[Report], object] = lambda _: None,
) -> bool:
    """Train until the run is over or Ctrl-C, and write checkpoints and the curve; True if it came to its end.

    `on_point` is told what is written to the curve.
    """
    settings, curve = trainer.settings, Curve(trainer)
    saved = told = time.perf_counter()
    complete = True
    try:
        for report in trainer.run():
            curve.hear(report)
            on_update(report)
            now = time.perf_counter()
            if (now - told >= settings.report_every or report["updates"] == 1) and (point := curve.add_point()):
                on_point(point)
                told = time.perf_counter()
            if now - saved >= settings.save_every:
                trainer.save()
                saved = now
    except KeyboardInterrupt:
        complete = False
    trainer.save()
    if point := curve.add_point():
        on_point(point)
    return complete


def _exploitability(trainer: Trainer) -> dict[str, float]:
    """How exploitable the averaged policy is with one die each, where a run plays such rounds against itself."""
    settings = trainer.settings
    if settings.players[0] > 2 or settings.against:
        return {}
    found = {}
    for name, share, exact_call in (
        ("exploit_1v1", 1 - settings.exact_calls, False),
        ("exploit_1v1_exact", settings.exact_calls, True),
    ):
        if share > 0 and settings.wild_ones > 0:
            found[name] = round(exploit_round(trainer.plain(), (1, 1), exact_call=exact_call).exploitability, 4)
    return found


def main(arguments: list[str] | None = None) -> None:
    """Train as the command line says; after a break the same command goes on."""
    trainer = Trainer(settings_from(arguments))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not train(trainer, on_point=lambda point: print(json.dumps(point), flush=True)):
        print("stopped; the same command goes on from here", flush=True)
    print(f"saved {Path(trainer.settings.out, 'last.pt')}", flush=True)


if __name__ == "__main__":
    main()
