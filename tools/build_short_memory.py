"""Make the short-memory strategies that come with the package (see `liars_dice.exact.solver.short_memory`).

For a pair of hands let

    J(place) = how likely the pair comes there,    V(place) = what the pair's round is worth from there on.

One sweep computes J from the lowest rung up and V from the highest down, for every pair of hands; a move is worth the
sum over the other player's hands of J(place) V(next place). Regret matching (CFR+, with old regrets discounted) turns
these values into strategies, whose average is returned. In J every bid is also made with a small chance, the tremble,
so that places which good players avoid are learned too.

Nothing proves that this converges when players forget, so the result is measured against a
perfect adversary (`liars_dice.exact.solver.short_memory_adversary`).
Strategies with a memory of steps come from files that `tools/solve_short_memory.py` writes.

    python tools/build_short_memory.py [FOLDER ...] [--rounds perudo:3v3] [--least X] [--out FILE]
    python tools/build_short_memory.py --check [--rounds perudo:3v3] [--biddings N] [--memory 8] [--workers N]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from liars_dice.agents import Agent
from liars_dice.core import GameConfig
from liars_dice.exact.solver import mean_of, response_bounds, short_memory
from liars_dice.exact.solver.short_memory import (
    FACES,
    LONGEST_RAISE,
    NAME,
    Places,
    Reals,
    ShortKey,
    ShortStrategy,
    in_parts,
    load,
    packed,
    written,
)
from liars_dice.exact.solver.short_memory_packing import PARTS
from liars_dice.exact.tables import PolicyTable, hand_set
from liars_dice.numeric import Floats, Ints, Truths, compiled

TREMBLE = 0.1
"""The chance of a raise that no strategy chose, spread over all raises: a tenth of this at first, then ever less."""
IMPORTANT: dict[str, tuple[float, float]] = {
    "heads-up:5v5": (8e-5, 4e-4),
    "perudo:5v5": (5e-5, 2.2e-4),
    "perudo:4v5": (5e-5, 4e-4),
    "perudo:5v4": (5e-5, 4e-4),
    "perudo:4v4": (1e-4, 8e-4),
    "perudo:3v5": (1e-4, 5e-4),
    "perudo:5v3": (8e-5, 6e-4),
    "perudo:3v4": (1.5e-4, 6e-4),
    "perudo:4v3": (1e-4, 8e-4),
    "perudo:2v5": (2e-4, 4e-4),
    "perudo:5v2": (1e-4, 6e-4),
    "perudo:3v3": (2e-4, 8e-4),
    "perudo:2v4": (2e-4, 8e-4),
    "perudo:4v2": (2e-4, 8e-4),
    "perudo:1v5": (2e-4, 4e-4),
    "perudo:5v1": (8e-5, 6e-4),
}
"""What a strategy from a file does at a place is kept if it moves at least this chance, whatever the other player does:
for the opener, and for the other player. Chosen so that all files together stay below 8 MB, and no round of `perudo`
can be exploited by much more than the others. An opener's places are many and seldom met, so they need smaller ones."""
OF_KINDS = 5e-6
"""The same for the strategies of `heads-up` with a memory of kinds: they are at most 0.0002 more exploitable for it."""
MOST_DICE, SOLVED = 5, 6
"""The strategies are for hands of up to five dice, in rounds with more dice in total than the tablebase has solved."""


# -- solving ---------------------------------------------------------------------------------------------------------


def solve_short_memory(config: GameConfig, iterations: int) -> tuple[Reals, Reals]:
    """Strategies of the opener, who has `config.dice[0]` dice, and of the other player: [hand, column, memory, move].

    Iteration n has weight n in the regrets and n squared in the average.
    """
    places = Places(config)
    now = [np.repeat(places.even[None], len(weights), axis=0) for weights in places.weights]
    regret = [np.zeros_like(chances) for chances in now]
    total = [np.zeros_like(chances) for chances in now]
    for iteration in range(1, iterations + 1):
        for player in (0, 1):
            gain = worth(places, now, player, TREMBLE / (iteration + 9))
            _match_regrets(gain, places.width, iteration, now[player], regret[player], total[player])
    return places.normal(total[0]), places.normal(total[1])


@compiled
def _match_regrets(gain: Reals, width: Ints, iteration: int, chances: Reals, regret: Reals, total: Reals) -> None:
    """Add the chances to their total and what they missed to the regrets; the new chances are proportional to those."""
    hands, columns, memories, moves = gain.shape
    keep, weight, call = np.float32(iteration / (iteration + 1)), np.float32(iteration**2), moves - 1
    for hand in range(hands):
        for column in range(columns):
            raises = width[column]
            first = 0 if column > 0 else 1  # calling is the last move, and an opener cannot call
            for memory in range(memories if column > 0 else 1):
                worth, chance = gain[hand, column, memory], chances[hand, column, memory]
                missed, summed = regret[hand, column, memory], total[hand, column, memory]
                mean = np.float32(0)
                for i in range(first, raises + 1):
                    move = i - 1 if i > 0 else call
                    mean += worth[move] * chance[move]
                    summed[move] += weight * chance[move]
                whole = np.float32(0)
                for i in range(first, raises + 1):
                    move = i - 1 if i > 0 else call
                    missed[move] = max(keep * missed[move] + worth[move] - mean, np.float32(0))
                    whole += missed[move]
                for i in range(first, raises + 1):
                    move = i - 1 if i > 0 else call
                    chance[move] = missed[move] / whole if whole > 0 else np.float32(1) / (raises + 1 - first)


def worth(places: Places, chances: Sequence[Reals], player: int, tremble: float = 0.0) -> Reals:
    """What each move of a player is worth, times how likely its place is: [hand, column, memory, move]."""
    gain = np.zeros_like(chances[player])
    other = np.ascontiguousarray(chances[1 - player].transpose(1, 2, 3, 0))
    used: Truths = np.asarray((other > 0).any(axis=-1))
    weights, matches = places.weights, places.matches
    mine, theirs = (weights[player], matches[player]), (weights[1 - player], matches[1 - player])
    ladder = _Ladder(places.quantity, places.face, places.width, places.after, places.kind)
    _sweep(player == 0, chances[player], other, used, *mine, *theirs, ladder, tremble, gain)
    return gain


def value(places: Places, opener: Reals, other: Reals) -> float:
    """What the opener earns in a round: +1 for a win, -1 for a loss."""
    gain = worth(places, (opener, other), 0)
    return float((gain[:, 0, 0] * opener[:, 0, 0]).sum())


class _Ladder(NamedTuple):
    """The public places as compiled code reads them: see `Places`."""

    quantity: Ints
    face: Ints
    width: Ints
    after: Ints
    kind: Ints


class _Work(NamedTuple):
    """Work space for one of my hands; every row has one number for each of their hands."""

    my_reach: Reals
    """[column, memory]: J where I am to move."""
    their_reach: Reals
    """The same where they are to move."""
    my_value: Reals
    """[column, memory]: V, to me, where I am to move."""
    their_value: Reals
    """The same where they are to move."""
    called: Reals
    """[column]: what I earn by calling."""
    slips: Reals
    """[whose, kind]: how likely a place is left by one particular slip, for each kind of memory."""
    following: Reals
    """[kind, move]: what my moves lead to."""


@compiled
def _sweep(
    opens: bool,
    mine: Reals,
    theirs: Reals,
    used: Truths,
    my_weights: Floats,
    my_matches: Ints,
    their_weights: Floats,
    their_matches: Ints,
    ladder: _Ladder,
    tremble: float,
    gain: Reals,
) -> None:
    """One hand of mine at a time against all of theirs."""
    hands, columns, memories, moves = mine.shape
    size, kinds = their_weights.size, ladder.kind.max() + 1
    work = _Work(
        np.zeros((columns, memories, size), dtype=np.float32),
        np.zeros((columns, memories, size), dtype=np.float32),
        np.zeros((columns, memories, size), dtype=np.float32),
        np.zeros((columns, memories, size), dtype=np.float32),
        np.zeros((columns, size), dtype=np.float32),
        np.zeros((2, kinds, size), dtype=np.float32),
        np.zeros((kinds, moves - 1, size), dtype=np.float32),
    )
    for hand in range(hands):
        for column in range(1, columns):
            missing = ladder.quantity[column - 1] - my_matches[hand, ladder.face[column - 1]]
            for k in range(size):
                work.called[column, k] = -1 if their_matches[k, ladder.face[column - 1]] >= missing else 1
        work.my_reach[:] = 0
        work.their_reach[:] = 0
        first = work.my_reach if opens else work.their_reach
        for k in range(size):
            first[0, 0, k] = my_weights[hand] * their_weights[k]
        _go_up(work, mine[hand], theirs, used, ladder, tremble)
        _come_down(work, mine[hand], theirs, used, ladder, gain[hand])


@compiled
def _go_up(work: _Work, mine: Reals, theirs: Reals, used: Truths, ladder: _Ladder, tremble: float) -> None:
    """J: from the lowest rung up, every place passes its likelihood on, by moves and by slips."""
    my_reach, their_reach, slips = work.my_reach, work.their_reach, work.slips
    width, after, kind = ladder.width, ladder.after, ladder.kind
    columns, memories, size = my_reach.shape
    keep = np.float32(1 - tremble)
    for column in range(columns - 1):
        raises = width[column] if column else columns - 1  # those a slip may make
        slip = np.float32(tremble / raises)
        slips[:] = 0
        for memory in range(memories if column else 1):
            from_me, from_them = my_reach[column, memory], their_reach[column, memory]
            my_slip, their_slip = slips[0, kind[memory]], slips[1, kind[memory]]
            for k in range(size):
                my_slip[k] += slip * from_me[k]
                their_slip[k] += slip * from_them[k]
            for move in range(width[column]):
                remembered = after[memory, move] if column else 0
                chance = keep * mine[column, memory, move]
                if chance > 0:
                    to_them = their_reach[column + move + 1, remembered]
                    for k in range(size):
                        to_them[k] += chance * from_me[k]
                if used[column, memory, move]:
                    row, to_me = theirs[column, memory, move], my_reach[column + move + 1, remembered]
                    for k in range(size):
                        to_me[k] += keep * row[k] * from_them[k]
        for memory in range(memories if column else 1):
            if memory > 0 and kind[memory] <= kind[:memory].max():
                continue  # an earlier memory of the same kind has passed on its slips
            my_slip, their_slip = slips[0, kind[memory]], slips[1, kind[memory]]
            for move in range(raises):
                remembered = after[memory, move] if column else 0
                to_them, to_me = their_reach[column + move + 1, remembered], my_reach[column + move + 1, remembered]
                for k in range(size):
                    to_them[k] += my_slip[k]
                    to_me[k] += their_slip[k]


@compiled
def _come_down(work: _Work, mine: Reals, theirs: Reals, used: Truths, ladder: _Ladder, gain: Reals) -> None:
    """V: from the highest rung down; and along with it, what each of my moves is worth."""
    my_value, their_value, called, following = work.my_value, work.their_value, work.called, work.following
    width, after, kind = ladder.width, ladder.after, ladder.kind
    columns, memories, size = my_value.shape
    call = mine.shape[2] - 1
    for column in range(columns - 1, -1, -1):
        raises = width[column]
        for memory in range(memories if column else 1):
            reach, i_move, they_move = (
                work.my_reach[column, memory],
                my_value[column, memory],
                their_value[column, memory],
            )
            next_values = following[kind[memory]]
            if memory == 0 or kind[memory] > kind[:memory].max():
                for move in range(raises):
                    next_values[move] = their_value[column + move + 1, after[memory, move] if column else 0]
            row = theirs[column, memory, call]
            chance = mine[column, memory, call]
            calling = np.float32(0)
            for k in range(size):
                i_move[k] = chance * called[column, k]
                they_move[k] = -row[k] * called[column, k]
                calling += reach[k] * called[column, k]
            gain[column, memory, call] = calling
            for move in range(raises):
                chance = mine[column, memory, move]
                if chance > 0:
                    for k in range(size):
                        i_move[k] += chance * next_values[move, k]
                if used[column, memory, move]:
                    row = theirs[column, memory, move]
                    i_answer = my_value[column + move + 1, after[memory, move] if column else 0]
                    for k in range(size):
                        they_move[k] += row[k] * i_answer[k]
            if raises > 0:
                gain[column, memory, :raises] = np.dot(next_values[:raises], reach)


# -- making ----------------------------------------------------------------------------------------------------------


def likeliest(places: Places, parts: NDArray[np.uint8], *, opens: bool) -> Floats:
    """[hand, column, memory]: how likely a hand comes to each place by its likeliest way, if the other player helps;
    with memory 0, which stands in for memories that are not kept, by any way.
    """
    chances = parts / PARTS
    hands, columns, memories, _ = parts.shape
    best = np.zeros((hands, columns, memories))  # the likeliest way to be there and have to move
    raised = np.zeros((hands, columns, memories))  # to have bid this, with the memory the other then has
    best[:, :1, 0] = opens
    best[:, 1:, 0] = not opens
    for column in range(columns):
        for low in range(1, column):
            for memory in range(memories):
                to = places.after[memory, column - low - 1]
                best[:, column, to] = np.maximum(best[:, column, to], raised[:, low, memory])
        for memory in range(memories if column else 1):
            for move in range(int(places.width[column])):
                to = places.after[memory, move] if column else 0
                chance = best[:, column, memory] * chances[:, column, memory, move]
                raised[:, column + move + 1, to] = np.maximum(raised[:, column + move + 1, to], chance)
    best[:, 1:, 0] = best[:, 1:].max(axis=-1)
    return best


def kept_places(places: Places, parts: NDArray[np.uint8], reach: Floats, least: float, *, opens: bool) -> Truths:
    """[hand, column, memory]: where a strategy differs enough from what stands in for it. How likely the hand comes
    there at best, times the chance that is moved, is at least `least`; `reach` counts the chance of the hand itself.
    """
    instead = places.memory.shorter.tolist()

    def stand_ins(memory: int) -> int:
        return 0 if memory < 0 else 1 + stand_ins(instead[memory])

    now = np.zeros_like(parts[:, :, 0])
    now[..., places.call] = PARTS
    plays = {-1: now}
    kept = np.zeros(reach.shape, dtype=bool)
    for memory in sorted(range(len(instead)), key=stand_ins):
        before = plays[instead[memory]]
        moved = np.abs(parts[:, :, memory].astype(np.int16) - before).sum(axis=-1) / (2 * PARTS)
        kept[:, :, memory] = reach[:, :, memory] * moved >= least
        if memory in instead:
            plays[memory] = np.where(kept[:, :, memory, None], parts[:, :, memory], before)
    kept[:, 0] = False
    kept[:, 0, 0] = opens
    return kept


def rounds() -> list[tuple[int, int]]:
    """The (opener's, other's) dice of every round in the packaged file."""
    every = range(1, MOST_DICE + 1)
    return [(a, b) for a in every for b in every if a + b > SOLVED]


def iterations_for(dice: int) -> int:
    """How many iterations a round with this many dice in total gets: fewer for large rounds, which take longer."""
    return 120 if dice <= 7 else 80 if dice == 8 else 60


def packed_round(dice: tuple[int, int], iterations: int | None = None) -> dict[ShortKey, tuple[int, bytes]]:
    """Both strategies of a round, solved and packed."""
    config = GameConfig(dice=dice, faces=FACES)
    solved = solve_short_memory(config, iterations or iterations_for(sum(dice)))
    blocks = {}
    for opens, chances in zip((True, False), solved, strict=True):
        key = ShortKey("heads-up", *(dice if opens else dice[::-1]), opens)
        blocks[key] = 0, packed_kinds(key, in_parts(chances))
    return blocks


def packed_kinds(key: ShortKey, parts: NDArray[np.uint8]) -> bytes:
    """A strategy with a memory of kinds, packed: [hand, column, memory, move]."""
    places, weights = Places(key.config), hand_set(key.own, FACES).weights
    reach = likeliest(places, parts, opens=key.opens) * weights[:, None, None]
    return packed(places, parts, kept_places(places, parts, reach, important(key), opens=key.opens))


def pack_again(names: Sequence[str] | None, out: Path) -> None:
    """Pack the package's strategies with a memory of kinds again."""
    book = load()
    blocks = {key: book.block(key) for key in book}
    for key in (key for key, (steps, _) in blocks.items() if steps == 0):
        if names is None or (key if key.opens else key.opponent).name in names:
            blocks[key] = 0, packed_kinds(key, np.ascontiguousarray(book[key].parts().transpose(2, 0, 1, 3)))
    write(out, blocks)


def build(out: Path) -> None:
    """Make the file of all strategies, and print progress."""
    blocks: dict[ShortKey, tuple[int, bytes]] = {}
    for dice in rounds():
        start = time.perf_counter()
        blocks.update(packed_round(dice))
        print(f"{dice[0]} v {dice[1]}: {time.perf_counter() - start:.0f} s", flush=True)
    write(out, blocks)


def write(out: Path, blocks: Mapping[ShortKey, tuple[int, bytes]]) -> None:
    """Write a file of strategies."""
    out.write_bytes(written(dict(sorted(blocks.items()))))
    print(f"{out}: {out.stat().st_size:,} bytes")


# -- from files --------------------------------------------------------------------------------------------------------


def rounds_found(folders: Sequence[Path]) -> Iterator[tuple[ShortKey, int, NpzFile]]:
    """The rounds that `tools/solve_short_memory.py` has written: the opener, the steps remembered, and the file."""
    for path in (path for folder in folders for path in sorted(folder.glob("*.npz"))):
        steps = int(path.stem.split("-")[-1])
        found = np.load(path, allow_pickle=False)
        for name in sorted({key.split("/")[0] for key in found.files}):
            own, other = map(int, name.split("v"))
            yield ShortKey("perudo" if path.stem.startswith("perudo") else "heads-up", own, other, True), steps, found


def important(key: ShortKey) -> float:
    """What counts as important for a strategy."""
    opener = key if key.opens else key.opponent
    return IMPORTANT.get(opener.name, (OF_KINDS, OF_KINDS))[0 if key.opens else 1]


def packed_from(key: ShortKey, steps: int, found: NpzFile, least: float) -> bytes:
    """A strategy from a file, packed. What it does at a place is kept where that differs enough from what it does with
    a shorter memory: how likely the hand comes there at best, times the chance that is moved, is at least `least`.
    """
    places = Places(key.config, steps)
    name = "{}v{}/{}".format(*key.dice, 0 if key.opens else 1)
    weights = hand_set(key.own, FACES).weights
    hands, used = len(weights), places.memory.used
    parts = np.zeros((hands, places.rungs + 1, len(places.memory.shorter), places.moves), dtype=np.uint8)
    reach = np.zeros(parts.shape[:3], dtype=np.float32)
    raises = LONGEST_RAISE * FACES
    columns = [*range(min(raises, places.call)), *range(raises, raises + places.moves - places.call)]
    moves = [*range(min(raises, places.call)), *range(places.call, places.moves)]
    rung, memory, hand = np.unravel_index(found[f"{name}/cell"], (places.rungs, used, hands))
    parts[hand[:, None], rung[:, None] + 1, memory[:, None], moves] = found[f"{name}/parts"][:, columns]
    reach[hand, rung + 1, memory] = found[f"{name}/reach"]
    at = used
    for length in range(steps - 1, -1, -1):
        shorter = found[f"{name}/fallback{length}"][..., columns].transpose(2, 0, 1, 3)
        parts[:, 1:, at : at + shorter.shape[2]][..., moves] = shorter
        reach[:, 1:, at : at + shorter.shape[2]] = found[f"{name}/reach{length}"].transpose(2, 0, 1)
        at += shorter.shape[2]
    if key.opens:
        openings = found[f"{name}/opening"]
        parts[:, 0, 0, : openings.shape[1]] = openings
    return packed(places, parts, kept_places(places, parts, reach * weights[:, None, None], least, opens=key.opens))


def build_from(folders: Sequence[Path], names: Sequence[str] | None, out: Path, least: float | None) -> None:
    """Add what was found to the packaged strategies, or put it in their place."""
    book = load()
    blocks = {key: book.block(key) for key in book}
    for opener, steps, found in rounds_found(folders):
        for key in (opener, opener.opponent) if names is None or opener.name in names else ():
            blocks[key] = steps, packed_from(key, steps, found, important(key) if least is None else least)
            print(f"{key.game} {key.own} v {key.other}, {len(blocks[key][1]):,} bytes", flush=True)
    write(out, blocks)


# -- measuring ---------------------------------------------------------------------------------------------------------


def check(names: Sequence[str] | None, biddings: int, memory: float, workers: int) -> None:
    """Print what a perfect adversary earns against the package's strategies."""
    for key in (key for key in load() if key.opens):
        if names is None or key.name in names:
            began = time.perf_counter()
            pair = load()[key], load()[key.opponent]
            found = mean_of(response_bounds(*pair, biddings=biddings, memory=memory, workers=workers))
            size = sum(len(load().block(one)[1]) for one in (key, key.opponent))
            print(
                f"{key.game} {key.own} v {key.other}: exploitability from {found.least:.4f} to {found.most:.4f}, "
                f"{size:,} bytes; {found.biddings:,} biddings, {time.perf_counter() - began:.0f} s",
                flush=True,
            )


def earned(strategy: ShortStrategy, agent: Agent) -> float:
    """What a strategy earns in a round against a memoryless agent: +1 for a win, -1 for a loss."""
    places = Places(strategy.config, any_raise=True)
    columns, memories, moves = places.legal.shape
    mine = np.zeros((len(strategy.hands), columns, memories, moves), dtype=np.float32)
    narrow = strategy.array()
    mine[..., : narrow.shape[-1] - 1] = narrow[..., :-1]
    mine[..., -1] = narrow[..., -1]
    table = PolicyTable.of(agent, strategy.config, own=strategy.other, other=strategy.own).complete()
    theirs = np.zeros((len(table.hands), columns, memories, moves), dtype=np.float32)
    for hand, column in np.ndindex(theirs.shape[:2]):
        cell = table.cell(hand, column - 1)
        for action, chance in (table.mixes[cell] if cell < 0 else {cell: 1.0}).items():
            theirs[hand, column, :, places.call if action == table.liar else action - column] = chance
    return value(places, mine, theirs) if strategy.opens else -value(places, theirs, mine)


def main(arguments: Sequence[str]) -> int:
    """Make the packaged file again, or put into it what `tools/solve_short_memory.py` has found."""
    parser = argparse.ArgumentParser(prog="python tools/build_short_memory.py", description=main.__doc__)
    parser.add_argument("folders", type=Path, nargs="*", help="what was found; without any, heads-up is solved here")
    parser.add_argument("--least", type=float, help="what is kept (default: as in the package)")
    parser.add_argument("--out", type=Path, help="the file to write (default: the package's)")
    parser.add_argument("--pack-again", action="store_true", help="only pack strategies with a memory of kinds again")
    parser.add_argument("--check", action="store_true", help="measure the package's strategies instead")
    parser.add_argument("--rounds", help="only these, such as perudo:3v3,heads-up:4v4")
    parser.add_argument("--biddings", type=int, default=5_000_000, help="how many to look at in a round, about")
    parser.add_argument("--memory", type=float, default=4, help="gigabytes that measuring may take (default: 4)")
    parser.add_argument("--workers", type=int, default=1, help="threads that measure (default: 1)")
    given = parser.parse_args(arguments)
    names = given.rounds.split(",") if given.rounds else None
    if given.check:
        check(names, given.biddings, given.memory, given.workers)
        return 0
    out = given.out or Path(short_memory.__file__).parent / "data" / NAME
    if missing := [folder for folder in given.folders if not folder.is_dir()]:
        print(f"{missing[0]}: no such folder", file=sys.stderr)
        return 2
    if given.pack_again:
        pack_again(names, out)
    elif given.folders:
        build_from(given.folders, names, out, given.least)
    else:
        build(out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
