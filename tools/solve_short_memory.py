"""Solve rounds with players who remember only the last few bids; needs nothing but numpy and torch.

Both players see the bids, so a round of such players is a game over public *places*: the current rung, and how far
each of the last bids raised the one before it. At a place let

    J(h, o) = how likely the opener holds h, the other player o, and the bidding comes there,
    V(h, o) = what the round is worth to the opener from there on.

J is computed from the lowest rung up and V from the highest down, and the sum of J V over the other player's hands is
what a move is worth. Discounted regret matching (DCFR+) turns these values into strategies. Their averages are written
to files, from which `build_short_memory.py` makes the one in the package.

    python tools/solve_short_memory.py FOLDER [--device cuda] [--seconds 400] [--rounds perudo:5v5,heads-up:4v4]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, einsum

FACES = 6
LONGEST_RAISE, LONGEST_OPENING = 18, 24
"""The strategies raise by, and are written to open on, at most this many rungs. Their opponents need not."""
WINDOW = 12
"""A raise by more rungs than this is remembered as far, and what came before it is forgotten."""
FAR, START, STEPS = 0, WINDOW + 1, WINDOW + 2
"""A step of the bidding is the number of rungs of a raise, `FAR`, or `START` for the first bid."""
LIAR, EXACT, MOVES = LONGEST_RAISE, LONGEST_RAISE + 1, LONGEST_RAISE + 2
"""Moves 0, 1, 2 ... raise by 1, 2, 3 ... rungs; the last two are calls."""
TREMBLE = 0.1
"""The chance of a raise that the strategy did not choose, at first; it decays, so that places which good players avoid
are learned early."""
PARTS, LEAST = 64, 0.01
"""Chances are rounded to 64ths; smaller ones than `LEAST` are dropped."""
LEAST_MOVED, MOST_CELLS = 1e-7, 60_000
"""What a strategy does at a place is written if it differs from what it does with a shorter memory: by how likely the
hand comes there at best, times the chance that is moved. Of all places only so many are, those that move most."""
MOST_NUMBERS = 1.2e10
"""About how many numbers J and V may hold together: more hands are taken in turn."""


def ladder(game: str, dice: int) -> list[tuple[int, int]]:
    """All bids (quantity, face), the lowest first."""
    bids = [(quantity, face) for quantity in range(1, dice + 1) for face in range(1, FACES + 1)]
    if game == "heads-up":
        return bids
    return sorted(bids, key=lambda bid: (2 * bid[0], 1, 0) if bid[1] == 1 else (bid[0], 0, bid[1]))


def matches_and_weights(dice: int, wild: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """[hand, face]: how many dice count for a bid on the face; and how likely each hand is."""
    hands = list(combinations_with_replacement(range(1, FACES + 1), dice))
    count = np.array([[hand.count(face) for face in range(FACES + 1)] for hand in hands])
    weights = np.array([factorial(dice) / prod(map(factorial, row)) / FACES**dice for row in count.tolist()])
    if wild:
        count[:, 2:] += count[:, 1:2]
    return count, weights


class Game:
    """One round: the opener has `dice[0]` dice, the other player `dice[1]`; each remembers `steps` steps."""

    def __init__(self, game: str, dice: tuple[int, int], steps: int, device: str) -> None:
        self.name, self.dice, self.steps, self.device = game, dice, steps, device
        quantity, face = (np.array(column) for column in zip(*ladder(game, sum(dice)), strict=True))
        self.rungs = len(quantity)
        self.exact = game == "perudo"
        matches, weights = zip(*(matches_and_weights(n, self.exact) for n in dice), strict=True)
        self.weights = [self.tensor(w) for w in weights]
        self.hands = (len(weights[0]), len(weights[1]))
        count = matches[0].T[face][:, :, None] + matches[1].T[face][:, None, :]
        wanted = quantity[:, None, None]
        calls = np.stack([np.where(count < wanted, 1.0, -1.0), np.where(count == wanted, 1.0, -1.0)], axis=1)
        self.calls = self.tensor(calls)
        """[rung, kind of call, opener's hand, other's hand]: what a call of the rung is worth to the caller."""
        self.older = STEPS ** (steps - 1)
        """How many memories there are of all steps but one."""
        self.places = STEPS * self.older
        self.start = START * self.older
        """The memory after the first bid."""
        legal = np.zeros((self.rungs, MOVES))
        for rung in range(self.rungs):
            legal[rung, : self.raises(rung)] = 1
        legal[:, LIAR] = 1
        legal[:, EXACT] = self.exact
        self.legal = self.tensor(legal)[:, None, None]

    def tensor(self, values: NDArray[np.float64]) -> Tensor:
        """Numbers on the device, in single precision."""
        return torch.tensor(values, dtype=torch.float32, device=self.device)

    def zeros(self, *shape: int) -> Tensor:
        """So many zeros on the device."""
        return torch.zeros(*shape, device=self.device)

    def raises(self, rung: int) -> int:
        """How many raises of this rung the strategies make."""
        return min(LONGEST_RAISE, self.rungs - 1 - rung)

    def split(self, at_places: Tensor) -> Tensor:
        """[place, ...] as [all steps but the oldest, the oldest step, ...]."""
        return at_places.view(self.older, STEPS, *at_places.shape[1:])

    def after(self, everywhere: Tensor, rung: int) -> tuple[Tensor, Tensor]:
        """Where raises of a rung lead in [rung, place, ...]: near as [move, remembered, ...], far as [move, ...]."""
        near = min(WINDOW, self.raises(rung))
        by_step = everywhere.view(self.rungs, STEPS, self.older, *everywhere.shape[2:])
        corner = by_step[rung + 1 : rung + 1 + near, 1 : 1 + near]
        diagonal = corner.diagonal(dim1=0, dim2=1).movedim(-1, 0)
        return diagonal, everywhere[rung + 1 + near : rung + 1 + self.raises(rung), FAR]

    def push(self, moved: Tensor, everywhere: Tensor, rung: int) -> None:
        """Put [move, remembered, ...] where raises of a rung lead."""
        near, far = self.after(everywhere, rung)
        near.copy_(moved[: len(near)])
        if len(far):
            far += moved[len(near) :].sum(1)

    def pull(self, everywhere: Tensor, rung: int) -> Tensor:
        """Fetch [move, remembered, ...] from where raises of a rung lead."""
        near, far = self.after(everywhere, rung)
        return torch.cat([near, far[:, None].expand(-1, self.older, *far.shape[1:])]) if len(far) else near


class Player:
    """What one player plays now, its regrets, and the sum of all it has played: [rung, place, hand, move]."""

    def __init__(self, legal: Tensor, shape: tuple[int, ...]) -> None:
        self.legal = legal
        self.even = legal / legal.sum(-1, keepdim=True)
        self.otherwise = torch.zeros_like(self.even)
        """What it does where it has never played: it calls."""
        self.otherwise[..., min(LIAR, legal.shape[-1] - 1)] = 1
        self.chances = self.even.expand(shape).clone()
        self.regret = torch.zeros_like(self.chances)
        self.total = torch.zeros_like(self.chances)

    def learn(self, gain: Tensor, weight: Tensor | float, keep: Tensor) -> None:
        """Add the chances to their total and what they missed to the regrets, and match the regrets."""
        self.total += weight * self.chances
        mean = (gain * self.chances).sum(-1, keepdim=True)
        self.regret.mul_(keep).add_(gain).sub_(mean).mul_(self.legal).clamp_(min=0)
        whole = self.regret.sum(-1, keepdim=True)
        self.chances.copy_(torch.where(whole > 0, self.regret / (whole + 1e-30), self.even))

    def average(self) -> Tensor:
        """The average of all it has played."""
        whole = self.total.sum(-1, keepdim=True)
        return torch.where(whole > 0, self.total / (whole + 1e-30), self.otherwise)


class Solver:
    """Both players of a round."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.players = [Player(game.legal, (game.rungs, game.places, hands, MOVES)) for hands in game.hands]
        legal = torch.ones(1, game.rungs, device=game.device)
        self.opening = Player(legal, (game.hands[0], game.rungs))
        """What the opener bids first: [hand, rung]."""
        size = 4 * game.rungs * game.places * game.hands[0] * game.hands[1]
        parts = min(game.hands[0], int(np.ceil(size / MOST_NUMBERS)))
        cuts = np.linspace(0, game.hands[0], parts + 1).astype(int)
        self.chunks = [slice(low, high) for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)]
        """The opener's hands, as many at a time as fit into memory."""
        most = max(part.stop - part.start for part in self.chunks)
        shape = (game.rungs, game.places, most, game.hands[1])
        self._reach, self._value = ([game.zeros(*shape) for _ in (0, 1)] for _ in (0, 1))
        self.iterations = 0
        self.slip, self.keep, self.weight = (torch.zeros((), device=game.device) for _ in range(3))
        raising = game.legal.clone()
        raising[..., LIAR:] = 0
        self.any_raise = raising / raising.sum(-1, keepdim=True).clamp(min=1)
        self._graph: Callable[[], None] = self._improve_both

    def iterate(self) -> None:
        """Improve the opener, then the other player."""
        self.iterations += 1
        t = self.iterations
        self.slip.fill_(TREMBLE * 10 / (t + 9))
        self.keep.fill_(t**1.5 / (t**1.5 + 1))
        self.weight.fill_((t / 100) ** 3)
        self._graph()

    def record(self) -> None:
        """From now on replay an iteration as one CUDA graph: small rounds are quicker that way."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._improve_both()
        self._graph = graph.replay

    def _improve_both(self) -> None:
        self._improve(0)
        self._improve(1)

    def _improve(self, seat: int) -> None:
        game, player = self.game, self.players[seat]
        chances = [self.players[0].chances, self.players[1].chances]
        chances[seat] = (1 - self.slip) * player.chances + self.slip * self.any_raise
        opening = self.opening.chances
        if seat == 0:
            opening = (1 - self.slip) * opening + self.slip / game.rungs
        gain = torch.zeros_like(player.chances)
        opening_gain = torch.zeros_like(self.opening.chances)
        others = game.zeros(game.rungs, game.places, game.hands[1 - seat])
        for part in self.chunks:
            reach = [r[:, :, : part.stop - part.start] for r in self._reach]
            value = [v[:, :, : part.stop - part.start] for v in self._value]
            self._go_up(part, chances, opening, reach)
            self._come_down(part, seat, reach, value, gain)
            if seat == 0:
                weights = game.weights[0][part, None] * game.weights[1]
                opening_gain[part] = einsum("ho,jho->hj", weights, value[1][: game.rungs, game.start])
                others += reach[1].sum(2)
            else:
                others[:, :, part] = reach[0].sum(3)
        own = self._own_reach(seat, chances, opening, others)[..., None]
        player.learn(gain / (own + 1e-9), self.weight * own, self.keep)
        if seat == 0:
            self.opening.learn(opening_gain, self.weight, self.keep)

    def _go_up(self, part: slice, chances: list[Tensor], opening: Tensor, reach: list[Tensor]) -> None:
        """J, from the lowest rung up."""
        game = self.game
        for at in reach:
            at[:, FAR] = 0
        dealt = game.weights[0][part, None] * game.weights[1]
        reach[1][: game.rungs, game.start] = opening[part].T[:, :, None] * dealt
        for rung in range(game.rungs - 1):
            n = game.raises(rung)
            for seat, formula in ((0, "gkhj,gkho->jgho"), (1, "gkoj,gkho->jgho")):
                moves = game.split(_hands(chances[seat][rung], seat, part)[..., :n])
                game.push(einsum(formula, moves, game.split(reach[seat][rung])), reach[1 - seat], rung)

    def _come_down(self, part: slice, seat: int, reach: list[Tensor], value: list[Tensor], gain: Tensor) -> None:
        """V, from the highest rung down; and along with it, what each move of the seat is worth."""
        game = self.game
        for rung in range(game.rungs - 1, -1, -1):
            n = game.raises(rung)
            called = game.calls[rung][:, part]
            for mover, row, sign in ((0, "h", 1), (1, "o", -1)):
                moves = game.split(_hands(self.players[mover].chances[rung], mover, part))
                worth = einsum(f"gk{row}j,jho->gkho", moves[..., LIAR:], sign * called)
                if n:
                    following = game.pull(value[1 - mover], rung)
                    worth += einsum(f"gk{row}j,jgho->gkho", moves[..., :n], following)
                value[mover][rung] = worth.view(game.places, *worth.shape[2:])
                if mover == seat:
                    here = game.split(reach[seat][rung])
                    gained = game.split(_hands(gain[rung], seat, part))
                    gained[..., LIAR:] += einsum(f"gkho,jho->gk{row}j", here, called)
                    if n:
                        gained[..., :n] += sign * einsum(f"gkho,jgho->gk{row}j", here, following)

    def _own_reach(self, seat: int, chances: list[Tensor], opening: Tensor, others: Tensor) -> Tensor:
        """[rung, place, hand]: how likely a player's own moves lead to a place, the mean over the ways that lead there.

        The other player moves as it does on average there, and now and then anyhow.
        """
        game = self.game
        other = 1 - seat
        ways = [game.zeros(game.rungs, game.places, 1) for _ in (0, 1)]
        taken = [game.zeros(game.rungs, game.places, game.hands[seat]) for _ in (0, 1)]
        if seat == 0:
            ways[1][: game.rungs, game.start] = 1
            taken[1][: game.rungs, game.start] = opening.T
        else:
            first = 0.9 * (opening * game.weights[0][:, None]).sum(0) + 0.1 / game.rungs
            ways[1][: game.rungs, game.start] = first[:, None]
            taken[1][: game.rungs, game.start] = first[:, None]
        for rung in range(game.rungs - 1):
            n = game.raises(rung)
            mine, theirs = (game.split(chances[i][rung])[..., :n] for i in (seat, other))
            game.push(einsum("gkhj,gkh->jgh", mine, game.split(taken[seat][rung])), taken[other], rung)
            game.push(game.split(ways[seat][rung]).sum(1)[None].expand(n, -1, -1), ways[other], rung)
            held = game.split(others[rung])
            held = held / (held.sum(-1, keepdim=True) + 1e-20)
            moves = 0.9 * einsum("gkoj,gko->gkj", theirs, held) + 0.1 / n
            for counted in (ways, taken):
                game.push(einsum("gkj,gkh->jgh", moves, game.split(counted[other][rung])), counted[seat], rung)
        return taken[seat] / (ways[seat] + 1e-20)

    def value(self) -> float:
        """What the round is worth to the opener if both play what they play now."""
        game, total = self.game, 0.0
        for part in self.chunks:
            reach = [r[:, :, : part.stop - part.start] for r in self._reach]
            value = [v[:, :, : part.stop - part.start] for v in self._value]
            self._come_down(part, 0, reach, value, torch.zeros_like(self.players[0].chances))
            dealt = game.weights[0][part, None] * game.weights[1]
            opened = value[1][: game.rungs, game.start]
            total += float(einsum("hj,ho,jho->", self.opening.chances[part], dealt, opened))
        return total


def _hands(by_hand: Tensor, seat: int, part: slice) -> Tensor:
    """[place, hand, move], of the opener only the hands of a part."""
    return by_hand[:, part] if seat == 0 else by_hand


# -- writing -----------------------------------------------------------------------------------------------------------


def without_least(chances: Tensor) -> Tensor:
    """Chances without the smallest."""
    kept = torch.where(chances < LEAST, 0.0, chances)
    return kept / kept.sum(-1, keepdim=True)


def best_reach(game: Game, chances: Tensor, opening: Tensor | None) -> Tensor:
    """[rung, place, hand]: how likely a hand comes to a place if the other player does its best to go there."""
    hands = chances.shape[2]
    mine, theirs = (game.zeros(game.rungs, game.places, hands) for _ in (0, 1))
    if opening is None:
        mine[:, game.start] = 1
    else:
        theirs[: opening.shape[1], game.start] = opening.T
    for rung in range(game.rungs - 1):
        n = game.raises(rung)
        near, far = game.after(theirs, rung)
        raised = (game.split(chances[rung])[..., :n] * game.split(mine[rung])[..., None]).amax(1).movedim(-1, 0)
        near.copy_(torch.maximum(near, raised[: len(near)]))
        if len(far):
            far.copy_(torch.maximum(far, raised[len(near) :].amax(1)))
        at_best = game.split(theirs[rung]).amax(1)
        near, _ = game.after(mine, rung)
        near.copy_(torch.maximum(near, at_best[None].expand_as(near)))
        beyond = mine[rung + 1 + WINDOW :, FAR]
        beyond.copy_(torch.maximum(beyond, at_best.amax(0)[None].expand_as(beyond)))
    return mine


def in_parts(chances: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Chances in whole `PARTS`, without the smallest; the largest remainders are rounded up."""
    kept = np.where(chances < LEAST, 0, chances).astype(np.float64)
    exact = PARTS * kept / kept.sum(axis=-1, keepdims=True)
    parts = np.floor(exact + 1e-6)
    order = np.argsort(parts - exact, axis=-1, kind="stable")
    rank = np.argsort(order, axis=-1, kind="stable")
    parts += rank < PARTS - parts.sum(axis=-1, keepdims=True)
    whole: NDArray[np.uint8] = parts.astype(np.uint8)
    return whole


def strategy_arrays(solver: Solver, seat: int) -> dict[str, NDArray[np.generic]]:
    """A player's average strategy: in full for places it is likely to come to, and with less memory for the others.

    `cell` numbers the places in full, (rung, memory, hand), `reach` says how likely the hand comes there at best, and
    `parts` has a row for each; `fallbackN` is what the player does if it remembers N steps, for all places: [rung,
    memory, hand, move], and `reachN` belongs to it.
    """
    game, player = solver.game, solver.players[seat]
    hands = game.hands[seat]
    opening = without_least(solver.opening.average()[:, :LONGEST_OPENING]) if seat == 0 else None
    average = without_least(player.average())
    reach = best_reach(game, average, opening)
    arrays: dict[str, NDArray[np.generic]] = {}
    for steps in range(game.steps):
        total = player.total.view(game.rungs, STEPS**steps, -1, hands, MOVES).sum(2)
        whole = total.sum(-1, keepdim=True)
        shorter = without_least(torch.where(whole > 0, total / (whole + 1e-30), player.otherwise))
        arrays[f"fallback{steps}"] = in_parts(shorter.cpu().numpy())
        best = reach.view(game.rungs, STEPS**steps, -1, hands).amax(2)
        arrays[f"reach{steps}"] = best.cpu().numpy().astype(np.float16)
    shorter = shorter[:, :, None].expand(-1, -1, STEPS, -1, -1)
    moved = (average - shorter.reshape(average.shape)).abs_().sum(-1).mul_(reach).mul_(game.weights[seat] / 2).flatten()
    cell = moved.argsort(descending=True)[: min(MOST_CELLS, int((moved >= LEAST_MOVED).sum()))].sort()[0]
    arrays["cell"] = cell.cpu().numpy().astype(np.uint32)
    arrays["reach"] = reach.flatten()[cell].cpu().numpy().astype(np.float16)
    arrays["parts"] = in_parts(average.view(-1, MOVES)[cell].cpu().numpy())
    if opening is not None:
        arrays["opening"] = in_parts(opening.cpu().numpy())
    return arrays


def solve_for(game: Game, seconds: float, iterations: int) -> Solver:
    """Iterate for about so many seconds, or so many iterations."""
    began = time.perf_counter()
    solver = Solver(game)
    for _ in range(3):
        solver.iterate()
    if game.device == "cuda" and len(solver.chunks) == 1 and game.steps < 3:
        try:
            solver.record()
        except RuntimeError as error:
            print(f"no CUDA graph, so it takes longer: {error}", flush=True)
    while solver.iterations < iterations and time.perf_counter() - began < seconds:
        solver.iterate()
        if game.device == "cuda" and solver.iterations % 10 == 0:
            torch.cuda.synchronize()
    return solver


def rounds() -> Iterator[tuple[str, tuple[int, int]]]:
    """The rounds that the tablebases do not have, the largest first."""
    every = [(a, b) for a in range(1, 6) for b in range(1, 6)]
    for dice in sorted(every, key=lambda dice: (-sum(dice), dice)):
        if sum(dice) > 5:
            yield "perudo", dice
        if sum(dice) > 6:
            yield "heads-up", dice


def cost(dice: tuple[int, int]) -> float:
    """About how long a round takes, in relation to others."""
    hands = prod(len(matches_and_weights(n, False)[1]) for n in dice)
    return sum(dice) * (hands + 2000)


def file_of(name: str, dice: tuple[int, int], steps: int) -> str:
    """The file that a round is written to."""
    return f"{name}-{sum(dice)}-{steps}" if name == "perudo" else f"{name}-{steps}"


def write(folder: Path, files: dict[str, dict[str, NDArray[np.generic]]]) -> None:
    """Write files of arrays."""
    for name, arrays in files.items():
        np.savez_compressed(folder / f"{name}.npz", **arrays)  # type: ignore[arg-type]


def solve_all(chosen: Sequence[tuple[str, tuple[int, int]]], arguments: argparse.Namespace) -> None:
    """Solve rounds one after the other, each in its share of the time, and write a file per number of dice."""
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    files: dict[str, dict[str, NDArray[np.generic]]] = {}
    for at, (name, dice) in enumerate(chosen):
        left = arguments.seconds - (time.perf_counter() - began)
        if left <= 0:
            print(f"no time left for {len(chosen) - at} rounds", flush=True)
            write(folder, files)
            return
        share = left * cost(dice) / sum(cost(d) for _, d in chosen[at:])
        game = Game(name, dice, arguments.steps, arguments.device)
        started = time.perf_counter()
        solver = solve_for(game, share, arguments.iterations)
        file = file_of(name, dice, arguments.steps)
        for seat in (0, 1):
            for key, array in strategy_arrays(solver, seat).items():
                files.setdefault(file, {})[f"{dice[0]}v{dice[1]}/{seat}/{key}"] = array
        value = solver.value()
        took = time.perf_counter() - started
        if file not in {file_of(*later, arguments.steps) for later in chosen[at + 1 :]}:
            write(folder, {file: files.pop(file)})
        print(f"{name} {dice}: {solver.iterations} iterations, value {value:+.4f}, {took:.1f} s", flush=True)
        del solver
        if arguments.device == "cuda":
            torch.cuda.empty_cache()


def main(given: Sequence[str] | None = None) -> None:
    """Read the arguments, and solve."""
    parser = argparse.ArgumentParser(description="Solve rounds with players who remember only the last few bids.")
    parser.add_argument("folder", type=Path, help="where the strategies are written")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--steps", type=int, default=2, help="how many steps of the bidding are remembered")
    parser.add_argument("--seconds", type=float, default=400, help="about how long it may take in all")
    parser.add_argument("--iterations", type=int, default=300, help="at most so many per round")
    parser.add_argument("--rounds", default="", help="such as perudo:5v5,heads-up:4v4; all by default")
    arguments = parser.parse_args(given)
    chosen = list(rounds())
    if arguments.rounds:
        names = arguments.rounds.split(",")
        chosen = [(name.split(":")[0], (int(name[-3]), int(name[-1]))) for name in names]
    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.inference_mode():
        solve_all(chosen, arguments)


if __name__ == "__main__":
    main()
