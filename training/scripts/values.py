"""Learn the champion's values: how rounds end after each action, and what each end is worth.

python values.py champion-g.pt champion-g-two.pt --minutes 5 --device cuda --out $OUT

Champions play. In most rounds one of them tries a bid at a random moment, often one that it would hardly make, and all
play on as champions to the end of the round: how it ends is what `OutcomeNetwork` learns. What the dice say about the
current bid is known in every such position. In some of these rounds the players tremble before that moment, so that
bids which the champion hardly ever makes have a meaning, too: what they say about a champion who is not always itself.
Rounds in which nobody tries anything teach `RoundWorth` who wins the game: it begins as a copy of the value networks
that the champion was trained with, and goes on by what the rounds bring.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
import torch
from champion.gpu_replay import Replayed
from champion.network import NEVER, OUTCOMES, RoundValue, load_policy, outcomes_by_player, sample
from champion.observation import observe, one_hot, turn_order
from champion.perudo_batch import (
    EXACT,
    LIAR,
    QUANTITIES,
    ROW_BYTES,
    SEATS,
    PerudoBatch,
    after_round,
    legal_mask,
    matches,
    new_games,
    unpack,
)
from champion.player import save_weights
from champion.settings import Settings
from champion.value_network import OutcomeNetwork, RoundWorth
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

PLAIN, TREMBLING = 0.25, 0.15
"""The share of rounds in which nobody tries a bid, and of the others in which players tremble before one does."""
TREMOR = 0.5
"""What trembling players multiply their logits by."""
TRIES = 0.2
"""How often a bid is tried at a decision, until one was."""
WAYS = (0.5, 0.7, 0.9, 1.0)
"""How bids are tried, as shares added up: as a flattened champion, near the lowest, near what is likely, any."""


class Sampled(NamedTuple):
    """What one step of all games brings: every part begins with [N]."""

    rows: Tensor
    """The position in which a bid was tried; in plain rounds, the one that ended the round."""
    bids: Tensor
    outcome: Tensor
    """How the round ended: the seat that lost it, plus 6 if an exact call was right."""
    tried: Tensor
    """[N] bool: the round ended, and a bid had been tried in it."""
    plain: Tensor
    """[N] bool: the round ended, and it was a plain one."""


class Ring:
    """The newest samples."""

    def __init__(self, size: int, device: torch.device) -> None:
        self.rows = torch.zeros(size, ROW_BYTES, dtype=torch.int8, device=device)
        self.bids = torch.zeros(size, dtype=torch.int64, device=device)
        self.outcome = torch.zeros(size, dtype=torch.int64, device=device)
        self.filled = torch.zeros((), device=device)
        self.seen = 0

    def add(self, rows: Tensor, bids: Tensor, outcome: Tensor) -> None:
        """Write over the oldest."""
        size = len(self.rows)
        places = (self.seen + torch.arange(len(rows), device=rows.device)) % size
        self.rows[places], self.bids[places], self.outcome[places] = rows, bids, outcome
        self.seen += len(rows)
        self.filled.fill_(min(self.seen, size))

    def draw(self, n: int) -> tuple[Tensor, Tensor, Tensor]:
        """Samples at random."""
        places = (torch.rand(n, device=self.rows.device) * self.filled).long().clamp(max=len(self.rows) - 1)
        return self.rows[places], self.bids[places], self.outcome[places]


class ValueTrainer:
    """Champions at play, and the two networks that learn from them."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.device = torch.device(asked.device)
        torch.manual_seed(asked.seed)
        self.champion = load_policy(asked.champion, self.device)
        wide = Settings(players=(2, 6), full_games=0.3, endgames=0.05)
        self.mix = wide.mix()
        self.games = PerudoBatch(asked.games, self.mix, seed=asked.seed, device=self.device)
        n = asked.games
        self.tried, self.plain, self.trembling = (torch.zeros(n, dtype=torch.bool, device=self.device) for _ in "abc")
        self.kept_rows = self.games.rows.clone()
        self.kept_bids = torch.zeros(n, dtype=torch.int64, device=self.device)
        self.outcomes = OutcomeNetwork(asked.face_width, asked.table_width, asked.blocks).to(self.device)
        self.worth, self.slow_worth = RoundWorth().to(self.device), RoundWorth().to(self.device)
        self.averaged = OutcomeNetwork(asked.face_width, asked.table_width, asked.blocks).to(self.device)
        for copy, now in ((self.slow_worth, self.worth), (self.averaged, self.outcomes)):
            copy.load_state_dict(now.state_dict())
            copy.requires_grad_(False)
        self.ways = torch.tensor(WAYS[:-1], device=self.device)
        self.rate, self.worth_rate, self.keep = (torch.zeros((), device=self.device) for _ in "abc")
        cuda = self.device.type == "cuda"
        groups: list[dict[str, Any]] = [
            {"params": list(self.outcomes.parameters()), "lr": self.rate},
            {"params": list(self.worth.parameters()), "lr": self.worth_rate},
        ]
        self.optimizer = torch.optim.Adam(groups, lr=self.rate, fused=cuda, capturable=cuda)
        self.bids_ring = Ring(asked.ring, self.device)
        self.rounds_ring = Ring(asked.ring // 8, self.device)
        self.steps = 0
        self._turn = Replayed(self._take_turn, self.device, self.games.generator)
        self._step = Replayed(self._take_step, self.device, self.games.generator)

    def _autocast(self) -> torch.autocast:
        cuda = self.device.type == "cuda"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=cuda, cache_enabled=False)

    # -- the worth of rounds, to begin with ----------------------------------------------------------------------------

    def copy_worth(self, steps: int) -> float:
        """Fit `RoundWorth` to the value networks of the champion's training; the mean distance at the end."""
        teachers = []
        for path in (self.asked.champion, self.asked.two):
            teacher = RoundValue().to(self.device)
            teacher.load_state_dict(torch.load(path, map_location=self.device, weights_only=True)["value"])
            teachers.append(teacher.requires_grad_(False))
        optimizer = torch.optim.Adam(self.worth.parameters(), lr=2e-3)
        off = torch.zeros(())
        for step in range(steps):
            optimizer.param_groups[0]["lr"] = 2e-3 * 0.02 ** (step / steps)
            tables = unpack(new_games(8192, self.mix, self.games.generator, self.device))
            one_die = (tables.dice == 1).to(torch.int8) & torch.randint_like(tables.dice, 2)
            tables = tables._replace(had_one=one_die)
            kinds = torch.zeros_like(tables.dice)
            many, two = (teacher(tables, kinds).softmax(-1) for teacher in teachers)
            taught = torch.where(((tables.dice > 0).sum(-1) == 2)[:, None], two, many)
            logits = self.worth(tables)
            off = (logits.softmax(-1) - taught).abs().sum() / turn_order(tables)[1].sum()
            optimizer.zero_grad(set_to_none=True)
            cross_entropy(logits, taught).backward()
            optimizer.step()
        self.slow_worth.load_state_dict(self.worth.state_dict())
        return float(off.detach())

    # -- playing -------------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def _take_turn(self) -> Sampled:
        """One decision in each game."""
        n, home = self.games.n, self.games.rows
        rows = home.clone()
        tables = unpack(rows)
        draws = torch.rand(6, n, device=self.device)
        starts = tables.quantity == 0
        self.tried.logical_and_(~starts)
        self.plain.copy_(torch.where(starts, draws[0] < PLAIN, self.plain))
        self.trembling.copy_(torch.where(starts, draws[1] < TREMBLING, self.trembling) & ~self.plain)
        with self._autocast():
            logits = self.champion(tables).logits
        trembles = (self.trembling & ~self.tried)[:, None]
        actions = sample(torch.where(trembles & (logits > NEVER / 2), TREMOR * logits, logits), draws[2])
        seen_lowest, bids = self._tried_bids(tables, logits, draws[3], draws[4])
        tries = ~self.tried & ~self.plain & (draws[5] < TRIES) & (seen_lowest <= tables.total)
        actions = torch.where(tries, bids, actions)
        self.kept_rows.copy_(torch.where(tries[:, None], rows, self.kept_rows))
        self.kept_bids.copy_(torch.where(tries, bids, self.kept_bids))
        self.tried.logical_or_(tries)
        outcome = self.games.step(actions)
        self.games.rows = home.copy_(self.games.rows)
        right_exact = (actions == EXACT) & (outcome.winner == tables.turn)
        return Sampled(
            torch.where(self.plain[:, None], rows, self.kept_rows),
            self.kept_bids.clone(),
            outcome.loser.long() + SEATS * right_exact,
            outcome.round_ended & self.tried,
            outcome.round_ended & self.plain,
        )

    def _tried_bids(self, tables: Any, logits: Tensor, way: Tensor, draw: Tensor) -> tuple[Tensor, Tensor]:
        """([N], [N]): the lowest quantity that can be bid at all, and a legal bid, if there is one."""
        seen = observe(tables)
        quantities = torch.arange(1, QUANTITIES + 1, device=self.device)[:, None]
        above = (quantities - seen.odds.lowest[:, None, :].long()).flatten(-2)
        from_likely = (quantities - seen.odds.likely[:, None, :].long()).flatten(-2)
        legal = legal_mask(tables, seen.odds.lowest)[:, :LIAR]
        kinds = torch.stack(
            [TREMOR * logits[:, :LIAR], -0.7 * above, -0.6 * from_likely.abs(), torch.zeros_like(above)]
        )
        which = (way[:, None] >= self.ways).sum(-1)
        chosen = kinds.gather(0, which[None, :, None].expand(1, -1, LIAR)).squeeze(0)
        return seen.odds.lowest.amin(-1), sample(torch.where(legal, chosen, NEVER), draw)

    def play(self) -> int:
        """`steps` decisions in each game; what they brought goes into the rings. How many bids were tried."""
        self.games.draw_starts()
        before = self.bids_ring.seen
        for _ in range(self.asked.steps):
            now = self._turn()
            for ring, which in ((self.bids_ring, now.tried), (self.rounds_ring, now.plain)):
                places = torch.nonzero(which).squeeze(-1)
                ring.add(now.rows[places], now.bids[places], now.outcome[places])
        return self.bids_ring.seen - before

    # -- learning ------------------------------------------------------------------------------------------------------

    def _losses(self, network: OutcomeNetwork, rows: Tensor, bids: Tensor, outcome: Tensor) -> Tensor:
        """[2]: cross-entropies of how rounds end and of the dice against the current bid."""
        tables = unpack(rows)
        with torch.no_grad():
            seen, order = observe(tables), turn_order(tables)
            possible = torch.cat([order[1], order[1] & (tables.exact_call > 0)[:, None]], -1)
            ended = outcomes_by_player(one_hot(outcome, OUTCOMES), order).argmax(-1)
            compared = (matches(tables) - tables.quantity).clamp(-1, 1).long() + 1
            there = (tables.quantity > 0).float()
        with self._autocast():
            ends, counts = network.after_bid(seen, bids, possible)
        told = cross_entropy(counts, compared, reduction="none")
        return torch.stack([cross_entropy(ends, ended), (told * there).sum() / there.sum().clamp(min=1)])

    def _worth_loss(self, rows: Tensor, outcome: Tensor) -> Tensor:
        """The cross-entropy of who wins the game, by what the next round is worth."""
        tables = unpack(rows)
        with torch.no_grad():
            later = after_round(tables, (outcome % SEATS).to(torch.int8), outcome >= SEATS)
            begun = tables._replace(turn=tables.opener)
            order = turn_order(begun)
            chances = self.slow_worth.by_seat(later)
            taught = chances.gather(-1, order[0]) * order[1]
        logs = self.worth(begun).log_softmax(-1).clamp(min=NEVER)
        return -(taught * logs).sum(-1).mean()

    def _take_step(self) -> Tensor:
        """One gradient step on samples from both rings."""
        size = self.asked.minibatch
        losses = self._losses(self.outcomes, *self.bids_ring.draw(size))
        rows, _, outcome = self.rounds_ring.draw(size // 2)
        worth_loss = self._worth_loss(rows, outcome)
        self.optimizer.zero_grad(set_to_none=True)
        (losses.sum() + worth_loss).backward()
        nn.utils.clip_grad_norm_(self.outcomes.parameters(), 1.0)
        self.optimizer.step()
        with torch.no_grad():
            for slow, now in ((self.averaged, self.outcomes), (self.slow_worth, self.worth)):
                for mean, weight in zip(slow.parameters(), now.parameters(), strict=True):
                    mean.lerp_(weight, 1 - self.keep)
        return torch.cat([losses, worth_loss[None]]).detach()

    def learn(self, progress: float) -> Tensor:
        """A few gradient steps; the mean of their losses."""
        first, last = self.asked.learning_rate
        self.keep.fill_(min(0.999, 1 - 1 / (self.steps + 10)))
        total = torch.zeros(3, device=self.device)
        for _ in range(self.asked.gradient_steps):
            self.steps += 1
            self.rate.fill_(first * (last / first) ** progress * min(1.0, self.steps / 100))
            self.worth_rate.copy_(self.rate / 4)
            total += self._step()
        return total / self.asked.gradient_steps

    def save(self) -> None:
        """Write the averaged networks, as half floats, for the player in numpy."""
        folder = Path(self.asked.out)
        folder.mkdir(parents=True, exist_ok=True)
        parts = {"outcomes": self.averaged, "worth": self.slow_worth}
        state = {f"{name}.{key}": w for name, part in parts.items() for key, w in part.state_dict().items()}
        save_weights(state, folder / "values.new.npz")
        (folder / "values.new.npz").replace(folder / "values.npz")

    def run(self) -> None:
        """Train for the minutes asked for; report and save as it goes."""
        begun = told = time.perf_counter()
        off = self.copy_worth(self.asked.copy_steps)
        print(json.dumps({"worth copied to": round(off, 5), "s": round(time.perf_counter() - begun, 1)}), flush=True)
        folder = Path(self.asked.out)
        folder.mkdir(parents=True, exist_ok=True)
        while self.rounds_ring.seen < 4 * self.asked.minibatch:
            self.play()
        sums, made, updates = torch.zeros(3, device=self.device), 0, 0
        with (folder / "values.curve.jsonl").open("w", encoding="utf-8") as curve:
            while (spent := time.perf_counter() - begun) < 60 * self.asked.minutes:
                made += self.play()
                sums += self.learn(spent / (60 * self.asked.minutes))
                updates += 1
                if time.perf_counter() - told >= self.asked.report_every:
                    ends, counts, worth = (sums / updates).tolist()
                    report = {
                        "s": round(spent, 1), "steps": self.steps, "bids": self.bids_ring.seen,
                        "rounds": self.rounds_ring.seen, "ends": round(ends, 5), "counts": round(counts, 5),
                        "worth": round(worth, 5),
                    }  # fmt: skip
                    curve.write(json.dumps(report) + "\n")
                    curve.flush()
                    print(json.dumps(report), flush=True)
                    self.save()
                    told, updates = time.perf_counter(), 0
                    sums.zero_()
        self.save()


def main() -> None:
    """Train for some minutes."""
    parser = argparse.ArgumentParser(description="Learn the champion's values.")
    parser.add_argument("champion", help="the checkpoint of the champion")
    parser.add_argument("two", help="the checkpoint of its network for two players: its value network is used")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", default="values")
    parser.add_argument("--games", type=int, default=65536)
    parser.add_argument("--steps", type=int, default=8, help="decisions in each game between two lessons")
    parser.add_argument("--minibatch", type=int, default=16384)
    parser.add_argument("--gradient-steps", type=int, default=20, help="gradient steps of a lesson")
    parser.add_argument("--learning-rate", type=float, nargs=2, default=(2e-3, 3e-5))
    parser.add_argument("--ring", type=int, default=8_000_000, help="how many samples are kept")
    parser.add_argument("--copy-steps", type=int, default=1500)
    parser.add_argument("--face-width", type=int, default=80)
    parser.add_argument("--table-width", type=int, default=128)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--report-every", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    ValueTrainer(parser.parse_args()).run()


if __name__ == "__main__":
    main()
