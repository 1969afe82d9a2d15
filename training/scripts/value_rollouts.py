"""Measure the champion's values against long rollouts, in which everybody plays on as the champion.

python value_rollouts.py champion-g.pt values.npz --device cuda --seconds 240 --out $OUT

Positions come from games of champions under `perudo` at tables of 3, 4 and 6, one decision of each game, at least three
players left. What the others hold is drawn by its exact probability given the bids: how likely each hand is times how
likely the champion would have made the player's bids with it, for all hands. The same dice serve every action of a
position. Rounds are played to their end; nothing but the dice left and the opener goes on to the next round, so the
games from there are played once for every such state, as often as the error asked for needs, and serve every action
and position that leads there. A value is the sum over the ends of the round: how often this end, times how often the
player wins the game from there. Everything exists twice, from separate dice: the best action by one half is judged by the
other. Up to `ACTIONS_EACH` actions of a position are played: both calls, the bids that the champion makes most often, the
best by the values, and some at random.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2] / "src/liars_dice/learn"))
import numpy as np
import torch
from champion.network import OUTCOMES, load_policy, sample
from champion.observation import turn_order
from champion.perudo_batch import (
    ACTIONS,
    EXACT,
    FACES,
    LIAR,
    MOST_DICE,
    SEATS,
    PerudoBatch,
    RuleMix,
    after_round,
    draw_rolls,
    hands_of,
    pack,
    step,
    unpack,
)
from champion.value_network import action_values, load_values
from torch import Tensor, nn

LONGEST = 24
"""Rounds with more bids than this are left out."""
ACTIONS_EACH = 12
CHUNK = 1 << 19
"""How many games are played side by side."""


class Positions(NamedTuple):
    """Decisions of champions, and the bids that led to them."""

    rows: Tensor
    """[P, ROW_BYTES]"""
    before: Tensor
    """[P, LONGEST, ROW_BYTES]: the round before each of its bids."""
    bids: Tensor
    """[P, LONGEST]: the bids, -1 after the last."""


@torch.no_grad()
def decide(champion: nn.Module, rows: Tensor) -> Tensor:
    """[B]: what the champion does, by chance."""
    with torch.autocast(rows.device.type, torch.bfloat16, enabled=rows.device.type == "cuda"):
        logits = champion(unpack(rows)).logits
    return sample(logits, torch.rand(len(rows), device=rows.device))


def play(rows: Tensor, actions: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """One action in each game: the rows after it, which rounds and games ended, and how the rounds did, by seat."""
    turn = unpack(rows).turn
    after, outcome = step(rows, actions, draw_rolls(len(rows), rows.device), rows)
    ending = outcome.loser.long() + SEATS * ((actions == EXACT) & (outcome.winner == turn))
    return after, outcome.round_ended, outcome.game_ended, ending


@torch.no_grad()
def find_positions(champion: nn.Module, players: int, games: int, seed: int, device: torch.device) -> Positions:
    """One decision of each game, every one with at least three players left as likely as any other."""
    rows = PerudoBatch(games, RuleMix((players, players), full_games=1.0), seed=seed, device=device, pool=64).rows
    before = rows[:, None].repeat(1, LONGEST, 1)
    bids = torch.full((games, LONGEST), -1, device=device)
    chosen = Positions(rows.clone(), before.clone(), bids.clone())
    seen, every, over = (
        torch.zeros(games, device=device),
        torch.arange(games, device=device),
        torch.zeros_like(bids[:, 0]),
    )
    while not bool(over.all()):
        tables = unpack(rows)
        made = tables.raises.sum(-1).long()
        eligible = (over == 0) & ((tables.dice > 0).sum(-1) >= 3) & (made < LONGEST)
        seen += eligible
        taken = eligible & (torch.rand(games, device=device) * seen < 1)
        bids = torch.where(torch.arange(LONGEST, device=device) < made[:, None], bids, -1)
        chosen = Positions(
            *(
                torch.where(taken.view(-1, *[1] * (new.dim() - 1)), new, old)
                for new, old in zip((rows, before, bids), chosen, strict=True)
            )
        )
        actions = decide(champion, rows)
        place = made.clamp(max=LONGEST - 1)
        before[every, place], bids[every, place] = rows, actions
        rows, _, game_ended, _ = play(rows, actions)
        over |= game_ended
    return chosen


def all_hands(dice: int) -> tuple[Tensor, Tensor]:
    """([H, face], [H]): the hands of this many dice, and how probable each is."""
    rolls = torch.cartesian_prod(*[torch.arange(FACES)] * dice).view(-1, dice)
    shown = nn.functional.one_hot(rolls, FACES).sum(1)
    hands, counts = torch.unique(shown, dim=0, return_counts=True)
    return hands.to(torch.int8), counts / counts.sum()


@torch.no_grad()
def draw_hands(champion: nn.Module, at: Positions, draws: int) -> Tensor:
    """[P, draws, seat, face]: the hands of all seats; those of the others drawn given their bids."""
    device, n = at.rows.device, len(at.rows)
    tables = unpack(at.rows)
    hands_drawn = tables.hands[:, None].repeat(1, draws, 1, 1)
    for dice in range(1, MOST_DICE + 1):
        hands, prior = (part.to(device) for part in all_hands(dice))
        logs = prior.log().repeat(n, SEATS, 1)  # [P, seat, hand]
        actor = unpack(at.before).turn.long()  # [P, LONGEST]
        with_dice = unpack(at.before).dice.gather(-1, actor[..., None]).squeeze(-1) == dice
        told = torch.nonzero((at.bids >= 0) & with_dice & (actor != tables.turn.long()[:, None]))
        for some in torch.split(told, max(1, CHUNK // len(hands))):
            p, t = some.unbind(-1)
            asked = unpack(at.before[p, t].repeat_interleave(len(hands), 0))
            seats = torch.arange(SEATS, device=device)
            acts = (seats == asked.turn[:, None])[:, :, None]
            asked = asked._replace(hands=torch.where(acts, hands.repeat(len(some), 1)[:, None], asked.hands))
            logits = champion(asked).logits.log_softmax(-1).view(len(some), len(hands), ACTIONS)
            made = logits.gather(-1, at.bids[p, t][:, None, None].expand(-1, len(hands), 1)).squeeze(-1)
            logs.index_put_((p, actor[p, t]), made, accumulate=True)
        which = torch.multinomial(logs.softmax(-1).flatten(0, 1), draws, replacement=True).view(n, SEATS, draws)
        redrawn = (tables.dice == dice) & (torch.arange(SEATS, device=device) != tables.turn[:, None])
        found = hands[which].transpose(1, 2)  # [P, draws, seat, face]
        hands_drawn = torch.where(redrawn[:, None, :, None], found, hands_drawn)
    return hands_drawn


@torch.no_grad()
def choose_actions(champion: nn.Module, values: Tensor, at: Positions) -> Tensor:
    """[P, ACTIONS_EACH]: which actions are played, -1 where there are fewer."""
    mix = champion(unpack(at.rows)).logits.softmax(-1)
    legal = values >= 0
    merit = torch.rand_like(mix) * 0.5  # some at random, if they are not absurd:
    merit -= 2.0 * (values < values.amax(-1, keepdim=True) - 0.15)
    merit += (1 + mix) * (mix >= 0.005)
    rank = values.argsort(-1, descending=True).argsort(-1)
    merit += 3.0 * (rank < 3)
    merit[:, LIAR:] += 10.0
    merit = torch.where(legal, merit, -100.0)
    best, which = merit.topk(ACTIONS_EACH, -1)
    return torch.where(best > -50, which, -1)


@torch.no_grad()
def play_rounds(champion: nn.Module, at: Positions, actions: Tensor, hands: Tensor) -> Tensor:
    """[P, A, half, outcome]: how often the round ended how after each action, seats as in the rows."""
    device, (n, draws) = at.rows.device, hands.shape[:2]
    ends = torch.zeros(n * ACTIONS_EACH * 2 * OUTCOMES, device=device)
    wanted = torch.nonzero(actions >= 0)
    half = (torch.arange(draws, device=device) % 2).long()
    for some in torch.split(wanted, max(1, CHUNK // draws)):
        p, a = some.unbind(-1)
        tables = unpack(at.rows[p].repeat_interleave(draws, 0))
        rows = pack(tables._replace(hands=hands[p].flatten(0, 1)))
        slot = ((p * ACTIONS_EACH + a)[:, None] * 2 + half).flatten()
        chosen = actions[p, a].repeat_interleave(draws)
        while len(rows):
            rows, ended, _, ending = play(rows, chosen)
            where = slot[ended] * OUTCOMES + ending[ended]
            ends.index_add_(0, where, torch.ones_like(where, dtype=ends.dtype))
            rows, slot = rows[~ended], slot[~ended]
            chosen = decide(champion, rows) if len(rows) else chosen
    return ends.view(n, ACTIONS_EACH, 2, OUTCOMES)


class Ends(NamedTuple):
    """What the rounds lead to: states between rounds, each once."""

    rows: Tensor
    """[U, ROW_BYTES], with as many rolls to come."""
    state: Tensor
    """[P, outcome]: which state the outcome leads to; -1 where it never came up."""
    me: Tensor
    """[P, outcome]: which player of that state, in turn order from the opener, was to move in the position."""


def find_ends(at: Positions, ends: Tensor) -> Ends:
    """The states after the rounds."""
    n, device = len(at.rows), at.rows.device
    tables = unpack(at.rows.repeat_interleave(OUTCOMES, 0))
    outcome = torch.arange(OUTCOMES, device=device, dtype=torch.int8).repeat(n)
    me = tables.turn.long()
    later = after_round(tables, outcome % SEATS, outcome >= SEATS)
    zeros = torch.zeros_like(later.hands)
    nothing = torch.zeros_like(later.turn)
    later = later._replace(
        dice=later.dice.clamp(min=0), raises=torch.zeros_like(later.dice), hands=zeros, first=zeros, last=zeros,
        quantity=nothing, face=nothing, opened_face=nothing,
    )  # fmt: skip
    seat_of, present = turn_order(later)
    dice = later.dice.gather(-1, seat_of).long() * present
    key = (dice * 6 ** torch.arange(SEATS, device=device)).sum(-1)
    came_up = (ends.sum((1, 2)) > 0).flatten()
    found, inverse = torch.unique(key[came_up], return_inverse=True)
    state = torch.full_like(key, -1)
    state[came_up] = inverse
    first = torch.full_like(found, len(key)).scatter_reduce(0, inverse, torch.nonzero(came_up).squeeze(-1), "amin")
    mine = ((seat_of == me[:, None]) & present).int().argmax(-1)
    still_in = later.dice.gather(-1, me[:, None]).squeeze(-1) > 0
    mine = torch.where(still_in, mine, -1)
    return Ends(pack(later)[first], state.view(n, OUTCOMES), mine.view(n, OUTCOMES))


@torch.no_grad()
def play_games(champion: nn.Module, states: Tensor, times: Tensor) -> Tensor:
    """[U, player]: how many of this many games from each state each player won, in turn order from the opener."""
    device = states.device
    wins = torch.zeros(len(states), SEATS, device=device)
    for slot in torch.split(torch.arange(len(states), device=device).repeat_interleave(times), CHUNK):
        rows = states[slot]
        tables = unpack(rows)
        rows = pack(tables._replace(hands=hands_of(tables.dice, draw_rolls(len(rows), device))))
        seat_of, present = turn_order(tables)
        while len(rows):
            actions = decide(champion, rows)
            after, outcome = step(rows, actions, draw_rolls(len(rows), device), rows)
            over = outcome.game_ended
            player = ((seat_of[over] == outcome.winner[over].long()[:, None]) & present[over]).int().argmax(-1)
            wins.index_put_((slot[over], player), torch.ones_like(player, dtype=wins.dtype), accumulate=True)
            rows, slot, seat_of, present = (part[~over] for part in (after, slot, seat_of, present))
    return wins


def win_shares(ends: Ends, wins: Tensor, games: Tensor) -> Tensor:
    """[P, half, outcome]: how often the player to move won the game after each end of the round."""
    tables = unpack(ends.rows)
    over = (tables.dice > 0).sum(-1) == 1
    share = wins / games[:, :, None].clamp(min=1)  # [half, U, player]
    share[:, over] = torch.eye(SEATS, device=share.device)[0]
    found = share[:, ends.state.clamp(min=0), ends.me.clamp(min=0)]  # [half, P, outcome]
    return (found * ((ends.state >= 0) & (ends.me >= 0))).transpose(0, 1)


def measured(ends: Tensor, shares: Tensor, games_of_end: Tensor) -> tuple[Tensor, Tensor]:
    """([P, A, half], [P, A]): the values of the actions by each half, and the standard error of their mean."""
    chance = ends / ends.sum(-1, keepdim=True).clamp(min=1)
    values = (chance * shares[:, None]).sum(-1)
    both, share = chance.mean(2), shares.mean(1)[:, None]
    of_games = (both**2 * share * (1 - share) / games_of_end[:, None].clamp(min=1)).sum(-1)
    spread = (both * share**2).sum(-1) - (both * share).sum(-1) ** 2
    of_rounds = spread.clamp(min=0) / ends.sum((2, 3)).clamp(min=1)
    return values, (of_games + of_rounds).sqrt()


def compare(said: Tensor, values: Tensor, played: Tensor) -> dict[str, float]:
    """How values that are said (-1 where an action is illegal) agree with those measured: [P, A] each, two halves."""
    truth = values.mean(-1)

    def losses(of: Tensor) -> Tensor:
        best = torch.where(played, of, -1.0).amax(-1, keepdim=True)
        return (best - of)[played]

    def correlation(a: Tensor, b: Tensor) -> float:
        return round(float(torch.corrcoef(torch.stack([a.double(), b.double()]))[0, 1]), 4)

    masked = torch.where(played, said, -1.0)
    follows = masked.argmax(-1, keepdim=True)
    costs = []
    for one, other in ((0, 1), (1, 0)):
        best = torch.where(played, values[..., one], -1.0).argmax(-1, keepdim=True)
        costs.append((values[..., other].gather(-1, best) - values[..., other].gather(-1, follows)).mean())
    upper = torch.where(played, truth, -1.0).amax(-1) - truth.gather(-1, follows).squeeze(-1)
    return {
        "correlation": correlation(said[played], truth[played]),
        "correlation of losses": correlation(losses(said), losses(truth)),
        "following costs": round(float(sum(costs) / 2), 5),
        "following costs at most": round(float(upper.mean()), 5),
        "off by, on average": round(float((said - truth)[played].abs().mean()), 5),
        "bias": round(float((said - truth)[played].mean()), 5),
    }


def main() -> None:
    """Find positions, play, save and report."""
    parser = argparse.ArgumentParser(description="Measure the champion's values against long rollouts.")
    parser.add_argument("champion")
    parser.add_argument("values", help="values.npz, as values.py writes it")
    parser.add_argument("--positions", type=int, default=501)
    parser.add_argument("--draws", type=int, default=4096, help="dice for each position")
    parser.add_argument("--error", type=float, default=0.004, help="of what games add to a value's standard error")
    parser.add_argument("--seconds", type=float, default=240, help="when to stop playing games")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", default="rollouts")
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    begun, device, out = time.perf_counter(), torch.device(asked.device), Path(asked.out)
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(asked.seed)

    def tell(**what: object) -> None:
        print(json.dumps({"s": round(time.perf_counter() - begun, 1), **what}), flush=True)

    champion = load_policy(asked.champion, device)
    outcomes, worth = load_values(asked.values, device)
    tables = [find_positions(champion, n, asked.positions // 3, asked.seed + n, device) for n in (3, 4, 6)]
    at = Positions(*(torch.cat(parts) for parts in zip(*tables, strict=True)))
    said = action_values(outcomes, worth, unpack(at.rows))
    actions = choose_actions(champion, said, at)
    played = actions >= 0
    said = said.gather(-1, actions.clamp(min=0))
    tell(positions=len(at.rows), actions=int(played.sum()))
    hands = draw_hands(champion, at, asked.draws)
    ends = play_rounds(champion, at, actions, hands)
    after = find_ends(at, ends)
    tell(states=len(after.rows))

    # as many games from each state as the error asks for: its weight in a value is how often the round ends there
    chance = (ends.sum(2) / ends.sum((2, 3))[..., None].clamp(min=1)).amax(1)  # [P, outcome]
    place = after.state.clamp(min=0)
    guess = worth(unpack(after.rows)).softmax(-1)[place, after.me.clamp(min=0)]
    wanted = chance * (guess * (1 - guess)).clamp(min=0.05) * (after.state >= 0) * (after.me >= 0)
    need = torch.zeros(len(after.rows), device=device)
    need.scatter_reduce_(0, place.flatten(), wanted.flatten(), "amax")
    over = (unpack(after.rows).dice > 0).sum(-1) == 1
    passes = 8
    times = torch.where(over, 0, (need / asked.error**2 / passes).ceil().long().clamp(min=8))
    wins = torch.zeros(2, len(after.rows), SEATS, device=device)
    games = torch.zeros(2, len(after.rows), device=device)
    for number in range(passes):
        wins[number % 2] += play_games(champion, after.rows, times)
        games[number % 2] += times
        shares = win_shares(after, wins, games)
        of_end = games.sum(0)[place] + 1e9 * over[place]
        values, errors = measured(ends, shares, of_end)
        report = {
            "pass": number + 1,
            "games": int(games.sum()),
            "error, largest": round(float(errors[played].max()), 5),
            "error, mean": round(float(errors[played].mean()), 5),
            "values": compare(said, values, played) if number else {},
            "by table": {
                str(n): compare(said[some], values[some], played[some])
                for n, some in zip((3, 4, 6), torch.arange(len(at.rows)).chunk(3), strict=True)
            } if number else {},
        }  # fmt: skip
        tell(**report)
        if number:
            np.savez_compressed(
                out / "value_rollouts.npz",
                rows=at.rows.cpu().numpy(),
                bids=at.bids.cpu().numpy().astype(np.int16),
                actions=actions.cpu().numpy().astype(np.int16),
                values=values.cpu().numpy().astype(np.float32),
                errors=errors.cpu().numpy().astype(np.float32),
                ends=(ends.sum(2) / ends.sum((2, 3))[..., None].clamp(min=1)).cpu().numpy().astype(np.float16),
                state=after.state.cpu().numpy().astype(np.int16),
                state_rows=after.rows.cpu().numpy(),
                state_wins=wins.sum(0).cpu().numpy().astype(np.int32),
            )
            (out / "value_rollouts.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        if time.perf_counter() - begun > asked.seconds:
            break


if __name__ == "__main__":
    main()
